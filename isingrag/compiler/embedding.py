"""Find chains of qubits for the variables of a coupling graph, and remember them.

Two ways: layouts of complete graphs (minorminer's busclique for Chimera, Pegasus and Zephyr, lines that
cross for king's lattices), at once and as good for dense problems as anything; and minorminer's
general search, with a seed, a number of tries and a time limit (L39). Found embeddings are kept in the
process by graph, couplings, options and seed, so problems of the same shape share one.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from isingrag.common.arrays import IntArray
from isingrag.common.seeds import stage_seed
from isingrag.compiler.king_clique import king_clique, king_limit
from isingrag.compiler.trim import trim_chains
from isingrag.errors import EmbeddingError
from isingrag.profile.topology import GraphKey, build_graph, couplers_among, hardware_graph, max_degree, node_count

if TYPE_CHECKING:
    from isingrag.profile import HardwareProfile

__all__ = ["METHODS", "Embedding", "clear_embeddings", "clique_limit", "find_embedding"]

METHODS = ("auto", "clique", "minorminer")

#: With a clique layout at hand, general search is tried up to this many couplings, or up to the second
#: number in graphs of less than half of all pairs: a try then takes well under two seconds.
CHEAP, CHEAP_SPARSE = 80, 400

#: Embeddings kept in the process.
KEPT = 256

_FOUND: OrderedDict[tuple[object, ...], Embedding] = OrderedDict()


@dataclass(frozen=True)
class Embedding:
    """Chains of node labels, one a variable, each sorted.

    Attributes
    ----------
    chains : tuple of tuple of int
    method : str
        ``clique``, ``minorminer`` or ``single`` (no couplings).
    tries : int
        General searches that were made.
    timeouts : int
        How many of them the time limit cut short; 0 means that the same call gives the same chains.
    """

    chains: tuple[tuple[int, ...], ...]
    method: str
    tries: int = 0
    timeouts: int = 0

    @property
    def longest(self) -> int:
        """Qubits of the longest chain."""
        return max((len(chain) for chain in self.chains), default=0)

    @property
    def qubits(self) -> int:
        """Qubits of all chains."""
        return sum(len(chain) for chain in self.chains)


def find_embedding(
    profile: HardwareProfile,
    count: int,
    rows: IntArray,
    columns: IntArray,
    *,
    method: str = "auto",
    time_limit: float = 60.0,
    tries: int = 3,
    seed: int = 0,
) -> Embedding:
    """Chains for `count` variables with couplings between `rows` and `columns`.

    Parameters
    ----------
    method : {'auto', 'clique', 'minorminer'}
        `auto` takes a layout of the complete graph where there is one, and general search where there
        is none or where it is cheap; the embedding with the shorter longest chain wins.
    time_limit : float
        Seconds for general search; a search in progress ends its current round first.
    tries : int
        General searches from different seeds.
    seed : int

    Raises
    ------
    EmbeddingError
        With the problem's size and density, the largest complete graph that fits, the least number of
        qubits, the time used, and what to try (L37).
    """
    shape = hashlib.sha256(np.stack([rows, columns]).astype(np.int64).tobytes()).hexdigest()
    key = (profile.graph_key.digest, count, shape, method, time_limit, tries, seed)
    if key in _FOUND:
        _FOUND.move_to_end(key)
        return _FOUND[key]
    search = _Search(profile, count, rows, columns, time_limit, tries, seed)
    found = search.run(method)
    _FOUND[key] = found
    while len(_FOUND) > KEPT:
        _FOUND.popitem(last=False)
    return found


def clear_embeddings() -> None:
    """Forget all embeddings and clique layouts of this process."""
    _FOUND.clear()
    _finder.cache_clear()


def clique_limit(profile: HardwareProfile) -> int | None:
    """Largest complete graph that a layout places on the machine; None where no layout is known."""
    topology = profile.data.topology
    if profile.graph_key.lattice and topology.type == "king":
        return king_limit(topology.params["rows"], topology.params["cols"])
    finder = _finder(profile.graph_key)
    return None if finder is None else len(finder.largest_clique())


@lru_cache(maxsize=8)
def _finder(key: GraphKey) -> Any:
    """The clique finder of a graph; None for other families.

    minorminer's own finder keeps its layouts as pickles in a folder of the user. Here they are computed
    once a process (0.1 s for Zephyr 12, 2 s for Pegasus 16): nothing is unpickled, and the
    same call gives the same chains whatever lies in that folder (L97).
    """
    if key.topology.type not in ("chimera", "pegasus", "zephyr"):
        return None
    from minorminer import busclique

    class Finder(busclique.busgraph_cache):  # type: ignore[misc]
        def _fetch_cache(self, dirname: str, compute: Any, force_write: bool = False) -> Any:
            return compute()

    try:
        return Finder(build_graph(key), seed=0)
    except NotImplementedError:
        return None


class _Search:
    """One call of `find_embedding`."""

    def __init__(
        self,
        profile: HardwareProfile,
        count: int,
        rows: IntArray,
        columns: IntArray,
        time_limit: float,
        tries: int,
        seed: int,
    ) -> None:
        self.profile, self.count, self.rows, self.columns = profile, count, rows, columns
        self.time_limit, self.tries, self.seed = time_limit, tries, seed
        self.start = perf_counter()
        self.degrees = np.bincount(rows, minlength=count) + np.bincount(columns, minlength=count)
        self.coupled = np.flatnonzero(self.degrees)
        self.made = self.timeouts = 0

    @property
    def density(self) -> float:
        """Share of all pairs of coupled variables that are coupled."""
        n = self.coupled.size
        return 2.0 * self.rows.size / (n * (n - 1)) if n > 1 else 0.0

    def run(self, method: str) -> Embedding:
        nodes = node_count(self.profile)
        if self.count > nodes or self.least_qubits() > nodes:
            raise self.failure("the graph is too small")
        if not self.coupled.size:
            return self._finish([[] for _ in range(self.count)], "single")
        clique = None if method == "minorminer" else self._clique()
        chains, used = clique, "clique"
        if method == "minorminer" or (method == "auto" and self._worth_searching(clique)):
            general = self._general()
            # A search that was cut short depends on the machine's speed, so a layout is preferred to it.
            if general is not None and (clique is None or (not self.timeouts and _cost(general) < _cost(clique))):
                chains, used = general, "minorminer"
        if chains is None:
            raise self.failure("no embedding was found")
        return self._finish(chains, used)

    def least_qubits(self) -> int:
        """A lower bound: a chain of L qubits has at most ``L (D - 2) + 2`` couplers to others."""
        top = max_degree(self.profile)
        if top <= 2:
            return self.count
        needed = np.ceil((self.degrees - 2) / (top - 2))
        return int(np.maximum(1, np.where(self.degrees <= top, 1, needed)).sum())

    def _worth_searching(self, clique: Sequence[Sequence[int]] | None) -> bool:
        if clique is None:
            return True
        if max(len(chain) for chain in clique) <= 2:
            return False
        return self.rows.size <= CHEAP or (self.density < 0.5 and self.rows.size <= CHEAP_SPARSE)

    def _clique(self) -> list[list[int]] | None:
        """The layout's shortest chains; the longest of them go to the variables with the fewest couplings."""
        n = self.coupled.size
        layout = self._layout(n)
        if layout is None:
            return None
        shortest = sorted((sorted(chain) for chain in layout), key=lambda chain: (len(chain), chain))[:n]
        chains: list[list[int]] = [[] for _ in range(self.count)]
        order = sorted(self.coupled.tolist(), key=lambda v: (-self.degrees[v], v))
        for variable, chain in zip(order, shortest, strict=True):
            chains[variable] = chain
        return self._trimmed(chains)

    def _layout(self, n: int) -> list[list[int]] | None:
        topology = self.profile.data.topology
        if self.profile.graph_key.lattice and topology.type == "king":
            return king_clique(n, topology.params["rows"], topology.params["cols"])
        finder = _finder(self.profile.graph_key)
        found = {} if finder is None else finder.find_clique_embedding(n)
        if not found:
            return None
        longest = max(len(chain) for chain in found.values())
        return [list(chain) for chain in finder.largest_clique_by_chainlength(longest).values()]

    def _general(self) -> list[list[int]] | None:
        from minorminer import find_embedding as search

        edges = list(zip(self.rows.tolist(), self.columns.tolist(), strict=True))
        graph = hardware_graph(self.profile, side=max(24, 3 * self.coupled.size))
        target = sorted((min(a, b), max(a, b)) for a, b in graph.edges)
        best: list[list[int]] | None = None
        for number in range(self.tries):
            left = self.time_limit - (perf_counter() - self.start)
            if left <= 0 and number:
                break
            self.made += 1
            draw = stage_seed(self.seed, f"embed {number}")
            found = search(edges, target, random_seed=draw, timeout=max(left, 0.001), tries=1, threads=1)
            if perf_counter() - self.start >= self.time_limit:
                self.timeouts += 1
            if found:
                chains = self._trimmed([sorted(found.get(v, [])) for v in range(self.count)])
                best = chains if best is None or _cost(chains) < _cost(best) else best
                if max(len(chain) for chain in best) == 1:
                    break
        return best

    def _trimmed(self, chains: list[list[int]]) -> list[list[int]]:
        used = np.array(sorted(node for chain in chains for node in chain), dtype=np.int64)
        return trim_chains(chains, self.rows, self.columns, *couplers_among(self.profile, used))

    def _finish(self, chains: list[list[int]], method: str) -> Embedding:
        """Give variables without couplings a free qubit each (L38)."""
        taken = {node for chain in chains for node in chain}
        alone = [v for v in range(self.count) if not chains[v]]
        lattice = self.profile.graph_key.lattice
        pool = range(node_count(self.profile)) if lattice else sorted(hardware_graph(self.profile).nodes)
        free = (node for node in pool if node not in taken)
        for variable in alone:
            node = next(free, None)
            if node is None:
                raise self.failure("no qubit is left for a variable without couplings")
            chains[variable] = [node]
        return Embedding(tuple(tuple(chain) for chain in chains), method, self.made, self.timeouts)

    def failure(self, message: str) -> EmbeddingError:
        """The error, with what is needed to see how far the problem is from fitting."""
        largest = clique_limit(self.profile)
        known = "unknown" if largest is None else str(largest)
        used = perf_counter() - self.start
        hints = ["fewer variables or couplings (prune_below)", "a larger machine"]
        if self.made:
            hints.insert(0, "more tries or a longer time_limit")
        return EmbeddingError(
            f"{message}; {used:.1f} s and {self.made} searches used, {self.timeouts} cut short by the time limit",
            found=f"{self.count} variables, {self.rows.size} couplings, density {self.density:.2f} among the coupled "
            f"ones; at least {self.least_qubits()} qubits needed, {node_count(self.profile)} there",
            allowed=f"layouts of complete graphs end at {known} variables on this graph; try {', or '.join(hints)}",
            where=self.profile.name,
        )


def _cost(chains: Sequence[Sequence[int]]) -> tuple[float, int]:
    lengths = [len(chain) for chain in chains]
    return (max(lengths, default=math.inf), sum(lengths))
