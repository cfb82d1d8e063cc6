"""Evidence scores and the evidence problem against a literal reading of eq. 6-12 of arXiv:2607.12334."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.errors import InputError
from isingrag.problem import EvidenceScores, EvidenceWeights, evidence_problem
from isingrag.solvers.exact import solve_exact
from isingrag.testing.problems import all_masks
from isingrag.testing.strategies import evidence_scores

NAN, INF = float("nan"), float("inf")


def literal(scores: EvidenceScores, w: EvidenceWeights, x: np.ndarray[Any, Any]) -> float:
    """The objective of design section 1, loop by loop."""
    n, m = scores.size, len(scores.weights)
    total = 0.0
    sets = [{j for j in range(m) if scores.support[j, i] >= 1} for i in range(n)]
    for i in range(n):
        if x[i]:
            u = 0 if sets[i] else 1
            supported = sum(float(scores.weights[j]) * int(scores.support[j, i]) for j in range(m))
            total += w.alpha * float(scores.relevance[i]) + w.eta * supported - w.kappa * u - w.mu
    for j in range(m):
        partial = any(x[i] and scores.support[j, i] >= 1 for i in range(n))
        direct = any(x[i] and scores.support[j, i] == 2 for i in range(n))
        total += float(scores.weights[j]) * (w.gamma_p * partial + w.gamma_d * direct)
    for i in range(n):
        for k in range(i + 1, n):
            if x[i] and x[k]:
                both = sets[i] & sets[k]
                rho = len(both) / len(sets[i] | sets[k]) if both else w.rho_diff
                total += w.delta * float(scores.complementarity[i, k]) - w.beta * float(scores.redundancy[i, k]) * rho
    return total


weights = st.builds(EvidenceWeights, *[st.floats(0.0, 20.0, width=32)] * 8, rho_diff=st.floats(0.0, 0.875, width=32))


@settings(max_examples=80, deadline=None)
@given(evidence_scores(), weights, st.integers(1, 6))
def test_the_problem_is_the_published_objective(scores: EvidenceScores, w: EvidenceWeights, size: int) -> None:
    problem = evidence_problem(scores, w, size)
    masks = all_masks(scores.size)
    for mask, value in zip(masks[::2], problem.values(masks[::2]), strict=True):
        assert value == pytest.approx(literal(scores, w, mask), abs=1e-7)
    assert problem.size == min(size, scores.size)
    assert not problem.exact


def test_default_weights_are_the_papers() -> None:
    w = EvidenceWeights()
    assert (w.alpha, w.beta, w.gamma_p, w.gamma_d, w.delta, w.eta, w.kappa) == (10, 10, 4, 10, 8, 10, 20)
    assert (w.mu, w.rho_diff) == (1, 0.25)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": -1}, r"weights.alpha is out of bounds; found: -1"),
        ({"kappa": NAN}, r"weights.kappa is out of bounds; found: nan"),
        ({"beta": INF}, r"weights.beta is out of bounds"),
        ({"mu": True}, r"weights.mu is not a number"),
        ({"rho_diff": 1.0}, r"rho_diff is out of bounds; found: 1.0; allowed: \[0, 1\)"),
    ],
)
def test_weights_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        EvidenceWeights(**change)


SCORES: dict[str, Any] = {
    "ids": ["a", "b"],
    "relevance": [0.5, 0.25],
    "support": [[0, 1], [2, 0], [1, 1]],
    "weights": [1.0, 0.5, 0.0],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ids": ["a", "a"]}, r"duplicate id; found: 'a'"),
        ({"relevance": [0.5, NAN]}, r"relevance .*not finite.*where: relevance\[1\]"),
        ({"relevance": [0.5]}, r"relevance has the wrong shape; found: \(1,\); allowed: \(2,\)"),
        (
            {"support": [[0, 1], [2, 3], [1, 1]]},
            r"outside the scale; found: 3.*2 \(direct\); where: support\[1, 1\]",
        ),
        ({"support": [[0, 1], [-1, 0], [1, 1]]}, r"support .*found: -1.*where: support\[1, 0\]"),
        ({"support": [[0, 0.5], [2, 0], [1, 1]]}, r"support .*found: 0.5.*where: support\[0, 1\]"),
        ({"support": [[0, NAN], [2, 0], [1, 1]]}, r"support .*not finite.*where: support\[\(0, 1\)\]"),
        ({"support": [[0, 1, 2], [2, 1, 0]]}, r"support has the wrong shape; found: \(2, 3\); allowed: \(3, 2\)"),
        ({"weights": [1.0, -0.5, 0.0]}, r"weights holds a value below 0; found: -0.5.*where: weights\[1\]"),
        ({"weights": [[1.0, 1.0, 1.0]]}, r"weights has the wrong shape"),
        ({"weights": 1.0}, r"weights has the wrong shape"),
        ({"redundancy": [[0, 1], [0.5, 0]]}, r"redundancy is not symmetric"),
        ({"redundancy": [[1, 0.5], [0.5, 1]]}, r"redundancy has a diagonal that is not zero"),
        ({"redundancy": [[0, -1], [-1, 0]]}, r"redundancy holds a value below 0"),
        ({"complementarity": [[0, INF], [INF, 0]]}, r"complementarity .*not finite"),
        ({"complementarity": [[0.0]]}, r"complementarity has the wrong shape"),
        ({"embeddings": [[1.0, 0.0], [NAN, 0.0]]}, r"embeddings .*not finite.*where: embeddings\[\(1, 0\)\]"),
        ({"embeddings": [[1.0, 0.0]]}, r"embeddings has the wrong shape"),
        ({"requirements": ["one"]}, r"requirements has the wrong length or type; found: 1; allowed: 3 texts"),
        ({"texts": ["one", 2]}, r"texts has the wrong length or type"),
    ],
)
def test_scores_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        EvidenceScores(**{**SCORES, **change})


def test_arrays_made_from_embeddings() -> None:
    scores = EvidenceScores(**SCORES, embeddings=[[2.0, 0.0], [1.0, 1.0]])
    assert scores.redundancy[0, 1] == pytest.approx(np.sqrt(0.5))
    assert scores.redundancy[0, 0] == 0
    assert scores.complementarity[0, 1] == 0.0  # both support requirement 2
    apart = EvidenceScores(["a", "b"], [0, 0], [[1, 0], [0, 2]], [1, 1], embeddings=[[2.0, 0.0], [1.0, 1.0]])
    assert apart.complementarity[0, 1] == pytest.approx(1 - np.sqrt(0.5))
    zero = EvidenceScores(["a", "b"], [0, 0], [[1, 0], [0, 2]], [1, 1], embeddings=[[0.0, 0.0], [1.0, 1.0]])
    assert zero.redundancy[0, 1] == 0


@pytest.mark.parametrize(("support", "weights"), [([], []), ([[], []], [1.0, 1.0])])
def test_no_passages_give_the_empty_answer(support: Any, weights: Any) -> None:
    problem = evidence_problem(EvidenceScores([], [], support, weights), size=3)
    best = solve_exact(problem)
    assert (best.ids, best.value, best.proven) == ((), 0.0, True)
    assert any(note.startswith("size reduced to 0") for note in best.notes)


def test_no_requirements_leave_relevance_minus_costs() -> None:
    problem = evidence_problem(EvidenceScores(["a"], [0.5], np.zeros((0, 1)), []), size=1)
    assert problem.linear.tolist() == [10 * 0.5 - 20 - 1]


def test_pins_pass_through() -> None:
    problem = evidence_problem(EvidenceScores(**SCORES), size=1, pinned=("b",), forbidden=("a",))
    assert solve_exact(problem).ids == ("b",)
