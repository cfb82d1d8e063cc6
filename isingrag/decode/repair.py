"""Repair follows the objective: the cheapest drops and the best additions, then single exchanges.

It works on all reads at once and is the same for device answers and for random bits, so that what a
machine found can be told from what repair made of it.
"""

from __future__ import annotations

import numpy as np

from isingrag.common.arrays import BoolArray, FloatArray, IntArray
from isingrag.problem import SelectionProblem
from isingrag.problem.selection_problem import BUDGET_TOLERANCE

__all__ = ["polish", "repair_masks"]


def _margins(problem: SelectionProblem, x: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Value gained by adding, and lost by dropping, each item of each read; both (reads, N)."""
    z = x.astype(np.float64)
    base = problem.linear + problem.pairs.dot(z)
    if not problem.coverage:
        return base, base
    counts = z @ problem.membership.T
    gain = base + ((counts == 0) * problem.rewards) @ problem.membership
    loss = base + ((counts == 1) * problem.rewards) @ problem.membership
    return gain, loss


def _rank(problem: SelectionProblem) -> IntArray:
    rank = np.empty(problem.count, dtype=np.int64)
    rank[problem.order] = np.arange(problem.count)
    return rank


def _pick(scores: FloatArray, allowed: BoolArray, rank: IntArray) -> IntArray:
    """Best allowed item of each read, lowest id among equals; -1 where none is allowed."""
    masked = np.where(allowed, scores, -np.inf)
    best = masked.max(axis=1, initial=-np.inf)
    tied = allowed & (masked >= best[:, None] - 1e-12 * np.maximum(1.0, np.abs(best[:, None])))
    choice = np.where(tied, rank[None, :], rank.size).argmin(axis=1) if rank.size else np.zeros(len(scores), np.int64)
    return np.where(tied.any(axis=1), choice, -1)


def _fixed(problem: SelectionProblem) -> tuple[BoolArray, BoolArray]:
    pinned = np.zeros(problem.count, dtype=bool)
    forbidden = np.zeros(problem.count, dtype=bool)
    pinned[list(problem.pinned)] = True
    forbidden[list(problem.forbidden)] = True
    return pinned, forbidden


def repair_masks(problem: SelectionProblem, masks: BoolArray) -> BoolArray:
    """Feasible masks near the given ones, shape (reads, N).

    Pins are set first. Then, while a read exceeds a limit, the item whose loss is smallest (per
    token where only the budget is exceeded) is dropped among those that count towards the limit.
    Where exactly k are wanted, the best items that fit are added. Reads that can't be mended
    this way (exactly k beside tight limits) are returned as far as they came.
    """
    x = problem.masks(masks).copy()
    pinned, forbidden = _fixed(problem)
    x[:, pinned] = True
    x[:, forbidden] = False
    rank = _rank(problem)
    for _ in range(problem.count):
        rows, droppable, per_token = _excess(problem, x, pinned)
        if not rows.size:
            break
        _, loss = _margins(problem, x[rows])
        if problem.tokens is not None:
            cost = np.maximum(problem.tokens, 1e-300)
            loss = np.where(per_token[:, None], np.where(loss > 0, loss / cost, loss * cost), loss)
        choice = _pick(-loss, droppable, rank)
        good = choice >= 0
        if not good.any():
            break
        x[rows[good], choice[good]] = False
    if problem.exact and problem.size is not None:
        _fill(problem, x, rank, forbidden)
    return x


def _excess(problem: SelectionProblem, x: BoolArray, pinned: BoolArray) -> tuple[IntArray, BoolArray, BoolArray]:
    """Reads above a limit, the items that may be dropped in each, and whether only the budget is exceeded."""
    over_size = np.zeros(len(x), dtype=bool) if problem.size is None else x.sum(axis=1) > problem.size
    droppable = x & over_size[:, None]
    over_group = np.zeros(len(x), dtype=bool)
    for group in problem.groups:
        over = x[:, group.items].sum(axis=1) > group.at_most
        inside = np.zeros(problem.count, dtype=bool)
        inside[group.items] = True
        droppable |= x & over[:, None] & inside
        over_group |= over
    over_budget = np.zeros(len(x), dtype=bool)
    if problem.tokens is not None and problem.budget is not None:
        over_budget = x @ problem.tokens > problem.budget * (1 + BUDGET_TOLERANCE)
        droppable |= x & over_budget[:, None] & (problem.tokens > 0)
    droppable &= ~pinned
    rows = np.flatnonzero((over_size | over_group | over_budget) & droppable.any(axis=1))
    only_budget = over_budget & ~over_size & ~over_group
    return rows, droppable[rows], only_budget[rows]


def _fits(problem: SelectionProblem, x: BoolArray, forbidden: BoolArray) -> BoolArray:
    """Items that can be added to each read without exceeding a budget or group limit."""
    allowed = ~x & ~forbidden
    if problem.tokens is not None and problem.budget is not None:
        left = problem.budget * (1 + BUDGET_TOLERANCE) - x @ problem.tokens
        allowed &= problem.tokens[None, :] <= left[:, None]
    for group in problem.groups:
        full = x[:, group.items].sum(axis=1) >= group.at_most
        inside = np.zeros(problem.count, dtype=bool)
        inside[group.items] = True
        allowed &= ~(full[:, None] & inside)
    return allowed


def _fill(problem: SelectionProblem, x: BoolArray, rank: IntArray, forbidden: BoolArray) -> None:
    assert problem.size is not None
    for _ in range(problem.size):
        rows = np.flatnonzero(x.sum(axis=1) < problem.size)
        if not rows.size:
            break
        gain, _ = _margins(problem, x[rows])
        choice = _pick(gain, _fits(problem, x[rows], forbidden), rank)
        good = choice >= 0
        if not good.any():
            break
        x[rows[good], choice[good]] = True


def polish(problem: SelectionProblem, masks: BoolArray, *, rounds: int = 1000) -> BoolArray:
    """Single adds, drops and swaps while they improve feasible reads; others stay as they are.

    Equal masks are polished once. The best move of each round is taken, lowest ids among equals.
    """
    unique, inverse = np.unique(problem.masks(masks), axis=0, return_inverse=True)
    good = problem.feasible(unique)
    for row in np.flatnonzero(good):
        x = unique[row]
        for _ in range(rounds):
            better = _best_move(problem, x)
            if better is None:
                break
            x = better
        unique[row] = x
    result: BoolArray = unique[np.ravel(inverse)]
    return result


def _best_move(problem: SelectionProblem, x: BoolArray) -> BoolArray | None:
    """The mask after the best improving move, or None."""
    order = problem.order
    inside = order[x[order]]
    outside = order[~x[order]]
    pinned, forbidden = _fixed(problem)
    inside = inside[~pinned[inside]]
    outside = outside[~forbidden[outside]]
    gain, loss = (margin[0] for margin in _margins(problem, x[None, :]))
    moves: list[tuple[float, int, int]] = []
    if outside.size and not problem.exact:
        moves += [(float(gain[j]), -1, int(j)) for j in outside if gain[j] > 0]
    if inside.size and not problem.exact:
        moves += [(float(-loss[i]), int(i), -1) for i in inside if loss[i] < 0]
    if inside.size and outside.size:
        change = gain[outside][None, :] - loss[inside][:, None] - _pair_block(problem, inside, outside)
        if problem.coverage:
            z = x.astype(np.float64)
            sole = ((z @ problem.membership.T) == 1) * problem.rewards
            member = problem.membership
            change = change + (member[:, inside].T * sole) @ member[:, outside]
        rows, columns = np.nonzero(change > 0)
        moves += [(float(change[r, c]), int(inside[r]), int(outside[c])) for r, c in zip(rows, columns, strict=True)]
    tolerance = problem.tolerance(x)
    for improvement, drop, add in sorted(moves, key=lambda move: -move[0]):
        if improvement <= tolerance:
            break
        trial = x.copy()
        if drop >= 0:
            trial[drop] = False
        if add >= 0:
            trial[add] = True
        if problem.feasible(trial[None, :])[0]:
            return trial
    return None


def _pair_block(problem: SelectionProblem, rows: IntArray, columns: IntArray) -> FloatArray:
    """P between two lists of items, shape (rows, columns)."""
    unit = np.zeros((rows.size, problem.count))
    unit[np.arange(rows.size), rows] = 1.0
    return problem.pairs.dot(unit)[:, columns]
