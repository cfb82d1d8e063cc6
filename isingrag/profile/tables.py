"""Tables about profiles: the rows of ``profiles list`` and the Markdown of docs/profiles.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from isingrag.profile.figures import figures
from isingrag.profile.library import list_profiles, load_profile
from isingrag.profile.profile import HardwareProfile
from isingrag.profile.schema import Register, json_schema

__all__ = ["evidence_counts", "fields_markdown", "profile_row", "profiles_markdown", "register_text"]

TAGS = ("primary", "secondary", "computed", "user", "unconfirmed")


def register_text(register: Register) -> str:
    """A register in a word: width, levels, or number type with its range; ``?`` where nothing is known."""
    levels = register.levels
    if register.dtype in ("float32", "float64"):
        text = str(register.dtype)
    elif register.bits is not None:
        text = str(register.bits)
    elif levels is not None:
        count = levels if isinstance(levels, int) else len(levels) if isinstance(levels, tuple) else levels.count
        text = f"{count} levels"
    else:
        text = "?"
    if register.range is not None:
        text += f" [{register.range[0]:g}, {register.range[1]:g}]"
    return text


def evidence_counts(profile: HardwareProfile) -> dict[str, int]:
    """Number of figures by evidence tag; ``none`` counts figures that no source covers."""
    counts = dict.fromkeys((*TAGS, "none"), 0)
    for figure in figures(profile.data):
        counts[figure.tag or "none"] += 1
    return {tag: count for tag, count in counts.items() if count}


def profile_row(profile: HardwareProfile) -> dict[str, Any]:
    """What ``profiles list`` shows of a profile."""
    data = profile.data
    return {
        "name": profile.name,
        "kind": data.kind,
        "status": data.status,
        "vartype": profile.vartype,
        "variables": profile.variables,
        "topology": data.topology.type,
        "bias_bits": data.bias.bits,
        "coupling_bits": data.coupling.bits,
        "bias": register_text(data.bias),
        "coupling": register_text(data.coupling),
        "dynamics": data.dynamics,
        "evidence": evidence_counts(profile),
        "unconfirmed": len(data.unconfirmed),
        "incomplete": data.incomplete,
    }


def profiles_markdown(names: Iterable[str] | None = None) -> str:
    """The shipped profiles as a Markdown table."""
    rows = []
    for name in list_profiles() if names is None else names:
        row = profile_row(load_profile(name))
        evidence = ", ".join(f"{count} {tag}" for tag, count in row["evidence"].items())
        if row["unconfirmed"]:
            evidence = ", ".join(part for part in (evidence, f"({row['unconfirmed']} unconfirmed)") if part)
        rows.append(
            [
                f"`{row['name']}`",
                (row["kind"] or "?") + (", incomplete" if row["incomplete"] else ""),
                row["vartype"] or "?",
                "?" if row["variables"] is None else f"{row['variables']:,}",
                row["topology"] or "?",
                f"{row['bias']} / {row['coupling']}",
                row["dynamics"] or "?",
                evidence,
            ]
        )
    head = ["profile", "kind", "form", "variables", "graph", "bits h / J", "dynamics", "figures by evidence"]
    return _markdown(head, rows)


def fields_markdown() -> str:
    """The fields of the format as a Markdown table, made from the schema."""
    schema = json_schema()
    rows: list[list[str]] = []
    _field_rows("", schema, schema["$defs"], rows)
    return _markdown(["field", "meaning", "unit", "example"], rows)


def _field_rows(prefix: str, node: dict[str, Any], known: dict[str, Any], rows: list[list[str]]) -> None:
    for name, field in node["properties"].items():
        target = field.get("$ref") or field.get("items", {}).get("$ref")
        inner = known[target.rsplit("/", 1)[1]] if target else None
        if prefix == "" and name == "coupling":
            rows.append(["`coupling.*`", "register of quadratic coefficients; the fields of `bias.*`", "", ""])
            continue
        if inner is not None:
            _field_rows(f"{prefix}{name}{'[]' if 'items' in field else ''}.", inner, known, rows)
            continue
        meaning = field["description"]
        if "enum" in field:
            meaning += ": " + ", ".join(f"`{value}`" for value in field["enum"])
        rows.append([f"`{prefix}{name}`", meaning, field.get("unit", ""), _example(field.get("examples"))])


def _example(examples: list[Any] | None) -> str:
    if not examples:
        return ""
    value = examples[0]
    bare = isinstance(value, str) and (value.startswith("{") or " = " in value)
    return f"`{value if bare else json.dumps(value)}`"


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [list(head), ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
