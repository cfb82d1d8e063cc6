"""CompiledInstance: what a machine gets, and how its answer comes back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isingrag.common.files import canonical_json
from isingrag.instance.lowering import Lowering
from isingrag.model import Model, Quadratic
from isingrag.problem import SelectionProblem
from isingrag.profile import HardwareProfile
from isingrag.states import EmbedMap, as_states
from isingrag.states.maps import States

if TYPE_CHECKING:
    import dimod

__all__ = ["CompiledInstance"]

#: Passes up to this one act on the problem or make the model; the later ones act on the target.
MODEL_PASSES = ("reduce", "presolve", "coverage", "shortlist", "round_scores", "encode", "penalties")


@dataclass(frozen=True, eq=False)
class CompiledInstance:
    """A selection problem compiled for one machine.

    Attributes
    ----------
    problem : SelectionProblem
        The judge.
    model : Model
        BINARY, in the problem's units.
    quadratic : Quadratic
        The target as a frozen form; `target` is the same as a dimod BQM.
    profile : HardwareProfile
    trace : tuple of Lowering
        One per pass, in order.
    assumptions : tuple of str
        Figures assumed or unknown.
    seed : int
    options : dict
        Options of the call, plain values.
    """

    problem: SelectionProblem
    model: Model
    quadratic: Quadratic
    profile: HardwareProfile
    trace: tuple[Lowering, ...]
    assumptions: tuple[str, ...] = ()
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def target(self) -> dimod.BinaryQuadraticModel:
        """A new dimod BQM in device units and the device's vartype; whole numbers under a bit width."""
        return self.quadratic.to_bqm()

    @property
    def spins(self) -> int:
        """Variables of the target."""
        return self.quadratic.count

    @cached_property
    def scale(self) -> float:
        """Device units per problem unit."""
        return float(np.prod([step.facts.get("factor", 1.0) for step in self.trace], initial=1.0))

    @property
    def offset(self) -> float:
        """Constant of the target, in device units."""
        return self.quadratic.offset

    @property
    def error_bound(self) -> float:
        """Sum of the passes' bounds, in the problem's units; 0.0 is exact."""
        return float(sum(step.error_bound for step in self.trace))

    @property
    def model_steps(self) -> tuple[Lowering, ...]:
        """Passes that lead from the problem to the model."""
        return tuple(step for step in self.trace if step.name in MODEL_PASSES)

    @property
    def target_steps(self) -> tuple[Lowering, ...]:
        """Passes that lead from the model to the target."""
        return tuple(step for step in self.trace if step.name not in MODEL_PASSES)

    def restore(self, samples: Any) -> States:
        """Device samples to model variables.

        Parameters
        ----------
        samples : dimod.SampleSet, array (R, n), mapping or sequence of mappings
            Spins or bits; see `isingrag.states.as_states`.

        Returns
        -------
        ndarray of int8, shape (R, model variables), values 0 and 1
        """
        states = as_states(samples, self.quadratic.names, self.quadratic.vartype)
        for step in reversed(self.target_steps):
            states = step.map.restore(states)
        return states

    def broken_chains(self, samples: Any) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
        """Which chains of each read are broken, shape (R, chains); None for a target without chains."""
        states = as_states(samples, self.quadratic.names, self.quadratic.vartype)
        for step in reversed(self.target_steps):
            if isinstance(step.map, EmbedMap):
                return step.map.broken(states)
            states = step.map.restore(states)
        return None

    def extend(self, states: Any) -> States:
        """Model states (R, model variables) to states of the target."""
        for step in self.target_steps:
            states = step.map.extend(states)
        return np.asarray(states, dtype=np.int8)

    def item_masks(self, model_states: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Model states (R, model variables) to item masks of the problem, shape (R, N)."""
        states = np.asarray(model_states)
        for step in reversed(self.model_steps):
            states = step.map.restore(states)
        return states.astype(bool)

    def model_states(self, masks: Any) -> States:
        """Item masks of the problem, shape (R, N), to model states with the best slack."""
        states = np.asarray(masks).astype(np.int8)
        for step in self.model_steps:
            states = step.map.extend(states)
        return states

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: everything but times; see `isingrag.instance.save_instance`."""
        return {
            "problem": self.problem.to_dict(),
            "model": self.model.to_dict(),
            "target": self.quadratic.to_dict(),
            "profile": self.profile.to_dict(),
            "trace": [step.to_dict() for step in self.trace],
            "assumptions": list(self.assumptions),
            "seed": self.seed,
            "options": dict(self.options),
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON; equal compiles have equal digests."""
        return hashlib.sha256(canonical_json(self.to_dict()).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompiledInstance) and other.digest == self.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)

    def explain(self) -> str:
        """Pass by pass: what was done, and what it costs, as text."""
        form = self.quadratic
        lines = [f"{self.problem.count} items -> {form.count} {form.vartype} variables on {self.profile.name}"]
        for step in self.trace:
            facts = ", ".join(f"{key} {_show(value)}" for key, value in step.facts.items())
            bound = "exact" if step.error_bound == 0 else f"error <= {step.error_bound:.4g}"
            lines.append(f"  {step.spec}: {bound}" + (f"; {facts}" if facts else ""))
        lines.append(f"  largest |bias| {form.max_linear:g}, largest |coupling| {form.max_quadratic:g}")
        lines.append(f"  error bound {self.error_bound:.4g} (problem units)")
        lines += [f"  assumption: {note}" for note in self.assumptions]
        return "\n".join(lines)


def _show(value: Any) -> str:
    if isinstance(value, list) and len(value) > 8:
        return f"[{len(value)} values]"
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_show(entry)}" for key, entry in value.items()) + "}"
    return str(value)
