"""Which machines can hold an instance, and what each would cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from math import ceil, log2
from pathlib import Path
from typing import Any, Literal

import numpy as np

from isingrag.compiler.pipeline import compile as compile_problem
from isingrag.errors import IsingragError, ProfileError
from isingrag.instance import CompiledInstance
from isingrag.model import Quadratic
from isingrag.profile import HardwareProfile, list_profiles, load_profile
from isingrag.profile.registers import MAX_BITS, register_grid
from isingrag.profile.schema import Register
from isingrag.profile.tables import register_text

__all__ = ["COMPILED_GRAPHS", "Match", "bits_needed", "match", "match_profile", "rank"]

#: Graphs that are compiled for while matching; on the others embedding takes too long for a survey.
COMPILED_GRAPHS = ("complete",)

#: Coefficients below this share of the largest are cancellation, not signal.
NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Match:
    """One machine's answer.

    Attributes
    ----------
    profile : str
    status : {'fits', 'refused', 'not compiled'}
        `refused`: compiling was tried and failed; `not compiled`: it was not tried.
    reason : str
        For `refused`, the error's name and text; for `not compiled`, why not.
    variables : int or None
        Variables of the machine.
    spins : int or None
        Variables of the target.
    bias_needed, coupling_needed : int or None
        Width at which the smallest coefficient is still one step when the largest fills the register.
    bias_held, coupling_held : str
        What the machine has: bits, levels, number type; ``?`` is unknown.
    scale : float or None
        Device units per problem unit.
    error_bound : float or None
        In the problem's units, of what is known of the machine; 0.0 is exact.
    evaluated : bool
        Whether both registers are known, so that the error bound is the whole of it.
    vanished : int or None
        Biases and couplings that rounding made zero.
    assumptions : tuple of str
        Figures that are unknown or assumed.
    error : dict or None
        A refusal's type, message, found, allowed and where.
    """

    profile: str
    status: Literal["fits", "refused", "not compiled"]
    reason: str = ""
    variables: int | None = None
    spins: int | None = None
    bias_needed: int | None = None
    coupling_needed: int | None = None
    bias_held: str = "?"
    coupling_held: str = "?"
    scale: float | None = None
    error_bound: float | None = None
    evaluated: bool = False
    vanished: int | None = None
    assumptions: tuple[str, ...] = ()
    error: dict[str, str | None] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"assumptions": list(self.assumptions)}


def match(compiled: CompiledInstance, profiles: Iterable[HardwareProfile | str | Path] | None = None) -> list[Match]:
    """Compile an instance's problem for every machine and rank the answers.

    Parameters
    ----------
    compiled : CompiledInstance
        Its problem, seed and options are used. Terms of a PyQUBO expression beyond the problem are
        not part of an instance's problem, so they are left out.
    profiles : iterable of profiles, ids or paths, optional
        All shipped profiles by default.

    Returns
    -------
    list of Match
        Machines that fit first, see `rank`.
    """
    chosen = list_profiles() if profiles is None else profiles
    return rank(match_profile(compiled, profile) for profile in chosen)


def match_profile(compiled: CompiledInstance, profile: HardwareProfile | str | Path) -> Match:
    """One machine's answer; see `match`. Errors of compiling become refusals."""
    machine = profile if isinstance(profile, HardwareProfile) else load_profile(profile)
    known: dict[str, Any] = {
        "profile": machine.name,
        "variables": machine.variables,
        "bias_held": register_text(machine.data.bias),
        "coupling_held": register_text(machine.data.coupling),
    }
    reason = _not_tried(compiled, machine)
    if reason:
        return Match(status="not compiled", reason=reason, **known)
    try:
        made = compile_problem(compiled.problem, machine, seed=compiled.seed, **dict(compiled.options))
    except IsingragError as error:
        told: dict[str, str | None] = {"type": type(error).__name__, "message": error.message}
        told |= {"found": error.found, "allowed": error.allowed, "where": error.where}
        return Match(status="refused", reason=f"{type(error).__name__}: {error}", error=told, **known)
    exact = made.model.quadratic.as_vartype(made.quadratic.vartype)
    return Match(
        status="fits",
        spins=made.spins,
        bias_needed=bits_needed(exact.linear),
        coupling_needed=bits_needed(exact.values),
        scale=made.scale,
        error_bound=made.error_bound,
        evaluated=all(_register_known(register) for register in (machine.data.bias, machine.data.coupling)),
        vanished=_vanished(exact, made.quadratic),
        assumptions=(*made.assumptions, *_notes(machine)),
        **known,
    )


def rank(matches: Iterable[Match]) -> list[Match]:
    """Fits by error bound, then refusals, then machines that were not compiled for; ties by name.

    Among those that fit, machines with an unknown register come last: their error bound is a lower one.
    """
    order = {"fits": 0, "refused": 1, "not compiled": 2}
    return sorted(matches, key=lambda row: (order[row.status], not row.evaluated, row.error_bound or 0.0, row.profile))


def _register_known(register: Register) -> bool:
    grid = register_grid(register)
    return grid.discrete or register.dtype in ("float32", "float64")


def bits_needed(values: Any) -> int | None:
    """Signed width at which the smallest nonzero coefficient is one step when the largest fills the register.

    Returns
    -------
    int or None
        None without nonzero coefficients; at most 53.
    """
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    largest = float(sizes.max(initial=0.0))
    sizes = sizes[sizes > NEGLIGIBLE * largest]
    if not sizes.size:
        return None
    steps = largest / float(sizes.min())
    return min(MAX_BITS, 1 + max(1, ceil(log2(steps * (1 - NEGLIGIBLE) + 1))))


def _not_tried(compiled: CompiledInstance, machine: HardwareProfile) -> str:
    """Why a machine is not compiled for; empty where it is."""
    try:
        machine.compilable()
    except ProfileError as error:
        reason = error.message.removeprefix(f"{machine.name} ").removeprefix("can't be compiled for: ")
        return f"{reason}; {error.allowed}" if error.allowed else reason
    graph = machine.data.topology.type
    if graph in COMPILED_GRAPHS:
        return ""
    spins = compiled.model.count
    words = f"needs embedding: its graph is {graph}"
    if machine.variables is not None and spins > machine.variables:
        return f"{words}; {spins} spins don't fit {machine.variables} qubits"
    clique = machine.data.chain.get("largest_clique_ideal")
    if isinstance(clique, int):
        fit = "fit" if spins <= clique else "may not fit"
        words += f"; as a complete graph {spins} spins {fit} (largest clique of the ideal graph: {clique})"
    return words


def _notes(machine: HardwareProfile) -> Iterator[str]:
    if machine.data.bias.via is not None:
        yield f"biases enter via {machine.data.bias.via}"


def _vanished(exact: Quadratic, form: Quadratic) -> int | None:
    if exact.names != form.names:
        return None
    before = int(np.count_nonzero(exact.linear)) + int(np.count_nonzero(exact.values))
    return before - int(np.count_nonzero(form.linear)) - int(np.count_nonzero(form.values))
