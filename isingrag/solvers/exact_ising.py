"""All ground states of a quadratic form of up to about 30 variables, by enumeration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingrag.common.arrays import FloatArray
from isingrag.errors import TooLarge
from isingrag.model import Quadratic
from isingrag.states.maps import States

__all__ = ["MAX_SPINS", "GroundStates", "ground_states"]

#: Above this many variables enumeration is refused: 2**30 energies take a few seconds.
MAX_SPINS = 30


@dataclass(frozen=True)
class GroundStates:
    """Ground states of a form.

    Attributes
    ----------
    energy : float
    states : (kept, n) int8, in the form's vartype; the first `limit` in counting order (variable 0 counts fastest)
    ties : int
        Number of ground states, also beyond `limit`.
    """

    energy: float
    states: States
    ties: int


def ground_states(form: Quadratic, *, limit: int = 1024) -> GroundStates:
    """Enumerate 2**n states: half of the variables as one vector, the others one flip at a time.

    Raises
    ------
    TooLarge
        More than `MAX_SPINS` variables.
    """
    n = form.count
    if n > MAX_SPINS:
        raise TooLarge("too many variables to enumerate", found=n, allowed=f"<= {MAX_SPINS}", where="exact")
    binary = form.as_vartype("BINARY")
    weights = binary.dense
    low = min(n, 15)
    high = n - low
    vector = _all_energies(binary.linear[:low], weights[:low, :low])
    links = [_all_sums(weights[low + b, :low]) for b in range(high)]
    inner, outer = weights[low:, low:], binary.linear[low:]
    scale = float(np.abs(binary.linear).sum() + np.abs(binary.values).sum())
    tolerance = 1e-12 * max(scale, 1e-300)
    minima = np.empty(2**high)
    state = np.zeros(high)
    base = 0.0
    minima[0] = vector.min()
    for step in range(1, 2**high):
        b = (step & -step).bit_length() - 1  # Gray code: flip bit b
        sign = 1.0 - 2.0 * state[b]
        base += sign * (outer[b] + float(inner[b] @ state))
        state[b] += sign
        vector += sign * links[b] if sign < 0 else links[b]
        minima[step] = vector.min() + base
    best = float(minima.min())
    fresh = _all_energies(binary.linear[:low], weights[:low, :low])

    def block(pattern: int) -> tuple[FloatArray, FloatArray]:
        bits = np.array([(pattern >> b) & 1 for b in range(high)], dtype=np.float64)
        energies = fresh + sum((links[b] for b in range(high) if bits[b]), np.zeros(2**low))
        return bits, energies + float(outer @ bits + 0.5 * bits @ inner @ bits)

    # The running sums drift by rounding, so the patterns that are near are computed afresh: first
    # their least energy, then the states that have it.
    near = np.flatnonzero(minima <= best + 8 * tolerance)
    patterns = sorted((near ^ (near >> 1)).tolist())
    best = min(float(block(pattern)[1].min()) for pattern in patterns)
    kept: list[States] = []
    ties = 0
    for pattern in patterns:
        bits, energies = block(pattern)
        found = np.flatnonzero(energies <= best + 0.01 * tolerance)
        ties += found.size
        if len(kept) < limit:
            rows = ((found[: limit - len(kept), None] >> np.arange(low)) & 1).astype(np.int8)
            kept += [np.concatenate([row, bits.astype(np.int8)]) for row in rows]
    states = np.array(kept, dtype=np.int8).reshape(len(kept), n)
    if form.vartype == "SPIN":
        states = (2 * states - 1).astype(np.int8)
    return GroundStates(float(form.energies(states[:1])[0]), states, int(ties))


def _all_sums(weights: FloatArray) -> FloatArray:
    """``weights @ bits`` for all bit patterns, bit b of the index being variable b."""
    sums = np.zeros(1)
    for weight in weights:
        sums = np.concatenate([sums, sums + weight])
    return sums


def _all_energies(linear: FloatArray, pairs: FloatArray) -> FloatArray:
    """Energies of all bit patterns of a small BINARY form without offset."""
    energies = np.zeros(1)
    for b in range(len(linear)):
        energies = np.concatenate([energies, energies + linear[b] + _all_sums(pairs[b, :b])])
    return energies
