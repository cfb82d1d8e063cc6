"""compile: the whole order of the passes, for one machine.

tight:  reduce -> presolve -> coverage -> (shortlist) -> encode
paper:  reduce -> (round_scores) -> encode -> penalties
both:   | vartype -> (gauge) -> (embed -> chain) -> scale -> quantize
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from isingrag.common.options import check_options, choose
from isingrag.common.seeds import check_seed
from isingrag.compiler.aware import aware_scale, can_be_aware
from isingrag.compiler.passes import (
    Chain,
    ChangeVartype,
    Embed,
    Encode,
    Gauge,
    Penalties,
    Quantize,
    Reduce,
    RoundScores,
    Scale,
)
from isingrag.compiler.passes.presolve import LEVELS
from isingrag.compiler.passes.scale import range_factor
from isingrag.compiler.tight import formulate_tight
from isingrag.errors import CompileError, InputError, RangeError
from isingrag.formulate import Polynomial, fold, is_expression
from isingrag.instance import CompiledInstance, Lowering
from isingrag.model import Model, Quadratic
from isingrag.problem import SelectionProblem
from isingrag.profile import HardwareProfile, load_profile
from isingrag.profile.topology import node_count
from isingrag.states import EmbedMap

__all__ = ["LOWERINGS", "ROUNDINGS", "compile"]

LOWERINGS = ("tight", "paper")
ROUNDINGS = {"tight": ("aware", "device"), "paper": ("device", "scores")}


def compile(
    problem_or_expression: Any,
    profile: HardwareProfile | str | Path,
    *,
    problem: SelectionProblem | None = None,
    lowering: str = "tight",
    penalties: str | Mapping[str, float] | None = None,
    rounding: str | None = None,
    presolve: str = "probing",
    parameters: Mapping[str, float] | None = None,
    gauge: bool = False,
    embedding: Mapping[str, Any] | None = None,
    chain_strength: str | float = "torque",
    seed: int = 0,
) -> CompiledInstance:
    """Compile a selection problem for a machine.

    Parameters
    ----------
    problem_or_expression : SelectionProblem or PyQUBO expression
        An expression is `symbolic(problem)` plus terms; `problem` must be given with it. Terms of
        degree up to 2 over items become part of the problem; others stay in the model.
    profile : HardwareProfile, id or path
    problem : SelectionProblem, optional
        The problem that an expression was made from.
    lowering : {'tight', 'paper'}
        `tight` keeps the optimum in few bits and variables; `paper` is the published formulation.
    penalties : {'reference', 'sufficient'} or mapping of kind to weight, optional
        `paper` only, `reference` by default; `tight` sets its own.
    rounding : {'aware', 'device', 'scores'}, optional
        `device` rounds the whole form that the machine takes by the machine's own rule; `aware` (default
        of `tight`) balances the errors and chooses the scale; `scores` (`paper` only) rounds coefficients and
        penalties before the QUBO is built, as published.
    presolve : {'probing', 'dominance', 'marginal', 'none'}
        How hard `tight` looks for items that every optimum holds, or that none does. Exact at every level; `probing`
        settles most small problems before the machine is asked.
    parameters : mapping, optional
        Values of the user's own placeholders in an expression.
    gauge : bool
        Flip a random half of the variables (spin-reversal transform), drawn with `seed`.
    embedding : mapping, optional
        Options of the pass `Embed` (method, time_limit, tries, prune_below, couplers, restore), and
        `chain_couplers` and `prefactor` of the pass `Chain`; machines with a sparse graph only.
    chain_strength : {'torque', 'scaled', 'per_chain', 'bits'} or float
        See the pass `Chain`; a number is in the problem's units.
    seed : int
        Recorded; drawn from by gauges, embeddings and stochastic rounding.

    Returns
    -------
    CompiledInstance

    Raises
    ------
    ProfileError
        Vartype or topology unknown, or profile incomplete.
    EmbeddingError
        The couplings find no place on the machine's graph.
    TooLarge, RangeError, ConformanceError
        The instance does not fit the machine.
    """
    seed = check_seed(seed)
    machine = profile if isinstance(profile, HardwareProfile) else load_profile(profile)
    choose("lowering", lowering, LOWERINGS)
    choose("presolve", presolve, LEVELS)
    rounding = choose("rounding", rounding or ROUNDINGS[lowering][0], ROUNDINGS[lowering])
    judge, extra = _problem_of(problem_or_expression, problem, parameters or {})
    if lowering == "tight":
        _check_tight(penalties, extra)
    weights = "reference" if penalties is None else penalties
    machine.compilable()
    graph = _graph_passes(machine, embedding, chain_strength)
    if lowering == "tight":
        trace, model = formulate_tight(judge, machine, presolve)
    else:
        trace, model = _formulate(judge, machine, weights, rounding, extra)
    aware = rounding == "aware" and graph is None
    target_steps, form = _lower(model, machine, trace, seed, gauge, graph, aware)
    machine.require(form)
    options = {
        "lowering": lowering,
        "rounding": rounding,
        **({"presolve": presolve} if lowering == "tight" else {"penalties": _plain_weights(weights)}),
        **({"gauge": True} if gauge else {}),
        **({"embedding": dict(embedding or {}), "chain_strength": chain_strength} if graph is not None else {}),
    }
    return CompiledInstance(
        problem=judge,
        model=model,
        quadratic=form,
        profile=machine,
        trace=(*trace, *target_steps),
        assumptions=machine.assumptions(),
        seed=seed,
        options=options,
    )


def _plain_weights(weights: str | Mapping[str, float]) -> str | dict[str, float]:
    return weights if isinstance(weights, str) else {k: float(v) for k, v in weights.items()}


def _check_tight(penalties: object, extra: Polynomial | None) -> None:
    if penalties is not None:
        raise InputError(
            "the tight lowering sets its own weights", found=penalties, allowed="lowering='paper'", where="penalties"
        )
    if extra is not None:
        raise CompileError(
            "terms over other variables or of a degree above 2 need the published formulation",
            found=extra.names[:3],
            allowed="lowering='paper'",
            where="expression",
        )


def _problem_of(
    given: Any, problem: SelectionProblem | None, parameters: Mapping[str, float]
) -> tuple[SelectionProblem, Polynomial | None]:
    if isinstance(given, SelectionProblem):
        return given, None
    if not is_expression(given):
        raise InputError(
            "neither a problem nor an expression",
            found=type(given).__name__,
            allowed="SelectionProblem or a PyQUBO expression",
            where="compile",
        )
    if problem is None:
        raise InputError("an expression needs its problem", allowed="compile(expression, profile, problem=problem)")
    folded = fold(given, problem, parameters)
    if folded.extra is not None and (problem.pinned or problem.forbidden):
        raise CompileError(
            "terms beyond the items can't be combined with pinned or forbidden items",
            allowed="fix the items in the problem's data instead",
            where="expression",
        )
    return folded.problem, folded.extra


def _graph_passes(
    machine: HardwareProfile, embedding: Mapping[str, Any] | None, chain_strength: str | float
) -> tuple[Embed, Chain] | None:
    """Passes for a sparse graph, checked before any work; None for a complete one.

    The `Chain` here has no chains yet; they come from the embedding.
    """
    options = dict(embedding or {})
    known = ("method", "time_limit", "tries", "prune_below", "couplers", "restore", "chain_couplers", "prefactor")
    check_options("embedding", options, known)
    chain = Chain(
        machine, (), chain_strength, options.pop("prefactor", None), couplers=options.pop("chain_couplers", "all")
    )
    embed = Embed(machine, **options)
    if machine.data.topology.type == "complete":
        return None
    node_count(machine)  # a graph that can't be built is refused here
    return embed, chain


def _formulate(
    judge: SelectionProblem,
    machine: HardwareProfile,
    penalties: str | Mapping[str, float],
    rounding: str,
    extra: Polynomial | None,
) -> tuple[list[Lowering], Model]:
    """Passes from the problem to the weighted model."""
    trace = [Reduce().lower(judge)] if judge.pinned or judge.forbidden else []
    current = _problem(trace, judge)
    encoded = _encode(current, penalties, extra)
    discrete = any(grid.discrete and grid.bounded for grid in (machine.bias_grid, machine.coupling_grid))
    if rounding == "scores" and discrete:
        encoded = _round_scores(trace, judge, encoded, machine, extra)
    trace += encoded
    return trace, _model(encoded[-1])


def _problem(trace: list[Lowering], judge: SelectionProblem) -> SelectionProblem:
    output = trace[-1].output if trace else judge
    assert isinstance(output, SelectionProblem)
    return output


def _model(step: Lowering) -> Model:
    assert isinstance(step.output, Model)
    return step.output


def _encode(
    current: SelectionProblem, penalties: str | Mapping[str, float], extra: Polynomial | None
) -> list[Lowering]:
    encode = Encode(extra).lower(current)
    return [encode, Penalties(current, penalties).lower(_model(encode))]


def _round_scores(
    trace: list[Lowering],
    judge: SelectionProblem,
    encoded: list[Lowering],
    machine: HardwareProfile,
    extra: Polynomial | None,
) -> list[Lowering]:
    """Passes of the published rounding: the largest whole scores whose finished form fits.

    A SPIN form of whole QUBO coefficients is a multiple of 1/4, so the device factor is four times
    the score factor there. Rounding moves coefficients by several steps (penalties are rounded up),
    so the factor is lowered until the form fits.

    Raises
    ------
    RangeError
        Even penalties of one unit are too wide for the registers.
    """
    current = _problem(trace, judge)
    form = _model(encoded[-1]).quadratic.as_vartype(machine.vartype or "BINARY")
    quarter = 4.0 if form.vartype == "SPIN" else 1.0
    factor = range_factor(form, machine) / quarter
    weights = encoded[-1].facts["weights"]
    for _ in range(40):
        rounded = RoundScores(factor).lower(current)
        whole = {kind: _whole_score(value * factor) / factor for kind, value in weights.items()}
        steps = [rounded, *_encode(_problem([rounded], judge), whole, extra)]
        form = _model(steps[-1]).quadratic.as_vartype(machine.vartype or "BINARY").scaled(factor * quarter)
        room = range_factor(form, machine)
        if room >= 1.0 - 1e-12:
            return steps
        factor *= room * (1.0 - 1e-9)
    raise RangeError(
        "whole-number scores don't fit the registers",
        found=f"largest bias {form.max_linear:g}, coupling {form.max_quadratic:g} with penalties of one unit",
        allowed=f"bias <= {machine.bias_grid.high:g}, coupling <= {machine.coupling_grid.high:g}; rounding='device'",
        where=machine.name,
    )


def _whole_score(penalty: float) -> float:
    """A penalty in scores, rounded up; never rounded away."""
    return max(1.0, float(np.ceil(penalty - 1e-9))) if penalty > 0 else 0.0


def _lower(
    model: Model,
    machine: HardwareProfile,
    trace: list[Lowering],
    seed: int,
    gauge: bool,
    graph: tuple[Embed, Chain] | None,
    aware: bool,
) -> tuple[list[Lowering], Quadratic]:
    """Passes from the model to the target."""
    steps = [ChangeVartype(machine.vartype or "BINARY").lower(model.quadratic)]
    if gauge:
        steps.append(Gauge().lower(_form(steps), seed))
    scores = [step.facts["per unit"] for step in trace if step.name == "round_scores"]
    factor = scores[0] * (4.0 if machine.vartype == "SPIN" else 1.0) if scores else None
    if graph is not None:
        steps += _place(model, _form(steps), graph, seed)
        factor = None  # spread over chains, whole scores are whole no more; the range decides
    if aware and can_be_aware(_form(steps), machine):
        steps += _aware(steps, machine, trace, seed)
        return steps, _form(steps)
    steps.append(Scale(machine, factor).lower(_form(steps)))
    steps.append(Quantize(machine, steps[-1].facts["factor"]).lower(_form(steps), seed))
    return steps, _form(steps)


def _aware(steps: list[Lowering], machine: HardwareProfile, trace: list[Lowering], seed: int) -> list[Lowering]:
    """Scale and quantize by the expected error; a gauge turns the means with its spins."""
    form = _form(steps)
    means = np.array(trace[-1].facts["means"])
    for step in steps:
        if step.name == "gauge":
            means = np.where(step.map.extend(np.ones((1, means.size), dtype=np.int8))[0] > 0, means, 1 - means)
    factor = aware_scale(form, means, machine, range_factor(form, machine))
    scale = Scale(machine, factor).lower(form)
    quantize = Quantize(machine, factor, "aware", tuple(means.tolist()))
    assert isinstance(scale.output, Quadratic)
    return [scale, quantize.lower(scale.output, seed)]


def _place(model: Model, form: Quadratic, graph: tuple[Embed, Chain], seed: int) -> list[Lowering]:
    """Embedding and chains."""
    embed = graph[0].lower(form, seed)
    assert isinstance(embed.map, EmbedMap)
    assert isinstance(embed.output, Quadratic)
    chains = tuple(tuple(chain.tolist()) for chain in embed.map.chains)
    chain = replace(graph[1], chains=chains, objective=model.objective)
    return [embed, chain.lower(embed.output)]


def _form(steps: list[Lowering]) -> Quadratic:
    output = steps[-1].output
    assert isinstance(output, Quadratic)
    return output
