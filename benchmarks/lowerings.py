"""How many bits the lowerings need: raw answers before any repair, on problems with known optima.

    python benchmarks/lowerings.py --problems ../shared/data/problems/dev.jsonl

Prints, for each width (one for bias and coupling, one scale, ideal machine), the share of problems whose optimum
is kept and the mean value ratio (v / optimum, 0 where infeasible). The rounded target is solved so well
that the solver is not the limit: enumerated up to 20 variables, else annealed with many reads. Where several
states tie as ground states, the first figures average over them and those in brackets take the best by the
problem's own value, as a run with several reads does. No answer is repaired.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from _problems import load_problems

import isingrag as ir

BITS = (4, 5, 6, 8, 10)
ENUMERATED = 20


def ground(compiled: ir.CompiledInstance) -> np.ndarray:
    """Ground states of the target found, one a row."""
    if compiled.spins <= ENUMERATED:
        reads = 256
        samples = ir.get_backend("exact").sample(compiled.target, reads=reads)
    else:
        samples = ir.get_backend("annealing").sample(compiled.target, reads=200, seed=1, num_sweeps=2000)
    record = samples.record
    low = record.energy <= record.energy.min() + 1e-9 * max(1.0, abs(float(record.energy.min())))
    return np.unique(record.sample[low], axis=0)[:256]


def judge(compiled: ir.CompiledInstance, optimum: dict[str, Any]) -> np.ndarray:
    """Kept and ratio averaged over ties, kept and ratio of the best tie, number of ties."""
    states = ground(compiled) if compiled.spins else np.zeros((1, 0), dtype=np.int8)
    answers = ir.decode(compiled, states)
    ratio = np.where(answers.feasible, np.clip(answers.value / optimum["value"], 0.0, None), 0.0)
    kept = (answers.feasible & (answers.value >= optimum["value"] - 2e-3)).astype(float)
    return np.array([kept.mean(), ratio.mean(), kept.max(), ratio.max(), len(states)])


def row(name: str, problems: list[Any], make: Callable[[ir.SelectionProblem, int], list[ir.CompiledInstance]]) -> None:
    """One line of the table."""
    cells, spins, seconds = [], [], []
    for bits in BITS:
        results = []
        for data, problem in problems:
            start = perf_counter()
            programs = make(problem, bits)
            seconds.append(perf_counter() - start)
            spins.append(programs[0].spins)
            found = np.array([judge(program, data["optimum"]) for program in programs])
            results.append(
                [1 - np.prod(1 - found[:, 0]), found[:, 1].max(), found[:, 2].max(), found[:, 3].max(), found[0, 4]]
            )
        mean = np.array(results).mean(axis=0)
        cells.append(f"{mean[0]:.2f}/{mean[1]:.3f} ({mean[2]:.2f}/{mean[3]:.3f}) {mean[4]:4.1f}")
    milli = 1e3 * np.array(seconds)
    print(f"{name:28}{np.mean(spins):6.1f}  " + " | ".join(cells), flush=True)
    print(f"{'':36}compile ms: median {np.median(milli):.2f}, p99 {np.quantile(milli, 0.99):.2f}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", required=True)
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--skip-paper", action="store_true")
    arguments = parser.parse_args()
    problems = load_problems(arguments.problems)[: arguments.limit]
    ir.compile(problems[0][1], "ideal-8")
    print(f"{len(problems)} problems; kept/ratio averaged over ties (best of ties), ties; bits {BITS}")
    for presolve in ("probing", "dominance", "marginal"):
        row(
            f"tight, {presolve}",
            problems,
            lambda problem, bits, level=presolve: [ir.compile(problem, ir.ideal_profile(bits), presolve=level)],
        )
    row(
        "tight, probing, nearest",
        problems,
        lambda problem, bits: [ir.compile(problem, ir.ideal_profile(bits), rounding="device")],
    )
    if not arguments.skip_paper:
        row(
            "paper, reference",
            problems,
            lambda problem, bits: [ir.compile(problem, ir.ideal_profile(bits), lowering="paper")],
        )


if __name__ == "__main__":
    main()
