"""check_pass: every shipped pass keeps the laws on several things, and planted mistakes fail."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from isingrag.compiler.passes import ChangeVartype, Encode, Penalties, Quantize, Reduce, RoundScores, Scale
from isingrag.errors import InputError
from isingrag.formulate import encode_paper
from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.problem import CoverageTerm, GroupLimit, SelectionProblem, diversity_problem
from isingrag.profile import ideal_profile, load_profile
from isingrag.states import IdentityMap, VartypeMap
from isingrag.testing import check_pass


def _form(vartype="BINARY", n=7, seed=3):
    rng = np.random.default_rng(seed)
    rows, columns = np.triu_indices(n, 1)
    return Quadratic(
        vartype, [f"v{i}" for i in range(n)], rng.normal(size=n), rows, columns, rng.normal(size=rows.size), 2.5
    )


def _problem(**changes):
    rng = np.random.default_rng(1)
    pairs = rng.normal(size=(6, 6))
    pairs = np.triu(pairs, 1) + np.triu(pairs, 1).T
    arguments = {
        "ids": list("abcdef"),
        "linear": rng.normal(size=6),
        "pairs": pairs,
        "coverage": [CoverageTerm("p", [0, 1, 2], 3.3), CoverageTerm("d", [1], 2.1, implies=0)],
        "size": 3,
        "offset": 0.7,
    }
    return SelectionProblem(**{**arguments, **changes})


PROBLEMS = {
    "evidence": _problem(),
    "budget and group": _problem(tokens=[3, 1, 2, 2, 1, 4], budget=7, groups=[GroupLimit("g", [0, 3, 4], 1)]),
    "pinned": _problem(pinned=["b"], forbidden=["e"]),
    "diversity": diversity_problem(np.random.default_rng(0).normal(size=(6, 4)), np.linspace(0, 1, 6), 3, 0.6),
}
FREE = [name for name, problem in PROBLEMS.items() if not problem.pinned]


@pytest.mark.parametrize("name", PROBLEMS)
def test_reduce(name):
    lowering = check_pass(Reduce(), PROBLEMS[name])
    assert lowering.output.count == PROBLEMS[name].count - (2 if name == "pinned" else 0)


@pytest.mark.parametrize("factor", [0.37, 1.0, 250.0])
@pytest.mark.parametrize("name", PROBLEMS)
def test_round_scores(name, factor):
    lowering = check_pass(RoundScores(factor), PROBLEMS[name])
    whole = lowering.output.linear * factor
    assert np.allclose(whole, np.rint(whole), atol=1e-9)


@pytest.mark.parametrize("name", FREE)
def test_encode(name):
    check_pass(Encode(), PROBLEMS[name])


@pytest.mark.parametrize("rule", ["reference", "sufficient", {"lambda_K": 3.25}])
@pytest.mark.parametrize("name", FREE)
def test_penalties(name, rule):
    problem = PROBLEMS[name]
    encoding = encode_paper(problem)
    masks = np.array([m for m in np.ndindex(*(2,) * 6) if problem.feasible(np.array([m]))[0]])
    states = encoding.map.extend(masks)
    lowering = check_pass(Penalties(problem, rule), encoding.model, states=states)
    assert len(lowering.output.constraints) > 0
    assert all(c.penalty > 0 for c in lowering.output.constraints)
    assert np.allclose(-lowering.output.energies(states), problem.values(masks))


def test_penalties_on_states_found_by_the_check_itself():
    problem = _problem(coverage=[])
    check_pass(Penalties(problem, "reference"), encode_paper(problem).model)


@pytest.mark.parametrize("before", ["BINARY", "SPIN"])
@pytest.mark.parametrize("after", ["BINARY", "SPIN"])
def test_vartype(before, after):
    assert check_pass(ChangeVartype(after), _form(before)).output.vartype == after


@pytest.mark.parametrize("vartype", ["BINARY", "SPIN"])
@pytest.mark.parametrize("factor", [None, 0.3, 1.0, 1000.0])
def test_scale(vartype, factor):
    check_pass(Scale(ideal_profile(bits=6), factor), _form(vartype))


@pytest.mark.parametrize("vartype", ["BINARY", "SPIN"])
@pytest.mark.parametrize("rounding", ["nearest", "away_from_zero", "stochastic"])
@pytest.mark.parametrize("bits", [2, 4, 8, 16])
def test_quantize(vartype, rounding, bits):
    profile = ideal_profile(bits=bits)
    scaled = Scale(profile).lower(_form(vartype))
    factor = scaled.facts["factor"]
    lowering = check_pass(Quantize(profile, factor, rounding), scaled.output, seed=4, units=factor)
    assert lowering.seed == (4 if rounding == "stochastic" else None)
    assert profile.check(replace_vartype(lowering.output)).ok


def replace_vartype(form):
    """The coefficients under the ideal profile's own vartype: only the registers are judged here."""
    return Quadratic("SPIN", form.names, form.linear, form.rows, form.columns, form.values, form.offset)


