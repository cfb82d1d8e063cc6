"""The front half of the tight lowering: from a problem to its model."""

from __future__ import annotations

from isingrag.compiler.passes import Coverage, EncodeTight, Presolve, Reduce, Shortlist
from isingrag.compiler.passes.shortlist import given_up
from isingrag.formulate.tight import natural_unit, relax_problem
from isingrag.instance import Lowering
from isingrag.model import Model
from isingrag.problem import SelectionProblem
from isingrag.profile import HardwareProfile

__all__ = ["formulate_tight"]


def formulate_tight(
    judge: SelectionProblem,
    machine: HardwareProfile,
    presolve: str,
    *,
    temperature: float = 1.5,
    expected: float | None = None,
) -> tuple[list[Lowering], Model]:
    """Passes reduce, presolve, coverage, shortlist and encode.

    Parameters
    ----------
    judge : SelectionProblem
    machine : HardwareProfile
    presolve : {'probing', 'dominance', 'marginal', 'none'}
    temperature : float
        Of the relaxation, in natural units.
    expected : float, optional
        Expected number of optimum items that the shortlist may lose; by the machine's bits by default.
    """
    trace = [Reduce().lower(judge)] if judge.pinned or judge.forbidden else []
    current = _problem(trace, judge)
    unit = natural_unit(current)
    trace.append(Presolve(presolve).lower(current))
    full = bool(trace[-1].facts["full"])
    trace.append(Coverage().lower(_problem(trace, judge)))
    current = _problem(trace, judge)
    relaxation = relax_problem(current, unit, full, temperature)
    lost = _expected_loss(machine) if expected is None else expected
    if lost > 0 and current.count:
        shortlist = Shortlist(tuple(relaxation.means.tolist()), lost)
        kept = shortlist.kept(current.count if current.size is None else current.size)
        if len(kept) < current.count:
            trace.append(shortlist.lower(current))
            current, relaxation = _problem(trace, judge), relaxation.take(kept)
    encode = EncodeTight(machine, relaxation, unit, full).lower(current)
    assert isinstance(encode.output, Model)
    return [*trace, encode], encode.output


def _expected_loss(machine: HardwareProfile) -> float:
    bits = [b for b in (machine.bias_grid.bits, machine.coupling_grid.bits) if b is not None]
    return given_up(min(bits)) if bits else 0.0


def _problem(trace: list[Lowering], judge: SelectionProblem) -> SelectionProblem:
    output = trace[-1].output if trace else judge
    assert isinstance(output, SelectionProblem)
    return output
