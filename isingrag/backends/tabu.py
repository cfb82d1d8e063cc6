"""tabu: tabu search of dwave-samplers, a software reference."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from isingrag.backends.base import check_request, sample_set
from isingrag.common.options import check_options
from isingrag.common.seeds import stage_seed
from isingrag.model import Quadratic

__all__ = ["TabuBackend"]

#: The sampler works on 32-bit-safe values best when coefficients are of the order of one (L25).
TARGET_SCALE = 1.0


class TabuBackend:
    """`dwave.samplers.TabuSampler`.

    Options
    -------
    timeout : int, default 2000
        Milliseconds a read; a read also ends after `num_restarts` restarts.
    num_restarts : int, default 10
        Restarts after the first run; together with a generous timeout a run is repeatable.
    tenure : int, optional
    """

    name = "tabu"

    def sample(self, bqm: Any, profile: Any = None, *, reads: int = 100, seed: int = 0, **options: Any) -> Any:
        """See `Backend.sample`."""
        check_options("backend tabu", options, ("timeout", "num_restarts", "tenure"))
        form = check_request(bqm, reads, seed)
        if profile is not None:
            profile.require(form)
        start = perf_counter()
        settings = {"timeout": 2000, "num_restarts": 10, **options}
        states = np.ones((reads, 0), dtype=np.int8)
        if form.count:
            states = _tabu(form, reads, stage_seed(seed, "tabu"), settings)
        info = {"backend": self.name, **settings, "seconds": perf_counter() - start}
        return sample_set(form, states, info, getattr(bqm, "variables", None))


def _tabu(form: Quadratic, reads: int, seed: int, settings: dict[str, Any]) -> Any:
    from dwave.samplers import TabuSampler

    binary = form.as_vartype("BINARY")
    largest = max(binary.max_linear, binary.max_quadratic)
    plain = binary.scaled(TARGET_SCALE / largest if largest > 0 else 1.0).to_bqm()
    plain.relabel_variables(dict(zip(form.names, range(form.count), strict=True)))
    answer = TabuSampler().sample(plain, num_reads=reads, seed=seed, **settings)
    columns = np.argsort(np.array(list(answer.variables)))
    states = answer.record.sample[:, columns].astype(np.int8)
    return (2 * states - 1).astype(np.int8) if form.vartype == "SPIN" else states
