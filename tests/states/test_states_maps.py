"""State maps: there and back, and through JSON."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.common.files import canonical_json
from isingrag.errors import FileFormatError, InputError
from isingrag.formulate import encode_paper
from isingrag.problem import SelectionProblem
from isingrag.states import IdentityMap, ReduceMap, StateMap, VartypeMap, map_from_dict
from isingrag.testing.problems import all_masks
from isingrag.testing.strategies import selection_problems


def check_there_and_back(step: StateMap, states: np.ndarray[tuple[int, int], np.dtype[np.int8]]) -> None:
    before = states.copy()
    there = step.extend(states)
    kept = there.copy()
    assert np.array_equal(step.restore(there), states)
    assert np.array_equal(states, before)
    assert np.array_equal(there, kept)
    other = map_from_dict(json.loads(canonical_json(step.to_dict())))
    assert other == step
    assert np.array_equal(other.extend(states), there)
    assert np.array_equal(other.restore(there), states)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_identity_and_vartype(n: int) -> None:
    bits = all_masks(n).astype(np.int8)
    spins = (2 * bits - 1).astype(np.int8)
    check_there_and_back(IdentityMap(n), bits)
    check_there_and_back(VartypeMap(n, "BINARY", "SPIN"), bits)
    check_there_and_back(VartypeMap(n, "SPIN", "BINARY"), spins)
    check_there_and_back(VartypeMap(n, "SPIN", "SPIN"), spins)
    assert np.array_equal(VartypeMap(n, "BINARY", "SPIN").extend(bits), spins)


@given(st.lists(st.sampled_from(["kept", "in", "out"]), max_size=6))
def test_reduce_keeps_states_that_agree_with_what_is_fixed(fates: list[str]) -> None:
    kept = [i for i, fate in enumerate(fates) if fate == "kept"]
    included = [i for i, fate in enumerate(fates) if fate == "in"]
    states = all_masks(len(fates)).astype(np.int8)
    excluded = [i for i, fate in enumerate(fates) if fate == "out"]
    states = states[states[:, included].all(axis=1) & ~states[:, excluded].any(axis=1)]
    check_there_and_back(ReduceMap(kept, included, len(fates)), states)


@settings(max_examples=80, deadline=None)
@given(selection_problems(max_items=5, pins=False))
def test_slack_is_there_and_back(problem: SelectionProblem) -> None:
    check_there_and_back(encode_paper(problem).map, all_masks(problem.count).astype(np.int8))


def test_states_of_the_wrong_width_are_refused() -> None:
    with pytest.raises(InputError, match=r"states have the wrong shape; found: \(1, 3\); allowed: \('R', 2\)"):
        IdentityMap(2).restore([[0, 1, 1]])


def test_an_unknown_map_is_refused() -> None:
    with pytest.raises(FileFormatError, match="unknown state map; found: 'pickle'"):
        map_from_dict({"kind": "pickle"})
