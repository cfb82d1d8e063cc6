"""Text to evidence scores without a model, a download or a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Protocol, runtime_checkable

import numpy as np

from isingrag.common.arrays import FloatArray, IntArray, check_number, natural_key
from isingrag.common.options import choose
from isingrag.errors import InputError
from isingrag.problem.question import Question
from isingrag.problem.scores import EvidenceScores
from isingrag.scoring.embedding import Embedder, HashedEmbedder, cosines
from isingrag.scoring.requirements import derive_requirements, equal_weights
from isingrag.scoring.support import Features, measure, support_levels

__all__ = ["LexicalScorer", "Scorer", "score"]

#: Scores are rounded to this many decimals, so that the order of a sum (BLAS, threads) can't decide a tie.
DECIMALS = 10


@runtime_checkable
class Scorer(Protocol):
    """Anything that turns a question into evidence scores."""

    def score(self, question: Question) -> EvidenceScores:
        """Scores of the question's passages, ids in the question's order."""
        ...


@dataclass(frozen=True)
class LexicalScorer:
    """Evidence scores from words, titles, hashed embeddings and mentions of titles in other passages.

    Parameters
    ----------
    embedder : Embedder
        Rows for texts; `HashedEmbedder()` by default.
    words, meaning, title, first : float
        Shares of relevance: BM25, cosine, passage's title in the question, first passage of its document. Divided
        by their sum.
    reach : float
        Added to relevance, for support and complementarity only, where a passage near to the question mentions the
        passage's title: the second hop.
    support_title, support_meaning, support_promise : float
        Weights, next to 1 for coverage of the requirement's words, of title match, cosine, and the
        sum of the two lines above (divided by its maximum).
    partial, direct : float
        Thresholds of support on the weighted mean of these four, in [0, 1].
    relative : float
        Nothing below this share of the requirement's strongest passage supports it.
    pair_link, pair_other : float
        Complementarity of a passage and the passage it leads to; of passages that support different requirements.

    Notes
    -----
    Relevance judges each passage alone; what links passages is in support and in the pair terms.

    The weights and thresholds were chosen on 150 HotpotQA questions (distractor setting, 41 sentences each). On 150
    others the optimum of `evidence_problem` with base weights has supporting-fact F1 / recall / all-gold recall
    .573 / .761 / .533 at size 5 (4.0 sentences on average) and .625 / .696 / .427 at size 3; the 5 and 3 most relevant
    sentences have .474 / .747 / .480 and .550 / .634 / .320.
    """

    embedder: Embedder = field(default_factory=HashedEmbedder)
    words: float = 0.7
    meaning: float = 0.6
    title: float = 0.3
    first: float = 0.1
    reach: float = 0.8
    support_title: float = 0.2
    support_meaning: float = 0.6
    support_promise: float = 1.5
    partial: float = 0.4
    direct: float = 0.65
    relative: float = 0.7
    pair_link: float = 0.6
    pair_other: float = 0.1

    def __post_init__(self) -> None:
        for each in fields(self)[1:]:
            bound = 1.0 if each.name in ("partial", "direct", "relative", "pair_link", "pair_other") else None
            value = check_number(each.name, getattr(self, each.name), minimum=0.0, maximum=bound)
            object.__setattr__(self, each.name, value)
        if self.partial > self.direct:
            raise InputError(
                "partial is above direct", found=self.partial, allowed=f"<= {self.direct}", where="partial"
            )
        if self.words + self.meaning + self.title + self.first <= 0:
            raise InputError("relevance has no parts", found=0, allowed="words + meaning + title + first > 0")

    def score(self, question: Question) -> EvidenceScores:
        """Scores of one question; see `isingrag.scoring.score`."""
        texts = _requirements(question.requirements)
        texts, weights = (texts, equal_weights(len(texts))) if texts else derive_requirements(question.text)
        order = sorted(range(len(question.passages)), key=lambda i: natural_key(question.passages[i].id))
        features = measure(question.text, [question.passages[i] for i in order], texts, self.embedder)
        relevance, support, redundancy, complementarity = self._scores(features)
        back = np.argsort(np.array(order, dtype=np.int64))
        return EvidenceScores(
            question.ids,
            relevance[back],
            support[:, back],
            weights,
            redundancy=redundancy[np.ix_(back, back)],
            complementarity=complementarity[np.ix_(back, back)],
            embeddings=features.embeddings[back],
            requirements=texts,
            texts=[passage.full_text for passage in question.passages],
        )

    def _scores(self, f: Features) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
        """Relevance (N,), support (M, N), redundancy and complementarity (N, N), in the features' order."""
        relevance = self._relevance(f)
        reach = self._reach(f)
        promise = self._promise(f, relevance, reach)
        support = self._support(f, promise)
        redundancy = _pairs(cosines(f.embeddings, f.embeddings))
        complementarity = self._complementarity(f, promise, support, redundancy)
        return relevance, support, redundancy, complementarity

    def _relevance(self, f: Features) -> FloatArray:
        total = self.words + self.meaning + self.title + self.first
        parts = self.words * f.words + self.meaning * f.meaning + self.title * f.title + self.first * f.first
        relevance: FloatArray = np.clip(parts / total, 0.0, 1.0).round(DECIMALS)
        return relevance

    def _reach(self, f: Features) -> FloatArray:
        """How surely a passage's title is mentioned by a passage near to the question, shape (N,), in [0, 1]."""
        near = np.clip(self.words * f.words + self.meaning * f.meaning + f.title, 0.0, 1.0)
        reach: FloatArray = (f.links * near[:, None]).max(axis=0, initial=0.0)
        return reach

    def _promise(self, f: Features, relevance: FloatArray, reach: FloatArray) -> FloatArray:
        """Relevance with what other passages add to it, divided by its maximum, shape (N,)."""
        total = self.words + self.meaning + self.title + self.first
        raw = relevance * total + self.reach * reach * (0.4 + 0.6 * f.first)
        promise: FloatArray = raw / max(float(raw.max(initial=0.0)), 1e-12)
        return promise

    def _support(self, f: Features, promise: FloatArray) -> IntArray:
        parts = f.coverage + self.support_title * f.titles + self.support_meaning * f.similarity
        total = 1.0 + self.support_title + self.support_meaning + self.support_promise
        strength = np.round((parts + self.support_promise * promise * (parts > 0)) / total, DECIMALS)
        floor = self.relative * strength.max(axis=1, keepdims=True, initial=0.0)
        return support_levels(
            np.where(strength >= floor, strength, 0.0), f.coverage + f.titles, self.partial, self.direct
        )

    def _complementarity(
        self, f: Features, promise: FloatArray, support: IntArray, redundancy: FloatArray
    ) -> FloatArray:
        """Pairs that lead to each other, and pairs that support different requirements, by how promising both are."""
        supports = (support >= 1).astype(np.float64)
        supported = np.asarray(supports.any(axis=0))
        shared: FloatArray = supports.T @ supports
        disjoint = np.less(shared, 1.0) & supported[:, None] & supported[None, :]
        leads = f.links * (0.3 + 0.7 * f.first)[None, :]
        both = np.sqrt(promise[:, None] * promise[None, :])
        gain = self.pair_link * np.maximum(leads, leads.T) + self.pair_other * disjoint * (1.0 - redundancy)
        return _pairs(np.clip(both * gain, 0.0, 1.0))


