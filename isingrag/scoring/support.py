"""What each passage says for each requirement, and which passages lead to each other."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isingrag.common.arrays import FloatArray, IntArray
from isingrag.problem.question import Passage
from isingrag.scoring.embedding import Embedder, checked_embeddings, cosines
from isingrag.scoring.lexical import LexicalIndex, content_tokens, mentions, title_core

__all__ = ["Features", "measure", "support_levels"]


@dataclass(frozen=True)
class Features:
    """Raw measurements of N passages against a question and M requirements, all in [0, 1].

    Attributes
    ----------
    words : ndarray, shape (N,)
        BM25 of the question over "title: text", divided by its maximum.
    meaning : ndarray, shape (N,)
        Cosine of the embeddings of passage and question.
    title : ndarray, shape (N,)
        How far the question mentions the passage's title.
    first : ndarray, shape (N,)
        1 for the first passage of a document with a title.
    links : ndarray, shape (N, N)
        ``links[i, k]``: how far the text of i mentions the title of k, another document.
    coverage, titles, similarity : ndarray, shape (M, N)
        Share of the requirement's idf weight in the passage; match of requirement and title; cosine.
    embeddings : ndarray, shape (N, d)
        Unit or zero rows.
    """

    words: FloatArray
    meaning: FloatArray
    title: FloatArray
    first: FloatArray
    links: FloatArray
    coverage: FloatArray
    titles: FloatArray
    similarity: FloatArray
    embeddings: FloatArray


def measure(question: str, passages: Sequence[Passage], requirements: Sequence[str], embedder: Embedder) -> Features:
    """All measurements of one question.

    Raises
    ------
    InputError
        The embedder's answer is malformed (see `checked_embeddings`).
    """
    n = len(passages)
    full = [html.unescape(passage.full_text) for passage in passages]
    index = LexicalIndex(full)
    vectors = checked_embeddings(
        embedder.embed([*[html.unescape(p.text) for p in passages], question, *requirements]), n + 1 + len(requirements)
    )
    titles, which = _distinct_titles(passages)
    bm25 = index.bm25(content_tokens(question))
    tokens = [content_tokens(requirement) for requirement in requirements]
    return Features(
        words=bm25 / max(float(bm25.max(initial=0.0)), 1e-12),
        meaning=cosines(vectors[:n], vectors[n : n + 1])[:, 0],
        title=mentions(titles, [question])[which, 0],
        first=np.array([float(p.position == 0 and bool(p.title)) for p in passages]),
        links=_links(titles, which, passages),
        coverage=np.array([index.coverage(words) for words in tokens]).reshape(len(tokens), n),
        titles=_title_matches(requirements, tokens, titles, index)[:, which],
        similarity=cosines(vectors[n + 1 :], vectors[:n]),
        embeddings=vectors[:n],
    )


def _distinct_titles(passages: Sequence[Passage]) -> tuple[list[str], IntArray]:
    """Distinct titles, and the position of each passage's title among them."""
    titles = list(dict.fromkeys(passage.title for passage in passages))
    position = {title: t for t, title in enumerate(titles)}
    return titles, np.array([position[passage.title] for passage in passages], dtype=np.int64)


def _links(titles: Sequence[str], which: IntArray, passages: Sequence[Passage]) -> FloatArray:
    """links[i, k] = how far the text of i mentions the title of k; 0 within one document."""
    table = mentions(titles, [passage.text for passage in passages])
    links = table[which].T.copy()
    links[which[:, None] == which[None, :]] = 0.0
    return links


def _title_matches(
    requirements: Sequence[str], tokens: Sequence[list[str]], titles: Sequence[str], index: LexicalIndex
) -> FloatArray:
    """Match of each requirement and title, shape (M, T): 1 for a title mentioned, else idf-weighted Dice overlap."""
    result: FloatArray = mentions(titles, requirements).T.copy()
    for t, title in enumerate(titles):
        core = content_tokens(title_core(title))
        weight = dict(zip(core, index.idf(core), strict=True))
        for j, words in enumerate(tokens):
            shared = [word for word in words if word in weight]
            if shared and result[j, t] < 1.0:
                total = float(index.idf(words).sum()) + sum(weight.values())
                result[j, t] = max(result[j, t], 2.0 * float(index.idf(shared).sum()) / total)
    return result


def support_levels(strength: FloatArray, evident: FloatArray, partial: float, direct: float) -> IntArray:
    """Support 0, 1 or 2 from the strength of each requirement-passage pair.

    Parameters
    ----------
    strength : ndarray, shape (M, N)
        Mixed measurements, >= 0.
    evident : ndarray, shape (M, N)
        Positive where anything at all matches.
    partial, direct : float
        Thresholds.

    Returns
    -------
    ndarray of int, shape (M, N)
        2 from `direct` on, 1 from `partial` on, else 0. A requirement that reaches neither but has evidence gets
        partial support from its strongest passage (of equals the first).
    """
    levels = (strength >= partial).astype(np.int64) + (strength >= direct)
    for j in range(strength.shape[0]):
        matched = np.flatnonzero(evident[j] > 0)
        if matched.size and not levels[j].any():
            levels[j, matched[int(strength[j, matched].argmax())]] = 1
    return levels
