"""as_states: every usual form of samples, joined by name."""

from typing import Any

import dimod
import numpy as np
import pytest

from isingrag.errors import InputError
from isingrag.states import as_states

NAMES = ["a", "b", "c"]


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_a_sample_set_in_any_order_of_variables(order: list[int]) -> None:
    rows = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1]])
    labels = [NAMES[i] for i in order]
    found = dimod.SampleSet.from_samples((rows[:, order], labels), "BINARY", energy=[0, 0, 0])
    assert np.array_equal(as_states(found, NAMES, "BINARY"), rows)
    assert np.array_equal(as_states(found, NAMES, "SPIN"), 2 * rows - 1)


def test_occurrences_are_reads() -> None:
    found = dimod.SampleSet.from_samples(([[1, -1, 1]], NAMES), "SPIN", energy=[0], num_occurrences=[3])
    assert as_states(found, NAMES, "BINARY").tolist() == [[1, 0, 1]] * 3


def test_a_sample_set_keeps_to_its_own_vartype() -> None:
    """All ones say nothing by themselves; the set's vartype does."""
    found = dimod.SampleSet.from_samples(([[1, 1, 1]], NAMES), "SPIN", energy=[0])
    assert as_states(found, NAMES, "BINARY").tolist() == [[1, 1, 1]]


@pytest.mark.parametrize(
    "samples",
    [
        {"c": 1, "a": 0, "b": 1},
        [{"b": 1, "c": 1, "a": 0}],
        [0, 1, 1],
        [[0, 1, 1]],
        np.array([0, 1, 1]),
        np.array([[False, True, True]]),
        np.array([[0.0, 1.0, 1.0]]),
        [[-1, 1, 1]],
        np.array([[-1, 1, 1]], dtype=np.int8),
        ({"a": -1, "b": 1, "c": 1},),
    ],
)
def test_arrays_and_mappings(samples: Any) -> None:
    for vartype, expected in (("BINARY", [[0, 1, 1]]), ("SPIN", [[-1, 1, 1]])):
        found = as_states(samples, NAMES, vartype)
        assert found.tolist() == expected
        assert found.dtype == np.int8


@pytest.mark.parametrize("samples", [[], np.zeros((0, 3)), np.array([])])
def test_no_reads(samples: Any) -> None:
    assert as_states(samples, NAMES, "SPIN").shape == (0, 3)


def test_no_variables() -> None:
    assert as_states(np.zeros((2, 0)), [], "BINARY").shape == (2, 0)
    assert as_states([{}], [], "BINARY").shape == (1, 0)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ({"a": 1, "b": 0}, r"samples lack a variable; found: 1 missing: \['c'\]; where: read 0"),
        ([{"a": 1, "b": 0, "c": 0}, {"a": 1, "c": 0}], r"lack a variable; found: 1 missing: \['b'\]; where: read 1"),
        ({"a": 1, "b": 0, "c": 0, "d": 1}, r"unknown variable; found: \['d'\]"),
        ([[0, 1]], r"samples have the wrong shape; found: \(1, 2\); allowed: \('R', 3\)"),
        (np.zeros((3, 2)), r"samples have the wrong shape; found: \(3, 2\)"),
        (np.zeros((2, 6)), r"samples have the wrong shape; found: \(2, 6\)"),
        (np.zeros((1, 1, 3)), r"samples have the wrong shape"),
        ([0, 1, 1, 0, 1, 1], r"samples have the wrong shape; found: \(1, 6\)"),
        ([[0, 1, 2]], r"neither spin nor bit; found: 2; .*where: read 0, variable 'c'"),
        ([[0, 1, 1], [-1, 1, 1]], r"neither spin nor bit"),
        ([[0, 1, 0.5]], r"neither spin nor bit; found: 0.5"),
        ([[float("nan"), 1, 0]], r"neither spin nor bit; found: nan; .*variable 'a'"),
    ],
)
def test_refusals(samples: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_states(samples, NAMES, "BINARY")


def test_a_sample_set_that_lacks_a_variable_is_refused() -> None:
    found = dimod.SampleSet.from_samples(([[1, 0]], ["a", "c"]), "BINARY", energy=[0])
    with pytest.raises(InputError, match=r"lack a variable; found: 1 missing: \['b'\]"):
        as_states(found, NAMES, "BINARY")


def test_x10_is_not_x2() -> None:
    """L59: twelve variables whose names sort as text in another order."""
    names = [f"x{i}" for i in range(12)]
    row = {name: int(name in ("x2", "x10")) for name in sorted(names)}
    for samples in (row, dimod.SampleSet.from_samples(row, "BINARY", energy=[0])):
        assert np.flatnonzero(as_states(samples, names, "BINARY")[0]).tolist() == [2, 10]
