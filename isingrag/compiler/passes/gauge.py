"""gauge: a spin-reversal transform."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isingrag.common.seeds import stage_generator
from isingrag.instance import Lowering
from isingrag.model import Quadratic
from isingrag.states import GaugeMap

__all__ = ["Gauge"]


@dataclass(frozen=True)
class Gauge:
    """Flip a random half of the variables; exact, and what a biased machine favours changes with the seed.

    It comes before `embed`, so a chain is flipped as a whole and its couplings stay ferromagnetic.
    """

    @property
    def spec(self) -> str:
        """The pass as text."""
        return "gauge()"

    def lower(self, thing: Quadratic, seed: int = 0) -> Lowering:
        """The same energies over flipped variables: z = (1 - g) / 2 + g z' for bits, s = g s' for spins."""
        start = perf_counter()
        signs = 1 - 2 * stage_generator(seed, "gauge").integers(0, 2, size=thing.count)
        shift = np.zeros(thing.count) if thing.vartype == "SPIN" else (1.0 - signs) / 2.0
        i, k, values = thing.rows, thing.columns, thing.values
        pull = np.bincount(i, values * shift[k], thing.count) + np.bincount(k, values * shift[i], thing.count)
        linear = signs * (thing.linear + pull) + 0.0
        offset = thing.offset + float(thing.linear @ shift + (values * shift[i] * shift[k]).sum())
        form = Quadratic(thing.vartype, thing.names, linear, i, k, values * signs[i] * signs[k], offset)
        facts = {"flipped": int((signs < 0).sum())}
        return Lowering(self.spec, GaugeMap(signs, thing.vartype), 0.0, facts, form, seed, perf_counter() - start)
