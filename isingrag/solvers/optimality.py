"""Optimality conditions of a selection problem, as kernels on plain arrays.

maximise ``linear.x + sum_{i<k} pairs_ik x_i x_k + sum_g rewards_g [x hits group g]`` over sets of at most
(or exactly) K items. A context says of every item whether it is IN, OUT or still FREE. Each rule
removes only sets for which it can name a strictly better feasible one (by more than EPS), so every
optimum survives, ties included:

- removal: a member whose best marginal value over all sets of the context is negative goes out;
- addition: an item whose worst marginal value is positive is in every set that has room;
- swap: where exchanging a for b gains over all sets of the context, no optimum holds a without b.

The callers scale coefficients so that the largest is 1, which makes EPS a relative margin.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = [
    "EPS",
    "FREE",
    "IN",
    "OUT",
    "add_gain",
    "count_members",
    "extreme_sum",
    "fields",
    "propagate",
    "put",
    "swap_gain",
]

EPS = 1e-9
FREE, IN, OUT = 0, 1, 2


@njit(cache=True)
def extreme_sum(vals, m, R, exact, sign):  # type: ignore[no-untyped-def]
    """max (sign=1) or min (sign=-1) of a sum of at most (exact: exactly) R of vals[:m]; vals is reordered."""
    tot = 0.0
    if m <= R:
        for a in range(m):
            if exact or sign * vals[a] > 0:
                tot += vals[a]
        return tot
    for _ in range(R):
        b = 0
        for a in range(1, m):
            if sign * vals[a] > sign * vals[b]:
                b = a
        if not exact and sign * vals[b] <= 0:
            break
        tot += vals[b]
        m -= 1
        vals[b] = vals[m]
    return tot


@njit(cache=True)
def count_members(groups, status, held, open_):  # type: ignore[no-untyped-def]
    """members IN and members not OUT of every group; returns (number IN, number FREE)"""
    inside = 0
    free = 0
    held[:] = 0
    open_[:] = 0
    for i in range(status.size):
        if status[i] == OUT:
            continue
        if status[i] == IN:
            inside += 1
        else:
            free += 1
        for g in range(held.size):
            if groups[g, i]:
                open_[g] += 1
                if status[i] == IN:
                    held[g] += 1
    return inside, free


@njit(cache=True)
def put(groups, status, held, open_, i, to):  # type: ignore[no-untyped-def]
    """FREE -> IN or OUT, counts kept"""
    status[i] = to
    for g in range(held.size):
        if groups[g, i]:
            if to == IN:
                held[g] += 1
            else:
                open_[g] -= 1


@njit(cache=True)
def fields(linear, pairs, status):  # type: ignore[no-untyped-def]
    """linear coefficient of every item given the items that are IN"""
    F = linear.copy()
    for k in range(linear.size):
        if status[k] == IN:
            for i in range(linear.size):
                F[i] += pairs[i, k]
    return F


@njit(cache=True)
def swap_gain(F, pairs, groups, rewards, K, status, excl, held, open_, inside, full, a, b, buf, work):  # type: ignore[no-untyped-def]
    """lower bound of v(S - a + b) - v(S) over all sets S of the context that hold a and not b (0 when not positive)"""
    n = F.size
    ina = 1 if status[a] == IN else 0
    d = F[b] - F[a]
    if ina:
        d -= pairs[a, b]
    for g in range(rewards.size):
        if groups[g, a] and not groups[g, b] and held[g] - ina == 0:
            d -= rewards[g]
        elif groups[g, b] and not groups[g, a] and open_[g] - (1 if status[b] == FREE else 0) == 0:
            d += rewards[g]
    work[0] += 3
    if not full and d <= EPS:
        return 0.0
    m = 0
    for k in range(n):
        if status[k] == FREE and k != a and k != b and not excl[a, k]:
            buf[m] = pairs[b, k] - pairs[a, k]
            m += 1
    work[0] += 2 * n
    return d + extreme_sum(buf, m, K - inside - 1 + ina, full, -1.0)


@njit(cache=True)
def add_gain(F, pairs, groups, rewards, K, status, excl, open_, inside, i, buf):  # type: ignore[no-untyped-def]
    """lower bound of v(S + i) - v(S) over all sets S of the context with room and without i (0 when not positive)"""
    n = F.size
    v = F[i]
    for g in range(rewards.size):
        if groups[g, i] and open_[g] - (1 if status[i] == FREE else 0) == 0:
            v += rewards[g]
    if v <= EPS:
        return 0.0
    m = 0
    for k in range(n):
        if k != i and status[k] == FREE:
            buf[m] = pairs[i, k]
            m += 1
    return v + extreme_sum(buf, m, K - 1 - inside, False, -1.0)


@njit(cache=True)
def propagate(linear, pairs, groups, rewards, K, status, excl, full0, swaps, work, fixed):  # type: ignore[no-untyped-def]
    """Close a context (IN, FREE, OUT) under the optimality conditions.  Returns (consistent, full).
    Sound: every removal names, for every set it removes, a strictly better feasible set."""
    n = linear.size
    ng = rewards.size
    buf = np.empty(n)
    held = np.empty(ng, np.int64)
    open_ = np.empty(ng, np.int64)
    full = full0
    changed = True
    while changed:
        changed = False
        for i in range(n):
            if status[i] == IN:
                for k in range(n):
                    if excl[i, k]:
                        if status[k] == IN:
                            return False, full
                        if status[k] == FREE:
                            status[k] = OUT
        inside, free = count_members(groups, status, held, open_)
        if inside > K or (full and inside + free < K):
            return False, full
        if free > 0 and inside == K:
            for i in range(n):
                if status[i] == FREE:
                    status[i] = OUT
            inside, free = count_members(groups, status, held, open_)
        elif free > 0 and full and inside + free == K:
            for i in range(n):
                if status[i] == FREE:
                    status[i] = IN
            inside, free = count_members(groups, status, held, open_)
        work[0] += n * (inside + 8)
        F = fields(linear, pairs, status)
        # members: removal must not improve; items outside: addition must not improve a set with room
        for i in range(n):
            if status[i] == OUT and (full or not swaps):
                continue
            if status[i] != OUT and not fixed:
                base = F[i]
                inn = 1 if status[i] == IN else 0
                for g in range(ng):
                    if groups[g, i] and held[g] - inn == 0:
                        base += rewards[g]
                bad = False
                if full or base < -EPS:
                    m = 0
                    for k in range(n):
                        if k != i and status[k] == FREE and not excl[i, k]:
                            buf[m] = pairs[i, k]
                            m += 1
                    work[0] += 2 * n
                    bad = base + extreme_sum(buf, m, K - inside - 1 + inn, full, 1.0) < -EPS
                if bad:
                    if status[i] == IN:
                        return False, full
                    put(groups, status, held, open_, i, OUT)
                    free -= 1
                    changed = True
            if (  # short-circuit: the gain is only worked out where there may be room
                status[i] != IN
                and not full
                and (status[i] == OUT or inside + free <= K)
                and add_gain(F, pairs, groups, rewards, K, status, excl, open_, inside, i, buf) > EPS
            ):
                if status[i] == OUT:
                    full = True
                    changed = True
                else:
                    put(groups, status, held, open_, i, IN)
                    for k in range(n):
                        F[k] += pairs[k, i]
                    inside += 1
                    free -= 1
                    changed = True
        if changed or not swaps:
            continue
        # swaps a -> b  (a IN, b not IN; or a FREE, b OUT); Gn: field plus the rewards that only b can earn
        Gn = F.copy()
        for g in range(ng):
            if open_[g] <= 1:
                for i in range(n):
                    if groups[g, i] and open_[g] - (1 if status[i] == FREE else 0) == 0:
                        Gn[i] += rewards[g]
        for a in range(n):
            if status[a] == OUT:
                continue
            for b in range(n):
                if b == a or status[b] == IN or (status[a] == FREE and status[b] == FREE):
                    continue
                if not full and Gn[b] - F[a] - (pairs[a, b] if status[a] == IN else 0.0) <= EPS:
                    continue
                if (
                    swap_gain(F, pairs, groups, rewards, K, status, excl, held, open_, inside, full, a, b, buf, work)
                    > EPS
                ):
                    changed = True
                    if status[b] == OUT:
                        if status[a] == IN:
                            return False, full
                        put(groups, status, held, open_, a, OUT)
                        free -= 1
                        break
                    put(groups, status, held, open_, b, IN)
                    for k in range(n):
                        F[k] += pairs[k, b]
                        Gn[k] += pairs[k, b]
                    inside += 1
                    free -= 1
                    if inside > K:
                        return False, full
    return True, full
