"""Check a profile file: what breaks the schema, and what a reader should doubt."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from isingrag.common.files import read_text
from isingrag.errors import IsingragError, nearest
from isingrag.profile.figures import SECTIONS, figures
from isingrag.profile.library import MAX_PROFILE_BYTES, list_profiles, load_profile
from isingrag.profile.profile import HardwareProfile
from isingrag.profile.schema import Levels, ProfileFile, Register, Source, Topology

__all__ = ["Finding", "Validation", "graph_counts", "validate_data", "validate_profile", "validate_profile_file"]

#: Ends of keys that name a unit, and words that mark a number without one.
UNITS = (
    "_s",
    "_ms",
    "_us",
    "_ns",
    "_ps",
    "_min",
    "_Hz",
    "_kHz",
    "_MHz",
    "_GHz",
    "_W",
    "_kW",
    "_mW",
    "_uW",
    "_J",
    "_nJ",
)
UNITLESS = ("gain", "cycles", "steps", "count")

#: Largest graph whose edges are looked at one by one.
MAX_EDGES = 2_000_000


@dataclass(frozen=True)
class Finding:
    """One remark.

    Attributes
    ----------
    level : {'error', 'warning'}
        Errors make the file unusable; warnings don't.
    field : str
        Path of the field, such as ``coupling.bits``; ``file`` for the file itself.
    message : str
    """

    level: Literal["error", "warning"]
    field: str
    message: str


@dataclass(frozen=True)
class Validation:
    """All findings about one profile.

    Attributes
    ----------
    profile : HardwareProfile or None
        None where the file breaks the schema.
    findings : tuple of Finding
        Errors first, then warnings.
    """

    profile: HardwareProfile | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """True without errors."""
        return self.profile is not None

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that make the file unusable."""
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings that don't."""
        return tuple(finding for finding in self.findings if finding.level == "warning")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "ok": self.ok,
            "profile": None if self.profile is None else self.profile.name,
            "errors": [vars(finding) for finding in self.errors],
            "warnings": [vars(finding) for finding in self.warnings],
        }


def validate_profile_file(path: str | Path) -> Validation:
    """Check a TOML file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Validation
        A file that can't be read or is no TOML is an error of the field ``file``.
    """
    try:
        data = tomllib.loads(read_text(path, limit=MAX_PROFILE_BYTES))
    except IsingragError as error:
        return Validation(None, (Finding("error", "file", str(error)),))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Validation(None, (Finding("error", "file", f"not TOML: {error}"),))
    return validate_data(data, Path(path).name)


def validate_data(data: Mapping[str, Any], origin: str = "memory") -> Validation:
    """Check plain values, as read from TOML; every field that breaks the schema is named."""
    try:
        file = ProfileFile.model_validate(data)
    except ValidationError as error:
        return Validation(None, tuple(dict.fromkeys(_schema_errors(error))))
    profile = HardwareProfile(file, origin)
    return Validation(profile, validate_profile(profile))


def _schema_errors(error: ValidationError) -> Iterator[Finding]:
    for entry in error.errors():
        path = [str(part) for part in entry["loc"]]
        message = entry["msg"].removeprefix("Value error, ")
        if entry["type"] == "extra_forbidden":
            message = "unknown field; " + nearest(path[-1], _known_fields(path[:-1]))
        elif entry["type"] == "missing":
            message = "missing"
        elif "input" in entry and not isinstance(entry["input"], Mapping | BaseModel):
            message += f"; found: {repr(entry['input'])[:80]}"
        yield Finding("error", ".".join(path) or "profile", message)


def _known_fields(path: list[str]) -> Iterable[str]:
    models: dict[str, type[BaseModel]] = {
        "topology": Topology,
        "bias": Register,
        "coupling": Register,
        "sources": Source,
        "levels": Levels,
    }
    model: type[BaseModel] = ProfileFile
    for part in path:
        model = models.get(part, model)
    return model.model_fields


# -- warnings ----------------------------------------------------------------------------------


def validate_profile(profile: HardwareProfile) -> tuple[Finding, ...]:
    """Warnings about a profile that keeps the schema.

    Figures without a source or with an unconfirmed one, unknown vartype, topology or dynamics, counts that
    contradict each other or the graph's formula, registers that contradict themselves, keys without a unit,
    and an id that a shipped profile has.
    """
    data = profile.data
    found = [
        *_identity(profile),
        *_unknowns(data),
        *_evidence(data),
        *_counts(data),
        *_explicit(data),
        *_register("bias", data.bias),
        *_register("coupling", data.coupling),
        *_units(data),
    ]
    return tuple(Finding("warning", field, message) for field, message in found)


