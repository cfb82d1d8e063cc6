"""A question and the passages that may answer it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isingrag.common.arrays import ItemId, check_ids
from isingrag.errors import InputError

__all__ = ["Passage", "Question"]


@dataclass(frozen=True)
class Passage:
    """One candidate passage.

    Attributes
    ----------
    id : str or int
        Unique within its question.
    text : str
        The passage without its title; leading blanks are stripped.
    title : str
        Title of the document it comes from; may be empty.
    position : int
        Index of the passage within its document, from 0.
    """

    id: ItemId
    text: str
    title: str = ""
    position: int = 0

    @property
    def full_text(self) -> str:
        """``title: text``, or the text alone where there is no title."""
        return f"{self.title}: {self.text}" if self.title else self.text


@dataclass(frozen=True)
class Question:
    """A question, its candidate passages, and what is known of the right answer.

    Attributes
    ----------
    id : str
        The data set's id.
    text : str
        The question.
    passages : tuple of Passage
        Candidates; may be empty.
    answer : str or None
        Gold answer.
    gold : tuple
        Ids of the passages that support the answer; empty when unknown.
    requirements : tuple of str
        Requirements given with the question (human decompositions); usually empty.
    meta : dict
        Other fields of the row, for example ``type`` and ``level``.
    """

    id: str
    text: str
    passages: tuple[Passage, ...]
    answer: str | None = None
    gold: tuple[ItemId, ...] = ()
    requirements: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not self.text.strip():
            raise InputError("a question has no text", found=repr(self.text), where=f"question {self.id!r}")
        object.__setattr__(self, "passages", tuple(self.passages))
        ids = check_ids(f"passages of question {self.id!r}", [p.id for p in self.passages])
        unknown = [g for g in self.gold if g not in set(ids)]
        if unknown:
            raise InputError(
                "a gold id names no passage",
                found=unknown[:3],
                allowed="ids of passages",
                where=f"question {self.id!r}",
            )

    @property
    def ids(self) -> tuple[ItemId, ...]:
        """Passage ids in order."""
        return tuple(passage.id for passage in self.passages)

    def passage(self, id_: ItemId) -> Passage:
        """The passage with this id."""
        for passage in self.passages:
            if passage.id == id_:
                return passage
        raise InputError("no passage has this id", found=repr(id_), where=f"question {self.id!r}")

    @classmethod
    def from_texts(
        cls,
        text: str,
        passages: Sequence[str] | Iterable[str],
        *,
        ids: Sequence[ItemId] | None = None,
        titles: Sequence[str] | None = None,
        id: str = "question",
    ) -> Question:
        """A question from plain strings.

        Parameters
        ----------
        text : str
            The question.
        passages : sequence of str
            Passage texts.
        ids : sequence, optional
            One id a passage; positions from 0 by default.
        titles : sequence of str, optional
            One title a passage.
        id : str
            The question's own id.
        """
        texts = list(passages)
        names: list[ItemId] = list(range(len(texts))) if ids is None else list(ids)
        heads = [""] * len(texts) if titles is None else list(titles)
        if not len(texts) == len(names) == len(heads):
            raise InputError(
                "passages, ids and titles differ in length",
                found=(len(texts), len(names), len(heads)),
                allowed="equal lengths",
                where="Question.from_texts",
            )
        return cls(
            id=id,
            text=text,
            passages=tuple(Passage(i, t, h) for i, t, h in zip(names, texts, heads, strict=True)),
        )
