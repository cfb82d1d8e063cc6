"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from isingrag.errors import InputError

__all__ = [
    "AsJson",
    "BackendName",
    "Lowering",
    "PenaltyRule",
    "Presolve",
    "ProfileName",
    "QuestionFile",
    "Reads",
    "Rounding",
    "Seed",
    "Size",
    "pick",
    "progress",
]

T = TypeVar("T")

QuestionFile = Annotated[
    Path, typer.Argument(help="HotpotQA, 2WikiMultihopQA, MuSiQue or plain JSONL.", show_default=False)
]
ProfileName = Annotated[str, typer.Option("--profile", "-p", help="Profile id, or path of a TOML file.")]
Size = Annotated[int, typer.Option("--size", "-k", help="At most this many passages.")]
BackendName = Annotated[
    str | None,
    typer.Option("--backend", "-b", help="annealing, tabu, digital_annealer, exact; default: the profile's."),
]
Reads = Annotated[int, typer.Option("--reads", "-r", help="Samples per instance.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same answer.")]
Lowering = Annotated[str, typer.Option("--lowering", help="tight, or paper: the published formulation.")]
PenaltyRule = Annotated[str | None, typer.Option("--penalties", help="With paper: reference or sufficient.")]
Rounding = Annotated[str | None, typer.Option("--rounding", help="tight: aware or device; paper: device or scores.")]
Presolve = Annotated[str, typer.Option("--presolve", help="With tight: probing, dominance, marginal or none.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="JSON instead of text (one object a line where there are several).")
]


def pick(rows: Sequence[T], ids: Sequence[str], index: int | None, id_: str | None, where: Path) -> T:
    """The row asked for by id or by position (the first by default).

    Raises
    ------
    InputError
        No such row.
    """
    if id_ is not None:
        if id_ not in ids:
            raise InputError("no row has this id", found=repr(id_), where=where.name)
        return rows[list(ids).index(id_)]
    position = 0 if index is None else index
    if not 0 <= position < len(rows):
        raise InputError("no such row", found=position, allowed=f"0..{len(rows) - 1}", where=where.name)
    return rows[position]


def progress(rows: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Iterate with a progress bar on a terminal's stderr, silently elsewhere."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if total < 2 or not console.is_terminal:
        yield from rows
    else:
        yield from track(rows, description=label, total=total, console=console, transient=True)
