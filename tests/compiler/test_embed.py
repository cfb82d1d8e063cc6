"""embed: placing forms on graphs, on purpose and in the pipeline."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from graph_machines import SIXTEEN, all_states, annealer, complete, forms, machine, own_problem, spin_form
from hypothesis import given, settings
from hypothesis import strategies as st

import isingrag as ir
from isingrag.compiler.embedding import Embedding, _Search, clear_embeddings, clique_limit, find_embedding
from isingrag.compiler.king_clique import king_clique, king_limit
from isingrag.compiler.passes import Embed
from isingrag.compiler.passes.embed import _facts
from isingrag.decode import decode
from isingrag.errors import EmbeddingError, InputError, UnknownName, UnknownOption
from isingrag.model import Quadratic
from isingrag.profile import HardwareProfile, hardware_graph
from isingrag.states import EmbedMap


def chains_of(lowering) -> list[set[int]]:
    names = lowering.output.names
    return [{int(names[p]) for p in chain} for chain in lowering.map.chains]


def assert_valid(chains: list[set[int]], form: Quadratic, profile: HardwareProfile) -> None:
    """Each chain connected, none overlapping, a coupler for each coupling."""
    import networkx

    graph = hardware_graph(profile)
    assert sum(map(len, chains)) == len(set().union(*chains))
    for chain in chains:
        assert networkx.is_connected(graph.subgraph(chain))
    for i, k in zip(form.rows, form.columns, strict=True):
        assert any(graph.has_edge(a, b) for a in chains[i] for b in chains[k])


# -- the laws ------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(forms(), st.sampled_from(["all", "one"]), st.sampled_from(["auto", "clique", "minorminer"]))
def test_energies_of_whole_chains_are_kept(form, couplers, method):
    """Planted mistake seen to fail: biases given whole to each qubit of a chain."""
    profile = machine("chimera", {"m": 2})
    digest = form.digest
    lowering = Embed(profile, method=method, couplers=couplers).lower(form, 5)
    states = all_states(form.count, form.vartype)
    full = lowering.map.extend(states)
    assert np.allclose(lowering.output.energies(full), form.energies(states), atol=1e-9)
    assert (lowering.map.restore(full) == states).all()
    assert lowering.error_bound == 0.0
    assert form.digest == digest
    assert_valid(chains_of(lowering), form, profile)


@settings(deadline=None, max_examples=40)
@given(forms(), st.floats(0, 9))
def test_pruning_changes_energy_differences_by_no_more_than_the_bound(form, limit):
    """Planted mistake seen to fail: the bound of spins without its factor 2."""
    lowering = Embed(machine("chimera", {"m": 2}), prune_below=limit).lower(form)
    states = all_states(form.count, form.vartype)
    after, before = lowering.output.energies(lowering.map.extend(states)), form.energies(states)
    assert float(np.ptp(after - before)) <= lowering.error_bound + 1e-9
    assert lowering.facts["couplings pruned"] == int((np.abs(form.values) < limit).sum())


def test_pruning_by_the_step_of_the_register():
    profile = machine("king", {"rows": 9, "cols": 9}, bias={"bits": 4, "integer": True}, coupling={"bits": 4})
    form = spin_form(3, {(0, 1): 7.0, (1, 2): 0.4, (0, 2): 0.6})
    facts = Embed(profile, prune_below="step").lower(form).facts
    assert (facts["couplings"], facts["couplings pruned"], facts["pruned below"]) == (2, 1, 0.5)


# -- lessons -------------------------------------------------------------------------------------


def test_l36_zero_couplings_are_dropped_first():
    values = {(i, k): float(k == i + 1) for i in range(12) for k in range(i + 1, 12)}
    assert len(values) == 66
    lowering = Embed(machine("chimera", {"m": 2})).lower(spin_form(12, values))
    assert lowering.facts["couplings"] == 11
    assert lowering.facts["qubits"] == 12
    assert lowering.facts["longest chain"] == 1


def test_l37_failure_says_what_was_asked_and_what_would_fit():
    profile = machine("chimera", {"m": 2})
    with pytest.raises(EmbeddingError) as caught:
        Embed(profile).lower(complete(20))
    text = str(caught.value)
    for part in (
        "20 variables",
        "190 couplings",
        "density 1.00",
        "32 there",
        "end at 8 variables",
        " s and 0 searches",
    ):
        assert part in text
    assert "prune_below" in text
    assert caught.value.where == profile.name


def test_l37_a_search_that_fails_reports_its_tries():
    profile = machine("square", {"rows": 8, "cols": 8})
    with pytest.raises(EmbeddingError, match="2 searches used, 0 cut short") as caught:
        Embed(profile, tries=2).lower(complete(6))  # a planar graph holds no complete graph of 5
    assert "end at unknown variables" in str(caught.value)


def test_l38_variables_without_couplings_come_back():
    form = spin_form(4, {(0, 1): 1.0}, linear=[0.5, -0.5, 1.0, -1.0])
    lowering = Embed(machine("chimera", {"m": 1})).lower(form)
    assert len(lowering.map.chains) == 4
    assert lowering.output.count == 4
    states = all_states(4, "SPIN")
    assert np.allclose(lowering.output.energies(lowering.map.extend(states)), form.energies(states))
    alone = Embed(machine("king", {"rows": 300, "cols": 300})).lower(spin_form(3, {}, linear=[1.0, 2.0, 3.0]))
    assert (alone.facts["method"], alone.output.names) == ("single", ("0", "1", "2"))


def test_l38_no_qubit_left_for_a_lone_variable():
    with pytest.raises(EmbeddingError, match="the graph is too small"):
        Embed(machine("explicit", topology={"nodes": [0, 1], "edges": [[0, 1]]})).lower(spin_form(3, {(0, 1): 1.0}))


def test_l39_the_general_method_wins_on_small_graphs_and_is_not_asked_on_dense_ones():
    small = Embed(machine("pegasus", {"m": 3})).lower(complete(12))
    assert (small.facts["method"], small.facts["qubits"] <= 24) == ("minorminer", True)
    dense = Embed(annealer("pegasus", 16)).lower(complete(60))
    assert (dense.facts["method"], dense.facts["searches"], dense.facts["longest chain"]) == ("clique", 0, 7)
    assert dense.facts["qubits"] <= 408


@pytest.mark.parametrize(
    ("kind", "size", "longest"),
    [("zephyr", 12, {8: 2, 16: 3, 32: 4, 64: 6}), ("pegasus", 16, {8: 2, 16: 3, 32: 5, 64: 7})],
)
def test_cliques_reach_the_longest_chains_of_the_hardware_table(kind, size, longest):
    profile = annealer(kind, size)
    for n, length in longest.items():
        lowering = Embed(profile).lower(complete(n))
        assert lowering.facts["longest chain"] == length
        assert_valid(chains_of(lowering), complete(n), profile)
    assert clique_limit(profile) == {"zephyr": 184, "pegasus": 180}[kind]


@pytest.mark.shared
def test_cliques_on_the_working_graph(shared):
    """5 to 44 spins with longest chain 5, and 6 to 56."""
    with gzip.open(shared / "data/topologies/advantage2_system1_10.json.gz") as stream:
        data = json.load(stream)
    profile = machine("zephyr", {"m": 12, "t": 4}, topology={"nodes": data["nodes"], "edges": data["edges"]})
    lengths = {n: Embed(profile).lower(complete(n)).facts["longest chain"] for n in range(5, 57)}
    assert max(lengths[n] for n in range(5, 45)) == 5
    assert max(lengths[n] for n in range(45, 57)) == 6
    assert_valid(chains_of(Embed(profile).lower(complete(56))), complete(56), profile)


def test_sparse_forms_get_shorter_chains_than_the_layout():
    rng = np.random.default_rng(4)
    pairs = {(i, k): 1.0 for i in range(30) for k in range(i + 1, 30) if rng.random() < 0.1}
    profile = annealer("zephyr", 4)
    lowering = Embed(profile).lower(spin_form(30, pairs))
    assert lowering.facts["longest chain"] <= 2
    assert_valid(chains_of(lowering), spin_form(30, pairs), profile)


# -- king's lattices -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 20])
def test_complete_graphs_on_a_kings_lattice(n):
    profile = machine("king", {"rows": 20, "cols": 20})
    lowering = Embed(profile, method="clique").lower(complete(n))
    assert_valid(chains_of(lowering), complete(n), profile)
    assert lowering.facts["longest chain"] <= max(1, n - 1)


@pytest.mark.parametrize(("rows", "cols"), [(1, 5), (2, 9), (5, 5), (4, 30), (30, 4), (6, 5)])
def test_the_limit_of_a_kings_lattice_is_reached_and_not_passed(rows, cols):
    limit = king_limit(rows, cols)
    assert king_clique(limit, rows, cols) is not None
    assert king_clique(limit + 1, rows, cols) is None


def test_the_large_lattice_of_hitachi_takes_a_complete_graph_at_once():
    lowering = Embed(machine("king", {"rows": 384, "cols": 384}), method="clique").lower(complete(100))
    assert lowering.facts["longest chain"] == 99


# -- determinism ---------------------------------------------------------------------------------

HELPERS = Path(__file__).resolve().parents[1] / "helpers"
SCRIPT = """
import sys
sys.path.insert(0, HELPERS)
from graph_machines import annealer, machine, spin_form, complete
from isingrag.compiler.passes import Embed
from isingrag.compiler.passes.embed import _facts
pairs = {(i, k): 1.0 for i in range(14) for k in range(i + 1, 14) if (i * k + i + k) % 3 == 0}
print(Embed(annealer("pegasus", 4)).lower(spin_form(14, pairs), 11).output.digest)
print(Embed(machine("king", {"rows": 16, "cols": 16}), method="minorminer").lower(complete(6), 11).output.digest)
print(Embed(annealer("zephyr", 4)).lower(complete(24), 11).output.digest)
"""


def test_l97_the_same_seed_gives_the_same_embedding_in_a_new_process(tmp_path):
    """Another user folder too: minorminer's own disk cache is not read."""
    runs = []
    for number in range(2):
        env = {**os.environ, "PYTHONHASHSEED": str(number), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", f"HELPERS = {str(HELPERS)!r}\n{SCRIPT}"],
            capture_output=True,
            text=True,
            env=env,
            check=True,
        )
        runs.append(done.stdout)
    assert runs[0] == runs[1]
    assert len(runs[0].split()) == 3
    assert not list(tmp_path.iterdir())