def _pairs(matrix: FloatArray) -> FloatArray:
    """Rounded, exactly symmetric, zero diagonal."""
    upper = np.triu(np.round(matrix, DECIMALS), 1)
    return upper + upper.T


def _requirements(given: Sequence[str]) -> tuple[str, ...]:
    """Given requirements, each once; a text that is blank or none is refused."""
    if isinstance(given, str) or not all(isinstance(text, str) and text.strip() for text in given):
        raise InputError("a requirement has no text", found=repr(given), allowed="texts", where="requirements")
    return tuple(dict.fromkeys(given))


_SCORERS: dict[str, Callable[[Embedder], LexicalScorer]] = {"lexical": LexicalScorer}


def score(
    question: Question,
    *,
    scorer: str | Scorer = "lexical",
    embedder: Embedder | None = None,
    requirements: Sequence[str] | None = None,
) -> EvidenceScores:
    """Evidence scores of a question's passages.

    Parameters
    ----------
    question : Question
        N passages; N = 0 gives scores of nothing.
    scorer : {"lexical"} or Scorer
        A name, or an object with ``score(question)``.
    embedder : Embedder, optional
        For a scorer given by name; `HashedEmbedder()` by default.
    requirements : sequence of str, optional
        M texts, with equal weights; by default those of the question, else `derive_requirements`.

    Returns
    -------
    EvidenceScores
        Ids in the question's order; relevance in [0, 1]; support (M, N) in {0, 1, 2}, where a requirement that matches
        anything has a supporting passage; weights with sum 1; redundancy and complementarity in [0, 1]; embeddings,
        requirements and texts. Permuting the passages permutes the scores.

    Raises
    ------
    UnknownName
        No scorer has this name; the nearest are listed.
    InputError
        An empty requirement; an embedder with an object scorer; malformed embeddings, with the row; an object that
        answers with something else than `EvidenceScores`.
    """
    if requirements is not None:
        question = replace(question, requirements=_requirements(requirements))
    if isinstance(scorer, str):
        make = _SCORERS[choose("scorer", scorer, _SCORERS)]
        return make(HashedEmbedder() if embedder is None else embedder).score(question)
    if embedder is not None:
        raise InputError("an embedder was given next to a scorer object", allowed="one of both", where="embedder")
    if not isinstance(scorer, Scorer):
        raise InputError("the scorer has no method 'score'", found=repr(scorer), allowed="a name or a scorer")
    scores = scorer.score(question)
    if not isinstance(scores, EvidenceScores) or scores.ids != question.ids:
        raise InputError(
            "the scorer's answer does not fit the question",
            found=type(scores).__name__,
            allowed="EvidenceScores with the question's ids in order",
            where="scorer",
        )
    return scores
