"""The published formulation: energies, names, rows."""

import numpy as np
import pytest
from hypothesis import given, settings

from isingrag.errors import CompileError
from isingrag.formulate import apply_penalties, encode_paper
from isingrag.problem import CoverageTerm, EvidenceScores, GroupLimit, SelectionProblem, evidence_problem
from isingrag.testing.problems import all_masks
from isingrag.testing.strategies import evidence_scores, selection_problems


@settings(max_examples=150, deadline=None)
@given(selection_problems(max_items=6, pins=False))
def test_energy_is_minus_the_value_on_feasible_states_with_the_best_slack(problem: SelectionProblem) -> None:
    before = problem.digest
    encoding = encode_paper(problem)
    model, _ = apply_penalties(encoding.model, problem, "sufficient")
    masks = all_masks(problem.count)
    states = encoding.map.extend(masks)
    feasible, values, energies = problem.feasible(masks), problem.values(masks), model.energies(states)
    assert np.allclose(energies[feasible], -values[feasible], atol=1e-6)
    assert (energies[~feasible] > -values[~feasible]).all()
    for c in model.constraints:
        assert not c.broken(states[feasible]).any()
    assert problem.digest == before
    assert not any(c.penalty for c in encoding.model.constraints)


@settings(max_examples=60, deadline=None)
@given(selection_problems(max_items=4, max_coverage=2, pins=False))
def test_the_best_slack_is_the_best(problem: SelectionProblem) -> None:
    encoding = encode_paper(problem)
    model, _ = apply_penalties(encoding.model, problem, "sufficient")
    if model.count > 12:
        return
    states = all_masks(model.count)
    energies = model.energies(states)
    item_masks = model.item_masks(states)
    for mask in all_masks(problem.count):
        if problem.feasible(mask[None])[0]:
            best = energies[(item_masks == mask).all(axis=1)].min()
            assert model.energies(encoding.map.extend(mask[None]))[0] == pytest.approx(best, abs=1e-7)


@settings(max_examples=40, deadline=None)
@given(evidence_scores(max_items=5, max_requirements=3))
def test_names_and_ranges_of_the_published_rows(scores: EvidenceScores) -> None:
    problem = evidence_problem(scores, size=3)
    model = encode_paper(problem).model
    assert model.names == encode_paper(problem).model.names  # L22
    rows = {c.label: c for c in model.constraints}
    m = len(scores.weights)
    labels = [f"{kind}[{j}]" for j in range(m) for kind in ("partial", "direct")]
    assert set(rows) == {*labels, *(f"hierarchy[direct[{j}]]" for j in range(m)), "size"}
    for j in range(m):
        for label, level in ((f"partial[{j}]", 1), (f"direct[{j}]", 2)):
            members = int((scores.support[j] >= level).sum())
            row = rows[label]
            slack = [a for p, a in zip(row.positions, row.coefficients, strict=True) if model.roles[p] == "slack"]
            assert -sum(slack) == members
            assert row.constant == 0
        assert [model.names[p] for p in rows[f"hierarchy[direct[{j}]]"].positions] == [
            f"y[partial[{j}]]",
            f"y[direct[{j}]]",
            f"slack[hierarchy[direct[{j}]]][0]",
        ]
    slack = [
        a for p, a in zip(rows["size"].positions, rows["size"].coefficients, strict=True) if model.roles[p] == "slack"
    ]
    assert sum(slack) == problem.size == -rows["size"].constant
    kinds = {"partial": "lambda_P", "direct": "lambda_D", "hierarchy": "lambda_H", "size": "lambda_K"}
    assert all(c.kind == kinds[c.label.split("[")[0]] for c in model.constraints)


def test_exactly_k_takes_no_slack_and_more_rows_follow_the_same_rule() -> None:
    problem = SelectionProblem(
        ["a", "b", "c"],
        [1, 2, 3],
        coverage=[CoverageTerm("empty", [], 1.0)],
        size=2,
        exact=True,
        tokens=[1, 2, 3],
        budget=4,
        groups=[GroupLimit("Berlin", [0, 2], 1), GroupLimit("wide", [1], 5)],
    )
    model = encode_paper(problem).model
    assert model.names == (
        *("x[a]", "x[b]", "x[c]", "y[empty]"),
        *("slack[budget][0]", "slack[budget][1]", "slack[budget][2]"),
        *("slack[group[Berlin]][0]", "slack[group[wide]][0]"),
    )
    assert [(c.label, c.kind) for c in model.constraints] == [
        ("empty", "lambda_P"),
        ("size", "lambda_K"),
        ("budget", "lambda_B"),
        ("group[Berlin]", "lambda_G"),
        ("group[wide]", "lambda_G"),
    ]


def test_fixed_items_are_refused() -> None:
    with pytest.raises(CompileError, match="takes no pinned or forbidden items"):
        encode_paper(SelectionProblem(["a"], [1], pinned=["a"]))


def test_a_coarse_budget_is_called_approximate() -> None:
    problem = SelectionProblem(range(3), [1, 1, 1], tokens=[9_700, 20_301, 41_103], budget=60_000)
    assert any("approximate" in note and "unit" in note for note in encode_paper(problem).notes)
    assert encode_paper(problem.replaced(tokens=[97, 203, 411], budget=600)).notes == ()
