"""The shipped profiles against values written down here by hand from the hardware reference."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from isingrag.errors import ProfileError, UnknownName
from isingrag.profile import HardwareProfile, ideal_profile, list_profiles, load_profile
from isingrag.profile.figures import SECTIONS, figures, source_of
from isingrag.profile.schema import ProfileFile, Source, json_schema, json_schema_text
from isingrag.profile.tables import fields_markdown, profiles_markdown
from isingrag.profile.validate import graph_counts, validate_profile_file

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "hardware_profiles"

ASKED_FOR = [
    "dwave-2000q",
    "dwave-advantage-system4",
    "dwave-advantage-system6",
    "dwave-advantage2-system1",
    "dwave-advantage2-system2",
    "dwave-advantage2-system4",
    "fujitsu-da1",
    "fujitsu-da2",
    "fujitsu-da3",
    "tus-dsaps",
    "hitachi-acw-asic-4bit",
    "hitachi-acw-gpu-int32",
    "hitachi-acw-gpu-float32",
    "hitachi-30k-40nm",
    "toshiba-sqbm-plus",
    "fixstars-amplify-ae",
    "software-float64",
    "ntt-cim-100k",
    "ntt-cim-2000",
    "ntt-lasolv",
    "stanford-cim-100",
    "ntt-cyber-cim-fpga",
    "qboson-cim",
    "brim-hpca2021",
    "brim-64spin-65nm",
    "dcim-vadlamani2026",
    "oim-1968",
    "statica-512",
    "ibm-sherbrooke",
    "ibm-fez",
    "ibm-kingston",
    "ibm-boston",
    "ibm-nighthawk",
    "quantinuum-helios",
    "ionq-forte",
]

#: Machines of which nothing is confirmed.
INCOMPLETE = {"statica-512", "amorphica", "oim-48-all-to-all", "hitachi-20k-65nm", "ntt-lasolv", "quantinuum-h2"}

#: profile, field, value.
FIGURES: list[tuple[str, str, Any]] = [
    ("dwave-2000q", "variables", 2048),
    ("dwave-2000q", "topology.couplers", 6016),
    ("dwave-2000q", "topology.max_degree", 6),
    ("dwave-2000q", "chain.largest_clique_ideal", 64),
    ("dwave-advantage-system6", "variables", 5640),
    ("dwave-advantage-system6", "working_variables", 5612),
    ("dwave-advantage-system6", "topology.couplers", 40484),
    ("dwave-advantage-system6", "topology.working_couplers", 40088),
    ("dwave-advantage-system6", "bias.range", (-4, 4)),
    ("dwave-advantage-system6", "coupling.range", (-1, 1)),
    ("dwave-advantage-system6", "coupling.extended_range", (-2, 1)),
    ("dwave-advantage-system6", "coupling.per_qubit_total", (-18, 15)),
    ("dwave-advantage-system6", "noise.T_h", 0.221),
    ("dwave-advantage-system6", "timing.programming_us", 14200),
    ("dwave-advantage-system4", "working_variables", 5627),
    ("dwave-advantage-system4", "topology.working_couplers", 40279),
    ("dwave-advantage-system4", "coupling.per_qubit_total", (-18, 15)),
    ("dwave-advantage-system4", "noise.T_h", 0.198),
    ("dwave-advantage-system4", "readout.time_us", [17, 235]),
    ("dwave-advantage2-system1", "variables", 4800),
    ("dwave-advantage2-system1", "working_variables", 4577),
    ("dwave-advantage2-system1", "topology.couplers", 45864),
    ("dwave-advantage2-system1", "topology.working_couplers", 41515),
    ("dwave-advantage2-system1", "bias.range", (-6, 6)),
    ("dwave-advantage2-system1", "coupling.per_group_total", (-13, 10)),
    ("dwave-advantage2-system1", "coupling.per_qubit_total", None),
    ("dwave-advantage2-system1", "noise.T_h", 0.112),
    ("dwave-advantage2-system2", "working_variables", 4514),
    ("dwave-advantage2-system2", "topology.working_couplers", 40409),
    ("dwave-advantage2-system2", "bias.range", None),
    ("dwave-advantage2-system2", "timing.programming_us", 24500),
    ("dwave-advantage2-system4", "variables", 1248),
    ("dwave-advantage2-system4", "working_variables", 1202),
    ("dwave-advantage2-system4", "topology.couplers", 11400),
    ("dwave-advantage2-system4", "topology.working_couplers", 10537),
    ("dwave-advantage2-system4", "bias.range", None),
    ("dwave-advantage2-system4", "chain.largest_clique_ideal", 88),
    ("fujitsu-da1", "variables", 1024),
    ("fujitsu-da1", "bias.bits", 26),
    ("fujitsu-da1", "coupling.bits", 16),
    ("fujitsu-da2", "variables", 8192),
    ("fujitsu-da2", "coupling.bits", 64),
    ("fujitsu-da2", "bias.bits", None),
    ("fujitsu-da3", "variables", 100_000),
    ("fujitsu-da3", "coupling.bits", None),
    (
        "tus-dsaps",
        "limits.size_modes",
        [{"variables": 2048, "coupling_bits": 10}, {"variables": 1024, "coupling_bits": 37}],
    ),
    ("hitachi-acw-asic-4bit", "variables", 147_456),
    ("hitachi-acw-asic-4bit", "bias.bits", 4),
    ("hitachi-acw-asic-4bit", "coupling.bits", 4),
    ("hitachi-acw-asic-4bit", "topology.couplers", 587_522),
    ("hitachi-acw-asic-4bit", "coupling.range", None),
    ("hitachi-acw-gpu-int32", "variables", 262_144),
    ("hitachi-acw-gpu-int32", "topology.couplers", 1_045_506),
    ("hitachi-acw-gpu-int32", "coupling.dtype", "int32"),
    ("hitachi-acw-gpu-float32", "coupling.dtype", "float32"),
    ("hitachi-acw-gpu-float32", "coupling.integer", False),
    ("hitachi-acw-asic-3bit", "coupling.bits", 3),
    ("hitachi-acw-fpga-8bit", "coupling.bits", 8),
    ("hitachi-30k-40nm", "variables", 30_000),
    ("hitachi-30k-40nm", "coupling.bits", None),
    ("hitachi-30k-40nm", "topology.type", None),
    ("hitachi-momentum-annealing", "variables", 100_000),
    ("toshiba-sqbm-plus", "variables", None),
    ("toshiba-sqbm-plus", "coupling.dtype", None),
    ("fixstars-amplify-ae", "variables", 131_072),
    ("fixstars-amplify-ae", "limits.variables_sparse", 262_144),
    ("ntt-cim-100k", "variables", 100_512),
    ("ntt-cim-100k", "coupling.levels", None),
    ("ntt-cim-2000", "variables", 2000),
    ("ntt-cim-2000", "topology.type", None),
    ("stanford-cim-100", "variables", 100),
    ("ntt-cyber-cim-fpga", "coupling.dtype", "float32"),
    ("qboson-cim", "coupling.bits", 8),
    ("qboson-cim", "variables", None),
    ("brim-hpca2021", "variables", None),
    ("brim-64spin-65nm", "variables", 64),
    ("brim-64spin-65nm", "coupling.levels", 31),
    ("dcim-vadlamani2026", "variables", None),
    ("dcim-vadlamani2026", "coupling.bits", None),
    ("dcim-vadlamani2026", "limits.sram_Mb", 9.1),
    ("oim-1968", "variables", 1968),
    ("oim-1968", "coupling.levels", 5),
    ("oim-1968", "power.total_W", 0.042),
    ("lc-oim-4node", "variables", 4),
    ("ibm-sherbrooke", "variables", 127),
    ("ibm-sherbrooke", "topology.couplers", 144),
    ("ibm-sherbrooke", "noise.two_qubit_error", 0.0075),
    ("ibm-fez", "topology.couplers", 176),
    ("ibm-fez", "noise.two_qubit_error", 0.00382),
    ("ibm-fez", "timing.two_qubit_ns", 84),
    ("ibm-kingston", "readout.error", 0.0095),
    ("ibm-boston", "variables", 156),
    ("ibm-boston", "noise.two_qubit_error", 0.00127),
    ("ibm-boston", "limits.processor", "Heron r3"),
    ("ibm-nighthawk", "variables", 120),
    ("ibm-nighthawk", "topology.couplers", 218),
    ("ibm-nighthawk", "topology.type", "square"),
    ("quantinuum-helios", "variables", 98),
    ("quantinuum-helios", "noise.two_qubit_error", 0.00079),
    ("quantinuum-helios", "readout.spam_error", 0.00033),
    ("ionq-forte", "variables", 30),
    ("ionq-forte", "noise.two_qubit_error", None),
]

VARTYPES = {
    "BINARY": {
        "fujitsu-da1",
        "fujitsu-da2",
        "fujitsu-da3",
        "toshiba-sqbm-plus",
        "fixstars-amplify-ae",
        "dcim-vadlamani2026",
    },
    "SPIN": {
        "dwave-2000q",
        "hitachi-acw-asic-4bit",
        "ntt-cim-100k",
        "stanford-cim-100",
        "qboson-cim",
        "brim-hpca2021",
        "oim-1968",
    },
}

DYNAMICS = {
    "dwave-advantage2-system1": "quantum_annealer",
    "fujitsu-da3": "digital_annealer",
    "hitachi-acw-asic-4bit": "king_gibbs",
    "hitachi-momentum-annealing": "momentum",
    "toshiba-sqbm-plus": "bifurcation",
    "ntt-cim-100k": "cim",
    "qboson-cim": "cim",
    "brim-hpca2021": "brim",
    "dcim-vadlamani2026": "dcim",
    "statica-512": "sca",
    "oim-1968": "oscillator",
    "ibm-fez": "gate",
    "ionq-forte": "gate",
}


def read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def figure(profile: HardwareProfile, field: str) -> Any:
    value: Any = profile.data
    for part in field.split("."):
        value = value.get(part) if isinstance(value, dict) else getattr(value, part)
        if value is None:
            return None
    return value


def test_all_machines_that_were_asked_for_ship() -> None:
    assert set(ASKED_FOR) <= set(list_profiles())
    assert len(list_profiles()) == 54


@pytest.mark.parametrize("name", list_profiles())
def test_a_profile_loads_by_either_name_and_every_figure_has_evidence(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    profile = load_profile(name)
    assert profile.name == name
    assert load_profile(name.replace("-", "_")) == profile
    assert HardwareProfile.from_dict(profile.to_dict()) == profile
    for entry in figures(profile.data):
        assert entry.tag in ("primary", "secondary", "computed"), entry
        assert entry.field not in profile.data.unconfirmed, entry
        assert profile.evidence(entry.field) == entry.tag
    assert profile.data.dynamics is not None
    assert {source.cite for source in profile.data.sources} == set(profile.data.citations)


@pytest.mark.parametrize("name", list_profiles())
def test_checking_a_shipped_profile_finds_nothing_but_unknowns(name: str) -> None:
    report = validate_profile_file(FOLDER / f"{name}.toml")
    assert report.ok
    assert {finding.field for finding in report.findings} <= {"vartype", "topology.type"}, report.findings


@pytest.mark.parametrize(("name", "field", "value"), FIGURES, ids=lambda value: str(value)[:40])
def test_figure(name: str, field: str, value: Any) -> None:
    assert figure(load_profile(name), field) == value


@pytest.mark.parametrize(("vartype", "names"), VARTYPES.items())
def test_form(vartype: str, names: set[str]) -> None:
    assert {load_profile(name).vartype for name in names} == {vartype}


def test_gate_machines_have_no_form_and_no_widths() -> None:
    gates = [profile for profile in map(load_profile, list_profiles()) if profile.data.kind == "gate_model"]
    assert len(gates) == 15
    for profile in gates:
        assert profile.vartype is None
        assert profile.data.bias.bits is None
        assert profile.data.coupling.bits is None
        with pytest.raises(ProfileError, match=r"incomplete|vartype"):
            profile.compilable()
    helios = load_profile("quantinuum-helios").assume(vartype="Ising")
    helios.compilable()
    assert helios.vartype == "SPIN"
    assert "assumed: vartype=Ising" in helios.assumptions()


@pytest.mark.parametrize(("name", "dynamics"), DYNAMICS.items())
def test_dynamics(name: str, dynamics: str) -> None:
    assert load_profile(name).data.dynamics == dynamics


def test_only_the_hitachi_clients_that_round_away_from_zero_say_so() -> None:
    rounding = {name: load_profile(name).data.rounding for name in list_profiles()}
    assert {name for name, rule in rounding.items() if rule} == {"hitachi-acw-asic-4bit", "hitachi-acw-gpu-int32"}
    assert set(rounding.values()) == {None, "away_from_zero"}


def test_incomplete_machines_are_those_without_a_confirmed_figure() -> None:
    incomplete = {name for name in list_profiles() if load_profile(name).data.incomplete}
    assert incomplete == INCOMPLETE
    assert incomplete == {name for name in list_profiles() if not figures(load_profile(name).data)}


def test_an_incomplete_machine_is_compiled_for_once_its_figures_are_assumed() -> None:
    statica = load_profile("statica-512")
    with pytest.raises(ProfileError, match="incomplete"):
        statica.compilable()
    with pytest.raises(ProfileError, match="topology"):
        statica.assume(vartype="Ising").compilable()
    filled = statica.assume(vartype="Ising", variables=512, **{"topology.type": "complete", "coupling.bits": 5})
    filled.compilable()
    assert len([note for note in filled.assumptions() if note.startswith("assumed")]) == 4


def test_advantage2_bias_range_is_the_recorded_one_for_system_1_only() -> None:
    one = load_profile("dwave-advantage2-system1")
    assert one.evidence("bias.range") == "secondary"
    assert one.evidence("bias.signed") == "primary"
    for name in ("dwave-advantage2-system2", "dwave-advantage2-system4"):
        assert load_profile(name).data.unconfirmed == {"bias.range": [-6, 6]}


def test_control_errors_are_the_same_data_in_every_d_wave_profile() -> None:
    names = [name for name in list_profiles() if name.startswith("dwave-")]
    ice = [load_profile(name).data.noise["ice"] for name in names]
    assert len(names) == 6
    assert all(entry == ice[0] for entry in ice)
    assert ice[0]["sigma_h"] == [[0.275, 0.025], [0.75, 0.010]]
    assert ice[0]["mean_J_pos"] == [[0.275, -0.0175], [0.75, -0.005]]
    assert ice[0]["chi"] == [[0.26, -0.040], [0.78, -0.015]]
    assert ice[0]["flux_noise_h"] == 0.009
    assert {load_profile(name).evidence("noise.ice.sigma_h") for name in names} == {"primary"}


@pytest.mark.parametrize(
    ("name", "nodes", "edges"),
    [
        ("dwave-2000q", 2048, 6016),
        ("dwave-advantage-system4", 5640, 40484),
        ("dwave-advantage-system6", 5640, 40484),
        ("dwave-advantage2-system1", 4800, 45864),
        ("dwave-advantage2-system2", 4800, 45864),
        ("dwave-advantage2-system4", 1248, 11400),
        ("hitachi-acw-asic-4bit", 384 * 384, 384 * 383 * 2 + 2 * 383 * 383),
        ("hitachi-acw-gpu-int32", 512 * 512, 512 * 511 * 2 + 2 * 511 * 511),
    ],
)
def test_counts_follow_from_the_parameters(name: str, nodes: int, edges: int) -> None:
    data = load_profile(name).data
    assert graph_counts(data.topology) == (nodes, edges)
    assert (data.variables, data.topology.couplers) == (nodes, edges)


def test_the_longest_path_decides_and_the_first_of_equals() -> None:
    def source(tag: str, *fields: str) -> Source:
        return Source.model_validate({"fields": fields, "tag": tag, "cite": "A"})

    sources = (source("primary", "timing"), source("secondary", "timing.a_us"), source("computed", "timing.a_us"))
    assert source_of(sources, "timing.a_us").tag == "secondary"  # type: ignore[union-attr]
    assert source_of(sources, "timing.a_us.low").tag == "secondary"  # type: ignore[union-attr]
    assert source_of(sources, "timing.b_us").tag == "primary"  # type: ignore[union-attr]
    assert source_of(sources, "timings") is None
    system6 = load_profile("dwave-advantage-system6")
    assert system6.evidence("timing.schedule_GHz.B_freezeout") == "computed"
    assert system6.evidence("topology.couplers") == "computed"
    assert system6.evidence("topology.working_couplers") == "primary"


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="dwave-2000q"):
        load_profile("dwave-2000")


def test_ideal_profiles_stay() -> None:
    assert load_profile("ideal-8") == ideal_profile(8)


# -- the published schema and the documentation ------------------------------------------------


def test_the_published_schema_is_the_generated_one() -> None:
    """Rewrite it with ``isingrag profiles schema > docs/profile.schema.json``."""
    published = json.loads((ROOT / "docs" / "profile.schema.json").read_text(encoding="utf-8"))
    assert _bare(published) == _bare(json.loads(json_schema_text()))


def _bare(schema: Any) -> Any:
    """A schema without titles, texts and defaults, which differ between releases of pydantic."""
    if isinstance(schema, dict):
        texts = ("title", "description", "default", "examples")
        return {key: _bare(value) for key, value in schema.items() if key not in texts or isinstance(value, dict)}
    return [_bare(value) for value in schema] if isinstance(schema, list) else schema


def test_the_schema_knows_every_field_and_nothing_else() -> None:
    schema = json_schema()
    assert set(schema["properties"]) == set(ProfileFile.model_fields)
    assert schema["required"] == ["name"]
    assert schema["additionalProperties"] is False
    assert '"null"' not in json.dumps(schema)
    for name in list_profiles():
        data = read(name)
        assert set(data) <= set(schema["properties"])
        for register in ("bias", "coupling"):
            assert set(data.get(register, {})) <= set(schema["$defs"]["Register"]["properties"])
        assert data.get("vartype", "Ising") in schema["properties"]["vartype"]["enum"]


def test_the_documented_tables_are_the_generated_ones() -> None:
    """Rewrite them with ``fields_markdown()`` and ``isingrag profiles list --markdown``."""
    text = (ROOT / "docs" / "profiles.md").read_text(encoding="utf-8")
    assert f"-->\n\n{fields_markdown()}\n<!-- /fields -->" in text
    assert f"-->\n\n{profiles_markdown()}\n<!-- /profiles -->" in text


def test_every_free_key_of_a_shipped_profile_is_documented() -> None:
    text = (ROOT / "docs" / "profiles.md").read_text(encoding="utf-8")
    for name in list_profiles():
        data = load_profile(name).data
        for section in ("noise", "timing", "power", "readout", "chain"):
            for key in getattr(data, section):
                assert f"`{section}.{key}`" in text or "gain" in key, f"{name}: {section}.{key}"


def test_figures_cover_all_sections() -> None:
    plain = {"name", "vendor", "kind", "status", "incomplete", "dynamics", "notes", "schema_version"}
    rest = {"unconfirmed", "sources", "citations", "assumed"}
    assert set(SECTIONS) | plain | rest == set(ProfileFile.model_fields)
