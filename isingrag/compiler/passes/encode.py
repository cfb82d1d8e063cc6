"""encode: from a problem to a model."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from isingrag.formulate import Polynomial, add_terms, encode_paper
from isingrag.instance import Lowering
from isingrag.problem import SelectionProblem
from isingrag.states import SlackMap

__all__ = ["Encode"]


@dataclass(frozen=True)
class Encode:
    """The published formulation, plus a user's terms that are no part of the problem.

    Parameters
    ----------
    extra : Polynomial, optional
        Terms over other variables or of a degree above 2, already reduced.
    """

    extra: Polynomial | None = None

    @property
    def spec(self) -> str:
        """The pass as text."""
        return "encode(paper)" if self.extra is None else f"encode(paper, user terms {len(self.extra.terms)})"

    def lower(self, thing: SelectionProblem, seed: int = 0) -> Lowering:
        """A model without weights yet."""
        start = perf_counter()
        encoding = encode_paper(thing)
        model, step = encoding.model, encoding.map
        if self.extra is not None:
            model = add_terms(model, self.extra)
            step = SlackMap(model.items, model.item_count, step.coverage, step.slacks)
        roles = {role: model.roles.count(role) for role in sorted(set(model.roles))}
        facts: dict[str, object] = {"variables": model.count, "roles": roles, "constraints": len(model.constraints)}
        if encoding.notes:
            facts["notes"] = list(encoding.notes)
        return Lowering(self.spec, step, 0.0, facts, model, None, perf_counter() - start)