def test_quantize_is_exact_on_a_float_machine():
    profile = load_profile("ideal")
    assert check_pass(Quantize(profile, 1.0), _form("SPIN")).error_bound == 0.0


# -- planted mistakes ------------------------------------------------------------------------------


@dataclass
class Planted:
    """A scale pass by 2 with one mistake; without one it keeps every law."""

    mistake: str = "none"
    calls: int = 0

    @property
    def spec(self):
        return "" if self.mistake == "spec" else "double()"

    def lower(self, thing, seed=0):
        self.calls += 1
        map_, facts, bound = IdentityMap(thing.count), {"factor": 2.0}, 0.0
        output = thing.scaled(2.0)
        if self.mistake == "mutates":
            thing.linear.setflags(write=True)
            thing.linear[0] += 1.0
            thing.linear.setflags(write=False)
        elif self.mistake == "factor":
            facts = {}
        elif self.mistake == "offset":
            output = Quadratic(
                output.vartype, output.names, output.linear, output.rows, output.columns, output.values, 0
            )
        elif self.mistake == "bound":
            linear = output.linear.copy()
            linear[0] += 1.0
            output = Quadratic(output.vartype, output.names, linear, output.rows, output.columns, output.values, 5.0)
            bound = 0.4
        elif self.mistake == "negative bound":
            bound = -1.0
        elif self.mistake == "facts":
            facts = {"factor": 2.0, "call": self.calls}
        elif self.mistake == "output":
            output = output.plus(thing.scaled(0.01 * self.calls))
        elif self.mistake == "reversed":
            map_ = Reversed(thing.count)
        elif self.mistake == "one way":
            map_ = OneWay(thing.count)
        elif self.mistake == "unregistered":
            map_ = Unregistered(thing.count)
        elif self.mistake == "vartype":
            map_ = VartypeMap(thing.count, "BINARY", "SPIN")
        elif self.mistake == "other map":
            map_ = IdentityMap(thing.count + self.calls - 1)
        elif self.mistake == "no output":
            output = None
        return Lowering(self.spec, map_, bound, facts, output)


class Reversed(IdentityMap):
    """Extends to reversed states and restores them: a right way back to a wrong state."""

    def extend(self, states):
        return super().extend(states)[:, ::-1]

    def restore(self, states):
        return super().restore(states)[:, ::-1]

    def to_dict(self):
        return {"kind": "identity", "count": self.count}

    def __eq__(self, other):
        return isinstance(other, IdentityMap)

    __hash__ = IdentityMap.__hash__


class OneWay(Reversed):
    """Restores without turning back."""

    def restore(self, states):
        return IdentityMap.restore(self, states)


class Unregistered(IdentityMap):
    """No file can bring it back."""

    kind = "unregistered"


def test_a_right_pass_has_no_mistake():
    check_pass(Planted(), _form())


@pytest.mark.parametrize(
    ("mistake", "law"),
    [
        ("spec", "spec"),
        ("mutates", "mutation"),
        ("factor", "bound"),
        ("offset", "bound"),
        ("bound", "bound"),
        ("negative bound", "bound"),
        ("facts", "repeatable"),
        ("output", "repeatable"),
        ("other map", "repeatable"),
        ("reversed", "bound"),
        ("one way", "way back"),
        ("unregistered", "serialise"),
        ("vartype", "states"),
        ("no output", "output"),
    ],
)
def test_a_planted_mistake_fails_its_law(mistake, law):
    with pytest.raises(AssertionError, match=f"^{law}:"):
        check_pass(Planted(mistake), _form())


def test_a_vartype_pass_without_the_linear_shift_fails():
    """L51: the diagonal is left out of the fields."""

    @dataclass(frozen=True)
    class NoShift:
        spec: str = "vartype(SPIN)"

        def lower(self, thing, seed=0):
            good = ChangeVartype("SPIN").lower(thing)
            out = good.output
            bad = Quadratic("SPIN", out.names, thing.linear / 2, out.rows, out.columns, out.values, out.offset)
            return replace(good, output=bad)

    with pytest.raises(AssertionError, match=r"^bound:"):
        check_pass(NoShift(), _form())


def test_a_reduce_that_loses_a_reward_fails():
    @dataclass(frozen=True)
    class Lossy:
        spec: str = "reduce()"

        def lower(self, thing, seed=0):
            good = Reduce().lower(thing)
            return replace(good, output=good.output.replaced(coverage=[], offset=0.0))

    with pytest.raises(AssertionError, match=r"^bound:"):
        check_pass(Lossy(), _problem(pinned=["f"]))


def test_a_model_without_a_legal_state_asks_for_states():
    problem = _problem(ids=range(30), linear=np.ones(30), pairs=None, coverage=[], size=15, exact=True)
    model = encode_paper(problem.replaced(size=29)).model
    with pytest.raises(InputError, match="states="):
        check_pass(Penalties(problem, "reference"), model)
