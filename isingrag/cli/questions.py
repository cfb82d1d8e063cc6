"""``demo`` and ``select``: from questions to passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from isingrag.cli import options as o
from isingrag.cli.text import result_lines
from isingrag.common.files import canonical_json
from isingrag.errors import InputError
from isingrag.problem import Question
from isingrag.problem.readers import load_questions

__all__ = ["demo", "select"]


def _run_all(questions: Sequence[Question], as_json: bool, **settings: Any) -> None:
    from isingrag.run.select import select as select_passages

    if settings["size"] < 1:
        raise InputError("size is out of bounds", found=settings["size"], allowed=">= 1", where="--size")
    found = total = whole = 0
    for question in o.progress(questions, len(questions), "selecting"):
        result = select_passages(question, **settings)
        hits = len(set(result.ids) & set(question.gold))
        found, total = found + hits, total + len(question.gold)
        whole += bool(question.gold) and hits == len(question.gold)
        if as_json:
            row = {"question": question.id, "text": question.text, "gold": list(question.gold), **result.to_dict()}
            typer.echo(canonical_json(row))
        else:
            for line in result_lines(result):
                typer.echo(line)
            typer.echo("")
    labelled = sum(bool(question.gold) for question in questions)
    if labelled and not as_json:
        typer.echo(f"Gold passages found: {found} of {total}; complete for {whole} of {labelled} questions")


def demo(
    profile: o.ProfileName = "fujitsu-da1",
    size: o.Size = 3,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Questions to run.")] = 3,
    reads: o.Reads = 20,
    seed: o.Seed = 0,
    as_json: o.AsJson = False,
) -> None:
    """Run the main job on packaged questions: score, compile for a machine, run its emulator, decode.

    Presolve is held back, so that something is left for the machine; `select` settles most of it before.
    """
    from isingrag.data import demo_questions_path

    questions = load_questions(demo_questions_path(), limit=limit)
    _run_all(questions, as_json, profile=profile, size=size, reads=reads, seed=seed, presolve="marginal")


def select(
    file: o.QuestionFile,
    profile: o.ProfileName = "ideal",
    size: o.Size = 5,
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="Only the first questions.")] = None,
    backend: o.BackendName = None,
    reads: o.Reads = 100,
    seed: o.Seed = 0,
    lowering: o.Lowering = "tight",
    penalties: o.PenaltyRule = None,
    rounding: o.Rounding = None,
    presolve: o.Presolve = "probing",
    as_json: o.AsJson = False,
) -> None:
    """Select passages for each question of a file, and say why each is there and what the machine cost."""
    questions = load_questions(file, limit=limit)
    _run_all(
        questions,
        as_json,
        profile=profile,
        size=size,
        backend=backend,
        reads=reads,
        seed=seed,
        lowering=lowering,
        penalties=penalties,
        rounding=rounding,
        presolve=presolve,
    )
