"""Coverage terms and group limits of a selection problem."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import Frozen, IntArray, check_number, check_whole, position_vector

__all__ = ["CoverageTerm", "GroupLimit"]


class CoverageTerm(Frozen):
    """A reward earned once when at least one item of a group is selected.

    Parameters
    ----------
    label : str
        Unique within the problem.
    items : array_like of int
        Item positions; may be empty (then the reward can't be earned).
    reward : float
        >= 0.
    implies : int, optional
        Position of an earlier coverage term that holds whenever this one does (its group contains
        this one's); the published QUBO adds a hierarchy constraint for it.
    """

    def __init__(self, label: str, items: ArrayLike, reward: float, implies: int | None = None) -> None:
        positions = np.unique(position_vector(f"coverage[{label}].items", items))
        positions.setflags(write=False)
        self._set(
            label=str(label),
            items=positions,
            reward=check_number(f"coverage[{label}].reward", reward, minimum=0.0),
            implies=None if implies is None else check_whole(f"coverage[{label}].implies", implies, minimum=0),
        )

    label: str
    items: IntArray
    reward: float
    implies: int | None

    def _parts(self) -> Iterable[object]:
        return (self.label, self.items, self.reward, self.implies)


class GroupLimit(Frozen):
    """At most `at_most` items of a group, for example of one document.

    Parameters
    ----------
    label : str
        Unique within the problem.
    items : array_like of int
        Item positions.
    at_most : int
        >= 0.
    """

    def __init__(self, label: str, items: ArrayLike, at_most: int) -> None:
        positions = np.unique(position_vector(f"group[{label}].items", items))
        positions.setflags(write=False)
        self._set(label=str(label), items=positions, at_most=check_whole(f"group[{label}].at_most", at_most, minimum=0))

    label: str
    items: IntArray
    at_most: int

    def _parts(self) -> Iterable[object]:
        return (self.label, self.items, self.at_most)
