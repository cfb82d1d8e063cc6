"""Instance files: canonical JSON with schema and package versions, seed and digests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from isingrag.common.files import canonical_json, read_json, write_atomic
from isingrag.errors import DigestMismatch, FileFormatError, IsingragError
from isingrag.instance.instance import CompiledInstance
from isingrag.instance.lowering import Lowering
from isingrag.model import Model, Quadratic
from isingrag.problem import SelectionProblem
from isingrag.profile import HardwareProfile

__all__ = ["instance_from_dict", "instance_to_dict", "load_instance", "save_instance"]

FORMAT = "isingrag-instance"
SCHEMA_VERSION = 1


def instance_to_dict(compiled: CompiledInstance) -> dict[str, Any]:
    """The file's content."""
    versions = {name: _version(name) for name in ("isingrag", "numpy", "dimod")}
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "versions": versions,
        "digests": {
            "instance": compiled.digest,
            "problem": compiled.problem.digest,
            "profile": compiled.profile.digest,
        },
        **compiled.to_dict(),
    }


def save_instance(compiled: CompiledInstance, path: str | os.PathLike[str]) -> Path:
    """Write an instance file; two equal compiles give equal bytes."""
    return write_atomic(path, canonical_json(instance_to_dict(compiled)) + "\n")


def load_instance(path: str | os.PathLike[str]) -> CompiledInstance:
    """Read an instance file and check its digests.

    Raises
    ------
    FileFormatError
        Not an instance file, truncated, of another schema version, or with a malformed part.
    DigestMismatch
        Its content was altered.
    """
    return instance_from_dict(read_json(path), Path(path).name)


def instance_from_dict(data: Any, where: str = "instance") -> CompiledInstance:
    """Read what `instance_to_dict` wrote; see `load_instance`."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise FileFormatError("not an instance file", allowed=f'"format": "{FORMAT}"', where=where)
    if data.get("schema_version") != SCHEMA_VERSION:
        raise FileFormatError(
            "another schema version", found=data.get("schema_version"), allowed=SCHEMA_VERSION, where=where
        )
    try:
        compiled = CompiledInstance(
            problem=SelectionProblem.from_dict(data["problem"]),
            model=Model.from_dict(data["model"]),
            quadratic=Quadratic.from_dict(data["target"]),
            profile=HardwareProfile.from_dict(data["profile"], where),
            trace=tuple(Lowering.from_dict(step) for step in data["trace"]),
            assumptions=tuple(data["assumptions"]),
            seed=data["seed"],
            options=data["options"],
        )
        digests = dict(data["digests"])
        found = {
            "instance": compiled.digest,
            "problem": compiled.problem.digest,
            "profile": compiled.profile.digest,
        }
    except FileFormatError:
        raise
    except (IsingragError, LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FileFormatError(
            "the instance file is malformed", found=f"{type(error).__name__}: {error}"[:300], where=where
        ) from None
    for name, digest in found.items():
        if digests.get(name) != digest:
            raise DigestMismatch(
                f"the {name} digest does not match: the file was altered",
                found=digest,
                allowed=digests.get(name),
                where=where,
            )
    return compiled


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
