"""Profiles with sparse graphs and small problems, for the tests of the graph passes."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from isingrag.model import Quadratic
from isingrag.problem import DensePairs, SelectionProblem
from isingrag.profile import HardwareProfile

ANNEALER = {"range": [-1, 1], "extended_range": [-2, 1], "dtype": "float64"}
SIXTEEN = {"bits": 16, "signed": True, "integer": True}


def machine(kind: str, params: dict | None = None, **fields) -> HardwareProfile:
    topology = {"type": kind, "params": params or {}, **fields.pop("topology", {})}
    data = {"name": f"test-{kind.replace('_', '-')}", "vartype": "SPIN", "topology": topology, **fields}
    return HardwareProfile.from_dict(data, "test")


def annealer(kind: str, size: int, **totals) -> HardwareProfile:
    bias = {"range": [-4, 4], "dtype": "float64"}
    return machine(kind, {"m": size}, bias=bias, coupling={**ANNEALER, **totals})


def spin_form(n: int, couplings: dict[tuple[int, int], float], linear=None, names=None) -> Quadratic:
    rows, columns = [a for a, _ in couplings], [b for _, b in couplings]
    names = [f"v{i}" for i in range(n)] if names is None else names
    return Quadratic("SPIN", names, np.zeros(n) if linear is None else linear, rows, columns, list(couplings.values()))


def complete(n: int, value: float = 1.0) -> Quadratic:
    rows, columns = np.triu_indices(n, 1)
    return Quadratic("SPIN", [f"v{i}" for i in range(n)], np.zeros(n), rows, columns, np.full(rows.size, value))


def own_problem(n: int = 20, size: int = 4, seed: int = 1) -> SelectionProblem:
    rng = np.random.default_rng(seed)
    pairs = rng.uniform(-1, 0.2, size=(n, n))
    pairs = np.triu(pairs, 1) + np.triu(pairs, 1).T
    return SelectionProblem(ids=list(range(n)), linear=rng.uniform(1, 3, n), pairs=DensePairs(pairs), size=size)


@st.composite
def forms(draw, most: int = 6):
    n = draw(st.integers(1, most))
    numbers = st.floats(-8, 8, allow_nan=False).map(lambda v: round(v, 3))
    rows, columns = np.triu_indices(n, 1)
    keep = draw(st.lists(st.booleans(), min_size=rows.size, max_size=rows.size))
    chosen = np.flatnonzero(np.array(keep, dtype=bool))
    values = draw(st.lists(numbers, min_size=chosen.size, max_size=chosen.size))
    linear = draw(st.lists(numbers, min_size=n, max_size=n))
    vartype = draw(st.sampled_from(["SPIN", "BINARY"]))
    names = [f"v{i}" for i in range(n)]
    return Quadratic(vartype, names, linear, rows[chosen], columns[chosen], values, draw(numbers))


def all_states(n: int, vartype: str) -> np.ndarray:
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return (bits if vartype == "BINARY" else 2 * bits - 1).astype(np.int8)
