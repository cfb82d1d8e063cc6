"""ground_states against plain enumeration."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.errors import TooLarge
from isingrag.model import Quadratic
from isingrag.solvers.exact_ising import ground_states
from isingrag.testing.problems import all_masks


def random_form(rng: np.random.Generator, n: int, vartype: Any, whole: bool) -> Quadratic:
    rows, columns = np.triu_indices(n, 1)
    keep = rng.random(rows.size) < 0.6
    draw = (lambda size: rng.integers(-3, 4, size).astype(float)) if whole else (lambda size: rng.normal(size=size))
    names = [f"v{i}" for i in range(n)]
    return Quadratic(vartype, names, draw(n), rows[keep], columns[keep], draw(int(keep.sum())), float(draw(1)[0]))


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 8), st.sampled_from(["BINARY", "SPIN"]), st.booleans())
def test_all_ground_states_are_found(seed: int, n: int, vartype: str, whole: bool) -> None:
    form = random_form(np.random.default_rng(seed), n, vartype, whole)
    states = all_masks(n).astype(np.int8)
    if vartype == "SPIN":
        states = (2 * states - 1).astype(np.int8)
    energies = form.energies(states)
    wanted = states[energies <= energies.min() + 1e-9]
    found = ground_states(form)
    assert found.energy == pytest.approx(float(energies.min()), abs=1e-9)
    assert found.ties == len(wanted)
    assert np.array_equal(found.states, wanted)


@pytest.mark.parametrize("n", [15, 16, 18, 20])
@pytest.mark.parametrize("vartype", ["BINARY", "SPIN"])
def test_the_two_halves_join(n: int, vartype: str) -> None:
    rng = np.random.default_rng(n)
    form = random_form(rng, n, vartype, True)
    states = all_masks(n).astype(np.int8)
    if vartype == "SPIN":
        states = (2 * states - 1).astype(np.int8)
    energies = np.concatenate([form.energies(part) for part in np.array_split(states, 32)])
    wanted = states[energies <= energies.min() + 1e-9]
    found = ground_states(form, limit=10**6)
    assert (found.energy, found.ties) == (pytest.approx(float(energies.min())), len(wanted))
    assert np.array_equal(found.states, wanted)


def test_every_state_of_a_form_without_terms_is_a_ground_state() -> None:
    found = ground_states(Quadratic("SPIN", [f"v{i}" for i in range(17)], np.zeros(17), offset=2.5), limit=3)
    assert (found.energy, found.ties, found.states.shape) == (2.5, 2**17, (3, 17))


@pytest.mark.parametrize("vartype", ["BINARY", "SPIN"])
def test_no_variable_and_one(vartype: Any) -> None:
    none = ground_states(Quadratic(vartype, [], [], offset=1.5))
    assert (none.energy, none.ties, none.states.shape) == (1.5, 1, (1, 0))
    one = ground_states(Quadratic(vartype, ["a"], [-2.0], offset=1.0))
    assert (one.energy, one.ties, one.states.tolist()) == (-1.0, 1, [[1]])


@pytest.mark.parametrize("n", [6, 17])
def test_large_penalties_do_not_make_ties(n: int) -> None:
    """Exactly two of n at a weight of 1e6: values that differ by 1e-4 stay apart."""
    rows, columns = np.triu_indices(n, 1)
    weight = 1e6
    value = 1e-4 * np.arange(n)
    form = Quadratic(
        "BINARY", [f"v{i}" for i in range(n)], -value + weight * (1 - 4), rows, columns, np.full(rows.size, 2 * weight)
    )
    found = ground_states(form)
    assert found.ties == 1
    assert np.flatnonzero(found.states[0]).tolist() == [n - 2, n - 1]


def test_too_many_variables_are_refused() -> None:
    with pytest.raises(TooLarge, match=r"too many variables to enumerate; found: 31; allowed: <= 30"):
        ground_states(Quadratic("SPIN", [f"v{i}" for i in range(31)], np.zeros(31)))


def test_sign_conventions() -> None:
    """One positive coupling gives opposite spins, energy -1 (L54); linear (-1, 2), pair 3 is least at 10 (L51)."""
    found = ground_states(Quadratic("SPIN", ["a", "b"], [0, 0], [0], [1], [1.0]))
    assert (found.energy, found.ties) == (-1.0, 2)
    assert {tuple(state) for state in found.states.tolist()} == {(1, -1), (-1, 1)}
    form = Quadratic("BINARY", ["a", "b"], [-1, 2], [0], [1], [3.0])
    spin = form.as_vartype("SPIN")
    assert (spin.linear.tolist(), spin.values.tolist(), spin.offset) == ([0.25, 1.75], [0.75], 1.25)
    assert ground_states(spin).states.tolist() == [[1, -1]]
