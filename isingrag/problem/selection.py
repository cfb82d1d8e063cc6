"""A selection: the chosen ids, their value, what they violate, and what repair did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isingrag.common.arrays import ItemId

__all__ = ["Change", "Selection", "Violation"]


@dataclass(frozen=True)
class Violation:
    """One broken constraint.

    Attributes
    ----------
    kind : str
        ``size``, ``budget``, ``group``, ``pinned`` or ``forbidden``.
    label : str
        The constraint's label, for example ``group[Berlin]``.
    found, allowed : float
        The count or sum found, and the bound that it breaks.
    """

    kind: str
    label: str
    found: float
    allowed: float

    def __str__(self) -> str:
        return f"{self.label}: {self.found:g} found, {self.allowed:g} allowed"


@dataclass(frozen=True)
class Change:
    """What repair added to and took from a decoded answer."""

    added: tuple[ItemId, ...] = ()
    removed: tuple[ItemId, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


@dataclass(frozen=True)
class Selection:
    """A judged answer to a selection problem.

    Attributes
    ----------
    ids : tuple
        Chosen ids in the problem's order.
    value : float
        The problem's objective at this selection, higher is better.
    violations : tuple of Violation
        Empty when feasible.
    origin : str
        ``decoded``, ``repaired``, ``exact`` or a selector's name.
    change : Change
        What repair did (nothing for other origins).
    proven : bool
        True when the value is proven optimal.
    notes : tuple of str
        Remarks for people, for example that the size was reduced.
    """

    ids: tuple[ItemId, ...]
    value: float
    violations: tuple[Violation, ...] = ()
    origin: str = "decoded"
    change: Change = Change()
    proven: bool = False
    notes: tuple[str, ...] = ()

    @property
    def feasible(self) -> bool:
        """True when no constraint is violated."""
        return not self.violations

    def __len__(self) -> int:
        return len(self.ids)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "ids": list(self.ids),
            "value": self.value,
            "feasible": self.feasible,
            "violations": [vars(violation) for violation in self.violations],
            "origin": self.origin,
            "added": list(self.change.added),
            "removed": list(self.change.removed),
            "proven": self.proven,
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Selection:
        """Read what `to_dict` wrote."""
        return cls(
            ids=tuple(data["ids"]),
            value=float(data["value"]),
            violations=tuple(Violation(**violation) for violation in data["violations"]),
            origin=str(data["origin"]),
            change=Change(tuple(data["added"]), tuple(data["removed"])),
            proven=bool(data["proven"]),
            notes=tuple(data["notes"]),
        )
