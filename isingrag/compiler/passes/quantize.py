"""quantize: coefficients to the values that the machine's registers hold."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.common.arrays import FloatArray
from isingrag.common.seeds import stage_generator
from isingrag.compiler.aware import round_aware
from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.profile import Grid, HardwareProfile
from isingrag.states import IdentityMap

__all__ = ["Quantize", "to_grid"]


def to_grid(values: FloatArray, grid: Grid, rounding: str, rng: np.random.Generator | None = None) -> FloatArray:
    """Values rounded to a register's grid and clipped to its range.

    Parameters
    ----------
    values : (n,) float64, in device units
    grid : Grid
    rounding : {'nearest', 'away_from_zero', 'stochastic'}
        Nearest takes the even neighbour at a half; away from zero is Hitachi's client rule (L28);
        stochastic rounds up with the probability of the fraction, and needs `rng`.
    """
    if grid.levels is not None:
        rounded = _to_levels(values, np.asarray(grid.levels), rounding, rng)
    elif grid.step is not None:
        steps = values / grid.step
        if rounding == "away_from_zero":
            whole = np.sign(steps) * np.ceil(np.abs(steps) - 1e-12)
        elif rounding == "stochastic":
            assert rng is not None
            whole = np.floor(steps + rng.random(steps.shape))
        else:
            whole = np.rint(steps)
        rounded = whole * grid.step
    else:
        rounded = values
    clipped: FloatArray = np.clip(rounded, grid.low, grid.high) + 0.0
    return clipped


def _to_levels(values: FloatArray, levels: FloatArray, rounding: str, rng: np.random.Generator | None) -> FloatArray:
    above = np.clip(np.searchsorted(levels, values), 0, len(levels) - 1)
    below = np.clip(above - 1, 0, len(levels) - 1)
    low, high = levels[below], levels[above]
    if rounding == "away_from_zero":
        up = (values > 0) | (values == high)  # a value that is held stays
    elif rounding == "stochastic":
        assert rng is not None
        gap = np.where(high > low, high - low, 1.0)
        up = rng.random(values.shape) < (values - low) / gap
    else:
        up = high - values < values - low
    result: FloatArray = np.where(up, high, low)
    return result


@dataclass(frozen=True)
class Quantize:
    """Round biases and couplings to their registers.

    Parameters
    ----------
    profile : HardwareProfile
    factor : float
        Device units per problem unit, for the error bound.
    rounding : str, optional
        Instead of the profile's own rule; `aware` is error-aware rounding (`isingrag.compiler.aware`).
    means : tuple of float, optional
        Probability that each variable is 1, for `aware`.
    dither : float
        Largest shift of couplings before aware rounding, in steps, drawn with the seed.
    """

    profile: HardwareProfile
    factor: float
    rounding: str | None = None
    means: tuple[float, ...] | None = None
    dither: float = 0.0

    @property
    def spec(self) -> str:
        """The pass as text."""
        dither = f", dither={self.dither!r}" if self.dither else ""
        return f"quantize({self.rounding or self.profile.rounding}{dither})"

    def lower(self, thing: Quadratic, seed: int = 0) -> Lowering:
        """The form that the registers hold.

        The error bound is ``2 * sum of |rounding errors| / factor`` for spins and half of it for bits: the
        most that the difference of two states' energies can change.
        """
        start = perf_counter()
        rounding = self.rounding or self.profile.rounding
        rng = stage_generator(seed, "quantize") if rounding == "stochastic" or self.dither else None
        if rounding == "aware":
            means = np.full(thing.count, 0.5) if self.means is None else np.array(self.means)
            shift = rng.uniform(-self.dither, self.dither, thing.values.size) if rng is not None else None
            linear, values = round_aware(thing, means, self.profile, shift)
        else:
            linear = to_grid(thing.linear, self.profile.bias_grid, rounding, rng)
            values = to_grid(thing.values, self.profile.coupling_grid, rounding, rng)
        form = Quadratic(thing.vartype, thing.names, linear, thing.rows, thing.columns, values, thing.offset)
        errors = float(np.abs(linear - thing.linear).sum() + np.abs(values - thing.values).sum())
        bound = errors * (2.0 if thing.vartype == "SPIN" else 1.0) / self.factor
        facts = {
            "bias bits": self.profile.bias_grid.bits,
            "coupling bits": self.profile.coupling_grid.bits,
            "biases vanished": int(np.sum((linear == 0) & (thing.linear != 0))),
            "couplings vanished": int(np.sum((values == 0) & (thing.values != 0))),
            "of couplings": int(thing.values.size),
        }
        used_seed = seed if rng is not None else None
        return Lowering(self.spec, IdentityMap(form.count), bound, facts, form, used_seed, perf_counter() - start)
