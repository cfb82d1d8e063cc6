"""Pair terms of a selection problem in three storages with one interface.

All three stand for a symmetric matrix P with zero diagonal; each unordered pair counts once:
``sum_{i<k} P_ik x_i x_k``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import (
    FloatArray,
    Frozen,
    IntArray,
    check_number,
    finite_matrix,
    finite_vector,
    position_vector,
    symmetric_matrix,
)
from isingrag.errors import InputError

__all__ = ["DensePairs", "LowRankPairs", "PairTerms", "SparsePairs", "as_pairs"]


class PairTerms(Frozen):
    """Symmetric pair values between `count` items; see the module's text."""

    count: int

    @abstractmethod
    def dot(self, masks: FloatArray) -> FloatArray:
        """``masks @ P`` for masks of shape (R, N): the pair gain of each item, shape (R, N)."""

    @abstractmethod
    def upper(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Rows, columns and values of the nonzero pairs, rows < columns, in row order."""

    @abstractmethod
    def take(self, index: IntArray) -> PairTerms:
        """Pair terms between the items at `index`, in that order."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; `pairs_from_dict` reads them."""

    def value(self, masks: FloatArray) -> FloatArray:
        """Pair value of each mask, shape (R,)."""
        total: FloatArray = 0.5 * np.einsum("rn,rn->r", self.dot(masks), masks)
        return total

    def dense(self) -> FloatArray:
        """The matrix P, shape (N, N)."""
        matrix = np.zeros((self.count, self.count))
        rows, columns, values = self.upper()
        matrix[rows, columns] = values
        matrix[columns, rows] = values
        return matrix


class DensePairs(PairTerms):
    """Pair terms as a full symmetric matrix with zero diagonal.

    Parameters
    ----------
    matrix : array_like, shape (N, N)
        Finite, symmetric, zero diagonal.
    """

    def __init__(self, matrix: ArrayLike, *, name: str = "pairs") -> None:
        shape = np.shape(matrix)
        size = shape[0] if shape else 0
        self._set(matrix=symmetric_matrix(name, matrix, size), count=size)

    matrix: FloatArray

    def _parts(self) -> Iterable[object]:
        return (self.matrix,)

    def dot(self, masks: FloatArray) -> FloatArray:
        return masks @ self.matrix

    def upper(self) -> tuple[IntArray, IntArray, FloatArray]:
        rows, columns = np.nonzero(np.triu(self.matrix, 1))
        return rows, columns, self.matrix[rows, columns]

    def take(self, index: IntArray) -> PairTerms:
        return DensePairs(self.matrix[np.ix_(index, index)])

    def dense(self) -> FloatArray:
        return self.matrix

    def to_dict(self) -> dict[str, Any]:
        rows, columns, values = self.upper()
        return {"kind": "coordinates", "rows": rows, "columns": columns, "values": values, "storage": "dense"}


class SparsePairs(PairTerms):
    """Pair terms as coordinates; memory linear in the stored pairs.

    Parameters
    ----------
    rows, columns : array_like of int, shape (P,)
        Item positions; each unordered pair at most once, no self pairs.
    values : array_like, shape (P,)
        Finite.
    count : int
        Number of items N.
    """

    def __init__(self, rows: ArrayLike, columns: ArrayLike, values: ArrayLike, count: int) -> None:
        i = position_vector("pairs.rows", rows)
        k = position_vector("pairs.columns", columns)
        v = finite_vector("pairs.values", np.asarray(values), i.size)
        if k.shape != i.shape:
            raise InputError("pairs.rows and pairs.columns differ in length", found=(i.size, k.size), where="pairs")
        low, high = np.minimum(i, k), np.maximum(i, k)
        bad = (low < 0) | (high >= count) | (low == high)
        if bad.any():
            p = int(np.flatnonzero(bad)[0])
            raise InputError(
                "a pair names a position that is not allowed",
                found=(int(i[p]), int(k[p])),
                allowed=f"two different positions in 0..{count - 1}",
                where=f"pairs[{p}]",
            )
        order = np.lexsort((high, low))
        low, high, v = low[order], high[order], v[order]
        same = (low[1:] == low[:-1]) & (high[1:] == high[:-1])
        if same.any():
            p = int(np.flatnonzero(same)[0])
            raise InputError("a pair is listed twice", found=(int(low[p]), int(high[p])), allowed="once", where="pairs")
        keep = v != 0
        rows_, columns_, values_ = low[keep], high[keep], v[keep]
        for array in (rows_, columns_, values_):
            array.setflags(write=False)
        self._set(rows=rows_, columns=columns_, values=values_, count=int(count))

    rows: IntArray
    columns: IntArray
    values: FloatArray

    def _parts(self) -> Iterable[object]:
        return (self.rows, self.columns, self.values, self.count)

    def dot(self, masks: FloatArray) -> FloatArray:
        from scipy.sparse import coo_array

        half = coo_array((self.values, (self.rows, self.columns)), shape=(self.count, self.count)).tocsr()
        full = half + half.T
        return np.asarray((full @ masks.T).T)

    def upper(self) -> tuple[IntArray, IntArray, FloatArray]:
        return self.rows, self.columns, self.values

    def take(self, index: IntArray) -> PairTerms:
        position = np.full(self.count, -1, dtype=np.int64)
        position[index] = np.arange(len(index))
        i, k = position[self.rows], position[self.columns]
        keep = (i >= 0) & (k >= 0)
        return SparsePairs(i[keep], k[keep], self.values[keep], len(index))

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "coordinates",
            "rows": self.rows,
            "columns": self.columns,
            "values": self.values,
            "storage": "sparse",
        }


