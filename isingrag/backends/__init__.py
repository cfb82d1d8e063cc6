"""Backends: machines and their emulators behind one interface."""

from isingrag.backends.base import Backend, sample_set
from isingrag.backends.registry import backend_for, get_backend, list_backends, register_backend

__all__ = ["Backend", "backend_for", "get_backend", "list_backends", "register_backend", "sample_set"]
