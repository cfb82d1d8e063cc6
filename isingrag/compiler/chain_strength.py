"""Rules for the strength of chains, all of them on the spin form that is sent (L40).

- `torque`: uniform torque compensation, ``prefactor * rms(J) * sqrt(mean degree)`` over the
  logical couplings that are not zero; 1.414 by default.
- `scaled`: ``prefactor * largest |coefficient|`` of the logical form.
- `per_chain`: torque compensation of each variable on its own couplings.
- `bits`: for each chain the strength that surely suffices (`sufficient_strengths`, times the prefactor),
  but no more than what costs no resolution (the range that the form leaves free at its own
  scale) or, if that is larger, torque compensation; then rounded up to the register's step. So chains never
  push the objective further down than `torque` does, and hold for sure where that is affordable.

Where no coupling is left the largest |bias| takes its place, and 1 where all are zero: never 0 while a
chain has two qubits (L41).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isingrag.common.arrays import FloatArray, IntArray
from isingrag.model import Quadratic

__all__ = ["RULES", "chain_strengths", "contracted", "rounded_up", "sufficient_strengths", "torque_compensation"]

RULES = ("torque", "scaled", "per_chain", "bits")

#: Default prefactor of torque compensation.
TORQUE = 1.414


def contracted(form: Quadratic, chains: Sequence[Sequence[int]]) -> Quadratic:
    """The logical form: biases and couplings of each chain's qubits summed."""
    owner = np.full(form.count, -1, dtype=np.int64)
    for variable, chain in enumerate(chains):
        owner[list(chain)] = variable
    linear = np.bincount(owner[owner >= 0], form.linear[owner >= 0], len(chains))
    first, second = owner[form.rows], owner[form.columns]
    outer = (first != second) & (first >= 0) & (second >= 0)
    names = [str(variable) for variable in range(len(chains))]
    return Quadratic(form.vartype, names, linear, first[outer], second[outer], form.values[outer], form.offset)


def torque_compensation(form: Quadratic, prefactor: float = TORQUE) -> float:
    """Uniform torque compensation of a logical form; for bits it is computed on the spin form."""
    spins = form.as_vartype("SPIN")
    if not spins.values.size:
        return spins.max_linear or 1.0
    rms = float(np.sqrt(np.mean(spins.values**2)))
    degrees = np.bincount(np.concatenate([spins.rows, spins.columns]), minlength=spins.count)
    return prefactor * rms * float(np.sqrt(degrees.mean()))


def chain_strengths(
    form: Quadratic,
    chains: Sequence[Sequence[int]],
    owner: IntArray,
    low: IntArray,
    high: IntArray,
    rule: str | float,
    prefactor: float | None = None,
    free: float = np.inf,
) -> FloatArray:
    """Strength of each chain, shape (chains,), > 0.

    Parameters
    ----------
    form : Quadratic
        Over qubits, without chain couplings.
    chains : sequence of sequences of positions
    owner, low, high : (c,) int64
        Chain and ends of each internal coupler.
    rule : str or float
    prefactor : float, optional
    free : float
        For `bits`: the strength that the range holds at the form's own scale.
    """
    count = len(chains)
    if not isinstance(rule, str):
        return np.full(count, float(rule))
    spins = form.as_vartype("SPIN")
    logical = contracted(spins, chains)
    torque = torque_compensation(logical, TORQUE if prefactor is None or rule == "bits" else prefactor)
    if rule == "torque":
        return np.full(count, torque)
    if rule == "scaled":
        largest = max(logical.max_linear, logical.max_quadratic) or 1.0
        return np.full(count, (1.0 if prefactor is None else prefactor) * largest)
    fallback = logical.max_linear or 1.0
    if rule == "per_chain":
        ends = np.concatenate([logical.rows, logical.columns])
        squares = np.bincount(ends, np.tile(logical.values**2, 2), count)
        strengths = (TORQUE if prefactor is None else prefactor) * np.sqrt(squares)  # rms * sqrt(degree)
    else:
        enough = sufficient_strengths(spins, chains, owner, low, high)
        strengths = np.minimum((1.0 if prefactor is None else prefactor) * enough, max(torque, free))
    return np.asarray(np.where(strengths > 0, strengths, fallback))


def sufficient_strengths(
    form: Quadratic, chains: Sequence[Sequence[int]], owner: IntArray, low: IntArray, high: IntArray
) -> FloatArray:
    """Strength of each chain at which some ground state has no broken chain (above it, all have none).

    Cutting a coupler of a tree-shaped chain leaves two sides; the biases and outer couplings of a side
    sum to its torque T in magnitude. If the coupler is broken, turning the weaker side over gains
    ``2 strength`` and costs at most 2 T, so the largest over the couplers of ``min(T, T')`` is
    enough. A chain with loops needs at most half of its whole torque. 0 for single qubits.
    """
    form = form.as_vartype("SPIN")
    torque = np.abs(form.linear)
    torque = torque + np.bincount(form.rows, np.abs(form.values), form.count)
    torque = torque + np.bincount(form.columns, np.abs(form.values), form.count)
    strengths = np.zeros(len(chains))
    for variable, chain in enumerate(chains):
        if len(chain) < 2:
            continue
        inside = owner == variable
        ends = list(zip(low[inside].tolist(), high[inside].tolist(), strict=True))
        total = float(torque[list(chain)].sum())
        if len(ends) != len(chain) - 1:
            strengths[variable] = total / 2
            continue
        strengths[variable] = _weaker_side(chain, ends, torque, total)
    return strengths


def _weaker_side(chain: Sequence[int], ends: Sequence[tuple[int, int]], torque: FloatArray, total: float) -> float:
    """Largest over the couplers of a tree of the smaller torque of its two sides."""
    around: dict[int, list[int]] = {node: [] for node in chain}
    for a, b in ends:
        around[a].append(b)
        around[b].append(a)
    order, parent = [chain[0]], {chain[0]: -1}
    for node in order:
        for other in around[node]:
            if other != parent[node]:
                parent[other] = node
                order.append(other)
    below = {node: float(torque[node]) for node in order}
    best = 0.0
    for node in reversed(order[1:]):
        best = max(best, min(below[node], total - below[node]))
        below[parent[node]] += below[node]
    return best


def rounded_up(strengths: FloatArray, factor: float, step: float | None) -> FloatArray:
    """Strengths that are whole steps of the register at the given scale, never less than before."""
    if step is None:
        return strengths
    return np.asarray(np.ceil(strengths * factor / step - 1e-9) * step / factor)
