"""scale: one factor that uses the machine's range."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.common.arrays import BoolArray, FloatArray, check_number
from isingrag.errors import RangeError
from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.profile import Grid, HardwareProfile
from isingrag.profile.totals import coupling_totals
from isingrag.states import IdentityMap

__all__ = ["Scale", "auto_scale_divisor", "range_factor"]

#: Clipped coefficients that the facts list one by one.
LISTED = 50


def range_factor(form: Quadratic, profile: HardwareProfile) -> float:
    """Largest factor by which every coefficient still fits its register.

    One factor for biases and couplings (L32); lopsided ranges count each end for its own sign
    (L26). The extended coupling range and the totals of qubits or groups count where the profile has
    them, which is the annealers' auto-scale rule. 1.0 where nothing limits it: all coefficients
    zero, or unbounded registers.

    Raises
    ------
    RangeError
        A coefficient has a sign that the range lacks.
    """
    return min((factor for _, factor in _factors(form, profile)), default=1.0)


def auto_scale_divisor(form: Quadratic, profile: HardwareProfile) -> float:
    """D-Wave's documented auto-scale divisor: the largest of ``value / end of range``, each clipped at 0.

    ``max(max h / max h_range, min h / min h_range, max J / max extended_j_range,
    min J / min extended_j_range, coupling_limit)`` with ``coupling_limit`` the same for the totals per
    qubit or per group. It may be below 1, which scales small problems up; 0 where nothing limits.
    """
    return max((1.0 / factor for _, factor in _factors(form, profile)), default=0.0)


def _factors(form: Quadratic, profile: HardwareProfile) -> list[tuple[str, float]]:
    """What limits the scale, each with the factor at which it is reached."""
    limits = [("bias", form.linear, profile.bias_grid), ("coupling", form.values, profile.coupling_grid)]
    totals = coupling_totals(form, profile.data)
    if totals is not None:
        limits.append(("coupling total", totals[0].ravel(), Grid(*totals[1])))
    return [(name, factor) for name, values, grid in limits for factor in _end_factors(name, values, grid)]


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
    clip : float, optional
        Percentile, in (0, 100]: before scaling, biases and couplings beyond that percentile of their
        nonzero magnitudes are cut to it, which leaves more of the range to the others. Off by
        default; the facts name each cut coefficient with its old and new value, and the error bound
        holds the loss (L34).
    whole : collection of pairs of names
        Couplings that clipping leaves alone (those of chains), either order.
    """

    profile: HardwareProfile
    factor: float | None = None
    clip: float | None = None
    whole: Collection[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        if self.clip is not None:
            check_number("clip", self.clip, minimum=1e-9, maximum=100.0)

    @property
    def spec(self) -> str:
        """The pass as text."""
        how = "range" if self.factor is None else f"factor={self.factor!r}"
        return f"scale({how})" if self.clip is None else f"scale({how}, clip={self.clip:g})"

    def lower(self, thing: Quadratic, seed: int = 0) -> Lowering:
        """The scaled form; exact up to floating point unless something was clipped."""
        start = perf_counter()
        clipped, bound, cuts = self._clipped(thing)
        factor = range_factor(clipped, self.profile) if self.factor is None else self.factor
        form = clipped.scaled(factor)
        facts: dict[str, object] = {
            "factor": factor,
            "largest bias": form.max_linear,
            "largest coupling": form.max_quadratic,
        }
        if self.factor is None:
            limits = _factors(clipped, self.profile)
            facts["limited by"] = min(limits, key=lambda limit: limit[1])[0] if limits else "nothing"
        if self.clip is not None:
            facts["clipped"] = len(cuts)
            facts["clipped coefficients"] = cuts[:LISTED]
        return Lowering(self.spec, IdentityMap(form.count), bound, facts, form, None, perf_counter() - start)

    def _clipped(self, form: Quadratic) -> tuple[Quadratic, float, list[dict[str, object]]]:
        """The clipped form, its error bound, and old and new value of each coefficient that was cut."""
        if self.clip is None:
            return form, 0.0, []
        names = [f"{form.names[i]} - {form.names[k]}" for i, k in zip(form.rows, form.columns, strict=True)]
        pairs = {frozenset(pair) for pair in self.whole}
        free = np.array(
            [
                frozenset((form.names[i], form.names[k])) not in pairs
                for i, k in zip(form.rows, form.columns, strict=True)
            ],
            dtype=bool,
        )
        linear = _cut(form.linear, np.ones(form.count, dtype=bool), self.clip)
        values = _cut(form.values, free, self.clip)
        cuts: list[dict[str, object]] = []
        for labels, old, new in ((form.names, form.linear, linear), (names, form.values, values)):
            for p in np.flatnonzero(old != new):
                cuts.append({"name": labels[p], "old": float(old[p]), "new": float(new[p])})
        loss = float(np.abs(linear - form.linear).sum() + np.abs(values - form.values).sum())
        bound = loss * (2.0 if form.vartype == "SPIN" else 1.0)
        return Quadratic(form.vartype, form.names, linear, form.rows, form.columns, values, form.offset), bound, cuts


def _cut(values: FloatArray, free: BoolArray, percentile: float) -> FloatArray:
    sizes = np.abs(values[free & (values != 0)])
    if not sizes.size:
        return values
    limit = float(np.percentile(sizes, percentile))
    return np.asarray(np.where(free, np.clip(values, -limit, limit), values))
