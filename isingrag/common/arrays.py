"""Checked, read-only arrays and digests of array-holding types."""

from __future__ import annotations

import hashlib
import math
import numbers
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isingrag.errors import InputError

__all__ = [
    "BoolArray",
    "FloatArray",
    "Frozen",
    "IntArray",
    "ItemId",
    "check_ids",
    "check_number",
    "check_whole",
    "finite_matrix",
    "finite_vector",
    "frozen",
    "natural_key",
    "position_vector",
    "symmetric_matrix",
]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
ItemId: TypeAlias = str | int


class Frozen:
    """Base of immutable types that hold arrays: read-only, compared by digest.

    A subclass sets its fields once through `_set` and implements `_parts`, the
    sequence of plain values and arrays that make up its identity.
    """

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; '{name}' can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; '{name}' can't be deleted")

    def __setstate__(self, state: dict[str, Any]) -> None:
        _lock(tuple(state.values()))
        self.__dict__.update(state)

    def _parts(self) -> Iterable[object]:
        raise TypeError(f"{type(self).__name__} defines no identity")  # a subclass must

    @property
    def digest(self) -> str:
        """SHA-256 over the type's identity, as 64 hex digits."""
        cached = self.__dict__.get("_digest")
        if cached is None:
            hasher = hashlib.sha256(type(self).__name__.encode())
            for part in self._parts():
                _feed(hasher, part)
            cached = hasher.hexdigest()
            self._set(_digest=cached)
        return str(cached)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Frozen):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)


def _lock(value: object) -> None:
    """Make arrays read-only, also inside tuples: pickle gives them back writable."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple):
        for element in value:
            _lock(element)


def _feed(hasher: Any, part: object) -> None:
    """Add one value to a digest, with its type and length so that none can run into the next."""
    if isinstance(part, np.ndarray):
        array = np.ascontiguousarray(part)
        if array.dtype.kind == "f":
            array = array + 0.0  # -0.0 and 0.0 are one value
        hasher.update(f"a{array.dtype.str}{array.shape}".encode())
        hasher.update(array.tobytes())
    elif isinstance(part, Frozen):
        hasher.update(f"d{part.digest}".encode())
    elif isinstance(part, (tuple, list)):
        hasher.update(f"t{len(part)}".encode())
        for element in part:
            _feed(hasher, element)
    else:
        text = repr(part)
        hasher.update(f"r{type(part).__name__}{len(text)}:{text}".encode())


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only array; copied unless it already owns its data and is read-only."""
    if array.flags.writeable or array.base is not None:
        array = array.copy()
        array.setflags(write=False)
    return array


def _as_float(name: str, value: ArrayLike) -> FloatArray:
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in "biufO":  # text that looks like numbers, complex numbers, dates
            raise TypeError(f"{raw.dtype} values")
        array = np.array(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{name} is not an array of numbers", found=error, allowed="real numbers", where=name
        ) from None
    return array


def _check_finite(name: str, array: FloatArray) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        shown = index[0] if len(index) == 1 else index
        raise InputError(
            f"{name} holds a value that is not finite",
            found=array[index],
            allowed="finite numbers (no NaN, no infinity)",
            where=f"{name}[{shown}]",
        )


def _check_lower(name: str, array: FloatArray, minimum: float | None) -> None:
    if minimum is not None and array.size and float(array.min()) < minimum:
        index = tuple(int(i) for i in np.argwhere(array < minimum)[0])
        shown = index[0] if len(index) == 1 else index
        raise InputError(
            f"{name} holds a value below {minimum:g}",
            found=array[index],
            allowed=f">= {minimum:g}",
            where=f"{name}[{shown}]",
        )


def finite_vector(name: str, value: ArrayLike, size: int, *, minimum: float | None = None) -> FloatArray:
    """Float64 vector of a given length without NaN or infinity, read-only.

    Raises
    ------
    InputError
        Names the field, the index and the rule.
    """
    array = _as_float(name, value)
    if array.shape != (size,):
        raise InputError(f"{name} has the wrong shape", found=array.shape, allowed=(size,), where=name)
    _check_finite(name, array)
    _check_lower(name, array, minimum)
    array.setflags(write=False)
    return array


def finite_matrix(
    name: str, value: ArrayLike, shape: tuple[int, int | None], *, minimum: float | None = None
) -> FloatArray:
    """Float64 matrix (rows, columns or any number of columns), read-only; see `finite_vector`."""
    array = _as_float(name, value)
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(shape[0], shape[1] or 0) if shape[0] == 0 or not shape[1] else array
    good = array.ndim == 2 and array.shape[0] == shape[0] and shape[1] in (None, array.shape[-1])
    if not good:
        wanted = (shape[0], "any" if shape[1] is None else shape[1])
        raise InputError(f"{name} has the wrong shape", found=array.shape, allowed=wanted, where=name)
    _check_finite(name, array)
    _check_lower(name, array, minimum)
    array.setflags(write=False)
    return array


