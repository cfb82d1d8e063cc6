"""decode: every read at once, judged on the problem."""

import dimod
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isingrag as ir
from isingrag.decode import Answers, decode
from isingrag.errors import InputError
from isingrag.instance import CompiledInstance
from isingrag.problem import SelectionProblem, SparsePairs
from isingrag.testing.problems import all_masks
from isingrag.testing.strategies import selection_problems


def compiled_of(problem: SelectionProblem, penalties: object = "sufficient") -> CompiledInstance:
    return ir.compile(problem, ir.ideal_profile(bits=None), penalties=penalties, lowering="paper")


TWELVE = SelectionProblem([f"x{i}" for i in range(12)], [1.0 if i in (2, 10) else -1.0 for i in range(12)], size=4)


@settings(max_examples=40, deadline=None)
@given(selection_problems(max_items=5), st.integers(0, 2**32))
def test_every_read_is_judged_on_the_problem(problem: SelectionProblem, seed: int) -> None:
    compiled = compiled_of(problem)
    reads = np.random.default_rng(seed).integers(0, 2, (20, compiled.spins)) * 2 - 1
    given_reads = reads.copy()
    digest = compiled.digest
    answers = decode(compiled, reads)
    states = compiled.restore(reads)
    assert len(answers) == 20
    assert answers.mask.shape == (20, problem.count)
    assert np.array_equal(answers.mask, compiled.item_masks(states))
    assert np.allclose(answers.value, problem.values(answers.mask))
    assert np.array_equal(answers.feasible, problem.feasible(answers.mask))
    assert np.allclose(answers.model_value, -compiled.model.energies(states))
    assert set(answers.broken) == {c.label for c in compiled.model.constraints}
    for read, selection in enumerate(answers):
        assert selection == answers[read]
        assert selection.value == pytest.approx(answers.value[read])
        assert selection.feasible == answers.feasible[read]
        assert selection.origin == "decoded"
        assert not selection.change
        assert set(selection.ids) <= set(problem.ids)
    assert np.array_equal(reads, given_reads)
    assert compiled.digest == digest


@settings(max_examples=30, deadline=None)
@given(selection_problems(max_items=5), st.integers(0, 2**32))
def test_energies_belong_to_their_reads(problem: SelectionProblem, seed: int) -> None:
    """L52: shuffled variables, merged reads; at float precision the device energy is minus the model's value."""
    compiled = compiled_of(problem)
    if not compiled.spins:
        return
    rng = np.random.default_rng(seed)
    reads = rng.integers(0, 2, (15, compiled.spins)) * 2 - 1
    order = rng.permutation(compiled.spins)
    labels = [compiled.quadratic.names[i] for i in order]
    found = dimod.SampleSet.from_samples_bqm((reads[:, order], labels), compiled.target)
    merged = found.aggregate()
    answers, again = decode(compiled, found), decode(compiled, merged)
    assert np.allclose(found.record.energy / compiled.scale, -answers.model_value, rtol=1e-6, atol=1e-6)
    assert len(again) == len(answers) == 15
    assert sorted(map(tuple, again.mask)) == sorted(map(tuple, answers.mask))
    assert np.array_equal(decode(compiled, reads).mask, answers.mask)


def test_x10_is_not_x2() -> None:
    """L59"""
    compiled = compiled_of(TWELVE)
    state = compiled.extend(compiled.model_states(TWELVE.mask(["x2", "x10"])[None]))[0]
    row = dict(sorted(zip(compiled.quadratic.names, (int(v) for v in state), strict=True)))
    for samples in (row, [row], dimod.SampleSet.from_samples_bqm(row, compiled.target), state, state[None]):
        answers = decode(compiled, samples)
        assert answers[0].ids == ("x2", "x10")
        assert answers.value.tolist() == [2.0]
        assert answers.feasible.all()
        assert not any(broken.any() for broken in answers.broken.values())
    with pytest.raises(InputError, match="samples lack a variable"):
        decode(compiled, {name: value for name, value in row.items() if name != "x[x3]"})


