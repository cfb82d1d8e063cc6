"""run: the raw answer, the repaired one, and repaired random bits, always all three."""

import json

import numpy as np
import pytest

import isingrag as ir
from isingrag.common.files import canonical_json
from isingrag.errors import BackendError, InputError, UnknownName, UnknownOption


def problem(**changes: object) -> ir.SelectionProblem:
    rng = np.random.default_rng(5)
    pairs = np.triu(rng.normal(0, 2, (9, 9)), 1)
    settings = {"size": 3, "coverage": [ir.CoverageTerm("c", [0, 4, 8], 3.0)], **changes}
    return ir.SelectionProblem([f"p{i}" for i in range(9)], rng.normal(1, 2, 9), pairs + pairs.T, **settings)


def paper(judge: ir.SelectionProblem, profile: object = "ideal-16") -> ir.CompiledInstance:
    return ir.compile(judge, profile, lowering="paper", penalties="sufficient")


@pytest.mark.parametrize("backend", ["annealing", "tabu", "digital_annealer", "neal"])
def test_every_backend_finds_the_optimum_of_a_small_problem(backend: str) -> None:
    judge = problem()
    options = {"timeout": 50, "num_restarts": 2} if backend == "tabu" else {}
    result = ir.run(paper(judge), backend, reads=20, seed=1, **options)
    best = ir.solve_exact(judge)
    assert result.raw.ids == best.ids
    assert result.raw.value == pytest.approx(best.value)
    assert result.repaired.value >= result.raw.value - 1e-9
    assert result.repaired.feasible
    assert result.repaired_random.feasible
    assert result.model_value == pytest.approx(result.raw.value)


def test_results_are_repeatable_and_serialise() -> None:
    instance = paper(problem())
    one, two = (ir.run(instance, "annealing", reads=8, seed=3) for _ in range(2))
    assert one.samples.record.sample.tolist() == two.samples.record.sample.tolist()
    assert one.repaired_random == two.repaired_random
    row = json.loads(canonical_json(one.to_dict()))
    assert row["facts"]["backend"] == "annealing"
    assert row["raw"]["ids"] == list(one.raw.ids)


def test_without_repair_the_raw_answer_is_the_selection() -> None:
    result = ir.run(paper(problem()), "annealing", reads=5, repair=False)
    assert result.selection == result.raw


def test_nothing_to_decide_makes_no_device_call() -> None:
    """L80: a backend that refuses to be called is never called."""

    class Refuses:
        name = "refuses"

        def sample(self, *_: object, **__: object) -> None:
            raise BackendError("was called")

    empty = ir.SelectionProblem([], [], coverage=[ir.CoverageTerm("c", [], 2.0)], size=3)
    result = ir.run(paper(empty), Refuses())
    assert result.ids == ()
    assert result.value == 0
    settled = ir.SelectionProblem(["a", "b"], [1, 2], size=1, pinned=["a"])
    assert ir.run(paper(settled), Refuses()).ids == ("a",)
    with pytest.raises(BackendError, match="was called"):
        ir.run(paper(problem()), Refuses())


def test_what_a_user_may_get_wrong_is_named() -> None:
    instance = paper(problem())
    with pytest.raises(UnknownOption, match="num_sweeps"):
        ir.run(instance, "annealing", num_sweep=5)
    with pytest.raises(UnknownName, match="annealing"):
        ir.run(instance, "anealing")
    with pytest.raises(InputError, match="reads"):
        ir.run(instance, "annealing", reads=0)
    with pytest.raises(InputError, match="seed"):
        ir.run(instance, "annealing", seed=-1)
    with pytest.raises(InputError, match="not a backend"):
        ir.run(instance, 5)  # type: ignore[arg-type]
    brim = ir.compile(problem(size=2), "brim-64spin-65nm", lowering="paper")
    with pytest.raises(BackendError, match="no emulator"):
        ir.run(brim)


def test_select_takes_scores_as_they_are() -> None:
    scores = ir.EvidenceScores(["a", "b", "c"], [0.9, 0.8, 0.1], [[2, 2, 0], [0, 1, 0]], [0.5, 0.5])
    result = ir.select(scores, profile="ideal", size=2, reads=10)
    assert set(result.ids) == {"a", "b"}
    assert {"score_seconds", "compile_seconds", "sample_seconds"} <= set(result.facts)


def test_weak_penalties_are_noted() -> None:
    instance = ir.compile(problem(), "ideal", lowering="paper", penalties={"lambda_K": 0.01})
    assert any("below their sufficient bound" in note for note in ir.run(instance, "annealing", reads=3).facts["notes"])
    heavy = ir.compile(problem(), "ideal", lowering="paper", penalties={"lambda_K": 1e6})
    assert any("rough landscapes" in note for note in ir.run(heavy, "annealing", reads=3).facts["notes"])
