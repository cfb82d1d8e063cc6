"""Unknown figures, assumptions, and conformance of instances."""

import dimod
import pytest

from isingrag.errors import ConformanceError, ProfileError, RangeError, TooLarge, UnknownName
from isingrag.profile import HardwareProfile, ideal_profile, load_profile


def _profile(**fields):
    return HardwareProfile.from_dict({"name": "own", "vartype": "SPIN", "topology": {"type": "complete"}, **fields})


# -- unknowns --------------------------------------------------------------------------------------


def test_assume_fills_a_gap_and_says_so():
    profile = _profile()
    assert "coupling.bits unknown: left unconstrained" in profile.assumptions()
    filled = profile.assume(**{"coupling.bits": 5})
    assert filled.coupling_grid.high == 15
    assert "assumed: coupling.bits=5" in filled.assumptions()
    assert not any(note.startswith("coupling") for note in filled.assumptions())
    assert profile.coupling_grid.discrete is False  # the old one is untouched
    assert filled != profile
    assert filled.digest != profile.digest


def test_assume_refuses_a_known_figure_and_replace_overrides_it():
    profile = load_profile("fujitsu-da1")
    with pytest.raises(ProfileError, match=r"coupling\.bits"):
        profile.assume(**{"coupling.bits": 5})
    changed = profile.replace(**{"coupling.bits": 5, "variables": 64})
    assert changed.coupling_grid.high == 15
    assert changed.variables == 64
    assert set(changed.data.assumed) == {"coupling.bits=5", "variables=64"}
    assert changed.bias_grid == profile.bias_grid


@pytest.mark.parametrize("field", ["coupling.bit", "couplings.bits", "variables.x", "x", "topology.type.y"])
def test_an_unknown_field_is_refused(field):
    with pytest.raises(UnknownName):
        ideal_profile(bits=4, variables=3).known(field)
    with pytest.raises(UnknownName):
        ideal_profile(bits=4, variables=3).replace(**{field: 1})


def test_replace_checks_the_value():
    with pytest.raises(ProfileError, match=r"coupling\.bits"):
        load_profile("fujitsu-da1").replace(**{"coupling.bits": 1})


@pytest.mark.parametrize("field", ["vartype", "topology.type"])
def test_compilable_needs_vartype_and_topology(field):
    data = {"name": "own", "vartype": "SPIN", "topology": {"type": "complete"}}
    if field == "vartype":
        del data["vartype"]
    else:
        data["topology"] = {}
    with pytest.raises(ProfileError, match=field):
        HardwareProfile.from_dict(data).compilable()
    value = "SPIN" if field == "vartype" else "complete"
    HardwareProfile.from_dict(data).assume(**{field: value}).compilable()


def test_an_incomplete_profile_is_not_compiled():
    with pytest.raises(ProfileError, match="incomplete"):
        _profile(incomplete=True).compilable()


def test_working_variables_win():
    assert _profile(variables=100, working_variables=97).variables == 97


def test_evidence_follows_the_sources():
    profile = load_profile("fujitsu-da2")
    assert profile.evidence("variables") == "primary"
    assert profile.evidence("coupling.bits") == "secondary"
    assert profile.evidence("notes") is None


def test_profiles_compare_by_content():
    assert load_profile("fujitsu-da1") == load_profile("fujitsu_da1")
    assert hash(load_profile("fujitsu-da1")) == hash(load_profile("fujitsu_da1"))
    assert load_profile("fujitsu-da1") != load_profile("fujitsu-da2")


# -- conformance -----------------------------------------------------------------------------------


def _bqm(linear, pairs=None, vartype="SPIN"):
    return dimod.BinaryQuadraticModel(linear, pairs or {}, 0.0, vartype)


def _status(profile, bqm):
    return {check.name: check.status for check in profile.check(bqm).checks}


def test_an_instance_that_fits():
    profile = ideal_profile(bits=4, variables=3)
    bqm = _bqm({"a": 7, "b": -7, "c": 0}, {("a", "b"): -7})
    profile.require(bqm)
    assert profile.check(bqm).ok
    assert set(_status(profile, bqm).values()) == {"pass"}


@pytest.mark.parametrize(
    ("bqm", "check", "kind", "text"),
    [
        (_bqm(dict.fromkeys("abcd", 0.0)), "size", TooLarge, "4 variables"),
        (_bqm({"a": 1}, vartype="BINARY"), "vartype", ConformanceError, "BINARY"),
        (_bqm({"a": 1, "b": 8}), "bias", RangeError, "where: b"),
        (_bqm({"a": 1, "b": -8}), "bias", RangeError, "-8"),
        (_bqm({"a": 0.5}), "bias", RangeError, "0.5"),
        (_bqm({"a": 0, "b": 0}, {("a", "b"): 7.01}), "coupling", RangeError, "7.01"),
    ],
)
def test_an_instance_that_does_not_fit(bqm, check, kind, text):
    profile = ideal_profile(bits=4, variables=3)
    assert {name for name, status in _status(profile, bqm).items() if status == "fail"} == {check}
    with pytest.raises(kind, match=text):
        profile.require(bqm)


def test_ranges_of_h_and_j_are_kept_apart():
    """L45: h = 7 and J = -3 with ranges [-4, 4] and [-1, 1]; both fail."""
    profile = _profile(bias={"range": [-4, 4], "dtype": "float64"}, coupling={"range": [-1, 1], "dtype": "float64"})
    conformance = profile.check(_bqm({"a": 7, "b": 0}, {("a", "b"): -3}))
    failed = {check.name: check.found for check in conformance.checks if check.status == "fail"}
    assert failed == {"bias": "7", "coupling": "-3"}
    assert not conformance.ok
    with pytest.raises(RangeError):
        conformance.require()


def test_unknown_figures_are_not_evaluated():
    bare = HardwareProfile.from_dict({"name": "bare"})
    conformance = bare.check(_bqm({"a": 1e9}, {("a", "b"): 0.3}))
    assert set(conformance.not_evaluated) == {"size", "vartype", "topology", "bias", "coupling"}
    assert conformance.ok


def test_an_explicit_graph_lacks_an_edge():
    profile = _profile(topology={"type": "explicit", "nodes": [0, 1, 2], "edges": [[0, 1], [2, 1]]})
    profile.require(_bqm({0: 1, 1: 1, 2: 1}, {(1, 0): 1, (1, 2): 1}))
    with pytest.raises(ConformanceError, match="0 - 2"):
        profile.require(_bqm({0: 1, 1: 1, 2: 1}, {(0, 1): 1, (0, 2): 1}))


def test_a_variable_that_an_explicit_graph_lacks_is_refused():
    profile = _profile(topology={"type": "explicit", "nodes": [0, 1, 2], "edges": [[0, 1], [2, 1]]})
    with pytest.raises(ConformanceError, match="topology"):
        profile.require(_bqm({0: 1, 7: 1}))


def test_conformance_has_a_plain_form():
    report = ideal_profile(bits=4).check(_bqm({"a": 9})).to_dict()
    assert report["ok"] is False
    assert [c["status"] for c in report["checks"] if c["name"] == "bias"] == ["fail"]
