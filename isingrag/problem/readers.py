"""Question files: JSON Lines or a JSON array of HotpotQA, 2WikiMultihopQA, MuSiQue or plain rows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from isingrag.common.arrays import check_whole
from isingrag.common.files import canonical_json, parse_json, read_text, write_atomic
from isingrag.common.options import choose
from isingrag.errors import FileFormatError, InputError
from isingrag.problem.question import Question
from isingrag.problem.rows import FORMATS, question_to_dict, row_to_question

__all__ = ["MAX_LINE_BYTES", "iter_questions", "load_questions", "question_to_dict", "save_questions"]

#: Longest line of a JSON Lines file, in bytes.
MAX_LINE_BYTES = 16 * 2**20

PathLike = str | os.PathLike[str]


def load_questions(path: PathLike, *, limit: int | None = None, format: str | None = None) -> list[Question]:
    """Read questions with their candidate passages.

    Parameters
    ----------
    path : path
        JSON Lines (one object a line; blank lines are allowed) or one JSON array; UTF-8.
    limit : int, optional
        Read at most this many rows, >= 1; the rest of a JSON Lines file is not looked at.
    format : {"hotpotqa", "2wiki", "musique", "plain"}, optional
        Told row by row from the fields by default.

    Returns
    -------
    list of Question
        In the file's order. HotpotQA and 2Wiki: a passage is a sentence with id ``title#index``, and supporting facts
        that name none are in ``meta["unresolved_gold"]``. MuSiQue: a passage is a paragraph with id ``title#idx``, and
        the human sub-questions are in ``meta["decomposition"]``. Plain rows:
        ``{"id"?, "question", "passages": [text | {"id"?, "title"?, "text", "position"?}], "answer"?, "gold"?: [ids],
        "requirements"?: [texts], "meta"?: {}}``. Fields not named here go to `meta`.

    Raises
    ------
    FileFormatError
        Names the file, the line, the field and the rule; no row is skipped in silence.
    InputError
        `limit` is below 1 or no whole number; `format` is unknown.
    """
    return list(iter_questions(path, limit=limit, format=format))


def iter_questions(path: PathLike, *, limit: int | None = None, format: str | None = None) -> Iterator[Question]:
    """`load_questions`, one question at a time; a JSON Lines file is read line by line.

    Arguments are checked at the call, rows when they are reached.
    """
    if limit is not None:
        limit = check_whole("limit", limit, minimum=1)
    if format is not None:
        choose("format", format, FORMATS)
    source = Path(path)
    if not source.is_file():
        raise FileFormatError("no such file", found=source, where=source)
    return islice(_questions(source, format), limit)


def _questions(source: Path, format: str | None) -> Iterator[Question]:
    if _is_array(source):
        yield from _from_array(source, format)
        return
    number = 0
    for line, text in _lines(source):
        where = f"{source}, line {line}"
        if text.strip():
            number += 1
            yield row_to_question(parse_json(text, where), where, number, format)


def _is_array(source: Path) -> bool:
    """True when the first character that is not blank is a bracket."""
    with source.open("rb") as stream:
        head = stream.read(3)
        stream.seek(3 if head == b"\xef\xbb\xbf" else 0)
        while block := stream.read(4096):
            if start := block.lstrip():
                return start.startswith(b"[")
    return False


def _lines(source: Path) -> Iterator[tuple[int, str]]:
    """Line numbers from 1, and lines; a longer line than `MAX_LINE_BYTES` is refused before more of it is read."""
    with source.open("rb") as stream:
        line = 0
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            line += 1
            where = f"{source}, line {line}"
            if len(raw) > MAX_LINE_BYTES:
                raise FileFormatError(
                    "a line is too long",
                    found=f"more than {MAX_LINE_BYTES} bytes",
                    allowed=f"<= {MAX_LINE_BYTES} bytes",
                    where=where,
                )
            try:
                yield line, raw.decode("utf-8-sig" if line == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise FileFormatError("the file is not UTF-8 text", found=error, where=where) from None


def _from_array(source: Path, format: str | None) -> Iterator[Question]:
    text = read_text(source)
    for index, row in enumerate(parse_json(text, source)):
        try:
            question = row_to_question(row, str(source), index + 1, format)
        except FileFormatError:
            # Only a bad row costs a second look for its line.
            where = f"{source}, line {_line_of_item(text, index)}, item {index} of the array"
            question = row_to_question(row, where, index + 1, format)
        yield question


def _line_of_item(text: str, index: int) -> int:
    """Line on which item `index` of a valid JSON array begins, from 1."""
    decoder = json.JSONDecoder()
    position = text.index("[") + 1
    for item in range(index + 1):
        while text[position] in " \t\r\n,":
            position += 1
        if item < index:
            _, position = decoder.raw_decode(text, position)
    return text.count("\n", 0, position) + 1


def save_questions(path: PathLike, questions: Iterable[Question]) -> Path:
    """Write questions as plain JSON Lines that `load_questions` reads back as equal questions.

    Returns
    -------
    Path
        The file; it is replaced as a whole or not at all.

    Raises
    ------
    InputError
        A question holds something that has no JSON or UTF-8 form (usually in its `meta`).
    """
    lines = []
    for question in questions:
        try:
            line = canonical_json(question_to_dict(question)).encode("utf-8")
        except (TypeError, ValueError) as error:
            raise InputError(
                "a question can't be written as JSON",
                found=error,
                allowed="text, finite numbers, lists and objects",
                where=f"question {question.id!r}",
            ) from None
        if len(line) >= MAX_LINE_BYTES:
            raise InputError(
                "a question is too long for one line",
                found=f"{len(line)} bytes",
                allowed=f"< {MAX_LINE_BYTES} bytes",
                where=f"question {question.id!r}",
            )
        lines.append(line + b"\n")
    return write_atomic(path, b"".join(lines))
