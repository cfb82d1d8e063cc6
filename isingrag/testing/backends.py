"""Conformance of a backend: the laws that every machine and emulator keeps.

Energies are recomputed here from the BQM's own dictionaries, label by label, and small instances are
enumerated, so that nothing is judged by the code under test.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from isingrag.backends import get_backend
from isingrag.errors import ConformanceError, InputError, UnknownOption
from isingrag.profile import HardwareProfile

__all__ = ["check_backend"]

#: Relative error of an energy that is put down to floating point.
TOLERANCE = 1e-9
#: An option that no backend knows.
NO_OPTION = "no_such_option"


def check_backend(
    backend: Any, *, profile: HardwareProfile | None = None, exact: bool = False, reads: int = 20
) -> None:
    """Hold a backend to the laws of `isingrag.backends.Backend`.

    Parameters
    ----------
    backend : str or Backend
    profile : HardwareProfile, optional
        Also check that instances which this machine can't hold are refused.
    exact : bool
        The backend gives ground states only, at most `reads` of them, instead of one state a read.
    reads : int
        Reads with which the ground states of small instances (up to 9 variables) must be found.

    Raises
    ------
    AssertionError
        Names the law, the instance and what was found.
    """
    machine = get_backend(backend)
    laws: list[Callable[[Any, bool, int], None]] = [
        _input_untouched,
        _labels_and_energies,
        _sign,
        _linear,
        _offset,
        _reads,
        _seed,
        _options,
        _requests,
        _not_finite,
        _small_forms,
        _info,
        _ground_states,
    ]
    for law in laws:
        law(machine, exact, reads)
    if profile is not None:
        _profile(machine, profile, reads)


def _fail(law: str, machine: Any, text: str) -> None:
    raise AssertionError(f"{law}: backend {getattr(machine, 'name', machine)!r} {text}")


def _bqm(
    vartype: str, linear: dict[Any, float], pairs: dict[tuple[Any, Any], float] | None = None, offset: float = 0.0
) -> Any:
    import dimod

    return dimod.BinaryQuadraticModel(linear, pairs or {}, offset, vartype)


def _energy(bqm: Any, state: dict[Hashable, Any]) -> float:
    """Energy of one state, by label."""
    total = float(bqm.offset) + sum(float(bias) * int(state[v]) for v, bias in bqm.linear.items())
    return total + sum(float(bias) * int(state[u]) * int(state[v]) for (u, v), bias in bqm.quadratic.items())


def _best(bqm: Any) -> float:
    """Lowest energy over all states of a small BQM."""
    values = (-1, 1) if bqm.vartype.name == "SPIN" else (0, 1)
    variables = list(bqm.variables)
    states = itertools.product(values, repeat=len(variables))
    return min(_energy(bqm, dict(zip(variables, state, strict=True))) for state in states)


def _rows(answer: Any) -> Iterator[tuple[dict[Hashable, Any], float]]:
    variables = list(answer.variables)
    for sample, energy in zip(answer.record.sample, answer.record.energy, strict=True):
        yield dict(zip(variables, sample.tolist(), strict=True)), float(energy)


def _close(a: float, b: float, scale: float = 1.0) -> bool:
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b), scale)


def _sample(law: str, machine: Any, bqm: Any, *, reads: int, seed: int = 0) -> Any:
    """An answer whose form was checked: variables, vartype, values and the energy of every row (L52)."""
    answer = machine.sample(bqm, reads=reads, seed=seed)
    if set(answer.variables) != set(bqm.variables):
        _fail(law, machine, f"answered for variables {list(answer.variables)}, asked for {list(bqm.variables)}")
    if answer.vartype.name != bqm.vartype.name:
        _fail(law, machine, f"answered in {answer.vartype.name}, asked in {bqm.vartype.name}")
    allowed = {-1, 1} if bqm.vartype.name == "SPIN" else {0, 1}
    for read, (state, energy) in enumerate(_rows(answer)):
        if not set(state.values()) <= allowed:
            _fail(law, machine, f"answered {sorted(set(state.values()))} in read {read}, allowed {sorted(allowed)}")
        right = _energy(bqm, state)
        if not _close(energy, right):
            _fail(law, machine, f"states energy {energy!r} in read {read}; its own sample {state} has {right!r}")
    return answer


def _lowest(law: str, machine: Any, answer: Any) -> float:
    if not len(answer):
        _fail(law, machine, "answered no read at all")
    return float(min(answer.record.energy))


def _labels_and_energies(machine: Any, exact: bool, reads: int) -> None:
    """Every stated energy is that of its own sample, whatever the labels and their order (L52, L53, L59)."""
    rng = np.random.default_rng(0)
    labels: list[Sequence[Any]] = [
        ["x10", "x2", "b", "a", "x1"],
        [7, 0, 3, 11, 2],
        [("p", 1), ("p", 0), ("a", 2), ("a", 10), ("z", 0)],
    ]
    for names in labels:
        for vartype in ("SPIN", "BINARY"):
            linear = dict(zip(names, rng.normal(size=len(names)).tolist(), strict=True))
            pairs = {pair: float(rng.normal()) for pair in itertools.combinations(reversed(names), 2)}
            bqm = _bqm(vartype, linear, pairs, float(rng.normal()))
            answer = _sample("energies", machine, bqm, reads=reads)
            lowest, best = _lowest("energies", machine, answer), _best(bqm)
            if not _close(lowest, best):
                text = f"answered {lowest:.9g} to 5 {vartype} variables {list(names)}; the best is {best:.9g}"
                _fail("energies", machine, text)


def _sign(machine: Any, exact: bool, reads: int) -> None:
    """J = +1 gives opposite spins, J = -1 equal ones (L54)."""
    for coupling in (1.0, -1.0):
        answer = _sample("sign", machine, _bqm("SPIN", {"a": 0.0, "b": 0.0}, {("a", "b"): coupling}), reads=reads)
        state, energy = min(_rows(answer), key=lambda row: row[1])
        if not _close(energy, -1.0) or int(state["a"]) * int(state["b"]) != -int(coupling):
            wanted = "opposite" if coupling > 0 else "equal"
            _fail("sign", machine, f"answered {state}, energy {energy:g}, to J = {coupling:+g}; {wanted} spins have -1")


def _linear(machine: Any, exact: bool, reads: int) -> None:
    """Fields count, with their own sign (L51)."""
    cases: list[tuple[Any, dict[str, int], float]] = [
        (_bqm("BINARY", {"u": -1.0, "v": 2.0}, {("u", "v"): 3.0}), {"u": 1, "v": 0}, -1.0),
        (_bqm("SPIN", {"u": 0.25, "v": 1.75}, {("u", "v"): 0.75}, 1.25), {"u": 1, "v": -1}, -1.0),
    ]
    for bqm, best, wanted in cases:
        answer = _sample("linear", machine, bqm, reads=reads)
        state, energy = min(_rows(answer), key=lambda row: row[1])
        if dict(state) != best or not _close(energy, wanted):
            _fail(
                "linear",
                machine,
                f"answered {state}, energy {energy:g}; the ground state is {best}, {wanted:g}",
            )


def _offset(machine: Any, exact: bool, reads: int) -> None:
    """The offset is part of the energy."""
    for vartype in ("SPIN", "BINARY"):
        plain = _bqm(vartype, {"a": 1.0, "b": -2.0}, {("a", "b"): 0.5})
        raised = _bqm(vartype, {"a": 1.0, "b": -2.0}, {("a", "b"): 0.5}, 7.25)
        low = _lowest("offset", machine, machine.sample(plain, reads=reads, seed=0))
        high = _lowest("offset", machine, machine.sample(raised, reads=reads, seed=0))
        if not _close(high - low, 7.25):
            _fail("offset", machine, f"changed its lowest energy by {high - low:g} for an offset of 7.25 ({vartype})")


def _reads(machine: Any, exact: bool, reads: int) -> None:
    """One state a read; an exact backend gives 1 to `reads` ground states."""
    bqm = _bqm("SPIN", {}, {(i, i + 1): 1.0 for i in range(4)})
    for wanted in (1, 2, 7):
        answer = _sample("reads", machine, bqm, reads=wanted)
        found = int(answer.record.num_occurrences.sum())
        good = 1 <= found <= wanted if exact else found == wanted
        if not good:
            _fail("reads", machine, f"answered {found} reads, asked for {'at most ' * exact}{wanted}")


def _degenerate() -> Any:
    """Twelve spins with weak random couplings and no fields: two runs at random hardly agree."""
    rng = np.random.default_rng(5)
    pairs = {(i, k): float(rng.choice([-1.0, 0.0, 0.0, 1.0])) for i, k in itertools.combinations(range(12), 2)}
    return _bqm("SPIN", dict.fromkeys(range(12), 0.0), pairs)


def _seed(machine: Any, exact: bool, reads: int) -> None:
    """The same seed gives the same samples in the same order; other seeds may differ."""
    bqm = _degenerate()
    for seed in (0, 1, 12345):
        first, again = (list(_rows(_sample("seed", machine, bqm, reads=reads, seed=seed))) for _ in range(2))
        if first != again:
            differ = sum(a != b for a, b in itertools.zip_longest(first, again))
            _fail("seed", machine, f"answered {differ} of {len(first)} reads differently to seed {seed} asked twice")


def _options(machine: Any, exact: bool, reads: int) -> None:
    """An unknown option is refused by name, with the valid ones (L47, L65)."""
    try:
        machine.sample(_bqm("SPIN", {"a": 1.0}), reads=1, seed=0, **{NO_OPTION: 1})
    except UnknownOption as error:
        if NO_OPTION not in str(error) or not error.allowed:
            _fail("options", machine, f"refused an unknown option without naming it and the nearest ones: {error}")
        return
    except Exception as error:
        _fail("options", machine, f"raised {type(error).__name__} ({error}) for an unknown option, not UnknownOption")
    _fail("options", machine, "took an unknown option without a word")


def _refused(law: str, machine: Any, what: str, kind: type[Exception], bqm: Any, **request: Any) -> None:
    try:
        machine.sample(bqm, **request)
    except kind:
        return
    except Exception as error:
        _fail(law, machine, f"raised {type(error).__name__} ({error}) for {what}, not {kind.__name__}")
    _fail(law, machine, f"took {what} without a word")


def _requests(machine: Any, exact: bool, reads: int) -> None:
    """Reads below 1 and seeds that can't be repeated are refused."""
    bqm = _bqm("SPIN", {"a": 1.0})
    for bad in (0, -1, True, 2.5, None):
        _refused("reads", machine, f"reads={bad!r}", InputError, bqm, reads=bad, seed=0)
    for bad in (-1, True, 1.5, None):
        _refused("seed", machine, f"seed={bad!r}", InputError, bqm, reads=1, seed=bad)


