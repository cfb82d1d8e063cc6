"""Proven ground state of a model in the published form, slack and penalties included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingrag.common.arrays import BoolArray, FloatArray
from isingrag.errors import InputError
from isingrag.model import Constraint, Model

__all__ = ["GroundState", "model_ground_state"]


@dataclass(frozen=True)
class GroundState:
    """Item mask (N,) of a ground state, its energy, and whether it is proven."""

    mask: BoolArray
    energy: float
    proven: bool


def model_ground_state(model: Model, *, seconds: float | None = None) -> GroundState:
    """Ground state of a model made by `encode_paper`, at whatever penalties it has.

    For a given item mask the slack bits and coverage variables separate: slack reaches every whole
    number of its range, so a row costs its penalty times the squared distance to that range, and
    each coverage variable (with the one it implies) takes its best value. What is left is a
    selection problem with a cost per size and up to three values per requirement, which branch
    and bound solves.

    Raises
    ------
    InputError
        The model has other rows or terms than size, coverage and hierarchy.
    """
    from isingrag.solvers.branch_bound import SearchArrays, search

    parts = _parts(model)
    n = model.item_count
    dense = np.zeros((n, n))
    rows, columns = model.objective.rows, model.objective.columns
    i, k = model.items[rows], model.items[columns]
    dense[i, k] = dense[k, i] = -model.objective.values
    order = np.flatnonzero(model.items >= 0)
    result = search(
        SearchArrays(
            linear=-model.objective.linear[order],
            pairs=dense,
            levels=np.array([unit.levels for unit in parts.units], dtype=np.int64).reshape(len(parts.units), n),
            values=np.array([unit.values for unit in parts.units]).reshape(-1, 3),
            size_cost=parts.size_cost,
            tokens=np.zeros(n),
            budget=np.inf,
            groups=np.zeros((0, n), dtype=bool),
            group_limits=np.zeros(0, dtype=np.int64),
        ),
        seconds=seconds,
    )
    return GroundState(result.mask, model.objective.offset - result.value, result.proven)


@dataclass(frozen=True)
class _Unit:
    levels: FloatArray
    values: tuple[float, float, float]


@dataclass(frozen=True)
class _Parts:
    units: list[_Unit]
    size_cost: FloatArray


def _parts(model: Model) -> _Parts:
    roles = np.array(model.roles)
    if (roles == "auxiliary").any():
        raise InputError("the model has a user's variables", allowed="items, coverage and slack", where="model")
    touched = np.unique(np.concatenate([model.objective.rows, model.objective.columns]))
    if (roles[touched] != "item").any():
        raise InputError("the objective has pairs beyond the items", where="model")
    size_cost = np.zeros(model.item_count + 1)
    covers: dict[int, Constraint] = {}
    parents: dict[int, tuple[int, float]] = {}
    for c in model.constraints:
        if c.kind == "lambda_K":
            size_cost = size_cost + _size_cost(model, c, roles)
        elif c.kind in ("lambda_P", "lambda_D"):
            covers[int(c.positions[roles[c.positions] == "coverage"][0])] = c
        elif c.kind == "lambda_H":
            parent, child = (int(p) for p in c.positions[roles[c.positions] == "coverage"])
            parents[child] = (parent, c.penalty)
        else:
            raise InputError("the model has a row of another kind", found=c.kind, where=c.label)
    return _Parts(_units(model, covers, parents, roles), size_cost)


def _size_cost(model: Model, row: Constraint, roles: np.ndarray[tuple[int], np.dtype[np.str_]]) -> FloatArray:
    slack = float(row.coefficients[roles[row.positions] == "slack"].sum())
    counts = np.arange(model.item_count + 1) + row.constant
    low = np.clip(-counts - slack, 0.0, None)  # slack can't reach so far
    high = np.clip(counts, 0.0, None)
    cost: FloatArray = row.penalty * (low + high) ** 2
    return cost


def _units(
    model: Model,
    covers: dict[int, Constraint],
    parents: dict[int, tuple[int, float]],
    roles: np.ndarray[tuple[int], np.dtype[np.str_]],
) -> list[_Unit]:
    children: dict[int, int] = {}
    for child, (parent, _) in parents.items():
        if parent in children:
            raise InputError("a coverage variable is implied twice", found=model.names[parent], where="model")
        children[parent] = child
    units = []
    for y, row in covers.items():
        if y in parents:
            continue
        members = model.items[row.positions[roles[row.positions] == "item"]]
        levels = np.zeros(model.item_count)
        levels[members] = 1
        reward, penalty = -float(model.objective.linear[y]), row.penalty
        if y not in children:
            values = (max(0.0, reward - penalty), max(0.0, reward), max(0.0, reward))
        else:
            child = children[y]
            inner = covers[child]
            levels[model.items[inner.positions[roles[inner.positions] == "item"]]] = 2
            own = (-float(model.objective.linear[child]), inner.penalty, parents[child][1])
            values = tuple(_best(reward, penalty, *own, state) for state in range(3))  # type: ignore[assignment]
        units.append(_Unit(levels, values))
    return units


def _best(
    outer: float, outer_penalty: float, inner: float, inner_penalty: float, hierarchy: float, state: int
) -> float:
    """Best of the four settings of a requirement's two variables when `state` levels are covered."""
    best = -np.inf
    for a in (0, 1):
        for b in (0, 1):
            cost = outer_penalty * (a and state < 1) + inner_penalty * (b and state < 2)
            cost += hierarchy * (b and not a)
            best = max(best, a * outer + b * inner - cost)
    return float(best)
