"""Files: written whole or not at all; text from outside is read strictly."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isingrag.common.files import canonical_json, inside, parse_json, read_json, read_text, write_atomic
from isingrag.errors import FileFormatError

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_canonical_json_reads_back(value: object) -> None:
    text = canonical_json(value)
    assert parse_json(text, "test") == value
    assert canonical_json(parse_json(text, "test")) == text


def test_canonical_json_sorts_keys_and_takes_arrays() -> None:
    assert canonical_json({"b": np.array([1.5, 2]), "a": np.int64(3)}) == '{"a":3,"b":[1.5,2.0]}'


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": np.array([np.nan])}])
def test_canonical_json_refuses_what_is_not_finite(value: object) -> None:
    with pytest.raises(ValueError):
        canonical_json(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": NaN}', "not finite; found: NaN"),
        ("[-Infinity]", "not finite; found: -Infinity"),
        ("[1e999]", "not finite; found: 1e999"),
        ('{"a": 1, "a": 2}', "a key twice; found: 'a'"),
        ('{"a": {"b": 1, "b": 1}}', "a key twice; found: 'b'"),
        ('{"a": [1, 2', "not JSON.*line 1, column"),
        ("", "not JSON"),
        ("1" * 5000, "too many digits"),
        ("[" * 200_000, "nested too deep"),
    ],
    ids=["nan", "infinity", "1e999", "twice", "twice-inside", "truncated", "empty", "digits", "deep"],
)
def test_parse_json_refuses(text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message + ".*where: row 3"):
        parse_json(text, "row 3")


def test_read_refuses_missing_large_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no such file"):
        read_text(tmp_path / "absent")
    with pytest.raises(FileFormatError, match="no such file"):
        read_text(tmp_path)
    (tmp_path / "large").write_text("123456")
    with pytest.raises(FileFormatError, match="too large; found: 6 bytes; allowed: <= 5 bytes"):
        read_text(tmp_path / "large", limit=5)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match="not UTF-8"):
        read_text(tmp_path / "binary")


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_json(tmp_path / "a.json") == {"a": 1}


def test_write_replaces_whole_and_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_atomic(target, "one")
    os.chmod(target, 0o640)
    write_atomic(target, b"two")
    assert target.read_text() == "two"
    assert target.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_failing_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomic(target, "new" * 1000)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_write_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="folder to write to does not exist"):
        write_atomic(tmp_path / "no" / "a.txt", "x")


@pytest.mark.parametrize("name", ["../a", "b/../../a", "/etc/passwd", "", ".", "b/..", "a\0b", "link/a"])
def test_inside_refuses_what_leaves_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(FileFormatError, match="a path leaves its folder"):
        inside(folder, name)


def test_inside_takes_names_below(tmp_path: Path) -> None:
    assert inside(tmp_path, "a/../b/c.json") == tmp_path.resolve() / "b" / "c.json"
