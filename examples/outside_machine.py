"""An outside machine in the middle: it reads an instance file and answers with a sample file."""

import csv
import json
import tempfile
from pathlib import Path

import numpy as np

import isingrag as ir


def machine(instance_path: Path, sample_path: Path, reads: int = 50) -> None:
    """A stand-in for your machine: random starts and greedy flips, knowing nothing of isingrag."""
    data = json.loads(instance_path.read_text(encoding="utf-8"))
    target = data["target"]
    n = len(target["names"])
    weights = np.zeros((n, n))
    weights[target["rows"], target["columns"]] = target["values"]
    weights += weights.T
    low, high = (-1, 1) if target["vartype"] == "SPIN" else (0, 1)
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(reads):
        z = rng.choice([low, high], size=n)
        while True:
            change = (low + high - 2 * z) * (np.array(target["linear"]) + weights @ z)
            if change.min() >= -1e-9:
                break
            z[change.argmin()] = low + high - z[change.argmin()]
        rows.append(z.tolist())
    with sample_path.open("w", newline="", encoding="utf-8") as stream:
        stream.write(f"# isingrag-samples 1 {data['digests']['instance']}\n")
        csv.writer(stream).writerows([target["names"], *rows])


rng = np.random.default_rng(7)
problem = ir.SelectionProblem([f"p{i}" for i in range(12)], rng.uniform(0, 5, 12), size=4)
compiled = ir.compile(problem, ir.ideal_profile(bits=10), penalties="sufficient")

with tempfile.TemporaryDirectory() as name:
    instance, samples = Path(name) / "instance.json", Path(name) / "samples.csv"
    ir.save_instance(compiled, instance)
    machine(instance, samples)
    again = ir.load_instance(instance)
    answers = ir.decode(again, ir.load_samples(samples, again))

print(f"{len(answers)} reads, {answers.feasible_share:.0%} feasible")
print("best:", answers.best)
print("optimum:", ir.solve_exact(problem))
