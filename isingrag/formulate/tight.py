"""The tight formulation: few bits, few variables, the optimum kept.

- Coverage (after the pass `coverage`, which takes out what every optimum earns) needs nothing but item terms
  for groups of which at most two items can be chosen, and otherwise one auxiliary for every second
  one: for k chosen of at most L,

      -r [k >= 1] = -r k + r k(k-1)/2 - 2 r sum_{j=1}^{(L-1)//2} max(0, k - 2j - 1/2)

  and each max(0, u) is the least value of -u a over one bit a, with the sign turned.
- The size limit needs nothing where it is proven not to bind. Elsewhere a price and a curvature,
  ``price k + curvature (k - K)**2``: the price is the relaxation's value of one more place, the
  curvature opens a window for it of about `WINDOW` units. It is not zero inside the feasible sets, so values
  are always computed on the problem.
- Token budgets and group limits keep binary slack with sufficient weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isingrag.common.arrays import BoolArray, FloatArray
from isingrag.formulate.paper import Builder, add_limits
from isingrag.formulate.penalties import sufficient_bounds
from isingrag.model import Model, Quadratic
from isingrag.problem import SelectionProblem
from isingrag.solvers.mean_field import Relaxation, relax
from isingrag.solvers.presolve import limit_is_idle
from isingrag.states import SlackMap

__all__ = ["TightEncoding", "encode_tight", "natural_unit", "relax_problem"]

#: Largest coefficient of a problem in natural units; the constants below are in these units.
NATURAL = 25.0
#: Width of the window that the curvature opens for the price of size.
WINDOW = 6.0
#: Extra width for each unit by which the value grows faster than linearly with the size.
CONVEX = 4.0
#: Extra width and price, in steps of the machine's grid.
STEP_WIDTH, STEP_PRICE = 0.5, 1.0
#: A price in (-NEAR, 0] may just bind.
NEAR = 2.0
#: `sufficient` weights exceed their bound by this factor.
MARGIN = 1.01


@dataclass(frozen=True)
class TightEncoding:
    """A model, its state map, and what was chosen.

    Attributes
    ----------
    model : Model
    map : SlackMap
    means : (variables,) float64
        Probability of each variable, for error-aware rounding.
    error_bound : float
        Span of the size term over feasible sizes, in the problem's units.
    facts : dict
    """

    model: Model
    map: SlackMap
    means: FloatArray
    error_bound: float
    facts: dict[str, object]


def natural_unit(problem: SelectionProblem) -> float:
    """Problem units per natural unit: the largest linear or pair coefficient over `NATURAL`."""
    pairs = problem.pairs.upper()[2]
    largest = max(float(np.abs(problem.linear).max(initial=0.0)), float(np.abs(pairs).max(initial=0.0)))
    return largest / NATURAL if largest > 0 else 1.0


def _arrays(problem: SelectionProblem) -> tuple[FloatArray, FloatArray, BoolArray, FloatArray, int]:
    size = problem.count if problem.size is None else problem.size
    return problem.linear, problem.pairs.dense(), problem.membership > 0, problem.rewards, size


def relax_problem(problem: SelectionProblem, unit: float, full: bool, temperature: float = 1.5) -> Relaxation:
    """The relaxation of a problem, prices in the problem's units.

    Parameters
    ----------
    unit : float
        Problem units per natural unit (of the problem before presolve).
    full : bool
        Every optimum uses all places.
    temperature : float
        In natural units.
    """
    linear, pairs, groups, rewards, size = _arrays(problem)
    idle = problem.size is None or (not problem.exact and limit_is_idle(linear, pairs, groups, rewards, size))
    found = relax(
        linear / unit, pairs / unit, groups, rewards / unit, size, idle=idle, full=full, temperature=temperature
    )
    return Relaxation(found.idle, found.price * unit, found.concavity * unit, found.means)


def encode_tight(
    problem: SelectionProblem,
    relaxation: Relaxation,
    *,
    unit: float,
    full: bool,
    step_of: Callable[[Quadratic], float],
) -> TightEncoding:
    """Formulate a presolved problem.

    Parameters
    ----------
    problem : SelectionProblem
        Without pinned or forbidden items, coverage in its smallest form.
    relaxation : Relaxation
        Of this problem (or of one with more items, taken down to these).
    unit : float
        Problem units per natural unit.
    full : bool
        Every optimum uses all places.
    step_of : callable
        The machine's grid step for a form, in the problem's units; 0 for a continuous machine.
    """
    build = Builder(problem)
    terms = _Terms(problem)
    _cover(build, terms, problem)
    notes: list[str] = []
    add_limits(build, problem, notes, size=False)
    form = terms.form(build.names)
    price, curvature = _size_term(problem, relaxation, form, unit, full, step_of)
    if price or curvature:
        terms.size(price, curvature, problem.size or 0)
        form = terms.form(build.names)
    bounds = sufficient_bounds(problem)
    rows = [c.weighted(MARGIN * bounds[c.kind], "sufficient", bounds[c.kind]) for c in build.constraints]
    items = np.full(len(build.names), -1, dtype=np.int64)
    items[: problem.count] = np.arange(problem.count)
    model = Model(form, build.roles, items, problem.count, rows)
    counts = np.arange((problem.size or 0) + 1)
    spans = price * counts + curvature * (counts - (problem.size or 0)) ** 2
    if problem.exact:
        spans = spans[-1:]
    means = np.full(len(build.names), 0.5)
    means[: problem.count] = relaxation.means
    facts: dict[str, object] = {
        "variables": model.count,
        "auxiliaries": model.roles.count("auxiliary"),
        "size": _size_fact(problem, relaxation, price, curvature),
    }
    if notes:
        facts["notes"] = notes
    bound = float(spans.max() - spans.min())
    step = SlackMap(items, problem.count, build.thresholds, build.slacks)
    return TightEncoding(model, step, means, bound, facts)


def _size_fact(problem: SelectionProblem, relaxation: Relaxation, price: float, curvature: float) -> str:
    if problem.size is None:
        return "no limit"
    if relaxation.idle:
        return "limit proven idle"
    if price == curvature == 0:
        return "limit judged idle"
    return f"price {price:.4g} an item, curvature {curvature:.4g} around {problem.size}"


class _Terms:
    """Energy terms over the builder's variables."""

    def __init__(self, problem: SelectionProblem) -> None:
        rows, columns, values = problem.pairs.upper()
        self.count = problem.count
        self.linear: dict[int, float] = {i: -float(v) for i, v in enumerate(problem.linear)}
        self.rows, self.columns, self.values = [rows], [columns], [-values]
        self.offset = -problem.offset

    def add(self, i: int, value: float) -> None:
        self.linear[i] = self.linear.get(i, 0.0) + value

    def pairs(self, rows: np.ndarray, columns: np.ndarray, value: float) -> None:
        self.rows.append(rows)
        self.columns.append(columns)
        self.values.append(np.full(len(rows), value))

    def size(self, price: float, curvature: float, limit: int) -> None:
        """``price k + curvature (k - limit)**2``."""
        for i in range(self.count):
            self.add(i, price + curvature * (1 - 2 * limit))
        self.pairs(*np.triu_indices(self.count, 1), 2 * curvature)
        self.offset += curvature * limit**2

    def form(self, names: list[str]) -> Quadratic:
        linear = np.zeros(len(names))
        for i, value in self.linear.items():
            linear[i] = value
        pairs = (np.concatenate(self.rows), np.concatenate(self.columns), np.concatenate(self.values))
        return Quadratic("BINARY", names, linear, *pairs, self.offset)


