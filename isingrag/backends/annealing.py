"""annealing: simulated annealing of dwave-samplers, a software reference."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from isingrag.backends.base import check_request, sample_set
from isingrag.common.options import check_options
from isingrag.common.seeds import stage_seed

__all__ = ["AnnealingBackend"]


class AnnealingBackend:
    """`dwave.samplers.SimulatedAnnealingSampler`.

    Options
    -------
    num_sweeps : int, default 1000
    beta_range : (float, float), optional
        Inverse temperatures in the BQM's units; the sampler's own estimate by default.
    beta_schedule_type : {'geometric', 'linear'}
    """

    name = "annealing"

    def sample(self, bqm: Any, profile: Any = None, *, reads: int = 100, seed: int = 0, **options: Any) -> Any:
        """See `Backend.sample`."""
        check_options("backend annealing", options, ("num_sweeps", "beta_range", "beta_schedule_type"))
        form = check_request(bqm, reads, seed)
        if profile is not None:
            profile.require(form)
        start = perf_counter()
        info = {"backend": self.name, "num_sweeps": 1000, **options}
        states = np.ones((reads, 0), dtype=np.int8)
        if form.count:
            from dwave.samplers import SimulatedAnnealingSampler

            # Positions as labels: the sampler is faster, and no label can be mistaken for another.
            plain = form.as_vartype("SPIN").to_bqm()
            plain.relabel_variables(dict(zip(form.names, range(form.count), strict=True)))
            answer = SimulatedAnnealingSampler().sample(
                plain, num_reads=reads, seed=stage_seed(seed, "annealing"), **options
            )
            columns = np.argsort(np.array(list(answer.variables)))
            states = answer.record.sample[:, columns].astype(np.int8)
            if form.vartype == "BINARY":
                states = ((states + 1) // 2).astype(np.int8)
            info["beta_range"] = [float(b) for b in answer.info["beta_range"]]
        info["seconds"] = perf_counter() - start
        return sample_set(form, states, info, getattr(bqm, "variables", None))
