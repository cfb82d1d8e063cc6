"""Read selection problems of the shared data's format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import isingrag as ir


def load_problems(path: str | Path) -> list[tuple[dict[str, Any], ir.SelectionProblem]]:
    """Rows and their selection problems."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [(row, problem_of(row)) for row in rows]


def problem_of(row: dict[str, Any]) -> ir.SelectionProblem:
    """The selection problem of one row."""
    scores = ir.EvidenceScores(
        row["ids"],
        row["relevance"],
        row["support"],
        row["requirement_weights"],
        redundancy=row["redundancy"],
        complementarity=row["complementarity"],
        requirements=row["requirements"],
    )
    return ir.evidence_problem(scores, ir.EvidenceWeights(**row["weights"]), row["size"])
