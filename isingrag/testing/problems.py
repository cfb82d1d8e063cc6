"""Small problems with known optima, and the plain enumeration that judges solvers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingrag.common.arrays import BoolArray, ItemId
from isingrag.errors import TooLarge
from isingrag.problem import CoverageTerm, SelectionProblem

__all__ = ["KnownProblem", "all_masks", "brute_force", "known_problems"]

#: Largest problem that `brute_force` enumerates, in items.
MAX_ITEMS = 20


def all_masks(count: int) -> BoolArray:
    """Every mask of `count` items, shape (2**count, count); item 0 counts fastest."""
    if count > MAX_ITEMS:
        raise TooLarge("too many items to enumerate", found=count, allowed=f"<= {MAX_ITEMS}", where="all_masks")
    masks: BoolArray = ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(bool)
    return masks


def brute_force(problem: SelectionProblem) -> tuple[float, list[BoolArray]]:
    """Best value over the feasible masks, and every mask that has it (up to a relative 1e-9).

    Returns
    -------
    float, list of (N,) bool
        ``(-inf, [])`` where no mask is feasible.

    Raises
    ------
    TooLarge
        More than 20 items.
    """
    masks = all_masks(problem.count)
    masks = masks[problem.feasible(masks)]
    if not len(masks):
        return -np.inf, []
    values = problem.values(masks)
    best = float(values.max())
    scale = float(np.abs(values - problem.offset).max())
    return best, list(masks[values >= best - 1e-9 * scale - 1e-15 * abs(problem.offset)])


@dataclass(frozen=True)
class KnownProblem:
    """A problem, its best value, and the ids of its only optimum."""

    name: str
    problem: SelectionProblem
    value: float
    ids: tuple[ItemId, ...]


def known_problems() -> tuple[KnownProblem, ...]:
    """Four problems of up to 30 items whose optima were found by enumeration.

    Returns
    -------
    tuple of KnownProblem
        ``linear`` (two of twelve, at most), ``redundant`` (exactly k, near-duplicates), ``budget``
        (tokens), ``coverage`` (a requirement is rewarded once).
    """
    linear = np.full(12, -1.0)
    linear[[2, 10]] = 1.0, 2.0
    redundancy = np.zeros((3, 3))
    redundancy[0, 1] = redundancy[1, 0] = -0.9
    return (
        KnownProblem("linear", SelectionProblem([f"x{i}" for i in range(12)], linear, size=5), 3.0, ("x2", "x10")),
        KnownProblem(
            "redundant", SelectionProblem(range(3), [1.0, 0.95, 0.6], redundancy, size=2, exact=True), 1.6, (0, 2)
        ),
        KnownProblem(
            "budget", SelectionProblem(range(3), [0.9, 0.8, 0.5], tokens=[60, 50, 30], budget=100), 1.4, (0, 2)
        ),
        KnownProblem(
            "coverage",
            SelectionProblem(
                ["a", "b", "c"],
                [1.0, 0.9, 0.2],
                coverage=[CoverageTerm("partial", [0, 1, 2], 1.0), CoverageTerm("direct", [2], 4.0, implies=0)],
                size=2,
            ),
            6.2,
            ("a", "c"),
        ),
    )
