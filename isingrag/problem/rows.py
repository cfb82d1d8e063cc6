"""Rows of question files: HotpotQA, MuSiQue and plain, each turned into a `Question` with every field checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from isingrag.common.arrays import ItemId
from isingrag.errors import FileFormatError, InputError
from isingrag.problem.question import Passage, Question

__all__ = ["FORMATS", "detect_format", "question_to_dict", "row_to_question"]

Row = Mapping[str, Any]
T = TypeVar("T")

#: Field that only rows of a format have.
_MARKS = {"context": "hotpotqa", "paragraphs": "musique", "passages": "plain"}
_PLAIN = ("id", "question", "passages", "answer", "gold", "requirements", "meta")


def detect_format(row: Row, where: str) -> str:
    """Format of a row from its fields: ``context``, ``paragraphs`` or ``passages``.

    Raises
    ------
    FileFormatError
        None of these fields, or more than one.
    """
    found = [mark for mark in _MARKS if mark in row]
    if len(found) != 1:
        raise FileFormatError(
            "the row's format can't be told from its fields",
            found=found or sorted(map(str, row))[:8],
            allowed="one of context (HotpotQA, 2Wiki), paragraphs (MuSiQue) and passages (plain), or a forced format",
            where=where,
        )
    return _MARKS[found[0]]


def row_to_question(row: object, where: str, number: int, format: str | None = None) -> Question:
    """The question of one row.

    Parameters
    ----------
    row : object
        Parsed JSON.
    where : str
        File and line, for messages.
    number : int
        Position of the row, from 1; names rows without an id.
    format : str, optional
        A key of `FORMATS`; detected by default.

    Raises
    ------
    FileFormatError
        Names the file, the line, the field and the rule.
    """
    if not isinstance(row, dict):
        raise FileFormatError("a row is not an object", found=_shown(row), allowed="a JSON object", where=where)
    read = FORMATS[format or detect_format(row, where)]
    try:
        return read(row, where, number)
    except FileFormatError:
        raise
    except InputError as error:  # a rule of Question itself, such as unique ids
        place = where if error.where is None else f"{where}: {error.where}"
        raise FileFormatError(error.message, found=error.found, allowed=error.allowed, where=place) from None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _typed(value: object, kind: type[T], field: str, where: str) -> T:
    """`value` if it is of the JSON type (True is no number), else an error that names the field."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        names = {str: "text", list: "a list", dict: "an object", int: "a whole number", bool: "true or false"}
        raise FileFormatError(
            f"field '{field}' has the wrong type",
            found=_shown(value),
            allowed=names.get(kind, kind.__name__),
            where=where,
        )
    return value


def _needed(row: Row, key: str, kind: type[T], where: str, prefix: str = "") -> T:
    if key not in row:
        raise FileFormatError(
            f"field '{prefix}{key}' is missing", found=sorted(map(str, row))[:8], allowed=prefix + key, where=where
        )
    return _typed(row[key], kind, prefix + key, where)


def _id(value: object, field: str, where: str) -> ItemId:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise FileFormatError(
            f"field '{field}' has the wrong type", found=_shown(value), allowed="text or a whole number", where=where
        )
    return value


def _row_id(row: Row, keys: tuple[str, ...], where: str, number: int) -> str:
    for key in keys:
        if row.get(key) is not None:
            return str(_id(row[key], key, where))
    return f"row{number}"


def _text(row: Row, where: str) -> str:
    text = _needed(row, "question", str, where)
    if not text.strip():
        raise FileFormatError(
            "field 'question' is empty", found=repr(text), allowed="at least one character", where=where
        )
    return text


def _answer(row: Row, where: str) -> str | None:
    answer = row.get("answer")
    return None if answer is None else _typed(answer, str, "answer", where)


def _rest(row: Row, used: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in used}


def _pair(value: object, field: str, kinds: tuple[type, type], where: str) -> tuple[Any, Any]:
    pair = _typed(value, list, field, where)
    if len(pair) != 2:
        raise FileFormatError(f"field '{field}' has the wrong length", found=len(pair), allowed=2, where=where)
    return _typed(pair[0], kinds[0], f"{field}[0]", where), _typed(pair[1], kinds[1], f"{field}[1]", where)


def _hotpotqa(row: Row, where: str, number: int) -> Question:
    """One passage a sentence, id ``title#index``; a title met again is ``title (2)`` in ids."""
    passages: list[Passage] = []
    context = [
        _pair(entry, f"context[{c}]", (str, list), where)
        for c, entry in enumerate(_needed(row, "context", list, where))
    ]
    titles = {title for title, _ in context}
    seen: set[str] = set()
    for c, (title, sentences) in enumerate(context):
        name, copy = title, 1
        while name in seen or (copy > 1 and name in titles):
            copy += 1
            name = f"{title} ({copy})"
        seen.add(name)
        for index, sentence in enumerate(sentences):
            text = _typed(sentence, str, f"context[{c}][1][{index}]", where).lstrip()
            if text:  # an empty sentence says nothing, but the others keep their indexes
                passages.append(Passage(f"{name}#{index}", text, title, index))
    gold, unresolved = _supporting(row, {passage.id for passage in passages}, where)
    meta = {"format": "hotpotqa", **_rest(row, ("_id", "id", "question", "answer", "context", "supporting_facts"))}
    if unresolved:
        meta["unresolved_gold"] = unresolved
    return Question(
        _row_id(row, ("_id", "id"), where, number),
        _text(row, where).strip(),
        tuple(passages),
        _answer(row, where),
        gold,
        meta=meta,
    )


