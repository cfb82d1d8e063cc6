"""Coupling graphs of machines: which qubits there are, and which of them are coupled.

Nodes are whole numbers. Chimera, Pegasus and Zephyr count as D-Wave's linear index does; king and
square lattices as ``row * cols + column``; heavy-hex as IBM does, row by row with the connectors in
between. `nodes` and `edges` of a profile say which of them work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from isingrag.common.arrays import BoolArray, IntArray
from isingrag.common.files import canonical_json
from isingrag.errors import ProfileError, nearest
from isingrag.profile.schema import Topology

if TYPE_CHECKING:
    import networkx

    from isingrag.profile.profile import HardwareProfile

__all__ = [
    "GraphKey",
    "build_graph",
    "couplers_among",
    "hardware_graph",
    "has_graph",
    "max_degree",
    "node_count",
    "nodes_exist",
]

#: Largest graph that is built; a profile from outside may declare more.
MAX_NODES = 1_000_000

#: Parameters of each type: name -> default, None where it must be given.
_PARAMETERS: dict[str, dict[str, Any]] = {
    "chimera": {"m": None, "n": 0, "t": 4},
    "pegasus": {"m": None, "fabric_only": True, "index_space": 0},
    "zephyr": {"m": None, "t": 4},
    "king": {"rows": None, "cols": None},
    "square": {"rows": None, "cols": None},
    "heavy_hex": {"rows": None, "cols": None, "offsets": (0, 2), "trimmed": False, "tail": False},
    "explicit": {},
}
_LATTICES = ("king", "square")


@dataclass(frozen=True)
class GraphKey:
    """A topology with its digest, by which graphs and embeddings are cached."""

    digest: str
    topology: Topology = field(compare=False, repr=False)

    @classmethod
    def of(cls, topology: Topology) -> GraphKey:
        """The key of a topology: type, parameters, and the nodes and edges that work."""
        parts = topology.model_dump(mode="json", include={"type", "params", "nodes", "edges"})
        return cls(hashlib.sha256(canonical_json(parts).encode()).hexdigest(), topology)

    @property
    def lattice(self) -> bool:
        """True for a king or square lattice without defects: its couplers follow from arithmetic."""
        topology = self.topology
        return topology.type in _LATTICES and topology.nodes is None and topology.edges is None


def has_graph(topology: Topology) -> bool:
    """Whether the graph is sparse and described well enough to be built."""
    if topology.type is None or topology.type == "complete":
        return False
    needed = [name for name, default in _PARAMETERS[topology.type].items() if default is None]
    return all(name in topology.params for name in needed)


def hardware_graph(profile: HardwareProfile, side: int | None = None) -> networkx.Graph:
    """The machine's coupling graph, frozen and cached.

    Parameters
    ----------
    profile : HardwareProfile
    side : int, optional
        Only the first `side` rows and columns of a lattice without defects.

    Raises
    ------
    ProfileError
        A parameter is missing, unknown or out of bounds; a node or edge does not exist in the ideal
        graph; the graph is complete or unknown.
    """
    return build_graph(profile.graph_key, side if profile.graph_key.lattice else None)


def node_count(profile: HardwareProfile) -> int:
    """Number of qubits of the graph."""
    if profile.graph_key.lattice:
        given = _parameters(profile.data.topology)
        return int(given["rows"] * given["cols"])
    return int(hardware_graph(profile).number_of_nodes())


def max_degree(profile: HardwareProfile) -> int:
    """Largest number of couplers of one qubit."""
    if profile.graph_key.lattice:
        return 8 if profile.data.topology.type == "king" else 4
    return _degree(profile.graph_key)


@lru_cache(maxsize=8)
def _degree(key: GraphKey) -> int:
    return max((degree for _, degree in build_graph(key, None).degree()), default=0)


def nodes_exist(profile: HardwareProfile, labels: IntArray) -> BoolArray:
    """Whether each label is a qubit of the graph."""
    if profile.graph_key.lattice:
        return np.asarray((labels >= 0) & (labels < node_count(profile)))
    graph = hardware_graph(profile)
    return np.fromiter((int(label) in graph for label in labels), dtype=bool, count=labels.size)


def couplers_among(profile: HardwareProfile, labels: IntArray) -> tuple[IntArray, IntArray]:
    """Couplers between the given qubits: two arrays of labels, the lower one first, sorted."""
    if profile.graph_key.lattice:
        low, high = _lattice_couplers(profile.data.topology, np.unique(labels))
    else:
        graph, inside = hardware_graph(profile), {int(label) for label in labels}
        pairs = [(a, b) for a in sorted(inside) if a in graph for b in graph.adj[a] if a < b and b in inside]
        table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        low, high = table[:, 0], table[:, 1]
    order = np.lexsort((high, low))
    return low[order], high[order]


def _lattice_couplers(topology: Topology, labels: IntArray) -> tuple[IntArray, IntArray]:
    columns = int(_parameters(topology)["cols"])
    steps = [(0, 1), (1, 0)] + ([(1, 1), (1, -1)] if topology.type == "king" else [])
    low, high = [], []
    for down, right in steps:
        column = labels % columns + right
        other = labels + down * columns + right
        good = (column >= 0) & (column < columns) & np.isin(other, labels)
        low.append(labels[good])
        high.append(other[good])
    return np.concatenate(low), np.concatenate(high)


@lru_cache(maxsize=16)
def build_graph(key: GraphKey, side: int | None = None) -> networkx.Graph:
    """The graph of a key; see `hardware_graph`."""
    import networkx

    topology = key.topology
    if topology.type is None or topology.type == "complete":
        raise ProfileError("a complete or unknown topology has no graph", found=topology.type, where="topology.type")
    given = _parameters(topology)
    if topology.type in ("chimera", "pegasus", "zephyr"):
        graph = _dwave_graph(topology, given)
    elif topology.type == "explicit":
        graph = networkx.Graph()
        graph.add_nodes_from(topology.nodes or ())
        graph.add_edges_from(topology.edges or ())
    else:
        graph = _restricted(_lattice(topology, given, side), topology)
    return networkx.freeze(graph)


def _parameters(topology: Topology) -> dict[str, Any]:
    """Parameters with defaults, checked before memory is taken."""
    assert topology.type is not None
    known = _PARAMETERS[topology.type]
    for name in topology.params:
        if name not in known:
            hint = nearest(name, known) if known else "no parameters"
            raise ProfileError("unknown topology parameter", found=name, allowed=hint, where="topology.params")
    given = {**known, **topology.params}
    for name, value in given.items():
        if value is None:
            raise ProfileError(
                "a topology parameter is missing",
                found="unknown",
                allowed="a whole number",
                where=f"topology.params.{name}",
            )
        if isinstance(known[name], (bool, tuple)):
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < (1 if known[name] is None else 0):
            raise ProfileError(
                "a topology parameter is not a count",
                found=repr(value),
                allowed=">= 1",
                where=f"topology.params.{name}",
            )
    size = _declared_size(topology.type, given)
    if size > MAX_NODES:
        raise ProfileError("the topology is too large", found=size, allowed=MAX_NODES, where="topology.params")
    return given


def _declared_size(kind: str, given: Mapping[str, Any]) -> int:
    if kind == "chimera":
        return int(2 * given["m"] * (given["n"] or given["m"]) * given["t"])
    if kind == "pegasus":
        return int(24 * given["m"] * (given["m"] - 1))
    if kind == "zephyr":
        return int(4 * given["t"] * given["m"] * (2 * given["m"] + 1))
    if kind == "explicit":
        return 0
    return int(given["rows"] * given["cols"] * 2)


def _dwave_graph(topology: Topology, given: Mapping[str, Any]) -> networkx.Graph:
    import dwave.graphs

    def make(**working: Any) -> networkx.Graph:
        if topology.type == "chimera":
            return dwave.graphs.chimera_graph(given["m"], given["n"] or given["m"], given["t"], **working)
        if topology.type == "pegasus":
            return dwave.graphs.pegasus_graph(given["m"], fabric_only=given["fabric_only"], **working)
        return dwave.graphs.zephyr_graph(given["m"], given["t"], **working)

    ideal = make()
    if topology.nodes is None and topology.edges is None:
        return ideal
    plain = _restricted(ideal, topology)
    return make(node_list=sorted(plain.nodes), edge_list=sorted(tuple(sorted(edge)) for edge in plain.edges))


def _restricted(ideal: networkx.Graph, topology: Topology) -> networkx.Graph:
    """The part of an ideal graph that works."""
    for node in topology.nodes or ():
        if node not in ideal:
            raise ProfileError("a node is not in the ideal graph", found=node, where="topology.nodes")
    graph = ideal if topology.nodes is None else ideal.subgraph(topology.nodes)
    if topology.edges is None:
        return graph.copy()
    for a, b in topology.edges:
        if not graph.has_edge(a, b):
            raise ProfileError("an edge is not in the ideal graph", found=[a, b], where="topology.edges")
    working = graph.copy()
    working.remove_edges_from(list(working.edges))
    working.add_edges_from(topology.edges)
    return working


def _lattice(topology: Topology, given: Mapping[str, Any], side: int | None) -> networkx.Graph:
    import networkx

    graph = networkx.Graph()
    rows, columns = given["rows"], given["cols"]
    if topology.type == "heavy_hex":
        _add_heavy_hex(graph, given)
        return graph
    window = np.add.outer(
        np.arange(min(rows, side or rows)) * columns, np.arange(min(columns, side or columns))
    ).ravel()
    low, high = _lattice_couplers(topology, window)
    graph.add_nodes_from(window.tolist())
    graph.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    return graph


def _add_heavy_hex(graph: networkx.Graph, given: Mapping[str, Any]) -> None:
    """Rows of qubits; every fourth column of a row leads through a connector to the next row.

    `offsets` are the first connector's column below even and odd rows; `trimmed` leaves out the last
    qubit of the first row and the first of the last row (IBM Eagle: 7 rows of 15); `tail` keeps the
    connectors below the last row (Heron r1). Heron r2: 8 rows of 16 with offsets [3, 1].
    """
    rows, columns = given["rows"], given["cols"]
    label = 0
    above: dict[int, int] = {}
    for row in range(rows):
        skipped = {columns - 1} if given["trimmed"] and row == 0 else set()
        skipped |= {0} if given["trimmed"] and row == rows - 1 else set()
        line = {}
        for column in range(columns):
            if column in skipped:
                continue
            line[column] = label
            graph.add_node(label)
            label += 1
            if column - 1 in line:
                graph.add_edge(line[column - 1], line[column])
        for column, connector in above.items():
            if column in line:
                graph.add_edge(connector, line[column])
        above = {}
        if row == rows - 1 and not given["tail"]:
            break
        for column in range(int(given["offsets"][row % 2]), columns, 4):
            if column in line:
                above[column] = label
                graph.add_edge(line[column], label)
                label += 1
