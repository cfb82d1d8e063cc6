"""Fix items of a problem in or out; what is left is a smaller problem of equal value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isingrag.common.arrays import BoolArray, IntArray
from isingrag.errors import InputError
from isingrag.problem.selection_problem import SelectionProblem
from isingrag.problem.terms import CoverageTerm, GroupLimit

__all__ = ["Reduced", "reduce_problem"]


@dataclass(frozen=True)
class Reduced:
    """A smaller problem and the way back.

    Attributes
    ----------
    problem : SelectionProblem
        Over the items at `kept`; its values equal the full problem's.
    kept : (n,) int64
        Positions in the full problem.
    included : (N,) bool
        Items fixed in.
    """

    problem: SelectionProblem
    kept: IntArray
    included: BoolArray

    def expand(self, mask: BoolArray) -> BoolArray:
        """Mask(s) of the smaller problem, shape (..., n), as mask(s) of the full one, shape (..., N)."""
        full = np.broadcast_to(self.included, (*mask.shape[:-1], self.included.size)).copy()
        full[..., self.kept] = mask
        return full


def reduce_problem(problem: SelectionProblem, include: Iterable[int] = (), exclude: Iterable[int] = ()) -> Reduced:
    """Fix the pinned and forbidden items, and those at the positions given.

    The values of the smaller problem equal those of the full one; constraints are tightened by
    what the fixed items use. A size that is used up leaves a problem whose remaining items are
    fixed out.

    Raises
    ------
    InputError
        An item is fixed both ways, or the fixed items break a limit.
    """
    inside = np.zeros(problem.count, dtype=bool)
    outside = np.zeros(problem.count, dtype=bool)
    inside[[*problem.pinned, *include]] = True
    outside[[*problem.forbidden, *exclude]] = True
    clash = np.flatnonzero(inside & outside)
    if clash.size:
        raise InputError("an item is fixed in and out", found=repr(problem.ids[int(clash[0])]), where="reduce")
    used = int(inside.sum())
    size = None if problem.size is None else problem.size - used
    broken = [v for v in problem.violations(inside) if v.found > v.allowed]
    if broken:
        raise InputError("the fixed items break a limit", found=broken[0], where="reduce")
    if size == 0:
        outside = ~inside
    kept = np.flatnonzero(~(inside | outside))
    if problem.exact and size is not None and size > kept.size:
        raise InputError(
            "too few items are left for the exact size", found=kept.size, allowed=f">= {size}", where="reduce"
        )
    x = inside.astype(np.float64)[None, :]
    linear = problem.linear + (problem.pairs.dot(x)[0] if used else 0.0)
    position = np.full(problem.count, -1, dtype=np.int64)
    position[kept] = np.arange(kept.size)
    coverage, offset = _open_coverage(problem, inside, position)
    groups = [
        GroupLimit(g.label, position[g.items][position[g.items] >= 0], g.at_most - int(inside[g.items].sum()))
        for g in problem.groups
    ]
    small = SelectionProblem(
        [problem.ids[i] for i in kept],
        linear[kept],
        problem.pairs.take(kept),
        coverage,
        size=None if not size or (not problem.exact and size >= kept.size) else size,
        exact=problem.exact and bool(size),
        tokens=None if problem.tokens is None else problem.tokens[kept],
        budget=None if problem.tokens is None or problem.budget is None else _left(problem, inside),
        groups=groups,
        offset=problem.offset + float(x[0] @ problem.linear + problem.pairs.value(x)[0]) + offset,
        notes=problem.notes,
    )
    return Reduced(small, kept, inside)


def _left(problem: SelectionProblem, inside: BoolArray) -> float:
    assert problem.tokens is not None
    assert problem.budget is not None
    return max(0.0, problem.budget - float(problem.tokens[inside].sum()))


def _open_coverage(
    problem: SelectionProblem, inside: BoolArray, position: IntArray
) -> tuple[list[CoverageTerm], float]:
    """Coverage terms that are still open, over the kept items, and the rewards already earned."""
    earned = 0.0
    terms: list[CoverageTerm] = []
    new_row: dict[int, int] = {}
    for row, term in enumerate(problem.coverage):
        if inside[term.items].any():
            earned += term.reward
            continue
        left = position[term.items]
        parent = None if term.implies is None else new_row.get(term.implies)
        new_row[row] = len(terms)
        terms.append(CoverageTerm(term.label, left[left >= 0], term.reward, parent))
    return terms, earned
