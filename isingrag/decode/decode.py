"""decode: device samples to selections, all reads at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isingrag.common.arrays import BoolArray, FloatArray
from isingrag.decode.repair import polish as polish_masks
from isingrag.decode.repair import repair_masks
from isingrag.instance import CompiledInstance
from isingrag.problem import Change, Selection, SelectionProblem

__all__ = ["Answers", "decode"]


@dataclass(frozen=True)
class Answers:
    """Decoded reads; ``answers[i]`` is a `Selection`.

    Attributes
    ----------
    problem : SelectionProblem
    mask : (reads, N) bool
        Selected items.
    decoded : (reads, N) bool
        The same before repair.
    value : (reads,) float64
        Objective, computed on the problem.
    feasible : (reads,) bool
        Judged on the problem, not on penalties (L55).
    model_value : (reads,) float64
        Minus the model's energy: differs from `value` where slack, coverage or a user's own
        variables are not what the items call for.
    broken : dict of str to (reads,) bool
        Which of the model's equalities each read breaks, slack included.
    repaired : bool
    """

    problem: SelectionProblem
    mask: BoolArray
    decoded: BoolArray
    value: FloatArray
    feasible: BoolArray
    model_value: FloatArray
    broken: dict[str, BoolArray]
    repaired: bool = False

    def __len__(self) -> int:
        return len(self.mask)

    def __getitem__(self, read: int) -> Selection:
        mask, before = self.mask[read], self.decoded[read]
        added = tuple(self.problem.ids[i] for i in np.flatnonzero(mask & ~before))
        removed = tuple(self.problem.ids[i] for i in np.flatnonzero(before & ~mask))
        origin = "repaired" if self.repaired else "decoded"
        return self.problem.selection(mask, origin=origin, change=Change(added, removed))

    def __iter__(self) -> Iterator[Selection]:
        return (self[read] for read in range(len(self)))

    @property
    def feasible_share(self) -> float:
        """Share of feasible reads, 0 without reads."""
        return float(self.feasible.mean()) if len(self) else 0.0

    @cached_property
    def best_read(self) -> int | None:
        """The feasible read of highest value, lowest ids among equals; without one, the first of least excess."""
        if not len(self):
            return None
        pool = np.flatnonzero(self.feasible)
        if not pool.size:
            excess = [sum(abs(v.found - v.allowed) for v in self.problem.violations(mask)) for mask in self.mask]
            return int(np.argmin(excess))
        first = int(pool[self.value[pool].argmax()])
        tied = pool[self.value[pool] >= self.value[first] - self.problem.tolerance(self.mask[first])]
        keys = [tuple(~self.mask[read][self.problem.order]) for read in tied]
        return int(tied[min(range(len(tied)), key=keys.__getitem__)])

    @property
    def best(self) -> Selection | None:
        """The selection of `best_read`; None without reads."""
        return None if self.best_read is None else self[self.best_read]


def decode(compiled: CompiledInstance, samples: Any, *, repair: bool = False, polish: bool = False) -> Answers:
    """Samples of a compiled instance as judged selections.

    Parameters
    ----------
    compiled : CompiledInstance
    samples : dimod.SampleSet, array (reads, spins), mapping or sequence of mappings
        Spins or bits; arrays in the target's order, the rest joined by name.
    repair : bool
        Drop, swap or add items until each read is feasible; `decoded` keeps what it was.
    polish : bool
        After repair, single adds, drops and swaps while they improve the value.

    Returns
    -------
    Answers
    """
    states = compiled.restore(samples)
    masks = compiled.item_masks(states)
    decoded = masks
    if repair or polish:
        masks = repair_masks(compiled.problem, masks)
    if polish:
        masks = polish_masks(compiled.problem, masks)
    model = compiled.model
    return Answers(
        problem=compiled.problem,
        mask=masks,
        decoded=decoded,
        value=compiled.problem.values(masks),
        feasible=compiled.problem.feasible(masks),
        model_value=-model.energies(states),
        broken={c.label: c.broken(states) for c in model.constraints},
        repaired=repair or polish,
    )
