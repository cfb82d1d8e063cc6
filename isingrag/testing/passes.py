"""Laws of the compiler's passes."""

from __future__ import annotations

import json
import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import FloatArray
from isingrag.common.files import canonical_json
from isingrag.errors import InputError
from isingrag.instance import Lowering
from isingrag.model import Model, Quadratic
from isingrag.problem import SelectionProblem
from isingrag.states import map_from_dict
from isingrag.states.maps import States

__all__ = ["check_pass"]

Thing: TypeAlias = SelectionProblem | Model | Quadratic

#: Relative error of an energy that is put down to floating point.
TOLERANCE = 1e-9
#: Random states that are tried; models of at most this many states are enumerated.
STATES = 200
ENUMERATED = 2**16


def check_pass(
    pass_: Any, thing: Thing, *, seed: int = 0, states: ArrayLike | None = None, units: float = 1.0
) -> Lowering:
    """Hold a pass to the laws of `isingrag.compiler.passes.Pass`, on one thing.

    - nothing is mutated;
    - the same seed gives the same lowering: spec, map, facts, bound and output;
    - the spec is text, and the map comes back equal from JSON;
    - ``restore(extend(x)) == x``, and extended states are states of the output;
    - energy differences change by at most the declared bound (values for problems, energies for models
      and forms, divided by ``facts['factor']``); where the bound is 0 the energies themselves are kept.

    Parameters
    ----------
    pass_ : Pass
    thing : SelectionProblem, Model or Quadratic
    seed : int
    states : array_like, shape (R, n), optional
        States that the pass keeps. By default random states: of a problem feasible masks (pins
        respected), of a model states that keep every constraint, of a form any.
    units : float
        The thing's energy units per problem unit; bounds are in the problem's units, and a pass after
        `scale` gets a form in device units.

    Returns
    -------
    Lowering
        What the pass gave, for further checks.

    Raises
    ------
    AssertionError
        Names the law and what was found.
    """
    before, spec = canonical_json(thing.to_dict()), str(pass_.spec)
    lowering: Lowering = pass_.lower(thing, seed)
    again: Lowering = pass_.lower(thing, seed)
    if canonical_json(thing.to_dict()) != before:
        raise AssertionError(f"mutation: {spec or type(pass_).__name__} changed the thing that it was given")
    _check_spec(pass_, lowering, spec)
    _check_same(lowering, again)
    _check_map(lowering)
    kept = _states(thing, seed) if states is None else np.asarray(states).astype(np.int8)
    extended = _check_way_back(lowering, kept)
    _check_bound(lowering, thing, kept, extended, seed, units)
    return lowering


def _check_spec(pass_: Any, lowering: Lowering, spec: str) -> None:
    if not spec.strip() or lowering.spec != spec or str(pass_.spec) != spec:
        raise AssertionError(f"spec: the pass says {spec!r}, its lowering {lowering.spec!r}; one text is due")
    if not isinstance(lowering.output, (SelectionProblem, Model, Quadratic)):
        raise AssertionError(f"output: {spec} gave {type(lowering.output).__name__}, no problem, model or form")


def _output(lowering: Lowering) -> Thing:
    assert lowering.output is not None
    return lowering.output


def _check_same(lowering: Lowering, again: Lowering) -> None:
    for what, one, two in (
        ("spec", lowering.spec, again.spec),
        ("map", lowering.map, again.map),
        ("facts", canonical_json(dict(lowering.facts)), canonical_json(dict(again.facts))),
        ("error bound", lowering.error_bound, again.error_bound),
        ("seed", lowering.seed, again.seed),
        ("output", canonical_json(_output(lowering).to_dict()), canonical_json(_output(again).to_dict())),
    ):
        if one != two:
            raise AssertionError(f"repeatable: {lowering.spec} gave another {what} with the same seed")


def _check_map(lowering: Lowering) -> None:
    try:
        back = map_from_dict(json.loads(canonical_json(lowering.map.to_dict())))
    except Exception as error:
        text = f"the map of {lowering.spec} does not come back from JSON: {type(error).__name__}: {error}"
        raise AssertionError(f"serialise: {text}") from error
    if back != lowering.map:
        raise AssertionError(f"serialise: the map of {lowering.spec} comes back from JSON as another one")


