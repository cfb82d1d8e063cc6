"""Requirements of a question: what an answer has to bring together, read from the question alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from isingrag.errors import InputError
from isingrag.scoring.lexical import STOP_WORDS, content_tokens

__all__ = ["MAX_REQUIREMENTS", "derive_requirements", "equal_weights"]

#: Requirements of one question, the relation included.
MAX_REQUIREMENTS = 6
#: Share of the weight that goes to the relation, where there are entities as well.
RELATION_SHARE = 0.4
#: Put in the relation where an entity stood.
MASK = "..."

_QUOTED = re.compile('["\u201c\u201d\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb]{2,120})["\u201c\u201d\u00bb]')
_HALVES = (
    re.compile(
        r"^(?:are|were|is|was|do|does|did|have|has|can)\s+(?:the\s+)?(.{2,60}?)\s+and\s+(?:the\s+)?(.{2,60}?)\s+both\b",
        re.I,
    ),
    re.compile(r"\b(?:both|between)\s+(?:the\s+)?(.{2,60}?)\s+and\s+(?:the\s+)?(.{2,60}?)\s*(?:[?,;]|$)", re.I),
    re.compile(r"[,:]\s*(?:the\s+)?([^,:?]{2,60}?),?\s+or\s+(?:the\s+)?([^,:?]{2,60}?)\s*\??\s*$", re.I),
)
_CONNECTOR_TEXT = "of the de la le du da di del von van der den for from in on to at & 's a"
_CONNECTORS = frozenset(_CONNECTOR_TEXT.split())
_DESCRIBING_TEXT = """
    american australian austrian belgian brazilian british canadian chinese danish dutch egyptian english european
    finnish french german greek hungarian indian iranian irish israeli italian jamaican japanese korean mexican
    norwegian polish portuguese roman romanian russian scottish serbian spanish swedish swiss turkish ukrainian welsh
    african asian western eastern northern southern christian jewish muslim catholic
    january february march april may june july august september october november december
    university city state national president prime minister
"""
#: Capitalised words that describe rather than name; alone they stay in the relation.
_DESCRIBING = frozenset(_DESCRIBING_TEXT.split())
_PIECE = re.compile(r"\S+")
_EDGE = "\"'\u201c\u201d\u2018\u2019,;:?!()[]"
_OPENING, _CLOSING = '"\u201c(', ',;:?!"\u201d)'
Span = tuple[int, int]


def derive_requirements(question_text: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Requirements of a question and their weights, without a model.

    Parameters
    ----------
    question_text : str
        The question; must hold at least one character that is not blank.

    Returns
    -------
    texts : tuple of str, length 1 to 6
        Quoted spans, capitalised names and the halves of a comparison, in order of appearance; then the question with
        all of these masked by ``...``: the relation that is asked for. Where there are too many names the longest stay.
    weights : tuple of float
        Sum 1; the relation gets 0.4 and the names share the rest, or one requirement gets all.

    Raises
    ------
    InputError
        The question is empty.
    """
    if not isinstance(question_text, str) or not question_text.strip():
        raise InputError("a question has no text", found=repr(question_text), where="question_text")
    text = " ".join(question_text.split())
    spans = _distinct(text, _quoted(text) + _capitalised(text) + _halves(text))
    relation = _relation(text, spans)
    if not spans:
        return (text,), (1.0,)
    names = tuple(text[start:stop] for start, stop in _longest(spans, MAX_REQUIREMENTS - bool(relation)))
    if not relation:
        return names, equal_weights(len(names))
    share = (1.0 - RELATION_SHARE) / len(names)
    return (*names, relation), (*(share for _ in names), RELATION_SHARE)


def equal_weights(count: int) -> tuple[float, ...]:
    """`count` equal weights with sum 1."""
    return tuple(1.0 / count for _ in range(count))


def _quoted(text: str) -> list[Span]:
    return [_trimmed(text, *match.span(1)) for match in _QUOTED.finditer(text)]


def _halves(text: str) -> list[Span]:
    """Both sides of "both X and Y" and of a closing "X or Y"; long sides are clauses and left alone."""
    found: list[Span] = []
    for pattern in _HALVES:
        for match in pattern.finditer(text):
            sides = [_trimmed(text, *match.span(group)) for group in (1, 2)]
            if all(0 < len(text[a:b].split()) <= 4 for a, b in sides):
                found += sides
    return found


def _trimmed(text: str, start: int, stop: int) -> Span:
    while start < stop and (text[start] in _EDGE or text[start].isspace()):
        start += 1
    while stop > start and (text[stop - 1] in _EDGE or text[stop - 1].isspace()):
        stop -= 1
    return start, stop


def _is_name(piece: str) -> bool:
    bare = piece.strip(_EDGE)
    return bool(bare) and (bare[0].isupper() or (any(c.isupper() for c in bare) and any(c.isdigit() for c in bare)))


def _capitalised(text: str) -> list[Span]:
    """Runs of capitalised words, joined over connectors ("of", "the") and numbers; no stop word begins one."""
    found: list[Span] = []
    run: list[Span] = []
    pending: list[Span] = []

    def close() -> None:
        if run and _names_something(text, run):
            found.append(_trimmed(text, run[0][0], run[-1][1]))
        run.clear()
        pending.clear()

    for match in _PIECE.finditer(text):
        piece, span = match.group(), match.span()
        bare = piece.strip(_EDGE).casefold()
        if piece[0] in _OPENING or (pending and not _is_name(text[slice(*run[0])])):
            close()
        if (_is_name(piece) and (run or bare not in STOP_WORDS)) or bare.isdigit():
            run += [*pending, span]
            pending.clear()
        elif run and bare in _CONNECTORS:
            pending.append(span)
        else:
            close()
        if piece[-1] in _CLOSING or (piece[-1] == "." and len(bare) > 3):
            close()
    close()
    return found


def _names_something(text: str, run: Sequence[Span]) -> bool:
    """False for runs of numbers, months and adjectives of nationality alone ("1952", "October 28", "American")."""
    bare = [text[start:stop].strip(_EDGE).casefold() for start, stop in run]
    return not all(word.isdigit() or word in _DESCRIBING or word in STOP_WORDS for word in bare)


def _distinct(text: str, spans: Sequence[Span]) -> list[Span]:
    """Spans in order of appearance, without those inside another or with no words of their own."""
    ordered = sorted(set(spans), key=lambda span: (span[0] - span[1], span[0]))
    kept: list[tuple[Span, frozenset[str]]] = []
    for start, stop in ordered:
        tokens = frozenset(content_tokens(text[start:stop]))
        overlaps = any(start < b and a < stop for (a, b), _ in kept)
        if tokens and not overlaps and not any(tokens <= other for _, other in kept):
            kept.append(((start, stop), tokens))
    return sorted(span for span, _ in kept)


def _longest(spans: Sequence[Span], count: int) -> list[Span]:
    chosen = sorted(spans, key=lambda span: (span[0] - span[1], span[0]))[:count]
    return sorted(chosen)


def _relation(text: str, spans: Sequence[Span]) -> str:
    """The question with its names masked; empty where nothing but stop words is left."""
    pieces, position = [], 0
    for start, stop in spans:
        pieces += [text[position:start], MASK]
        position = stop
    masked = "".join([*pieces, text[position:]])
    return masked if content_tokens(masked.replace(MASK, " ")) else ""
