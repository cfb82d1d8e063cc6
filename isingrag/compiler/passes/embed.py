"""embed: logical variables to chains of qubits on the machine's graph."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.common.arrays import FloatArray, IntArray, check_number, check_whole
from isingrag.common.options import choose
from isingrag.compiler.embedding import METHODS, Embedding, find_embedding
from isingrag.compiler.passes.scale import range_factor
from isingrag.errors import EmbeddingError, InputError
from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.profile import HardwareProfile
from isingrag.profile.topology import couplers_among
from isingrag.states import EmbedMap
from isingrag.states.chains import UNEMBEDDINGS

__all__ = ["Embed"]


@dataclass(frozen=True)
class Embed:
    """Place a form on the machine's graph; chain couplings come with the pass `chain`.

    A chain's qubits share its bias evenly, and the couplers between two chains share their coupling,
    so energies of states with whole chains are kept, up to floating point. The
    target has the used qubits only, named by their node labels in rising order.

    Parameters
    ----------
    profile : HardwareProfile
    method : {'auto', 'clique', 'minorminer'}
        See `isingrag.compiler.embedding.find_embedding`.
    time_limit : float
        Seconds for general search, > 0.
    tries : int
        General searches, >= 1.
    prune_below : float or 'step'
        Couplings of smaller magnitude are left out and enter the error bound. ``'step'`` is half a step
        of the coupling register at the scale before chains: what nearest rounding would erase.
    couplers : {'all', 'one'}
        Spread a coupling over all couplers between two chains, or use the first only.
    restore : {'majority', 'weighted_random', 'minimize_energy', 'discard'}
        The way back of broken chains; see `isingrag.states.EmbedMap`.
    """

    profile: HardwareProfile
    method: str = "auto"
    time_limit: float = 60.0
    tries: int = 3
    prune_below: float | str = 0.0
    couplers: str = "all"
    restore: str = "majority"

    def __post_init__(self) -> None:
        choose("embedding method", self.method, METHODS)
        choose("couplers", self.couplers, ("all", "one"))
        choose("unembedding", self.restore, UNEMBEDDINGS)
        check_whole("tries", self.tries, minimum=1, maximum=1000)
        if check_number("time_limit", self.time_limit, minimum=0.0) == 0.0:
            raise InputError("time_limit must be above 0", found=0, allowed="> 0 seconds", where="time_limit")
        if self.prune_below != "step":
            check_number("prune_below", self.prune_below, minimum=0.0)

    @property
    def spec(self) -> str:
        """The pass as text."""
        pruned = self.prune_below if isinstance(self.prune_below, str) else f"{self.prune_below:g}"
        return (
            f"embed({self.method}, time_limit={self.time_limit:g}, tries={self.tries}, prune_below={pruned}, "
            f"couplers={self.couplers}, restore={self.restore})"
        )

    def lower(self, thing: Quadratic, seed: int = 0) -> Lowering:
        """The form over qubits.

        Raises
        ------
        EmbeddingError
            No place was found; says why and what would fit.
        """
        start = perf_counter()
        kept, bound, limit = self._pruned(thing)
        found = find_embedding(
            self.profile,
            kept.count,
            kept.rows,
            kept.columns,
            method=self.method,
            time_limit=self.time_limit,
            tries=self.tries,
            seed=seed,
        )
        form, chains, couplers = self._placed(kept, found)
        step = self._map(kept, chains, form.count, seed)
        facts = _facts(thing, kept, found, form.count, couplers)
        if limit:
            facts["pruned below"] = limit
        return Lowering(self.spec, step, bound, facts, form, seed, perf_counter() - start)

    def _pruned(self, thing: Quadratic) -> tuple[Quadratic, float, float]:
        """The form without small couplings, the error bound, and the limit used."""
        limit = self.prune_below
        if isinstance(limit, str):
            step = self.profile.coupling_grid.step
            limit = 0.0 if step is None else 0.5 * step / range_factor(thing, self.profile)
        small = np.abs(thing.values) < limit
        if not small.any():
            return thing, 0.0, float(limit)
        keep = ~small
        form = Quadratic(
            thing.vartype,
            thing.names,
            thing.linear,
            thing.rows[keep],
            thing.columns[keep],
            thing.values[keep],
            thing.offset,
        )
        bound = float(np.abs(thing.values[small]).sum()) * (2.0 if thing.vartype == "SPIN" else 1.0)
        return form, bound, float(limit)

    def _placed(self, form: Quadratic, found: Embedding) -> tuple[Quadratic, list[IntArray], int]:
        """The form over qubits, each chain's positions in it, and the number of couplers used."""
        labels = np.array(sorted(node for chain in found.chains for node in chain), dtype=np.int64)
        chains = [np.searchsorted(labels, np.array(chain, dtype=np.int64)) for chain in found.chains]
        owner = np.zeros(labels.size, dtype=np.int64)
        linear = np.zeros(labels.size)
        for variable, chain in enumerate(chains):
            owner[chain] = variable
            linear[chain] = form.linear[variable] / chain.size
        low, high = (np.searchsorted(labels, ends) for ends in couplers_among(self.profile, labels))
        rows, columns, values = self._spread(form, owner, low, high)
        names = [str(label) for label in labels.tolist()]
        target = Quadratic(form.vartype, names, linear, rows, columns, values, form.offset)
        return target, chains, values.size

    def _spread(
        self, form: Quadratic, owner: IntArray, low: IntArray, high: IntArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Each coupling shared by the couplers between its two chains."""
        first, second = owner[low], owner[high]
        keys = np.minimum(first, second) * form.count + np.maximum(first, second)
        wanted = form.rows * form.count + form.columns
        place = np.searchsorted(wanted, keys).clip(max=max(wanted.size - 1, 0))
        good = wanted[place] == keys if wanted.size else np.zeros(keys.size, dtype=bool)
        low, high, place = low[good], high[good], place[good]
        shares = np.bincount(place, minlength=wanted.size)
        if (shares == 0).any():
            p = int(np.flatnonzero(shares == 0)[0])
            raise EmbeddingError(
                "two coupled chains have no coupler between them",
                where=f"{form.names[form.rows[p]]} - {form.names[form.columns[p]]}",
            )
        if self.couplers == "one":
            chosen = np.unique(place, return_index=True)[1]
            return low[chosen], high[chosen], form.values
        return low, high, form.values[place] / shares[place]

    def _map(self, form: Quadratic, chains: list[IntArray], count: int, seed: int) -> EmbedMap:
        if self.restore != "minimize_energy":
            return EmbedMap(chains, count, self.restore, form.vartype, seed if self.restore == "weighted_random" else 0)
        spins = form.as_vartype("SPIN")
        logical = (spins.linear, spins.rows, spins.columns, spins.values)
        return EmbedMap(chains, count, self.restore, form.vartype, 0, *logical)


def _facts(before: Quadratic, after: Quadratic, found: Embedding, qubits: int, couplers: int) -> dict[str, object]:
    lengths = np.array([len(chain) for chain in found.chains], dtype=np.int64)
    sizes, counts = np.unique(lengths, return_counts=True)
    n = before.count
    facts: dict[str, object] = {
        "method": found.method,
        "variables": n,
        "couplings": int(after.values.size),
        "couplings pruned": int(before.values.size - after.values.size),
        "density": 2.0 * after.values.size / (n * (n - 1)) if n > 1 else 0.0,
        "qubits": qubits,
        "couplers": couplers,
        "longest chain": found.longest,
        "chain lengths": {str(size): int(number) for size, number in zip(sizes, counts, strict=True)},
        "searches": found.tries,
        "time limit hit": found.timeouts > 0,
    }
    if found.timeouts:
        facts["notes"] = [
            f"{found.timeouts} of {found.tries} searches were cut short by the time limit: not repeatable"
        ]
    return facts
