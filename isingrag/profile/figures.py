"""The figures of a profile one by one, each with the source that vouches for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from isingrag.profile.schema import ProfileFile, Source

__all__ = ["SECTIONS", "Figure", "figures", "source_of"]

#: Top-level fields that hold figures. The others name, describe or classify, and need no source.
SECTIONS = (
    "variables",
    "working_variables",
    "vartype",
    "rounding",
    "topology",
    "bias",
    "coupling",
    "noise",
    "timing",
    "power",
    "readout",
    "chain",
    "limits",
)


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes
    ----------
    field : str
        Its path, such as ``coupling.bits``.
    value : object
        Plain value.
    tag, cite : str or None
        Evidence tag and citation key; None where no source covers it.
    """

    field: str
    value: Any
    tag: str | None = None
    cite: str | None = None


def source_of(sources: Iterable[Source], field: str) -> Source | None:
    """The source with the longest path that covers a field; the first of several equally long ones."""
    best, length = None, -1
    for source in sources:
        for name in source.fields:
            if (field == name or field.startswith(name + ".")) and len(name) > length:
                best, length = source, len(name)
    return best


def figures(data: ProfileFile) -> list[Figure]:
    """Every figure that is set, in the order of the schema."""
    plain = data.model_dump(mode="json", exclude_none=True)
    found = []
    for section in SECTIONS:
        if section not in plain:
            continue
        for field, value in _leaves(section, plain[section]):
            source = source_of(data.sources, field)
            found.append(Figure(field, value, source.tag if source else None, source.cite if source else None))
    return found


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _leaves(f"{path}.{key}", entry)
    else:
        yield path, value
