"""SelectionProblem: the only judge of a selection's quality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import (
    BoolArray,
    FloatArray,
    Frozen,
    IntArray,
    ItemId,
    check_ids,
    check_number,
    check_whole,
    finite_vector,
    natural_key,
)
from isingrag.common.options import check_options
from isingrag.errors import InputError
from isingrag.problem.pairs import PairTerms, as_pairs, pairs_from_dict
from isingrag.problem.selection import Change, Selection, Violation
from isingrag.problem.terms import CoverageTerm, GroupLimit

__all__ = ["SelectionProblem"]

#: Relative slack of the token budget, so that sums of fractions such as 0.1 + 0.2 <= 0.3 hold.
BUDGET_TOLERANCE = 1e-9


class SelectionProblem(Frozen):
    """Maximise linear + pair + coverage terms over subsets of N items, under constraints.

    ``value(x) = offset + linear.x + sum_{i<k} P_ik x_i x_k + sum of rewards of covered groups``

    Parameters
    ----------
    ids : sequence
        N unique ids, all text or all whole numbers.
    linear : array_like, shape (N,)
        Value of each item alone.
    pairs : array_like, shape (N, N), or PairTerms, optional
        P, symmetric with zero diagonal; each unordered pair counts once.
    coverage : sequence of CoverageTerm, optional
        Rewards earned once per group.
    size : int, optional
        At most (or exactly) this many items, >= 1; None for no limit. A size above N is reduced to N, with a note.
    exact : bool
        True: exactly `size` items.
    tokens : array_like, shape (N,), optional
        Cost of each item, >= 0; needs `budget`.
    budget : float, optional
        The costs of selected items sum to at most this, >= 0.
    groups : sequence of GroupLimit, optional
        At most m items of each group; groups may overlap.
    pinned, forbidden : sequence of ids, optional
        Items that must be, or must not be, selected.
    offset : float
        Added to every value.
    notes : sequence of str
        Remarks that go with every answer.

    Raises
    ------
    InputError
        For NaN or infinite numbers, wrong shapes, asymmetry, duplicate ids, size < 1, unknown or
        contradictory pins; the message names the field, the index and the rule.
    """

    def __init__(
        self,
        ids: Sequence[ItemId] | Iterable[ItemId],
        linear: ArrayLike,
        pairs: PairTerms | ArrayLike | None = None,
        coverage: Sequence[CoverageTerm] = (),
        *,
        size: int | None = None,
        exact: bool = False,
        tokens: ArrayLike | None = None,
        budget: float | None = None,
        groups: Sequence[GroupLimit] = (),
        pinned: Sequence[ItemId] = (),
        forbidden: Sequence[ItemId] = (),
        offset: float = 0.0,
        notes: Sequence[str] = (),
    ) -> None:
        names = check_ids("ids", ids)
        n = len(names)
        remarks = list(notes)
        if size is not None:
            size = check_whole("size", size, minimum=1)
            if size > n:
                remark = f"size reduced to {n}: there are no more candidates"
                remarks += [remark] if remark not in remarks else []
                size = n
        elif exact:
            raise InputError("exact needs a size", found=None, allowed="a whole number >= 1", where="size")
        if (tokens is None) != (budget is None):
            raise InputError(
                "tokens and budget go together", found="one of them", allowed="both or none", where="budget"
            )
        self._set(
            ids=names,
            linear=finite_vector("linear", linear, n),
            pairs=as_pairs(pairs, n),
            coverage=_check_terms("coverage", tuple(coverage), n),
            size=size,
            exact=bool(exact),
            tokens=None if tokens is None else finite_vector("tokens", tokens, n, minimum=0.0),
            budget=None if budget is None else check_number("budget", budget, minimum=0.0),
            groups=_check_terms("groups", tuple(groups), n),
            pinned=_positions("pinned", pinned, names),
            forbidden=_positions("forbidden", forbidden, names),
            offset=check_number("offset", offset),
            notes=tuple(remarks),
        )
        _check_implications(self.coverage)
        _check_pins(self)

    ids: tuple[ItemId, ...]
    linear: FloatArray
    pairs: PairTerms
    coverage: tuple[CoverageTerm, ...]
    size: int | None
    exact: bool
    tokens: FloatArray | None
    budget: float | None
    groups: tuple[GroupLimit, ...]
    pinned: tuple[int, ...]
    forbidden: tuple[int, ...]
    offset: float
    notes: tuple[str, ...]

    def _parts(self) -> Iterable[object]:
        tokens = () if self.tokens is None else (self.tokens, self.budget)
        fixed = (self.pinned, self.forbidden)
        rows, columns, values = self.pairs.upper()
        pairs = (rows, columns, values)
        limits = (self.size, self.exact, self.groups)
        return (self.ids, self.linear, pairs, self.coverage, limits, tokens, fixed, self.offset)

    @property
    def count(self) -> int:
        """Number of items N."""
        return len(self.ids)

    @cached_property
    def order(self) -> IntArray:
        """Item positions sorted by id (digits as numbers): the order that breaks ties."""
        keys = [natural_key(id_) for id_ in self.ids]
        order = np.array(sorted(range(self.count), key=keys.__getitem__), dtype=np.int64)
        order.setflags(write=False)
        return order

    @cached_property
    def _index(self) -> dict[ItemId, int]:
        return {id_: position for position, id_ in enumerate(self.ids)}

    @cached_property
    def membership(self) -> FloatArray:
        """Coverage groups as a 0/1 matrix, shape (terms, N)."""
        matrix = np.zeros((len(self.coverage), self.count))
        for row, term in enumerate(self.coverage):
            matrix[row, term.items] = 1.0
        matrix.setflags(write=False)
        return matrix

    @cached_property
    def rewards(self) -> FloatArray:
        """Coverage rewards, shape (terms,)."""
        rewards = np.array([term.reward for term in self.coverage], dtype=np.float64)
        rewards.setflags(write=False)
        return rewards

    # -- masks ---------------------------------------------------------------------------------

    def mask(self, selection: Selection | Iterable[ItemId] | np.ndarray[Any, Any]) -> BoolArray:
        """Boolean mask of a selection, shape (N,).

        Parameters
        ----------
        selection : Selection, iterable of ids, or array
            A numpy array (or a list of bools) is read as a 0/1 mask of length N, anything else as ids.
        """
        if isinstance(selection, Selection):
            selection = selection.ids
        if not isinstance(selection, np.ndarray):
            values = list(selection)
            if values and all(isinstance(value, (bool, np.bool_)) for value in values):
                return self._single(np.array(values))
            return self._mask_of_ids(values)
        return self._single(selection)

    def _single(self, state: np.ndarray[Any, Any]) -> BoolArray:
        if state.ndim != 1:
            raise InputError("a mask has the wrong shape", found=state.shape, allowed=(self.count,), where="mask")
        mask: BoolArray = self.masks(state[None, :])[0]
        return mask

    def _mask_of_ids(self, values: Sequence[ItemId]) -> BoolArray:
        mask = np.zeros(self.count, dtype=bool)
        for value in values:
            position = self._index.get(value)
            if position is None:
                raise InputError("a selected id is not in the problem", found=repr(value), where="selection")
            mask[position] = True
        return mask

    def masks(self, states: ArrayLike) -> BoolArray:
        """0/1 states of shape (R, N) as a boolean array; anything but 0 and 1 is refused."""
        array = np.asarray(states)
        if array.ndim != 2 or array.shape[1] != self.count:
            raise InputError("a mask has the wrong shape", found=array.shape, allowed=("R", self.count), where="mask")
        if array.dtype != bool and not np.isin(array, (0, 1)).all():
            raise InputError("a mask holds a value that is not 0 or 1", allowed="0 or 1", where="mask")
        return array.astype(bool)

    # -- judgement -----------------------------------------------------------------------------

    def values(self, masks: ArrayLike) -> FloatArray:
        """Objective of each mask, shape (R,); constraints are not looked at."""
        x = self.masks(masks).astype(np.float64)
        total: FloatArray = self.offset + x @ self.linear + self.pairs.value(x)
        if self.coverage:
            total = total + ((x @ self.membership.T) > 0) @ self.rewards
        return total

    def value(self, selection: Selection | Iterable[ItemId] | np.ndarray[Any, Any]) -> float:
        """Objective of one selection (ids or mask), higher is better; constraints are not looked at."""
        return float(self.values(self.mask(selection)[None, :])[0])

    def tolerance(self, mask: BoolArray) -> float:
        """Values this close to that of a mask (N,) equal it up to rounding.

        It goes with the largest part of the selection's own value, so it neither hides small
        problems nor grows with coefficients of items that are not selected.
        """
        x = mask.astype(np.float64)
        parts = [self.linear[mask], self.pairs.dot(x[None, :])[0][mask]]
        if self.coverage:
            parts.append(self.rewards[(self.membership @ x) > 0])
        largest = max(float(np.abs(part).max(initial=0.0)) for part in parts)
        return 1e-9 * largest + 1e-15 * abs(self.offset)

    def feasible(self, masks: ArrayLike) -> BoolArray:
        """Whether each mask keeps every constraint, shape (R,)."""
        x = self.masks(masks)
        counts = x.sum(axis=1)
        good = np.ones(len(x), dtype=bool)
        if self.size is not None:
            good &= counts == self.size if self.exact else counts <= self.size
        if self.tokens is not None and self.budget is not None:
            good &= x @ self.tokens <= self.budget * (1 + BUDGET_TOLERANCE)
        for group in self.groups:
            good &= x[:, group.items].sum(axis=1) <= group.at_most
        good &= x[:, list(self.pinned)].all(axis=1) & ~x[:, list(self.forbidden)].any(axis=1)
        return good

    def violations(self, selection: Selection | Iterable[ItemId] | np.ndarray[Any, Any]) -> tuple[Violation, ...]:
        """Broken constraints of one selection (ids or mask); empty when it is feasible."""
        x = self.mask(selection)
        found: list[Violation] = []
        count = int(x.sum())
        if self.size is not None and (count > self.size or (self.exact and count != self.size)):
            found.append(Violation("size", "size", count, self.size))
        if self.tokens is not None and self.budget is not None:
            used = float(self.tokens[x].sum())
            if used > self.budget * (1 + BUDGET_TOLERANCE):
                found.append(Violation("budget", "budget", used, self.budget))
        for group in self.groups:
            inside = int(x[group.items].sum())
            if inside > group.at_most:
                found.append(Violation("group", f"group[{group.label}]", inside, group.at_most))
        found += [Violation("pinned", f"pinned[{self.ids[i]}]", 0, 1) for i in self.pinned if not x[i]]
        found += [Violation("forbidden", f"forbidden[{self.ids[i]}]", 1, 0) for i in self.forbidden if x[i]]
        return tuple(found)

    def selection(
        self,
        selection: Iterable[ItemId] | np.ndarray[Any, Any],
        *,
        origin: str = "decoded",
        change: Change | None = None,
        proven: bool = False,
    ) -> Selection:
        """Judge ids or a mask: a `Selection` with its value and violations."""
        x = self.mask(selection)
        chosen = tuple(id_ for id_, taken in zip(self.ids, x, strict=True) if taken)
        return Selection(chosen, self.value(x), self.violations(x), origin, change or Change(), proven, self.notes)

    def replaced(self, **changes: Any) -> SelectionProblem:
        """The same problem with some constructor arguments changed."""
        arguments: dict[str, Any] = {
            "ids": self.ids,
            "linear": self.linear,
            "pairs": self.pairs,
            "coverage": self.coverage,
            "size": 1 if self.size == 0 else self.size,  # an empty pool reduced it to 0
            "exact": self.exact,
            "tokens": self.tokens,
            "budget": self.budget,
            "groups": self.groups,
            "pinned": [self.ids[i] for i in self.pinned],
            "forbidden": [self.ids[i] for i in self.forbidden],
            "offset": self.offset,
            "notes": self.notes,
        }
        check_options("SelectionProblem.replaced", changes, arguments)
        return SelectionProblem(**{**arguments, **changes})

    # -- files ---------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; `from_dict` reads them back to an equal problem."""
        return {
            "ids": list(self.ids),
            "linear": self.linear,
            "pairs": self.pairs.to_dict(),
            "coverage": [
                {"label": t.label, "items": t.items, "reward": t.reward, "implies": t.implies} for t in self.coverage
            ],
            "size": 1 if self.size == 0 else self.size,  # an empty pool reduced it to 0
            "exact": self.exact,
            "tokens": self.tokens,
            "budget": self.budget,
            "groups": [{"label": g.label, "items": g.items, "at_most": g.at_most} for g in self.groups],
            "pinned": [self.ids[i] for i in self.pinned],
            "forbidden": [self.ids[i] for i in self.forbidden],
            "offset": self.offset,
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SelectionProblem:
        """Read what `to_dict` wrote."""
        return cls(
            data["ids"],
            data["linear"],
            pairs_from_dict(data["pairs"], len(data["ids"])),
            [CoverageTerm(**term) for term in data["coverage"]],
            size=data["size"],
            exact=data["exact"],
            tokens=data["tokens"],
            budget=data["budget"],
            groups=[GroupLimit(**group) for group in data["groups"]],
            pinned=data["pinned"],
            forbidden=data["forbidden"],
            offset=data["offset"],
            notes=data["notes"],
        )


def _check_terms(name: str, terms: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """Labels are unique (L01) and positions exist."""
    seen: set[str] = set()
    for row, term in enumerate(terms):
        if term.label in seen:
            raise InputError(
                f"{name} holds a label twice", found=repr(term.label), allowed="unique labels", where=f"{name}[{row}]"
            )
        seen.add(term.label)
        if term.items.size and (term.items[0] < 0 or term.items[-1] >= count):
            raise InputError(
                f"{name} names a position that is not there",
                found=int(term.items[-1] if term.items[-1] >= count else term.items[0]),
                allowed=f"0..{count - 1}",
                where=f"{name}[{row}]",
            )
    return terms


def _check_implications(coverage: tuple[CoverageTerm, ...]) -> None:
    for row, term in enumerate(coverage):
        if term.implies is None:
            continue
        good = 0 <= term.implies < row and coverage[term.implies].implies is None
        if not good or not np.isin(term.items, coverage[term.implies].items).all():
            raise InputError(
                "a coverage term implies one that it can't",
                found=term.implies,
                allowed="an earlier term, itself implying none, whose group contains this one's",
                where=f"coverage[{row}].implies",
            )


def _positions(name: str, ids: Sequence[ItemId], names: tuple[ItemId, ...]) -> tuple[int, ...]:
    index = {id_: position for position, id_ in enumerate(names)}
    positions = []
    for row, id_ in enumerate(ids):
        if id_ not in index:
            raise InputError(
                f"{name} names an unknown id", found=repr(id_), allowed="ids of the problem", where=f"{name}[{row}]"
            )
        positions.append(index[id_])
    return tuple(sorted(set(positions)))


def _check_pins(problem: SelectionProblem) -> None:
    """Pins that no selection can satisfy are refused."""
    both = set(problem.pinned) & set(problem.forbidden)
    if both:
        name = problem.ids[min(both)]
        raise InputError("an item is pinned and forbidden", found=repr(name), allowed="one of the two", where="pinned")
    pins = np.zeros(problem.count, dtype=bool)
    pins[list(problem.pinned)] = True
    rules = [v for v in problem.violations(pins) if v.found > v.allowed]
    if rules:
        raise InputError("the pins are impossible", found=rules[0], allowed="pins within every limit", where="pinned")
    if problem.exact and problem.size is not None and problem.count - len(problem.forbidden) < problem.size:
        raise InputError(
            "too few items may be selected",
            found=problem.count - len(problem.forbidden),
            allowed=f">= size {problem.size}",
            where="forbidden",
        )
