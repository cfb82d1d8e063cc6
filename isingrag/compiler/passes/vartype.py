"""vartype: the form in which the machine takes coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.model.quadratic import Vartype
from isingrag.states import VartypeMap

__all__ = ["ChangeVartype"]


@dataclass(frozen=True)
class ChangeVartype:
    """BINARY to SPIN or back, exact: ``x = (s + 1) / 2``, ``J = Q / 4``, offset kept (L51)."""

    vartype: Vartype

    @property
    def spec(self) -> str:
        """The pass as text."""
        return f"vartype({self.vartype})"

    def lower(self, thing: Quadratic, seed: int = 0) -> Lowering:
        """The same energies over the other vartype."""
        start = perf_counter()
        form = thing.as_vartype(self.vartype)
        facts = {"largest bias": form.max_linear, "largest coupling": form.max_quadratic}
        step = VartypeMap(form.count, thing.vartype, form.vartype)
        return Lowering(self.spec, step, 0.0, facts, form, None, perf_counter() - start)
