"""``profiles check``: what is an error, what is a warning, and that each names its field."""

from pathlib import Path
from typing import Any

import pytest

from isingrag.profile import HardwareProfile
from isingrag.profile.schema import Topology
from isingrag.profile.validate import graph_counts, validate_data, validate_profile_file

GOOD: dict[str, Any] = {
    "name": "my-chip",
    "variables": 256,
    "vartype": "Ising",
    "dynamics": "annealing",
    "topology": {"type": "complete"},
    "coupling": {"bits": 5, "signed": True, "integer": True},
    "sources": [{"fields": ["variables", "vartype", "topology", "coupling"], "tag": "user", "cite": "S"}],
    "citations": {"S": "data sheet"},
}


def changed(**fields: Any) -> dict[str, Any]:
    """GOOD with dotted fields set (None removes) and a source for all of them."""
    data = {key: dict(value) if isinstance(value, dict) else value for key, value in GOOD.items()}
    for field, value in fields.items():
        *folders, last = field.split("__")
        target = data
        for folder in folders:
            target = target.setdefault(folder, {})
        if value is None:
            target.pop(last)
        else:
            target[last] = value
    sections = ["variables", "working_variables", "vartype", "topology", "bias", "coupling", "timing", "power"]
    if "sources" not in fields:
        covered = [name for name in sections if data.get(name)]
        data["sources"] = [{"fields": covered, "tag": "user", "cite": "S"}]
    return data


def warnings(data: dict[str, Any]) -> dict[str, str]:
    report = validate_data(data)
    assert report.ok, report.findings
    assert not report.errors
    return {finding.field: finding.message for finding in report.warnings}


def errors(data: dict[str, Any]) -> dict[str, str]:
    report = validate_data(data)
    assert not report.ok
    assert report.profile is None
    return {finding.field: finding.message for finding in report.errors}


def test_a_good_profile_has_no_findings() -> None:
    report = validate_data(GOOD)
    assert report.findings == ()
    assert report.profile == HardwareProfile.from_dict(GOOD)
    assert report.to_dict() == {"ok": True, "profile": "my-chip", "errors": [], "warnings": []}


@pytest.mark.parametrize(
    ("data", "field", "says"),
    [
        ({k: v for k, v in GOOD.items() if k != "name"}, "name", "missing"),
        (changed(name="My Chip"), "name", "My Chip"),
        (changed(variables=0), "variables", "found: 0"),
        (changed(variables=True), "variables", "must be a number"),
        (changed(coupling__bits="8"), "coupling.bits", "must be a number"),
        (changed(varibles=3), "varibles", "nearest: variables"),
        (changed(coupling__bit=3), "coupling.bit", "nearest: bits"),
        (changed(vartype="spin"), "vartype", "'spin'"),
        (changed(topology__type="torus"), "topology.type", "'torus'"),
        (changed(coupling__range=[1, 2]), "coupling", "must hold 0"),
        (changed(coupling__levels=[-1, 1]), "coupling", "levels must hold 0"),
        (changed(schema_version=2), "schema_version", "found: 2"),
        (changed(citations={}), "profile", "sources cite ['S']"),
        (changed(topology={"type": "explicit"}), "topology", "nodes and edges"),
    ],
)
def test_errors_name_the_field(data: dict[str, Any], field: str, says: str) -> None:
    assert says in errors(data)[field]


def test_all_errors_are_told_not_only_the_first() -> None:
    assert set(errors(changed(variables=-1, coupling__bits=1, kind="toaster"))) == {
        "variables",
        "coupling.bits",
        "kind",
    }


