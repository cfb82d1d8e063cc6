"""Branch and bound for the quadratic selection objective, on plain arrays.

Maximise over subsets S of n items::

    sum_{i in S} linear_i + sum_{i<k in S} P_ik + sum_u V[u, state_u(S)] - size_cost[|S|]

where state_u(S) is the highest level (0, 1, 2) that a member of S has in unit u. The search is
depth first over inclusions. Its bound: adding t more items T gains at most the t largest of
``a_i(t) = gain_i + half of the t-1 largest P_ik among candidates``, because a pair of T is counted
half from each side; coverage is bounded twice (per item, and once per unit) and the smaller bound
taken. Candidates whose own bound can't beat the incumbent are dropped from the subtree.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numba import njit

from isingrag.common.arrays import BoolArray, FloatArray, IntArray

__all__ = ["SearchArrays", "SearchResult", "search"]

#: Nodes between two looks at the clock.
CHUNK = 20_000


@dataclass(frozen=True)
class SearchArrays:
    """Arrays of one search.

    Attributes
    ----------
    linear : (n,) float64
    pairs : (n, n) float64, symmetric, zero diagonal
    levels : (units, n) int64 in {0, 1, 2}
    values : (units, 3) float64, not decreasing along a row
    size_cost : (n + 1,) float64, +inf where a size is not allowed
    tokens : (n,) float64, all 0 without a budget
    budget : float, +inf without a budget
    groups : (groups, n) bool
    group_limits : (groups,) int64
    """

    linear: FloatArray
    pairs: FloatArray
    levels: IntArray
    values: FloatArray
    size_cost: FloatArray
    tokens: FloatArray
    budget: float
    groups: BoolArray
    group_limits: IntArray


@dataclass(frozen=True)
class SearchResult:
    """Best mask found (n,), its value, whether it is proven, nodes and seconds used."""

    mask: BoolArray
    value: float
    proven: bool
    nodes: int
    seconds: float


@njit(cache=True)
def _descending(values, count):  # type: ignore[no-untyped-def]
    """Positions of values[:count], largest first; equal values keep their order."""
    order = np.empty(count, np.int64)
    for a in range(count):
        b = a
        while b > 0 and values[order[b - 1]] < values[a]:
            order[b] = order[b - 1]
            b -= 1
        order[b] = a
    return order


@njit(cache=True)
def _half_pairs(pairs, row_order, inside, candidates, count, room, half):  # type: ignore[no-untyped-def]
    """half[c, t]: half of the t largest pair values of candidate c with other candidates."""
    n = pairs.shape[0]
    for c in range(count):
        i = candidates[c]
        taken = 0
        total = 0.0
        half[c, 0] = 0.0
        for p in range(n):
            if taken >= room - 1:
                break
            k = row_order[i, p]
            if k != i and inside[k]:
                total += 0.5 * pairs[i, k]
                taken += 1
                half[c, taken] = total


@njit(cache=True)
def _bound_and_filter(  # type: ignore[no-untyped-def]
    candidates, count, gain, cover, slack, room, half, size_cost, chosen, need, keep
):
    """Best bound on what more can be gained; marks in `keep` the candidates worth a look.

    gain[i] holds item i's full marginal value, cover[i] the coverage part of it, `slack` what all
    units together could still give. `need` is what an addition must exceed.
    """
    best = -np.inf
    for c in range(count):
        keep[c] = False
    top = min(room, count)
    score = np.empty(count, np.float64)
    first_score = np.empty(count, np.float64)
    first_total = first_edge = total = edge = 0.0
    for t in range(1, top + 1):
        cost = size_cost[chosen + t]
        if not np.isfinite(cost):
            continue
        for flavour in range(2):
            for c in range(count):
                i = candidates[c]
                value = gain[i] if flavour == 0 else gain[i] - cover[i]
                score[c] = value + half[c, t - 1]
            order = _descending(score, count)
            total = -cost if flavour == 0 else slack - cost
            for p in range(t):
                total += score[order[p]]
            edge = score[order[t - 1]]
            if flavour == 0:
                first_total = total
                first_edge = edge
                first_score[:] = score
        bound = min(first_total, total)
        if bound > best:
            best = bound
        if bound > need:
            for c in range(count):
                one = first_total - max(0.0, first_edge - first_score[c])
                two = total - max(0.0, edge - score[c])
                if min(one, two) > need:
                    keep[c] = True
    return best


@njit(cache=True)
def _run(  # type: ignore[no-untyped-def]
    linear,
    pairs,
    levels,
    values,
    size_cost,
    tokens,
    budget,
    groups,
    limits,
    row_order,
    state,
    chosen_list,
    candidates,
    counts,
    gain,
    cover,
    unit_state,
    used,
    inside,
    value_at,
    group_used,
    best_mask,
    best_value,
    tolerance,
    node_limit,
):
    """Continue the search for at most `node_limit` nodes; True when it is finished.

    All of the search's state lives in the arrays, so a call can be followed by another.
    """
    n = linear.shape[0]
    units = levels.shape[0]
    max_size = size_cost.shape[0] - 1
    while max_size > 0 and not np.isfinite(size_cost[max_size]):
        max_size -= 1
    depth = state[0]
    nodes = 0
    keep = np.zeros(n, np.bool_)
    half = np.zeros((n, n + 1), np.float64)
    while depth >= 0:
        if nodes >= node_limit:
            state[0] = depth
            state[1] += nodes
            return False
        nodes += 1
        count = counts[depth]
        room = max_size - depth
        finished = count == 0 or room <= 0
        if not finished:
            for k in range(n):
                inside[k] = False
            for c in range(count):
                inside[candidates[depth, c]] = True
            _half_pairs(pairs, row_order, inside, candidates[depth], count, min(room, count), half)
            slack = 0.0
            for u in range(units):
                slack += values[u, 2] - values[u, unit_state[depth, u]]
            need = best_value[0] + tolerance - value_at[depth]
            bound = _bound_and_filter(
                candidates[depth], count, gain[depth], cover[depth], slack, room, half, size_cost, depth, need, keep
            )
            finished = bound <= need
        if finished:
            depth -= 1
            continue
        left = 0
        pick = -1
        pick_score = -np.inf
        for c in range(count):
            if keep[c]:
                i = candidates[depth, c]
                candidates[depth, left] = i
                score = gain[depth, i] + half[c, min(room, count) - 1]
                if score > pick_score:
                    pick = left
                    pick_score = score
                left += 1
        if pick < 0:  # each candidate alone fails one of the two bounds, though neither bound fails as a whole
            depth -= 1
            continue
        i = candidates[depth, pick]
        for c in range(pick, left - 1):
            candidates[depth, c] = candidates[depth, c + 1]
        counts[depth] = left - 1
        # include i at the next depth; on return this depth goes on without i
        nxt = depth + 1
        chosen_list[depth] = i
        value_at[nxt] = value_at[depth] + gain[depth, i]
        used[nxt] = used[depth] + tokens[i]
        for u in range(units):
            unit_state[nxt, u] = max(unit_state[depth, u], levels[u, i])
        for g in range(groups.shape[0]):
            group_used[nxt, g] = group_used[depth, g] + (1 if groups[g, i] else 0)
        kept = 0
        for c in range(left - 1):
            k = candidates[depth, c]
            allowed = used[nxt] + tokens[k] <= budget
            for g in range(groups.shape[0]):
                if groups[g, k] and group_used[nxt, g] >= limits[g]:
                    allowed = False
            if not allowed:
                continue
            candidates[nxt, kept] = k
            kept += 1
            fresh = 0.0
            for u in range(units):
                now = unit_state[nxt, u]
                if levels[u, k] > now:
                    fresh += values[u, levels[u, k]] - values[u, now]
            gain[nxt, k] = gain[depth, k] - cover[depth, k] + pairs[i, k] + fresh
            cover[nxt, k] = fresh
        counts[nxt] = kept
        total = value_at[nxt] - size_cost[nxt]
        if total > best_value[0] + tolerance:
            best_value[0] = total
            for k in range(n):
                best_mask[k] = False
            for d in range(nxt):
                best_mask[chosen_list[d]] = True
        depth = nxt
    state[0] = depth
    state[1] += nodes
    return True


def search(arrays: SearchArrays, *, seconds: float | None = None) -> SearchResult:
    """Run the search to the end, or for about `seconds`.

    Items are tried in the order given where bounds are equal, so callers sort them by id.
    """
    start = perf_counter()
    n = len(arrays.linear)
    depth = n + 2
    units = len(arrays.values)
    base = float(arrays.values[:, 0].sum()) if units else 0.0
    best_mask = np.zeros(n, dtype=np.bool_)
    best_value = np.array([base - arrays.size_cost[0]])
    state = np.zeros(2, dtype=np.int64)
    cover0 = np.zeros(n)
    for u in range(units):
        cover0 += arrays.values[u][arrays.levels[u]] - arrays.values[u, 0]
    candidates = np.zeros((depth, n), dtype=np.int64)
    counts = np.zeros(depth, dtype=np.int64)
    gain, cover = np.zeros((depth, n)), np.zeros((depth, n))
    gain[0], cover[0] = arrays.linear + cover0, cover0
    blocked = arrays.tokens > arrays.budget
    for group, limit in zip(arrays.groups, arrays.group_limits, strict=True):
        if limit == 0:
            blocked = blocked | group
    free = np.flatnonzero(~blocked)
    candidates[0, : free.size] = free
    counts[0] = free.size
    value_at = np.zeros(depth)
    value_at[0] = base
    row_order = np.argsort(-arrays.pairs, axis=1, kind="stable").astype(np.int64)
    scale = float(np.abs(gain[0]).max(initial=0.0) + np.abs(arrays.pairs).max(initial=0.0))
    tolerance = 1e-10 * max(scale, 1e-300)
    chosen = np.zeros(depth, dtype=np.int64)
    unit_state = np.zeros((depth, units), dtype=np.int64)
    used = np.zeros(depth)
    group_used = np.zeros((depth, len(arrays.groups)), dtype=np.int64)
    inside = np.zeros(n, dtype=np.bool_)
    finished = False
    while not finished:
        finished = _run(
            arrays.linear,
            arrays.pairs,
            arrays.levels,
            arrays.values,
            arrays.size_cost,
            arrays.tokens,
            float(arrays.budget),
            arrays.groups,
            arrays.group_limits,
            row_order,
            state,
            chosen,
            candidates,
            counts,
            gain,
            cover,
            unit_state,
            used,
            inside,
            value_at,
            group_used,
            best_mask,
            best_value,
            tolerance,
            CHUNK,
        )
        if seconds is not None and perf_counter() - start > seconds:
            break
    return SearchResult(best_mask, float(best_value[0]), bool(finished), int(state[1]), perf_counter() - start)
