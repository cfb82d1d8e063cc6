"""Instance and sample files: round trips, and what is refused."""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import isingrag as ir
from isingrag.errors import DigestMismatch, FileFormatError, InputError
from isingrag.instance import CompiledInstance

IDS = ['plain, with "quotes"', "two\nlines", "übrig", "x2"]


def compiled(size: int = 2, bits: int = 8) -> CompiledInstance:
    problem = ir.SelectionProblem(
        IDS,
        [3.0, 2.5, -1.0, 1.25],
        [[0, -2, 0, 0], [-2, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]],
        [ir.CoverageTerm("c", [1, 2], 2.0)],
        size=size,
        pinned=["x2"],
    )
    return ir.compile(problem, ir.ideal_profile(bits), lowering="paper", penalties="sufficient")


@pytest.fixture
def instance() -> CompiledInstance:
    return compiled()


def states_of(instance: CompiledInstance, reads: int = 7) -> np.ndarray:
    rng = np.random.default_rng(3)
    return (2 * rng.integers(0, 2, size=(reads, instance.spins)) - 1).astype(np.int8)


def test_an_instance_comes_back_equal(instance: CompiledInstance, tmp_path: Path) -> None:
    path = ir.save_instance(instance, tmp_path / "a.json")
    again = ir.load_instance(path)
    assert again == instance
    assert again.problem == instance.problem
    assert again.quadratic == instance.quadratic
    states = states_of(instance)
    assert (again.item_masks(again.restore(states)) == instance.item_masks(instance.restore(states))).all()
    assert ir.save_instance(again, tmp_path / "b.json").read_bytes() == path.read_bytes()


def test_two_compiles_are_byte_equal_in_other_processes(tmp_path: Path) -> None:
    code = (
        "import isingrag as ir, sys; p = ir.SelectionProblem(list('dbca'), [1, 2, 3, 4], size=2, "
        "coverage=[ir.CoverageTerm('c', [0, 2], 1.5)]); ir.save_instance(ir.compile(p, 'ideal-6'), sys.argv[1])"
    )
    found = set()
    for number in (1, 2):
        path = tmp_path / f"{number}.json"
        env = {**os.environ, "PYTHONHASHSEED": str(number)}
        subprocess.run([sys.executable, "-c", code, str(path)], check=True, env=env)
        found.add(path.read_bytes())
    assert len(found) == 1


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_instance_is_refused_whole(instance: CompiledInstance, tmp_path: Path, share: float) -> None:
    path = ir.save_instance(instance, tmp_path / "a.json")
    raw = path.read_bytes()
    path.write_bytes(raw[: int(share * (len(raw) - 2))])
    with pytest.raises(FileFormatError, match="not JSON"):
        ir.load_instance(path)


def change(path: Path, key: str, value: object) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    target = data
    *folders, last = key.split(".")
    for folder in folders:
        target = target[folder]
    target[last] = value
    path.write_text(json.dumps(data), encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "value", "error", "says"),
    [
        ("schema_version", 2, FileFormatError, "schema version"),
        ("format", "something", FileFormatError, "not an instance file"),
        ("target.offset", 1e6, DigestMismatch, "altered"),
        ("seed", 9, DigestMismatch, "altered"),
        ("profile.variables", 3, DigestMismatch, "altered"),
        ("problem.size", 3, DigestMismatch, "altered"),
        ("problem.size", 0, FileFormatError, "malformed"),
        ("target.linear", "text", FileFormatError, "malformed"),
        ("trace", [{"spec": "x"}], FileFormatError, "malformed"),
        ("digests", {}, DigestMismatch, "altered"),
    ],
)
def test_an_altered_instance_is_refused(
    instance: CompiledInstance, tmp_path: Path, key: str, value: object, error: type[Exception], says: str
) -> None:
    path = ir.save_instance(instance, tmp_path / "a.json")
    change(path, key, value)
    with pytest.raises(error, match=says):
        ir.load_instance(path)


@pytest.mark.parametrize("suffix", [".csv", ".json", ".npz"])
@pytest.mark.parametrize("bits", [False, True])
def test_samples_come_back_in_any_format(instance: CompiledInstance, tmp_path: Path, suffix: str, bits: bool) -> None:
    states = states_of(instance)
    given = (states + 1) // 2 if bits else states
    path = ir.save_samples(instance, given, tmp_path / f"samples{suffix}")
    assert (ir.load_samples(path, instance) == states).all()


