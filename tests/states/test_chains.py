"""EmbedMap and GaugeMap: forth, back, and what becomes of broken chains."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isingrag.common.files import canonical_json
from isingrag.errors import InputError, UnknownName
from isingrag.states import EmbedMap, GaugeMap, map_from_dict
from isingrag.states.chains import UNEMBEDDINGS

LOGICAL = {"linear": [0.5, 0.0, 0.0], "rows": [0, 1], "columns": [1, 2], "values": [1.0, -1.0]}


@st.composite
def embed_maps(draw, methods=UNEMBEDDINGS):
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    spare = draw(st.integers(0, 3))
    count = sum(lengths) + spare
    order = draw(st.permutations(range(count)))
    starts = np.cumsum([0, *lengths])
    chains = [order[a : a + n] for a, n in zip(starts, lengths, strict=False)]
    n = len(chains)
    logical = {"linear": np.arange(n) - 1.0, "rows": [0] if n > 1 else [], "columns": [1] if n > 1 else []}
    method = draw(st.sampled_from(methods))
    fields = {**logical, "values": [1.5] if n > 1 else []} if method == "minimize_energy" else {}
    return EmbedMap(chains, count, method, draw(st.sampled_from(["SPIN", "BINARY"])), 7, **fields)


@given(embed_maps(), st.integers(0, 2**32 - 1))
def test_restore_undoes_extend_and_nothing_is_changed(step, seed):
    """Planted mistake seen to fail: `reduceat` on chain lengths instead of chain starts."""
    low = -1 if step.vartype == "SPIN" else 0
    states = np.where(np.random.default_rng(seed).random((5, len(step.chains))) < 0.5, low, 1).astype(np.int8)
    before = states.copy()
    full = step.extend(states)
    assert (step.restore(full) == states).all()
    assert not step.broken(full).any()
    assert (states == before).all()
    outside = np.setdiff1d(np.arange(step.count), np.concatenate(step.chains))
    assert (full[:, outside] == 1).all()


@given(embed_maps())
def test_maps_come_back_from_json_and_compare_by_content(step):
    again = map_from_dict(json.loads(canonical_json(step.to_dict())))
    assert again == step
    assert again.digest == step.digest


@given(embed_maps(), st.integers(0, 2**32 - 1))
def test_any_reads_give_states_and_the_same_ones_again(step, seed):
    low = -1 if step.vartype == "SPIN" else 0
    reads = np.where(np.random.default_rng(seed).random((6, step.count)) < 0.5, low, 1).astype(np.int8)
    logical = step.restore(reads)
    assert np.isin(logical, (low, 1)).all()
    assert (logical == step.restore(reads)).all()
    broken = step.broken(reads)
    assert broken.shape == (6, len(step.chains))
    assert len(logical) == (int((~broken.any(axis=1)).sum()) if step.method == "discard" else 6)


def test_majority_and_its_tie():
    step = EmbedMap([[0, 1, 2], [3, 4]], 5)
    assert step.restore([[1, 1, -1, -1, 1], [-1, 1, -1, 1, -1]]).tolist() == [[1, -1], [-1, 1]]
    turned = EmbedMap([[2, 1, 0], [4, 3]], 5)  # the chain's first qubit decides, not the lowest
    assert turned.restore([[1, 1, -1, -1, 1]]).tolist() == [[1, 1]]
    assert step.broken([[1, 1, -1, 1, 1]]).tolist() == [[True, False]]


def test_weighted_random_follows_the_share_of_qubits():
    reads = np.tile(np.array([1, 1, 1, -1], dtype=np.int8), (4000, 1))
    values = EmbedMap([[0, 1, 2, 3]], 4, "weighted_random", seed=3).restore(reads)
    assert abs(float((values == 1).mean()) - 0.75) < 0.03
    other = EmbedMap([[0, 1, 2, 3]], 4, "weighted_random", seed=4).restore(reads)
    assert (values != other).any()


def test_minimise_energy_takes_the_strongest_field_first():
    # E = s0/2 + s0 s1 - s1 s2; chain 1 open beside s0 = +1, then chain 2 beside s1 = -1.
    step = EmbedMap([[0], [1, 2], [3, 4]], 5, "minimize_energy", **LOGICAL)
    assert step.restore([[1, 1, -1, 1, -1]]).tolist() == [[1, -1, -1]]
    majority = EmbedMap([[0], [1, 2], [3, 4]], 5)
    assert majority.restore([[1, 1, -1, 1, -1]]).tolist() == [[1, 1, 1]]


def test_a_chain_without_field_keeps_its_majority():
    step = EmbedMap([[0, 1, 2]], 3, "minimize_energy", linear=[0.0], rows=[], columns=[], values=[])
    assert step.restore([[1, -1, -1]]).tolist() == [[-1]]


def test_discard_may_leave_nothing_and_never_raises():
    """L43: one variable on two qubits, one read (+1, -1)."""
    step = EmbedMap([[0, 1]], 2, "discard")
    assert step.restore([[1, -1]]).shape == (0, 1)
    assert step.broken([[1, -1]]).mean() == 1.0
    assert step.restore([[1, -1], [-1, -1]]).tolist() == [[-1]]
    assert step.restore(np.zeros((0, 2))).shape == (0, 1)


def test_no_chains_at_all():
    step = EmbedMap([], 0)
    assert step.restore(np.zeros((3, 0), dtype=np.int8)).shape == (3, 0)
    assert step.extend(np.zeros((3, 0), dtype=np.int8)).shape == (3, 0)


@pytest.mark.parametrize("chains", [[[0], []], [[0], [0]], [[0, 0]], [[5]], [[-1]]])
def test_chains_that_are_no_chains_are_refused(chains):
    with pytest.raises(InputError, match=re.escape("chains[")):
        EmbedMap(chains, 3)


def test_unknown_ways_back_and_wrong_shapes_are_refused():
    with pytest.raises(UnknownName, match="majority"):
        EmbedMap([[0]], 1, "majorty")
    with pytest.raises(InputError, match="logical form"):
        EmbedMap([[0]], 1, "minimize_energy")
    with pytest.raises(InputError, match="wrong shape"):
        EmbedMap([[0]], 1).restore(np.ones((2, 3)))


@given(st.lists(st.sampled_from([-1, 1]), max_size=8), st.sampled_from(["SPIN", "BINARY"]))
def test_a_gauge_is_its_own_way_back(signs, vartype):
    step = GaugeMap(signs, vartype)
    low = -1 if vartype == "SPIN" else 0
    states = np.array([[low] * len(signs), [1] * len(signs)], dtype=np.int8)
    assert (step.restore(step.extend(states)) == states).all()
    assert np.isin(step.extend(states), (low, 1)).all()
    assert map_from_dict(json.loads(canonical_json(step.to_dict()))) == step


def test_a_gauge_of_no_signs_is_refused():
    with pytest.raises(InputError):
        GaugeMap([1, 0])
