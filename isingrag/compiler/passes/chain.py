"""chain: couplings that hold the qubits of a chain together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.common.arrays import FloatArray, IntArray, check_number
from isingrag.common.options import choose
from isingrag.compiler.chain_strength import (
    RULES,
    chain_strengths,
    contracted,
    rounded_up,
    sufficient_strengths,
)
from isingrag.compiler.passes.scale import range_factor
from isingrag.errors import EmbeddingError, InputError
from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.profile import HardwareProfile
from isingrag.profile.topology import couplers_among
from isingrag.states import IdentityMap

__all__ = ["Chain"]


@dataclass(frozen=True)
class Chain:
    """Couple the qubits of each chain ferromagnetically, ``-strength`` on its internal couplers.

    Energies of states with whole chains are unchanged: the offset takes up what the chains add.
    All internal couplers are used by default, as they cost no qubit and make a chain stiffer; ``'tree'``
    takes a spanning tree (breadth first from the chain's first qubit) and spends less of
    the machine's coupling totals.

    Parameters
    ----------
    profile : HardwareProfile
    chains : tuple of tuple of int
        Positions of each chain's qubits, as in `EmbedMap.chains`.
    strength : {'torque', 'scaled', 'per_chain', 'bits'} or float
        A rule of `isingrag.compiler.chain_strength`, or one strength in the form's units, > 0.
    prefactor : float, optional
        Multiplies the rule: 1.414 by default for `torque` and `per_chain`, 1 for the others.
    couplers : {'all', 'tree'}
    objective : Quadratic, optional
        The logical objective without penalties: the report then says which share of the range it keeps.
    """

    profile: HardwareProfile
    chains: tuple[tuple[int, ...], ...]
    strength: str | float = "torque"
    prefactor: float | None = None
    couplers: str = "all"
    objective: Quadratic | None = None

    def __post_init__(self) -> None:
        choose("couplers", self.couplers, ("all", "tree"))
        if isinstance(self.strength, str):
            choose("chain strength", self.strength, RULES)
        elif check_number("chain_strength", self.strength, minimum=0.0) == 0.0:
            raise InputError("a chain strength must be above 0", found=0, allowed="> 0", where="chain_strength")
        if self.prefactor is not None and check_number("prefactor", self.prefactor, minimum=0.0) == 0.0:
            raise InputError("a prefactor must be above 0", found=0, allowed="> 0", where="prefactor")

    @property
    def spec(self) -> str:
        """The pass as text."""
        rule = self.strength if isinstance(self.strength, str) else f"{float(self.strength):g}"
        factor = "" if self.prefactor is None else f", prefactor={self.prefactor:g}"
        return f"chain({rule}{factor}, couplers={self.couplers})"

    def lower(self, thing: Quadratic, seed: int = 0) -> Lowering:
        """The form with chain couplings; exact on states with whole chains."""
        start = perf_counter()
        lengths = np.array([len(chain) for chain in self.chains], dtype=np.int64)
        facts: dict[str, object] = {
            "chains": int((lengths > 1).sum()),
            "longest": int(lengths.max(initial=0)),
            "mean length": float(lengths.mean()) if lengths.size else 0.0,
        }
        form = thing
        if (lengths > 1).any():
            owner, low, high = self._internal(thing)
            inner = (owner[low], low, high)
            free = -self.profile.coupling_grid.low / range_factor(thing, self.profile)
            strengths = chain_strengths(thing, self.chains, *inner, self.strength, self.prefactor, free)
            form = self._coupled(thing, owner, low, high, strengths)
            if self.strength == "bits":
                strengths = rounded_up(strengths, range_factor(form, self.profile), self.profile.coupling_grid.step)
                form = self._coupled(thing, owner, low, high, strengths)
            facts |= self._costs(thing, form, strengths[lengths > 1], low.size)
            enough = sufficient_strengths(thing, self.chains, *inner)
            facts["sure to hold"] = int(((strengths >= enough - 1e-12 * np.abs(enough)) & (lengths > 1)).sum())
        return Lowering(self.spec, IdentityMap(form.count), 0.0, facts, form, None, perf_counter() - start)

    def _internal(self, form: Quadratic) -> tuple[IntArray, IntArray, IntArray]:
        """Chain of each qubit (-1: none), and the ends of the couplers used inside chains, as positions."""
        labels = np.array([int(name) for name in form.names], dtype=np.int64)
        order = np.argsort(labels)
        ends = couplers_among(self.profile, labels)
        low, high = (order[np.searchsorted(labels[order], side)] for side in ends)
        owner = np.full(form.count, -1, dtype=np.int64)
        for variable, chain in enumerate(self.chains):
            owner[list(chain)] = variable
        same = (owner[low] == owner[high]) & (owner[low] >= 0)
        low, high = low[same], high[same]
        tree = _spanning(self.chains, low, high)
        return (owner, low[tree], high[tree]) if self.couplers == "tree" else (owner, low, high)

    def _coupled(
        self, form: Quadratic, owner: IntArray, low: IntArray, high: IntArray, strengths: FloatArray
    ) -> Quadratic:
        weights = strengths[owner[low]]
        added = Quadratic("SPIN", form.names, np.zeros(form.count), low, high, -weights, float(weights.sum()))
        return form.plus(added.as_vartype(form.vartype))

    def _costs(self, before: Quadratic, after: Quadratic, strengths: FloatArray, couplers: int) -> dict[str, object]:
        """What the chains take of the range, and what they leave to the objective (L42)."""
        alone, together = range_factor(before, self.profile), range_factor(after, self.profile)
        low, high = float(strengths.min()), float(strengths.max())
        facts: dict[str, object] = {
            "strength": high if low == high else [low, high],
            "couplers": couplers,
            "scale left": together / alone,
        }
        grid = self.profile.coupling_grid
        top = min(grid.high, -grid.low) if grid.bounded else high * together
        measured = contracted(before, self.chains) if self.objective is None else self.objective
        values = np.abs(measured.as_vartype(before.vartype).values)
        if not values.size or top <= 0:
            return facts
        facts["share of range left to the objective"] = float(values.max()) * together / top
        facts["share of its smallest coupling"] = float(values.min()) * together / top
        step = _resolution(self.profile)
        if step is not None and float(values.max()) * together < step:
            facts["notes"] = [
                f"the objective's largest coupling keeps {float(values.max()) * together:.2g} in device units, "
                f"less than a step of {step:.2g}: lower the penalties or the chain strength"
            ]
        return facts


def _resolution(profile: HardwareProfile) -> float | None:
    """A step of the coupling register, or of the machine's converters where the register is continuous."""
    if profile.coupling_grid.step is not None:
        return profile.coupling_grid.step
    steps = profile.data.noise.get("dac_step_J")
    try:
        return max(float(width) for _, width in steps) if steps else None
    except (TypeError, ValueError):
        return None


def _spanning(chains: Sequence[Sequence[int]], low: IntArray, high: IntArray) -> IntArray:
    """Indices of couplers that form a breadth-first spanning tree of every chain.

    Raises
    ------
    EmbeddingError
        A chain is not connected.
    """
    around: dict[int, list[tuple[int, int]]] = {}
    for index, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        around.setdefault(a, []).append((b, index))
        around.setdefault(b, []).append((a, index))
    used: list[int] = []
    for position, chain in enumerate(chains):
        seen, line = {chain[0]}, [chain[0]]
        for node in line:
            for other, index in sorted(around.get(node, ())):
                if other not in seen:
                    seen.add(other)
                    line.append(other)
                    used.append(index)
        if len(seen) != len(chain):
            raise EmbeddingError("a chain is not connected", found=list(chain)[:8], where=f"chains[{position}]")
    return np.array(sorted(used), dtype=np.int64)
