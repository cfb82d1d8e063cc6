"""Named errors. Each says what was found, what is allowed and where.

Every error that isingrag raises on purpose derives from `IsingragError`, so a
caller can catch the whole family; input errors are `ValueError` as well, and a
missing optional package is an `ImportError`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "BackendError",
    "CompileError",
    "ConformanceError",
    "DigestMismatch",
    "EmbeddingError",
    "FileFormatError",
    "InputError",
    "IsingragError",
    "MissingExtra",
    "ProfileError",
    "RangeError",
    "TooLarge",
    "UnknownName",
    "UnknownOption",
    "nearest",
]


class IsingragError(Exception):
    """Base class of all errors raised on purpose.

    Parameters
    ----------
    message : str
        What is wrong, in one sentence.
    found, allowed, where : str, optional
        The offending value, the rule, and the field, index, file or line.
    """

    def __init__(
        self,
        message: str,
        *,
        found: object = None,
        allowed: object = None,
        where: object = None,
    ) -> None:
        self.message = message
        self.found = None if found is None else str(found)
        self.allowed = None if allowed is None else str(allowed)
        self.where = None if where is None else str(where)
        parts = [message]
        if self.found is not None:
            parts.append(f"found: {self.found}")
        if self.allowed is not None:
            parts.append(f"allowed: {self.allowed}")
        if self.where is not None:
            parts.append(f"where: {self.where}")
        super().__init__("; ".join(parts))

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.found, self.allowed, self.where))


def _rebuild(
    cls: type[IsingragError],
    message: str,
    found: str | None,
    allowed: str | None,
    where: str | None,
) -> IsingragError:
    return cls(message, found=found, allowed=allowed, where=where)


class InputError(IsingragError, ValueError):
    """An argument breaks a rule of its field."""


class UnknownName(InputError):
    """A name (profile, backend, rule) is not known; the nearest ones are listed."""


class UnknownOption(InputError, TypeError):
    """An option is not known to the function that got it (L65, L47)."""


class FileFormatError(InputError):
    """A file is malformed, truncated, oversized or unsafe; nothing was read from it."""


class DigestMismatch(InputError):
    """A sample file belongs to another instance, or an instance was altered."""


class ProfileError(InputError):
    """A hardware profile is inconsistent, incomplete or can't be compiled for."""


class CompileError(IsingragError):
    """A problem can't be compiled as asked."""


class ConformanceError(CompileError):
    """An instance is not legal for a profile."""


class EmbeddingError(CompileError):
    """A problem's couplings find no place on a machine's graph; says how far they miss it."""


class TooLarge(ConformanceError):
    """More variables, memory or time than the machine or solver has."""


class RangeError(ConformanceError):
    """A coefficient can't be held by the machine's registers or ranges."""


class BackendError(IsingragError):
    """A backend failed or answered something that can't be used."""


class MissingExtra(IsingragError, ImportError):
    """An optional package is not installed; the message names the extra."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> str:
    """Text that lists the known names nearest to `name` (all if few).

    Returns
    -------
    str
        For example ``"nearest: fujitsu-da1, fujitsu-da2"``.
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=count, cutoff=0.4)
    if close:
        return "nearest: " + ", ".join(close)
    return "known: " + ", ".join(names[:40]) + (" ..." if len(names) > 40 else "")
