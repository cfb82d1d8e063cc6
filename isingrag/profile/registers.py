"""From a register's description to the values that it can hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingrag.common.arrays import FloatArray
from isingrag.profile.schema import Levels, Register

__all__ = ["MAX_BITS", "Grid", "register_grid"]

#: Wider registers are quantised to this width, the exact integers of a float64.
MAX_BITS = 53


@dataclass(frozen=True)
class Grid:
    """Values that a register holds.

    Attributes
    ----------
    low, high : float
        Smallest and largest value; infinite where unknown.
    step : float or None
        Distance of evenly spaced values (multiples of the step from 0, or from `low` for levels
        that are not multiples); None for a continuous register.
    levels : tuple of float or None
        An explicit list instead of a step.
    """

    low: float = -np.inf
    high: float = np.inf
    step: float | None = None
    levels: tuple[float, ...] | None = None

    @property
    def bounded(self) -> bool:
        """True when a range is known."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    @property
    def discrete(self) -> bool:
        """True when only certain values are held."""
        return self.step is not None or self.levels is not None

    @property
    def bits(self) -> float | None:
        """log2 of the number of values, None for a continuous register."""
        if self.levels is not None:
            return float(np.log2(len(self.levels)))
        if self.step is None or not self.bounded:
            return None
        return float(np.log2((self.high - self.low) / self.step + 1))

    def holds(self, values: FloatArray, *, tolerance: float = 1e-9) -> FloatArray:
        """Whether each value is held, as a boolean array."""
        unit = self.step or max(abs(self.low), abs(self.high))
        slack = tolerance * unit if np.isfinite(unit) else 0.0
        inside = (values >= self.low - slack) & (values <= self.high + slack)
        if self.levels is not None:
            levels = np.asarray(self.levels)
            nearest = levels[np.clip(np.searchsorted(levels, values), 0, len(levels) - 1)]
            before = levels[np.clip(np.searchsorted(levels, values) - 1, 0, len(levels) - 1)]
            distance = np.minimum(np.abs(values - nearest), np.abs(values - before))
            return np.asarray(inside & (distance <= slack))
        if self.step is not None:
            distance = np.abs(values / self.step - np.rint(values / self.step)) * self.step
            return np.asarray(inside & (distance <= slack + 4 * np.finfo(np.float64).eps * np.abs(values)))
        return np.asarray(inside)


def register_grid(register: Register) -> Grid:
    """The grid of a register.

    Signed b-bit integers run from -(2**(b-1) - 1) to 2**(b-1) - 1 (symmetric, so that a gauge never
    overflows); unsigned ones from 0 to 2**b - 1. Floating-point registers are continuous. An extended
    range takes the place of the plain one, as the annealers' auto-scale rule does.
    """
    span = register.extended_range or register.range
    if isinstance(register.levels, Levels):
        lo, hi, count = register.levels.min, register.levels.max, register.levels.count
        step = (hi - lo) / (count - 1)
        if abs(lo / step - round(lo / step)) < 1e-9:
            return Grid(lo, hi, step)
        return Grid(lo, hi, None, tuple(np.linspace(lo, hi, count).tolist()))
    if isinstance(register.levels, tuple):
        return Grid(register.levels[0], register.levels[-1], None, register.levels)
    if register.dtype in ("float32", "float64") and register.integer is not True:
        low, high = span or (-np.inf, np.inf)
        return Grid(low, high)
    bits = register.bits
    if bits is None and register.dtype is not None and register.dtype.startswith("int"):
        bits = int(register.dtype[3:])
    whole = register.integer or register.fixed_point or (bits is not None and register.integer is not False)
    if span is not None:
        low, high = span
        return Grid(float(np.ceil(low)), float(np.floor(high)), 1.0) if whole else Grid(low, high)
    if bits is None and isinstance(register.levels, int) and register.levels % 2 == 1:
        half = float(register.levels // 2)
        return Grid(-half, half, 1.0)
    if bits is None or not whole:
        return Grid()
    bits = min(bits, MAX_BITS)
    if register.signed is False:
        return Grid(0.0, float(2**bits - 1), 1.0)
    top = float(2 ** (bits - 1) - 1)
    return Grid(-top, top, 1.0)
