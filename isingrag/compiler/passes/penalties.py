"""penalties: weigh a model's constraints by a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

from isingrag.formulate import apply_penalties
from isingrag.instance import Lowering
from isingrag.model import Model
from isingrag.problem import SelectionProblem
from isingrag.states import IdentityMap

__all__ = ["Penalties"]


@dataclass(frozen=True)
class Penalties:
    """Weights by rule or by kind; see `isingrag.formulate.apply_penalties`.

    Parameters
    ----------
    problem : SelectionProblem
        The problem that the model was made from; its bounds are computed on it.
    rule : str or mapping
    """

    problem: SelectionProblem
    rule: str | Mapping[str, float] = "reference"

    @property
    def spec(self) -> str:
        """The pass as text."""
        if isinstance(self.rule, str):
            return f"penalties({self.rule})"
        return "penalties(" + ", ".join(f"{k}={float(v)!r}" for k, v in sorted(self.rule.items())) + ")"

    def lower(self, thing: Model, seed: int = 0) -> Lowering:
        """The weighted model; exact on states that keep every constraint."""
        start = perf_counter()
        model, facts = apply_penalties(thing, self.problem, self.rule)
        return Lowering(self.spec, IdentityMap(model.count), 0.0, facts, model, None, perf_counter() - start)
