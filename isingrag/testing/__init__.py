"""For users' own tests: laws that backends and passes keep, strategies, small problems with known optima.

`isingrag.testing.strategies` needs hypothesis and is imported by itself.
"""

from isingrag.testing.backends import check_backend
from isingrag.testing.passes import check_pass
from isingrag.testing.problems import brute_force

__all__ = ["brute_force", "check_backend", "check_pass"]
