"""Hypothesis strategies for problems and scores; needs the `test` extra.

Numbers are small multiples of 1/4, so that sums are exact and ties occur; where real numbers are
wanted, pass `numbers=`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from isingrag.problem import (
    CoverageTerm,
    DensePairs,
    EvidenceScores,
    GroupLimit,
    LowRankPairs,
    PairTerms,
    SelectionProblem,
    SparsePairs,
)

__all__ = ["evidence_scores", "quarter_numbers", "selection_problems"]


def quarter_numbers(low: float = -8.0, high: float = 8.0) -> st.SearchStrategy[float]:
    """Multiples of 1/4 in [low, high]."""
    return st.integers(int(np.ceil(low * 4)), int(np.floor(high * 4))).map(lambda value: value / 4)


@st.composite
def selection_problems(
    draw: st.DrawFn,
    max_items: int = 7,
    *,
    min_items: int = 0,
    numbers: st.SearchStrategy[float] | None = None,
    pairs: tuple[str, ...] = ("none", "dense", "sparse", "low_rank"),
    max_coverage: int = 4,
    limits: tuple[str, ...] = ("none", "at_most", "exact"),
    budgets: bool = True,
    groups: bool = True,
    pins: bool = True,
) -> SelectionProblem:
    """Selection problems with every feature that is switched on.

    Parameters
    ----------
    max_items, min_items : int
        Range of the number of items N.
    numbers : strategy, optional
        Linear, pair and vector entries; multiples of 1/4 in [-8, 8] by default.
    pairs : tuple of {'none', 'dense', 'sparse', 'low_rank'}
        Storages to choose from.
    max_coverage : int
        Largest number of coverage terms; some imply an earlier one.
    limits : tuple of {'none', 'at_most', 'exact'}
        Kinds of size limit to choose from.
    budgets, groups, pins : bool
        Whether token budgets, group limits, and pinned and forbidden items occur. A problem with
        exactly k items beside a budget or groups may have no feasible selection.
    """
    entry = quarter_numbers() if numbers is None else numbers
    n = draw(st.integers(min_items, max_items))
    ids = _ids(draw, n)
    size, exact = _size(draw, n, limits)
    extra: dict[str, Any] = {}
    if budgets and draw(st.booleans()):
        extra["tokens"] = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
        extra["budget"] = draw(st.integers(0, 25))
    if groups:
        extra["groups"] = [
            GroupLimit(f"g{row}", members, draw(st.integers(0, 3)))
            for row, members in enumerate(draw(st.lists(_subset(n), max_size=2)))
        ]
    problem = SelectionProblem(
        ids,
        draw(st.lists(entry, min_size=n, max_size=n)),
        _pairs(draw, n, draw(st.sampled_from(pairs)), entry),
        _coverage(draw, n, max_coverage),
        size=size,
        exact=exact,
        offset=draw(entry),
        **extra,
    )
    return _pinned(draw, problem) if pins and n else problem


def _ids(draw: st.DrawFn, n: int) -> list[Any]:
    order = draw(st.permutations(range(n)))
    return [f"x{i}" for i in order] if draw(st.booleans()) else list(order)


def _subset(n: int) -> st.SearchStrategy[list[int]]:
    if n == 0:
        return st.just([])
    return st.lists(st.integers(0, n - 1), unique=True, max_size=n).map(sorted)


def _size(draw: st.DrawFn, n: int, limits: tuple[str, ...]) -> tuple[int | None, bool]:
    kind = draw(st.sampled_from(limits))
    if kind == "none":
        return None, False
    return draw(st.integers(1, max(1, n))), kind == "exact"


def _pairs(draw: st.DrawFn, n: int, kind: str, entry: st.SearchStrategy[float]) -> PairTerms | None:
    if kind == "none":
        return None
    if kind == "low_rank":
        vectors = draw(st.lists(st.lists(entry, min_size=2, max_size=2), min_size=n, max_size=n))
        return LowRankPairs(np.array(vectors, dtype=np.float64).reshape(n, 2), draw(entry))
    rows, columns = np.triu_indices(n, 1)
    values = np.array(draw(st.lists(entry, min_size=rows.size, max_size=rows.size)), dtype=np.float64)
    if kind == "sparse":
        kept = np.array(draw(st.lists(st.booleans(), min_size=rows.size, max_size=rows.size)), dtype=bool)
        return SparsePairs(rows[kept], columns[kept], values[kept], n)
    matrix = np.zeros((n, n))
    matrix[rows, columns] = values
    return DensePairs(matrix + matrix.T)


def _coverage(draw: st.DrawFn, n: int, most: int) -> list[CoverageTerm]:
    terms: list[CoverageTerm] = []
    while len(terms) < most and draw(st.booleans()):
        items = draw(_subset(n))
        terms.append(CoverageTerm(f"partial{len(terms)}", items, draw(quarter_numbers(0.0, 8.0))))
        if len(terms) < most and draw(st.booleans()):
            inner = [i for i in items if draw(st.booleans())]
            reward = draw(quarter_numbers(0.0, 8.0))
            terms.append(CoverageTerm(f"direct{len(terms)}", inner, reward, implies=len(terms) - 1))
    return terms


def _pinned(draw: st.DrawFn, problem: SelectionProblem) -> SelectionProblem:
    """Pin and forbid some items, one at a time, as far as the limits allow it."""
    for id_ in problem.ids:
        choice = draw(st.integers(0, 9))
        if choice > 1:
            continue
        names = [problem.ids[i] for i in (problem.pinned, problem.forbidden)[choice]]
        field = ("pinned", "forbidden")[choice]
        try:
            problem = problem.replaced(**{field: [*names, id_]})
        except ValueError:
            continue  # this pin would leave no selection
    return problem


@st.composite
def evidence_scores(
    draw: st.DrawFn,
    max_items: int = 6,
    max_requirements: int = 4,
    *,
    min_items: int = 0,
    embeddings: bool = True,
) -> EvidenceScores:
    """Evidence scores; redundancy and complementarity are given, made from embeddings, or absent."""
    n = draw(st.integers(min_items, max_items))
    m = draw(st.integers(0, max_requirements))
    unit = st.floats(0.0, 1.0, width=32)
    support = draw(st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=m, max_size=m))
    source = draw(st.sampled_from(["given", "embeddings", "absent"] if embeddings else ["given"]))
    extra: dict[str, Any] = {}
    if source == "given":
        extra["redundancy"] = _square(draw, n, unit)
        extra["complementarity"] = _square(draw, n, unit)
    elif source == "embeddings":
        rows = draw(st.lists(st.lists(quarter_numbers(-1.0, 1.0), min_size=3, max_size=3), min_size=n, max_size=n))
        extra["embeddings"] = np.array(rows, dtype=np.float64).reshape(n, 3)
    return EvidenceScores(
        _ids(draw, n),
        draw(st.lists(unit, min_size=n, max_size=n)),
        np.array(support, dtype=np.int64).reshape(m, n),
        draw(st.lists(unit, min_size=m, max_size=m)),
        **extra,
    )


def _square(draw: st.DrawFn, n: int, entry: st.SearchStrategy[float]) -> np.ndarray[Any, Any]:
    rows, columns = np.triu_indices(n, 1)
    matrix = np.zeros((n, n))
    matrix[rows, columns] = draw(st.lists(entry, min_size=rows.size, max_size=rows.size))
    return matrix + matrix.T