def _check_way_back(lowering: Lowering, kept: States) -> States:
    extended = np.asarray(lowering.map.extend(kept))
    output = _output(lowering)
    if extended.shape != (len(kept), output.count):
        raise AssertionError(
            f"states: {lowering.spec} extends {kept.shape} to {extended.shape}; its output has {output.count} variables"
        )
    allowed = (-1, 1) if isinstance(output, Quadratic) and output.vartype == "SPIN" else (0, 1)
    if not np.isin(extended, allowed).all():
        raise AssertionError(f"states: {lowering.spec} extends to values {np.unique(extended)}, allowed {allowed}")
    restored = np.asarray(lowering.map.restore(extended))
    if restored.shape != kept.shape or not np.array_equal(restored, kept):
        wrong = len(kept) if restored.shape != kept.shape else int((restored != kept).any(axis=1).sum())
        raise AssertionError(f"way back: restore(extend(x)) != x in {wrong} of {len(kept)} states of {lowering.spec}")
    return extended.astype(np.int8)


def _energies(thing: Thing, states: States) -> FloatArray:
    """Energies, with minus the value for problems."""
    return -thing.values(states) if isinstance(thing, SelectionProblem) else thing.energies(states)


def _check_bound(lowering: Lowering, thing: Thing, kept: States, extended: States, seed: int, units: float) -> None:
    bound = lowering.error_bound
    factor = float(lowering.facts.get("factor", 1.0))
    if not (math.isfinite(bound) and bound >= 0 and math.isfinite(factor) and factor > 0):
        raise AssertionError(f"bound: {lowering.spec} declares error bound {bound!r} and factor {factor!r}")
    before = _energies(thing, kept) / units
    after = _energies(_output(lowering), extended) / (units * factor)
    tolerance = TOLERANCE * (float(np.abs(before).max(initial=0.0)) + float(np.abs(after).max(initial=0.0)))
    if bound == 0:
        worst = float(np.abs(after - before).max(initial=0.0))
        if worst > tolerance:
            raise AssertionError(f"bound: {lowering.spec} calls itself exact and changes an energy by {worst:.6g}")
        return
    rng = np.random.default_rng(seed)
    one, two = rng.integers(0, len(kept), size=(2, 20 * len(kept)))
    worst = float(np.abs((after[one] - after[two]) - (before[one] - before[two])).max(initial=0.0))
    if worst > bound + tolerance:
        text = f"{lowering.spec} declares {bound:.6g} and changes an energy difference by {worst:.6g}"
        raise AssertionError(f"bound: {text}")


def _states(thing: Thing, seed: int) -> States:
    """Random states that a pass may be asked to keep."""
    rng = np.random.default_rng(seed)
    if isinstance(thing, SelectionProblem):
        found = _masks(thing, rng)
    elif isinstance(thing, Model):
        found = _legal(thing, rng)
    else:
        found = rng.integers(0, 2, size=(STATES, thing.count))
        found = 2 * found - 1 if thing.vartype == "SPIN" else found
    if not len(found):
        raise InputError("no state that the pass keeps was found", allowed="states=...", where="check_pass")
    return found.astype(np.int8)


def _masks(problem: SelectionProblem, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    masks = np.zeros((STATES, problem.count), dtype=bool)
    free = np.setdiff1d(np.arange(problem.count), [*problem.pinned, *problem.forbidden])
    top = problem.count if problem.size is None else problem.size - len(problem.pinned)
    top = min(top, free.size)
    for row in masks:
        wanted = top if problem.exact else int(rng.integers(0, top + 1))
        row[rng.permutation(free)[:wanted]] = True
    masks[:, list(problem.pinned)] = True
    return masks[problem.feasible(masks)]


def _legal(model: Model, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    if 2**model.count <= ENUMERATED:
        states = (np.arange(2**model.count)[:, None] >> np.arange(model.count)) & 1
    else:
        states = rng.integers(0, 2, size=(ENUMERATED, model.count))
    good = np.ones(len(states), dtype=bool)
    for constraint in model.constraints:
        good &= ~constraint.broken(states)
    found = states[good]
    return found[rng.permutation(len(found))[:STATES]]
