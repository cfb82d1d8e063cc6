"""The problem as a PyQUBO expression, with a term of your own added on the right."""

from pyqubo import Binary, Placeholder

import isingrag as ir

problem = ir.SelectionProblem(["a", "b", "c", "d"], [3.0, 2.0, 2.0, 1.0], size=2)
expression = ir.symbolic(problem)
print(expression)

# Energies are minimised, so a positive product keeps two passages apart.
apart = Placeholder("apart") * Binary("x[a]") * Binary("x[b]")
compiled = ir.compile(expression + apart, "ideal", problem=problem, parameters={"apart": 5.0})
result = ir.run(compiled, reads=20, seed=0)

print("without the term:", ir.solve_exact(problem).ids)
print("with the term:", result.ids, "proven:", ir.solve_exact(compiled.problem).ids)
