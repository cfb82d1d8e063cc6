"""The symbolic rendering equals the arrays; users' terms are folded back."""

import string
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyqubo import Binary, Constraint, Num, Placeholder, Spin

from isingrag.errors import InputError
from isingrag.formulate import PENALTY_KINDS, add_terms, encode_paper, fold, is_expression, symbolic
from isingrag.formulate.symbolic import polynomial
from isingrag.model import Model, Quadratic
from isingrag.problem import CoverageTerm, SelectionProblem
from isingrag.testing.problems import all_masks
from isingrag.testing.strategies import selection_problems

PROBLEM = SelectionProblem(
    ["a", "b", "c"],
    [1.0, 2.0, 3.0],
    [[0, 1, 0], [1, 0, -2], [0, -2, 0]],
    [CoverageTerm("p", [0, 1], 1.5)],
    size=2,
)
A, B, C = (Binary(f"x[{id_}]") for id_ in "abc")


def coefficients(form: Quadratic) -> dict[frozenset[str], float]:
    found = {frozenset([name]): float(v) for name, v in zip(form.names, form.linear, strict=True)}
    for i, k, v in zip(form.rows, form.columns, form.values, strict=True):
        found[frozenset([form.names[i], form.names[k]])] = float(v)
    return found


def compiled(expression: Any, values: Mapping[str, float]) -> tuple[dict[frozenset[str], float], float]:
    qubo, offset = expression.compile().to_qubo(feed_dict=dict(values))
    found: dict[frozenset[str], float] = {}
    for pair, value in qubo.items():
        found[frozenset(pair)] = found.get(frozenset(pair), 0.0) + value
    return found, offset


@settings(max_examples=60, deadline=None)
@given(
    selection_problems(max_items=4, max_coverage=2, pins=False),
    st.lists(st.floats(0.0, 50.0, width=32), min_size=6, max_size=6),
)
def test_symbols_and_arrays_agree_coefficient_by_coefficient(problem: SelectionProblem, weights: list[float]) -> None:
    values = dict(zip(PENALTY_KINDS, weights, strict=True))
    model = encode_paper(problem).model
    model = model.with_constraints([c.weighted(values[c.kind], "test", None) for c in model.constraints])
    arrays = coefficients(model.quadratic)
    symbols, offset = compiled(symbolic(problem), values)
    for pair in {*arrays, *symbols}:
        assert symbols.get(pair, 0.0) == pytest.approx(arrays.get(pair, 0.0), rel=1e-9, abs=1e-7)
    assert offset == pytest.approx(model.quadratic.offset, rel=1e-9, abs=1e-7)


@settings(max_examples=40, deadline=None)
@given(selection_problems(max_items=4, max_coverage=2))
def test_an_unchanged_expression_folds_to_the_same_problem(problem: SelectionProblem) -> None:
    folded = fold(symbolic(problem), problem, {})
    assert folded.extra is None
    masks = all_masks(problem.count)
    assert np.allclose(folded.problem.values(masks), problem.values(masks), atol=1e-9)
    assert (folded.problem.pinned, folded.problem.forbidden) == (problem.pinned, problem.forbidden)


def test_linear_pair_and_constant_terms_become_part_of_the_problem() -> None:
    folded = fold(symbolic(PROBLEM) + 0.5 * A - 2.0 * A * C + 3.0 * B * B + 7.0, PROBLEM, {})
    assert folded.extra is None
    for mask in all_masks(3):
        a, b, c = (float(v) for v in mask)
        added = 0.5 * a - 2.0 * a * c + 3.0 * b + 7.0  # energies: minus the value
        assert folded.problem.value(mask) == pytest.approx(PROBLEM.value(mask) - added)
    assert folded.problem.coverage == PROBLEM.coverage
    assert folded.problem.size == 2


def test_x_times_x_is_x() -> None:
    """L09: 3a + 2a*a - 4ab has energies 0, 5, 0, 1."""
    folded = fold(symbolic(PROBLEM) + 3 * A + 2 * A * A - 4 * A * B, PROBLEM, {})
    masks = all_masks(3)[:4]
    assert np.allclose(PROBLEM.values(masks) - folded.problem.values(masks), [0, 5, 0, 1])


