"""Files from outside are untrusted; files of ours are canonical and written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from isingrag.errors import FileFormatError

__all__ = [
    "MAX_JSON_BYTES",
    "canonical_json",
    "inside",
    "parse_json",
    "read_json",
    "read_text",
    "write_atomic",
]

#: Largest text file that is read whole, in bytes.
MAX_JSON_BYTES = 512 * 2**20


def canonical_json(value: Any, *, indent: int | None = None) -> str:
    """JSON with sorted keys, no NaN, shortest float form; equal values give equal bytes."""
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(
        value,
        sort_keys=True,
        allow_nan=False,
        ensure_ascii=False,
        separators=separators,
        indent=indent,
        default=_plain,
    )


def _plain(value: object) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def write_atomic(path: str | os.PathLike[str], data: str | bytes) -> Path:
    """Write a file under a temporary name, then rename it: never half-written."""
    target = Path(path)
    folder = target.parent if str(target.parent) else Path(".")
    if not folder.is_dir():
        raise FileFormatError("the folder to write to does not exist", found=folder, where=target)
    raw = data.encode("utf-8") if isinstance(data, str) else data
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return target


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def read_text(path: str | os.PathLike[str], *, limit: int = MAX_JSON_BYTES) -> str:
    """Read a UTF-8 file after looking at its size.

    Raises
    ------
    FileFormatError
        Missing, a folder, larger than `limit`, or not UTF-8.
    """
    source = Path(path)
    if not source.is_file():
        raise FileFormatError("no such file", found=source, where=source)
    size = source.stat().st_size
    if size > limit:
        raise FileFormatError("the file is too large", found=f"{size} bytes", allowed=f"<= {limit} bytes", where=source)
    try:
        return source.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError("the file is not UTF-8 text", found=error, where=source) from None


def parse_json(text: str, where: object) -> Any:
    """Strict JSON: duplicate keys, NaN and Infinity are refused, and so is a truncated text."""

    def no_constant(name: str) -> Any:
        raise FileFormatError("the JSON holds a value that is not finite", found=name, where=where)

    def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result:
                raise FileFormatError("the JSON holds a key twice", found=repr(key), where=where)
            result[key] = value
        return result

    def finite(number: str) -> float:
        value = float(number)
        if not math.isfinite(value):  # 1e999 is read as infinity
            raise FileFormatError("the JSON holds a value that is not finite", found=number[:40], where=where)
        return value

    try:
        return json.loads(text, parse_constant=no_constant, parse_float=finite, object_pairs_hook=no_duplicates)
    except FileFormatError:
        raise
    except json.JSONDecodeError as error:
        raise FileFormatError(
            "the text is not JSON", found=f"{error.msg} at line {error.lineno}, column {error.colno}", where=where
        ) from None
    except ValueError:  # Python refuses whole numbers of more than 4,300 digits
        raise FileFormatError("the JSON holds a number with too many digits", where=where) from None
    except RecursionError:
        raise FileFormatError("the JSON is nested too deep", where=where) from None


def read_json(path: str | os.PathLike[str], *, limit: int = MAX_JSON_BYTES) -> Any:
    """`parse_json` of a file."""
    return parse_json(read_text(path, limit=limit), Path(path))


def inside(folder: str | os.PathLike[str], name: str) -> Path:
    """A path inside `folder`; absolute names and names that climb out of it are refused."""
    base = Path(folder).resolve()
    target = base if "\0" in name else (base / name).resolve()
    if os.path.isabs(name) or target == base or not target.is_relative_to(base):
        raise FileFormatError(
            "a path leaves its folder", found=repr(name), allowed="a relative path inside", where=base
        )
    return target
