"""Sample files of outside machines: CSV, JSON or NPZ, spins or bits.

Each carries the digest of the instance that was sampled:

- CSV: first line ``# isingrag-samples 1 <digest>``, then a header of variable names and one read a line;
- JSON: ``{"format": "isingrag-samples", "schema_version": 1, "instance": <digest>,
  "variables": [...], "samples": [[...]]}``;
- NPZ: arrays ``samples`` (R, n) of whole numbers, ``variables`` (n) and ``instance`` (text).
"""

from __future__ import annotations

import csv
import io
import os
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isingrag.common.files import canonical_json, parse_json, read_text, write_atomic
from isingrag.errors import DigestMismatch, FileFormatError, InputError
from isingrag.instance.instance import CompiledInstance
from isingrag.states import as_states
from isingrag.states.maps import States

__all__ = ["load_samples", "save_samples"]

FORMAT = "isingrag-samples"
#: Largest number of values (reads times variables) that is read.
MAX_VALUES = 200_000_000
#: Largest text array of an NPZ file, in bytes.
MAX_TEXT_BYTES = 2**28


def save_samples(compiled: CompiledInstance, samples: Any, path: str | os.PathLike[str]) -> Path:
    """Write samples of an instance; the format follows the file's ending (.csv, .json, .npz)."""
    form = compiled.quadratic
    states = as_states(samples, form.names, form.vartype)
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        data = {
            "format": FORMAT,
            "schema_version": 1,
            "instance": compiled.digest,
            "variables": list(form.names),
            "samples": states,
        }
        return write_atomic(path, canonical_json(data) + "\n")
    if suffix == ".csv":
        text = io.StringIO(newline="")
        text.write(f"# {FORMAT} 1 {compiled.digest}\n")
        # Quoted: names may hold line ends that the writer does not quote on its own.
        csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(form.names)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows(states.tolist())
        return write_atomic(path, text.getvalue())
    if suffix == ".npz":
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer, samples=states, variables=np.array(form.names, dtype=str), instance=np.array(compiled.digest)
        )
        return write_atomic(path, buffer.getvalue())
    raise InputError("unknown sample format", found=suffix, allowed=".csv, .json or .npz", where=Path(path).name)


def load_samples(path: str | os.PathLike[str], compiled: CompiledInstance) -> States:
    """Read samples of an instance, shape (R, n), in the target's order and vartype.

    Raises
    ------
    DigestMismatch
        The samples belong to another instance.
    FileFormatError
        Malformed, truncated, oversized, or holding pickled objects; nothing is unpickled.
    InputError
        A variable is missing or unknown, or a value is neither spin nor bit.
    """
    source = Path(path)
    readers = {".csv": _read_csv, ".json": _read_json, ".npz": _read_npz}
    reader = readers.get(source.suffix.lower())
    if reader is None:
        raise FileFormatError(
            "unknown sample format", found=source.suffix, allowed=".csv, .json or .npz", where=source.name
        )
    digest, variables, values = reader(source)
    if digest != compiled.digest:
        raise DigestMismatch(
            "the samples belong to another instance", found=digest, allowed=compiled.digest, where=source.name
        )
    if len(set(variables)) != len(variables):
        raise FileFormatError("a variable is listed twice", where=source.name)
    names = compiled.quadratic.names
    if set(variables) != set(names):
        missing = [name for name in names if name not in set(variables)]
        extra = [name for name in variables if name not in set(names)]
        raise InputError("the variables differ", found=f"missing {missing[:3]}, unknown {extra[:3]}", where=source.name)
    position = {name: column for column, name in enumerate(variables)}
    ordered = values[:, [position[name] for name in names]] if len(names) else values
    return as_states(ordered, names, compiled.quadratic.vartype)


def _table(rows: Sequence[Sequence[Any]], width: int, where: str) -> np.ndarray[Any, Any]:
    if len(rows) * max(width, 1) > MAX_VALUES:
        raise FileFormatError("too many samples", found=len(rows) * width, allowed=MAX_VALUES, where=where)
    for r, row in enumerate(rows):
        if not isinstance(row, (list, tuple)) or len(row) != width:
            raise FileFormatError("a read has the wrong length", allowed=f"{width} values", where=f"{where}, read {r}")
    try:
        return np.array(rows, dtype=np.float64).reshape(len(rows), width)
    except (TypeError, ValueError, OverflowError) as error:
        raise FileFormatError("a sample is not a number", found=error, where=where) from None


