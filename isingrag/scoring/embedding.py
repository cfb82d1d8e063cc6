"""Embeddings without a model: signed feature hashing of words and character n-grams."""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isingrag.common.arrays import FloatArray, check_whole
from isingrag.errors import InputError
from isingrag.scoring.lexical import tokenize

__all__ = ["Embedder", "HashedEmbedder", "checked_embeddings", "cosines"]


@runtime_checkable
class Embedder(Protocol):
    """Anything that turns texts into vectors."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """One row a text, shape (len(texts), d), finite numbers."""
        ...


def _hash(feature: str) -> int:
    """64 stable bits of a feature (Python's own `hash` differs between processes)."""
    return int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@functools.lru_cache(maxsize=1 << 16)
def _word_features(word: str) -> NDArray[np.uint64]:
    """Hashes of a word and of its character 3- to 5-grams, word boundaries marked."""
    marked = f"<{word}>"
    grams = {marked[i : i + n] for n in (3, 4, 5) for i in range(len(marked) - n + 1)} - {marked}
    return np.array([_hash("w " + word)] + [_hash("c " + gram) for gram in sorted(grams)], dtype=np.uint64)


@functools.lru_cache(maxsize=1 << 16)
def _pair_feature(first: str, second: str) -> int:
    return _hash(f"b {first} {second}")


def _features(text: str) -> NDArray[np.uint64]:
    """Feature hashes of a text, with repetitions."""
    tokens = tokenize(text)
    pairs = np.array([_pair_feature(a, b) for a, b in itertools.pairwise(tokens)], dtype=np.uint64)
    return np.concatenate([*(_word_features(token) for token in tokens), pairs])


@dataclass(frozen=True)
class HashedEmbedder:
    """Signed hashing of word uni- and bigrams and character 3- to 5-grams; no model, no download.

    Parameters
    ----------
    dimensions : int
        Length of the vectors, 8 to 65536. Unrelated texts have cosines of about 1/sqrt(dimensions).

    Notes
    -----
    A feature's weight is ``(1 + log tf) * log((1 + n) / (1 + df) + 1)`` with n and df from the texts of the call, so
    the same text can have another vector in another pool. Weinberger et al., Feature Hashing for Large Scale
    Multitask Learning (ICML 2009) give the signs; character n-grams inside word boundaries as in Bojanowski et al.,
    Enriching Word Vectors with Subword Information (TACL 2017).
    """

    dimensions: int = 512

    def __post_init__(self) -> None:
        check_whole("dimensions", self.dimensions, minimum=8, maximum=65536)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit rows, shape (len(texts), dimensions); a text without words has a zero row."""
        count = len(texts)
        bags = [np.unique(_features(text), return_counts=True) for text in texts]
        if not count or not any(len(hashes) for hashes, _ in bags):
            return np.zeros((count, self.dimensions))
        rows = np.repeat(np.arange(count), [len(hashes) for hashes, _ in bags])
        hashes = np.concatenate([hashes for hashes, _ in bags])
        tf = 1.0 + np.log(np.concatenate([counts for _, counts in bags]).astype(np.float64))
        _, inverse, df = np.unique(hashes, return_inverse=True, return_counts=True)
        idf = np.log((1.0 + count) / (1.0 + df) + 1.0)
        sign = 1.0 - 2.0 * (hashes >> np.uint64(63)).astype(np.float64)
        column = (hashes % np.uint64(self.dimensions)).astype(np.int64)
        flat = np.bincount(
            rows * self.dimensions + column, weights=sign * tf * idf[inverse], minlength=count * self.dimensions
        )
        return _unit(flat.astype(np.float64).reshape(count, self.dimensions))


def _unit(matrix: FloatArray) -> FloatArray:
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(norms > 0, norms, 1.0)


def checked_embeddings(value: ArrayLike, count: int) -> FloatArray:
    """Unit rows of an embedder's answer for `count` texts; zero rows stay zero.

    Raises
    ------
    InputError
        Not a matrix of numbers, another number of rows than texts, or NaN or infinity (the row is named; L69, L71).
    """
    try:
        matrix = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            "the embedder's answer is not a matrix of numbers",
            found=error,
            allowed="rows of equal length",
            where="embedder",
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != count:
        raise InputError(
            "the embedder's answer has the wrong shape", found=matrix.shape, allowed=f"({count}, d)", where="embedder"
        )
    bad = ~np.isfinite(matrix).all(axis=1)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            "an embedding holds a value that is not finite",
            found=matrix[row][~np.isfinite(matrix[row])][0],
            allowed="finite numbers (no NaN, no infinity)",
            where=f"embedding of text {row}",
        )
    # Scaled first, so that huge or tiny finite rows neither overflow nor vanish in the norm.
    peak = np.abs(matrix).max(axis=1, keepdims=True, initial=0.0)
    return _unit(matrix / np.where(peak > 0, peak, 1.0))


def cosines(left: FloatArray, right: FloatArray) -> FloatArray:
    """Cosines of unit rows, clipped to [0, 1], shape (len(left), len(right))."""
    return np.clip(left @ right.T, 0.0, 1.0)
