"""Lowering: what one pass did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from isingrag.model import Model, Quadratic
from isingrag.problem import SelectionProblem
from isingrag.states import StateMap, map_from_dict

__all__ = ["Lowering"]


@dataclass(frozen=True)
class Lowering:
    """One step of a trace.

    Attributes
    ----------
    spec : str
        The pass and its options, for example ``scale(factor=0.5)``; enough to repeat it.
    map : StateMap
        The step back.
    error_bound : float
        Largest change of an energy difference, in the problem's units; 0.0 is exact.
    facts : dict
        What was chosen and why, plain values.
    output : SelectionProblem, Model or Quadratic, optional
        The thing after the pass; None in a trace that was read from a file, where only the model
        and the target are kept.
    seed : int, optional
        Seed of a pass that draws numbers.
    seconds : float
        Wall time; left out of files and digests.
    """

    spec: str
    map: StateMap
    error_bound: float = 0.0
    facts: Mapping[str, Any] = field(default_factory=dict)
    output: SelectionProblem | Model | Quadratic | None = field(default=None, compare=False, repr=False)
    seed: int | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def name(self) -> str:
        """The pass's name: the spec up to its bracket."""
        return self.spec.split("(", 1)[0]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without times."""
        return {
            "spec": self.spec,
            "map": self.map.to_dict(),
            "error_bound": self.error_bound,
            "facts": dict(self.facts),
            "seed": self.seed,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Lowering:
        """Read what `to_dict` wrote."""
        return cls(
            data["spec"], map_from_dict(data["map"]), float(data["error_bound"]), data["facts"], None, data["seed"]
        )
