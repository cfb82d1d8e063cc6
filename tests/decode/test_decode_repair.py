"""Repair follows the objective; polish never makes an answer worse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isingrag as ir
from isingrag.decode import decode, polish, repair_masks
from isingrag.problem import CoverageTerm, GroupLimit, SelectionProblem
from isingrag.testing.problems import all_masks, brute_force
from isingrag.testing.strategies import selection_problems

AT_MOST = selection_problems(max_items=6, limits=("none", "at_most"))
REALS = st.floats(-10.0, 10.0, allow_nan=False, width=32)


@settings(max_examples=150, deadline=None)
@given(AT_MOST)
def test_repair_is_always_feasible_for_at_most_problems(problem: SelectionProblem) -> None:
    masks = all_masks(problem.count)
    before = masks.copy()
    digest = problem.digest
    repaired = repair_masks(problem, masks)
    assert problem.feasible(repaired).all()
    assert np.array_equal(masks, before)
    assert SelectionProblem.from_dict(problem.to_dict()).digest == digest
    good = problem.feasible(masks)
    assert np.array_equal(repaired[good], masks[good])
    fixed = list(problem.forbidden)
    assert not repaired[:, fixed].any()
    assert repaired[:, list(problem.pinned)].all()
    free = np.ones(problem.count, dtype=bool)
    free[list(problem.pinned)] = False
    assert not (repaired & ~masks)[:, free].any()  # at most: nothing but pins is added


@settings(max_examples=100, deadline=None)
@given(selection_problems(max_items=6, limits=("exact",), budgets=False, groups=False))
def test_repair_reaches_exactly_k(problem: SelectionProblem) -> None:
    masks = all_masks(problem.count)
    repaired = repair_masks(problem, masks)
    assert problem.feasible(repaired).all()
    again = repair_masks(problem, repaired)
    assert np.array_equal(again, repaired)


@settings(max_examples=100, deadline=None)
@given(selection_problems(max_items=6))
def test_repair_of_any_problem_keeps_pins_and_never_loses_a_feasible_read(problem: SelectionProblem) -> None:
    masks = all_masks(problem.count)
    repaired = repair_masks(problem, masks)
    assert repaired[:, list(problem.pinned)].all()
    assert not repaired[:, list(problem.forbidden)].any()
    good = problem.feasible(masks)
    assert np.array_equal(repaired[good], masks[good])


@settings(max_examples=120, deadline=None)
@given(selection_problems(max_items=6, numbers=REALS))
def test_polish_stays_feasible_and_is_never_worse(problem: SelectionProblem) -> None:
    masks = all_masks(problem.count)
    polished = polish(problem, masks)
    good = problem.feasible(masks)
    assert np.array_equal(polished[~good], masks[~good])
    assert problem.feasible(polished)[good].all()
    before, after = problem.values(masks)[good], problem.values(polished)[good]
    assert (after >= before - 1e-9).all()
    assert np.array_equal(polish(problem, polished)[good], polished[good])
    assert np.array_equal(polish(problem, masks), polished)


@settings(max_examples=60, deadline=None)
@given(selection_problems(max_items=5, pairs=("none", "dense")))
def test_a_polished_answer_has_no_better_neighbour(problem: SelectionProblem) -> None:
    value, masks = brute_force(problem)
    if not masks:
        return
    every = all_masks(problem.count)
    feasible, values = problem.feasible(every), problem.values(every)
    for mask in polish(problem, every[feasible]):
        distance = every ^ mask
        added, dropped = (distance & every).sum(axis=1), (distance & ~every).sum(axis=1)
        near = feasible & (added <= 1) & (dropped <= 1)
        assert problem.value(mask) >= values[near].max() - 1e-9
        assert problem.value(mask) <= value + 1e-9


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_the_order_of_items_does_not_matter_when_values_are_unique(seed: int, exact: bool) -> None:
    rng = np.random.default_rng(seed)
    n = 7
    matrix = np.triu(rng.normal(size=(n, n)), 1)
    matrix = matrix + matrix.T
    tokens = rng.integers(1, 9, n)
    problem = SelectionProblem(
        range(n),
        rng.normal(size=n),
        matrix,
        [CoverageTerm("p", [0, 3, 5], 1.3)],
        size=3,
        exact=exact,
        groups=[GroupLimit("g", [1, 2, 3, 4], 2)],
        **({} if exact else {"tokens": tokens, "budget": 12}),
    )
    order = rng.permutation(n)
    place = np.argsort(order)
    moved = problem.replaced(
        ids=[problem.ids[i] for i in order],
        linear=problem.linear[order],
        pairs=problem.pairs.take(order),
        coverage=[CoverageTerm("p", place[[0, 3, 5]], 1.3)],
        groups=[GroupLimit("g", place[[1, 2, 3, 4]], 2)],
        tokens=None if problem.tokens is None else problem.tokens[order],
    )
    masks = all_masks(n)
    assert np.array_equal(repair_masks(problem, masks)[:, order], repair_masks(moved, masks[:, order]))
    assert np.array_equal(polish(problem, masks)[:, order], polish(moved, masks[:, order]))


def test_repair_looks_at_redundancy() -> None:
    """L56: dropping the least relevant item would give 1.05; the near-duplicate goes."""
    pairs = np.zeros((3, 3))
    pairs[0, 1] = pairs[1, 0] = -0.9
    problem = SelectionProblem(range(3), [1.0, 0.95, 0.6], pairs, size=2, exact=True)
    compiled = ir.compile(problem, ir.ideal_profile(bits=None), penalties="sufficient", lowering="paper")
    answers = decode(compiled, np.ones((1, compiled.spins)), repair=True)
    assert answers[0].ids == (0, 2)
    assert answers[0].value == pytest.approx(1.6)
    assert answers[0].origin == "repaired"
    assert answers[0].change.removed == (1,)
    assert answers[0].change.added == ()
    assert answers.decoded.tolist() == [[True, True, True]]


def test_repair_by_tokens_never_overshoots() -> None:
    """L78"""
    problem = SelectionProblem(range(3), [0.9, 0.8, 0.5], tokens=[60, 50, 30], budget=100)
    repaired = repair_masks(problem, all_masks(3))
    assert problem.feasible(repaired).all()
    assert polish(problem, repaired[[7]])[0].tolist() == [True, False, True]


def test_polish_swaps_within_a_requirement() -> None:
    """Item 1 covers what item 0 covers, and is better: the reward is not counted twice or lost."""
    problem = SelectionProblem(range(2), [0.0, 1.0], coverage=[CoverageTerm("p", [0, 1], 5.0)], size=1)
    assert polish(problem, np.array([[True, False]])).tolist() == [[False, True]]


@pytest.mark.parametrize("scale", [1e-10, 1.0, 1e8])
def test_polish_sees_small_differences(scale: float) -> None:
    problem = SelectionProblem(range(2), np.array([1.0, 2.0]) * scale, size=1)
    assert polish(problem, np.array([[True, False]])).tolist() == [[False, True]]


def test_decode_with_polish_reports_what_was_added() -> None:
    problem = SelectionProblem(["a", "b", "c"], [1.0, 2.0, -1.0], size=2)
    compiled = ir.compile(problem, ir.ideal_profile(bits=None), penalties="sufficient", lowering="paper")
    state = compiled.extend(compiled.model_states(problem.mask(["c"])[None]))
    raw, mended = decode(compiled, state), decode(compiled, state, polish=True)
    assert raw[0].ids == ("c",)
    assert mended[0].ids == ("a", "b")
    assert mended[0].change.added == ("a", "b")
    assert mended[0].change.removed == ("c",)
    assert decode(compiled, state, repair=True)[0].ids == ("c",)
