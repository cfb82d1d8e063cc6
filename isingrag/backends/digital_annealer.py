"""digital_annealer: parallel-trial annealing in whole-number arithmetic.

After Aramon et al. 2019 (doi:10.3389/fphy.2019.00048): every step tries all flips at once, takes one
of the accepted ones at random, and raises a dynamic offset while none is accepted.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numba import njit

from isingrag.backends.base import check_request, sample_set
from isingrag.common.arrays import FloatArray, IntArray, check_number, check_whole
from isingrag.common.options import check_options
from isingrag.common.seeds import stage_generator
from isingrag.errors import InputError, RangeError
from isingrag.model import Quadratic
from isingrag.solvers.random_stream import next_uniform, streams
from isingrag.states.maps import States

__all__ = ["DigitalAnnealerBackend"]

#: Fields are int64; larger sums are refused before the run.
FIELD_LIMIT = 2**62
#: Without a profile, coefficients that are not whole are scaled so that the largest is this.
RAW_SCALE = 2**40


@njit(cache=True)
def _anneal(linear, weights, states, best, temperatures, interval, offset_step, streams):  # type: ignore[no-untyped-def]
    """Anneal each row of `states` (bits) in place; `best` receives the best state seen of each."""
    reads, n = states.shape
    field = np.empty(n, np.int64)
    accepted = np.empty(n, np.int64)
    for r in range(reads):
        stream = streams[r]
        for i in range(n):
            total = linear[i]
            for k in range(n):
                if states[r, k]:
                    total += weights[i, k]
            field[i] = total
        energy = 0
        lowest = 0
        offset = 0.0
        best[r] = states[r]
        for level in range(temperatures.shape[0]):
            temperature = temperatures[level]
            for _ in range(interval):
                count = 0
                for i in range(n):
                    change = field[i] if states[r, i] == 0 else -field[i]
                    margin = change - offset
                    if margin <= 0.0 or (
                        margin < 30.0 * temperature and next_uniform(stream) < np.exp(-margin / temperature)
                    ):
                        accepted[count] = i
                        count += 1
                if count == 0:
                    offset += offset_step
                    continue
                i = accepted[int(next_uniform(stream) * count)]
                sign = 1 if states[r, i] == 0 else -1
                energy += field[i] * sign
                states[r, i] = 1 - states[r, i]
                for k in range(n):
                    field[k] += sign * weights[i, k]
                offset = 0.0
                if energy < lowest:
                    lowest = energy
                    best[r] = states[r]


class DigitalAnnealerBackend:
    """Digital annealer emulator; the sample set holds the best state seen of each read.

    Options
    -------
    steps : int, default 20 000
        Parallel-trial steps a read.
    levels : int, default 100
        Temperatures, geometric from start to end.
    temperature_start, temperature_end : float, optional
        In the BQM's units; estimated from its coefficients by default.
    offset_increase_rate : float, optional
        Added to the dynamic offset while no flip is accepted, 10 end temperatures by default; 0
        switches it off.
    """

    name = "digital_annealer"

    def sample(self, bqm: Any, profile: Any = None, *, reads: int = 100, seed: int = 0, **options: Any) -> Any:
        """See `Backend.sample`.

        Raises
        ------
        RangeError
            A sum of coefficients would overflow the machine's 64-bit fields.
        """
        known = ("steps", "levels", "temperature_start", "temperature_end", "offset_increase_rate")
        check_options("backend digital_annealer", options, known)
        form = check_request(bqm, reads, seed)
        if profile is not None:
            profile.require(form)
        begin = perf_counter()
        linear, weights, scale = _whole(form.as_vartype("BINARY"))
        settings = _settings(linear, weights, scale, options)
        rng = stage_generator(seed, "digital_annealer")
        states = rng.integers(0, 2, size=(reads, form.count), dtype=np.int8)
        best = states.copy()
        if form.count:
            levels = int(settings["levels"])
            hot, cold = settings["temperature_start"] * scale, settings["temperature_end"] * scale
            temperatures = np.geomspace(hot, cold, levels)
            interval = max(1, int(settings["steps"]) // levels)
            rate = settings["offset_increase_rate"] * scale
            _anneal(linear, weights, states, best, temperatures, interval, rate, streams(rng, reads))
        info = {"backend": self.name, **settings, "final": _final(form, states), "seconds": perf_counter() - begin}
        result = best if form.vartype == "BINARY" else (2 * best - 1).astype(np.int8)
        return sample_set(form, result, info, getattr(bqm, "variables", None))


def _final(form: Quadratic, states: States) -> dict[str, float]:
    """Energies of the final states, which differ from the best seen (L58)."""
    final = states if form.vartype == "BINARY" else (2 * states - 1).astype(np.int8)
    energies = form.energies(final)
    return {"lowest": float(energies.min(initial=np.inf)), "mean": float(energies.mean()) if energies.size else 0.0}


def _whole(binary: Quadratic) -> tuple[IntArray, IntArray, float]:
    """Coefficients as int64; scaled to whole numbers where they are not."""
    values = np.concatenate([binary.linear, binary.values])
    scale = 1.0
    if not np.array_equal(values, np.rint(values)):
        largest = float(np.abs(values).max())
        scale = min(RAW_SCALE / max(largest, 1e-280) / max(binary.count, 1), 1e300)
    linear = np.rint(binary.linear * scale)
    dense = np.rint(binary.dense * scale)
    total = float((np.abs(linear) + np.abs(dense).sum(axis=1)).sum()) if binary.count else 0.0
    if total >= FIELD_LIMIT:
        raise RangeError(
            "the sums of coefficients overflow the machine's 64-bit fields",
            found=f"{total:.4g}",
            allowed=f"< {FIELD_LIMIT:.4g}",
            where="digital_annealer",
        )
    return linear.astype(np.int64), dense.astype(np.int64), scale


def _settings(linear: IntArray, weights: IntArray, scale: float, options: dict[str, Any]) -> dict[str, Any]:
    """Defaults that follow the instance's own scale; user values win."""
    hot, cold = _temperatures(linear / scale, weights / scale)
    settings: dict[str, Any] = {
        "steps": check_whole("steps", options.get("steps", 20_000), minimum=1),
        "levels": check_whole("levels", options.get("levels", 100), minimum=1),
    }
    start = check_number("temperature_start", options.get("temperature_start", hot), minimum=1e-300)
    end = check_number("temperature_end", options.get("temperature_end", min(cold, start)), minimum=1e-300)
    settings |= {"temperature_start": start, "temperature_end": end}
    if end > start:
        raise InputError(
            "the temperatures rise",
            found=f"{start:g} to {end:g}",
            allowed="temperature_end <= temperature_start",
            where="temperature_end",
        )
    rate = options.get("offset_increase_rate", 10.0 * settings["temperature_end"])
    settings["offset_increase_rate"] = check_number("offset_increase_rate", rate, minimum=0.0)
    return settings


def _temperatures(linear: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Start where a typical flip is accepted often, end where a small one is rare."""
    if not linear.size:
        return 1.0, 1.0
    spread = np.sqrt((weights**2).sum(axis=1)) / 2 + np.abs(linear + weights.sum(axis=1) / 2) / 4
    hot = float(spread.max())
    if hot == 0:
        return 1.0, 1.0
    return hot, max(hot / 2000.0, 1e-12)