def _read_csv(path: Path) -> tuple[str, list[str], np.ndarray[Any, Any]]:
    text = io.StringIO(read_text(path), newline="")  # splitlines() would also cut at U+2028 and the like
    head = text.readline().split()
    if len(head) != 4 or head[:3] != ["#", FORMAT, "1"]:
        raise FileFormatError("not a sample file", allowed=f"# {FORMAT} 1 <digest>", where=f"{path.name}, line 1")
    try:
        rows = list(csv.reader(text, strict=True))
    except csv.Error as error:
        raise FileFormatError("the CSV is malformed", found=error, where=path.name) from None
    if not rows:
        raise FileFormatError("the CSV has no header", where=f"{path.name}, line 2")
    body = [row for row in rows[1:] if row or not rows[0]]
    return head[3], rows[0], _table(body, len(rows[0]), path.name)


def _read_json(path: Path) -> tuple[str, list[str], np.ndarray[Any, Any]]:
    data = parse_json(read_text(path), path.name)
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("schema_version") != 1:
        raise FileFormatError("not a sample file", allowed=f'"format": "{FORMAT}", version 1', where=path.name)
    variables, samples = data.get("variables"), data.get("samples")
    if not isinstance(variables, list) or not isinstance(samples, list):
        raise FileFormatError("variables or samples are missing", allowed="two lists", where=path.name)
    return str(data.get("instance")), [str(v) for v in variables], _table(samples, len(variables), path.name)


def _read_npz(path: Path) -> tuple[str, list[str], np.ndarray[Any, Any]]:
    """Array headers are looked at before any data is read, and pickles are never loaded."""
    if not path.is_file():
        raise FileFormatError("no such file", found=path.name, where=path.name)
    try:
        with zipfile.ZipFile(path) as archive:
            found = {
                name.removesuffix(".npy"): _read_member(archive, name, path.name) for name in _members(archive, path)
            }
    except FileFormatError:
        raise
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, SyntaxError) as error:
        raise FileFormatError("the NPZ is broken", found=error, where=path.name) from None
    samples, variables = found["samples"], found["variables"]
    if samples.ndim != 2 or variables.ndim != 1 or samples.shape[1] != variables.size or found["instance"].ndim != 0:
        raise FileFormatError(
            "the arrays don't fit together",
            found=f"samples {samples.shape}, variables {variables.shape}",
            where=path.name,
        )
    return str(found["instance"]), [str(v) for v in variables], samples


def _members(archive: zipfile.ZipFile, path: Path) -> list[str]:
    names = archive.namelist()
    wanted = {"samples.npy", "variables.npy", "instance.npy"}
    if set(names) != wanted or len(names) != len(wanted):
        raise FileFormatError("unexpected members", found=sorted(names)[:5], allowed=sorted(wanted), where=path.name)
    return names


def _read_member(archive: zipfile.ZipFile, name: str, where: str) -> np.ndarray[Any, Any]:
    with archive.open(name) as stream:
        try:
            version = np.lib.format.read_magic(stream)
            reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = reader(stream)
        except (ValueError, EOFError) as error:
            raise FileFormatError("an array header is malformed", found=error, where=f"{where}, {name}") from None
    kinds = "iu" if name == "samples.npy" else "U"
    size = int(np.prod(shape, dtype=object)) if shape else 1
    if dtype.hasobject or dtype.kind not in kinds:
        raise FileFormatError(
            "an array has a type that is not allowed",
            found=dtype,
            allowed="integers and text",
            where=f"{where}, {name}",
        )
    limit = 8 * MAX_VALUES if kinds == "iu" else MAX_TEXT_BYTES
    declared = archive.getinfo(name).file_size
    if min(shape, default=0) < 0 or size > MAX_VALUES or size * dtype.itemsize > min(limit, declared):
        raise FileFormatError(
            "an array declares more than the file may hold",
            found=f"{size} values of {dtype.itemsize} bytes, {declared} bytes stored",
            allowed=f"<= {MAX_VALUES} values and {limit} bytes, all of them stored",
            where=f"{where}, {name}",
        )
    with archive.open(name) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
