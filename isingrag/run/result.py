"""Result: what was selected, what the machine itself answered, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from isingrag.decode import Answers
from isingrag.instance import CompiledInstance
from isingrag.problem import EvidenceScores, Question, Selection

if TYPE_CHECKING:
    import dimod

__all__ = ["Result"]


@dataclass(frozen=True)
class Result:
    """Outcome of one run.

    Attributes
    ----------
    selection : Selection
        The answer: the best read after repair (or the raw one where repair is off).
    raw : Selection
        The best device answer before repair, judged on the problem.
    repaired : Selection
        The best read after repair.
    repaired_random : Selection
        What the same repair makes of as many reads of random bits; a machine that is not better than
        this adds nothing.
    answers : Answers
        All reads before repair.
    samples : dimod.SampleSet
        The device's own answer.
    compiled : CompiledInstance
    facts : dict
        Backend, reads, feasible share before repair, spins, bits, seconds, notes; plain values.
    question, scores : optional
        What `select` started from.
    """

    selection: Selection
    raw: Selection
    repaired: Selection
    repaired_random: Selection
    answers: Answers
    samples: dimod.SampleSet
    compiled: CompiledInstance
    facts: Mapping[str, Any] = field(default_factory=dict)
    question: Question | None = None
    scores: EvidenceScores | None = None

    @property
    def ids(self) -> tuple[Any, ...]:
        """Selected ids."""
        return self.selection.ids

    @property
    def value(self) -> float:
        """Objective of the selection."""
        return self.selection.value

    @property
    def model_value(self) -> float | None:
        """Minus the model's energy of the best raw read; a user's own terms in the model count here."""
        read = self.answers.best_read
        return None if read is None else float(self.answers.model_value[read])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "selection": self.selection.to_dict(),
            "raw": self.raw.to_dict(),
            "repaired": self.repaired.to_dict(),
            "repaired_random": self.repaired_random.to_dict(),
            "model_value": self.model_value,
            "facts": dict(self.facts),
        }
