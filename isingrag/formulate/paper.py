"""The published formulation: eq. 13-16 of arXiv:2607.12334, for any selection problem.

Every inequality becomes an equality with binary slack whose last weight is trimmed so that the
range is exact:

- size (lambda_K): ``sum x + q - K = 0``, q in 0..K (no slack for exactly k);
- partial coverage (lambda_P): ``sum_{S_ji >= 1} x - yP_j - v_j = 0``, v_j in 0..(number of supporting passages);
- direct coverage (lambda_D): the same over S_ji = 2 with yD_j;
- hierarchy (lambda_H): ``yP_j - yD_j - m_j = 0``, m_j one bit;
- beyond the paper, by the same rule: token budget (lambda_B) and group limits (lambda_G).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isingrag.errors import CompileError
from isingrag.formulate.slack import slack_weights, whole_row
from isingrag.model import Constraint, Model, Quadratic, Role
from isingrag.problem import SelectionProblem
from isingrag.states.maps import Slack, SlackMap

__all__ = ["Builder", "PaperEncoding", "add_limits", "encode_paper", "item_name"]


def item_name(id_: str | int) -> str:
    """Name of an item's variable."""
    return f"x[{id_}]"


class Builder:
    """Collects variables, constraints, slacks and thresholds (variable, items, how many set it) in a fixed order."""

    def __init__(self, problem: SelectionProblem) -> None:
        self.names: list[str] = [item_name(id_) for id_ in problem.ids]
        self.roles: list[Role] = ["item"] * problem.count
        self.constraints: list[Constraint] = []
        self.slacks: list[Slack] = []
        self.thresholds: list[tuple[int, np.ndarray[tuple[int], np.dtype[np.int64]], int]] = []
        self.linear: dict[int, float] = {}

    def add(self, name: str, role: Role) -> int:
        self.names.append(name)
        self.roles.append(role)
        return len(self.names) - 1

    def equality(
        self, label: str, kind: str, positions: Sequence[int], coefficients: Sequence[float], constant: float, top: int
    ) -> None:
        """``coefficients.z + sign * slack + constant = 0`` with slack in 0..top.

        The slack's sign is the one that closes the row: plus for an upper bound (constant < 0 or a
        row of the size kind), minus for a lower bound (coverage and hierarchy rows).
        """
        sign = 1.0 if kind in ("lambda_K", "lambda_B", "lambda_G") else -1.0
        weights = slack_weights(top)
        bits = [self.add(f"slack[{label}][{b}]", "slack") for b in range(len(weights))]
        row = [*positions, *bits]
        values = [*coefficients, *(sign * w for w in weights)]
        self.constraints.append(Constraint(label, kind, row, values, constant))
        if bits:
            coef = np.asarray(coefficients) * sign
            self.slacks.append(Slack(bits, weights, list(positions), coef, sign * constant))


class PaperEncoding:
    """A model without weights yet, and its state map."""

    def __init__(self, model: Model, map: SlackMap, notes: tuple[str, ...]) -> None:
        self.model = model
        self.map = map
        self.notes = notes


def encode_paper(problem: SelectionProblem) -> PaperEncoding:
    """Variables and constraints of the published QUBO; penalties are still 0.

    Parameters
    ----------
    problem : SelectionProblem
        Without pinned or forbidden items (`reduce_problem` fixes them first).

    Returns
    -------
    PaperEncoding
        Variables in the order: items, then per coverage term its variable and slack bits, then
        hierarchy bits, then size, budget and group slack. Names are deterministic (L22).
    """
    if problem.pinned or problem.forbidden:
        raise CompileError("the formulation takes no pinned or forbidden items", allowed="reduce_problem() first")
    build = Builder(problem)
    notes: list[str] = []
    variables = _coverage(build, problem)
    _hierarchy(build, problem, variables)
    add_limits(build, problem, notes)
    linear = np.zeros(len(build.names))
    linear[: problem.count] = -problem.linear
    for position, value in build.linear.items():
        linear[position] = -value
    rows, columns, values = problem.pairs.upper()
    objective = Quadratic("BINARY", build.names, linear, rows, columns, -values, -problem.offset)
    items = np.full(len(build.names), -1, dtype=np.int64)
    items[: problem.count] = np.arange(problem.count)
    model = Model(objective, build.roles, items, problem.count, build.constraints)
    return PaperEncoding(model, SlackMap(items, problem.count, build.thresholds, build.slacks), tuple(notes))


def _coverage(build: Builder, problem: SelectionProblem) -> list[int]:
    variables = []
    for term in problem.coverage:
        y = build.add(f"y[{term.label}]", "coverage")
        variables.append(y)
        build.linear[y] = term.reward
        build.thresholds.append((y, term.items, 1))
        kind = "lambda_P" if term.implies is None else "lambda_D"
        members = [int(i) for i in term.items]
        build.equality(term.label, kind, [*members, y], [*[1.0] * len(members), -1.0], 0.0, len(members))
    return variables


def _hierarchy(build: Builder, problem: SelectionProblem, variables: Sequence[int]) -> None:
    for row, term in enumerate(problem.coverage):
        if term.implies is not None:
            pair = [variables[term.implies], variables[row]]
            build.equality(f"hierarchy[{term.label}]", "lambda_H", pair, [1.0, -1.0], 0.0, 1)


def add_limits(build: Builder, problem: SelectionProblem, notes: list[str], *, size: bool = True) -> None:
    """Rows of the size limit (unless told otherwise), the token budget and the group limits."""
    everything = list(range(problem.count))
    if size and problem.size is not None:
        top = 0 if problem.exact else problem.size
        build.equality("size", "lambda_K", everything, [1.0] * problem.count, -float(problem.size), top)
    if problem.tokens is not None and problem.budget is not None:
        row = whole_row(problem.tokens, problem.budget)
        if row.approximate:
            notes.append(f"token budget approximate: unit {row.unit:g}, costs rounded up, budget down")
        build.equality("budget", "lambda_B", everything, row.weights.tolist(), -float(row.bound), row.bound)
    for group in problem.groups:
        members = [int(i) for i in group.items]
        limit = min(group.at_most, len(members))
        label = f"group[{group.label}]"
        build.equality(label, "lambda_G", members, [1.0] * len(members), -float(limit), limit)