def _cover(build: Builder, terms: _Terms, problem: SelectionProblem) -> None:
    for number, term in enumerate(problem.coverage):
        if term.items.size and term.reward > 0:
            _or_gadget(build, terms, term.items, term.reward, number, problem.size)


def _or_gadget(
    build: Builder,
    terms: _Terms,
    members: np.ndarray,
    reward: float,
    number: int,
    size: int | None,
) -> None:
    """``-reward`` when at least one member is chosen; see the module's text."""
    most = min(members.size, size) if size is not None else members.size
    for i in members:
        terms.add(int(i), -reward)
    if most < 2:
        return
    i, k = np.triu_indices(members.size, 1)
    terms.pairs(members[i], members[k], reward)
    for j in range(1, (most - 1) // 2 + 1):
        a = build.add(f"or[{number}][{j}]", "auxiliary")
        terms.add(a, 2 * reward * (2 * j + 0.5))
        terms.pairs(members, np.full(members.size, a), -2 * reward)
        build.thresholds.append((a, members, 2 * j + 1))


def _size_term(
    problem: SelectionProblem,
    relaxation: Relaxation,
    form: Quadratic,
    unit: float,
    full: bool,
    step_of: Callable[[Quadratic], float],
) -> tuple[float, float]:
    """Price and curvature of the size limit, (0, 0) where it needs none."""
    if problem.size is None or relaxation.idle or problem.count == 0:
        return 0.0, 0.0
    binding = relaxation.price > 0 or full or problem.exact
    if not binding:
        near = relaxation.price > -NEAR * unit
        return (NEAR * unit / 2, NEAR * unit / 2) if near else (0.0, 0.0)
    step = step_of(form)
    price = curvature = 0.0
    for _ in range(2):
        width = WINDOW * unit + STEP_WIDTH * step - relaxation.concavity
        curvature = (width + CONVEX * max(0.0, -relaxation.concavity)) / 2
        price = relaxation.price + STEP_PRICE * step
        trial = _with_size(form, problem.count, price, curvature, problem.size)
        step = step_of(trial)
    return price, curvature


def _with_size(form: Quadratic, count: int, price: float, curvature: float, limit: int) -> Quadratic:
    linear = np.zeros(form.count)
    linear[:count] = price + curvature * (1 - 2 * limit)
    i, k = np.triu_indices(count, 1)
    return form.plus(Quadratic("BINARY", form.names, linear, i, k, np.full(i.size, 2 * curvature)))
