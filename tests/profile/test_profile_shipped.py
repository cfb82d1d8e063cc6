"""Every shipped profile loads, and every figure that is set is covered by a source."""

import pytest

from isingrag.errors import ProfileError
from isingrag.profile import HardwareProfile, list_profiles, load_profile

#: Fields that are remarks or bookkeeping, not figures.
REMARKS = {
    "schema_version",
    "name",
    "vendor",
    "kind",
    "status",
    "notes",
    "sources",
    "citations",
    "incomplete",
    "assumed",
    "unconfirmed",
    "dynamics",
}


def _figures(profile):
    for field, value in profile.to_dict().items():
        if field in REMARKS:
            continue
        if isinstance(value, dict):
            yield from (f"{field}.{key}" for key in value)
        else:
            yield field


def test_some_profiles_ship():
    assert {"fujitsu-da1", "fujitsu-da2", "brim-64spin-65nm", "software-float64"} <= set(list_profiles())


@pytest.mark.parametrize("name", list_profiles())
def test_a_shipped_profile_loads_under_its_own_name(name):
    profile = load_profile(name)
    assert profile.name == name
    assert load_profile(name.replace("-", "_")) == profile
    assert HardwareProfile.from_dict(profile.to_dict()) == profile


@pytest.mark.parametrize("name", list_profiles())
def test_every_figure_is_covered_by_a_source(name):
    profile = load_profile(name)
    named = {field for source in profile.data.sources for field in source.fields}
    bare = [
        field
        for field in _figures(profile)
        if not any(entry == field or field.startswith(entry + ".") or entry.startswith(field + ".") for entry in named)
    ]
    assert bare == []
    if profile.data.unconfirmed:
        assert any(source.tag == "unconfirmed" for source in profile.data.sources)


@pytest.mark.parametrize("name", list_profiles())
def test_a_shipped_profile_compiles_or_says_which_figure_is_missing(name):
    profile = load_profile(name)
    known = profile.vartype is not None and profile.data.topology.type is not None
    if known and not profile.data.incomplete:
        profile.compilable()
        return
    with pytest.raises(ProfileError) as caught:
        profile.compilable()
    assert caught.value.where in ("vartype", "topology.type") or "incomplete" in str(caught.value)
