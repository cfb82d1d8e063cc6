"""Samples in any of the usual forms as one array of states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isingrag.errors import InputError
from isingrag.states.maps import States

__all__ = ["as_states"]


def as_states(samples: Any, names: Sequence[str], vartype: str) -> States:
    """States of shape (R, n) in the order of `names` and in the given vartype.

    Parameters
    ----------
    samples : dimod.SampleSet, array (R, n) or (n,), mapping, or sequence of mappings
        Arrays are in the order of `names`; the other forms are joined by name, never by position
        (L59). Spins and bits are both accepted and told apart by their values, -1 or 0; states
        of ones only are read in the vartype asked for. A sample set's own vartype is kept to.
    names : sequence of str
    vartype : {'BINARY', 'SPIN'}

    Raises
    ------
    InputError
        A missing or unknown variable, a wrong length, or a value that is neither spin nor bit.
    """
    source = vartype
    if hasattr(samples, "record") and hasattr(samples, "variables"):
        source = samples.vartype.name
        array = _reorder(np.asarray(samples.record.sample), [str(v) for v in samples.variables], names)
        repeats = np.asarray(samples.record.num_occurrences, dtype=np.int64)
        array = np.repeat(array, repeats, axis=0)
        found = source
    else:
        if isinstance(samples, Mapping):
            samples = [samples]
        if not isinstance(samples, np.ndarray) and len(samples) and isinstance(samples[0], Mapping):
            array = np.array([_from_mapping(row, names, r) for r, row in enumerate(samples)])
        else:
            array = np.asarray(samples)
            if array.ndim == 1:  # one state, or no states at all
                array = array[None, :] if array.size else array.reshape(0, len(names))
        found = _found_vartype(array, vartype)
    if array.ndim != 2 or array.shape[1] != len(names):
        raise InputError("samples have the wrong shape", found=array.shape, allowed=("R", len(names)), where="samples")
    allowed = (-1, 1) if found == "SPIN" else (0, 1)
    bad = ~np.isin(array, allowed)
    if bad.any():
        r, v = (int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            "a sample holds a value that is neither spin nor bit",
            found=array[r, v],
            allowed=f"{allowed[0]} or {allowed[1]}",
            where=f"read {r}, variable {names[v]!r}",
        )
    states: States = array.astype(np.int8)
    if found == vartype:
        return states
    converted = 2 * states - 1 if vartype == "SPIN" else (states + 1) // 2
    return converted.astype(np.int8)


def _found_vartype(array: np.ndarray[Any, Any], default: str) -> str:
    """Spins if a -1 is seen, bits if a 0 is seen; both at once are left to the value check."""
    if (array == -1).any() and not (array == 0).any():
        return "SPIN"
    if (array == 0).any() and not (array == -1).any():
        return "BINARY"
    return default


def _reorder(array: np.ndarray[Any, Any], labels: Sequence[str], names: Sequence[str]) -> np.ndarray[Any, Any]:
    position = {label: p for p, label in enumerate(labels)}
    _check_names(set(position), names, "samples")
    return array[:, [position[name] for name in names]]


def _from_mapping(row: Mapping[Any, Any], names: Sequence[str], read: int) -> list[Any]:
    values = {str(key): value for key, value in row.items()}
    _check_names(set(values), names, f"read {read}")
    return [values[name] for name in names]


def _check_names(found: set[str], names: Sequence[str], where: str) -> None:
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError("samples lack a variable", found=f"{len(missing)} missing: {missing[:3]}", where=where)
    extra = sorted(found - set(names))
    if extra:
        raise InputError("samples hold an unknown variable", found=extra[:3], allowed="the target's names", where=where)
