"""What every pass is."""

from __future__ import annotations

from typing import Any, Protocol

from isingrag.instance import Lowering

__all__ = ["Pass"]


class Pass(Protocol):
    """A frozen step of the compiler.

    Laws, checked by `isingrag.testing.check_pass`: nothing is mutated; ``restore(extend(x)) == x``
    for the states that the pass keeps; energy differences change by at most `error_bound`; the same
    pass on the same thing with the same seed gives the same lowering.
    """

    @property
    def spec(self) -> str:
        """The pass and its options as text, enough to repeat it."""

    def lower(self, thing: Any, seed: int = 0) -> Lowering:
        """Apply the pass."""
