"""model_ground_state against every state of small models, at sufficient and at far too small weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.errors import InputError
from isingrag.formulate import apply_penalties, encode_paper
from isingrag.problem import GroupLimit, SelectionProblem
from isingrag.solvers.exact_ising import ground_states
from isingrag.solvers.exact_model import model_ground_state
from isingrag.testing.strategies import selection_problems

SMALL = selection_problems(max_items=4, max_coverage=3, budgets=False, groups=False, pins=False)
WEIGHT = st.sampled_from([0.0, 0.05, 0.25, 1.0, 2.5, 8.0, 50.0])


def implied_once(problem: SelectionProblem) -> bool:
    parents = [t.implies for t in problem.coverage if t.implies is not None]
    return len(parents) == len(set(parents))


@settings(max_examples=150, deadline=None)
@given(SMALL, WEIGHT, WEIGHT, WEIGHT, WEIGHT)
def test_the_ground_state_at_any_weights(problem: SelectionProblem, k: float, p: float, d: float, h: float) -> None:
    encoding = encode_paper(problem)
    weights = {"lambda_K": k, "lambda_P": p, "lambda_D": d, "lambda_H": h}
    model, _ = apply_penalties(encoding.model, problem, weights)
    assert implied_once(problem)
    if model.count > 18:
        return
    ground = ground_states(model.quadratic, limit=10**6)
    found = model_ground_state(model)
    assert found.proven
    assert found.energy == pytest.approx(ground.energy, abs=1e-8)
    assert (model.item_masks(ground.states) == found.mask).all(axis=1).any()


def test_other_rows_are_refused() -> None:
    problem = SelectionProblem([0, 1], [1, 2], groups=[GroupLimit("g", [0, 1], 1)])
    model, _ = apply_penalties(encode_paper(problem).model, problem, "sufficient")
    with pytest.raises(InputError, match=r"row of another kind; found: lambda_G; where: group\[g\]"):
        model_ground_state(model)


def test_too_small_a_size_penalty_gives_more_items() -> None:
    """L15: at weight 1 the ground state holds two or three items."""
    problem = SelectionProblem(range(4), [5.0, 4.0, 3.0, 2.0], size=1, exact=True)
    model, facts = apply_penalties(encode_paper(problem).model, problem, {"lambda_K": 1.0})
    found = model_ground_state(model)
    assert found.energy == pytest.approx(-8.0)
    assert int(np.sum(found.mask)) in (2, 3)
    assert facts["below_bound"] == ["lambda_K"]
