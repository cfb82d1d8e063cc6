"""Own TOML files, unknown names, and the messages of malformed files."""

import pytest

from isingrag.errors import FileFormatError, InputError, ProfileError, UnknownName
from isingrag.profile import HardwareProfile, ideal_profile, load_profile

OWN = """
schema_version = 1
name = "my-chip"
variables = 12
vartype = "Ising"
[topology]
type = "complete"
[coupling]
bits = 4
signed = true
"""


def _write(tmp_path, text, name="own.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_unknown_name_lists_near_ones():
    with pytest.raises(UnknownName, match="fujitsu-da1"):
        load_profile("fujitsu-da")


def test_hyphens_and_underscores_are_one_name():
    assert load_profile("brim_64spin_65nm") == load_profile("brim-64spin-65nm")


@pytest.mark.parametrize(("name", "bits"), [("ideal-8", 8), ("ideal_8", 8), ("ideal-2", 2)])
def test_ideal_with_a_width(name, bits):
    profile = load_profile(name)
    assert profile == ideal_profile(bits=bits)
    assert profile.bias_grid.high == profile.coupling_grid.high == 2 ** (bits - 1) - 1


def test_ideal_is_float_without_limits():
    profile = load_profile("ideal")
    assert not profile.bias_grid.discrete
    assert profile.bias_grid.bits is None
    assert profile.assumptions() == ("variables unknown: left unconstrained",)


@pytest.mark.parametrize("bad", [1, 0, -3, True, 2.5, "8"])
def test_a_width_below_two_is_refused(bad):
    with pytest.raises(InputError, match="bits"):
        ideal_profile(bits=bad)


@pytest.mark.parametrize("name", ["ideal-1", "ideal-0", "ideal-²", "ideal-", "ideal-x", "", "../etc/passwd"])
def test_names_that_are_no_profile(name):
    with pytest.raises(InputError):
        load_profile(name)


def test_own_file(tmp_path):
    for path in (_write(tmp_path, OWN), str(_write(tmp_path, OWN))):
        profile = load_profile(path)
        assert profile.name == "my-chip"
        assert profile.vartype == "SPIN"
        assert profile.coupling_grid.high == 7
        assert "bias.bits unknown: left unconstrained" in profile.assumptions()


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    path = tmp_path / "own.toml"
    path.write_bytes(b"\xef\xbb\xbf" + OWN.replace("\n", "\r\n").encode())
    assert load_profile(path).variables == 12


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (("bits = 4", "bits = 1"), "coupling.bits"),
        (("bits = 4", "bits = 5000"), "coupling.bits"),
        (("bits = 4", "bitz = 4"), "coupling.bitz"),
        (("variables = 12", "variables = 0"), "variables"),
        (("variables = 12", 'variables = "many"'), "variables"),
        (('"Ising"', '"Potts"'), "vartype"),
        (('"complete"', '"torus"'), "topology.type"),
        (('"my-chip"', '"My Chip"'), "name"),
        (("schema_version = 1", "schema_version = 2"), "schema_version"),
        (("signed = true", "range = [1, 2]"), "coupling"),
        (("signed = true", "range = [2, -2]"), "coupling"),
        (("signed = true", "range = [-2, nan]"), "coupling.range.1"),
        (("signed = true", "levels = [0, 1, 1]"), "coupling"),
        (("signed = true", "levels = [1, 2]"), "coupling"),
        (("signed = true", "levels = 1"), "coupling"),
        (("signed = true", "levels = -3"), "coupling"),
        (("signed = true", "levels = {count = 4, min = -1, max = 1}"), "coupling"),
        (("signed = true", "levels = {count = 3, min = 1, max = 3}"), "coupling"),
        (("signed = true", "levels = {count = 3, min = 3, max = 1}"), "coupling.levels"),
        (("signed = true", "levels = {count = 1, min = -1, max = 1}"), "coupling.levels"),
        (('type = "complete"', 'type = "explicit"'), "topology"),
        (('type = "complete"', 'type = "explicit"\nnodes = [0, 1]\nedges = [[0, 2]]'), "topology"),
        (("schema_version = 1", 'sources = [{fields = ["variables"], tag = "primary", cite = "X"}]'), "profile"),
    ],
)
def test_a_malformed_file_names_the_field(tmp_path, change, field):
    text = OWN.replace(*change)
    assert text != OWN
    with pytest.raises(ProfileError, match=f"profile field '{field}"):
        load_profile(_write(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        "name = ",
        "name = 'a'\nname = 'b'",
        "x = " + "[" * 100_000,
        "variables = " + "9" * 5000,
        "not toml at all",
    ],
    ids=["no value", "twice", "deep", "long number", "text"],
)
def test_what_is_not_toml_is_a_format_error(tmp_path, text):
    with pytest.raises(FileFormatError, match="not TOML"):
        load_profile(_write(tmp_path, text))


def test_missing_oversized_and_binary_files(tmp_path, monkeypatch):
    with pytest.raises(FileFormatError, match="no such file"):
        load_profile(tmp_path / "none.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(FileFormatError, match="no such file"):
        load_profile(tmp_path / "folder.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "caf\xe9"')
    with pytest.raises(FileFormatError, match="UTF-8"):
        load_profile(path)
    from isingrag.profile import library

    monkeypatch.setattr(library, "MAX_PROFILE_BYTES", 10)
    with pytest.raises(FileFormatError, match="too large"):
        load_profile(_write(tmp_path, OWN))


def test_vartype_words_of_files():
    assert HardwareProfile.from_dict({"name": "a", "vartype": "QUBO"}).vartype == "BINARY"
    assert HardwareProfile.from_dict({"name": "a", "vartype": "SPIN"}).vartype == "SPIN"
