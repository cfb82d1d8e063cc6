"""scale: one factor that uses the machine's range."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.common.arrays import FloatArray
from isingrag.errors import RangeError
from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.profile import Grid, HardwareProfile
from isingrag.states import IdentityMap

__all__ = ["Scale", "range_factor"]


def range_factor(form: Quadratic, profile: HardwareProfile) -> float:
    """Largest factor by which every coefficient still fits its register.

    One factor for biases and couplings (L32); lopsided ranges count each end for its own sign
    (L26). 1.0 where nothing limits it: all coefficients zero, or unbounded registers.

    Raises
    ------
    RangeError
        A coefficient has a sign that the range lacks.
    """
    factors = [
        *_end_factors("bias", form.linear, profile.bias_grid),
        *_end_factors("coupling", form.values, profile.coupling_grid),
    ]
    return min(factors, default=1.0)


def _end_factors(name: str, values: FloatArray, grid: Grid) -> list[float]:
    if not grid.bounded or not np.any(values):
        return []
    factors = []
    for extreme, end in ((float(values.max()), grid.high), (float(values.min()), grid.low)):
        if extreme * (1 if end == grid.high else -1) <= 0:
            continue
        if end == 0:
            raise RangeError(
                f"a {name} has a sign that the range lacks",
                found=f"{extreme:g}",
                allowed=f"[{grid.low:g}, {grid.high:g}]",
                where=name,
            )
        factors.append(end / extreme)
    return factors


@dataclass(frozen=True)
class Scale:
    """Multiply all coefficients and the offset by one factor.

    Parameters
    ----------
    profile : HardwareProfile
    factor : float, optional
        Instead of the largest one that fits.
    """

    profile: HardwareProfile
    factor: float | None = None

    @property
    def spec(self) -> str:
        """The pass as text."""
        return "scale(range)" if self.factor is None else f"scale(factor={self.factor!r})"

    def lower(self, thing: Quadratic, seed: int = 0) -> Lowering:
        """The scaled form; exact up to floating point."""
        start = perf_counter()
        factor = range_factor(thing, self.profile) if self.factor is None else self.factor
        form = thing.scaled(factor)
        facts = {"factor": factor, "largest bias": form.max_linear, "largest coupling": form.max_quadratic}
        return Lowering(self.spec, IdentityMap(form.count), 0.0, facts, form, None, perf_counter() - start)