def _not_finite(machine: Any, exact: bool, reads: int) -> None:
    """NaN and infinity are refused wherever they stand (L07)."""
    for bad in (math.nan, math.inf, -math.inf):
        for vartype in ("SPIN", "BINARY"):
            forms = {
                "a bias": _bqm(vartype, {"a": bad, "b": 1.0}),
                "a coupling": _bqm(vartype, {"a": 1.0, "b": 1.0}, {("a", "b"): bad}),
                "an offset": _bqm(vartype, {"a": 1.0}, offset=bad),
            }
            for what, bqm in forms.items():
                _refused("finite", machine, f"{what} of {bad}", InputError, bqm, reads=1, seed=0)


def _small_forms(machine: Any, exact: bool, reads: int) -> None:
    """Forms at the edge: no variable, one, fields only, all zero, two parts without a link."""
    for vartype in ("SPIN", "BINARY"):
        forms = {
            "no variables": _bqm(vartype, {}, offset=2.5),
            "one variable, field up": _bqm(vartype, {"a": 1.5}),
            "one variable, field down": _bqm(vartype, {"a": -1.5}),
            "one variable, no field": _bqm(vartype, {"a": 0.0}, offset=-1.0),
            "fields only": _bqm(vartype, {"c": 3.0, "a": -1.0, "b": 0.25}),
            "two parts": _bqm(vartype, {"c": 1.0, "d": 0.0, "a": -1.0, "b": 0.5}, {("c", "d"): 2.0, ("b", "a"): -3.0}),
            "tiny": _bqm(vartype, {"a": 1e-9, "b": -2e-9}, {("a", "b"): 1.5e-9}),
        }
        for what, bqm in forms.items():
            try:
                answer = _sample("edge forms", machine, bqm, reads=reads)
            except AssertionError:
                raise
            except Exception as error:
                _fail("edge forms", machine, f"raised {type(error).__name__} ({error}) for {what} ({vartype})")
            lowest, best = _lowest("edge forms", machine, answer), _best(bqm)
            if abs(lowest - best) > TOLERANCE * abs(best):
                _fail("edge forms", machine, f"answered {lowest:.9g} to {what} ({vartype}); the best is {best:.9g}")


