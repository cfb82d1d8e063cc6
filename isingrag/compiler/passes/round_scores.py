"""round_scores: the published rounding, whole-number scores before the QUBO is built."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.instance import Lowering
from isingrag.problem import CoverageTerm, SelectionProblem, SparsePairs
from isingrag.states import IdentityMap

__all__ = ["RoundScores"]


@dataclass(frozen=True)
class RoundScores:
    """Scale the problem's coefficients, round them to whole numbers, and scale back.

    Parameters
    ----------
    factor : float
        Whole numbers per problem unit, > 0.
    """

    factor: float

    @property
    def spec(self) -> str:
        """The pass as text."""
        return f"round_scores(factor={self.factor!r})"

    def lower(self, thing: SelectionProblem, seed: int = 0) -> Lowering:
        """A problem whose coefficients are multiples of 1/factor."""
        start = perf_counter()
        linear = np.rint(thing.linear * self.factor) / self.factor
        rows, columns, values = thing.pairs.upper()
        pairs = np.rint(values * self.factor) / self.factor
        coverage = [
            CoverageTerm(t.label, t.items, float(np.rint(t.reward * self.factor)) / self.factor, t.implies)
            for t in thing.coverage
        ]
        rounded = thing.replaced(linear=linear, pairs=SparsePairs(rows, columns, pairs, thing.count), coverage=coverage)
        rewards = sum(abs(a.reward - b.reward) for a, b in zip(coverage, thing.coverage, strict=True))
        bound = float(np.abs(linear - thing.linear).sum() + np.abs(pairs - values).sum() + rewards)
        facts = {"per unit": self.factor}
        return Lowering(self.spec, IdentityMap(thing.count), bound, facts, rounded, None, perf_counter() - start)
