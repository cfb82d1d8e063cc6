"""encode (tight): from a presolved problem to a model with few variables and small coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from isingrag.compiler.passes.scale import range_factor
from isingrag.formulate.tight import TightEncoding, encode_tight
from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.problem import SelectionProblem
from isingrag.profile import HardwareProfile
from isingrag.solvers.mean_field import Relaxation

__all__ = ["EncodeTight"]


@dataclass(frozen=True)
class EncodeTight:
    """The tight formulation; see `isingrag.formulate.tight`.

    Parameters
    ----------
    profile : HardwareProfile
        Its grid step widens the window of the size term.
    relaxation : Relaxation
    unit : float
        Problem units per natural unit.
    full : bool
        Every optimum uses all places.
    """

    profile: HardwareProfile
    relaxation: Relaxation
    unit: float
    full: bool

    @property
    def spec(self) -> str:
        """The pass as text."""
        return "encode(tight)"

    def _step(self, form: Quadratic) -> float:
        grids = (self.profile.bias_grid, self.profile.coupling_grid)
        steps = [grid.step for grid in grids if grid.step is not None and grid.bounded]
        if not steps:
            return 0.0
        return max(steps) / range_factor(form.as_vartype(self.profile.vartype or "SPIN"), self.profile)

    def encode(self, thing: SelectionProblem) -> TightEncoding:
        """Model, map and means."""
        return encode_tight(thing, self.relaxation, unit=self.unit, full=self.full, step_of=self._step)

    def lower(self, thing: SelectionProblem, seed: int = 0) -> Lowering:
        """The model."""
        start = perf_counter()
        found = self.encode(thing)
        facts = {**found.facts, "means": [round(float(m), 6) for m in found.means]}
        return Lowering(self.spec, found.map, found.error_bound, facts, found.model, None, perf_counter() - start)
