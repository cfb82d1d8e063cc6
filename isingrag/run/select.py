"""select: from a question to selected passages in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from isingrag.backends import Backend
from isingrag.compiler import compile
from isingrag.errors import InputError
from isingrag.problem import EvidenceScores, EvidenceWeights, Question, evidence_problem
from isingrag.profile import HardwareProfile
from isingrag.run.result import Result
from isingrag.run.run import run
from isingrag.scoring import score

__all__ = ["select"]


def select(
    question: Question | EvidenceScores,
    *,
    profile: HardwareProfile | str | Path = "ideal",
    size: int = 5,
    weights: EvidenceWeights | None = None,
    scorer: Any = "lexical",
    lowering: str = "tight",
    penalties: str | Mapping[str, float] | None = None,
    rounding: str | None = None,
    presolve: str = "probing",
    backend: str | Backend | None = None,
    reads: int = 100,
    seed: int = 0,
    **options: Any,
) -> Result:
    """Select passages for a question.

    Parameters
    ----------
    question : Question or EvidenceScores
        Scores that exist already are taken as they are.
    profile : HardwareProfile, id or path
        The machine; ``ideal`` is float64 software.
    size : int
        At most this many passages, >= 1.
    weights : EvidenceWeights, optional
        The paper's base values by default.
    scorer : str or object with ``score(question)``
    lowering, penalties, rounding, presolve
        See `isingrag.compile`.
    backend, reads, seed, **options
        See `isingrag.run`.

    Returns
    -------
    Result
        With `question` and `scores`; facts hold the seconds of each stage.
    """
    start = perf_counter()
    if isinstance(question, EvidenceScores):
        scores, asked = question, None
    elif isinstance(question, Question):
        scores, asked = score(question, scorer=scorer), question
    else:
        raise InputError("not a question", found=type(question).__name__, allowed="Question or EvidenceScores")
    scored = perf_counter()
    problem = evidence_problem(scores, weights, size)
    compiled = compile(
        problem, profile, lowering=lowering, penalties=penalties, rounding=rounding, presolve=presolve, seed=seed
    )
    ready = perf_counter()
    result = run(compiled, backend, reads=reads, seed=seed, **options)
    facts = {**result.facts, "score_seconds": scored - start, "compile_seconds": ready - scored}
    return replace(result, facts=facts, question=asked, scores=scores)
