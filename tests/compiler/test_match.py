"""Matching: which machines hold an instance, and what each costs."""

import numpy as np
import pytest

from isingrag.compiler import compile as compile_problem
from isingrag.compiler.match import Match, bits_needed, match, match_profile, rank
from isingrag.instance import CompiledInstance
from isingrag.instance.instance_file import instance_from_dict, instance_to_dict
from isingrag.problem import EvidenceScores, SelectionProblem, evidence_problem
from isingrag.profile import ideal_profile, list_profiles, load_profile


def problem(count: int = 10) -> SelectionProblem:
    rng = np.random.default_rng(7)
    scores = EvidenceScores(
        [f"p{i}" for i in range(count)],
        rng.random(count),
        rng.integers(0, 3, (3, count)),
        rng.random(3) + 0.2,
        embeddings=rng.normal(size=(count, 6)),
    )
    return evidence_problem(scores, size=3)


@pytest.fixture(scope="module")
def compiled() -> CompiledInstance:
    return compile_problem(problem(), "fujitsu-da1", penalties="sufficient", lowering="paper", seed=5)


@pytest.fixture(scope="module")
def rows(compiled: CompiledInstance) -> dict[str, Match]:
    return {row.profile: row for row in match(compiled)}


def test_every_shipped_machine_answers(rows: dict[str, Match]) -> None:
    assert sorted(rows) == list_profiles()
    assert {row.status for row in rows.values()} == {"fits", "refused", "not compiled"}


def test_a_fit_is_what_compiling_says(compiled: CompiledInstance, rows: dict[str, Match]) -> None:
    for name in ("fujitsu-da1", "qboson-cim", "stanford-cim-100"):
        made = compile_problem(problem(), name, penalties="sufficient", lowering="paper", seed=5)
        row = rows[name]
        assert row.status == "fits"
        assert (row.spins, row.scale, row.error_bound) == (made.spins, made.scale, made.error_bound)
        assert set(made.assumptions) <= set(row.assumptions)
    own = rows["fujitsu-da1"]
    assert (own.error_bound, own.scale) == (compiled.error_bound, compiled.scale)
    assert (own.bias_held, own.coupling_held, own.variables) == ("26", "16", 1024)
    assert own.evaluated


def test_the_instances_own_options_are_used(rows: dict[str, Match]) -> None:
    reference = compile_problem(problem(), "fujitsu-da1", penalties="reference", lowering="paper", seed=5)
    assert rows["fujitsu-da1"].scale != reference.scale


def test_a_bound_that_leaves_a_register_out_is_marked(rows: dict[str, Match]) -> None:
    assert not rows["stanford-cim-100"].evaluated
    assert not rows["fujitsu-da2"].evaluated
    assert rows["software-float64"].evaluated
    assert any("auxiliary spin" in note for note in rows["qboson-cim"].assumptions)


def test_a_refusal_carries_the_named_error(rows: dict[str, Match]) -> None:
    row = rows["lc-oim-4node"]
    assert row.status == "refused"
    assert row.error is not None
    assert row.error["type"] == "TooLarge"
    assert row.error["allowed"] == "<= 4 variables"
    assert row.reason.startswith("TooLarge: ")
    assert row.spins is None


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("statica-512", "incomplete"),
        ("quantinuum-helios", "vartype is unknown"),
        ("fujitsu-da3", "topology.type is unknown"),
        ("hitachi-acw-asic-4bit", "king"),
        ("dwave-advantage2-system1", "largest clique of the ideal graph: 184"),
    ],
)
def test_machines_that_are_not_compiled_for_say_why(rows: dict[str, Match], name: str, says: str) -> None:
    assert rows[name].status == "not compiled"
    assert says in rows[name].reason


def test_a_graph_that_is_too_small_is_said_without_compiling(compiled: CompiledInstance) -> None:
    tiny = load_profile("dwave-2000q").replace(variables=8)
    assert f"{compiled.model.count} spins don't fit 8 qubits" in match_profile(compiled, tiny).reason
    small = load_profile("dwave-2000q").replace(**{"chain.largest_clique_ideal": 5})
    assert "may not fit" in match_profile(compiled, small).reason


def test_an_assumed_gate_machine_is_compiled_for(compiled: CompiledInstance) -> None:
    row = match_profile(compiled, load_profile("quantinuum-helios").assume(vartype="Ising"))
    assert row.status == "fits"
    assert "assumed: vartype=Ising" in row.assumptions


def test_a_reloaded_instance_matches_alike(compiled: CompiledInstance, rows: dict[str, Match]) -> None:
    again = instance_from_dict(instance_to_dict(compiled))
    assert match(again, ["fujitsu-da1"]) == [rows["fujitsu-da1"]]


def test_fits_come_first_and_known_registers_before_unknown_ones(compiled: CompiledInstance) -> None:
    answers = match(compiled, ["lc-oim-4node", "statica-512", "stanford-cim-100", ideal_profile(6), ideal_profile(12)])
    assert [row.profile for row in answers] == [
        "ideal-12",
        "ideal-6",
        "stanford-cim-100",
        "lc-oim-4node",
        "statica-512",
    ]
    assert rank(reversed(answers)) == answers


def test_narrow_registers_lose_coefficients(compiled: CompiledInstance) -> None:
    narrow, wide = (match_profile(compiled, ideal_profile(bits)) for bits in (3, 24))
    assert narrow.vanished is not None
    assert narrow.vanished > 0
    assert wide.vanished == 0
    assert narrow.error_bound is not None
    assert wide.error_bound is not None
    assert narrow.error_bound > wide.error_bound


@pytest.mark.parametrize(
    ("values", "bits"),
    [
        ([], None),
        ([0.0], None),
        ([2.5, -2.5], 2),
        ([1, 3], 3),
        ([1, 3.1], 4),
        ([1, -7], 4),
        ([1, 8], 5),
        ([1e-30, 1], 2),
        ([1, 1e11], 38),
    ],
)
def test_bits_needed(values: list[float], bits: int | None) -> None:
    """Signed b bits reach 2^(b-1) - 1: 3 steps take 3 bits, 7 take 4."""
    assert bits_needed(values) == bits


def test_rows_are_plain_values(rows: dict[str, Match]) -> None:
    row = rows["fujitsu-da1"].to_dict()
    assert row["profile"] == "fujitsu-da1"
    assert row["assumptions"] == []
    assert set(row) >= {"status", "spins", "bias_needed", "bias_held", "scale", "error_bound", "error", "reason"}
