"""Error-aware rounding: coefficients only, errors balanced over rows.

Variables have means m and variances v under a product distribution (the relaxation's). With
e = rounded - scaled and F_i = e_i + sum_k e_ik m_k, the expected squared error of the energy is

    sum_i v_i F_i**2 + sum_{i<k} v_i v_k e_ik**2

Each coupling sits on the floor or the ceiling of its scaled value, whichever lowers this; biases absorb
what the couplings of their row leave. The scale is searched around the largest that fits, so that
wide biases are clipped where that pays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from isingrag.common.arrays import FloatArray
from isingrag.model import Quadratic
from isingrag.profile import HardwareProfile

__all__ = ["Scales", "aware_scale", "can_be_aware", "round_aware"]

#: Above this many variables the search over scales is left out.
MAX_VARIABLES = 400
SWEEPS = 8


@dataclass(frozen=True)
class Scales:
    """Scales that are tried, as shares of the largest one that fits without clipping."""

    low: float = 0.55
    high: float = 1.6


def can_be_aware(form: Quadratic, profile: HardwareProfile) -> bool:
    """Whether both registers hold symmetric whole steps and the form is small enough."""
    grids = (profile.bias_grid, profile.coupling_grid)
    whole = all(g.step is not None and g.bounded and g.low == -g.high for g in grids)
    return whole and grids[0].step == grids[1].step and 0 < form.count <= MAX_VARIABLES


def _spread(form: Quadratic, means: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and variances in the form's vartype; variances have a floor, so that no error is free."""
    if form.vartype == "SPIN":
        spin = 2 * means - 1
        return spin, np.maximum(1 - spin**2, 0.05)
    return means, np.maximum(means * (1 - means), 0.0125)


def _limits(profile: HardwareProfile) -> tuple[float, float, float]:
    step = profile.bias_grid.step or 1.0
    return round(profile.bias_grid.high / step), round(profile.coupling_grid.high / step), step


def aware_scale(
    form: Quadratic, means: FloatArray, profile: HardwareProfile, top: float, scales: Scales | None = None
) -> float:
    """The factor of least expected error.

    Parameters
    ----------
    form : Quadratic
    means : (n,) float64
        Probability that each variable is 1 (or +1).
    profile : HardwareProfile
        For which `can_be_aware` holds.
    top : float
        Largest factor that fits without clipping.
    scales : Scales, optional
    """
    span = scales or Scales()
    n = form.count
    count = int(min(120, max(20, 8000 // max(1, n * n))))
    high_h, high_j, step = _limits(profile)
    mean, variance = _spread(form, means)
    tried = top / step * np.linspace(span.low, span.high, count)
    best = _search(form.linear, form.dense, float(high_h), float(high_j), mean, variance, tried, SWEEPS)
    return float(best) * step


def round_aware(
    form: Quadratic, means: FloatArray, profile: HardwareProfile, dither: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Rounded biases (n,) and couplings (p,) of a scaled form.

    Parameters
    ----------
    dither : (p,) float64, optional
        Shifts of the couplings, in steps, before they are rounded.
    """
    high_h, high_j, step = _limits(profile)
    mean, variance = _spread(form, means)
    start = form.dense / step
    if dither is not None:
        start = start.copy()
        start[form.rows, form.columns] += dither
        start[form.columns, form.rows] += dither
    n = form.count
    bias, coupling = np.empty(n), np.empty((n, n))
    _fit(
        form.linear / step,
        form.dense / step,
        1.0,
        float(high_h),
        float(high_j),
        mean,
        variance,
        start,
        bias,
        coupling,
        SWEEPS,
    )
    return bias * step + 0.0, coupling[form.rows, form.columns] * step + 0.0


@njit(cache=True)
def _search(h, J, MH, MJ, m, v, scales, sweeps):  # type: ignore[no-untyped-def]
    n = h.size
    ih, iJ = np.empty(n), np.empty((n, n))
    best, least = scales[0], np.inf
    for a in range(scales.size):
        s = scales[a]
        loss = _fit(h, J, s, MH, MJ, m, v, s * J, ih, iJ, sweeps)
        if loss < least:
            least = loss
            best = s
    return best


@njit(cache=True)
def _fit(h, J, s, MH, MJ, m, v, J0, ih, iJ, sweeps):  # type: ignore[no-untyped-def]
    """Round h and J at scale s into ih and iJ; returns the expected squared error divided by s squared."""
    n = h.size
    F = np.zeros(n)
    for i in range(n):
        for k in range(n):
            iJ[i, k] = 0.0
    for i in range(n):
        for k in range(i):
            r = np.floor(J0[i, k] + 0.5)
            r = min(max(r, -MJ), MJ)
            iJ[i, k] = r
            iJ[k, i] = r
            e = r - s * J[i, k]
            F[i] += e * m[k]
            F[k] += e * m[i]
    for i in range(n):
        ih[i] = min(max(np.floor(s * h[i] - F[i] + 0.5), -MH), MH)
    for _ in range(sweeps):
        moved = False
        for i in range(n):
            for k in range(i):
                x = s * J[i, k]
                r = iJ[i, k]
                alt = np.floor(x) if r > x else np.ceil(x)
                if alt == r or alt < -MJ or alt > MJ:
                    continue
                d = alt - r
                Fi = F[i] + d * m[k]
                Fk = F[k] + d * m[i]
                hi = min(max(np.floor(s * h[i] - Fi + 0.5), -MH), MH)
                hk = min(max(np.floor(s * h[k] - Fk + 0.5), -MH), MH)
                o1 = F[i] + ih[i] - s * h[i]
                o2 = F[k] + ih[k] - s * h[k]
                n1 = Fi + hi - s * h[i]
                n2 = Fk + hk - s * h[k]
                old = v[i] * o1 * o1 + v[k] * o2 * o2 + v[i] * v[k] * (r - x) ** 2
                new = v[i] * n1 * n1 + v[k] * n2 * n2 + v[i] * v[k] * (alt - x) ** 2
                if new < old - 1e-12:
                    iJ[i, k] = alt
                    iJ[k, i] = alt
                    F[i] = Fi
                    F[k] = Fk
                    ih[i] = hi
                    ih[k] = hk
                    moved = True
        if not moved:
            break
    tot = 0.0
    for i in range(n):
        o = F[i] + ih[i] - s * h[i]
        tot += v[i] * o * o
        for k in range(i):
            tot += v[i] * v[k] * (iJ[i, k] - s * J[i, k]) ** 2
    return tot / (s * s)