def test_the_cache_returns_what_a_search_would():
    profile, form = annealer("pegasus", 4), spin_form(8, {(i, (i + 1) % 8): 1.0 for i in range(8)})
    first = find_embedding(profile, 8, form.rows, form.columns, seed=2)
    assert find_embedding(profile, 8, form.rows, form.columns, seed=2) is first
    twin = profile.replace(**{"bias.bits": 8})  # another machine with the same graph shares it
    assert find_embedding(twin, 8, form.rows, form.columns, seed=2) is first
    clear_embeddings()
    again = find_embedding(profile, 8, form.rows, form.columns, seed=2)
    assert again is not first
    assert again == first


def test_a_time_limit_that_was_hit_is_reported():
    """A search that ends after the limit counts as cut short, whether it found chains or not."""
    form = complete(40)
    search = _Search(annealer("pegasus", 6), 40, form.rows, form.columns, 1e-3, 5, 0)
    search._general()
    assert (search.made, search.timeouts) == (1, 1)
    assert "1 searches used, 1 cut short by the time limit" in str(search.failure("no embedding was found"))
    found = Embedding(((0,), (4, 5)), "minorminer", 2, 1)
    facts = _facts(spin_form(2, {(0, 1): 1.0}), spin_form(2, {(0, 1): 1.0}), found, 3, 1)
    assert facts["time limit hit"] is True
    assert "not repeatable" in facts["notes"][0]


