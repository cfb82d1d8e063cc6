"""presolve: items that every optimum holds, or that none does, leave the problem."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.instance import Lowering
from isingrag.problem import SelectionProblem
from isingrag.problem.reduce import reduce_problem
from isingrag.solvers.optimality import IN, OUT
from isingrag.solvers.presolve import BUDGET, presolve_arrays
from isingrag.states import ReduceMap

__all__ = ["LEVELS", "Presolve"]

LEVELS = ("none", "marginal", "dominance", "probing")


@dataclass(frozen=True)
class Presolve:
    """Exact fixing by level; see `isingrag.solvers.presolve`.

    Every rule removes only selections for which it names a strictly better one, so all optima stay.
    Beside a token budget or group limits only `marginal` is used, since swaps could break those;
    exactly k beside them takes no presolve at all.

    Parameters
    ----------
    level : {'marginal', 'dominance', 'probing'}
    budget : int
        Elementary steps of probing.
    """

    level: str = "probing"
    budget: int = BUDGET

    @property
    def spec(self) -> str:
        """The pass as text."""
        return f"presolve({self.level})" if self.budget == BUDGET else f"presolve({self.level}, budget={self.budget})"

    def lower(self, thing: SelectionProblem, seed: int = 0) -> Lowering:
        """A problem over the items that are still open; values are equal."""
        start = perf_counter()
        level = LEVELS.index(self.level) - 1
        limited = thing.tokens is not None or bool(thing.groups)
        if limited:
            level = -1 if thing.exact else min(level, 0)
        full = thing.exact
        inside = outside = np.zeros(0, dtype=np.int64)
        if level >= 0 and thing.count:
            found = presolve_arrays(
                thing.linear,
                thing.pairs.dense(),
                thing.membership > 0,
                thing.rewards,
                thing.count if thing.size is None else thing.size,
                exact=thing.exact,
                level=level,
                budget=self.budget,
            )
            inside, outside = np.flatnonzero(found.status == IN), np.flatnonzero(found.status == OUT)
            full = found.full
        reduced = reduce_problem(thing, inside.tolist(), outside.tolist())
        facts = {
            "items": thing.count,
            "open": reduced.problem.count,
            "in every optimum": int(inside.size),
            "in none": int(thing.count - reduced.problem.count - inside.size),
            "full": bool(full),
        }
        step = ReduceMap(reduced.kept, np.flatnonzero(reduced.included), thing.count)
        return Lowering(self.spec, step, 0.0, facts, reduced.problem, None, perf_counter() - start)