Remark = tuple[str, str]


def _identity(profile: HardwareProfile) -> Iterator[Remark]:
    data = profile.data
    name = data.name
    shipped = name in list_profiles() and load_profile(name) != profile
    if shipped or name == "ideal" or (name.startswith("ideal-") and name[6:].isdigit()):
        yield "name", f"a shipped profile is called {name}: reports can't tell them apart"
    if data.assumed:
        yield "assumed", "assumptions belong to assume() and replace(), not to a file"


def _unknowns(data: ProfileFile) -> Iterator[Remark]:
    if data.incomplete:
        if figures(data):
            yield "incomplete", "it has figures, so it need not be incomplete; incomplete profiles are not compiled"
        return
    if data.vartype is None:
        gate = " (gate machines take angles; assume 'SPIN')" if data.kind == "gate_model" else ""
        yield "vartype", f"unknown: compiling refuses until it is assumed{gate}"
    if data.topology.type is None:
        yield "topology.type", "unknown: compiling refuses until it is assumed"
    if data.dynamics is None:
        yield "dynamics", "unknown: no emulator stands for the machine, so a run needs --backend"


def _evidence(data: ProfileFile) -> Iterator[Remark]:
    known = figures(data)
    for figure in known:
        if figure.tag is None:
            yield figure.field, "no source covers it"
        elif figure.tag == "unconfirmed":
            yield figure.field, "its source is unconfirmed: move it to [unconfirmed]"
        if figure.field in data.unconfirmed:
            yield figure.field, "given as a figure and as unconfirmed"
    paths = {"unconfirmed"} if data.unconfirmed else set()
    for figure in known:
        parts = figure.field.split(".")
        paths |= {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    for position, source in enumerate(data.sources):
        for name in source.fields:
            # What classifies (dynamics, kind, ...) may have a source, but needs none.
            if name not in paths and (name.split(".")[0] in (*SECTIONS, "unconfirmed") or name not in _set(data)):
                yield f"sources.{position}", f"'{name}' names no figure of this file"
    used = {source.cite for source in data.sources}
    for key in data.citations:
        if key not in used:
            yield f"citations.{key}", "no source uses it"


def _set(data: ProfileFile) -> set[str]:
    return set(data.model_dump(exclude_none=True, exclude_defaults=True))


def _counts(data: ProfileFile) -> Iterator[Remark]:
    graph = data.topology
    for small, big, count, limit in (
        ("working_variables", "variables", data.working_variables, data.variables),
        ("topology.working_couplers", "topology.couplers", graph.working_couplers, graph.couplers),
    ):
        if count is not None and limit is not None and count > limit:
            yield small, f"{count} is more than {big} {limit}"
    n = data.variables
    if n is not None and graph.couplers is not None and graph.couplers > n * (n - 1) // 2:
        yield "topology.couplers", f"{graph.couplers} is more than {n} variables have pairs"
    if n is not None and graph.couplers is not None and graph.max_degree is not None:
        most = n * graph.max_degree // 2
        if graph.couplers > most:
            yield "topology.couplers", f"{graph.couplers} is more than degree {graph.max_degree} allows: {most}"
    try:
        counts = graph_counts(graph, n)
    except ValueError as error:
        yield "topology.params", str(error)
        return
    if counts is None:
        return
    nodes, edges = counts
    if n is not None and n != nodes:
        yield "variables", f"{n}, but the {graph.type} graph of topology.params has {nodes}"
    if graph.couplers is not None and graph.couplers != edges:
        yield "topology.couplers", f"{graph.couplers}, but the {graph.type} graph of topology.params has {edges}"


def graph_counts(graph: Topology, variables: int | None = None) -> tuple[int, int] | None:
    """Nodes and edges of the ideal graph by closed formula.

    Parameters
    ----------
    graph : Topology
    variables : int, optional
        Size of a complete graph.

    Returns
    -------
    (nodes, edges) or None
        None where the family has no formula here or its parameters are not given.

    Raises
    ------
    ValueError
        A parameter is no whole number >= 1, or the family needs it and only others are given.
    """
    kind, params = graph.type, graph.params
    if kind == "complete":
        return None if variables is None else (variables, variables * (variables - 1) // 2)
    needs = {
        "chimera": ("m",),
        "pegasus": ("m",),
        "zephyr": ("m",),
        "king": ("rows", "cols"),
        "square": ("rows", "cols"),
    }
    if kind not in needs or not params:
        return None
    values = {}
    for name in (*needs[kind], "n", "t"):
        default = {"n": params.get("m"), "t": 4}.get(name)
        value = params.get(name, default)
        if name in ("n", "t") and kind in ("king", "square"):
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"a {kind} graph needs '{name}', a whole number >= 1; found: {value!r}")
        values[name] = value
    if kind in ("king", "square"):
        r, c = values["rows"], values["cols"]
        straight = r * (c - 1) + c * (r - 1)
        return r * c, straight + (2 * (r - 1) * (c - 1) if kind == "king" else 0)
    m, n, t = values["m"], values["n"], values["t"]
    if kind == "chimera":
        return 2 * t * m * n, t * t * m * n + t * (m * (n - 1) + n * (m - 1))
    if kind == "pegasus":
        if m < 2:
            raise ValueError(f"a pegasus graph needs 'm' >= 2; found: {m}")
        if params.get("fabric_only", True):
            return 8 * (3 * m - 1) * (m - 1), 180 * (m - 1) ** 2 - 16
        return 24 * m * (m - 1), 12 * (15 * (m - 1) ** 2 + m - 3)
    internal = 16 * t * t * m * m
    external = 4 * t * (2 * m + 1) * (m - 1)
    odd = 2 * t * (2 * m + 1) * (2 * m - 1)
    return 4 * t * m * (2 * m + 1), internal + external + odd


def _explicit(data: ProfileFile) -> Iterator[Remark]:
    graph = data.topology
    if graph.nodes is None or graph.edges is None:
        return
    if len(set(graph.nodes)) != len(graph.nodes):
        yield "topology.nodes", "a node repeats"
    if len(graph.edges) <= MAX_EDGES:
        pairs = {(min(edge), max(edge)) for edge in graph.edges}
        if len(pairs) != len(graph.edges):
            yield "topology.edges", "an edge repeats"
    for name, count, field in (
        ("nodes", len(graph.nodes), "working_variables" if data.working_variables is not None else "variables"),
        ("edges", len(graph.edges), "working_couplers" if graph.working_couplers is not None else "couplers"),
    ):
        stated = getattr(data if name == "nodes" else graph, field)
        if stated is not None and stated != count:
            path = field if name == "nodes" else f"topology.{field}"
            yield path, f"{stated}, but the list has {count} {name}"


def _register(name: str, register: Register) -> Iterator[Remark]:
    bits, dtype = register.bits, register.dtype
    floating = dtype in ("float32", "float64")
    if floating and register.integer:
        yield f"{name}.integer", f"true, but {dtype} is floating point"
    if dtype is not None and bits is not None and bits != int(dtype.removeprefix("float").removeprefix("int")):
        yield f"{name}.bits", f"{bits}, but dtype is {dtype}"
    count = _level_count(register)
    if bits is not None and count is not None:
        least = (count - 1).bit_length()
        if bits != least:
            yield f"{name}.bits", f"{bits}, but {count} levels take {least} bits"
    if isinstance(register.levels, int) and (register.levels < 2 or register.levels % 2 == 0):
        yield f"{name}.levels", f"{register.levels}: a bare count must be odd and at least 3; give a list instead"
    whole = register.integer or register.fixed_point
    if bits is not None and whole and not floating and register.range is not None:
        values = register.range[1] - register.range[0] + 1
        if values > 2.0**bits:
            yield f"{name}.range", f"{values:g} whole values, but {bits} bits hold {2.0**bits:g}"
    lower = min([0.0, *(register.range or ()), *_level_ends(register)])
    if register.signed is False and lower < 0:
        yield f"{name}.signed", f"false, but {name} goes down to {lower:g}"
    if register.range is not None and register.extended_range is not None:
        (low, high), (wide_low, wide_high) = register.range, register.extended_range
        if wide_low > low or wide_high < high:
            yield f"{name}.extended_range", "does not contain the range"
    if name == "bias":
        for field in ("extended_range", "per_qubit_total", "per_group_total"):
            if getattr(register, field) is not None:
                yield f"bias.{field}", "is a property of couplings; compiling ignores it here"


def _level_count(register: Register) -> int | None:
    levels = register.levels
    if levels is None or isinstance(levels, int):
        return levels
    return len(levels) if isinstance(levels, tuple) else levels.count


def _level_ends(register: Register) -> tuple[float, ...]:
    levels = register.levels
    if levels is None or isinstance(levels, int):
        return ()
    return (levels[0], levels[-1]) if isinstance(levels, tuple) else (levels.min, levels.max)


def _units(data: ProfileFile) -> Iterator[Remark]:
    for section in ("timing", "power"):
        for key, value in getattr(data, section).items():
            plain = isinstance(value, int | float | list) and not isinstance(value, bool)
            if plain and not key.endswith(UNITS) and not any(word in key for word in UNITLESS):
                yield f"{section}.{key}", "the key names no unit, such as _us or _W"
