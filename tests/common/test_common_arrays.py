"""Checked arrays, ids, and the identity of frozen types."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from isingrag.common.arrays import (
    check_ids,
    check_number,
    check_whole,
    finite_matrix,
    finite_vector,
    natural_key,
    position_vector,
    symmetric_matrix,
)
from isingrag.errors import InputError
from isingrag.problem import EvidenceScores, SelectionProblem
from isingrag.states.maps import Slack, SlackMap
from isingrag.testing.strategies import evidence_scores, selection_problems

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_vector_names_field_index_and_rule(bad: float) -> None:
    with pytest.raises(InputError, match=r"relevance holds a value that is not finite.*where: relevance\[1\]"):
        finite_vector("relevance", [0.9, bad, 0.4], 3)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_matrix_names_field_index_and_rule(bad: float) -> None:
    with pytest.raises(InputError, match=r"no NaN, no infinity.*where: embeddings\[\(1, 0\)\]"):
        finite_matrix("embeddings", [[1.0, 0.0], [bad, 0.0]], (2, 2))


@pytest.mark.parametrize(
    "value",
    [
        *([1, 2], [[1, 2, 3]], 5.0, ["a", "b", "c"], [1, None, 3], [[1], [2, 3], [4]]),
        *(["1", "2", "3"], [1, 2, 1j], np.array([1, 2, 1j])),
    ],
)
def test_vector_of_wrong_shape_or_type(value: object) -> None:
    with pytest.raises(InputError, match=r"^linear .*where: linear"):
        finite_vector("linear", value, 3)


def test_vector_below_its_minimum() -> None:
    with pytest.raises(InputError, match=r"tokens holds a value below 0.*found: -2.*>= 0.*tokens\[2\]"):
        finite_vector("tokens", [0, 1, -2], 3, minimum=0.0)


def test_arrays_are_copies_and_read_only() -> None:
    source = np.ones(3)
    vector = finite_vector("v", source, 3)
    source[0] = 7.0
    assert vector[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 2.0


def test_asymmetric_matrix_names_both_values() -> None:
    with pytest.raises(InputError, match=r"pairs is not symmetric; found: .*2.0.* and .*3.0.*where: pairs\[0, 1\]"):
        symmetric_matrix("pairs", [[0, 2], [3, 0]], 2)


def test_rounding_across_the_diagonal_is_mended() -> None:
    matrix = symmetric_matrix("pairs", [[0, 0.1 + 0.2], [0.3, 0]], 2)
    assert matrix[0, 1] == matrix[1, 0]


def test_a_diagonal_is_refused() -> None:
    with pytest.raises(InputError, match=r"diagonal that is not zero; found: 4.*where: pairs\[1, 1\]"):
        symmetric_matrix("pairs", [[0, 1], [1, 4]], 2)


@pytest.mark.parametrize("value", [True, 2.5, "3", None, np.bool_(True), float("nan")])
def test_whole_refuses_what_is_no_integer(value: object) -> None:
    with pytest.raises(InputError, match=r"size is not a whole number.*where: size"):
        check_whole("size", value, minimum=1)


@pytest.mark.parametrize("value", [0, -1])
def test_whole_refuses_what_is_too_small(value: int) -> None:
    with pytest.raises(InputError, match=rf"size is out of bounds; found: {value}; allowed: >= 1; where: size"):
        check_whole("size", value, minimum=1)


@pytest.mark.parametrize("value", [True, "1", None, 1j])
def test_number_refuses_what_is_no_real(value: object) -> None:
    with pytest.raises(InputError, match="theta is not a number"):
        check_number("theta", value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1.5, -0.1])
def test_number_out_of_bounds(value: float) -> None:
    with pytest.raises(InputError, match=r"theta is out of bounds.*\[0, 1\]"):
        check_number("theta", value, minimum=0.0, maximum=1.0)


def test_duplicate_ids_name_both_places() -> None:
    with pytest.raises(InputError, match=r"ids holds a duplicate id; found: 'a'.*ids\[0\] and ids\[2\]"):
        check_ids("ids", ["a", "b", "a"])


@pytest.mark.parametrize("bad", [1.5, True, None, ("a",)])
def test_ids_of_the_wrong_type(bad: object) -> None:
    with pytest.raises(InputError, match=r"wrong type.*where: ids\[1\]"):
        check_ids("ids", ["a", bad])


def test_ids_are_of_one_type() -> None:
    with pytest.raises(InputError, match="ids mixes text and numbers"):
        check_ids("ids", ["1", 1])


def test_numpy_ids_become_plain_ones() -> None:
    assert [type(i) for i in check_ids("ids", np.arange(2))] == [int, int]
    assert [type(i) for i in check_ids("ids", np.array(["a", "b"]))] == [str, str]


@pytest.mark.parametrize("bad", [[0.5, 1], [float("nan")], [True, False], ["0"], [None]])
def test_positions_are_never_cut_to_integers(bad: list[object]) -> None:
    with pytest.raises(InputError, match=r"^rows holds .*whole numbers.*where: rows"):
        position_vector("rows", bad)


def test_positions_take_whole_floats_and_nothing() -> None:
    assert position_vector("rows", [0.0, 2.0]).tolist() == [0, 2]
    assert position_vector("rows", []).dtype == np.int64


def test_digits_in_ids_sort_as_numbers() -> None:
    names = ["x10", "x2", "x02", "y1", "x", "x2b"]
    assert sorted(names, key=natural_key) == ["x", "x02", "x2", "x2b", "x10", "y1"]
    assert sorted([10, -3, 2], key=natural_key) == [-3, 2, 10]


def test_a_very_long_run_of_digits_is_an_id_too() -> None:
    names = ["a" + "1" * 5000, "a" + "2" * 4999, "a3"]
    assert sorted(names, key=natural_key) == ["a3", names[1], names[0]]


def example() -> SelectionProblem:
    return SelectionProblem(["a", "b"], [1.0, -0.0], [[0, 2], [2, 0]], size=1, tokens=[1, 2], budget=3)


def test_frozen_types_can_not_be_changed() -> None:
    problem = example()
    with pytest.raises(AttributeError, match="SelectionProblem is frozen; 'size'"):
        problem.size = 2
    with pytest.raises(AttributeError, match="frozen"):
        del problem.linear
    for array in (problem.linear, problem.pairs.dense(), problem.order, problem.membership, problem.rewards):
        assert not array.flags.writeable


def test_equal_content_is_equal_whatever_the_sign_of_zero() -> None:
    assert example().replaced(linear=[1.0, 0.0]) == example()
    assert hash(example().replaced(linear=[1.0, 0.0])) == hash(example())
    assert example().replaced(linear=[1.0, 1e-300]) != example()
    assert example() != "something else"


def test_parts_of_a_digest_do_not_run_into_each_other() -> None:
    assert SelectionProblem(["ab", "c"], [0, 0]) != SelectionProblem(["a", "bc"], [0, 0])
    assert SelectionProblem(["1"], [0]) != SelectionProblem([1], [0])


def test_digest_is_the_same_in_another_process() -> None:
    code = (
        "from isingrag.problem import SelectionProblem\n"
        "p = SelectionProblem(['a', 'b'], [1.0, 0.0], [[0, 2], [2, 0]], size=1, tokens=[1, 2], budget=3)\n"
        "print(p.digest)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == example().digest


@settings(max_examples=40, deadline=None)
@given(selection_problems())
def test_pickle_and_copy_keep_problems_equal_and_read_only(problem: SelectionProblem) -> None:
    for other in (pickle.loads(pickle.dumps(problem)), copy.deepcopy(problem)):  # noqa: S301
        assert other.digest == problem.digest
        assert SelectionProblem.from_dict(other.to_dict()).digest == problem.digest
        assert not other.linear.flags.writeable
        assert all(not term.items.flags.writeable for term in (*other.coverage, *other.groups))


@settings(max_examples=20, deadline=None)
@given(evidence_scores())
def test_pickle_keeps_scores_equal_and_read_only(scores: EvidenceScores) -> None:
    other = pickle.loads(pickle.dumps(scores))  # noqa: S301
    assert other == scores
    for array in (other.relevance, other.support, other.redundancy, other.complementarity):
        assert not array.flags.writeable


def test_arrays_inside_a_map_stay_read_only_after_pickle() -> None:
    step = SlackMap([0, 1, -1, -1], 2, [(2, [0, 1])], [Slack([3], [1], [0], [1], -1)])
    other = pickle.loads(pickle.dumps(step))  # noqa: S301
    assert other == step
    for one in (step, other):
        for array in (one.items, one.coverage[0][1], one.slacks[0].bits, one.slacks[0].weights):
            assert not array.flags.writeable
