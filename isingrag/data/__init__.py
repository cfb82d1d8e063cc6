"""Data that comes with the package: a few questions of our own for demonstrations."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["demo_questions_path"]


def demo_questions_path() -> Path:
    """Path of the demo questions: JSON Lines in HotpotQA's format, all names in it invented.

    `isingrag.load_questions` reads them. Every question needs two passages, and some of these are said twice.
    """
    return Path(str(files(__name__) / "demo_questions.jsonl"))
