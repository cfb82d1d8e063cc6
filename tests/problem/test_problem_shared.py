"""The 48 recorded problems: values, optima, and the published model's ground states."""

import json
from pathlib import Path
from typing import Any

import pytest

from isingrag.formulate import apply_penalties, encode_paper
from isingrag.problem import EvidenceScores, EvidenceWeights, SelectionProblem, evidence_problem
from isingrag.solvers.exact import solve_exact
from isingrag.solvers.exact_model import model_ground_state

Row = tuple[dict[str, Any], SelectionProblem]


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[Row]:
    text = (shared / "data" / "problems" / "dev.jsonl").read_text(encoding="utf-8")
    return [(row, _problem(row)) for row in map(json.loads, text.splitlines())]


def _problem(row: dict[str, Any]) -> SelectionProblem:
    scores = EvidenceScores(
        row["ids"],
        row["relevance"],
        row["support"],
        row["requirement_weights"],
        redundancy=row["redundancy"],
        complementarity=row["complementarity"],
        requirements=row["requirements"],
    )
    return evidence_problem(scores, EvidenceWeights(**row["weights"]), row["size"])


@pytest.mark.shared
def test_recorded_optima_have_their_recorded_values(rows: list[Row]) -> None:
    assert len(rows) == 48
    for row, problem in rows:
        assert problem.value(row["optimum"]["ids"]) == pytest.approx(row["optimum"]["value"], abs=2e-3), row["id"]
        assert problem.violations(row["optimum"]["ids"]) == ()


@pytest.mark.shared
def test_the_exact_solver_reproduces_and_proves_the_recorded_optima(rows: list[Row]) -> None:
    for row, problem in rows:
        best = solve_exact(problem)
        assert set(best.ids) == set(row["optimum"]["ids"]), row["id"]
        assert best.proven
        assert best.feasible


@pytest.mark.shared
def test_the_published_model_has_the_same_optimum_when_penalties_are_sufficient(rows: list[Row]) -> None:
    for row, problem in rows:
        model, facts = apply_penalties(encode_paper(problem).model, problem, "sufficient")
        ground = model_ground_state(model)
        assert ground.proven
        assert set(problem.selection(ground.mask).ids) == set(row["optimum"]["ids"]), row["id"]
        assert -ground.energy == pytest.approx(row["optimum"]["value"], abs=2e-3)
        assert facts["below_bound"] == []
