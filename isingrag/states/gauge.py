"""GaugeMap: spins flipped by a fixed sign, its own way back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isingrag.errors import InputError
from isingrag.states.maps import StateMap, States, _states, register_map

__all__ = ["GaugeMap"]


@register_map
class GaugeMap(StateMap):
    """Multiply each spin by +1 or -1 (for bits: keep or negate it); exact both ways.

    Parameters
    ----------
    signs : array_like of {-1, 1}, shape (n,)
    vartype : {'SPIN', 'BINARY'}
    """

    kind = "gauge"

    def __init__(self, signs: ArrayLike, vartype: str = "SPIN") -> None:
        array = np.array(signs, dtype=np.int8).ravel()
        if not np.isin(array, (-1, 1)).all():
            raise InputError("a gauge holds a value that is no sign", allowed="-1 or 1", where="gauge")
        array.setflags(write=False)
        self._set(signs=array, vartype=vartype)

    signs: NDArray[np.int8]
    vartype: str

    def fields(self) -> dict[str, Any]:
        return {"signs": self.signs, "vartype": self.vartype}

    def extend(self, states: ArrayLike) -> States:
        array = _states(states, self.signs.size, "gauge")
        flipped = array * self.signs if self.vartype == "SPIN" else np.where(self.signs < 0, 1 - array, array)
        return flipped.astype(np.int8)

    def restore(self, states: ArrayLike) -> States:
        return self.extend(states)
