"""Evidence selection as a selection problem: eq. 6-12 of arXiv:2607.12334."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

import numpy as np

from isingrag.common.arrays import FloatArray, check_number
from isingrag.errors import InputError
from isingrag.problem.pairs import DensePairs
from isingrag.problem.scores import EvidenceScores
from isingrag.problem.selection_problem import SelectionProblem
from isingrag.problem.terms import CoverageTerm

__all__ = ["EvidenceWeights", "evidence_problem", "support_overlap"]


@dataclass(frozen=True)
class EvidenceWeights:
    """Weights of the evidence objective; defaults are the paper's base values (mu is swept there).

    Attributes
    ----------
    alpha : float
        Relevance.
    beta : float
        Redundancy, subtracted.
    gamma_p, gamma_d : float
        Reward for covering a requirement at least partly, and directly.
    delta : float
        Complementarity, added.
    eta : float
        Support reward of each passage.
    kappa : float
        Cost of a passage that supports nothing.
    mu : float
        Cost of each passage.
    rho_diff : float
        Share of the redundancy that counts between passages that support different requirements, in [0, 1).
    """

    alpha: float = 10.0
    beta: float = 10.0
    gamma_p: float = 4.0
    gamma_d: float = 10.0
    delta: float = 8.0
    eta: float = 10.0
    kappa: float = 20.0
    mu: float = 1.0
    rho_diff: float = 0.25

    def __post_init__(self) -> None:
        for field in fields(self):
            value = check_number(f"weights.{field.name}", getattr(self, field.name), minimum=0.0)
            object.__setattr__(self, field.name, value)
        if self.rho_diff >= 1.0:
            raise InputError("rho_diff is out of bounds", found=self.rho_diff, allowed="[0, 1)", where="rho_diff")

    def to_dict(self) -> dict[str, float]:
        """Plain values for JSON."""
        return asdict(self)


def support_overlap(scores: EvidenceScores, rho_diff: float) -> FloatArray:
    """rho_ik of eq. 10, (N, N): Jaccard overlap of supported requirement sets where they meet, else rho_diff."""
    supports = (scores.support >= 1).astype(np.float64)
    shared = supports.T @ supports
    counts = supports.sum(axis=0)
    union = counts[:, None] + counts[None, :] - shared
    return np.where(shared > 0, shared / np.where(union > 0, union, 1.0), rho_diff)


def evidence_problem(
    scores: EvidenceScores,
    weights: EvidenceWeights | None = None,
    size: int = 5,
    *,
    pinned: tuple[str | int, ...] = (),
    forbidden: tuple[str | int, ...] = (),
) -> SelectionProblem:
    """The evidence-selection problem of a scored question.

    Parameters
    ----------
    scores : EvidenceScores
        N passages, M requirements.
    weights : EvidenceWeights, optional
        The paper's base values by default.
    size : int
        At most this many passages, >= 1.
    pinned, forbidden : tuple of ids, optional
        Passages that must be, or must not be, selected.

    Returns
    -------
    SelectionProblem
        Linear terms ``alpha s + eta S'w - kappa u - mu``; pair terms ``delta b - beta d rho``; for each
        requirement a coverage term ``partial[j]`` (reward gamma_P w_j) and ``direct[j]`` (gamma_D w_j),
        the second implying the first.

    Notes
    -----
    arXiv:2607.12334, eq. 6-12; base weights as in docs/design.md, section 1.
    """
    w = weights or EvidenceWeights()
    unsupported = ~(scores.support >= 1).any(axis=0)
    linear = w.alpha * scores.relevance + w.eta * (scores.weights @ scores.support) - w.kappa * unsupported - w.mu
    pairs = w.delta * scores.complementarity - w.beta * scores.redundancy * support_overlap(scores, w.rho_diff)
    np.fill_diagonal(pairs, 0.0)
    coverage: list[CoverageTerm] = []
    for j, weight in enumerate(scores.weights):
        partial = np.flatnonzero(scores.support[j] >= 1)
        direct = np.flatnonzero(scores.support[j] == 2)
        first = len(coverage)
        coverage.append(CoverageTerm(f"partial[{j}]", partial, w.gamma_p * float(weight)))
        coverage.append(CoverageTerm(f"direct[{j}]", direct, w.gamma_d * float(weight), implies=first))
    return SelectionProblem(
        scores.ids,
        linear,
        DensePairs(pairs),
        coverage,
        size=size,
        pinned=pinned,
        forbidden=forbidden,
    )
