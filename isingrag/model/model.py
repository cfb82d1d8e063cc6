"""Model: an objective and named constraints over BINARY variables, each with its role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import BoolArray, FloatArray, Frozen, IntArray, check_number, finite_vector
from isingrag.errors import InputError
from isingrag.model.quadratic import Quadratic

__all__ = ["Constraint", "Model", "Role"]

Role = Literal["item", "coverage", "slack", "auxiliary"]


class Constraint(Frozen):
    """An equality ``coefficients . z[positions] + constant = 0`` with the weight of its square.

    Parameters
    ----------
    label : str
        Unique within the model.
    kind : str
        Which penalty it takes: ``lambda_K`` (size), ``lambda_P`` (partial coverage), ``lambda_D``
        (direct coverage), ``lambda_H`` (hierarchy), ``lambda_B`` (budget), ``lambda_G`` (group).
    positions : array_like of int, shape (p,)
        Model variables.
    coefficients : array_like, shape (p,)
    constant : float
    penalty : float
        Weight of the square, >= 0.
    rule : str
        The rule that set the weight.
    bound : float, optional
        A weight above this is known to be safe.
    """

    def __init__(
        self,
        label: str,
        kind: str,
        positions: ArrayLike,
        coefficients: ArrayLike,
        constant: float,
        penalty: float = 0.0,
        rule: str = "none",
        bound: float | None = None,
    ) -> None:
        where = np.array(positions, dtype=np.int64).ravel()
        where.setflags(write=False)
        self._set(
            label=label,
            kind=kind,
            positions=where,
            coefficients=finite_vector(f"constraint[{label}].coefficients", coefficients, where.size),
            constant=check_number(f"constraint[{label}].constant", constant),
            penalty=check_number(f"constraint[{label}].penalty", penalty, minimum=0.0),
            rule=rule,
            bound=bound,
        )

    label: str
    kind: str
    positions: IntArray
    coefficients: FloatArray
    constant: float
    penalty: float
    rule: str
    bound: float | None

    def _parts(self) -> Iterable[object]:
        row = (self.label, self.kind, self.positions, self.coefficients, self.constant)
        return (*row, self.penalty, self.rule, self.bound)

    def residual(self, states: ArrayLike) -> FloatArray:
        """Left side of each state, shape (R,); 0 where the constraint holds."""
        z = np.asarray(states, dtype=np.float64)
        result: FloatArray = z[:, self.positions] @ self.coefficients + self.constant
        return result

    def broken(self, states: ArrayLike) -> BoolArray:
        """Whether each state breaks it, with a tolerance that scales with the coefficients (L02)."""
        scale = max(float(np.abs(self.coefficients).max(initial=0.0)), abs(self.constant), 1e-300)
        return np.abs(self.residual(states)) > 1e-9 * scale

    def weighted(self, penalty: float, rule: str, bound: float | None) -> Constraint:
        """The same constraint with another penalty."""
        return Constraint(self.label, self.kind, self.positions, self.coefficients, self.constant, penalty, rule, bound)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "label": self.label,
            "kind": self.kind,
            "positions": self.positions,
            "coefficients": self.coefficients,
            "constant": self.constant,
            "penalty": self.penalty,
            "rule": self.rule,
            "bound": self.bound,
        }


class Model(Frozen):
    """Minimise ``objective(z) + sum of penalty * (left side)**2`` over z in {0, 1}^n.

    The objective is minus the problem's value (coverage variables stand for earned rewards), so on
    feasible states with the best slack the energy is minus the value.

    Parameters
    ----------
    objective : Quadratic
        BINARY, in the problem's units.
    roles : sequence of {'item', 'coverage', 'slack', 'auxiliary'}
        One a variable.
    items : array_like of int, shape (n,)
        Item position of each item variable, -1 for the others.
    item_count : int
        Items of the problem the model was made from.
    constraints : sequence of Constraint
        Labels must be unique (L01).
    """

    def __init__(
        self,
        objective: Quadratic,
        roles: Sequence[Role],
        items: ArrayLike,
        item_count: int,
        constraints: Sequence[Constraint] = (),
    ) -> None:
        if objective.vartype != "BINARY":
            raise InputError("a model is BINARY", found=objective.vartype, allowed="BINARY", where="objective")
        positions = np.array(items, dtype=np.int64).ravel()
        positions.setflags(write=False)
        if not len(roles) == positions.size == objective.count:
            raise InputError(
                "roles, items and variables differ in number",
                found=(len(roles), positions.size, objective.count),
                where="model",
            )
        labels = [constraint.label for constraint in constraints]
        if len(set(labels)) != len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise InputError(
                "a constraint label repeats", found=repr(twice), allowed="unique labels", where="constraints"
            )
        self._set(
            objective=objective,
            roles=tuple(roles),
            items=positions,
            item_count=item_count,
            constraints=tuple(constraints),
        )

    objective: Quadratic
    roles: tuple[Role, ...]
    items: IntArray
    item_count: int
    constraints: tuple[Constraint, ...]

    def _parts(self) -> Iterable[object]:
        return (self.objective, self.roles, self.items, self.item_count, self.constraints)

    @property
    def names(self) -> tuple[str, ...]:
        """Variable names in order."""
        return self.objective.names

    @property
    def count(self) -> int:
        """Number of variables."""
        return self.objective.count

    @cached_property
    def quadratic(self) -> Quadratic:
        """Objective plus penalties as one form."""
        n = self.count
        linear = self.objective.linear.copy()
        offset = self.objective.offset
        rows, columns, values = [self.objective.rows], [self.objective.columns], [self.objective.values]
        for c in self.constraints:
            if c.penalty == 0:
                continue
            a, p = c.coefficients, c.positions
            np.add.at(linear, p, c.penalty * (a * a + 2 * c.constant * a))
            offset += c.penalty * c.constant**2
            i, k = np.triu_indices(p.size, 1)
            rows.append(p[i])
            columns.append(p[k])
            values.append(2 * c.penalty * a[i] * a[k])
        pairs = (np.concatenate(rows), np.concatenate(columns), np.concatenate(values))
        return Quadratic("BINARY", self.names, linear[:n], *pairs, offset)

    def energies(self, states: ArrayLike) -> FloatArray:
        """Energy of each state, shape (R,)."""
        return self.quadratic.energies(states)

    def item_masks(self, states: ArrayLike) -> BoolArray:
        """Selected items of each state, shape (R, item_count); items without a variable stay out."""
        z = np.asarray(states)
        masks = np.zeros((len(z), self.item_count), dtype=bool)
        chosen = self.items >= 0
        masks[:, self.items[chosen]] = z[:, chosen].astype(bool)
        return masks

    def with_constraints(self, constraints: Sequence[Constraint]) -> Model:
        """The same model with other constraints or weights."""
        return Model(self.objective, self.roles, self.items, self.item_count, constraints)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "objective": self.objective.to_dict(),
            "roles": list(self.roles),
            "items": self.items,
            "item_count": self.item_count,
            "constraints": [constraint.to_dict() for constraint in self.constraints],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Model:
        """Read what `to_dict` wrote."""
        return cls(
            Quadratic.from_dict(data["objective"]),
            data["roles"],
            data["items"],
            data["item_count"],
            [Constraint(**constraint) for constraint in data["constraints"]],
        )
