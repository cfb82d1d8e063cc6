"""StateMap: data of one step back. ``restore(extend(x)) == x`` for the states a pass keeps.

`extend` takes states of the thing before a pass to states of the thing after it, `restore` the
other way; both take and give arrays of shape (R, n). Maps know no energies.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isingrag.common.arrays import FloatArray, Frozen, IntArray
from isingrag.errors import FileFormatError, InputError

__all__ = [
    "IdentityMap",
    "ReduceMap",
    "Slack",
    "SlackMap",
    "StateMap",
    "States",
    "VartypeMap",
    "map_from_dict",
    "register_map",
]

States = NDArray[np.int8]


class StateMap(Frozen):
    """One step of a trace, forth and back."""

    kind: ClassVar[str]

    @abstractmethod
    def extend(self, states: ArrayLike) -> States:
        """States before the pass -> states after it."""

    @abstractmethod
    def restore(self, states: ArrayLike) -> States:
        """States after the pass -> states before it."""

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Plain values for JSON; the constructor takes them back."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with the kind."""
        return {"kind": self.kind, **self.fields()}

    def _parts(self) -> Iterable[object]:
        return tuple(self.fields().values())


def _states(states: ArrayLike, count: int, what: str) -> States:
    array = np.asarray(states)
    if array.ndim != 2 or array.shape[1] != count:
        raise InputError("states have the wrong shape", found=array.shape, allowed=("R", count), where=what)
    return array.astype(np.int8)


def _readonly(array: NDArray[Any]) -> NDArray[Any]:
    flat = array.ravel()
    flat.setflags(write=False)
    return flat


class IdentityMap(StateMap):
    """States stay as they are (scale, quantize, penalties)."""

    kind = "identity"

    def __init__(self, count: int) -> None:
        self._set(count=int(count))

    count: int

    def fields(self) -> dict[str, Any]:
        return {"count": self.count}

    def extend(self, states: ArrayLike) -> States:
        return _states(states, self.count, "identity")

    def restore(self, states: ArrayLike) -> States:
        return _states(states, self.count, "identity")


class VartypeMap(StateMap):
    """Bits to spins or spins to bits: s = 2x - 1."""

    kind = "vartype"

    def __init__(self, count: int, before: str, after: str) -> None:
        self._set(count=int(count), before=before, after=after)

    count: int
    before: str
    after: str

    def fields(self) -> dict[str, Any]:
        return {"count": self.count, "before": self.before, "after": self.after}

    def _convert(self, states: ArrayLike, source: str, target: str) -> States:
        array = _states(states, self.count, "vartype")
        if source == target:
            return array
        converted = 2 * array - 1 if target == "SPIN" else (array + 1) // 2
        return converted.astype(np.int8)

    def extend(self, states: ArrayLike) -> States:
        return self._convert(states, self.before, self.after)

    def restore(self, states: ArrayLike) -> States:
        return self._convert(states, self.after, self.before)


class ReduceMap(StateMap):
    """Items fixed in or out: masks of the full problem to masks of the smaller one, and back."""

    kind = "reduce"

    def __init__(self, kept: ArrayLike, included: ArrayLike, count: int) -> None:
        kept_ = np.array(kept, dtype=np.int64).ravel()
        included_ = np.array(included, dtype=np.int64).ravel()
        kept_.setflags(write=False)
        included_.setflags(write=False)
        self._set(kept=kept_, included=included_, count=int(count))

    kept: IntArray
    included: IntArray
    count: int

    def fields(self) -> dict[str, Any]:
        return {"kept": self.kept, "included": self.included, "count": self.count}

    def extend(self, states: ArrayLike) -> States:
        return np.ascontiguousarray(_states(states, self.count, "reduce")[:, self.kept])

    def restore(self, states: ArrayLike) -> States:
        array = _states(states, self.kept.size, "reduce")
        full = np.zeros((len(array), self.count), dtype=np.int8)
        full[:, self.included] = 1
        full[:, self.kept] = array
        return full


