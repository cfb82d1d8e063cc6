"""isingrag: select RAG passages on Ising machines.

Public names are imported when they are first used, so ``import isingrag`` is fast and loads no vendor
package. See docs/design.md for words, types and the order of the passes.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isingrag.backends import get_backend, list_backends, register_backend
    from isingrag.compiler import compile
    from isingrag.decode import decode
    from isingrag.formulate import symbolic
    from isingrag.instance import CompiledInstance, load_instance, load_samples, save_instance, save_samples
    from isingrag.problem import (
        CoverageTerm,
        DensePairs,
        EvidenceScores,
        EvidenceWeights,
        GroupLimit,
        LowRankPairs,
        Passage,
        Question,
        Selection,
        SelectionProblem,
        SparsePairs,
        diversity_problem,
        evidence_problem,
    )
    from isingrag.problem.readers import load_questions, save_questions
    from isingrag.profile import HardwareProfile, ideal_profile, list_profiles, load_profile
    from isingrag.run import Result, run
    from isingrag.run.select import select
    from isingrag.scoring import score
    from isingrag.solvers.exact import solve_exact

__version__ = "0.1.0"

_NAMES = {
    "isingrag.backends": ("get_backend", "list_backends", "register_backend"),
    "isingrag.compiler": ("compile",),
    "isingrag.decode": ("decode",),
    "isingrag.formulate": ("symbolic",),
    "isingrag.instance": ("CompiledInstance", "load_instance", "load_samples", "save_instance", "save_samples"),
    "isingrag.problem": (
        "CoverageTerm",
        "DensePairs",
        "EvidenceScores",
        "EvidenceWeights",
        "GroupLimit",
        "LowRankPairs",
        "Passage",
        "Question",
        "Selection",
        "SelectionProblem",
        "SparsePairs",
        "diversity_problem",
        "evidence_problem",
    ),
    "isingrag.problem.readers": ("load_questions", "save_questions"),
    "isingrag.profile": ("HardwareProfile", "ideal_profile", "list_profiles", "load_profile"),
    "isingrag.run": ("Result", "run"),
    "isingrag.run.select": ("select",),
    "isingrag.scoring": ("score",),
    "isingrag.solvers.exact": ("solve_exact",),
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "CompiledInstance",
    "CoverageTerm",
    "DensePairs",
    "EvidenceScores",
    "EvidenceWeights",
    "GroupLimit",
    "HardwareProfile",
    "LowRankPairs",
    "Passage",
    "Question",
    "Result",
    "Selection",
    "SelectionProblem",
    "SparsePairs",
    "compile",
    "decode",
    "diversity_problem",
    "evidence_problem",
    "get_backend",
    "ideal_profile",
    "list_backends",
    "list_profiles",
    "load_instance",
    "load_profile",
    "load_questions",
    "load_samples",
    "register_backend",
    "run",
    "save_instance",
    "save_questions",
    "save_samples",
    "score",
    "select",
    "solve_exact",
    "symbolic",
]


def __getattr__(name: str) -> Any:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module 'isingrag' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


class _Package(ModuleType):
    """Keeps ``isingrag.run`` and ``isingrag.decode`` the functions.

    The import system binds a loaded submodule to its package under the same name, which would put
    the rooms `run` and `decode` in the place of the public functions.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in _WHERE):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