class LowRankPairs(PairTerms):
    """Pair terms from vectors: ``P_ik = -2 weight (E_i . E_k)`` for i != k; the diagonal never enters.

    Parameters
    ----------
    vectors : array_like, shape (N, d)
        The rows E_i.
    weight : float
        May be negative.
    """

    def __init__(self, vectors: ArrayLike, weight: float) -> None:
        rows = np.shape(vectors)[0] if np.ndim(vectors) == 2 else len(np.atleast_1d(vectors))
        matrix = finite_matrix("pairs.vectors", vectors, (rows, None))
        self._set(vectors=matrix, weight=check_number("pairs.weight", weight), count=rows)

    vectors: FloatArray
    weight: float

    def _parts(self) -> Iterable[object]:
        return (self.vectors, self.weight)

    def dot(self, masks: FloatArray) -> FloatArray:
        norms = np.einsum("nd,nd->n", self.vectors, self.vectors)
        gain: FloatArray = -2.0 * self.weight * ((masks @ self.vectors) @ self.vectors.T - masks * norms)
        return gain

    def upper(self) -> tuple[IntArray, IntArray, FloatArray]:
        matrix = np.triu(-2.0 * self.weight * (self.vectors @ self.vectors.T), 1)
        rows, columns = np.nonzero(matrix)
        return rows, columns, matrix[rows, columns]

    def take(self, index: IntArray) -> PairTerms:
        return LowRankPairs(self.vectors[index], self.weight)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "low_rank", "vectors": self.vectors, "weight": self.weight}


def as_pairs(pairs: PairTerms | ArrayLike | None, count: int) -> PairTerms:
    """Pair terms of `count` items from a matrix, ready-made pair terms, or None for none."""
    if pairs is None:
        return SparsePairs([], [], [], count)
    if not isinstance(pairs, PairTerms):
        symmetric_matrix("pairs", pairs, count)
        pairs = DensePairs(pairs)
    if pairs.count != count:
        raise InputError("pairs has the wrong size", found=pairs.count, allowed=count, where="pairs")
    return pairs


def pairs_from_dict(data: Mapping[str, Any], count: int) -> PairTerms:
    """Read what `PairTerms.to_dict` wrote."""
    if data.get("kind") == "low_rank":
        return LowRankPairs(data["vectors"], data["weight"])
    sparse = SparsePairs(data["rows"], data["columns"], data["values"], count)
    if data.get("storage") == "dense":
        return DensePairs(sparse.dense())
    return sparse
