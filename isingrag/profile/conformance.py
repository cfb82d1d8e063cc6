"""Can a machine hold an instance? Each check answers pass, fail or not evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from isingrag.errors import ConformanceError, RangeError, TooLarge

__all__ = ["Check", "Conformance"]


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes
    ----------
    name : str
        ``size``, ``vartype``, ``topology``, ``bias``, ``coupling``, ``coupling_total``.
    status : {'pass', 'fail', 'not evaluated'}
    found, allowed, where : str
        What the instance has, what the machine allows, and the first place that breaks it.
    """

    name: str
    status: Literal["pass", "fail", "not evaluated"]
    found: str = ""
    allowed: str = ""
    where: str = ""


@dataclass(frozen=True)
class Conformance:
    """All checks of one instance against one profile."""

    profile: str
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """True when no check failed; checks that were not evaluated don't fail."""
        return all(check.status != "fail" for check in self.checks)

    @property
    def not_evaluated(self) -> tuple[str, ...]:
        """Names of checks that need an unknown figure."""
        return tuple(check.name for check in self.checks if check.status == "not evaluated")

    def require(self) -> None:
        """Raise for the first failed check.

        Raises
        ------
        TooLarge
            More variables than the machine has.
        RangeError
            A coefficient outside a register.
        ConformanceError
            Anything else.
        """
        kinds = {"size": TooLarge, "bias": RangeError, "coupling": RangeError, "coupling_total": RangeError}
        for check in self.checks:
            if check.status == "fail":
                raise kinds.get(check.name, ConformanceError)(
                    f"the instance does not fit {self.profile}: {check.name}",
                    found=check.found,
                    allowed=check.allowed,
                    where=check.where or None,
                )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"profile": self.profile, "ok": self.ok, "checks": [vars(check) for check in self.checks]}
