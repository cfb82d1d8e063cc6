"""Diverse retrieval as a selection problem: CCBQP of arXiv:2604.02554."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import ItemId, check_number, check_whole, finite_matrix, finite_vector
from isingrag.problem.pairs import LowRankPairs
from isingrag.problem.selection_problem import SelectionProblem

__all__ = ["diversity_problem"]


def diversity_problem(
    embeddings: ArrayLike,
    relevance: ArrayLike,
    k: int,
    theta: float,
    *,
    ids: Sequence[ItemId] | None = None,
) -> SelectionProblem:
    """Exactly k of n candidates, relevant and unlike each other.

    maximise ``theta (k-1) c.x + (1-theta) x'(I - E E')x`` subject to ``1'x = k``.

    Parameters
    ----------
    embeddings : array_like, shape (n, d)
        Normalised to unit rows here; a zero row keeps cosine 0 with everything and is noted.
    relevance : array_like, shape (n,)
        Cosine to the query, or any other score.
    k : int
        >= 1; reduced to n, with a note, where n is smaller.
    theta : float
        Weight of relevance, in [0, 1].
    ids : sequence, optional
        Positions from 0 by default.

    Notes
    -----
    For k = 1 the published objective is 0 for every candidate; relevance alone decides then, and
    the problem's notes say so. Pair terms are low rank: nothing of size n x n is made.
    """
    check_whole("k", k, minimum=1)
    theta = check_number("theta", theta, minimum=0.0, maximum=1.0)
    count = len(np.asarray(relevance))
    matrix = finite_matrix("embeddings", embeddings, (count, None))
    c = finite_vector("relevance", relevance, count)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = matrix / np.where(norms > 0, norms, 1.0)
    size = min(k, count)
    notes = []
    zero = np.flatnonzero(norms[:, 0] == 0)
    if zero.size:
        notes.append(f"{zero.size} zero embedding rows (first: {int(zero[0])}) have cosine 0 with everything")
    linear = theta * (size - 1) * c
    if size == 1:
        linear = c
        notes.append("k = 1: the published objective is 0 for every candidate, so relevance alone decides")
    return SelectionProblem(
        range(count) if ids is None else ids,
        linear,
        LowRankPairs(unit, 1.0 - theta),
        size=k,
        exact=True,
        notes=tuple(notes),
    )
