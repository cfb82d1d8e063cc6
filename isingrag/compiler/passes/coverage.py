"""coverage: rewards that every optimum earns become constants, the rest is brought to its smallest form."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.common.arrays import BoolArray
from isingrag.instance import Lowering
from isingrag.problem import CoverageTerm, SelectionProblem
from isingrag.solvers.presolve import always_covered_groups
from isingrag.states import IdentityMap

__all__ = ["Coverage"]


@dataclass(frozen=True)
class Coverage:
    """Coverage terms in their smallest form.

    Equal groups are merged, groups of one item move into the linear terms, empty ones go (exact). Then a
    group leaves when it is proven that every optimum of the problem without its reward covers it
    anyway: the reward is a constant there, so the optima stay the same ones, while selections that do
    not cover the group gain it; the error bound is the sum of these rewards. Beside a token budget,
    group limits or an exact size nothing is dropped.
    """

    @property
    def spec(self) -> str:
        """The pass as text."""
        return "coverage()"

    def lower(self, thing: SelectionProblem, seed: int = 0) -> Lowering:
        """A problem over the same items."""
        start = perf_counter()
        linear = thing.linear.copy()
        merged: dict[tuple[int, ...], float] = {}
        for term in thing.coverage:
            if term.items.size == 1:
                linear[term.items[0]] += term.reward
            elif term.items.size and term.reward > 0:
                key = tuple(term.items.tolist())
                merged[key] = merged.get(key, 0.0) + term.reward
        groups = sorted(merged.items())
        terms = [CoverageTerm(f"group[{g}]", key, reward) for g, (key, reward) in enumerate(groups)]
        simple = thing.replaced(linear=linear, coverage=terms)
        gone = self._gone(simple)
        constant = float(simple.rewards[gone].sum())
        kept = [term for term, dropped in zip(terms, gone, strict=True) if not dropped]
        output = simple.replaced(coverage=kept, offset=simple.offset + constant)
        facts = {"groups": len(thing.coverage), "constant": int(gone.sum()), "left": len(kept)}
        return Lowering(self.spec, IdentityMap(thing.count), constant, facts, output, None, perf_counter() - start)

    def _gone(self, simple: SelectionProblem) -> BoolArray:
        if simple.exact or simple.tokens is not None or simple.groups or not simple.coverage:
            return np.zeros(len(simple.coverage), dtype=bool)
        size = simple.count if simple.size is None else simple.size
        return always_covered_groups(simple.linear, simple.pairs.dense(), simple.membership > 0, simple.rewards, size)
