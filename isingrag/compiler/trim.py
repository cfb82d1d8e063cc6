"""Take away the qubits of chains that no coupling needs."""

from __future__ import annotations

from collections import Counter, defaultdict

from isingrag.common.arrays import IntArray

__all__ = ["trim_chains"]


def trim_chains(
    chains: list[list[int]], rows: IntArray, columns: IntArray, low: IntArray, high: IntArray
) -> list[list[int]]:
    """The same chains without ends that can go: every coupled pair keeps a coupler.

    Parameters
    ----------
    chains : list of lists of node labels
    rows, columns : (p,) int64
        Coupled variables.
    low, high : (c,) int64
        Couplers among the qubits of all chains.
    """
    owner = {node: variable for variable, chain in enumerate(chains) for node in chain}
    coupled = {(min(a, b), max(a, b)) for a, b in zip(rows.tolist(), columns.tolist(), strict=True)}
    inside: dict[int, set[int]] = defaultdict(set)
    across: dict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
    total: Counter[tuple[int, int]] = Counter()
    outer: dict[int, list[tuple[int, tuple[int, int]]]] = defaultdict(list)
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        first, second = owner[a], owner[b]
        pair = (min(first, second), max(first, second))
        if first == second:
            inside[a].add(b)
            inside[b].add(a)
        elif pair in coupled:
            total[pair] += 1
            for node, other in ((a, b), (b, a)):
                across[node][pair] += 1
                outer[node].append((other, pair))
    kept = [set(chain) for chain in chains]
    for variable in sorted(range(len(chains)), key=lambda v: (-len(chains[v]), v)):
        ends = sorted(node for node in kept[variable] if len(inside[node]) == 1)
        while ends and len(kept[variable]) > 1:
            node = ends.pop()
            if any(total[pair] <= number for pair, number in across[node].items()):
                continue
            (neighbour,) = inside.pop(node)
            inside[neighbour].discard(node)
            kept[variable].discard(node)
            for other, pair in outer.pop(node, []):
                total[pair] -= 1
                across[other][pair] -= 1
                outer[other].remove((node, pair))
            del across[node]
            if len(inside[neighbour]) == 1:
                ends.append(neighbour)
    return [sorted(chain) for chain in kept]
