"""run: sample a compiled instance and judge the answers."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from isingrag.backends import Backend, backend_for, get_backend, sample_set
from isingrag.common.arrays import check_whole
from isingrag.common.seeds import check_seed, stage_generator
from isingrag.decode import Answers, decode
from isingrag.instance import CompiledInstance
from isingrag.problem import Selection
from isingrag.run.result import Result

__all__ = ["run"]

#: A penalty this many times the largest step of the objective makes single flips useless (L57).
HEAVY_PENALTY = 1000.0


def run(
    compiled: CompiledInstance,
    backend: str | Backend | None = None,
    *,
    reads: int = 100,
    seed: int = 0,
    repair: bool = True,
    polish: bool = True,
    **options: Any,
) -> Result:
    """Sample a compiled instance, decode, repair and judge.

    Parameters
    ----------
    compiled : CompiledInstance
    backend : str or Backend, optional
        The profile's own emulator by default.
    reads : int
        Samples, >= 1.
    seed : int
    repair : bool
        Give the best read after repair as the selection; without it the best raw read.
    polish : bool
        Let repair go on with single adds, drops and swaps.
    **options
        The backend's own.

    Returns
    -------
    Result
        The raw answer, the repaired one, and the same repair of random bits, always all three.
    """
    check_whole("reads", reads, minimum=1)
    check_seed(seed)
    machine = backend_for(compiled.profile) if backend is None else get_backend(backend)
    start = perf_counter()
    if not (compiled.model.items >= 0).any():
        samples = _nothing_to_decide(compiled)
    else:
        samples = machine.sample(compiled.target, compiled.profile, reads=reads, seed=seed, **options)
    sampled = perf_counter()
    raw = decode(compiled, samples)
    mended = decode(compiled, samples, repair=True, polish=polish)
    random = decode(compiled, _random_bits(compiled, reads, seed), repair=True, polish=polish)
    best_raw, best_repaired, best_random = (_best(compiled, answers) for answers in (raw, mended, random))
    facts = _facts(compiled, raw, samples, machine.name, seed)
    facts |= {"sample_seconds": sampled - start, "decode_seconds": perf_counter() - sampled}
    return Result(
        selection=best_repaired if repair else best_raw,
        raw=best_raw,
        repaired=best_repaired,
        repaired_random=best_random,
        answers=raw,
        samples=samples,
        compiled=compiled,
        facts=facts,
    )


def _nothing_to_decide(compiled: CompiledInstance) -> Any:
    """One read of the only answer: no device call where no item is open (L80)."""
    pinned = np.zeros((1, compiled.problem.count), dtype=np.int8)
    pinned[0, list(compiled.problem.pinned)] = 1
    states = compiled.extend(compiled.model_states(pinned))
    return sample_set(compiled.quadratic, states, {"backend": "none"})


def _random_bits(compiled: CompiledInstance, reads: int, seed: int) -> Any:
    rng = stage_generator(seed, "repaired_random")
    bits = rng.integers(0, 2, size=(reads, compiled.spins), dtype=np.int8)
    return bits if compiled.quadratic.vartype == "BINARY" else (2 * bits - 1).astype(np.int8)


def _best(compiled: CompiledInstance, answers: Answers) -> Selection:
    best = answers.best
    return best if best is not None else compiled.problem.selection([])


def _facts(compiled: CompiledInstance, raw: Answers, samples: Any, backend: str, seed: int) -> dict[str, Any]:
    form = compiled.quadratic
    notes = list(compiled.problem.notes)
    if not len(raw):
        notes.append("no valid reads")
    objective = compiled.model.objective
    step = max(objective.max_linear, objective.max_quadratic)
    heavy = [c.kind for c in compiled.model.constraints if step > 0 and c.penalty > HEAVY_PENALTY * step]
    if heavy:
        notes.append(
            f"{sorted(set(heavy))} exceed {HEAVY_PENALTY:g} times the objective's steps: expect rough landscapes"
        )
    below = [kind for s in compiled.trace if s.name == "penalties" for kind in s.facts["below_bound"]]
    if below:
        notes.append(f"{below} are below their sufficient bound: the ground state may break the constraint")
    notes += [note for s in compiled.trace for note in s.facts.get("notes", ()) if s.name in ("embed", "chain")]
    broken_chains = compiled.broken_chains(samples)
    chain_facts = {}
    if broken_chains is not None:
        chain_facts["chain_break_share"] = float(broken_chains.mean()) if broken_chains.size else 0.0
    lossy = [s for s in compiled.trace if s.name == "shortlist"]
    if lossy:
        notes.append(
            f"shortlist left out {lossy[0].facts['items'] - lossy[0].facts['kept']} unlikely items, "
            f"expected loss {lossy[0].facts['expected loss']:.2g}"
        )
    slack_off = np.zeros(len(raw), dtype=bool)
    for broken in raw.broken.values():
        slack_off |= broken
    return {
        "backend": backend,
        "reads": len(raw),
        "seed": seed,
        "profile": compiled.profile.name,
        "lowering": dict(compiled.options),
        "open_items": int((compiled.model.items >= 0).sum()),
        "spins": compiled.spins,
        "items": compiled.problem.count,
        "bias_bits": compiled.profile.bias_grid.bits,
        "coupling_bits": compiled.profile.coupling_grid.bits,
        "largest_bias": form.max_linear,
        "largest_coupling": form.max_quadratic,
        "scale": compiled.scale,
        "error_bound": compiled.error_bound,
        "feasible_share": raw.feasible_share,
        "slack_mismatch_share": float((slack_off & raw.feasible).mean()) if len(raw) else 0.0,
        **chain_facts,
        "backend_info": {key: value for key, value in samples.info.items() if key != "backend"},
        "assumptions": list(compiled.assumptions),
        "notes": notes,
    }
