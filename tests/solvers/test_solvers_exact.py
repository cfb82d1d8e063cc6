"""solve_exact against enumeration, its tie rule, and its clock."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.errors import TooLarge
from isingrag.problem import CoverageTerm, SelectionProblem, SparsePairs, diversity_problem
from isingrag.solvers import exact
from isingrag.solvers.exact import solve_exact
from isingrag.testing.problems import brute_force
from isingrag.testing.strategies import selection_problems

ROOT = Path(__file__).resolve().parents[2]
REALS = st.floats(-10.0, 10.0, allow_nan=False, width=32)


@settings(max_examples=300, deadline=None)
@given(selection_problems())
def test_the_optimum_is_the_best_of_all_masks(problem: SelectionProblem) -> None:
    value, masks = brute_force(problem)
    best = solve_exact(problem)
    assert best.origin == "exact"
    if not masks:
        assert not best.proven
        assert not best.feasible
        return
    assert best.proven
    assert best.feasible
    assert best.value == pytest.approx(value, abs=1e-9)
    assert any(problem.selection(mask).ids == best.ids for mask in masks)


@settings(max_examples=100, deadline=None)
@given(selection_problems(max_items=9, min_items=5, numbers=REALS, pairs=("dense",), max_coverage=6))
def test_the_optimum_with_real_numbers(problem: SelectionProblem) -> None:
    value, masks = brute_force(problem)
    if masks:
        best = solve_exact(problem)
        assert best.proven
        assert best.value == pytest.approx(value, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(selection_problems(max_items=6), st.data())
def test_the_answer_does_not_depend_on_the_order_of_the_input(problem: SelectionProblem, data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(problem.count))), dtype=np.int64)
    place = np.argsort(order)
    moved = problem.replaced(
        ids=[problem.ids[i] for i in order],
        linear=problem.linear[order],
        pairs=problem.pairs.take(order),
        coverage=[CoverageTerm(t.label, place[t.items], t.reward, t.implies) for t in problem.coverage],
        tokens=None if problem.tokens is None else problem.tokens[order],
        groups=[type(g)(g.label, place[g.items], g.at_most) for g in problem.groups],
    )
    if brute_force(problem)[1]:
        assert set(solve_exact(moved).ids) == set(solve_exact(problem).ids)


@settings(max_examples=60, deadline=None)
@given(selection_problems(max_items=6))
def test_no_chosen_item_can_be_exchanged_for_a_lower_id(problem: SelectionProblem) -> None:
    best = solve_exact(problem)
    if not best.proven:
        return
    mask = problem.mask(best)
    rank = {int(p): r for r, p in enumerate(problem.order)}
    for i in np.flatnonzero(mask):
        for k in np.flatnonzero(~mask):
            if rank[int(k)] < rank[int(i)]:
                other = mask.copy()
                other[[i, k]] = False, True
                assert not (problem.feasible(other[None])[0] and problem.value(other) >= best.value - 1e-12)


@pytest.mark.parametrize("exact_size", [False, True])
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 0, 5, 1, 4, 2]])
def test_of_equal_items_the_lowest_ids_are_taken(order: list[int], exact_size: bool) -> None:
    pairs = -np.ones((6, 6)) + np.eye(6)
    best = solve_exact(SelectionProblem(order, np.full(6, 7.0), pairs, size=2, exact=exact_size))
    assert set(best.ids) == {0, 1}
    same = diversity_problem(np.ones((6, 3)), np.full(6, 0.7), 2, 0.5, ids=[f"x{i + 8}" for i in order])
    assert set(solve_exact(same).ids) == {"x8", "x9"}


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1.0, 1e9])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_ties_are_judged_by_the_size_of_the_values(scale: float, offset: float) -> None:
    if scale < 1.0 and offset:
        offset = 1e-3  # the value itself must be able to show the difference
    problem = SelectionProblem([0, 1, 2], np.array([1.0, 2.0, 2.0]) * scale, size=1, offset=offset)
    assert solve_exact(problem).ids == (1,)


def test_a_hopeless_item_does_not_blur_the_others() -> None:
    problem = SelectionProblem([0, 1, 2], [1.0, 1.0 + 1e-6, -1e6], size=1)
    assert solve_exact(problem).ids == (1,)


def test_the_clock_stops_the_search_without_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    matrix = np.triu(rng.normal(size=(60, 60)), 1)
    problem = SelectionProblem(range(60), rng.normal(size=60), matrix + matrix.T, size=30)
    best = solve_exact(problem, seconds=0.05)
    assert not best.proven
    assert best.feasible
    assert best.value > 0
    assert solve_exact(problem.replaced(size=2), seconds=60).proven


def test_a_pool_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MAX_ITEMS", 3)
    with pytest.raises(TooLarge, match=r"found: 4 items; allowed: <= 3"):
        solve_exact(SelectionProblem(range(4), np.ones(4)))


def test_nothing_is_changed() -> None:
    problem = SelectionProblem(range(4), [1, 2, 3, 4], SparsePairs([0], [1], [2.0], 4), size=2, pinned=[0])
    before = problem.digest
    solve_exact(problem)
    assert SelectionProblem.from_dict(problem.to_dict()).digest == before


CHECKED = """
import numpy as np
from isingrag.solvers.branch_bound import SearchArrays, search

cases = [
    ([2, 5, 4, 6, -2, 0, 0],
     {(0, 2): -3, (0, 4): 4, (0, 5): -1, (0, 6): 5, (1, 2): -4, (3, 4): 5, (3, 5): 2, (4, 6): -3},
     [1, 0, 1, 0, 1, 1, 1], 10, 2),
    ([3, 2, 5, 6, 5], {(0, 1): -3, (0, 2): -3, (0, 3): -4, (0, 4): 1, (1, 3): 1, (2, 3): -5, (3, 4): -7},
     [1, 1, 0, 1, 0], 6, 2),
]
for linear, pairs, members, reward, size in cases:
    n = len(linear)
    matrix = np.zeros((n, n))
    for (i, k), v in pairs.items():
        matrix[i, k] = matrix[k, i] = v
    cost = np.zeros(n + 1)
    cost[size + 1:] = np.inf
    best = -np.inf
    for b in range(2**n):
        x = (b >> np.arange(n)) & 1
        if x.sum() <= size:
            best = max(best, np.dot(linear, x) + x @ matrix @ x / 2 + reward * bool(np.dot(members, x)))
    result = search(SearchArrays(
        np.array(linear, float), matrix, np.array([members]), np.array([[0.0, reward, reward]]), cost,
        np.zeros(n), np.inf, np.zeros((0, n), bool), np.zeros(0, np.int64)))
    assert result.proven and abs(result.value - best) < 1e-9, (result, best)
print("good")
"""


def test_a_node_whose_candidates_all_fail_is_left() -> None:
    """Run without compilation, where a position of -1 or a negative length is seen."""
    found = subprocess.run(
        [sys.executable, "-c", CHECKED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert found.stdout.strip() == "good", found.stderr
