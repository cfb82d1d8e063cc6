"""``compile``, ``run`` and ``decode``: an outside machine can sit in the middle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from isingrag.cli import options as o
from isingrag.cli.text import clean
from isingrag.common.files import canonical_json, read_json
from isingrag.errors import FileFormatError, IsingragError
from isingrag.problem import SelectionProblem

__all__ = ["compile_command", "decode_command", "run_command"]

InstanceFile = Annotated[Path, typer.Argument(help="Instance file that `compile` wrote.", show_default=False)]
PROBLEM_FORMAT = "isingrag-problem"


def compile_command(
    file: Annotated[Path, typer.Argument(help="Questions, or a problem file.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Instance file to write.", show_default=False)],
    profile: o.ProfileName = "ideal",
    index: Annotated[int | None, typer.Option("--index", "-i", help="Position of the question, from 0.")] = None,
    question_id: Annotated[str | None, typer.Option("--id", help="Id of the question.")] = None,
    size: o.Size = 5,
    seed: o.Seed = 0,
    lowering: o.Lowering = "tight",
    penalties: o.PenaltyRule = None,
    rounding: o.Rounding = None,
    presolve: o.Presolve = "probing",
    explain: Annotated[bool, typer.Option("--explain", help="Show what each pass did.")] = False,
    as_json: o.AsJson = False,
) -> None:
    """Compile one question (or a problem file) for a machine and write an instance file."""
    from isingrag.compiler import compile as compile_problem
    from isingrag.instance import save_instance

    problem = _read_problem(file, index, question_id, size)
    compiled = compile_problem(
        problem, profile, lowering=lowering, penalties=penalties, rounding=rounding, presolve=presolve, seed=seed
    )
    save_instance(compiled, output)
    form = compiled.quadratic
    if as_json:
        row: dict[str, Any] = {
            "instance": str(output),
            "digest": compiled.digest,
            "spins": compiled.spins,
            "vartype": form.vartype,
            "couplings": int(form.values.size),
            "scale": compiled.scale,
            "error_bound": compiled.error_bound,
            "assumptions": list(compiled.assumptions),
        }
        if explain:
            row["trace"] = [step.to_dict() | {"seconds": step.seconds} for step in compiled.trace]
            for step in row["trace"]:
                step.pop("map")
        typer.echo(canonical_json(row))
        return
    typer.echo(
        f"{output}: {compiled.spins} {form.vartype} variables, {form.values.size} couplings, {compiled.digest[:12]}"
    )
    if explain:
        typer.echo(clean_lines(compiled.explain()))


def clean_lines(text: str) -> str:
    """`clean`, line by line."""
    return "\n".join(clean(line) for line in text.splitlines())


def _read_problem(file: Path, index: int | None, question_id: str | None, size: int) -> SelectionProblem:
    """A problem file as it is, or one question scored."""
    if file.suffix == ".json" and file.is_file():
        data = read_json(file)
        if isinstance(data, dict) and data.get("format") == PROBLEM_FORMAT:
            try:
                return SelectionProblem.from_dict(data["problem"])
            except IsingragError:
                raise
            except (KeyError, TypeError, ValueError) as error:
                raise FileFormatError("the problem file is malformed", found=repr(error), where=file.name) from None
    from isingrag.problem import evidence_problem
    from isingrag.problem.readers import load_questions
    from isingrag.scoring import score

    limit = None if question_id is not None or index is None else index + 1
    questions = load_questions(file, limit=1 if index is None and question_id is None else limit)
    question = o.pick(questions, [q.id for q in questions], index, question_id, file)
    return evidence_problem(score(question), size=size)


def run_command(
    instance: InstanceFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Samples to write (.csv, .json or .npz).", show_default=False)
    ] = None,
    backend: o.BackendName = None,
    reads: o.Reads = 100,
    seed: o.Seed = 0,
    as_json: o.AsJson = False,
) -> None:
    """Sample an instance file on the machine's emulator or another backend."""
    from isingrag.cli.text import result_lines
    from isingrag.instance import load_instance, save_samples
    from isingrag.run import run

    compiled = load_instance(instance)
    result = run(compiled, backend, reads=reads, seed=seed)
    if output is not None:
        save_samples(compiled, result.samples, output)
    if as_json:
        typer.echo(canonical_json(result.to_dict()))
    else:
        for line in result_lines(result):
            typer.echo(line)


def decode_command(
    instance: InstanceFile,
    samples: Annotated[Path, typer.Argument(help="Samples of the instance: CSV, JSON or NPZ.", show_default=False)],
    repair: Annotated[bool, typer.Option("--repair", help="Mend infeasible reads.")] = False,
    polish: Annotated[bool, typer.Option("--polish", help="Also improve by single exchanges.")] = False,
    as_json: o.AsJson = False,
) -> None:
    """Turn samples of a machine back into a selection."""
    from isingrag.decode import decode
    from isingrag.instance import load_instance, load_samples

    compiled = load_instance(instance)
    answers = decode(compiled, load_samples(samples, compiled), repair=repair, polish=polish)
    best = answers.best
    if as_json:
        row = {
            "reads": len(answers),
            "feasible_share": answers.feasible_share,
            "best": None if best is None else best.to_dict(),
            "values": answers.value,
            "feasible": answers.feasible,
        }
        typer.echo(canonical_json(row))
        return
    typer.echo(
        f"{len(answers)} reads, {answers.feasible_share:.0%} feasible{' after repair' if repair or polish else ''}"
    )
    if best is None:
        typer.echo("no valid reads")
        return
    typer.echo(f"best: value {best.value:.4f}, {'feasible' if best.feasible else 'infeasible'} ({best.origin})")
    for id_ in best.ids:
        typer.echo(f"  * {clean(id_)}")
    for violation in best.violations:
        typer.echo(f"  broken: {clean(violation)}")