def _supporting(row: Row, ids: set[ItemId], where: str) -> tuple[tuple[ItemId, ...], list[list[Any]]]:
    """Gold ids, each once, and the facts that name no passage."""
    facts = [
        _pair(fact, f"supporting_facts[{f}]", (str, int), where)
        for f, fact in enumerate(_typed(row.get("supporting_facts", []), list, "supporting_facts", where))
    ]
    named = dict.fromkeys(facts)
    gold = tuple(f"{title}#{index}" for title, index in named if f"{title}#{index}" in ids)
    return gold, [[title, index] for title, index in named if f"{title}#{index}" not in ids]


def _musique(row: Row, where: str, number: int) -> Question:
    """One passage a paragraph, id ``title#idx``; the human decomposition goes to `meta`, not to `requirements`."""
    passages: list[Passage] = []
    gold: list[ItemId] = []
    for p, entry in enumerate(_needed(row, "paragraphs", list, where)):
        field = f"paragraphs[{p}]"
        paragraph = _typed(entry, dict, field, where)
        title = _needed(paragraph, "title", str, where, f"{field}.")
        name = f"{title}#{_needed(paragraph, 'idx', int, where, f'{field}.')}"
        text = _needed(paragraph, "paragraph_text", str, where, f"{field}.")
        passages.append(Passage(name, text.lstrip(), title))
        if _typed(paragraph.get("is_supporting", False), bool, f"{field}.is_supporting", where):
            gold.append(name)
    meta = {"format": "musique", **_rest(row, ("id", "question", "answer", "paragraphs"))}
    if "question_decomposition" in row:
        meta["decomposition"] = _decomposition(row["question_decomposition"], where)
    return Question(
        _row_id(row, ("id", "_id"), where, number),
        _text(row, where).strip(),
        tuple(passages),
        _answer(row, where),
        tuple(gold),
        meta=meta,
    )


def _decomposition(value: object, where: str) -> list[str]:
    steps = enumerate(_typed(value, list, "question_decomposition", where))
    fields = ((f"question_decomposition[{s}]", step) for s, step in steps)
    return [_needed(_typed(step, dict, field, where), "question", str, where, f"{field}.") for field, step in fields]


def _plain(row: Row, where: str, number: int) -> Question:
    """Passages are texts or objects; without ids they are numbered from 0."""
    entries = _needed(row, "passages", list, where)
    has_id = [isinstance(entry, dict) and "id" in entry for entry in entries]
    if any(has_id) and not all(has_id):
        missing = has_id.index(False)
        raise FileFormatError(
            f"field 'passages[{missing}].id' is missing", allowed="an id for every passage, or for none", where=where
        )
    passages = tuple(_plain_passage(entry, p, where) for p, entry in enumerate(entries))
    gold = _typed(row.get("gold", []), list, "gold", where)
    requirements = _typed(row.get("requirements", []), list, "requirements", where)
    meta = {**_typed(row.get("meta", {}), dict, "meta", where), **_rest(row, _PLAIN)}
    return Question(
        _row_id(row, ("id",), where, number),
        _text(row, where),
        passages,
        _answer(row, where),
        tuple(_id(value, f"gold[{g}]", where) for g, value in enumerate(gold)),
        tuple(_typed(text, str, f"requirements[{r}]", where) for r, text in enumerate(requirements)),
        meta,
    )


def _plain_passage(entry: object, index: int, where: str) -> Passage:
    field = f"passages[{index}]"
    if isinstance(entry, str):
        return Passage(index, entry)
    if not isinstance(entry, dict):
        raise FileFormatError(
            f"field '{field}' has the wrong type", found=_shown(entry), allowed="text or an object", where=where
        )
    return Passage(
        _id(entry.get("id", index), f"{field}.id", where),
        _needed(entry, "text", str, where, f"{field}."),
        _typed(entry.get("title", ""), str, f"{field}.title", where),
        _typed(entry.get("position", 0), int, f"{field}.position", where),
    )


#: Format name -> reader of one row.
FORMATS: dict[str, Callable[[Row, str, int], Question]] = {
    "hotpotqa": _hotpotqa,
    "2wiki": _hotpotqa,
    "musique": _musique,
    "plain": _plain,
}


def question_to_dict(question: Question) -> dict[str, Any]:
    """A question as a plain row; fields with their default values are left out."""
    row: dict[str, Any] = {
        "id": question.id,
        "question": question.text,
        "passages": [_passage_to_dict(passage) for passage in question.passages],
    }
    optional = {
        "answer": question.answer,
        "gold": list(question.gold) or None,
        "requirements": list(question.requirements) or None,
        "meta": dict(question.meta) or None,
    }
    return row | {key: value for key, value in optional.items() if value is not None}


def _passage_to_dict(passage: Passage) -> dict[str, Any]:
    row: dict[str, Any] = {"id": passage.id, "text": passage.text}
    if passage.title:
        row["title"] = passage.title
    if passage.position:
        row["position"] = passage.position
    return row
