"""Words of a text, and what words alone say of a pool of passages: idf, BM25, coverage, mentions of titles."""

from __future__ import annotations

import functools
import html
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from isingrag.common.arrays import FloatArray

__all__ = ["STOP_WORDS", "LexicalIndex", "content_tokens", "mentions", "title_core", "tokenize", "words"]

_STOP_TEXT = """
    a about after all also although am an and any are as at be because been before being between both but by can could
    did do does during each either else ever few first for from had has have having he her here hers him his how i if in
    into is it its itself just last like many may me might more most much must my neither no nor not of off on one only
    onto or other our out over own same shall she should since so some such than that the their them then there these
    they this those through to together too two under until up upon us was we well were what whatever when where whether
    which while who whom whose why will with within without would yet you your
    located known name named called
"""
#: Words that say nothing of a passage's subject, question words included.
STOP_WORDS = frozenset(_STOP_TEXT.split())

# Combining marks (vowel signs of Indic scripts, accents that have no composed form) belong to words.
_MARKS = "".join(chr(c) for c in range(0x300, 0x2000) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
_HAN_KANA = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_HAN_KANA}]|(?:(?![{_HAN_KANA}])[^\W_]|[{_MARKS}])+(?:['\u2019](?:[^\W_])+)*")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")  # the same for ASCII, faster
_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")


def words(text: str) -> list[str]:
    """Words as written (NFKC), case kept; Han and Kana characters are words of their own."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _WORD.findall(unicodedata.normalize("NFKC", text))


@functools.lru_cache(maxsize=1 << 16)
def _normal(word: str) -> str:
    """Case-folded word without possessive and English plural ending."""
    folded = word.casefold().replace("\u2019", "'")
    if folded.endswith("'s"):
        folded = folded[:-2]
    folded = folded.replace("'", "")
    if not folded.isascii() or len(folded) < 4 or not folded.endswith("s"):
        return folded
    if folded.endswith("ies") and len(folded) > 4:
        return folded[:-3] + "y"
    if folded.endswith(("sses", "shes", "ches", "xes", "zes")):
        return folded[:-2]
    return folded if folded.endswith(("ss", "us", "is")) else folded[:-1]


def tokenize(text: str) -> list[str]:
    """Normalised words in order: case folded, possessive and light English plural endings removed, digits kept."""
    return _normalized(words(text))


def _normalized(written: Iterable[str]) -> list[str]:
    return [token for token in map(_normal, written) if token]


@functools.lru_cache(maxsize=1)
def _normal_stops() -> frozenset[str]:
    return STOP_WORDS | {_normal(word) for word in STOP_WORDS}


def content_tokens(text: str) -> list[str]:
    """`tokenize` without stop words, each token once, in order of appearance."""
    stops = _normal_stops()
    return list(dict.fromkeys(token for token in tokenize(text) if token not in stops))


def title_core(title: str) -> str:
    """A title without HTML entities and without a closing parenthesis such as ``(film)``."""
    plain = html.unescape(title).strip()
    return _PARENTHESIS.sub("", plain) or plain


def _joined(tokens: Iterable[str]) -> str:
    return " " + " ".join(tokens) + " "


def mentions(titles: Sequence[str], texts: Sequence[str]) -> FloatArray:
    """How far each text mentions each title, in [0, 1].

    Parameters
    ----------
    titles : sequence of str, length T
        Titles; a closing parenthesis is ignored.
    texts : sequence of str, length R

    Returns
    -------
    ndarray, shape (T, R)
        1 for the title's words in a row; 0.75 where a title of two words or more has all its content words somewhere
        in the text ("Thomas Penson De Quincey"); else 0. A title of one word must match in case, and stop words and
        empty titles match nothing.
    """
    written = [words(text) for text in texts]
    folded = [_normalized(each) for each in written]
    cased = [_joined(each) for each in written]
    strings = [_joined(tokens) for tokens in folded]
    bags = [set(tokens) for tokens in folded]
    result = np.zeros((len(titles), len(texts)))
    for t, title in enumerate(titles):
        phrase, single, content = _title_parts(title)
        if not content:
            continue
        for r in range(len(texts)):
            if phrase in (cased[r] if single else strings[r]):
                result[t, r] = 1.0
            elif len(content) >= 2 and bags[r].issuperset(content):
                result[t, r] = 0.75
    return result


@functools.lru_cache(maxsize=4096)
def _title_parts(title: str) -> tuple[str, bool, frozenset[str]]:
    """The phrase to look for, whether it is one word (looked for as written), and the title's content words."""
    core = title_core(title)
    written, folded = words(core), tokenize(core)
    single = len(folded) == 1
    return _joined(written if single else folded), single, frozenset(content_tokens(core))


class LexicalIndex:
    """Token statistics of a pool of N texts.

    Parameters
    ----------
    texts : sequence of str
        The pool; document frequencies are taken from it.

    Attributes
    ----------
    counts : list of Counter
        Token counts of each text.
    lengths : ndarray, shape (N,)
        Number of tokens of each text.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = [Counter(tokenize(text)) for text in texts]
        self.lengths = np.array([sum(count.values()) for count in self.counts], dtype=np.float64)
        self._frequency: Counter[str] = Counter()
        for count in self.counts:
            self._frequency.update(count.keys())

    def idf(self, tokens: Sequence[str]) -> FloatArray:
        """``log(1 + (N - df + 0.5) / (df + 0.5))`` of each token, > 0; highest for tokens outside the pool."""
        n = len(self.counts)
        return np.array([math.log1p((n - f + 0.5) / (f + 0.5)) for f in (self._frequency[t] for t in tokens)])

    def occurrences(self, tokens: Sequence[str]) -> FloatArray:
        """Counts of each token in each text, shape (len(tokens), N)."""
        table = [[count[token] for count in self.counts] for token in tokens]
        return np.array(table, dtype=np.float64).reshape(len(tokens), len(self.counts))

    def bm25(self, tokens: Sequence[str], *, k1: float = 1.2, b: float = 0.75) -> FloatArray:
        """BM25 score of each text for a bag of query tokens, shape (N,), >= 0.

        Notes
        -----
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with the idf of `idf`.
        """
        if not tokens or not self.counts:
            return np.zeros(len(self.counts))
        frequency = self.occurrences(tokens)
        mean = max(float(self.lengths.mean()), 1.0)
        damping = k1 * (1.0 - b + b * self.lengths / mean)
        gain = frequency * (k1 + 1.0) / (frequency + damping)
        score: FloatArray = self.idf(tokens) @ gain
        return score

    def coverage(self, tokens: Sequence[str]) -> FloatArray:
        """Share of the tokens' idf weight that each text holds, shape (N,), in [0, 1]; 0 without tokens."""
        if not tokens or not self.counts:
            return np.zeros(len(self.counts))
        idf = self.idf(tokens)
        share: FloatArray = idf @ (self.occurrences(tokens) > 0) / idf.sum()
        return share