def test_a_users_placeholder_takes_its_parameter() -> None:
    expression = symbolic(PROBLEM) + Placeholder("strength") * A * B
    folded = fold(expression, PROBLEM, {"strength": 2.5})
    assert folded.problem.value(["a", "b"]) == pytest.approx(PROBLEM.value(["a", "b"]) - 2.5)
    with pytest.raises(InputError, match="a placeholder has no value; found: strength; allowed: parameters="):
        fold(expression, PROBLEM, {})
    with pytest.raises(InputError, match=r"parameters\[strength\] is out of bounds; found: nan"):
        fold(expression, PROBLEM, {"strength": float("nan")})


def test_repeated_labels_are_refused() -> None:
    """L01"""
    twice = Constraint((Num(0.0) + A + B - 1) ** 2, "pick") + Constraint((Num(0.0) + B + C - 2) ** 2, "pick")
    with pytest.raises(InputError, match="a constraint label repeats; found: 'pick'"):
        fold(symbolic(PROBLEM) + twice, PROBLEM, {})
    with pytest.raises(InputError, match="a constraint label repeats; found: 'size'"):
        fold(symbolic(PROBLEM) + Constraint((Num(0.0) + A + B - 1) ** 2, "size"), PROBLEM, {})


def test_one_name_of_two_types_is_refused() -> None:
    """L03"""
    with pytest.raises(InputError, match="0/1 variable and as a spin; found: 'doc7'"):
        fold(symbolic(PROBLEM) + 2 * Binary("doc7") + 5 * Spin("doc7"), PROBLEM, {})
    with pytest.raises(InputError, match=r"0/1 variable and as a spin; found: 'x\[a\]'"):
        fold(symbolic(PROBLEM) + 5 * Spin("x[a]"), PROBLEM, {})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_coefficients_that_are_not_finite_are_refused(value: float) -> None:
    """L07: PyQUBO drops them without a word."""
    with pytest.raises(InputError, match=r"a coefficient is not finite; found: .*x\[b\]"):
        fold(symbolic(PROBLEM) + value * B, PROBLEM, {})


def test_names_may_hold_any_text() -> None:
    ids = ["Song (Live, 'B')", "O'Hara", "a' * Spin('b", "nan", "a * b"]
    problem = SelectionProblem(ids, [1, 2, 3, 4, 5], -np.ones((5, 5)) + np.eye(5), size=2)
    folded = fold(symbolic(problem) + 1.0 * Binary("x[O'Hara]") + 2.0 * Binary("x[nan]"), problem, {})
    assert folded.extra is None
    assert np.allclose(folded.problem.linear, [1, 1, 3, 2, 5])


def test_expressions_that_are_not_the_problems_own_are_refused() -> None:
    other = SelectionProblem(["a", "b", "c"], [1, 2, 3], size=2)
    for expression in (2 * symbolic(PROBLEM), symbolic(PROBLEM) + symbolic(PROBLEM), Num(0.0) + A, symbolic(other)):
        with pytest.raises(InputError, match=r"not symbolic\(problem\) plus terms|constraint label repeats"):
            fold(expression, PROBLEM, {})


def test_deep_sums_survive() -> None:
    """L06: one addition at a time, 20,000 deep."""
    total = Num(0.0) + Binary("y0")
    for i in range(1, 20_000):
        total = total + Binary(f"y{i}")
    found = polynomial(total, {})
    assert len(found.terms) == 20_000
    assert set(found.terms.values()) == {1.0}


def test_terms_that_cancel_leave_nothing() -> None:
    """L10, L14: written with the sum on the left."""
    u, v, w, z = (Binary(name) for name in "uvwz")
    assert dict(polynomial((u + v) - (u + v), {}).terms) == {}
    for sum_first in ((w + z) + 2 * u, (w + z) + u * v, (w + z) + (u + v) ** 2):
        assert polynomial(sum_first, {}).names
    folded = fold(symbolic(PROBLEM) + (A - A), PROBLEM, {})
    assert folded.problem == PROBLEM


