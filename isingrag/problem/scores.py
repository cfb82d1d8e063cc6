"""Evidence scores: what a scorer says of a question's passages, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import (
    FloatArray,
    Frozen,
    IntArray,
    ItemId,
    check_ids,
    finite_matrix,
    finite_vector,
    symmetric_matrix,
)
from isingrag.errors import InputError

__all__ = ["EvidenceScores"]


class EvidenceScores(Frozen):
    """Scores of N passages against M requirements.

    Parameters
    ----------
    ids : sequence
        N unique passage ids.
    relevance : array_like, shape (N,)
        Relevance s_i to the question.
    support : array_like of int, shape (M, N)
        S_ji: 0 none, 1 partial, 2 direct support of requirement j by passage i.
    weights : array_like, shape (M,)
        Requirement weights w_j >= 0.
    redundancy, complementarity : array_like, shape (N, N), optional
        d_ik >= 0 and b_ik >= 0, symmetric with zero diagonal. Where they are missing they are made
        from `embeddings` on first use: d is the cosine clipped to [0, 1]; b is 1 - d between
        supported passages whose supported requirements are disjoint, 0 elsewhere. Without
        embeddings both are 0.
    embeddings : array_like, shape (N, d), optional
        Rows are normalised on use; a zero row has cosine 0 with everything.
    requirements : sequence of str, optional
        M texts.
    texts : sequence of str, optional
        N passage texts, for reports.

    Raises
    ------
    InputError
        Names the field, the index and the rule.

    Notes
    -----
    Eq. 6-12 of arXiv:2607.12334 use these arrays; `evidence_problem` combines them.
    """

    def __init__(
        self,
        ids: Sequence[ItemId] | Iterable[ItemId],
        relevance: ArrayLike,
        support: ArrayLike,
        weights: ArrayLike,
        redundancy: ArrayLike | None = None,
        complementarity: ArrayLike | None = None,
        embeddings: ArrayLike | None = None,
        requirements: Sequence[str] | None = None,
        texts: Sequence[str] | None = None,
    ) -> None:
        names = check_ids("ids", ids)
        n = len(names)
        shape = np.shape(weights)
        if len(shape) != 1:
            raise InputError("weights has the wrong shape", found=shape, allowed="(M,)", where="weights")
        m = shape[0]
        self._set(
            ids=names,
            relevance=finite_vector("relevance", relevance, n),
            support=_support(support, m, n),
            weights=finite_vector("weights", weights, m, minimum=0.0),
            _redundancy=_optional_square("redundancy", redundancy, n),
            _complementarity=_optional_square("complementarity", complementarity, n),
            embeddings=None if embeddings is None else finite_matrix("embeddings", embeddings, (n, None)),
            requirements=_texts("requirements", requirements, m),
            texts=_texts("texts", texts, n),
        )

    ids: tuple[ItemId, ...]
    relevance: FloatArray
    support: IntArray
    weights: FloatArray
    embeddings: FloatArray | None
    requirements: tuple[str, ...] | None
    texts: tuple[str, ...] | None
    _redundancy: FloatArray | None
    _complementarity: FloatArray | None

    def _parts(self) -> Iterable[object]:
        return (
            self.ids,
            self.relevance,
            self.support,
            self.weights,
            self.redundancy,
            self.complementarity,
            self.requirements or (),
        )

    @property
    def size(self) -> int:
        """Number of passages N."""
        return len(self.ids)

    @cached_property
    def redundancy(self) -> FloatArray:
        """d_ik, shape (N, N), symmetric with zero diagonal."""
        if self._redundancy is not None:
            return self._redundancy
        matrix = np.zeros((self.size, self.size)) if self.embeddings is None else _cosines(self.embeddings)
        matrix.setflags(write=False)
        return matrix

    @cached_property
    def complementarity(self) -> FloatArray:
        """b_ik, shape (N, N), symmetric with zero diagonal."""
        if self._complementarity is not None:
            return self._complementarity
        if self.embeddings is None and self._redundancy is None:
            matrix = np.zeros((self.size, self.size))
        else:
            supports = (self.support >= 1).astype(np.float64)
            counts = supports.sum(axis=0)
            disjoint = (supports.T @ supports == 0) & np.outer(counts > 0, counts > 0)
            matrix = np.where(disjoint, np.clip(1.0 - self.redundancy, 0.0, None), 0.0)
            np.fill_diagonal(matrix, 0.0)
        matrix.setflags(write=False)
        return matrix


def _cosines(embeddings: FloatArray) -> FloatArray:
    norms = np.linalg.norm(embeddings, axis=1, keepdims=True)
    unit = embeddings / np.where(norms > 0, norms, 1.0)
    matrix: FloatArray = np.clip(unit @ unit.T, 0.0, 1.0)
    matrix = np.triu(matrix, 1)
    return matrix + matrix.T


def _support(support: ArrayLike, m: int, n: int) -> IntArray:
    array = finite_matrix("support", np.zeros((0, n)) if m == 0 and np.size(support) == 0 else support, (m, n))
    wrong = np.argwhere(np.isin(array, (0.0, 1.0, 2.0), invert=True))
    if len(wrong):
        j, i = (int(v) for v in wrong[0])
        raise InputError(
            "support holds a value outside the scale",
            found=array[j, i],
            allowed="0 (none), 1 (partial) or 2 (direct)",
            where=f"support[{j}, {i}]",
        )
    result = array.astype(np.int64)
    result.setflags(write=False)
    return result


def _optional_square(name: str, value: ArrayLike | None, n: int) -> FloatArray | None:
    return None if value is None else symmetric_matrix(name, value, n, minimum=0.0)


def _texts(name: str, values: Sequence[str] | None, count: int) -> tuple[str, ...] | None:
    if values is None:
        return None
    texts = tuple(values)
    if len(texts) != count or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{name} has the wrong length or type", found=len(texts), allowed=f"{count} texts", where=name)
    return texts
