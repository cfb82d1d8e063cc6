"""Complete graphs on a king's lattice: lines that cross each other once.

n lines run down n columns and neighbours change places, in even and odd columns by turns, over the
two diagonals of a cell, which the king's graph has both. After n - 1 rows each line has been beside
every other one, so an L x L lattice holds a complete graph of L, as published constructions do. Written
for the lattices of annealing machines (Hitachi), where general search finds long chains or none.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from isingrag.common.arrays import IntArray

__all__ = ["king_clique", "king_limit"]


@lru_cache(maxsize=64)
def _crossing(count: int) -> IntArray:
    """Line at each (row, column), shape (rows, count), with the fewest rows that join every pair."""
    grid = [np.arange(count)]
    met = np.eye(count, dtype=bool)
    _meet(met, grid[0][:-1], grid[0][1:])
    while not met.all():
        line, start = grid[-1].copy(), (len(grid) - 1) % 2
        left = np.arange(start, count - 1, 2)
        line[left], line[left + 1] = grid[-1][left + 1], grid[-1][left]
        for above, below in ((grid[-1], line), (grid[-1][:-1], line[1:]), (grid[-1][1:], line[:-1])):
            _meet(met, above, below)
        _meet(met, line[:-1], line[1:])
        grid.append(line)
    return np.array(grid)


def _meet(met: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], a: IntArray, b: IntArray) -> None:
    met[a, b] = True
    met[b, a] = True


def king_limit(rows: int, columns: int) -> int:
    """Largest complete graph that this layout places on a lattice."""
    best = 1
    for across, down in ((columns, rows), (rows, columns)):
        fits = across if down >= across - 1 else max(down + 1, 4 if down >= 2 else 2)
        best = max(best, min(across, fits))
    return best


def king_clique(count: int, rows: int, columns: int) -> list[list[int]] | None:
    """Chains of a complete graph as labels ``row * columns + column``; None where it does not fit."""
    if count == 0:
        return []
    grid = _crossing(count)
    turned = grid.shape[0] > rows or count > columns
    if turned and (grid.shape[0] > columns or count > rows):
        return None
    chains: list[list[int]] = [[] for _ in range(count)]
    for step, line in enumerate(grid):
        for place, variable in enumerate(line):
            row, column = (place, step) if turned else (step, place)
            chains[variable].append(int(row * columns + column))
    return chains