# -- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "cliq"}, UnknownName),
        ({"tries": 0}, InputError),
        ({"time_limit": 0}, InputError),
        ({"prune_below": -1.0}, InputError),
        ({"prune_below": "steps"}, InputError),
        ({"couplers": "two"}, UnknownName),
        ({"restore": "vote"}, UnknownName),
    ],
)
def test_wrong_options_are_refused(options, error):
    with pytest.raises(error):
        Embed(machine("chimera", {"m": 1}), **options)


# -- the pipeline --------------------------------------------------------------------------------

WHOLE = {
    "pegasus": annealer("pegasus", 6, per_qubit_total=[-18, 15]),
    "zephyr": annealer("zephyr", 4, per_group_total=[-13, 10]),
    "king": machine("king", {"rows": 40, "cols": 40}, bias=SIXTEEN, coupling=SIXTEEN),
    "explicit": machine(
        "explicit",
        topology={
            "nodes": sorted(hardware_graph(machine("chimera", {"m": 9})))[3:],
            "edges": [e for e in sorted(hardware_graph(machine("chimera", {"m": 9})).edges) if min(e) >= 3],
        },
    ),
}


@pytest.mark.parametrize("name", list(WHOLE))
@pytest.mark.parametrize("restore", ["majority", "minimize_energy"])
def test_a_problem_goes_through_the_whole_pipeline(name, restore, tmp_path):
    problem, profile = own_problem(12 if name == "explicit" else 20), WHOLE[name]
    compiled = ir.compile(problem, profile, gauge=True, embedding={"restore": restore}, lowering="paper", seed=3)
    assert [step.name for step in compiled.target_steps] == ["vartype", "gauge", "embed", "chain", "scale", "quantize"]
    assert profile.check(compiled.quadratic).ok
    masks = np.random.default_rng(0).random((20, problem.count)) < 0.2
    states = compiled.model_states(masks)
    assert (compiled.restore(compiled.extend(states)) == states).all()
    energies = compiled.quadratic.energies(compiled.extend(states)) / compiled.scale
    assert float(np.ptp(energies - compiled.model.energies(states))) <= compiled.error_bound + 1e-6
    result = ir.run(compiled, backend="annealing", reads=40, seed=1)
    assert result.selection.value == pytest.approx(ir.solve_exact(problem).value, rel=0.05)
    assert 0.0 <= result.facts["chain_break_share"] <= 1.0
    ir.save_instance(compiled, tmp_path / "instance.json")
    again = ir.load_instance(tmp_path / "instance.json")
    assert again == compiled
    assert any(isinstance(step.map, EmbedMap) for step in again.target_steps)
    reads = np.random.default_rng(1).choice([-1, 1], size=(5, compiled.spins))
    assert (again.restore(reads) == compiled.restore(reads)).all()


