"""A quadratic form over named variables: the frozen counterpart of a dimod BQM.

Energies are minimised: ``E(z) = offset + sum_i linear_i z_i + sum_{i<j} value_ij z_i z_j`` with z in
{0, 1} (BINARY) or {-1, +1} (SPIN), dimod's convention. Each unordered pair is stored once and its
value is the whole coefficient of the product (no factor 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import FloatArray, Frozen, IntArray, check_number, finite_vector, position_vector
from isingrag.errors import InputError

if TYPE_CHECKING:
    import dimod

__all__ = ["Quadratic", "Vartype"]

Vartype = Literal["BINARY", "SPIN"]

#: Up to this many variables energies are computed with one dense product.
DENSE_LIMIT = 2_000


class Quadratic(Frozen):
    """Frozen quadratic form.

    Parameters
    ----------
    vartype : {'BINARY', 'SPIN'}
    names : sequence of str
        n unique variable names; position is identity everywhere inside the package.
    linear : array_like, shape (n,)
    rows, columns : array_like of int, shape (p,)
        Positions of pairs; stored with rows < columns, sorted; repeats are added, zeros dropped.
    values : array_like, shape (p,)
    offset : float

    Raises
    ------
    InputError
        For names that repeat, positions out of range, self pairs, NaN or infinity.
    """

    def __init__(
        self,
        vartype: Vartype,
        names: Sequence[str],
        linear: ArrayLike,
        rows: ArrayLike = (),
        columns: ArrayLike = (),
        values: ArrayLike = (),
        offset: float = 0.0,
    ) -> None:
        if vartype not in ("BINARY", "SPIN"):
            raise InputError("unknown vartype", found=repr(vartype), allowed="BINARY or SPIN", where="vartype")
        labels = tuple(names)
        n = len(labels)
        if len(set(labels)) != n:
            twice = next(name for name in labels if labels.count(name) > 1)
            raise InputError("a variable name repeats", found=repr(twice), allowed="unique names", where="names")
        i, k, v = _canonical_pairs(rows, columns, values, n)
        self._set(
            vartype=vartype,
            names=labels,
            linear=finite_vector("linear", linear, n),
            rows=i,
            columns=k,
            values=v,
            offset=check_number("offset", offset),
        )

    vartype: Vartype
    names: tuple[str, ...]
    linear: FloatArray
    rows: IntArray
    columns: IntArray
    values: FloatArray
    offset: float

    def _parts(self) -> Iterable[object]:
        return (self.vartype, self.names, self.linear, self.rows, self.columns, self.values, self.offset)

    @property
    def count(self) -> int:
        """Number of variables n."""
        return len(self.names)

    @property
    def max_linear(self) -> float:
        """Largest |linear coefficient|, 0 without variables."""
        return float(np.abs(self.linear).max(initial=0.0))

    @property
    def max_quadratic(self) -> float:
        """Largest |pair coefficient|, 0 without pairs."""
        return float(np.abs(self.values).max(initial=0.0))

    @cached_property
    def dense(self) -> FloatArray:
        """Symmetric matrix W with zero diagonal, shape (n, n): E = offset + linear.z + z'Wz / 2."""
        matrix = np.zeros((self.count, self.count))
        matrix[self.rows, self.columns] = self.values
        matrix[self.columns, self.rows] = self.values
        matrix.setflags(write=False)
        return matrix

    def energies(self, states: ArrayLike) -> FloatArray:
        """Energy of each state, shape (R,), for states of shape (R, n)."""
        z = np.asarray(states, dtype=np.float64)
        if z.ndim != 2 or z.shape[1] != self.count:
            raise InputError("states have the wrong shape", found=z.shape, allowed=("R", self.count), where="states")
        if self.count <= DENSE_LIMIT:
            pairs = 0.5 * np.einsum("rn,rn->r", z @ self.dense, z)
        else:
            pairs = np.zeros(len(z))
            for start in range(0, self.values.size, 1_000_000):
                part = slice(start, start + 1_000_000)
                for r in range(len(z)):
                    pairs[r] += float((z[r, self.rows[part]] * z[r, self.columns[part]]) @ self.values[part])
        result: FloatArray = self.offset + z @ self.linear + pairs
        return result

    def scaled(self, factor: float) -> Quadratic:
        """All coefficients and the offset times `factor`."""
        return Quadratic(
            self.vartype,
            self.names,
            self.linear * factor,
            self.rows,
            self.columns,
            self.values * factor,
            self.offset * factor,
        )

    def plus(self, other: Quadratic) -> Quadratic:
        """Sum of two forms over the same variables."""
        if other.names != self.names or other.vartype != self.vartype:
            raise InputError("the forms differ in their variables", where="Quadratic.plus")
        return Quadratic(
            self.vartype,
            self.names,
            self.linear + other.linear,
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.values, other.values]),
            self.offset + other.offset,
        )

    def as_vartype(self, vartype: Vartype) -> Quadratic:
        """The same energies over x = (s + 1) / 2 (or s = 2x - 1)."""
        if vartype == self.vartype:
            return self
        sums = np.bincount(self.rows, self.values, self.count) + np.bincount(self.columns, self.values, self.count)
        total = float(self.values.sum())
        if vartype == "SPIN":
            linear = self.linear / 2 + sums / 4
            values, offset = self.values / 4, self.offset + float(self.linear.sum()) / 2 + total / 4
        else:
            linear = 2 * self.linear - 2 * sums
            values, offset = 4 * self.values, self.offset - float(self.linear.sum()) + total
        return Quadratic(vartype, self.names, linear, self.rows, self.columns, values, offset)

    def to_bqm(self) -> dimod.BinaryQuadraticModel:
        """A new dimod BQM whose variables are the names, in order."""
        import dimod

        return dimod.BinaryQuadraticModel.from_numpy_vectors(
            self.linear, (self.rows, self.columns, self.values), self.offset, self.vartype, variable_order=self.names
        )

    @classmethod
    def from_bqm(cls, bqm: dimod.BinaryQuadraticModel) -> Quadratic:
        """From a dimod BQM; variable labels become text, and labels that then collide are refused."""
        vectors = bqm.to_numpy_vectors(variable_order=list(bqm.variables))
        quadratic = vectors.quadratic
        return cls(
            "SPIN" if bqm.vartype.name == "SPIN" else "BINARY",
            [str(label) for label in bqm.variables],
            vectors.linear_biases,
            quadratic.row_indices,
            quadratic.col_indices,
            quadratic.biases,
            float(vectors.offset),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "vartype": self.vartype,
            "names": list(self.names),
            "linear": self.linear,
            "rows": self.rows,
            "columns": self.columns,
            "values": self.values,
            "offset": self.offset,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Quadratic:
        """Read what `to_dict` wrote."""
        return cls(
            data["vartype"],
            data["names"],
            data["linear"],
            data["rows"],
            data["columns"],
            data["values"],
            data["offset"],
        )


def _canonical_pairs(
    rows: ArrayLike, columns: ArrayLike, values: ArrayLike, count: int
) -> tuple[IntArray, IntArray, FloatArray]:
    i = position_vector("rows", rows)
    k = position_vector("columns", columns)
    v = finite_vector("values", np.asarray(values, dtype=np.float64).ravel(), i.size)
    if k.size != i.size:
        raise InputError("rows and columns differ in length", found=(i.size, k.size), where="pairs")
    low, high = np.minimum(i, k), np.maximum(i, k)
    if i.size and (int(low.min()) < 0 or int(high.max()) >= count or bool((low == high).any())):
        p = int(np.flatnonzero((low < 0) | (high >= count) | (low == high))[0])
        raise InputError(
            "a pair names a position that is not allowed",
            found=(int(i[p]), int(k[p])),
            allowed=f"two different positions in 0..{count - 1}",
            where=f"pairs[{p}]",
        )
    key = low * max(count, 1) + high
    if key.size > 1 and not bool((key[1:] > key[:-1]).all()):
        unique, inverse = np.unique(key, return_inverse=True)
        v = np.asarray(np.bincount(inverse, v, unique.size), dtype=np.float64)
        low, high = unique // count, unique % count
    keep = v != 0
    return _readonly(low[keep]), _readonly(high[keep]), _readonly(v[keep])


def _readonly(array: Any) -> Any:
    array.setflags(write=False)
    return array
