"""Text for people: untrusted strings are made harmless, results are laid out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from isingrag.problem import EvidenceScores, Question
from isingrag.run import Result

__all__ = ["clean", "result_lines", "shorten"]


def clean(text: object) -> str:
    """A string without control or direction-changing characters, so that data can't steer a terminal."""
    return "".join(
        character if character in "\t" or unicodedata.category(character)[0] != "C" else " " for character in str(text)
    )


def shorten(text: object, width: int) -> str:
    """`clean` text of at most `width` characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= width else line[: max(0, width - 3)] + "..."


def _covers(scores: EvidenceScores, position: int) -> str:
    words = {1: "partly", 2: "directly"}
    found = [f"R{j + 1} {words[int(s)]}" for j, s in enumerate(scores.support[:, position]) if s > 0]
    return ", ".join(found) if found else "no requirement"


def result_lines(result: Result, width: int = 100) -> Iterable[str]:
    """A result as lines: question, requirements, chosen passages with why, gaps, and what the machine cost."""
    question, scores = result.question, result.scores
    if question is not None:
        yield f"Question {clean(question.id)}: {clean(question.text)}"
    if scores is not None:
        yield from _requirement_lines(scores, width)
    chosen = result.selection
    yield f"  Selected {len(chosen)} of {result.compiled.problem.count}, value {chosen.value:.3f} ({chosen.origin})"
    for id_ in chosen.ids:
        yield from _passage_lines(question, scores, id_, width)
    if scores is not None:
        yield _uncovered(result, scores)
    yield from _cost_lines(result)


def _requirement_lines(scores: EvidenceScores, width: int) -> Iterable[str]:
    for j, weight in enumerate(scores.weights):
        text = scores.requirements[j] if scores.requirements is not None else f"requirement {j + 1}"
        yield f"  R{j + 1} (weight {weight:.2f}): {shorten(text, width - 20)}"


def _passage_lines(question: Question | None, scores: EvidenceScores | None, id_: Any, width: int) -> Iterable[str]:
    why = ""
    if scores is not None:
        position = scores.ids.index(id_)
        why = f" - relevance {scores.relevance[position]:.2f}, covers {_covers(scores, position)}"
    gold = " [gold]" if question is not None and id_ in question.gold else ""
    yield f"  * {shorten(id_, 60)}{gold}{why}"
    if question is not None:
        yield f"      {shorten(question.passage(id_).text, width - 6)}"


def _uncovered(result: Result, scores: EvidenceScores) -> str:
    mask = result.compiled.problem.mask(result.selection)
    level = scores.support[:, mask].max(axis=1, initial=0)
    parts = [f"R{j + 1} not covered" for j in range(len(level)) if level[j] == 0]
    parts += [f"R{j + 1} only partly" for j in range(len(level)) if level[j] == 1]
    return "  Uncovered: " + (", ".join(parts) if parts else "nothing")


def _times(facts: Mapping[str, Any]) -> str:
    seconds = {key: value for key, value in facts.items() if key.endswith("_seconds")}
    return "  Time: " + ", ".join(f"{key[:-8]} {value * 1000:.1f} ms" for key, value in seconds.items())


def _cost_lines(result: Result) -> Iterable[str]:
    facts = result.facts
    bits = [f"{name} {facts[f'{name}_bits']:.0f}" for name in ("bias", "coupling") if facts[f"{name}_bits"]]
    width = " and ".join(bits) + " bits" if bits else "float coefficients"
    if facts["open_items"] == 0:
        yield f"  Machine {facts['profile']}: not asked, nothing was left open of {facts['items']} passages"
        yield _times(facts)
        return
    yield (
        f"  Machine {facts['profile']} ({facts['backend']}): {facts['spins']} spins, {width}, "
        f"largest bias {facts['largest_bias']:g}, coupling {facts['largest_coupling']:g}"
    )
    raw = "infeasible" if not result.raw.feasible else f"{result.raw.value:.3f}"
    yield (
        f"  Before repair: {facts['feasible_share']:.0%} of {facts['reads']} reads feasible, best {raw}; "
        f"repaired {result.repaired.value:.3f}; random bits repaired {result.repaired_random.value:.3f}"
    )
    if facts["open_items"] < facts["items"]:
        yield f"  Settled before: {facts['items'] - facts['open_items']} of {facts['items']} passages"
    yield _times(facts)
    for note in [*facts["notes"], *facts["assumptions"]]:
        yield f"  Note: {clean(note)}"
