"""Time to a proven optimum on selection problems: ours, OR-tools CP-SAT, HiGHS through scipy.

    python benchmarks/exact_solvers.py --problems ../shared/data/problems/dev.jsonl --limit 10

One process, one thread for each solver, the same problems in the same order; the first call of ours
(kernel compilation or loading) is reported apart.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np
from _problems import load_problems
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import isingrag as ir

UNIT = 1_000_000


def cp_sat(problem: ir.SelectionProblem, seconds: float) -> tuple[float, bool]:
    """CP-SAT on the constrained problem, coefficients in millionths."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    x = [model.new_bool_var(f"x{i}") for i in range(problem.count)]
    terms = [round(UNIT * float(v)) * x[i] for i, v in enumerate(problem.linear)]
    for i, k, value in zip(*problem.pairs.upper(), strict=True):
        both = model.new_bool_var("")
        model.add_implication(both, x[i])
        model.add_implication(both, x[k])
        model.add_bool_or([~x[i], ~x[k], both])
        terms.append(round(UNIT * float(value)) * both)
    for term in problem.coverage:
        y = model.new_bool_var("")
        model.add(sum(x[int(i)] for i in term.items) >= y)
        terms.append(round(UNIT * term.reward) * y)
    model.add(sum(x) <= problem.size)
    model.maximize(sum(terms))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    return solver.objective_value / UNIT, status == cp_model.OPTIMAL


def highs(problem: ir.SelectionProblem, seconds: float) -> tuple[float, bool]:
    """HiGHS on the usual linearisation: one variable a pair, one a coverage term."""
    n = problem.count
    rows, columns, values = problem.pairs.upper()
    p, t = values.size, len(problem.coverage)
    cost = -np.concatenate([problem.linear, values, problem.rewards])
    entries: list[tuple[int, int, float]] = []
    upper: list[float] = []

    def row(parts: list[tuple[int, float]], limit: float) -> None:
        entries.extend((len(upper), column, value) for column, value in parts)
        upper.append(limit)

    for q, (i, k, value) in enumerate(zip(rows, columns, values, strict=True)):
        if value > 0:
            row([(n + q, 1.0), (int(i), -1.0)], 0.0)
            row([(n + q, 1.0), (int(k), -1.0)], 0.0)
        else:
            row([(int(i), 1.0), (int(k), 1.0), (n + q, -1.0)], 1.0)
    for r, term in enumerate(problem.coverage):
        row([(n + p + r, 1.0), *((int(i), -1.0) for i in term.items)], 0.0)
    row([(i, 1.0) for i in range(n)], float(problem.size or n))
    r, c, v = (np.array(part) for part in zip(*entries, strict=True))
    matrix = coo_array((v, (r, c)), shape=(len(upper), n + p + t)).tocsr()
    answer = milp(
        cost,
        constraints=LinearConstraint(matrix, -np.inf, np.array(upper)),
        integrality=np.concatenate([np.ones(n), np.zeros(p + t)]),
        bounds=Bounds(0, 1),
        options={"time_limit": seconds},
    )
    return -float(answer.fun) if answer.fun is not None else float("nan"), answer.status == 0


def ours(problem: ir.SelectionProblem, seconds: float) -> tuple[float, bool]:
    """Branch and bound of isingrag.solvers."""
    best = ir.solve_exact(problem, seconds=seconds)
    return best.value, best.proven


def main() -> None:
    """Print one line per solver."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", required=True)
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of one solve")
    arguments = parser.parse_args()
    problems = load_problems(arguments.problems)[: arguments.limit]
    start = perf_counter()
    ours(problems[0][1], 20.0)
    print(f"first call of ours (kernels compiled or loaded): {perf_counter() - start:.2f} s")
    base = None
    print(f"{'solver':10}{'proven':>8}{'right':>8}{'median ms':>12}{'max ms':>12}{'ratio of medians':>18}")
    for name, solve in (("ours", ours), ("cp-sat", cp_sat), ("highs", highs)):
        times, proven, right = [], 0, 0
        for row, problem in problems:
            begin = perf_counter()
            value, done = solve(problem, arguments.seconds)
            times.append(perf_counter() - begin)
            proven += done
            right += abs(value - row["optimum"]["value"]) < 1e-3
        median = float(np.median(times))
        base = base or median
        share = f"{proven}/{len(problems)}"
        print(
            f"{name:10}{share:>8}{f'{right}/{len(problems)}':>8}{median * 1e3:>12.2f}"
            f"{max(times) * 1e3:>12.1f}{median / base:>18.1f}"
        )


if __name__ == "__main__":
    main()
