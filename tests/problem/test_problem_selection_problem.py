"""SelectionProblem: refusals, value and violations, storages, reduction, JSON."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.common.files import canonical_json
from isingrag.errors import InputError
from isingrag.problem import (
    CoverageTerm,
    DensePairs,
    GroupLimit,
    LowRankPairs,
    Selection,
    SelectionProblem,
    SparsePairs,
    diversity_problem,
)
from isingrag.problem.pairs import pairs_from_dict
from isingrag.problem.reduce import reduce_problem
from isingrag.solvers.exact import solve_exact
from isingrag.testing.problems import all_masks, brute_force, known_problems
from isingrag.testing.strategies import quarter_numbers, selection_problems

ABC = ["a", "b", "c"]
NAN, INF = float("nan"), float("inf")


# -- refusals ----------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"linear": [0.9, NAN, 0.4]}, r"linear .*not finite; found: nan; .*where: linear\[1\]"),
    ({"linear": [0.9, INF, 0.4]}, r"linear .*not finite; found: inf; .*where: linear\[1\]"),
    ({"linear": [0.9, 0.4, -INF]}, r"linear .*not finite; found: -inf; .*where: linear\[2\]"),
    ({"linear": [1, 2]}, r"linear has the wrong shape; found: \(2,\); allowed: \(3,\)"),
    ({"ids": ["a", "b", "a"]}, r"ids holds a duplicate id; found: 'a'; allowed: unique ids; where: ids\[0\] and ids"),
    ({"pairs": np.full((3, 3), NAN)}, r"pairs holds .*not finite.*where: pairs\[\(0, 0\)\]"),
    ({"pairs": [[0, INF, 0], [INF, 0, 0], [0, 0, 0]]}, r"pairs holds .*not finite.*where: pairs\[\(0, 1\)\]"),
    ({"pairs": [[0, 1, 0], [2, 0, 0], [0, 0, 0]]}, r"pairs is not symmetric.*where: pairs\[0, 1\]"),
    ({"pairs": np.eye(3)}, r"pairs has a diagonal that is not zero.*where: pairs\[0, 0\]"),
    ({"pairs": np.zeros((2, 2))}, r"pairs has the wrong shape; found: \(2, 2\); allowed: \(3, 3\)"),
    ({"pairs": np.zeros((3, 2))}, r"pairs has the wrong shape; found: \(3, 2\)"),
    ({"pairs": SparsePairs([0], [1], [1.0], 2)}, r"pairs has the wrong size; found: 2; allowed: 3"),
    ({"size": 0}, r"size is out of bounds; found: 0; allowed: >= 1; where: size"),
    ({"size": -1}, r"size is out of bounds; found: -1; allowed: >= 1"),
    ({"size": True}, r"size is not a whole number; found: True; allowed: an integer"),
    ({"size": 2.5}, r"size is not a whole number; found: 2.5"),
    ({"exact": True}, r"exact needs a size"),
    ({"tokens": [1, 2, 3]}, r"tokens and budget go together"),
    ({"budget": 3}, r"tokens and budget go together"),
    ({"tokens": [1, -2, 3], "budget": 3}, r"tokens holds a value below 0; found: -2.*where: tokens\[1\]"),
    ({"tokens": [1, NAN, 3], "budget": 3}, r"tokens .*not finite.*where: tokens\[1\]"),
    ({"tokens": [1, 2, 3], "budget": NAN}, r"budget is out of bounds; found: nan"),
    ({"tokens": [1, 2, 3], "budget": INF}, r"budget is out of bounds; found: inf"),
    ({"tokens": [1, 2, 3], "budget": -1}, r"budget is out of bounds; found: -1"),
    ({"offset": NAN}, r"offset is out of bounds; found: nan"),
    (
        {"coverage": [CoverageTerm("p", [3], 1.0)]},
        r"coverage names a position .*found: 3; allowed: 0..2.*coverage\[0\]",
    ),
    ({"coverage": [CoverageTerm("p", [-1], 1.0)]}, r"coverage names a position .*found: -1"),
    (
        {"coverage": [CoverageTerm("p", [0], 1.0), CoverageTerm("p", [1], 1.0)]},
        r"coverage holds a label twice; found: 'p'; .*where: coverage\[1\]",
    ),
    (
        {"coverage": [CoverageTerm("p", [0], 1.0), CoverageTerm("d", [1], 1.0, implies=0)]},
        r"a coverage term implies one that it can't; found: 0; .*where: coverage\[1\].implies",
    ),
    ({"coverage": [CoverageTerm("p", [0], 1.0, implies=0)]}, r"implies one that it can't"),
    ({"groups": [GroupLimit("g", [0, 7], 1)]}, r"groups names a position .*found: 7"),
    ({"pinned": ["z"]}, r"pinned names an unknown id; found: 'z'; .*where: pinned\[0\]"),
    ({"forbidden": ["a", "z"]}, r"forbidden names an unknown id; found: 'z'; .*where: forbidden\[1\]"),
    ({"pinned": ["a"], "forbidden": ["a"]}, r"an item is pinned and forbidden; found: 'a'"),
    ({"pinned": ["a", "b"], "size": 1}, r"the pins are impossible; found: size: 2 found, 1 allowed; .*where: pinned"),
    ({"pinned": ["a"], "tokens": [5, 1, 1], "budget": 4}, r"pins are impossible; found: budget: 5 found, 4 allowed"),
    (
        {"pinned": ["a", "c"], "groups": [GroupLimit("Berlin", [0, 2], 1)]},
        r"pins are impossible; found: group\[Berlin\]: 2 found, 1 allowed",
    ),
    (
        {"forbidden": ["a", "b"], "size": 2, "exact": True},
        r"too few items may be selected; found: 1; allowed: >= size 2",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_refusals_name_the_field_the_index_and_the_rule(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"ids": ABC, "linear": [1.0, 2.0, 3.0], **change}
    with pytest.raises(InputError, match=message):
        SelectionProblem(**arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CoverageTerm("p", [0], -1.0), r"coverage\[p\].reward is out of bounds; found: -1.0"),
        (lambda: CoverageTerm("p", [0], NAN), r"coverage\[p\].reward is out of bounds; found: nan"),
        (lambda: CoverageTerm("p", [0.5], 1.0), r"coverage\[p\].items holds a position that is not whole; found: 0.5"),
        (lambda: CoverageTerm("p", [True, False], 1.0), r"coverage\[p\].items holds no positions; found: bool"),
        (lambda: CoverageTerm("p", [0], 1.0, implies=0.5), r"coverage\[p\].implies is not a whole number"),  # type: ignore[arg-type]
        (lambda: GroupLimit("g", [0], -1), r"group\[g\].at_most is out of bounds; found: -1"),
        (lambda: GroupLimit("g", [0], True), r"group\[g\].at_most is not a whole number"),
        (lambda: SparsePairs([0], [0], [1.0], 3), r"two different positions in 0..2; where: pairs\[0\]"),
        (lambda: SparsePairs([0], [3], [1.0], 3), r"not allowed; found: \(0, 3\)"),
        (lambda: SparsePairs([0, 1], [1, 0], [1.0, 2.0], 3), r"a pair is listed twice; found: \(0, 1\)"),
        (lambda: SparsePairs([0], [1, 2], [1.0], 3), r"pairs.rows and pairs.columns differ in length"),
        (lambda: SparsePairs([0], [1], [NAN], 3), r"pairs.values .*not finite.*pairs.values\[0\]"),
        (lambda: LowRankPairs([[NAN, 1.0]], 1.0), r"pairs.vectors .*not finite.*pairs.vectors\[\(0, 0\)\]"),
        (lambda: LowRankPairs([[1.0]], INF), r"pairs.weight is out of bounds"),
    ],
)
def test_refusals_of_the_parts(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    "mask", [np.array([0, 2, 1]), np.array([0.5, 0, 0]), np.array([NAN, 0, 0]), np.array([-1, 1, 1])]
)
def test_a_mask_holds_zeros_and_ones_only(mask: np.ndarray[Any, Any]) -> None:
    with pytest.raises(InputError, match="a mask holds a value that is not 0 or 1"):
        SelectionProblem(ABC, [1, 2, 3]).value(mask)


def test_a_mask_has_one_place_an_item_and_ids_are_known() -> None:
    problem = SelectionProblem(ABC, [1, 2, 3])
    with pytest.raises(InputError, match=r"a mask has the wrong shape; found: \(1, 2\)"):
        problem.value(np.array([1, 0]))
    with pytest.raises(InputError, match=r"a mask has the wrong shape; found: \(1, 3\)"):
        problem.value(np.array([[1, 0, 1]]))
    with pytest.raises(InputError, match="a selected id is not in the problem; found: 'z'"):
        problem.violations(["a", "z"])


# -- obvious answers ---------------------------------------------------------------------------


@pytest.mark.parametrize("exact", [False, True])
def test_an_empty_pool_has_the_empty_answer(exact: bool) -> None:
    problem = SelectionProblem([], [], size=3, exact=exact)
    for one in (problem, problem.replaced(), SelectionProblem.from_dict(problem.to_dict())):
        assert one == problem
        assert one.notes == ("size reduced to 0: there are no more candidates",)
        best = solve_exact(one)
        assert (best.ids, best.value, best.proven, best.feasible) == ((), 0.0, True, True)


def test_more_wanted_than_there_is_gives_all_with_a_note() -> None:
    problem = SelectionProblem(ABC, [1.0, 2.0, 3.0], size=5)
    best = solve_exact(problem)
    assert best.ids == ("a", "b", "c")
    assert best.notes == ("size reduced to 3: there are no more candidates",)
    assert problem.replaced().notes == problem.notes
    assert solve_exact(SelectionProblem(ABC, [1.0, 2.0, 3.0], size=3)).notes == ()


def test_nothing_fits_the_budget() -> None:
    best = solve_exact(SelectionProblem([0, 1], [1.0, 2.0], tokens=[120, 150], budget=100))
    assert (best.ids, best.value, best.feasible, best.proven) == ((), 0.0, True, True)


def test_fractions_that_sum_to_the_budget_fit() -> None:
    assert SelectionProblem([0, 1], [1, 1], tokens=[0.1, 0.2], budget=0.3).feasible([[1, 1]]).all()


# -- value and violations against plain Python -------------------------------------------------


def plain_value(problem: SelectionProblem, chosen: set[int]) -> float:
    matrix = problem.pairs.dense()
    total = problem.offset + sum(float(problem.linear[i]) for i in chosen)
    total += sum(float(matrix[i, k]) for i in chosen for k in chosen if i < k)
    return total + sum(t.reward for t in problem.coverage if chosen & set(t.items.tolist()))


def plain_violations(problem: SelectionProblem, chosen: set[int]) -> list[tuple[str, float, float]]:
    found: list[tuple[str, float, float]] = []
    count = len(chosen)
    if problem.size is not None and (count > problem.size or (problem.exact and count < problem.size)):
        found.append(("size", count, problem.size))
    if problem.tokens is not None and problem.budget is not None:
        used = sum(float(problem.tokens[i]) for i in chosen)
        if used > problem.budget:
            found.append(("budget", used, problem.budget))
    for group in problem.groups:
        inside = len(chosen & set(group.items.tolist()))
        if inside > group.at_most:
            found.append((f"group[{group.label}]", inside, group.at_most))
    found += [(f"pinned[{problem.ids[i]}]", 0, 1) for i in problem.pinned if i not in chosen]
    return found + [(f"forbidden[{problem.ids[i]}]", 1, 0) for i in problem.forbidden if i in chosen]


@settings(max_examples=150, deadline=None)
@given(selection_problems())
def test_value_and_violations_agree_with_plain_python(problem: SelectionProblem) -> None:
    masks = all_masks(problem.count)
    values, feasible = problem.values(masks), problem.feasible(masks)
    for mask, value, good in zip(masks[::3], values[::3], feasible[::3], strict=True):
        chosen = {int(i) for i in np.flatnonzero(mask)}
        ids = [problem.ids[i] for i in chosen]
        assert value == pytest.approx(plain_value(problem, chosen), abs=1e-9)
        assert problem.value(ids) == problem.value(mask) == problem.value(mask.astype(int))
        violations = [(v.label, v.found, v.allowed) for v in problem.violations(ids)]
        assert violations == plain_violations(problem, chosen)
        assert good == (not violations)
        selection = problem.selection(mask)
        assert set(selection.ids) == set(ids)
        assert selection.feasible == good
        assert Selection.from_dict(json.loads(canonical_json(selection.to_dict()))) == selection


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 7))
def test_three_storages_agree(data: st.DataObject, n: int) -> None:
    vectors = np.array(
        data.draw(st.lists(st.tuples(quarter_numbers(), quarter_numbers()), min_size=n, max_size=n)), dtype=float
    ).reshape(n, 2)
    weight = data.draw(quarter_numbers())
    matrix = -2.0 * weight * vectors @ vectors.T
    np.fill_diagonal(matrix, 0.0)
    rows, columns = np.triu_indices(n, 1)
    storages = [LowRankPairs(vectors, weight), DensePairs(matrix), SparsePairs(columns, rows, matrix[rows, columns], n)]
    masks = all_masks(n).astype(float)
    index = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)[: n // 2 + 1]
    for pairs in storages:
        assert np.allclose(pairs.dense(), matrix, atol=1e-12)
        assert np.allclose(pairs.dot(masks), masks @ matrix, atol=1e-9)
        expected = [sum(matrix[i, k] for i in range(n) for k in range(i) if m[i] and m[k]) for m in masks]
        assert np.allclose(pairs.value(masks), expected, atol=1e-9)
        assert np.allclose(pairs.take(index).dense(), matrix[np.ix_(index, index)], atol=1e-12)
        again = pairs_from_dict(json.loads(canonical_json(pairs.to_dict())), n)
        assert type(again) is type(pairs)
        assert np.array_equal(again.dense(), pairs.dense())
    assert SelectionProblem(range(n), np.zeros(n), storages[1]) == SelectionProblem(range(n), np.zeros(n), storages[2])


@settings(max_examples=80, deadline=None)
@given(selection_problems())
def test_json_reads_back_to_an_equal_problem(problem: SelectionProblem) -> None:
    other = SelectionProblem.from_dict(json.loads(canonical_json(problem.to_dict())))
    assert other == problem
    assert other.notes == problem.notes
    assert canonical_json(other.to_dict()) == canonical_json(problem.to_dict())


def test_replaced_refuses_unknown_arguments() -> None:
    with pytest.raises(InputError, match="unknown option; found: sise; allowed: nearest: size"):
        SelectionProblem(ABC, [1, 2, 3]).replaced(sise=2)


# -- reduction ---------------------------------------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(selection_problems(), st.data())
def test_a_reduced_problem_has_the_full_one_s_values(problem: SelectionProblem, data: st.DataObject) -> None:
    free = [i for i in range(problem.count) if i not in (*problem.pinned, *problem.forbidden)]
    fixed = data.draw(st.lists(st.sampled_from(free), unique=True, max_size=3)) if free else []
    include = [i for i in fixed if data.draw(st.booleans())]
    exclude = [i for i in fixed if i not in include]
    before = problem.digest
    try:
        reduced = reduce_problem(problem, include, exclude)
    except InputError:
        masks = all_masks(problem.count)
        masks = masks[problem.feasible(masks)]
        assert not (masks[:, include].all(axis=1) & ~masks[:, exclude].any(axis=1)).any()
        return
    masks = all_masks(reduced.problem.count)
    full = reduced.expand(masks)
    assert full[:, [*include, *problem.pinned]].all()
    assert not full[:, [*exclude, *problem.forbidden]].any()
    assert np.allclose(problem.values(full), reduced.problem.values(masks), atol=1e-9)
    assert np.array_equal(problem.feasible(full), reduced.problem.feasible(masks))
    assert problem.digest == before


def test_reduction_refuses_a_contradiction() -> None:
    problem = SelectionProblem(ABC, [1, 2, 3], size=1)
    with pytest.raises(InputError, match="fixed in and out; found: 'a'"):
        reduce_problem(problem, [0], [0])
    with pytest.raises(InputError, match="the fixed items break a limit; found: size: 2 found, 1 allowed"):
        reduce_problem(problem, [0, 1])
    with pytest.raises(InputError, match="too few items are left for the exact size; found: 1; allowed: >= 2"):
        reduce_problem(problem.replaced(size=2, exact=True), [], [0, 1])


# -- diversity ---------------------------------------------------------------------------------


def test_diversity_value_is_the_published_objective() -> None:
    rng = np.random.default_rng(3)
    vectors, c = rng.normal(size=(7, 4)), rng.random(7)
    problem = diversity_problem(vectors, c, 3, 0.7)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for mask in all_masks(7):
        x = mask.astype(float)
        assert problem.value(mask) == pytest.approx(
            0.7 * 2 * c @ x + 0.3 * x @ (np.eye(7) - unit @ unit.T) @ x, abs=1e-9
        )
    assert (problem.size, problem.exact) == (3, True)


def test_diversity_optimum_beats_greedy() -> None:
    angles = np.deg2rad([-10, -25, -35, 0, -45, 80])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    best = solve_exact(diversity_problem(vectors, vectors[:, 0], 3, 0.5))
    assert best.ids == (2, 4, 5)
    assert best.value == pytest.approx(1.7113, abs=5e-5)


def test_diversity_notes() -> None:
    single = diversity_problem([[1.0, 0.0], [0.0, 0.0]], [0.2, 0.9], 1, 0.5)
    assert solve_exact(single).ids == (1,)
    assert any("k = 1" in note for note in single.notes)
    assert any("zero embedding rows (first: 1)" in note for note in single.notes)
    assert "size reduced to 2: there are no more candidates" in diversity_problem(np.eye(2), [1, 1], 5, 0.5).notes


@pytest.mark.parametrize("k", [0, -1, 2.5, True])
def test_diversity_refuses_a_size_below_one(k: Any) -> None:
    with pytest.raises(InputError, match=r"^k is"):
        diversity_problem(np.eye(3), [1, 1, 1], k, 0.5)


# -- known optima ------------------------------------------------------------------------------


@pytest.mark.parametrize("known", known_problems(), ids=lambda known: known.name)
def test_known_optima(known: Any) -> None:
    value, masks = brute_force(known.problem)
    assert value == pytest.approx(known.value, abs=1e-12)
    assert [known.problem.selection(mask).ids for mask in masks] == [known.ids]
    best = solve_exact(known.problem)
    assert (best.ids, best.proven) == (known.ids, True)