class Slack(Frozen):
    """One group of slack bits: their variables, their weights and the equality that they close.

    The bits stand for ``sum_b weights_b z_b``, which should be minus ``coefficients.z[positions] +
    constant`` over the other variables of the equality.
    """

    def __init__(
        self, bits: ArrayLike, weights: ArrayLike, positions: ArrayLike, coefficients: ArrayLike, constant: float
    ) -> None:
        self._set(
            bits=_readonly(np.array(bits, dtype=np.int64)),
            weights=_readonly(np.array(weights, dtype=np.float64)),
            positions=_readonly(np.array(positions, dtype=np.int64)),
            coefficients=_readonly(np.array(coefficients, dtype=np.float64)),
            constant=float(constant),
        )

    bits: IntArray
    weights: FloatArray
    positions: IntArray
    coefficients: FloatArray
    constant: float

    def _parts(self) -> Iterable[object]:
        return tuple(self.fields().values())

    def fields(self) -> dict[str, Any]:
        """Plain values for JSON; the constructor takes them back."""
        return {
            "bits": self.bits,
            "weights": self.weights,
            "positions": self.positions,
            "coefficients": self.coefficients,
            "constant": self.constant,
        }

    def fill(self, states: States) -> None:
        """Set the bits of each state to the slack that closes the equality best.

        The weights are a complete sequence (each at most 1 + the sum of the smaller ones), so
        taking the largest that still fits reaches every whole number in range.
        """
        rest = -(states[:, self.positions].astype(np.float64) @ self.coefficients + self.constant)
        for b in np.argsort(-self.weights, kind="stable"):
            take = rest >= self.weights[b] - 1e-9
            states[:, self.bits[b]] = take
            rest = rest - take * self.weights[b]


def _threshold(variable: int, members: ArrayLike, least: int = 1) -> tuple[int, IntArray, int]:
    return int(variable), _readonly(np.array(members, dtype=np.int64)), int(least)


class SlackMap(StateMap):
    """Item masks to model states with the best coverage and slack bits, and back.

    Parameters
    ----------
    items : array_like of int, shape (n,)
        Item position of each item variable, -1 for the others.
    item_count : int
    coverage : sequence of (variable, item positions) or (variable, item positions, at least)
        The variable is 1 iff so many of its items are selected, one by default.
    slacks : sequence of Slack or of their fields
    """

    kind = "slack"

    def __init__(
        self,
        items: ArrayLike,
        item_count: int,
        coverage: Sequence[Sequence[Any]],
        slacks: Sequence[Slack | Mapping[str, Any]],
    ) -> None:
        positions = np.array(items, dtype=np.int64).ravel()
        positions.setflags(write=False)
        self._set(
            items=positions,
            item_count=int(item_count),
            coverage=tuple(_threshold(*entry) for entry in coverage),
            slacks=tuple(s if isinstance(s, Slack) else Slack(**s) for s in slacks),
        )

    items: IntArray
    item_count: int
    coverage: tuple[tuple[int, IntArray, int], ...]
    slacks: tuple[Slack, ...]

    def fields(self) -> dict[str, Any]:
        return {
            "items": self.items,
            "item_count": self.item_count,
            "coverage": [list(entry) for entry in self.coverage],
            "slacks": [slack.fields() for slack in self.slacks],
        }

    def _parts(self) -> Iterable[object]:
        slacks = tuple(tuple(slack.fields().values()) for slack in self.slacks)
        return (self.items, self.item_count, self.coverage, slacks)

    def extend(self, states: ArrayLike) -> States:
        masks = _states(states, self.item_count, "slack")
        full = np.zeros((len(masks), self.items.size), dtype=np.int8)
        chosen = np.flatnonzero(self.items >= 0)
        full[:, chosen] = masks[:, self.items[chosen]]
        for variable, members, least in self.coverage:
            full[:, variable] = masks[:, members].sum(axis=1) >= least
        for slack in self.slacks:
            slack.fill(full)
        return full

    def restore(self, states: ArrayLike) -> States:
        full = _states(states, self.items.size, "slack")
        masks = np.zeros((len(full), self.item_count), dtype=np.int8)
        chosen = np.flatnonzero(self.items >= 0)
        masks[:, self.items[chosen]] = full[:, chosen]
        return masks


_KINDS: dict[str, type[StateMap]] = {cls.kind: cls for cls in (IdentityMap, VartypeMap, ReduceMap, SlackMap)}


def register_map(cls: type[StateMap]) -> type[StateMap]:
    """Make a kind of map from another file readable; a decorator."""
    _KINDS[cls.kind] = cls
    return cls


def map_from_dict(data: Mapping[str, Any]) -> StateMap:
    """Read what `StateMap.to_dict` wrote."""
    kind = data.get("kind")
    cls = _KINDS.get(str(kind))
    if cls is None:
        raise FileFormatError("unknown state map", found=repr(kind), allowed=", ".join(_KINDS), where="trace")
    return cls(**{key: value for key, value in data.items() if key != "kind"})