@pytest.mark.parametrize(
    ("data", "field", "says"),
    [
        (changed(vartype=None), "vartype", "unknown"),
        (changed(vartype=None, kind="gate_model"), "vartype", "angles"),
        (changed(topology=None), "topology.type", "unknown"),
        (changed(dynamics=None), "dynamics", "unknown"),
        (
            changed(sources=[{"fields": ["variables", "vartype", "coupling"], "tag": "user", "cite": "S"}]),
            "topology.type",
            "no source",
        ),
        (
            changed(
                sources=[
                    {"fields": ["variables", "vartype", "topology", "coupling"], "tag": "user", "cite": "S"},
                    {"fields": ["coupling.bits"], "tag": "unconfirmed", "cite": "S"},
                ]
            ),
            "coupling.bits",
            "unconfirmed",
        ),
        (changed(unconfirmed={"coupling.bits": 6}), "coupling.bits", "and as unconfirmed"),
        (
            changed(sources=[*GOOD["sources"], {"fields": ["coupling.range"], "tag": "user", "cite": "S"}]),
            "sources.1",
            "coupling.range",
        ),
        (
            changed(sources=[*GOOD["sources"], {"fields": ["cupling"], "tag": "user", "cite": "S"}]),
            "sources.1",
            "cupling",
        ),
        (changed(citations={"S": "data sheet", "T": "unused"}), "citations.T", "no source"),
        (changed(working_variables=257), "working_variables", "more than variables 256"),
        (changed(topology__couplers=10, topology__working_couplers=11), "topology.working_couplers", "more than"),
        (changed(topology__couplers=99), "topology.couplers", "32640"),
        (
            changed(topology={"type": "king", "params": {"rows": 16, "cols": 16}, "couplers": 931}),
            "topology.couplers",
            "930",
        ),
        (changed(topology={"type": "king", "params": {"rows": 16, "cols": 15}}), "variables", "has 240"),
        (changed(topology={"type": "king", "params": {"rows": 16}}), "topology.params", "'cols'"),
        (
            changed(variables=2048, topology={"type": "chimera", "params": {"m": 16}, "couplers": 6000}),
            "topology.couplers",
            "6016",
        ),
        (
            changed(variables=5640, topology={"type": "pegasus", "params": {"m": 16}, "couplers": 40000}),
            "topology.couplers",
            "40484",
        ),
        (
            changed(variables=4800, topology={"type": "zephyr", "params": {"m": 12}, "couplers": 45865}),
            "topology.couplers",
            "45864",
        ),
        (
            changed(variables=10, topology={"type": "heavy_hex", "couplers": 16, "max_degree": 3}),
            "topology.couplers",
            "degree 3",
        ),
        (
            changed(variables=3, topology={"type": "explicit", "nodes": [0, 1], "edges": [[0, 1]]}),
            "variables",
            "has 2 nodes",
        ),
        (
            changed(variables=2, topology={"type": "explicit", "nodes": [0, 1], "edges": [[0, 1], [1, 0]]}),
            "topology.edges",
            "repeats",
        ),
        (changed(coupling__levels=[-1, 0, 1]), "coupling.bits", "3 levels take 2 bits"),
        (changed(coupling__levels=33), "coupling.bits", "33 levels take 6 bits"),
        (changed(coupling={"levels": 4}), "coupling.levels", "odd"),
        (changed(coupling__range=[-40, 40]), "coupling.range", "81 whole values"),
        (changed(coupling={"bits": 16, "dtype": "int32"}), "coupling.bits", "int32"),
        (changed(coupling={"dtype": "float32", "integer": True}), "coupling.integer", "floating"),
        (changed(coupling={"bits": 4, "signed": False, "range": [-7, 7]}), "coupling.signed", "-7"),
        (changed(coupling={"range": [-3, 1], "extended_range": [-2, 1]}), "coupling.extended_range", "contain"),
        (changed(bias={"bits": 5, "per_qubit_total": [-18, 15]}), "bias.per_qubit_total", "couplings"),
        (changed(timing={"anneal": 20}), "timing.anneal", "unit"),
        (changed(power={"total": 0.1}), "power.total", "unit"),
        (changed(name="fujitsu-da1"), "name", "shipped"),
        (changed(name="ideal-8"), "name", "shipped"),
        (changed(incomplete=True), "incomplete", "need not"),
        (changed(assumed=["variables=256"]), "assumed", "not to a file"),
    ],
)
def test_warnings_name_the_field(data: dict[str, Any], field: str, says: str) -> None:
    found = warnings(data)
    assert says in found.get(field, ""), found


@pytest.mark.parametrize(
    "data",
    [
        changed(coupling={"bits": 5, "levels": 31}),
        changed(coupling={"bits": 2, "levels": [-1, 0, 1]}),
        changed(timing={"anneal_us": [1, 2], "gain_vs_cpu": 3, "cycles_max": 50, "schedule_GHz": {"A0": 1.0}}),
        changed(variables=256, topology={"type": "king", "params": {"rows": 16, "cols": 16}, "couplers": 930}),
        changed(variables=127, topology={"type": "heavy_hex", "couplers": 144, "max_degree": 3}),
        changed(sources=[{"fields": [*GOOD["sources"][0]["fields"], "dynamics"], "tag": "user", "cite": "S"}]),
    ],
)
def test_what_is_consistent_is_not_warned_about(data: dict[str, Any]) -> None:
    assert warnings(data) == {}


@pytest.mark.parametrize(
    ("kind", "params", "counts"),
    [
        ("king", {"rows": 2, "cols": 2}, (4, 6)),
        ("king", {"rows": 1, "cols": 5}, (5, 4)),
        ("square", {"rows": 10, "cols": 12}, (120, 218)),
        ("chimera", {"m": 1}, (8, 16)),
        ("chimera", {"m": 2, "n": 3, "t": 4}, (48, 6 * 16 + 4 * (2 * 2 + 3 * 1))),
        ("pegasus", {"m": 2}, (40, 164)),
        ("pegasus", {"m": 3}, (128, 704)),
        ("pegasus", {"m": 2, "fabric_only": False}, (48, 168)),
        ("zephyr", {"m": 1, "t": 1}, (12, 22)),
        ("heavy_hex", {"m": 3}, None),
        ("chimera", {}, None),
    ],
)
def test_closed_formulas(kind: str, params: dict[str, Any], counts: tuple[int, int] | None) -> None:
    assert graph_counts(Topology.model_validate({"type": kind, "params": params})) == counts


@pytest.mark.parametrize("params", [{"m": 0}, {"m": True}, {"m": "16"}, {"m": 1.5}, {"t": 4}])
def test_parameters_that_are_no_counts_are_told(params: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="whole number"):
        graph_counts(Topology.model_validate({"type": "zephyr", "params": params}))


@pytest.mark.parametrize(
    ("text", "says"),
    [("name = ", "TOML"), ("\x00", "TOML"), ('name = "a"\nname = "b"', "TOML"), ("x = " + "[" * 5000, "TOML")],
)
def test_a_file_that_is_no_toml_is_an_error_of_the_file(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    report = validate_profile_file(path)
    assert [finding.field for finding in report.errors] == ["file"]
    assert says in report.errors[0].message


def test_an_absent_file_is_an_error_of_the_file(tmp_path: Path) -> None:
    report = validate_profile_file(tmp_path / "absent.toml")
    assert [finding.field for finding in report.errors] == ["file"]
    assert "no such file" in report.errors[0].message