def test_variables_are_joined_by_name(instance: CompiledInstance, tmp_path: Path) -> None:
    states = states_of(instance)
    path = ir.save_samples(instance, states, tmp_path / "s.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    order = list(reversed(range(instance.spins)))
    data["variables"] = [data["variables"][v] for v in order]
    data["samples"] = [[row[v] for v in order] for row in data["samples"]]
    path.write_text(json.dumps(data), encoding="utf-8")
    assert (ir.load_samples(path, instance) == states).all()


@pytest.mark.parametrize("suffix", [".csv", ".json", ".npz"])
def test_samples_of_another_instance_are_refused(instance: CompiledInstance, tmp_path: Path, suffix: str) -> None:
    path = ir.save_samples(instance, states_of(instance), tmp_path / f"s{suffix}")
    with pytest.raises(DigestMismatch, match="another instance"):
        ir.load_samples(path, compiled(bits=9))


@pytest.mark.parametrize(
    ("part", "value", "error", "says"),
    [
        ("variables", lambda v: v[1:], FileFormatError, "wrong length"),
        ("variables", lambda v: ["other", *v[1:]], InputError, "unknown \\['other'\\]"),
        ("variables", lambda v: [v[0], v[0], *v[2:]], FileFormatError, "twice"),
        ("samples", lambda s: [[3, *s[0][1:]], *s[1:]], InputError, "neither spin nor bit"),
        ("samples", lambda s: [["a", *s[0][1:]], *s[1:]], FileFormatError, "not a number"),
        ("samples", lambda s: [s[0][1:], *s[1:]], FileFormatError, "read 0"),
        ("samples", lambda s: "text", FileFormatError, "two lists"),
    ],
)
def test_malformed_json_samples(
    instance: CompiledInstance, tmp_path: Path, part: str, value: object, error: type[Exception], says: str
) -> None:
    path = ir.save_samples(instance, states_of(instance), tmp_path / "s.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    data[part] = value(data[part])  # type: ignore[operator]
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(error, match=says):
        ir.load_samples(path, instance)


def npz(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in members.items():
            archive.writestr(name, raw)
    return path


def npy(array: np.ndarray, **options: bool) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, **options)
    return buffer.getvalue()


def parts(instance: CompiledInstance) -> dict[str, bytes]:
    return {
        "samples.npy": npy(states_of(instance)),
        "variables.npy": npy(np.array(instance.quadratic.names)),
        "instance.npy": npy(np.array(instance.digest)),
    }


class Planted:
    """Leaves a trace when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (self.path,))


def test_a_pickle_inside_npz_is_never_loaded(instance: CompiledInstance, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    assert pickle.dumps(Planted(str(trap)))
    planted = npy(np.array([Planted(str(trap))], dtype=object), allow_pickle=True)
    for member in ("samples.npy", "variables.npy", "instance.npy"):
        path = npz(tmp_path / "s.npz", {**parts(instance), member: planted})
        with pytest.raises(FileFormatError, match="type that is not allowed"):
            ir.load_samples(path, instance)
    assert not trap.exists()


def test_an_oversized_header_is_refused_before_memory_is_taken(instance: CompiledInstance, tmp_path: Path) -> None:
    raw = io.BytesIO()
    header = {"descr": "|i1", "fortran_order": False, "shape": (10**12, 10**3)}
    np.lib.format.write_array_header_1_0(raw, header)
    path = npz(tmp_path / "s.npz", {**parts(instance), "samples.npy": raw.getvalue() + b"\x01" * 64})
    with pytest.raises(FileFormatError, match="declares more than the file may hold"):
        ir.load_samples(path, instance)


@pytest.mark.parametrize("name", ["../evil.npy", "/evil.npy", "extra.npy"])
def test_members_that_do_not_belong_are_refused(instance: CompiledInstance, tmp_path: Path, name: str) -> None:
    path = npz(tmp_path / "s.npz", {**parts(instance), name: b"x"})
    with pytest.raises(FileFormatError, match="unexpected members"):
        ir.load_samples(path, instance)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s.npz"]


def test_broken_files_are_named(instance: CompiledInstance, tmp_path: Path) -> None:
    (tmp_path / "s.npz").write_bytes(b"PK\x03\x04 not a zip")
    (tmp_path / "s.csv").write_text("a,b\n1,0\n", encoding="utf-8")
    (tmp_path / "s.txt").write_text("", encoding="utf-8")
    for name, says in (
        ("s.npz", "NPZ"),
        ("s.csv", "line 1"),
        ("s.txt", ".csv, .json or .npz"),
        ("none.csv", "no such"),
    ):
        with pytest.raises(FileFormatError, match=says):
            ir.load_samples(tmp_path / name, instance)


def test_a_failed_write_leaves_nothing(instance: CompiledInstance, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown sample format"):
        ir.save_samples(instance, states_of(instance), tmp_path / "s.xyz")
    with pytest.raises(InputError):
        ir.save_samples(instance, np.full((2, instance.spins), 5), tmp_path / "s.csv")
    assert list(tmp_path.iterdir()) == []
