"""Penalty rules: exact thresholds, and a ground state that is an optimum."""

import numpy as np
import pytest
from hypothesis import given, settings

from isingrag.errors import InputError, UnknownName
from isingrag.formulate import REFERENCE, apply_penalties, encode_paper, sufficient_bounds
from isingrag.formulate.penalties import MARGIN
from isingrag.model import Model
from isingrag.problem import CoverageTerm, SelectionProblem
from isingrag.solvers.exact_ising import ground_states
from isingrag.testing.problems import brute_force
from isingrag.testing.strategies import selection_problems


def exactly(relevance: list[float], redundancy: float, k: int) -> SelectionProblem:
    n = len(relevance)
    return SelectionProblem(range(n), relevance, -redundancy * (np.ones((n, n)) - np.eye(n)), size=k, exact=True)


def weigh(problem: SelectionProblem, penalties: object = "sufficient") -> Model:
    return apply_penalties(encode_paper(problem).model, problem, penalties)[0]  # type: ignore[arg-type]


CASES = [  # problem, exact threshold: L15, L16, L17 (four sizes), L18
    (exactly([5, 4, 3, 2], 0.0, 1), 4.0),
    (exactly([0.2] * 3, 3.0, 2), 2.8),
    (exactly([0.1] * 6, 1.0, 2), 0.9),
    (exactly([0.1] * 6, 1.0, 3), 1.9),
    (exactly([0.1] * 6, 1.0, 4), 2.9),
    (exactly([0.1] * 6, 1.0, 5), 3.9),
    (exactly([0.10, 0.09, 0.08, 0.07], 0.0, 2), 0.08),
]


@pytest.mark.parametrize(("problem", "threshold"), CASES)
def test_bounds_are_above_the_exact_thresholds_and_near_them(problem: SelectionProblem, threshold: float) -> None:
    bound = sufficient_bounds(problem)["lambda_K"]
    assert threshold - 1e-12 <= bound <= 1.5 * threshold


@pytest.mark.parametrize(("problem", "threshold"), CASES)
def test_the_thresholds_are_thresholds(problem: SelectionProblem, threshold: float) -> None:
    for weight, holds in ((0.98 * threshold, False), (1.02 * threshold, True)):
        model = weigh(problem, {"lambda_K": weight})
        counts = model.item_masks(ground_states(model.quadratic).states).sum(axis=1)
        assert bool((counts == problem.size).all()) == holds


def test_sufficient_weights_exceed_their_bounds_by_the_margin() -> None:
    problem = exactly([5, 4, 3, 2], 1.0, 2).replaced(coverage=[CoverageTerm("p", [0, 1], 2.5)])
    model, facts = apply_penalties(encode_paper(problem).model, problem, "sufficient")
    bounds = sufficient_bounds(problem)
    assert MARGIN > 1
    assert facts["rule"] == "sufficient"
    assert facts["weights"] == {k: MARGIN * bounds[k] for k in ("lambda_K", "lambda_P")}
    assert facts["bounds"] == {k: bounds[k] for k in ("lambda_K", "lambda_P")}
    for c in model.constraints:
        assert (c.penalty, c.rule, c.bound) == (MARGIN * bounds[c.kind], "sufficient", bounds[c.kind])


def test_reference_weights_and_what_is_below_its_bound() -> None:
    problem = exactly([50, 4, 3, 2], 0.0, 1)
    model, facts = apply_penalties(encode_paper(problem).model, problem, "reference")
    assert [c.penalty for c in model.constraints] == [REFERENCE["lambda_K"]] == [40.0]
    assert facts["below_bound"] == ["lambda_K"]
    assert {k: v for k, v in REFERENCE.items() if k != "lambda_K"} == dict.fromkeys(
        ["lambda_P", "lambda_D", "lambda_H", "lambda_B", "lambda_G"], 20.0
    )


def test_rules_and_kinds_that_are_not_known() -> None:
    problem = exactly([1, 2], 0.0, 1)
    with pytest.raises(UnknownName, match="unknown penalty rule; found: 'sufficent'; allowed: nearest: sufficient"):
        weigh(problem, "sufficent")
    with pytest.raises(InputError, match="unknown penalty kind; found: lambda_Q"):
        weigh(problem, {"lambda_Q": 1.0})
    with pytest.raises(InputError, match=r"penalties\[lambda_K\] is out of bounds; found: nan"):
        weigh(problem, {"lambda_K": float("nan")})
    with pytest.raises(InputError, match=r"penalties\[lambda_K\] is out of bounds; found: -1"):
        weigh(problem, {"lambda_K": -1.0})


def test_an_unused_budget_costs_nothing() -> None:
    """L20"""
    problem = SelectionProblem(range(3), [1.0, 0.3, -0.2], tokens=[40, 30, 30], budget=100)
    model = weigh(problem)
    found = ground_states(model.quadratic)
    assert (model.item_masks(found.states) == [True, True, False]).all()
    assert found.energy == pytest.approx(-1.3)


@settings(max_examples=200, deadline=None)
@given(selection_problems(max_items=5, max_coverage=2, pins=False))
def test_with_sufficient_weights_every_ground_state_is_an_optimum(problem: SelectionProblem) -> None:
    model = weigh(problem)
    value, masks = brute_force(problem)
    if model.count > 18 or not masks:
        return
    found = ground_states(model.quadratic, limit=10**5)
    chosen = model.item_masks(found.states)
    assert found.energy == pytest.approx(-value, abs=1e-7)
    assert problem.feasible(chosen).all()
    assert np.allclose(problem.values(chosen), value, atol=1e-7)
