"""Model and constraints: penalties, labels, tolerance, masks."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings

from isingrag.common.files import canonical_json
from isingrag.errors import InputError
from isingrag.formulate import apply_penalties, encode_paper
from isingrag.model import Constraint, Model, Quadratic
from isingrag.problem import SelectionProblem
from isingrag.testing.problems import all_masks
from isingrag.testing.strategies import selection_problems


def model_of(constraints: list[Constraint]) -> Model:
    objective = Quadratic("BINARY", ["a", "b", "c"], [-2.0, 0.0, 0.0])
    return Model(objective, ["item"] * 3, [0, 1, 2], 3, constraints)


def test_repeated_labels_are_refused_and_others_are_told_apart() -> None:
    """L01: with labels of their own, the first is broken by 1 and the second kept."""
    first = Constraint("pick1", "lambda_K", [0, 1], [1, 1], -1.0)
    second = Constraint("pick2", "lambda_K", [1, 2], [1, 1], -2.0)
    model = model_of([first, second])
    ones = np.ones((1, 3))
    assert [c.residual(ones)[0] for c in model.constraints] == [1.0, 0.0]
    assert [bool(c.broken(ones)[0]) for c in model.constraints] == [True, False]
    with pytest.raises(InputError, match="a constraint label repeats; found: 'pick1'"):
        model_of([first, Constraint("pick1", "lambda_K", [1, 2], [1, 1], -2.0)])


def test_rounding_breaks_no_constraint() -> None:
    """L02"""
    row = Constraint("budget", "lambda_B", [0, 1, 2], [0.7, 0.1, 0.2], -1.0)
    assert not row.broken(np.ones((1, 3)))[0]
    assert row.broken(np.array([[1, 1, 0]]))[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [float("nan")], 0.0), r"constraint\[c\].coefficients .*not finite"),
        (([0], [1.0, 2.0], 0.0), r"constraint\[c\].coefficients has the wrong shape"),
        (([0], [1.0], float("inf")), r"constraint\[c\].constant is out of bounds"),
        (([0], [1.0], 0.0, -1.0), r"constraint\[c\].penalty is out of bounds; found: -1"),
    ],
)
def test_constraints_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Constraint("c", "lambda_K", *arguments)  # type: ignore[arg-type]


def test_models_are_refused() -> None:
    with pytest.raises(InputError, match="a model is BINARY; found: SPIN"):
        Model(Quadratic("SPIN", ["a"], [0]), ["item"], [0], 1)
    with pytest.raises(InputError, match="roles, items and variables differ in number"):
        Model(Quadratic("BINARY", ["a"], [0]), ["item", "item"], [0], 1)


@settings(max_examples=60, deadline=None)
@given(selection_problems(max_items=4, max_coverage=2, pins=False))
def test_energy_is_objective_plus_weighted_squares(problem: SelectionProblem) -> None:
    model, _ = apply_penalties(encode_paper(problem).model, problem, "reference")
    rng = np.random.default_rng(0)
    states = rng.integers(0, 2, (20, model.count))
    expected = model.objective.energies(states) + sum(
        (c.penalty * c.residual(states) ** 2 for c in model.constraints), np.zeros(20)
    )
    assert np.allclose(model.energies(states), expected, atol=1e-6)
    assert np.array_equal(model.item_masks(states), states[:, : problem.count].astype(bool))
    other = Model.from_dict(json.loads(canonical_json(model.to_dict())))
    assert other == model
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again == model
    assert np.array_equal(again.energies(states), model.energies(states))


def test_items_without_a_variable_stay_out() -> None:
    model = Model(Quadratic("BINARY", ["a", "s"], [0, 0]), ["item", "slack"], [2, -1], 4)
    assert model.item_masks(all_masks(2)).tolist() == [
        [False] * 4,
        [False, False, True, False],
        [False] * 4,
        [False, False, True, False],
    ]