def _input_untouched(machine: Any, exact: bool, reads: int) -> None:
    """The BQM that was given is the same afterwards."""
    for vartype in ("SPIN", "BINARY"):
        bqm = _bqm(vartype, {"b": 0.3, "a": -0.7}, {("b", "a"): 0.0}, 1.5)
        before = (list(bqm.variables), dict(bqm.linear), dict(bqm.quadratic), float(bqm.offset), bqm.vartype)
        machine.sample(bqm, reads=2, seed=0)
        after = (list(bqm.variables), dict(bqm.linear), dict(bqm.quadratic), float(bqm.offset), bqm.vartype)
        if before != after:
            _fail("input", machine, f"changed the BQM that it was given from {before} to {after}")


def _info(machine: Any, exact: bool, reads: int) -> None:
    """The answer says who gave it."""
    name = getattr(machine, "name", None)
    if not isinstance(name, str) or not name:
        _fail("info", machine, "has no name")
    found = machine.sample(_bqm("SPIN", {"a": 1.0}), reads=1, seed=0).info.get("backend")
    if found != name:
        _fail("info", machine, f"answered info['backend'] = {found!r}")


def _frustrated() -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(11)
    ring = {(i, (i + 1) % 9): 1.0 for i in range(9)}
    yield "an odd ring", _bqm("SPIN", {i: 0.1 * (i % 3) for i in range(9)}, ring)
    for size in (6, 8):
        pairs = {pair: float(rng.choice([-1.0, 1.0])) for pair in itertools.combinations(range(size), 2)}
        yield f"{size} spins, couplings of +-1", _bqm("SPIN", {}, pairs)
        mixed = {pair: float(rng.normal()) for pair in itertools.combinations(range(size), 2)}
        yield f"{size} bits, Gaussian", _bqm("BINARY", {i: float(rng.normal()) for i in range(size)}, mixed)
    values = rng.uniform(0.5, 1.5, size=8)
    linear = {i: float(-values[i] + 4.0 * (1 - 2 * 3)) for i in range(8)}
    yield "the best 3 of 8", _bqm("BINARY", linear, dict.fromkeys(itertools.combinations(range(8), 2), 8.0), 36.0)


