"""Find and read profiles: those that ship with the package, and users' own files."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

from isingrag.common.arrays import check_whole
from isingrag.common.files import read_text
from isingrag.errors import FileFormatError, UnknownName, nearest
from isingrag.profile.profile import HardwareProfile
from isingrag.profile.schema import ProfileFile, Register, Topology

__all__ = ["ideal_profile", "list_profiles", "load_profile"]

#: Largest profile file, in bytes: an explicit graph of 50,000 edges takes about 1 MB.
MAX_PROFILE_BYTES = 64 * 2**20


def _folder() -> Path:
    """Folder of the shipped profiles: inside the installed package, or at the top of a checkout."""
    packaged = Path(str(resources.files("isingrag"))) / "hardware_profiles"
    return packaged if packaged.is_dir() else packaged.parent.parent / "hardware_profiles"


def list_profiles() -> list[str]:
    """Ids of the shipped profiles, sorted."""
    return sorted(path.stem for path in _folder().glob("*.toml"))


def load_profile(name: str | Path) -> HardwareProfile:
    """A shipped profile by id (hyphens or underscores), or a user's own TOML file by path.

    Parameters
    ----------
    name : str or Path
        ``"fujitsu-da1"``, ``"ideal"``, ``"ideal-8"`` (8 bits) or a path that ends in ``.toml``.

    Raises
    ------
    UnknownName
        Lists the nearest ids.
    FileFormatError, ProfileError
        The file can't be read, or breaks the schema; names the field.
    """
    text = str(name)
    if text.endswith(".toml"):
        return _read(Path(name))
    key = text.replace("_", "-")
    if key == "ideal" or (key.startswith("ideal-") and key[6:].isdecimal()):
        return ideal_profile(int(key[6:]) if key != "ideal" else None)
    if key not in list_profiles():
        known = [*list_profiles(), "ideal", "ideal-8"]
        raise UnknownName("unknown profile", found=repr(text), allowed=nearest(key, known), where="profile")
    return _read(_folder() / f"{key}.toml")


def _read(path: Path) -> HardwareProfile:
    text = read_text(path, limit=MAX_PROFILE_BYTES)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also whole numbers too long for Python, and deep nesting
        raise FileFormatError("the profile is not TOML", found=error, where=path.name) from None
    return HardwareProfile.from_dict(data, path.name)


def ideal_profile(bits: int | None = None, variables: int | None = None) -> HardwareProfile:
    """An ideal machine for studies: complete graph, SPIN, one signed width for bias and coupling.

    Parameters
    ----------
    bits : int, optional
        Width of both registers, >= 2; None is float64 without limits.
    variables : int, optional
        Number of spins, >= 1; None is no limit.
    """
    if bits is None:
        register = Register(bits=64, signed=True, integer=False, dtype="float64")
    else:
        width = check_whole("bits", bits, minimum=2, maximum=1024)
        register = Register(bits=width, signed=True, integer=True)
    if variables is not None:
        check_whole("variables", variables, minimum=1)
    data = ProfileFile(
        name="ideal" if bits is None else f"ideal-{bits}",
        kind="software",
        variables=variables,
        vartype="SPIN",
        topology=Topology(type="complete"),
        bias=register,
        coupling=register,
        dynamics="annealing",
        rounding="nearest",
        notes="a definition, not a machine",
    )
    return HardwareProfile(data, "ideal_profile")
