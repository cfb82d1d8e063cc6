"""EmbedMap: logical variables to chains of qubits, and broken chains back to one value each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isingrag.common.arrays import BoolArray, FloatArray, IntArray
from isingrag.common.options import choose
from isingrag.common.seeds import check_seed, stage_generator
from isingrag.errors import InputError
from isingrag.states.maps import StateMap, States, _states, register_map

__all__ = ["UNEMBEDDINGS", "EmbedMap"]

UNEMBEDDINGS = ("majority", "weighted_random", "minimize_energy", "discard")


@register_map
class EmbedMap(StateMap):
    """Copy each logical value to its chain, and read each chain back.

    Ways back of a chain whose qubits disagree:

    - `majority`: the value of most qubits; a tie goes to the chain's first qubit.
    - `weighted_random`: +1 with the share of its qubits that are +1, drawn with `seed`; the same
      states give the same answer.
    - `minimize_energy`: unbroken chains first; then, while a chain is open, the one that feels the
      strongest field (lowest position among equals) takes the value that lowers the logical energy.
    - `discard`: reads with a broken chain are dropped, so fewer rows come back, perhaps none (L43).

    Qubits outside all chains are ignored on the way back and set to 1 on the way forth.

    Parameters
    ----------
    chains : sequence of int sequences
        Positions of each logical variable's qubits in the target, at least one each, none twice.
    count : int
        Variables of the target.
    method : {'majority', 'weighted_random', 'minimize_energy', 'discard'}
    vartype : {'SPIN', 'BINARY'}
    seed : int
        For `weighted_random`.
    linear, rows, columns, values : array_like, optional
        The logical form over spins, for `minimize_energy` only.
    """

    kind = "embed"

    def __init__(
        self,
        chains: Sequence[ArrayLike],
        count: int,
        method: str = "majority",
        vartype: str = "SPIN",
        seed: int = 0,
        linear: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        columns: ArrayLike | None = None,
        values: ArrayLike | None = None,
    ) -> None:
        lists = tuple(_readonly(np.array(chain, dtype=np.int64).ravel()) for chain in chains)
        _check_chains(lists, int(count))
        choose("unembedding", method, UNEMBEDDINGS)
        if method == "minimize_energy" and linear is None:
            raise InputError("minimize_energy needs the logical form", allowed="linear, rows, columns, values")
        self._set(
            chains=lists,
            count=int(count),
            method=method,
            vartype=choose("vartype", vartype, ("SPIN", "BINARY")),
            seed=check_seed(seed),
            linear=None if linear is None else _readonly(np.array(linear, dtype=np.float64)),
            rows=None if rows is None else _readonly(np.array(rows, dtype=np.int64)),
            columns=None if columns is None else _readonly(np.array(columns, dtype=np.int64)),
            values=None if values is None else _readonly(np.array(values, dtype=np.float64)),
        )
        if self.linear is not None and self.linear.size != len(lists):
            raise InputError("the logical form and the chains differ in number", found=self.linear.size, where="embed")

    chains: tuple[IntArray, ...]
    count: int
    method: str
    vartype: str
    seed: int
    linear: FloatArray | None
    rows: IntArray | None
    columns: IntArray | None
    values: FloatArray | None

    def fields(self) -> dict[str, Any]:
        names = ("count", "method", "vartype", "seed", "linear", "rows", "columns", "values")
        return {"chains": list(self.chains), **{name: getattr(self, name) for name in names}}

    def _parts(self) -> Iterable[object]:
        return (self.chains, *list(self.fields().values())[1:])

    def extend(self, states: ArrayLike) -> States:
        logical = _states(states, len(self.chains), "embed")
        full = np.ones((len(logical), self.count), dtype=np.int8)
        for position, chain in enumerate(self.chains):
            full[:, chain] = logical[:, position, None]
        return full

    def restore(self, states: ArrayLike) -> States:
        ups, first = self._ups(states)
        lengths = self._lengths
        if self.method == "discard":
            spins = first[((ups == 0) | (ups == lengths)).all(axis=1)]
        elif self.method == "weighted_random":
            draws = stage_generator(self.seed, "unembed").random(ups.shape)
            spins = np.where(draws * lengths < ups, 1, -1)
        else:
            spins = np.where(2 * ups == lengths, first, np.where(2 * ups > lengths, 1, -1))
            if self.method == "minimize_energy":
                spins = self._descend(spins, (ups > 0) & (ups < lengths))
        values: States = (spins if self.vartype == "SPIN" else (spins + 1) // 2).astype(np.int8)
        return values

    def broken(self, states: ArrayLike) -> BoolArray:
        """Whether each chain of each read is broken, shape (R, chains)."""
        ups, _ = self._ups(states)
        return np.asarray((ups > 0) & (ups < self._lengths))

    @property
    def _lengths(self) -> IntArray:
        return np.array([chain.size for chain in self.chains], dtype=np.int64)

    def _ups(self, states: ArrayLike) -> tuple[IntArray, IntArray]:
        """Qubits of each chain that are up, and the value (-1, 1) of its first qubit; both (R, chains)."""
        up = _states(states, self.count, "embed") > 0
        if not self.chains:
            empty = np.zeros((len(up), 0), dtype=np.int64)
            return empty, empty
        order = np.concatenate(self.chains)
        starts = np.concatenate([[0], np.cumsum(self._lengths)[:-1]])
        sums = np.add.reduceat(up[:, order].astype(np.int64), starts, axis=1)
        return sums, np.where(up[:, order[starts]], 1, -1)

    def _descend(self, spins: IntArray, is_open: BoolArray) -> IntArray:
        """Close open chains one by one, strongest field first, in all reads at once."""
        assert self.linear is not None
        weights = np.zeros((len(self.chains),) * 2)
        weights[self.rows, self.columns] = self.values
        weights += weights.T
        spins, is_open = spins.copy(), is_open.copy()
        fields = self.linear + np.where(is_open, 0, spins) @ weights
        reads = np.flatnonzero(is_open.any(axis=1))
        while reads.size:
            chosen = np.where(is_open[reads], np.abs(fields[reads]), -1.0).argmax(axis=1)
            field = fields[reads, chosen]
            value = np.where(field == 0, spins[reads, chosen], -np.sign(field)).astype(np.int64)
            spins[reads, chosen] = value
            is_open[reads, chosen] = False
            fields[reads] += value[:, None] * weights[chosen]
            reads = np.flatnonzero(is_open.any(axis=1))
        return spins


def _readonly(array: Any) -> Any:
    array.setflags(write=False)
    return array


def _check_chains(chains: Sequence[IntArray], count: int) -> None:
    seen = np.zeros(count, dtype=bool)
    for position, chain in enumerate(chains):
        bad = chain.size == 0 or int(chain.min()) < 0 or int(chain.max()) >= count
        if bad or seen[chain].any() or np.unique(chain).size != chain.size:
            raise InputError(
                "a chain is empty, leaves the target or shares a qubit",
                found=chain.tolist()[:8],
                allowed=f"positions in 0..{count - 1}, each in one chain",
                where=f"chains[{position}]",
            )
        seen[chain] = True