def test_two_compiles_are_equal():
    problem, profile = own_problem(), WHOLE["zephyr"]
    one = ir.compile(problem, profile, lowering="paper", seed=3)
    clear_embeddings()
    assert ir.compile(problem, profile, lowering="paper", seed=3).digest == one.digest


def test_reads_that_are_all_discarded_end_in_an_empty_valid_result():
    """L43, at the end of the pipeline."""
    compiled = ir.compile(
        own_problem(), WHOLE["zephyr"], embedding={"restore": "discard"}, chain_strength=1e-6, lowering="paper"
    )
    reads = np.random.default_rng(0).choice([-1, 1], size=(10, compiled.spins))
    assert compiled.broken_chains(reads).any(axis=1).all()
    answers = decode(compiled, reads)
    assert (len(answers), answers.best) == (0, None)
    result = ir.run(compiled, backend="annealing", reads=3, seed=1, num_sweeps=1)
    assert "no valid reads" in result.facts["notes"]
    assert result.facts["chain_break_share"] > 0


def test_complete_graphs_are_compiled_as_before_and_check_the_options():
    compiled = ir.compile(own_problem(), ir.ideal_profile(8), lowering="paper")
    assert [step.name for step in compiled.target_steps] == ["vartype", "scale", "quantize"]
    assert set(compiled.options) == {"lowering", "penalties", "rounding"}
    assert compiled.broken_chains(np.ones((1, compiled.spins))) is None
    with pytest.raises(UnknownOption, match="tries"):
        ir.compile(own_problem(), ir.ideal_profile(8), embedding={"trys": 3})


def test_a_batch_of_equal_shape_shares_one_embedding(monkeypatch):
    import isingrag.compiler.embedding as embedding

    clear_embeddings()
    made = []
    real = embedding._Search.run
    monkeypatch.setattr(embedding._Search, "run", lambda self, method: made.append(1) or real(self, method))
    for seed in range(5):
        ir.compile(own_problem(seed=seed), WHOLE["zephyr"], lowering="paper", seed=0)
    assert len(made) == 1
