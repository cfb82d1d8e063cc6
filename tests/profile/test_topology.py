"""Hardware graphs, and the checks that need one."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest

from isingrag.errors import ProfileError, RangeError
from isingrag.model import Quadratic
from isingrag.profile import HardwareProfile, hardware_graph
from isingrag.profile.topology import couplers_among, max_degree, node_count
from isingrag.profile.totals import coupling_totals, group_index, zephyr_coordinates


def machine(kind: str, params: dict | None = None, **fields) -> HardwareProfile:
    topology = {"type": kind, "params": params or {}, **fields.pop("topology", {})}
    return HardwareProfile.from_dict({"name": "test", "vartype": "SPIN", "topology": topology, **fields}, "test")


def form(couplings: dict[tuple[int, int], float], fields: dict[int, float] | None = None) -> Quadratic:
    names = sorted({node for pair in couplings for node in pair} | set(fields or {}))
    place = {node: p for p, node in enumerate(names)}
    rows, columns = [place[a] for a, _ in couplings], [place[b] for _, b in couplings]
    linear = [(fields or {}).get(node, 0.0) for node in names]
    return Quadratic("SPIN", [str(n) for n in names], linear, rows, columns, list(couplings.values()))


@pytest.mark.parametrize(
    ("kind", "params", "nodes", "edges", "degree"),
    [
        ("chimera", {"m": 16, "t": 4}, 2048, 6016, 6),
        ("pegasus", {"m": 16, "fabric_only": True, "index_space": 5760}, 5640, 40484, 15),
        ("zephyr", {"m": 12, "t": 4}, 4800, 45864, 20),
        ("zephyr", {"m": 6}, 1248, 11400, 20),
        ("king", {"rows": 20, "cols": 30}, 600, 20 * 29 + 30 * 19 + 2 * 19 * 29, 8),
        ("square", {"rows": 12, "cols": 10}, 120, 218, 4),
        ("heavy_hex", {"rows": 7, "cols": 15, "trimmed": True}, 127, 144, 3),
        ("heavy_hex", {"rows": 7, "cols": 15, "tail": True}, 133, 150, 3),
        ("heavy_hex", {"rows": 8, "cols": 16, "offsets": [3, 1]}, 156, 176, 3),
    ],
)
def test_ideal_graphs_have_the_published_counts(kind, params, nodes, edges, degree):
    profile = machine(kind, params)
    graph = hardware_graph(profile)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (nodes, edges)
    assert node_count(profile) == nodes
    assert max_degree(profile) == max(d for _, d in graph.degree()) == degree
    assert all(isinstance(node, int) for node in graph)


def test_the_graph_is_cached_by_its_digest_and_frozen():
    one, other = machine("zephyr", {"m": 3}), machine("zephyr", {"m": 3}, bias={"bits": 8})
    assert hardware_graph(one) is hardware_graph(other)
    with pytest.raises(Exception, match=r"[Ff]rozen"):
        hardware_graph(one).add_edge(0, 1)


def test_nodes_and_edges_of_a_profile_are_the_ones_that_work():
    ideal = hardware_graph(machine("zephyr", {"m": 2}))
    nodes = [node for node in ideal if node not in (3, 17)]
    edges = sorted(tuple(sorted(e)) for e in ideal.subgraph(nodes).edges)[5:]
    profile = machine("zephyr", {"m": 2}, topology={"nodes": nodes, "edges": edges})
    graph = hardware_graph(profile)
    assert (set(graph), graph.number_of_edges()) == (set(nodes), len(edges))
    assert graph.graph["family"] == "zephyr"
    assert set(hardware_graph(machine("king", {"rows": 3, "cols": 3}, topology={"nodes": [0, 1, 4]})).edges) == {
        (0, 1),
        (0, 4),
        (1, 4),
    }


@pytest.mark.parametrize(
    ("kind", "params", "topology", "message"),
    [
        ("zephyr", {"m": 4, "tt": 4}, {}, "unknown topology parameter; found: tt"),
        ("pegasus", {}, {}, "a topology parameter is missing"),
        ("king", {"rows": 4, "cols": True}, {}, "not a count"),
        ("king", {"rows": 100000, "cols": 100000}, {}, "too large"),
        ("zephyr", {"m": 10**6}, {}, "too large"),
        ("zephyr", {"m": 2}, {"nodes": [0, 999]}, "a node is not in the ideal graph; found: 999"),
        ("square", {"rows": 2, "cols": 2}, {"edges": [[0, 3]]}, "an edge is not in the ideal graph"),
        ("complete", {}, {}, "has no graph"),
    ],
)
def test_what_can_not_be_built_is_refused(kind, params, topology, message):
    with pytest.raises(ProfileError, match=re.escape(message)):
        hardware_graph(machine(kind, params, topology=topology))


def test_lattice_couplers_by_arithmetic_are_those_of_the_lattice():
    """Planted mistake seen to fail: neighbours taken without the check of the row's end."""
    rng = np.random.default_rng(0)
    for kind, reach in (("king", 2), ("square", 1)):
        profile = machine(kind, {"rows": 5, "cols": 7})
        labels = np.sort(rng.choice(35, size=20, replace=False)).tolist()
        wanted = [
            (a, b)
            for a in labels
            for b in labels
            if a < b and max(steps := (b // 7 - a // 7, abs(b % 7 - a % 7))) == 1 and sum(steps) <= reach
        ]
        low, high = couplers_among(profile, np.array(labels))
        assert list(zip(low.tolist(), high.tolist(), strict=True)) == wanted
        assert sorted(tuple(sorted(e)) for e in hardware_graph(profile).subgraph(labels).edges) == wanted


def test_a_large_lattice_is_checked_without_building_it():
    profile = machine("king", {"rows": 512, "cols": 512}, coupling={"range": [-8, 8], "dtype": "float64"})
    assert profile.check(form({(0, 513): 1.0, (511, 1022): 1.0})).ok
    wrong = {c.name: c for c in profile.check(form({(511, 512): 1.0})).checks}["topology"]
    assert (wrong.status, wrong.where) == ("fail", "511 - 512")


def test_couplings_and_qubits_must_exist():
    profile = machine("chimera", {"m": 2})
    check = lambda f: {c.name: c for c in profile.check(f).checks}["topology"]  # noqa: E731
    assert check(form({(0, 4): 1.0})).status == "pass"
    assert check(form({(0, 1): 1.0})).where == "0 - 1"
    assert check(form({}, {0: 1.0, 77: 1.0})).where == "77"
    named = Quadratic("SPIN", ["0", "x[a]"], [0.0, 0.0])
    assert (check(named).status, check(named).where) == ("fail", "x[a]")


def test_a_lattice_of_unknown_size_is_not_evaluated():
    assert "topology" in machine("king").check(form({(0, 1): 1.0})).not_evaluated


def test_the_extended_coupling_range_counts():
    fields = {"coupling": {"range": [-1, 1], "extended_range": [-2, 1], "dtype": "float64"}}
    profile = machine("chimera", {"m": 2}, **fields)
    assert (profile.coupling_grid.low, profile.coupling_grid.high) == (-2.0, 1.0)
    assert profile.check(form({(0, 4): -2.0})).ok
    with pytest.raises(RangeError):
        profile.require(form({(0, 4): 1.5}))


def test_totals_per_qubit():
    fields = {"coupling": {"range": [-2, 1], "per_qubit_total": [-3, 2], "dtype": "float64"}}
    profile = machine("chimera", {"m": 1}, **fields)
    assert profile.check(form({(0, 4): -1.0, (0, 5): -2.0})).ok
    with pytest.raises(RangeError, match=r"coupling_total; found: -4; .*where: 0"):
        profile.require(form({(0, 4): -2.0, (0, 5): -2.0}))


def test_zephyr_groups_on_the_ideal_z12():
    """hardware.md: only 0, 1 and -1; 3,680 of 4,800 qubits have groups of 10 and 10."""
    import dwave.graphs

    graph = hardware_graph(machine("zephyr", {"m": 12, "t": 4}))
    edges = np.array(sorted(graph.edges), dtype=np.int64)
    places = zephyr_coordinates(np.arange(4800), 12, 4)
    theirs = dwave.graphs.zephyr_coordinates(12, 4)
    assert [tuple(p) for p in places] == [theirs.linear_to_zephyr(i) for i in range(4800)]
    first, second = places[edges[:, 0]], places[edges[:, 1]]
    groups = np.concatenate([group_index(first, second), group_index(second, first)])
    assert sorted(np.unique(groups)) == [-1, 0, 1]
    sizes = np.zeros((4800, 2), dtype=int)
    np.add.at(sizes, (np.concatenate([edges[:, 0], edges[:, 1]]), groups % 2), 1)
    assert int((sizes == 10).all(axis=1).sum()) == 3680


@pytest.mark.parametrize(
    ("of", "neighbour", "group"),
    [
        ((0, 7, 1, 1, 3), (1, 8, 0, 0, 3), 0),  # internal: 2 Z + J + 1 - w
        ((0, 7, 1, 1, 3), (1, 7, 0, 0, 3), 1),
        ((0, 7, 1, 1, 3), (0, 7, 1, 0, 3), 1),  # odd: Z + J - z
        ((0, 7, 1, 1, 3), (0, 7, 1, 0, 4), 0),
        ((0, 7, 1, 0, 3), (0, 7, 1, 1, 3), 0),
        ((0, 7, 1, 0, 3), (0, 7, 1, 1, 2), 1),
        ((0, 7, 1, 1, 3), (0, 7, 1, 1, 4), 0),  # external: (z - Z) // 2
        ((0, 7, 1, 1, 3), (0, 7, 1, 1, 2), -1),
    ],
)
def test_the_group_of_a_coupler(of, neighbour, group):
    """Planted mistake seen to fail: odd couplers grouped with ``z - Z`` instead of ``Z + J - z``."""
    assert group_index(np.array([of]), np.array([neighbour])).tolist() == [group]


def test_totals_per_group():
    profile = machine("zephyr", {"m": 12, "t": 4}, coupling={"range": [-2, 1], "per_group_total": [-13, 10]})
    graph = hardware_graph(profile)
    hub = next(n for n in graph if graph.degree(n) == 20)
    full = form({tuple(sorted((hub, other))): 1.0 for other in graph.adj[hub]})
    totals, limits = coupling_totals(full, profile.data)
    assert limits == (-13.0, 10.0)
    assert sorted(totals[full.names.index(str(hub))]) == [10.0, 10.0]
    assert profile.check(full).ok
    with pytest.raises(RangeError, match="coupling_total"):
        profile.require(full.scaled(-1.4))


def test_groups_outside_zephyr_are_not_evaluated():
    profile = machine("chimera", {"m": 2}, coupling={"range": [-2, 1], "per_group_total": [-13, 10]})
    assert "coupling_total" in profile.check(form({(0, 4): 1.0})).not_evaluated


def test_an_ideal_graph_in_place_of_a_working_one_is_an_assumption():
    notes = machine("zephyr", {"m": 2}, working_variables=150).assumptions()
    assert any("ideal graph" in note for note in notes)


@pytest.mark.shared
def test_the_working_graph_of_advantage2(shared):
    with gzip.open(shared / "data/topologies/advantage2_system1_10.json.gz") as stream:
        data = json.load(stream)
    profile = machine("zephyr", {"m": 12, "t": 4}, topology={"nodes": data["nodes"], "edges": data["edges"]})
    graph = hardware_graph(profile)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (4589, 41729)
    again = machine("zephyr", {"m": 12, "t": 4}).replace(
        **{"topology.nodes": data["nodes"], "topology.edges": data["edges"]}
    )
    assert hardware_graph(again) is graph
    assert max(len(note) for note in again.assumptions()) < 300
