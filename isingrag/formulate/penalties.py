"""Penalty weights by named rules, each with the bound that it used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from isingrag.common.arrays import FloatArray, check_number
from isingrag.errors import InputError, UnknownName, nearest
from isingrag.model import Model
from isingrag.problem import SelectionProblem

__all__ = ["PENALTY_KINDS", "PENALTY_RULES", "REFERENCE", "apply_penalties", "sufficient_bounds"]

#: Penalty kinds and what they guard.
PENALTY_KINDS: dict[str, str] = {
    "lambda_K": "size",
    "lambda_P": "partial coverage",
    "lambda_D": "direct coverage",
    "lambda_H": "hierarchy",
    "lambda_B": "token budget",
    "lambda_G": "group limit",
}

#: The design's constants; the published table's cells are not available.
REFERENCE: dict[str, float] = {
    "lambda_K": 40.0,
    "lambda_P": 20.0,
    "lambda_D": 20.0,
    "lambda_H": 20.0,
    "lambda_B": 20.0,
    "lambda_G": 20.0,
}

PENALTY_RULES = ("reference", "sufficient")

#: `sufficient` weights exceed their bound by this factor, so that no violation ties with the optimum.
MARGIN = 1.01


def apply_penalties(
    model: Model, problem: SelectionProblem, penalties: str | Mapping[str, float]
) -> tuple[Model, dict[str, object]]:
    """Weigh the constraints of a model.

    Parameters
    ----------
    model : Model
        From `encode_paper`.
    problem : SelectionProblem
        The problem it was made from.
    penalties : {'reference', 'sufficient'} or mapping
        A rule, or weights by kind (``{"lambda_K": 50.0}``); kinds that a mapping leaves out take
        the `reference` constants.

    Returns
    -------
    Model, dict
        The weighted model and facts: rule, weights, bounds, and kinds that are below their bound.
    """
    bounds = sufficient_bounds(problem)
    if isinstance(penalties, str):
        if penalties not in PENALTY_RULES:
            raise UnknownName(
                "unknown penalty rule",
                found=repr(penalties),
                allowed=nearest(penalties, PENALTY_RULES),
                where="penalties",
            )
        rule = penalties
        weights = dict(REFERENCE) if rule == "reference" else {k: MARGIN * b for k, b in bounds.items()}
    else:
        rule = "given"
        unknown = sorted(set(penalties) - set(PENALTY_KINDS))
        if unknown:
            raise InputError(
                "unknown penalty kind", found=unknown[0], allowed=nearest(unknown[0], PENALTY_KINDS), where="penalties"
            )
        given = {k: check_number(f"penalties[{k}]", v, minimum=0.0) for k, v in penalties.items()}
        weights = {**REFERENCE, **given}
    used = sorted({c.kind for c in model.constraints})
    weighted = [c.weighted(weights[c.kind], rule, bounds[c.kind]) for c in model.constraints]
    facts: dict[str, object] = {
        "rule": rule,
        "weights": {k: weights[k] for k in used},
        "bounds": {k: bounds[k] for k in used},
        "below_bound": [k for k in used if weights[k] < bounds[k]],
    }
    return model.with_constraints(weighted), facts


@dataclass(frozen=True)
class _Marginals:
    """Per item: value alone with all its coverage rewards, and sorted pair values with the others."""

    alone: FloatArray
    reward: FloatArray
    best: FloatArray  # (N, N-1) prefix sums of the positive pair values, largest first
    worst: FloatArray  # (N, N-1) prefix sums of the negative pair values as positive numbers

    def gain(self, partners: int) -> float:
        """Largest value that any item can add next to `partners` others."""
        return float(np.max(self.alone + self.reward + _prefix(self.best, partners), initial=0.0))

    def loss(self, partners: int) -> float:
        """Largest value that adding any item next to `partners` others can cost."""
        return float(np.max(-self.alone + _prefix(self.worst, partners), initial=0.0))


def _prefix(sums: FloatArray, partners: int) -> FloatArray:
    if partners <= 0 or sums.shape[1] == 0:
        return np.zeros(sums.shape[0])
    column: FloatArray = sums[:, min(partners, sums.shape[1]) - 1]
    return column


def _marginals(problem: SelectionProblem) -> _Marginals:
    dense = problem.pairs.dense()
    ranked = -np.sort(-dense, axis=1)
    best = np.cumsum(np.clip(ranked, 0.0, None), axis=1)
    worst = np.cumsum(np.clip(-ranked[:, ::-1], 0.0, None), axis=1)
    reward = problem.membership.T @ problem.rewards if problem.coverage else np.zeros(problem.count)
    return _Marginals(problem.linear, reward, best, worst)


def sufficient_bounds(problem: SelectionProblem) -> dict[str, float]:
    """A weight above its bound is safe: every ground state of the model is then feasible and optimal.

    Coverage: claiming a reward r of a group that is not covered costs at least one unit, so more
    than r is enough; the same weight guards the hierarchy. Size: with U(m) the largest value that an
    item can add next to m others, a set of K + e items loses at most U(K) + ... + U(K+e-1) when e
    of them are dropped and saves ``lambda e**2``; ``max_t U(K+t-1) / (2t-1)`` is enough. Exactly k
    also needs the largest loss of adding an item next to fewer than k others (both directions, L16,
    L17). With further limits each removal mends at least one unit of some excess, so U(N-1) is
    enough for all; exactly k together with other limits takes the whole range of the objective,
    since a set may have to be rebuilt.
    """
    marginals = _marginals(problem)
    tiny = 1e-3 * max(
        float(np.abs(problem.linear).max(initial=0.0)), float(np.abs(marginals.best).max(initial=0.0)), 1e-6
    )
    partial = max((t.reward for t in problem.coverage if t.implies is None), default=0.0)
    direct = max((t.reward for t in problem.coverage if t.implies is not None), default=0.0)
    top = _limit_bound(problem, marginals)
    size = top
    if problem.size is not None and problem.tokens is None and not problem.groups:
        k = problem.size
        size = max((marginals.gain(k + t - 1) / (2 * t - 1) for t in range(1, problem.count - k + 1)), default=0.0)
        if problem.exact:
            size = max(size, marginals.loss(k - 1))
    bounds = {
        "lambda_K": size,
        "lambda_P": partial,
        "lambda_D": direct,
        "lambda_H": direct,
        "lambda_B": top,
        "lambda_G": top,
    }
    return {kind: max(bound, tiny) for kind, bound in bounds.items()}


def _limit_bound(problem: SelectionProblem, marginals: _Marginals) -> float:
    if problem.exact and (problem.tokens is not None or problem.groups):
        pairs = problem.pairs.upper()[2]
        low = np.clip(problem.linear, None, 0).sum() + np.clip(pairs, None, 0).sum()
        high = np.clip(problem.linear, 0, None).sum() + np.clip(pairs, 0, None).sum() + problem.rewards.sum()
        return float(high - low)
    return marginals.gain(problem.count - 1)
