"""Compile, backend, decode and repair in one call."""

from isingrag.run.result import Result
from isingrag.run.run import run

__all__ = ["Result", "run"]
