"""Quadratic forms: energies, vartypes, dimod, refusals."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.common.files import canonical_json
from isingrag.errors import InputError
from isingrag.model import Quadratic, quadratic
from isingrag.testing.problems import all_masks
from isingrag.testing.strategies import quarter_numbers


@st.composite
def forms(draw: st.DrawFn, max_variables: int = 5) -> Quadratic:
    n = draw(st.integers(0, max_variables))
    pair = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max(n - 1, 0)), quarter_numbers())
    pairs = [p for p in draw(st.lists(pair, max_size=12)) if p[0] != p[1]]
    return Quadratic(
        draw(st.sampled_from(["BINARY", "SPIN"])),
        [f"v{i}" for i in range(n)],
        draw(st.lists(quarter_numbers(), min_size=n, max_size=n)),
        [p[0] for p in pairs],
        [p[1] for p in pairs],
        [p[2] for p in pairs],
        draw(quarter_numbers()),
    )


def states_of(form: Quadratic, vartype: str) -> np.ndarray[Any, Any]:
    bits = all_masks(form.count).astype(np.int64)
    return bits if vartype == "BINARY" else 2 * bits - 1


@settings(max_examples=100, deadline=None)
@given(forms())
def test_energies_are_the_sum_of_terms_in_every_form(form: Quadratic) -> None:
    states = states_of(form, form.vartype)
    expected = [
        form.offset
        + sum(float(a) * int(z) for a, z in zip(form.linear, state, strict=True))
        + sum(
            float(v) * int(state[i]) * int(state[k])
            for i, k, v in zip(form.rows, form.columns, form.values, strict=True)
        )
        for state in states
    ]
    assert np.allclose(form.energies(states), expected, atol=1e-12)
    for vartype in ("BINARY", "SPIN"):
        other = form.as_vartype(vartype)  # type: ignore[arg-type]
        assert np.allclose(other.energies(states_of(form, vartype)), expected, atol=1e-9)
    bqm = form.to_bqm()
    assert list(bqm.variables) == list(form.names)
    if form.count:
        assert np.allclose(bqm.energies((states, list(form.names))), expected, atol=1e-9)
    assert Quadratic.from_bqm(bqm) == form
    assert Quadratic.from_dict(json.loads(canonical_json(form.to_dict()))) == form
    assert np.allclose(form.scaled(-0.5).energies(states), -0.5 * np.array(expected), atol=1e-12)
    assert np.allclose(form.plus(form).energies(states), 2 * np.array(expected), atol=1e-12)
    assert (form.rows < form.columns).all()
    assert (form.values != 0).all()


def test_large_forms_are_summed_term_by_term(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    form = Quadratic("SPIN", ["a", "b", "c"], rng.normal(size=3), [0, 1], [1, 2], rng.normal(size=2), 0.5)
    states = states_of(form, "SPIN")
    expected = form.energies(states)
    monkeypatch.setattr(quadratic, "DENSE_LIMIT", 2)
    assert np.allclose(form.energies(states), expected)


def test_repeated_pairs_add_and_cancel() -> None:
    form = Quadratic("BINARY", ["a", "b", "c"], [0, 0, 0], [0, 1, 2, 0], [1, 0, 0, 2], [1.0, 2.0, 4.0, -4.0])
    assert (form.rows.tolist(), form.columns.tolist(), form.values.tolist()) == ([0], [1], [3.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("QUBO", ["a"], [0]), r"unknown vartype; found: 'QUBO'"),
        (("SPIN", ["a", "a"], [0, 0]), r"a variable name repeats; found: 'a'"),
        (("SPIN", ["a"], [float("nan")]), r"linear .*not finite.*linear\[0\]"),
        (("SPIN", ["a"], [0, 1]), r"linear has the wrong shape"),
        (("SPIN", ["a", "b"], [0, 0], [0], [1], [float("inf")]), r"values .*not finite.*values\[0\]"),
        (("SPIN", ["a", "b"], [0, 0], [1], [1], [1.0]), r"not allowed; found: \(1, 1\); .*pairs\[0\]"),
        (("SPIN", ["a", "b"], [0, 0], [0], [2], [1.0]), r"not allowed; found: \(0, 2\); allowed: .*0..1"),
        (("SPIN", ["a", "b"], [0, 0], [-1], [1], [1.0]), r"not allowed; found: \(-1, 1\)"),
        (("SPIN", ["a", "b"], [0, 0], [0.5], [1], [1.0]), r"rows holds a position that is not whole"),
        (("SPIN", ["a", "b"], [0, 0], [0, 1], [1], [1.0, 1.0]), r"rows and columns differ in length"),
        (("SPIN", ["a"], [0], [], [], [], float("nan")), r"offset is out of bounds"),
    ],
)
def test_refusals(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Quadratic(*arguments)


def test_states_of_the_wrong_width_are_refused() -> None:
    with pytest.raises(InputError, match=r"states have the wrong shape; found: \(1, 3\)"):
        Quadratic("SPIN", ["a", "b"], [0, 0]).energies([[1, 1, 1]])


def test_labels_that_collide_as_text_are_refused() -> None:
    import dimod

    with pytest.raises(InputError, match="a variable name repeats; found: '1'"):
        Quadratic.from_bqm(dimod.BinaryQuadraticModel({1: 1.0, "1": 2.0}, {}, "SPIN"))


def test_digest_tells_every_part_apart() -> None:
    base = Quadratic("SPIN", ["a", "b"], [1, 2], [0], [1], [3.0], 4.0)
    others = [
        Quadratic("BINARY", ["a", "b"], [1, 2], [0], [1], [3.0], 4.0),
        Quadratic("SPIN", ["b", "a"], [1, 2], [0], [1], [3.0], 4.0),
        Quadratic("SPIN", ["a", "b"], [2, 1], [0], [1], [3.0], 4.0),
        Quadratic("SPIN", ["a", "b"], [1, 2], [0], [1], [3.5], 4.0),
        Quadratic("SPIN", ["a", "b"], [1, 2], [0], [1], [3.0], 5.0),
        Quadratic("SPIN", ["a", "b"], [1, 2]),
    ]
    assert len({form.digest for form in (base, *others)}) == 7
    assert Quadratic("SPIN", ["a", "b"], [1, 2], [1], [0], [3.0], 4.0) == base
