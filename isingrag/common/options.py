"""Options that are not known raise; none is ignored in silence (L47, L65)."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

from isingrag.errors import MissingExtra, UnknownName, UnknownOption, nearest

__all__ = ["check_options", "choose", "require_package"]


def check_options(where: str, given: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse the first option that is not in `known`.

    Raises
    ------
    UnknownOption
        Names the option and the nearest valid ones.
    """
    names = sorted(known)
    for name in sorted(given):
        if name not in names:
            hint = nearest(name, names) if names else "no options"
            raise UnknownOption("unknown option", found=name, allowed=hint, where=where)


def choose(what: str, name: str, known: Iterable[str]) -> str:
    """`name` if it is known, else `UnknownName` with the nearest names."""
    names = list(known)
    if name not in names:
        raise UnknownName(f"unknown {what}", found=repr(name), allowed=nearest(str(name), names), where=what)
    return name


def require_package(module: str, extra: str, purpose: str) -> Any:
    """Import an optional package or say which extra holds it.

    Raises
    ------
    MissingExtra
        Names the package, the extra and what it is for.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"{purpose} needs the package '{module.split('.')[0]}'",
            found=f"{error}",
            allowed=f'pip install "isingrag[{extra}]"',
            where=module,
        ) from None
