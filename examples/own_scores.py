"""Your own scores, a token budget and at most one passage a document."""

import numpy as np

import isingrag as ir

relevance = np.array([0.9, 0.85, 0.8, 0.4, 0.3])
overlap = np.zeros((5, 5))
overlap[0, 1] = overlap[1, 0] = 0.95  # two near-duplicates

problem = ir.SelectionProblem(
    ids=["intro", "copy of intro", "details", "appendix", "glossary"],
    linear=10 * relevance,
    pairs=-10 * overlap,
    coverage=[ir.CoverageTerm("defines the term", [3, 4], reward=4.0)],
    size=3,
    tokens=[120, 110, 300, 90, 40],
    budget=500,
    groups=[ir.GroupLimit("back matter", [3, 4], at_most=1)],
)

best = ir.solve_exact(problem)
print("proven optimum:", best.ids, f"value {best.value:.2f}")

compiled = ir.compile(problem, "fujitsu-da1", penalties="sufficient")
print(compiled.explain())

result = ir.run(compiled, reads=50, seed=0)
print(
    "machine, raw:",
    result.raw.ids,
    f"value {result.raw.value:.2f}",
    "feasible" if result.raw.feasible else "infeasible",
)
print("after repair:", result.repaired.ids, f"value {result.repaired.value:.2f}")
