"""The command line as users call it: a process of its own, exit codes, text and JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

QUESTIONS = [
    {
        "id": "q-bridge",
        "question": "In which country was the designer of the Lantern Bridge born?",
        "passages": [
            {"id": "a", "title": "Lantern Bridge", "text": "The Lantern Bridge was designed by Mira Halvorsen."},
            {"id": "b", "title": "Mira Halvorsen", "text": "Mira Halvorsen is an architect born in Norway."},
            {"id": "c", "title": "Mira Halvorsen", "text": "The architect Mira Halvorsen was born in Norway."},
            {"id": "d", "title": "Rope bridge", "text": "Rope bridges sway in the wind."},
        ],
        "answer": "Norway",
        "gold": ["a", "b"],
    },
    {"id": "q-empty", "question": "Is there anything?", "passages": []},
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS), encoding="utf-8")
    return path


def call(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isingrag", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, check=False)


def test_demo_prints_what_a_newcomer_needs() -> None:
    done = call("demo", "--limit", 2)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Question ") == 2
    for word in ("Selected", "covers", "Uncovered", "spins", "bits", "Before repair", "random bits repaired", "Time"):
        assert word in done.stdout


def test_select_names_passages_requirements_and_cost(questions: Path) -> None:
    done = call(
        "select", questions, "--limit", 1, "--profile", "fujitsu-da1", "--size", 2, "--reads", 20, "--lowering", "paper"
    )
    assert done.returncode == 0, done.stderr
    assert "[gold]" in done.stdout
    assert "bias 26 and coupling 16 bits" in done.stdout
    assert "R1" in done.stdout


def test_select_json_is_one_object_a_line_and_repeatable(questions: Path) -> None:
    arguments = ("select", questions, "--profile", "ideal-10", "--reads", 10, "--seed", 5, "--json")
    first, second = call(*arguments), call(*arguments)
    assert first.returncode == second.returncode == 0, first.stderr
    rows = [json.loads(line) for line in first.stdout.splitlines()]
    again = [json.loads(line) for line in second.stdout.splitlines()]
    assert [row["question"] for row in rows] == ["q-bridge", "q-empty"]
    assert [row["selection"] for row in rows] == [row["selection"] for row in again]
    assert {"raw", "repaired", "repaired_random", "facts"} <= set(rows[0])
    assert rows[1]["selection"]["ids"] == []
    assert rows[1]["facts"]["backend_info"] == {}


def test_an_outside_machine_can_sit_in_the_middle(questions: Path, tmp_path: Path) -> None:
    instance, samples = tmp_path / "instance.json", tmp_path / "samples.csv"
    done = call(
        "compile",
        questions,
        "--id",
        "q-bridge",
        "-p",
        "ideal-12",
        "-k",
        2,
        "-o",
        instance,
        "--explain",
        "--lowering",
        "paper",
    )
    assert done.returncode == 0, done.stderr
    assert "quantize(nearest)" in done.stdout
    target = json.loads(instance.read_text(encoding="utf-8"))["target"]
    assert all(float(value).is_integer() for value in [*target["linear"], *target["values"]])
    done = call("run", instance, "-o", samples, "--reads", 30, "--backend", "neal", "--json")
    assert done.returncode == 0, done.stderr
    ran = json.loads(done.stdout)
    done = call("decode", instance, samples, "--json")
    assert done.returncode == 0, done.stderr
    decoded = json.loads(done.stdout)
    assert decoded["reads"] == 30
    assert decoded["best"]["ids"] == ran["raw"]["ids"]
    done = call("decode", instance, samples, "--repair", "--polish")
    assert done.returncode == 0, done.stderr
    assert "100% feasible after repair" in done.stdout


def test_samples_of_another_instance_are_refused(questions: Path, tmp_path: Path) -> None:
    one, two, samples = tmp_path / "one.json", tmp_path / "two.json", tmp_path / "samples.npz"
    assert call("compile", questions, "-k", 1, "-o", one).returncode == 0
    assert call("compile", questions, "-k", 2, "-o", two).returncode == 0
    assert call("run", one, "-o", samples, "--reads", 5).returncode == 0
    done = call("decode", two, samples)
    assert done.returncode == 2
    assert "another instance" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("select", "{q}", "--profile", "fujitsu-da9"), "fujitsu-da1"),
        (("select", "{q}", "--size", "0"), "size"),
        (("select", "{q}", "--backend", "annealin"), "annealing"),
        (("select", "{q}", "--lowering", "paper", "--penalties", "sufficent"), "sufficient"),
        (("select", "{q}", "--penalties", "sufficient"), "lowering='paper'"),
        (("select", "{q}", "--presolve", "prob"), "probing"),
        (("select", "{q}", "--reads", "0"), "reads"),
        (("select", "missing.jsonl"), "no such file"),
        (("compile", "{q}", "--id", "nobody", "-o", "out.json"), "nobody"),
        (("compile", "{q}", "--index", "7", "-o", "out.json"), "no such row"),
        (("compile", "{q}", "-o", "no/such/folder/out.json"), "folder"),
        (("run", "{q}"), "JSON"),
        (("profiles", "show", "nope.toml"), "no such file"),
    ],
)
def test_misuse_exits_2_with_one_line_that_helps(
    questions: Path, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    done = call(*(part.replace("{q}", str(questions)) for part in arguments), cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out.json").exists()


def test_a_malformed_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(json.dumps(QUESTIONS[0]) + "\n{not json\n", encoding="utf-8")
    done = call("select", path, "--reads", 5)
    assert done.returncode == 2
    assert "line 2" in done.stderr


def test_data_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil.jsonl"
    row = {
        "id": "x",
        "question": "Which colour\u001b[31m is it?",
        "passages": ["It is red\u001b]0;owned\u0007 [bold]red[/bold]\u202e.", "Nothing."],
    }
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = call("select", path, "--reads", 5, "--size", 2)
    assert done.returncode == 0, done.stderr
    assert "\u001b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_version_and_help() -> None:
    assert call("--version").stdout.startswith("isingrag 0.")
    done = call("--help")
    for command in ("demo", "select", "compile", "run", "decode", "profiles"):
        assert command in done.stdout


@pytest.mark.shared
def test_real_questions_give_sensible_passages(shared: Path) -> None:
    """The issue's evidence line: 20 HotpotQA questions on the digital annealer."""
    file = shared / "data" / "hotpotqa" / "dev.jsonl"
    done = call("select", file, "--limit", 20, "--profile", "fujitsu-da1", "--reads", 20, "--json")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 20
    hits = sum(len(set(row["selection"]["ids"]) & set(row["gold"])) for row in rows)
    gold = sum(len(row["gold"]) for row in rows)
    assert all(row["selection"]["feasible"] for row in rows)
    assert hits / gold > 0.5