def position_vector(name: str, value: ArrayLike) -> IntArray:
    """Whole-number positions, shape (p,), read-only; fractions and booleans are refused, not cut.

    Raises
    ------
    InputError
        Names the field, the index and the rule.
    """
    array = np.asarray(value)
    if array.size == 0:
        array = np.zeros(0, dtype=np.int64)
    if array.dtype.kind == "b" or array.dtype.kind not in "iuf":
        raise InputError(
            f"{name} holds no positions", found=f"{array.dtype} values", allowed="whole numbers", where=name
        )
    array = array.ravel()
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array) | (array != np.floor(array))
        if bad.any():
            p = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"{name} holds a position that is not whole",
                found=array[p],
                allowed="whole numbers",
                where=f"{name}[{p}]",
            )
    result: IntArray = array.astype(np.int64)
    result.setflags(write=False)
    return result


def symmetric_matrix(
    name: str,
    value: ArrayLike,
    size: int,
    *,
    zero_diagonal: bool = True,
    minimum: float | None = None,
) -> FloatArray:
    """Symmetric (size, size) matrix, read-only.

    Values may differ by a relative 1e-12 across the diagonal (matrix products round); the
    upper triangle is taken. A diagonal that is not zero is refused unless `zero_diagonal` is False.
    """
    array = finite_matrix(name, value, (size, size), minimum=minimum)
    scale = float(np.abs(array).max()) if array.size else 0.0
    difference = np.abs(array - array.T)
    if difference.size and float(difference.max()) > 1e-12 * max(scale, 1e-300):
        i, k = (int(v) for v in np.unravel_index(int(difference.argmax()), difference.shape))
        raise InputError(
            f"{name} is not symmetric",
            found=f"{array[i, k]!r} and {array[k, i]!r}",
            allowed="equal values on both sides of the diagonal",
            where=f"{name}[{i}, {k}]",
        )
    if zero_diagonal and array.size and np.any(np.diagonal(array) != 0):
        i = int(np.flatnonzero(np.diagonal(array) != 0)[0])
        raise InputError(
            f"{name} has a diagonal that is not zero",
            found=array[i, i],
            allowed="0 on the diagonal; single-item values belong in the linear terms",
            where=f"{name}[{i}, {i}]",
        )
    upper = np.triu(array, 0 if not zero_diagonal else 1)
    result = upper + np.triu(array, 1).T
    result.setflags(write=False)
    return result


def check_number(name: str, value: object, *, minimum: float | None = None, maximum: float | None = None) -> float:
    """A finite real number within bounds (bool is refused)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise InputError(f"{name} is not a number", found=repr(value), allowed="a real number", where=name)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    low = -math.inf if minimum is None else minimum
    high = math.inf if maximum is None else maximum
    if not math.isfinite(number) or not low <= number <= high:
        raise InputError(
            f"{name} is out of bounds", found=repr(value), allowed=f"finite, in [{low:g}, {high:g}]", where=name
        )
    return number


def check_whole(name: str, value: object, *, minimum: int | None = None, maximum: int | None = None) -> int:
    """A whole number within bounds; True, False and 2.5 are refused (L76)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise InputError(f"{name} is not a whole number", found=repr(value), allowed="an integer", where=name)
    number = int(value)
    if (minimum is not None and number < minimum) or (maximum is not None and number > maximum):
        high = "" if maximum is None else f" and <= {maximum}"
        raise InputError(f"{name} is out of bounds", found=number, allowed=f">= {minimum}{high}", where=name)
    return number


def check_ids(name: str, values: Sequence[ItemId] | Iterable[ItemId]) -> tuple[ItemId, ...]:
    """Unique ids, all text or all whole numbers, in the order given."""
    ids: list[ItemId] = []
    for position, value in enumerate(values):
        if isinstance(value, np.integer):
            value = int(value)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (str, int)):
            raise InputError(
                f"{name} holds an id of the wrong type",
                found=repr(value),
                allowed="text or whole numbers",
                where=f"{name}[{position}]",
            )
        ids.append(str(value) if isinstance(value, str) else value)
    if len({type(value) for value in ids}) > 1:
        raise InputError(f"{name} mixes text and numbers", found=ids[:4], allowed="one type of id", where=name)
    seen: dict[ItemId, int] = {}
    for position, value in enumerate(ids):
        if value in seen:
            raise InputError(
                f"{name} holds a duplicate id",
                found=repr(value),
                allowed="unique ids",
                where=f"{name}[{seen[value]}] and {name}[{position}]",
            )
        seen[value] = position
    return tuple(ids)


_DIGITS = re.compile(r"([0-9]+)")


def natural_key(value: ItemId) -> tuple[Any, ...]:
    """Sort key for ids: numbers by value, runs of digits in text as numbers (x2 before x10; L59)."""
    if isinstance(value, int):
        return (0, value)
    parts = _DIGITS.split(value)
    pieces: list[tuple[int, int, str]] = []
    for i, part in enumerate(parts):
        digits = part.lstrip("0")  # a number by its length, then its digits: int() refuses very long ones
        pieces.append((0, len(digits), digits) if i % 2 else (1, 0, part))
    return (1, tuple(pieces), value)
