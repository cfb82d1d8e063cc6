"""reduce: pinned and forbidden items leave the problem."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.instance import Lowering
from isingrag.problem import SelectionProblem
from isingrag.problem.reduce import reduce_problem
from isingrag.states import ReduceMap

__all__ = ["Reduce"]


@dataclass(frozen=True)
class Reduce:
    """Fix pinned and forbidden items; exact."""

    @property
    def spec(self) -> str:
        """The pass as text."""
        return "reduce()"

    def lower(self, thing: SelectionProblem, seed: int = 0) -> Lowering:
        """A problem over the free items; values are equal."""
        start = perf_counter()
        reduced = reduce_problem(thing)
        step = ReduceMap(reduced.kept, np.flatnonzero(reduced.included), thing.count)
        facts = {"items": thing.count, "kept": reduced.problem.count, "fixed in": int(reduced.included.sum())}
        return Lowering(self.spec, step, 0.0, facts, reduced.problem, None, perf_counter() - start)