def _ground_states(machine: Any, exact: bool, reads: int) -> None:
    """Ground states of small frustrated instances are found within `reads` reads."""
    for what, bqm in _frustrated():
        answer = _sample("ground state", machine, bqm, reads=reads)
        lowest, best = _lowest("ground state", machine, answer), _best(bqm)
        if not _close(lowest, best):
            _fail("ground state", machine, f"answered {lowest:.9g} to {what}, {reads} reads; the best is {best:.9g}")
        worst = float(max(answer.record.energy))
        if exact and not _close(worst, best):
            _fail("ground state", machine, f"is exact and answered {worst:.9g} to {what}; the best is {best:.9g}")


def _profile(machine: Any, profile: HardwareProfile, reads: int) -> None:
    """What the machine can't hold is refused, what it can hold is sampled (L45)."""
    vartype = profile.vartype or "SPIN"
    wrong = "BINARY" if vartype == "SPIN" else "SPIN"
    bias, coupling = profile.bias_grid, profile.coupling_grid
    held = bias.high if bias.bounded and bias.high > 0 else bias.low if bias.bounded else 1.0
    cases = {}
    if profile.vartype is not None:
        cases[f"a {wrong} form"] = _bqm(wrong, {"a": held})
    for name, grid in (("bias", bias), ("coupling", coupling)):
        values = {}
        if grid.bounded:
            values[f"a {name} above the range"] = grid.high + max(1.0, abs(grid.high))
            values[f"a {name} below the range"] = grid.low - max(1.0, abs(grid.low))
        if grid.step is not None:
            values[f"a {name} between two steps"] = grid.step / 2
        if grid.levels is not None:
            values[f"a {name} between two levels"] = (grid.levels[0] + grid.levels[1]) / 2
        for what, value in values.items():
            cases[what] = (
                _bqm(vartype, {"a": value})
                if name == "bias"
                else _bqm(vartype, {"a": 0.0, "b": 0.0}, {("a", "b"): value})
            )
    if profile.variables is not None and profile.variables <= 1_000_000:
        cases["too many variables"] = _bqm(vartype, dict.fromkeys(range(profile.variables + 1), 0.0))
    for what, bqm in cases.items():
        _refused("profile", machine, what, ConformanceError, bqm, profile=profile, reads=1, seed=0)
    legal = _bqm(vartype, {"a": held})
    answer = machine.sample(legal, profile, reads=reads, seed=0)
    if not _close(_lowest("profile", machine, answer), _best(legal)):
        _fail("profile", machine, f"did not solve one variable with a bias of {held:g}, which {profile.name} holds")
