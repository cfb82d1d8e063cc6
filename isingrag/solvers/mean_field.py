"""Mean field of a selection problem: how likely each item is, and what one more place is worth.

A relaxation at a fixed temperature, coefficients only: ``p_i = sigma((f_i - price) / T)`` with f_i the expected
marginal value of item i under the product distribution p. No state is decoded or kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from isingrag.common.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Relaxation", "relax"]


@dataclass(frozen=True)
class Relaxation:
    """What the relaxation says.

    Attributes
    ----------
    idle : bool
        The size limit is proven not to bind.
    price : float
        Value of one more place at a mean size of K, in the problem's units.
    concavity : float
        Fall of the price from K - 1/2 to K + 1/2.
    means : (n,) float64
        Probability of each item.
    """

    idle: bool
    price: float
    concavity: float
    means: FloatArray

    def take(self, index: IntArray) -> Relaxation:
        """The same for some of the items."""
        return Relaxation(self.idle, self.price, self.concavity, self.means[index])


def relax(
    linear: FloatArray,
    pairs: FloatArray,
    groups: BoolArray,
    rewards: FloatArray,
    size: int,
    *,
    idle: bool,
    full: bool,
    temperature: float = 1.5,
    sweeps: int = 40,
) -> Relaxation:
    """Mean field at and around the size limit.

    Parameters
    ----------
    linear, pairs, groups, rewards, size
        See `isingrag.solvers.presolve.presolve_arrays`; coefficients in units in which a typical
        difference of values is of the order of the temperature.
    idle : bool
        The limit is known not to bind: then the free mean field is taken.
    full : bool
        Every optimum is known to use all places.
    temperature : float
    """
    n = len(linear)
    if n == 0:
        return Relaxation(True, 0.0, 0.0, np.zeros(0))
    arrays = (linear, np.ascontiguousarray(pairs), np.ascontiguousarray(groups), rewards)

    def at(count: float, start: FloatArray) -> tuple[float, FloatArray]:
        means = start.copy()
        return float(_mean_field(*arrays, count, temperature, means, sweeps, 1e-3)), means

    flat = np.full(n, min(0.5, size / n))
    if idle:
        return Relaxation(True, 0.0, 0.0, at(0.0, flat)[1])
    price, means = at(float(min(size, n - 0.01)), flat)
    high, _ = at(size - 0.5, means)
    low, _ = at(min(size + 0.5, n - 0.01), means)
    if price <= 0 and not full:
        means = at(0.0, flat)[1]
    return Relaxation(False, price, high - low, means)


@njit(cache=True)
def _mean_field(linear, pairs, groups, rewards, count, temperature, p, iters, tol):  # type: ignore[no-untyped-def]
    """Fixed point of the mean field from and into `p`; returns the price at which sum p = count (0: no price).

    Cooled from 6 down to the temperature; updates are damped by 0.2, since faster ones oscillate on
    problems rich in complementarity.
    """
    n = linear.size
    ng = rewards.size
    f = np.empty(n)
    price = 0.0
    heat = max(temperature, 6.0)
    for it in range(iters):
        heat = max(temperature, 0.85 * heat)
        for i in range(n):
            v = linear[i]
            for k in range(n):
                v += pairs[i, k] * p[k]
            f[i] = v
        for g in range(ng):
            for i in range(n):
                if groups[g, i]:
                    u = 1.0
                    for k in range(n):
                        if groups[g, k] and k != i:
                            u *= 1 - p[k]
                    f[i] += rewards[g] * u
        if count > 0:
            if it == 0:
                price = f.max()
            lo, hi = f.min() - 40 * heat, f.max() + 40 * heat
            for _ in range(40):  # safeguarded Newton on sum p = count
                tot = 0.0
                der = 0.0
                for i in range(n):
                    z = (f[i] - price) / heat
                    if z > -40:
                        q = 1 / (1 + np.exp(-z))
                        tot += q
                        der += q * (1 - q)
                if tot > count:
                    lo = price
                else:
                    hi = price
                if abs(tot - count) < 1e-6:
                    break
                price = price + (tot - count) * heat / der if der > 1e-12 else lo
                if not (lo < price < hi):
                    price = 0.5 * (lo + hi)
        move = 0.0
        for i in range(n):
            z = (f[i] - price) / heat
            q = 1 / (1 + np.exp(-z)) if z > -40 else 0.0
            move = max(move, abs(q - p[i]))
            p[i] += 0.2 * (q - p[i])
        if move < tol and heat <= temperature:
            break
    return price