def test_slack_does_not_decide_feasibility() -> None:
    """L55: 9 of 10 tokens with all slack bits zero is feasible; the mismatch is noted."""
    problem = SelectionProblem(["a", "b", "c"], [1.0, 1.0, 1.0], tokens=[4, 5, 7], budget=10)
    compiled = compiled_of(problem)
    state = {name: int(name in ("x[a]", "x[b]")) for name in compiled.quadratic.names}
    answers = decode(compiled, state)
    assert answers.feasible.tolist() == [True]
    assert answers[0].violations == ()
    assert answers.broken["budget"].tolist() == [True]
    assert answers.value.tolist() == [2.0]
    assert answers.model_value[0] < 2.0


def test_many_reads_of_a_wide_problem() -> None:
    rng = np.random.default_rng(0)
    problem = SelectionProblem(
        range(200), rng.random(200), SparsePairs(np.arange(199), np.arange(1, 200), -rng.random(199), 200), size=10
    )
    compiled = compiled_of(problem)
    answers = decode(compiled, rng.integers(0, 2, (1000, compiled.spins)), repair=True)
    assert answers.mask.shape == answers.decoded.shape == (1000, 200)
    assert answers.value.shape == answers.feasible.shape == answers.model_value.shape == (1000,)
    assert answers.feasible.all()
    assert answers.feasible_share == 1.0


@pytest.mark.parametrize("reads", [0, 1])
def test_no_reads_and_no_items(reads: int) -> None:
    compiled = compiled_of(SelectionProblem([], [], size=2))
    answers = decode(compiled, np.zeros((reads, compiled.spins)), polish=True)
    assert len(answers) == reads
    assert answers.best == (None if reads == 0 else answers[0])
    none = decode(compiled_of(TWELVE), [], polish=True)
    assert (len(none), none.best, none.best_read, none.feasible_share) == (0, None, None, 0.0)


# -- best read ---------------------------------------------------------------------------------


def answers_of(problem: SelectionProblem, rows: list[list[int]]) -> Answers:
    masks = np.array(rows, dtype=bool)
    values, feasible = problem.values(masks), problem.feasible(masks)
    return Answers(problem, masks, masks, values, feasible, values, {})


def test_best_is_the_highest_value_among_feasible_reads() -> None:
    problem = SelectionProblem(["x2", "x10", "x1"], [3.0, 2.0, 2.0], size=1)
    assert answers_of(problem, [[1, 1, 1], [0, 0, 0], [0, 1, 0], [0, 0, 1]]).best_read == 3  # x1 before x10
    assert answers_of(problem, [[1, 1, 1], [1, 0, 0], [0, 0, 1]]).best_read == 1
    assert answers_of(problem, [[0, 0, 1], [0, 0, 1]]).best_read == 0


def test_best_without_a_feasible_read_has_the_least_excess() -> None:
    problem = SelectionProblem(["a", "b", "c"], [3.0, 2.0, 2.0], size=1)
    found = answers_of(problem, [[1, 1, 1], [0, 1, 1], [1, 1, 0]])
    assert found.best_read == 1
    assert found.best is not None
    assert not found.best.feasible


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("scale", [1e-10, 1.0])
def test_best_sees_small_differences(scale: float, offset: float) -> None:
    problem = SelectionProblem(["a", "b"], [1.0 * scale, 2.0 * scale], size=1, offset=offset * scale)
    assert answers_of(problem, [[1, 0], [0, 1]]).best_read == 1


@settings(max_examples=60, deadline=None)
@given(selection_problems(max_items=5, min_items=1), st.data())
def test_best_does_not_depend_on_the_order_of_reads(problem: SelectionProblem, data: st.DataObject) -> None:
    masks = all_masks(problem.count)
    order = data.draw(st.permutations(range(len(masks))))
    rows = masks.astype(int)
    one, two = answers_of(problem, rows.tolist()), answers_of(problem, rows[order].tolist())
    assert one.best is not None
    assert two.best is not None
    if one.feasible.any():
        assert one.best.ids == two.best.ids
        assert one.best.value == pytest.approx(float(one.value[one.feasible].max()))
