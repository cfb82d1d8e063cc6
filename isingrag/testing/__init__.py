"""For users' own tests: laws that backends and compiler passes keep."""

from isingrag.testing.backends import check_backend
from isingrag.testing.passes import check_pass

__all__ = ["check_backend", "check_pass"]
