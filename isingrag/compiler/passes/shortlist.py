"""shortlist: few bits can't tell many items apart, so the least likely ones are left out (lossy)."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.common.arrays import FloatArray
from isingrag.instance import Lowering
from isingrag.problem import SelectionProblem
from isingrag.problem.reduce import reduce_problem
from isingrag.states import ReduceMap

__all__ = ["GIVEN_UP", "Shortlist", "given_up"]

#: Expected number of optimum items given up, by bits; tuned on perturbed copies, see docs/measurements.md.
GIVEN_UP = {2: 0.8, 3: 0.8, 4: 0.75, 5: 0.75, 6: 0.6, 7: 0.3, 8: 0.2, 9: 0.12, 10: 0.07, 11: 0.05, 12: 0.03}


def given_up(bits: float | None) -> float:
    """The default for a register of so many bits (log2 of its values); 0 above 12 or where unknown."""
    return 0.0 if bits is None else GIVEN_UP.get(round(bits), 0.0)


@dataclass(frozen=True)
class Shortlist:
    """Leave out the least likely items while their expected count stays small.

    A bias of the spin form is half an item's value plus a quarter of all its pair values, so it grows
    with the number of items while what tells selections apart does not. Lossy: the optimum may
    need a left-out item; the relaxation's guess of how often is in the facts.

    Parameters
    ----------
    means : tuple of float
        Probability of each item, from the relaxation.
    expected : float
        Expected number of optimum items that may be lost.
    """

    means: tuple[float, ...]
    expected: float

    @property
    def spec(self) -> str:
        """The pass as text."""
        return f"shortlist(expected={self.expected!r})"

    def kept(self, size: int) -> np.ndarray:
        """Positions that stay, sorted; at least size + 2 of them."""
        means: FloatArray = np.array(self.means)
        order = np.argsort(means, kind="stable")
        lost = int((np.cumsum(means[order]) <= self.expected).sum())
        return np.sort(order[min(lost, max(0, means.size - size - 2)) :])

    def lower(self, thing: SelectionProblem, seed: int = 0) -> Lowering:
        """A problem over the likely items; values of its selections are equal."""
        start = perf_counter()
        kept = self.kept(thing.count if thing.size is None else thing.size)
        dropped = sorted(set(range(thing.count)) - set(kept.tolist()))
        reduced = reduce_problem(thing, (), dropped)
        lost = float(sum(self.means[i] for i in dropped))
        facts = {"lossy": bool(dropped), "items": thing.count, "kept": len(kept), "expected loss": lost}
        step = ReduceMap(reduced.kept, np.flatnonzero(reduced.included), thing.count)
        return Lowering(self.spec, step, 0.0, facts, reduced.problem, None, perf_counter() - start)
