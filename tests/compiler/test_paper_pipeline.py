"""The published lowering through the whole pipeline."""

import numpy as np
import pytest

import isingrag as ir
from isingrag.compiler.passes import ChangeVartype, Encode, Penalties, Quantize, Reduce, RoundScores, Scale
from isingrag.errors import InputError, RangeError, TooLarge, UnknownName
from isingrag.testing import brute_force, check_pass

MACHINES = ("fujitsu-da1", "ideal-8", "ideal", "brim-64spin-65nm")


def problem(pins: bool = False) -> ir.SelectionProblem:
    rng = np.random.default_rng(11)
    pairs = np.triu(rng.normal(0, 1.5, (8, 8)), 1)
    coverage = [ir.CoverageTerm("p", [0, 2, 5], 2.0), ir.CoverageTerm("d", [2, 5], 3.0, implies=0)]
    fixed = {"pinned": ["c"], "forbidden": ["f"]} if pins else {}
    return ir.SelectionProblem(list("abcdefgh"), rng.normal(1, 2, 8), pairs + pairs.T, coverage, size=3, **fixed)


@pytest.mark.parametrize("pins", [False, True])
@pytest.mark.parametrize("penalties", ["reference", "sufficient"])
@pytest.mark.parametrize("machine", MACHINES)
def test_states_go_there_and_back_and_energies_keep_to_the_bound(machine: str, penalties: str, pins: bool) -> None:
    judge = problem(pins)
    compiled = ir.compile(judge, machine, lowering="paper", penalties=penalties)
    masks = np.array(list(np.ndindex(*(2,) * 8)), dtype=bool)
    masks = masks[judge.feasible(masks)]
    states = compiled.extend(compiled.model_states(masks))
    assert (compiled.item_masks(compiled.restore(states)) == masks).all()
    energies = compiled.quadratic.energies(states) / compiled.scale
    values = judge.values(masks)
    gaps = np.abs((energies - energies[0]) + (values - values[0]))
    assert gaps.max() <= compiled.error_bound + 1e-6 * np.abs(values).max()


@pytest.mark.parametrize("machine", ["fujitsu-da1", "ideal-8"])
def test_a_bit_width_means_whole_numbers_in_range(machine: str) -> None:
    compiled = ir.compile(problem(), machine, lowering="paper")
    bqm = compiled.target
    profile = ir.load_profile(machine)
    assert bqm.vartype.name == profile.vartype
    values = np.array([*bqm.linear.values(), *bqm.quadratic.values()])
    assert (values == np.rint(values)).all()
    assert max(abs(v) for v in bqm.linear.values()) <= profile.bias_grid.high
    assert max(abs(v) for v in bqm.quadratic.values()) <= profile.coupling_grid.high
    assert profile.check(bqm).ok


def test_sixteen_bits_keep_the_optimum_of_a_small_problem() -> None:
    judge = problem()
    compiled = ir.compile(judge, "ideal-20", lowering="paper", penalties="sufficient")
    best = ir.run(compiled, "exact", reads=5).raw
    value, masks = brute_force(judge)
    assert best.value == pytest.approx(value)
    assert any((judge.mask(best) == mask).all() for mask in masks)


@pytest.mark.parametrize("machine", ["fujitsu-da1", "ideal-14"])
def test_published_rounding_is_held_exactly(machine: str) -> None:
    compiled = ir.compile(problem(), machine, lowering="paper", penalties="sufficient", rounding="scores")
    quantize = compiled.trace[-1]
    assert quantize.name == "quantize"
    assert quantize.error_bound < 1e-9
    assert any(step.name == "round_scores" for step in compiled.trace)


def test_refusals() -> None:
    with pytest.raises(RangeError, match="whole-number scores"):
        ir.compile(problem(), "ideal-3", lowering="paper", rounding="scores")
    with pytest.raises(TooLarge, match="variables"):
        ir.compile(problem(), ir.ideal_profile(8, variables=5), lowering="paper")
    with pytest.raises(UnknownName, match="paper"):
        ir.compile(problem(), "ideal", lowering="papre")
    with pytest.raises(UnknownName, match="device"):
        ir.compile(problem(), "ideal", lowering="paper", rounding="devise")
    with pytest.raises(InputError, match="neither a problem nor an expression"):
        ir.compile({"a": 1}, "ideal")


@pytest.mark.parametrize("machine", ["ideal-6", "fujitsu-da1"])
def test_every_pass_keeps_the_laws(machine: str) -> None:
    profile = ir.load_profile(machine)
    judge = problem(pins=True)
    reduced = check_pass(Reduce(), judge).output
    check_pass(RoundScores(3.0), reduced)
    model = check_pass(Encode(), reduced).output
    model = check_pass(Penalties(reduced, "sufficient"), model).output
    form = check_pass(ChangeVartype(profile.vartype), model.quadratic).output
    scale = check_pass(Scale(profile), form)
    factor = scale.facts["factor"]
    for rounding in ("nearest", "away_from_zero", "stochastic"):
        check_pass(Quantize(profile, factor, rounding), scale.output, seed=4, units=factor)


def test_users_terms_are_seen_by_value_and_solver() -> None:
    from pyqubo import Binary

    judge = problem()
    term = 2.5 * Binary("x[a]") * Binary("x[d]") - 1.5 * Binary("x[b]")
    compiled = ir.compile(ir.symbolic(judge) + term, "ideal", problem=judge, lowering="paper")
    pair, single = judge.mask(["a", "d"]), judge.mask(["b"])
    assert compiled.problem.value(pair) == pytest.approx(judge.value(pair) - 2.5)
    assert compiled.problem.value(single) == pytest.approx(judge.value(single) + 1.5)