def test_is_expression() -> None:
    assert is_expression(A)
    assert is_expression(symbolic(PROBLEM))
    assert not is_expression(PROBLEM)
    assert not is_expression("x")


# -- higher degree -----------------------------------------------------------------------------


def energies_of(expression: Any, problem: SelectionProblem) -> tuple[Model, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The model with the user's terms, all its states, their energies."""
    folded = fold(expression, problem, {})
    assert folded.extra is not None
    assert folded.problem == problem
    model = add_terms(encode_paper(problem).model, folded.extra)
    states = all_masks(model.count)
    return model, states, model.energies(states)


def test_a_cubic_term_keeps_its_optimum() -> None:
    """L04: -45abc + 14(a + b + c) is least, -3, at (1, 1, 1) only."""
    problem = SelectionProblem(["a", "b", "c"], [0, 0, 0])
    model, states, energies = energies_of(symbolic(problem) - 45 * A * B * C + 14 * A + 14 * B + 14 * C, problem)
    assert energies.min() == pytest.approx(-3.0)
    best = states[energies <= energies.min() + 1e-9]
    assert model.item_masks(best).tolist() == [[True, True, True]]
    assert model.roles.count("auxiliary") == 1


def test_a_term_that_cancels_its_gadget_is_not_lost() -> None:
    """PyQUBO puts -3ab on the product variable, whose reduction term is +3 at strength 1."""
    problem = SelectionProblem(["a", "b", "c"], [0, 0, 0])
    model, states, energies = energies_of(symbolic(problem) - 3 * A * B + A * B * C, problem)
    masks = model.item_masks(states)
    least = [float(energies[(masks == mask).all(axis=1)].min()) for mask in all_masks(3)]
    assert least == pytest.approx([0, 0, 0, -3, 0, 0, 0, -2])


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 4), min_size=1, max_size=4), st.integers(-20, 20).filter(bool)),
        min_size=1,
        max_size=5,
    )
)
def test_products_of_up_to_four_keep_every_energy(terms: list[tuple[set[int], int]]) -> None:
    problem = SelectionProblem(range(5), np.zeros(5))
    expression = symbolic(problem)
    for members, value in terms:
        product = Num(float(value))
        for i in sorted(members):
            product = product * Binary(f"x[{i}]")
        expression = expression + product
    folded = fold(expression, problem, {})
    if folded.extra is None:
        return
    model = add_terms(encode_paper(problem).model, folded.extra)
    states = all_masks(model.count)
    energies, masks = model.energies(states), model.item_masks(states)
    for mask in all_masks(5):
        wanted = sum(value for members, value in terms if mask[list(members)].all())
        assert energies[(masks == mask).all(axis=1)].min() == pytest.approx(wanted, abs=1e-6)


def test_terms_over_other_variables_stay_in_the_model() -> None:
    folded = fold(symbolic(PROBLEM) + 2.0 * A * Binary("mine") - Spin("spin"), PROBLEM, {})
    assert folded.problem == PROBLEM
    assert folded.extra is not None
    model = add_terms(encode_paper(PROBLEM).model, folded.extra)
    assert [n for n, role in zip(model.names, model.roles, strict=True) if role == "auxiliary"] == ["mine", "spin"]
    base = encode_paper(PROBLEM).model
    states = np.random.default_rng(0).integers(0, 2, (30, model.count))
    mine, spin = (states[:, model.names.index(name)] for name in ("mine", "spin"))
    expected = base.energies(states[:, : base.count]) + 2.0 * states[:, 0] * mine - (2 * spin - 1)
    assert np.allclose(model.energies(states), expected)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(string.printable, min_size=1, max_size=8), unique=True, min_size=1, max_size=3))
def test_any_ids_render_and_fold(ids: list[str]) -> None:
    problem = SelectionProblem(ids, np.arange(1.0, len(ids) + 1), size=1)
    assert fold(symbolic(problem), problem, {}).problem == problem
