"""Proven optimum of a selection problem."""

from __future__ import annotations

import numpy as np

from isingrag.common.arrays import BoolArray, FloatArray, IntArray
from isingrag.errors import TooLarge
from isingrag.problem.reduce import reduce_problem
from isingrag.problem.selection import Selection
from isingrag.problem.selection_problem import BUDGET_TOLERANCE, SelectionProblem

__all__ = ["coverage_units", "size_costs", "solve_exact"]

#: Largest problem for which the dense pair matrix is made, in items.
MAX_ITEMS = 5_000


def solve_exact(problem: SelectionProblem, *, seconds: float | None = None) -> Selection:
    """Best feasible selection, with proof.

    Parameters
    ----------
    problem : SelectionProblem
        At most 5,000 items.
    seconds : float, optional
        Stop after about this time with the best found; `proven` is False then.

    Returns
    -------
    Selection
        ``origin`` is ``exact``. Among equal selections the one with the lowest ids is preferred:
        no chosen item can be exchanged for an unchosen one of lower id at equal value.

    Raises
    ------
    TooLarge
        More than 5,000 items.

    Notes
    -----
    Depth-first branch and bound (`isingrag.solvers.branch_bound`); measured against OR-tools and
    HiGHS in benchmarks/exact_solvers.py.
    """
    from isingrag.solvers.branch_bound import SearchArrays, search

    if problem.count > MAX_ITEMS:
        raise TooLarge(
            "the exact solver refuses the problem", found=f"{problem.count} items", allowed=f"<= {MAX_ITEMS}"
        )
    reduced = reduce_problem(problem)
    small = reduced.problem
    order = small.order
    levels, values = coverage_units(small)
    result = search(
        SearchArrays(
            linear=small.linear[order],
            pairs=np.ascontiguousarray(small.pairs.dense()[np.ix_(order, order)]),
            levels=np.ascontiguousarray(levels[:, order]),
            values=values,
            size_cost=size_costs(small),
            tokens=np.zeros(small.count) if small.tokens is None else small.tokens[order],
            budget=np.inf if small.budget is None else small.budget * (1 + BUDGET_TOLERANCE),
            groups=_group_masks(small)[:, order],
            group_limits=np.array([g.at_most for g in small.groups], dtype=np.int64),
        ),
        seconds=seconds,
    )
    mask = np.zeros(small.count, dtype=bool)
    mask[order] = result.mask
    full = _lowest_ids(problem, reduced.expand(mask))
    return problem.selection(full, origin="exact", proven=result.proven and bool(problem.feasible(full[None, :])[0]))


def coverage_units(problem: SelectionProblem) -> tuple[IntArray, FloatArray]:
    """Coverage terms as single-level units: levels (terms, N) and values (terms, 3)."""
    levels = problem.membership.astype(np.int64)
    values = np.zeros((len(problem.coverage), 3))
    values[:, 1] = values[:, 2] = problem.rewards
    return levels, values


def size_costs(problem: SelectionProblem) -> FloatArray:
    """Cost of each count 0..N: 0 where the size limit allows it, +inf elsewhere."""
    costs = np.zeros(problem.count + 1)
    if problem.size is not None:
        costs[problem.size + 1 :] = np.inf
        if problem.exact:
            costs[: problem.size] = np.inf
    return costs


def _group_masks(problem: SelectionProblem) -> BoolArray:
    masks = np.zeros((len(problem.groups), problem.count), dtype=bool)
    for row, group in enumerate(problem.groups):
        masks[row, group.items] = True
    return masks


def _lowest_ids(problem: SelectionProblem, mask: BoolArray) -> BoolArray:
    """Exchange chosen items for lower ids while value and feasibility stay the same."""
    rank = np.empty(problem.count, dtype=np.int64)
    rank[problem.order] = np.arange(problem.count)
    value = problem.value(mask)
    tolerance = problem.tolerance(mask)
    changed = True
    while changed:
        changed = False
        for i in sorted(np.flatnonzero(mask), key=lambda p: -rank[p]):
            lower = np.array([k for k in problem.order if not mask[k] and rank[k] < rank[i]], dtype=np.int64)
            if not lower.size:
                continue
            trials = np.repeat(mask[None, :], lower.size, axis=0)
            trials[:, i] = False
            trials[np.arange(lower.size), lower] = True
            good = (np.abs(problem.values(trials) - value) <= tolerance) & problem.feasible(trials)
            if good.any():
                mask = trials[int(np.flatnonzero(good)[0])]
                changed = True
                break
    return mask
