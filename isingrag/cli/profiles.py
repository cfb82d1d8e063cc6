"""``profiles``: list, show, check and match machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isingrag.cli import options as o
from isingrag.cli.text import clean, shorten
from isingrag.common.files import canonical_json
from isingrag.profile import HardwareProfile, list_profiles, load_profile
from isingrag.profile.figures import Figure, figures

if TYPE_CHECKING:
    from isingrag.compiler.match import Match

__all__ = ["profiles"]

profiles = typer.Typer(help="Machines that can be compiled for.", no_args_is_help=True)


@profiles.command("list")
def profiles_list(
    as_json: o.AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The table of docs/profiles.md.")] = False,
) -> None:
    """List the shipped profiles."""
    from isingrag.profile.tables import profile_row, profiles_markdown

    if markdown:
        typer.echo(profiles_markdown(), nl=False)
        return
    rows = [profile_row(load_profile(name)) for name in list_profiles()]
    if as_json:
        typer.echo(canonical_json(rows))
        return
    typer.echo(
        f"{'name':28}{'kind':18}{'form':8}{'variables':>9}  {'graph':10}{'bits h/J':16}  evidence (figures by tag)"
    )
    for row in rows:
        held = f"{row['bias'].split()[0]}/{row['coupling'].split()[0]}"
        typer.echo(
            f"{row['name']:28}{row['kind'] or '?':18}{row['vartype'] or '?':8}"
            f"{row['variables'] or '?':>9}  {row['topology'] or '?':10}{held:16}  {_evidence_text(row)}"
        )
    typer.echo("ideal, ideal-<bits>: the ideal machine of a width; ? is unknown; unconfirmed figures are never used")


def _evidence_text(row: dict[str, Any]) -> str:
    parts = [f"{count} {tag}" for tag, count in row["evidence"].items()]
    if row["unconfirmed"]:
        parts.append(f"({row['unconfirmed']} unconfirmed)")
    return ("incomplete: " if row["incomplete"] else "") + ", ".join(parts)


@profiles.command("show")
def profiles_show(
    name: Annotated[str, typer.Argument(help="Profile id, or path of a TOML file.")], as_json: o.AsJson = False
) -> None:
    """Show a profile: each figure with its evidence, and what compiling will assume."""
    machine = load_profile(name)
    if as_json:
        evidence = {figure.field: {"tag": figure.tag, "cite": figure.cite} for figure in figures(machine.data)}
        facts = {"assumptions": list(machine.assumptions()), "digest": machine.digest, "evidence": evidence}
        typer.echo(canonical_json(machine.to_dict() | facts))
    else:
        for line in _show_lines(machine):
            typer.echo(clean(line))


def _show_lines(machine: HardwareProfile) -> Iterator[str]:
    data = machine.data
    about = [data.vendor, data.kind, data.status, f"dynamics {data.dynamics or 'unknown'}"]
    yield f"{machine.name}: {', '.join(part for part in about if part)}"
    if data.incomplete:
        yield "incomplete: nothing but unconfirmed figures; listed, not compiled"
    yield from _columns(
        (figure.field, _value(figure), f"{figure.tag or 'none'}", f"{figure.cite or ''}") for figure in figures(data)
    )
    if data.unconfirmed:
        yield "unconfirmed, never used:"
        yield from _columns((field, json.dumps(value, ensure_ascii=False)) for field, value in data.unconfirmed.items())
    if data.notes:
        yield f"notes: {data.notes}"
    for key, text in data.citations.items():
        yield f"[{key}] {text}"
    for note in machine.assumptions():
        yield f"compiling assumes: {note}"
    yield f"digest {machine.digest}"


def _value(figure: Figure) -> str:
    if figure.field in ("topology.nodes", "topology.edges"):
        return f"{len(figure.value)} {figure.field.rsplit('.', 1)[1]}"
    return figure.value if isinstance(figure.value, str) else json.dumps(figure.value, ensure_ascii=False)


def _columns(rows: Iterable[tuple[str, ...]], widths: tuple[int, ...] = (30, 44, 11)) -> Iterator[str]:
    """Rows in columns; a long cell pushes the others instead of being cut."""
    for row in rows:
        cells = [f"{cell:{width}} " for cell, width in zip(row, widths, strict=False)]
        yield "  " + "".join([*cells, *row[len(widths) :]]).rstrip()


@profiles.command("check")
def profiles_check(
    file: Annotated[Path, typer.Argument(help="Your profile, a TOML file.", show_default=False)],
    as_json: o.AsJson = False,
) -> None:
    """Check a profile of your own: exit code 0 if it can be used (warnings allowed), 2 if not."""
    from isingrag.profile.validate import validate_profile_file

    report = validate_profile_file(file)
    if as_json:
        typer.echo(canonical_json({"file": file.name, **report.to_dict()}))
    else:
        for finding in report.findings:
            typer.echo(clean(f"{finding.level}: {finding.field}: {finding.message}"))
        words = f"{_count(report.errors, 'error')}, {_count(report.warnings, 'warning')}"
        name = report.profile.name if report.profile else file.name
        typer.echo(clean(f"{name}: {'valid' if report.ok else 'invalid'}, {words}"))
    if not report.ok:
        raise typer.Exit(2)


def _count(rows: tuple[Any, ...], word: str) -> str:
    return f"{len(rows)} {word}{'' if len(rows) == 1 else 's'}"


@profiles.command("match")
def profiles_match(
    instance: Annotated[Path, typer.Argument(help="Instance file that `compile` wrote.", show_default=False)],
    profile: Annotated[
        list[str] | None,
        typer.Option("--profile", "-p", help="Only these profiles (ids or TOML files); may be repeated."),
    ] = None,
    as_json: o.AsJson = False,
) -> None:
    """Compile an instance's problem for every machine: which can hold it, and what each would cost."""
    from isingrag.compiler.match import match_profile, rank
    from isingrag.instance import load_instance

    compiled = load_instance(instance)
    names = profile or list_profiles()
    machines = [load_profile(name) for name in names]
    rows = rank(match_profile(compiled, machine) for machine in o.progress(machines, len(machines), "matching"))
    if as_json:
        typer.echo(canonical_json([row.to_dict() for row in rows]))
        return
    for line in _match_lines(instance.name, rows):
        typer.echo(clean(line))


