"""Take back a PyQUBO expression that users extended: fold their terms into problem or model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isingrag.errors import InputError
from isingrag.formulate.paper import encode_paper, item_name
from isingrag.formulate.symbolic import Polynomial, polynomial, render
from isingrag.model import Model, Quadratic, Role
from isingrag.problem import SelectionProblem, SparsePairs

__all__ = ["Folded", "add_terms", "fold", "symbolic"]

#: Differences below this share of the largest coefficient are rounding.
NOISE = 1e-12


def symbolic(problem: SelectionProblem) -> Any:
    """A selection problem as a PyQUBO expression (published form, penalties as placeholders).

    Returns
    -------
    PyQUBO expression
        Variables ``x[id]``, ``y[label]``, ``slack[label][bit]``; constraints named ``size``,
        ``partial[j]``, ``direct[j]``, ``hierarchy[direct[j]]``, ``budget``, ``group[label]``;
        placeholders ``lambda_K`` ... ``lambda_G``. Pinned and forbidden items are variables here;
        `compile` fixes them.

    Notes
    -----
    Add terms on the right: ``expression + my_terms``. ``x*x`` equals ``x`` for 0/1 variables.
    """
    return render(encode_paper(problem.replaced(pinned=(), forbidden=())).model)


@dataclass(frozen=True)
class Folded:
    """A problem with the user's terms over items, and what could not be folded.

    Attributes
    ----------
    problem : SelectionProblem
    extra : Polynomial or None
        All of the user's terms (as energies), where some are over other variables or of a degree
        above 2; none of them is in `problem` then.
    """

    problem: SelectionProblem
    extra: Polynomial | None


def fold(expression: Any, problem: SelectionProblem, parameters: Mapping[str, float]) -> Folded:
    """The user's part of ``symbolic(problem) + terms``, folded into a new problem where possible.

    Raises
    ------
    InputError
        The expression is not `symbolic(problem)` plus terms; or see `polynomial`.
    """
    model = encode_paper(problem.replaced(pinned=(), forbidden=())).model
    found = polynomial(expression, parameters, model)
    added = _difference(found, model)
    _check_penalties(expression, model, parameters, added)
    items = {item_name(id_): position for position, id_ in enumerate(problem.ids)}
    if not all(a in items and b in items for a, b in added.terms):
        return Folded(problem, added)
    linear = problem.linear.copy()
    rows, columns, values = (list(part) for part in problem.pairs.upper())
    for (a, b), value in added.terms.items():
        if a == b:
            linear[items[a]] -= value
        else:
            rows.append(items[a])
            columns.append(items[b])
            values.append(-value)
    merged = Quadratic("BINARY", list(items), linear, rows, columns, values)
    pairs = SparsePairs(merged.rows, merged.columns, merged.values, problem.count)
    return Folded(problem.replaced(linear=linear, pairs=pairs, offset=problem.offset - added.offset), None)


def _difference(found: Polynomial, model: Model) -> Polynomial:
    """The found terms minus the model's objective."""
    objective = model.objective
    base: dict[tuple[str, str], float] = {
        (name, name): float(v) for name, v in zip(objective.names, objective.linear, strict=True)
    }
    for i, k, v in zip(objective.rows, objective.columns, objective.values, strict=True):
        a, b = sorted((objective.names[i], objective.names[k]))
        base[(a, b)] = float(v)
    scale = max([abs(v) for v in (*base.values(), *found.terms.values())], default=1.0)
    terms = {}
    for pair in sorted({*base, *found.terms}):
        value = found.terms.get(pair, 0.0) - base.get(pair, 0.0)
        if abs(value) > NOISE * scale:
            terms[pair] = value
    offset = found.offset - objective.offset
    return Polynomial(terms, offset if abs(offset) > NOISE * scale else 0.0, found.products)


def _check_penalties(expression: Any, model: Model, parameters: Mapping[str, float], added: Polynomial) -> None:
    """The penalty part must be the model's own: doubling or dropping it is refused."""
    kinds = sorted({c.kind for c in model.constraints})
    if not kinds:
        return
    found = polynomial(expression, {**parameters, **dict.fromkeys(kinds, 1.0)}, model)
    ours = model.with_constraints([c.weighted(1.0, "check", None) for c in model.constraints]).quadratic
    left = _difference(found, Model(ours, model.roles, model.items, model.item_count))
    for pair in {*left.terms, *added.terms}:
        a, b = left.terms.get(pair, 0.0), added.terms.get(pair, 0.0)
        if abs(a - b) > 1e-9 * max(1.0, abs(a), abs(b), ours.max_linear):
            raise InputError(
                "the expression is not symbolic(problem) plus terms",
                found=f"{pair[0]} * {pair[1]} has {a:g} where {b:g} was added",
                allowed="symbolic(problem) + terms, the first part unchanged",
                where="expression",
            )


def add_terms(model: Model, extra: Polynomial) -> Model:
    """A model with a user's terms over any variables; new variables get the role `auxiliary`."""
    names = list(model.names)
    names += [name for name in extra.names if name not in set(names)]
    position = {name: p for p, name in enumerate(names)}
    grown = len(names) - model.count
    linear = np.concatenate([model.objective.linear, np.zeros(grown)])
    rows, columns, values = list(model.objective.rows), list(model.objective.columns), list(model.objective.values)
    for (a, b), value in extra.terms.items():
        if a == b:
            linear[position[a]] += value
        else:
            rows.append(position[a])
            columns.append(position[b])
            values.append(value)
    objective = Quadratic("BINARY", names, linear, rows, columns, values, model.objective.offset + extra.offset)
    items = np.concatenate([model.items, np.full(grown, -1, dtype=np.int64)])
    more: list[Role] = ["auxiliary"] * grown
    return Model(objective, [*model.roles, *more], items, model.item_count, model.constraints)
