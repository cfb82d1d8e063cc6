"""``isingrag profiles``: list, show, check, match, schema."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from isingrag.cli.profiles import profiles
from isingrag.compiler import compile as compile_problem
from isingrag.errors import InputError
from isingrag.instance import save_instance
from isingrag.problem import SelectionProblem
from isingrag.profile import list_profiles
from isingrag.profile.schema import json_schema_text
from isingrag.profile.tables import profiles_markdown

GOOD = """
name = "my-chip"
variables = 64
vartype = "Ising"
dynamics = "annealing"
[topology]
type = "complete"
[[sources]]
fields = ["variables", "vartype", "topology"]
tag = "user"
cite = "S"
[citations]
S = "data sheet"
"""


def call(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(profiles, [str(part) for part in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    problem = SelectionProblem(["a", "b", "c"], np.array([1.0, 2.0, 3.0]), size=2)
    return save_instance(compile_problem(problem, "fujitsu-da1", lowering="paper"), tmp_path / "instance.json")


def test_list_shows_evidence_and_incomplete_machines() -> None:
    code, text = call("list")
    assert code == 0
    lines = {line.split()[0]: line for line in text.splitlines()}
    assert set(list_profiles()) <= set(lines)
    assert "10 primary" in lines["fujitsu-da1"]
    assert "incomplete: (5 unconfirmed)" in lines["statica-512"]
    rows = {row["name"]: row for row in json.loads(call("list", "--json")[1])}
    assert rows["statica-512"]["incomplete"] is True
    assert rows["fujitsu-da1"]["evidence"] == {"primary": 10}
    assert rows["fujitsu-da1"]["bias_bits"] == 26


def test_list_as_markdown_is_the_table_of_the_documentation() -> None:
    assert call("list", "--markdown") == (0, profiles_markdown())


def test_show_gives_each_figure_with_its_evidence() -> None:
    code, text = call("show", "dwave_advantage2_system1")
    assert code == 0
    lines = {line.split()[0]: line for line in text.splitlines() if line.startswith("  ")}
    assert lines["bias.range"].split()[-2:] == ["secondary", "DW-RECORD"]
    assert lines["topology.working_couplers"].split()[-2:] == ["primary", "DW-SPEC"]
    assert lines["chain.largest_clique_ideal"].split()[-2:] == ["computed", "BUSCLIQUE"]
    row = json.loads(call("show", "dwave-advantage2-system1", "--json")[1])
    assert row["evidence"]["bias.range"] == {"tag": "secondary", "cite": "DW-RECORD"}
    assert row["name"] == "dwave-advantage2-system1"


def test_show_keeps_unconfirmed_figures_apart() -> None:
    text = call("show", "statica-512")[1]
    assert "incomplete" in text
    assert text.index("unconfirmed, never used") < text.index("coupling.bits")


def test_show_makes_strange_characters_harmless(tmp_path: Path) -> None:
    path = tmp_path / "evil.toml"
    path.write_text(GOOD + 'X = "\\u001b[2J\\u202e"\n', encoding="utf-8")
    text = call("show", path)[1]
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_check_says_valid(tmp_path: Path) -> None:
    path = tmp_path / "good.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert call("check", path) == (0, "my-chip: valid, 0 errors, 0 warnings\n")
    code, text = call("check", path, "--json")
    assert code == 0
    assert json.loads(text) == {"file": "good.toml", "ok": True, "profile": "my-chip", "errors": [], "warnings": []}


def test_check_warns_and_still_exits_0(tmp_path: Path) -> None:
    path = tmp_path / "doubtful.toml"
    path.write_text(GOOD.replace("variables = 64", "variables = 64\nworking_variables = 65"), encoding="utf-8")
    code, text = call("check", path)
    assert code == 0
    assert "warning: working_variables: 65 is more than variables 64" in text
    assert "warning: working_variables: no source covers it" in text
    assert text.endswith("my-chip: valid, 0 errors, 2 warnings\n")


def test_check_names_every_broken_field_and_exits_2(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(GOOD.replace("64", "-1").replace("Ising", "spin"), encoding="utf-8")
    code, text = call("check", path)
    assert code == 2
    assert "error: variables: " in text
    assert "error: vartype: " in text
    assert "bad.toml: invalid, 2 errors, 0 warnings" in text
    code, text = call("check", path, "--json")
    assert code == 2
    assert [row["field"] for row in json.loads(text)["errors"]] == ["variables", "vartype"]


@pytest.mark.parametrize("content", [None, "name ="])
def test_check_of_no_file_or_no_toml_exits_2(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "x.toml"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    code, text = call("check", path)
    assert code == 2
    assert text.startswith("error: file: ")


def test_match_tells_fits_refusals_and_the_rest(instance: Path) -> None:
    code, text = call("match", instance)
    assert code == 0
    assert "machines can hold it" in text.splitlines()[0]
    assert any(line.startswith("fujitsu-da1 ") for line in text.splitlines())
    assert "needs embedding: its graph is king" in text
    assert "statica-512" in text
    assert "vartype is unknown" in text
    for name in list_profiles():
        assert name in text


def test_match_json_and_chosen_profiles(instance: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(GOOD.replace("64", "2"), encoding="utf-8")
    rows = json.loads(call("match", instance, "--profile", own, "-p", "fujitsu-da1", "--json")[1])
    assert [(row["profile"], row["status"]) for row in rows] == [("fujitsu-da1", "fits"), ("my-chip", "refused")]
    assert rows[1]["error"]["type"] == "TooLarge"


def test_match_of_something_else_is_misuse(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="instance"):
        call("match", path)


def test_schema_is_the_published_one() -> None:
    assert call("schema") == (0, json_schema_text())
