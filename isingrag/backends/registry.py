"""Names and dynamics to backends; modules are imported when asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from isingrag.backends.base import Backend
from isingrag.errors import BackendError, InputError, UnknownName, nearest

if TYPE_CHECKING:
    from isingrag.profile import HardwareProfile

__all__ = ["backend_for", "get_backend", "list_backends", "register_backend"]

_MODULES: dict[str, tuple[str, str]] = {
    "exact": ("isingrag.backends.exact", "ExactBackend"),
    "annealing": ("isingrag.backends.annealing", "AnnealingBackend"),
    "tabu": ("isingrag.backends.tabu", "TabuBackend"),
    "digital_annealer": ("isingrag.backends.digital_annealer", "DigitalAnnealerBackend"),
}
_ALIASES = {"neal": "annealing", "digital-annealer": "digital_annealer"}
_DYNAMICS = {"digital_annealer": "digital_annealer", "annealing": "annealing"}
_REGISTERED: dict[str, Callable[[], Backend]] = {}


def list_backends() -> list[str]:
    """Names of all backends, sorted."""
    return sorted({*_MODULES, *_REGISTERED})


def register_backend(name: str, factory: Callable[[], Backend]) -> None:
    """Add a backend of your own under a new name.

    Raises
    ------
    InputError
        The name is taken.
    """
    if name in _MODULES or name in _ALIASES or name in _REGISTERED:
        raise InputError("a backend of this name exists", found=repr(name), allowed="a new name", where="backend")
    _REGISTERED[name] = factory


def get_backend(backend: str | Backend) -> Backend:
    """A backend by name (``neal`` is ``annealing``), or the object itself.

    Raises
    ------
    UnknownName
        Lists the nearest names.
    """
    if not isinstance(backend, str):
        if not isinstance(backend, Backend):
            raise InputError(
                "not a backend", found=type(backend).__name__, allowed="a name, or name + sample()", where="backend"
            )
        return backend
    name = _ALIASES.get(backend, backend)
    if name in _REGISTERED:
        return _REGISTERED[name]()
    if name not in _MODULES:
        raise UnknownName(
            "unknown backend",
            found=repr(backend),
            allowed=nearest(backend, [*list_backends(), *_ALIASES]),
            where="backend",
        )
    module, attribute = _MODULES[name]
    made: Any = getattr(importlib.import_module(module), attribute)()
    result: Backend = made
    return result


def backend_for(profile: HardwareProfile) -> Backend:
    """The emulator of a profile's dynamics.

    Raises
    ------
    BackendError
        The dynamics are unknown or have no emulator in this release.
    """
    dynamics = profile.data.dynamics
    if dynamics not in _DYNAMICS:
        raise BackendError(
            f"{profile.name} has no emulator here",
            found=f"dynamics {dynamics or 'unknown'}",
            allowed=f"backend= one of {', '.join(list_backends())}",
            where="backend",
        )
    return get_backend(_DYNAMICS[dynamics])
