"""exact: all ground states of a small target, with proof."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from isingrag.backends.base import check_request, sample_set
from isingrag.common.options import check_options
from isingrag.solvers.exact_ising import ground_states

__all__ = ["ExactBackend"]


class ExactBackend:
    """Enumeration of up to 30 variables; the sample set's info gives the number of ties."""

    name = "exact"

    def sample(self, bqm: Any, profile: Any = None, *, reads: int = 100, seed: int = 0, **options: Any) -> Any:
        """At most `reads` ground states in counting order; see `Backend.sample`.

        Raises
        ------
        TooLarge
            More than 30 variables.
        """
        check_options("backend exact", options, ())
        form = check_request(bqm, reads, seed)
        if profile is not None:
            profile.require(form)
        start = perf_counter()
        found = ground_states(form, limit=reads)
        info = {"backend": self.name, "ties": found.ties, "proven": True, "seconds": perf_counter() - start}
        return sample_set(form, found.states, info, getattr(bqm, "variables", None))
