"""Presolve of a selection problem on plain arrays: what every optimum holds, and what none does.

Levels: 0 ``marginal`` drops items that can't pay for themselves beside the best partners; 1
``dominance`` closes the problem under the rules of `isingrag.solvers.optimality` and counts swaps (an item
goes when more items beat it than a set has room for); 2 ``probing`` also assumes each item in and
out, closes both contexts, and keeps what they agree on or what a contradiction shows. Coefficients
are all that is looked at; no solution is sought.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from isingrag.common.arrays import BoolArray, FloatArray, IntArray
from isingrag.errors import CompileError
from isingrag.solvers.optimality import (
    EPS,
    FREE,
    IN,
    OUT,
    add_gain,
    extreme_sum,
    fields,
    propagate,
    put,
    swap_gain,
)

__all__ = ["BUDGET", "Presolved", "always_covered_groups", "limit_is_idle", "presolve_arrays"]

#: Elementary steps after which probing stops; what was found until then stays valid.
BUDGET = 500_000


@dataclass(frozen=True)
class Presolved:
    """Outcome of a presolve.

    Attributes
    ----------
    status : (n,) int64
        0 free, 1 in every optimum, 2 in no optimum.
    full : bool
        True when every optimum holds exactly K items.
    exclusive : (n, n) bool
        Pairs that no optimum holds together.
    """

    status: IntArray
    full: bool
    exclusive: BoolArray


def _unit_scale(linear: FloatArray, pairs: FloatArray, rewards: FloatArray) -> float:
    largest = max(
        float(np.abs(linear).max(initial=0.0)),
        float(np.abs(pairs).max(initial=0.0)),
        float(np.abs(rewards).max(initial=0.0)),
    )
    return 1.0 / largest if largest > 0 else 1.0


def presolve_arrays(
    linear: FloatArray,
    pairs: FloatArray,
    groups: BoolArray,
    rewards: FloatArray,
    size: int,
    *,
    exact: bool = False,
    level: int = 2,
    budget: int = BUDGET,
) -> Presolved:
    """Fix items of ``maximise linear.x + pairs + coverage, |x| <= size`` (or = size).

    Parameters
    ----------
    linear : (n,) float64
    pairs : (n, n) float64, symmetric, zero diagonal
    groups : (g, n) bool
    rewards : (g,) float64, >= 0
    size : int
    exact : bool
    level : {0, 1, 2}
    budget : int
        Elementary steps for probing.
    """
    n = len(linear)
    status = np.zeros(n, dtype=np.int64)
    exclusive = np.zeros((n, n), dtype=bool)
    if n == 0:
        return Presolved(status, exact, exclusive)
    scale = _unit_scale(linear, pairs, rewards)
    lin, mat, rew = linear * scale, np.ascontiguousarray(pairs * scale), rewards * scale
    grp = np.ascontiguousarray(groups)
    if not exact:
        status[~marginal_filter(lin, mat, grp, rew, size)] = OUT
    if level < 1:
        return Presolved(status, exact, exclusive)
    alive = np.flatnonzero(status == FREE)
    part = np.zeros(alive.size, dtype=np.int64)
    block = np.zeros((alive.size, alive.size), dtype=bool)
    full = exact
    if alive.size:
        consistent, full, _ = probe(
            lin[alive],
            np.ascontiguousarray(mat[np.ix_(alive, alive)]),
            np.ascontiguousarray(grp[:, alive]),
            rew,
            min(size, alive.size),
            part,
            block,
            level,
            budget,
            exact,
        )
        if not consistent:
            raise CompileError("presolve found a contradiction", found="no optimum", where="presolve")
    status[alive] = part
    exclusive[np.ix_(alive, alive)] = block
    return Presolved(status, bool(full) and size <= alive.size, exclusive)


def always_covered_groups(
    linear: FloatArray, pairs: FloatArray, groups: BoolArray, rewards: FloatArray, size: int
) -> BoolArray:
    """Groups whose reward is a constant for every optimum, shape (g,).

    Group g is such when every optimum of the problem without its reward covers it anyway (its
    members set out, the rules give a contradiction): then ``value - reward`` and ``value`` have the same
    maximisers. Groups are dropped one at a time, smallest reward first, so each step is exact.
    """
    scale = _unit_scale(linear, pairs, rewards)
    lin, mat, rew = linear * scale, np.ascontiguousarray(pairs * scale), rewards * scale
    grp = np.ascontiguousarray(groups)
    dropped = np.zeros(len(rewards), dtype=bool)
    if not len(linear):
        return dropped
    for g in np.argsort(rew, kind="stable"):
        if groups[g].any() and always_covered(lin, mat, grp, rew, size, int(g)):
            dropped[g] = True
            rew[g] = 0.0
    return dropped


def limit_is_idle(linear: FloatArray, pairs: FloatArray, groups: BoolArray, rewards: FloatArray, size: int) -> bool:
    """True when it is proven that no optimum of the problem without the size limit exceeds it."""
    if size >= len(linear):
        return True
    scale = _unit_scale(linear, pairs, rewards)
    arrays = (
        linear * scale,
        np.ascontiguousarray(pairs * scale),
        np.ascontiguousarray(groups),
        rewards * scale,
        size,
    )
    return bool(limit_idle_by_sums(arrays[0], arrays[1], arrays[3], size) or limit_idle_by_dominance(*arrays))


@njit(cache=True)
def marginal_filter(linear, pairs, groups, rewards, K):  # type: ignore[no-untyped-def]
    """Drop i when even the best K-1 partners and all its coverage rewards leave it below zero."""
    n = linear.size
    alive = np.ones(n, np.bool_)
    buf = np.empty(n)
    changed = True
    while changed:
        changed = False
        for i in range(n):
            if not alive[i]:
                continue
            v = linear[i]
            for g in range(rewards.size):
                if groups[g, i]:
                    v += rewards[g]
            m = 0
            for k in range(n):
                if k != i and alive[k] and pairs[i, k] > 0:
                    buf[m] = pairs[i, k]
                    m += 1
            if v + extreme_sum(buf, m, K - 1, False, 1.0) < -EPS:
                alive[i] = False
                changed = True
    return alive


@njit(cache=True)
def dominate(linear, pairs, groups, rewards, K, status, excl, full, work, fixed, budget):  # type: ignore[no-untyped-def]
    """One pass of counting dominance; True when something was fixed.

    a goes when more items beat it by a swap than a set with a has room for; b stays when a full set
    without b must hold an item that b beats.
    """
    n = linear.size
    ng = rewards.size
    buf = np.empty(n)
    held = np.zeros(ng, np.int64)
    open_ = np.zeros(ng, np.int64)
    inside = 0
    for i in range(n):
        if status[i] == IN:
            inside += 1
    for g in range(ng):
        for i in range(n):
            if groups[g, i]:
                if status[i] == IN:
                    held[g] += 1
                if status[i] != OUT:
                    open_[g] += 1
    r = K - inside
    if n * n * n * min(max(r, 1), 8) > 8 * budget:
        return False
    changed = False
    F = fields(linear, pairs, status)
    beats = np.zeros((n, n), np.bool_)  # beats[b, a]
    for a in range(n):
        if status[a] != FREE:
            continue
        cnt = 0
        for b in range(n):
            if (
                b != a
                and status[b] == FREE
                and (
                    swap_gain(F, pairs, groups, rewards, K, status, excl, held, open_, inside, full, a, b, buf, work)
                    > EPS
                )
            ):
                beats[b, a] = True
                cnt += 1
        if cnt > r - 1:
            put(groups, status, held, open_, a, OUT)
            changed = True
            continue
        if cnt > 0 and not fixed:
            # all of the dominators sit in S, or S is not optimal: a's best marginal beside them
            v = linear[a]
            m = 0
            for k in range(n):
                if k == a:
                    continue
                if status[k] == IN or beats[k, a]:
                    v += pairs[a, k]
                elif status[k] == FREE and not excl[a, k]:
                    buf[m] = pairs[a, k]
                    m += 1
            for g in range(ng):
                if groups[g, a] and held[g] == 0:
                    hit = False
                    for k in range(n):
                        if beats[k, a] and groups[g, k]:
                            hit = True
                    if not hit:
                        v += rewards[g]
            if v + extreme_sum(buf, m, r - 1 - cnt, full, 1.0) < -EPS:
                put(groups, status, held, open_, a, OUT)
                changed = True
    for b in range(n):
        if status[b] != FREE:
            continue
        if not full and add_gain(F, pairs, groups, rewards, K, status, excl, open_, inside, b, buf) <= EPS:
            continue
        free = 0
        for a in range(n):
            if a != b and status[a] == FREE and not beats[b, a]:
                free += 1
        if free < r:
            status[b] = IN
            return True
    return changed


@njit(cache=True)
def probe(linear, pairs, groups, rewards, K, status, excl, level, budget, fixed):  # type: ignore[no-untyped-def]
    """Level 1: propagate and count dominance; 2: assume every item both ways. Fills `status` and `excl`."""
    n = linear.size
    work = np.zeros(1, np.int64)
    full = fixed
    ok, full = propagate(linear, pairs, groups, rewards, K, status, excl, full, level >= 1, work, fixed)
    while (
        ok
        and level >= 1
        and work[0] < budget
        and dominate(linear, pairs, groups, rewards, K, status, excl, full, work, fixed, budget)
    ):
        ok, full = propagate(linear, pairs, groups, rewards, K, status, excl, full, True, work, fixed)
    if not ok or level < 2:
        return ok, full, work[0]
    budget = work[0] + budget
    changed = True
    while changed and work[0] < budget:
        changed = False
        for i in range(n):
            if status[i] != FREE:
                continue
            if work[0] >= budget:
                break
            t = status.copy()
            t[i] = IN
            ok, f = propagate(linear, pairs, groups, rewards, K, t, excl, full, True, work, fixed)
            if not ok:
                status[i] = OUT
                changed = True
                ok, full = propagate(linear, pairs, groups, rewards, K, status, excl, full, True, work, fixed)
                continue
            t2 = status.copy()
            t2[i] = OUT
            ok, f2 = propagate(linear, pairs, groups, rewards, K, t2, excl, full, True, work, fixed)
            if not ok:
                status[i] = IN
                changed = True
                ok, full = propagate(linear, pairs, groups, rewards, K, status, excl, full, True, work, fixed)
                continue
            for k in range(n):
                if status[k] != FREE or k == i:
                    continue
                if t[k] == OUT and not excl[i, k]:
                    excl[i, k] = True
                    excl[k, i] = True
                    changed = True
                if t[k] == t2[k] and t[k] != FREE:
                    status[k] = t[k]
                    changed = True
            if f and f2 and not full:
                full = True
                changed = True
    return True, full, work[0]


@njit(cache=True)
def dominate_fix(linear, pairs, groups, rewards, K, status, excl, full):  # type: ignore[no-untyped-def]
    work = np.zeros(1, np.int64)
    ok, full = propagate(linear, pairs, groups, rewards, K, status, excl, full, True, work, False)
    while ok and dominate(linear, pairs, groups, rewards, K, status, excl, full, work, False, 250000):
        ok, full = propagate(linear, pairs, groups, rewards, K, status, excl, full, True, work, False)
    return ok


@njit(cache=True)
def always_covered(linear, pairs, groups, rewards, K, g):  # type: ignore[no-untyped-def]
    """True when every optimum of the problem WITHOUT reward g still covers group g; then the reward is a constant."""
    n = linear.size
    r2 = rewards.copy()
    r2[g] = 0.0
    status = np.zeros(n, np.int64)
    for i in range(n):
        if groups[g, i]:
            status[i] = OUT
    return not dominate_fix(linear, pairs, groups, r2, K, status, np.zeros((n, n), np.bool_), False)


@njit(cache=True)
def limit_idle_by_sums(linear, pairs, rewards, K):  # type: ignore[no-untyped-def]
    """True when every set of more than K items has a member whose removal improves it.

    For m = K+1..n the sum of all members' marginals is negative for every m-set.
    """
    n = linear.size
    sc = np.empty(n)
    buf = np.empty(n)
    rsum = rewards.sum()
    for m in range(K + 1, n + 1):
        for i in range(n):
            q = 0
            for k in range(n):
                if k != i:
                    buf[q] = pairs[i, k]
                    q += 1
            sc[i] = linear[i] + extreme_sum(buf, q, m - 1, True, 1.0)
        if extreme_sum(sc, n, m, True, 1.0) + rsum >= -EPS:
            return False
    return True


@njit(cache=True)
def limit_idle_by_dominance(linear, pairs, groups, rewards, K):  # type: ignore[no-untyped-def]
    """True when dominance on the problem without a limit leaves at most K items that can be in."""
    n = linear.size
    status = np.zeros(n, np.int64)
    excl = np.zeros((n, n), np.bool_)
    ok = dominate_fix(linear, pairs, groups, rewards, n, status, excl, False)
    c = 0
    for i in range(n):
        if status[i] != OUT:
            c += 1
    return ok and c <= K