def _match_lines(name: str, rows: list[Match]) -> Iterator[str]:
    fits = [row for row in rows if row.status == "fits"]
    yield f"{name}: {len(fits)} of {len(rows)} machines can hold it"
    if fits:
        yield (
            f"{'machine':28}{'spins':>6} of {'held':<8}{'bits h need/held':>18}{'bits J need/held':>18}"
            f"{'scale':>12}{'error bound':>13}{'vanished':>10}"
        )
    for row in fits:
        bias = f"{row.bias_needed or 0}/{row.bias_held}"
        coupling = f"{row.coupling_needed or 0}/{row.coupling_held}"
        bound = ("" if row.evaluated else ">=") + f"{row.error_bound:.4g}"
        lost = "?" if row.vanished is None else row.vanished
        yield (
            f"{row.profile:28}{row.spins:>6} of {row.variables or '?':<8}{bias:>18}{coupling:>18}"
            f"{row.scale:>12.4g}{bound:>13}{lost:>10}"
        )
    for row in fits:
        if row.assumptions:
            yield f"note: {row.profile}: {'; '.join(row.assumptions)}"
    others: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.status != "fits":
            others.setdefault((row.status, row.reason), []).append(row.profile)
    for (status, reason), names in others.items():
        yield f"{status}: {', '.join(names)}: {shorten(reason, 400)}"


@profiles.command("schema")
def profiles_schema() -> None:
    """Print the JSON schema of profile files, for editors."""
    from isingrag.profile.schema import json_schema_text

    typer.echo(json_schema_text(), nl=False)
