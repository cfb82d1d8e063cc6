"""Entry point: commands, exit codes (0 done, 1 failed, 2 misused) and error messages."""

from __future__ import annotations

import sys

import typer

from isingrag import __version__
from isingrag.cli import machine, profiles, questions
from isingrag.cli.text import clean
from isingrag.errors import InputError, IsingragError

__all__ = ["app", "main"]

app = typer.Typer(
    name="isingrag",
    help="Select RAG passages on Ising machines: compile, run, decode, and see what the machine's limits cost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(questions.demo)
app.command("select")(questions.select)
app.command("compile")(machine.compile_command)
app.command("run")(machine.run_command)
app.command("decode")(machine.decode_command)
app.add_typer(profiles.profiles, name="profiles")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"isingrag {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Options of all commands."""


def main() -> None:
    """Run the command line; errors of ours become one line on stderr."""
    try:
        app()
    except InputError as error:
        typer.echo(f"isingrag: {clean(error)}", err=True)
        sys.exit(2)
    except IsingragError as error:
        typer.echo(f"isingrag: {clean(error)}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
