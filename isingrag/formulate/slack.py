"""Slack for inequalities: binary expansion, and whole-number rows from real-valued costs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np

from isingrag.common.arrays import FloatArray

__all__ = ["WholeRow", "slack_weights", "whole_row"]

#: A budget row with more units than this is coarsened, and called approximate.
MAX_UNITS = 4096
#: Largest denominator that is tried before a row is coarsened.
MAX_DENOMINATOR = 10_000


def slack_weights(top: int) -> list[int]:
    """Weights whose subset sums are exactly 0..top: powers of two, the last one trimmed.

    ``slack_weights(5) == [1, 2, 2]``; ``slack_weights(0) == []``.
    """
    weights: list[int] = []
    power = 1
    while sum(weights) + power <= top:
        weights.append(power)
        power *= 2
    rest = top - sum(weights)
    return [*weights, rest] if rest > 0 else weights


@dataclass(frozen=True)
class WholeRow:
    """A row ``sum weights x <= bound`` in whole units.

    Attributes
    ----------
    weights : (n,) float64 holding whole numbers
    bound : int
    unit : float
        Cost of one unit.
    approximate : bool
        True when weights were rounded up and the bound down: never over budget, but some
        selections that just fit are lost (L21).
    """

    weights: FloatArray
    bound: int
    unit: float
    approximate: bool


def whole_row(costs: FloatArray, budget: float) -> WholeRow:
    """Costs and budget in the largest common unit (L19), coarsened where that has too many units."""
    fractions = [Fraction(float(c)).limit_denominator(MAX_DENOMINATOR) for c in costs]
    exact = all(abs(float(f) - c) <= 1e-12 * max(1.0, abs(c)) for f, c in zip(fractions, costs, strict=True))
    if exact:
        denominator = 1
        for f in fractions:
            denominator = denominator * f.denominator // gcd(denominator, f.denominator)
            if denominator > MAX_DENOMINATOR:
                return _coarse_row(costs, budget)
        whole = [int(f * denominator) for f in fractions]
        common = 0
        for w in whole:
            common = gcd(common, w)
        common = common or 1
        unit = common / denominator
        bound = int(np.floor(min(budget / unit * (1 + 1e-12) + 1e-9, sum(whole) // common)))
        if bound <= MAX_UNITS:
            return WholeRow(np.array([w // common for w in whole], dtype=np.float64), bound, unit, False)
    return _coarse_row(costs, budget)


def _coarse_row(costs: FloatArray, budget: float) -> WholeRow:
    """Units of the budget's thousandth part; a budget above all costs together counts as their sum."""
    total = float(np.sum(costs))
    unit = min(budget, total) / (MAX_UNITS // 4) or 1.0
    with np.errstate(over="ignore"):  # a cost beyond every budget may overflow to infinity: it never fits
        weights = np.ceil(np.clip(np.asarray(costs) / unit - 1e-12, 0.0, None))
    return WholeRow(weights, int(np.floor(min(budget / unit + 1e-12, float(weights.sum())))), unit, True)
