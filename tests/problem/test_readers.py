"""Question files: what is read, what is refused, and that plain files read back what was written."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.errors import FileFormatError, InputError, UnknownName
from isingrag.problem import readers
from isingrag.problem.question import Passage, Question
from isingrag.problem.readers import iter_questions, load_questions, question_to_dict, save_questions

HOTPOT = {
    "_id": "h1",
    "question": " Who built it? ",
    "answer": "Ann",
    "type": "bridge",
    "level": "easy",
    "supporting_facts": [["Hut", 2], ["Ann", 0], ["Ann", 0], ["Gone", 1]],
    "context": [["Hut", [" It stands.", "  ", "Ann built it."]], ["Ann", ["Ann &amp; Co."]], ["Hut", ["Another hut."]]],
}
MUSIQUE = {
    "id": "m1",
    "question": "Where?",
    "answer": "Here",
    "answer_aliases": ["There"],
    "paragraphs": [
        {"idx": 0, "title": "A", "paragraph_text": " one", "is_supporting": False},
        {"idx": 1, "title": "A", "paragraph_text": "two", "is_supporting": True},
    ],
    "question_decomposition": [{"id": 1, "question": "A >> place", "answer": "Here", "paragraph_support_idx": 1}],
}
PLAIN = {"question": "Why?", "passages": ["first", "second"]}


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def refused(path: Path, **options: object) -> str:
    with pytest.raises(FileFormatError) as caught:
        load_questions(path, **options)
    return str(caught.value)


def test_hotpotqa_passages_are_sentences_with_the_files_indexes(tmp_path):
    question = load_questions(lines(tmp_path / "q.jsonl", HOTPOT))[0]
    assert (question.id, question.text, question.answer) == ("h1", "Who built it?", "Ann")
    assert question.ids == ("Hut#0", "Hut#2", "Ann#0", "Hut (2)#0")
    assert question.passages[0] == Passage("Hut#0", "It stands.", "Hut", 0)
    assert question.passage("Hut#2").position == 2
    assert question.passage("Ann#0").text == "Ann &amp; Co."
    assert question.passage("Hut (2)#0").title == "Hut"


def test_hotpotqa_gold_that_names_no_passage_is_kept_in_meta(tmp_path):
    question = load_questions(lines(tmp_path / "q.jsonl", HOTPOT))[0]
    assert question.gold == ("Hut#2", "Ann#0")
    assert question.meta["unresolved_gold"] == [["Gone", 1]]
    assert (question.meta["type"], question.meta["level"], question.meta["format"]) == ("bridge", "easy", "hotpotqa")


def test_a_copied_title_does_not_collide_with_a_real_one(tmp_path):
    row = {"question": "q", "context": [["A", ["1"]], ["A (2)", ["2"]], ["A", ["3"]], ["A", ["4"]]]}
    assert load_questions(lines(tmp_path / "q.jsonl", row))[0].ids == ("A#0", "A (2)#0", "A (3)#0", "A (4)#0")


def test_musique_keeps_the_decomposition_out_of_the_requirements(tmp_path):
    question = load_questions(lines(tmp_path / "q.jsonl", MUSIQUE))[0]
    assert question.ids == ("A#0", "A#1")
    assert question.passages[0].text == "one"
    assert question.gold == ("A#1",)
    assert question.requirements == ()
    assert question.meta["decomposition"] == ["A >> place"]
    assert question.meta["answer_aliases"] == ["There"]


def test_plain_rows(tmp_path):
    full = {
        "id": 7,
        "question": "Why?",
        "passages": [{"id": "b", "text": "B", "title": "T", "position": 3}, {"id": "a", "text": ""}],
        "answer": None,
        "gold": ["a"],
        "requirements": ["because"],
        "source": "mine",
        "meta": {"x": 1},
    }
    first, second = load_questions(lines(tmp_path / "q.jsonl", PLAIN, full))
    assert (first.id, first.ids, [p.text for p in first.passages]) == ("row1", (0, 1), ["first", "second"])
    assert second == Question("7", "Why?", (Passage("b", "B", "T", 3), Passage("a", "")), None, ("a",), ("because",))
    assert second.meta == {"x": 1, "source": "mine"}


def test_formats_mix_in_one_file_and_in_an_array(tmp_path):
    rows = [HOTPOT, MUSIQUE, PLAIN]
    by_line = load_questions(lines(tmp_path / "q.jsonl", *rows))
    array = tmp_path / "q.json"
    array.write_text("\ufeff \n" + json.dumps(rows, indent=1), encoding="utf-8")
    assert load_questions(array) == by_line
    assert [len(q.passages) for q in by_line] == [4, 2, 2]


def test_empty_files_hold_no_questions(tmp_path):
    for text in ("", "\n \n", "[]"):
        (tmp_path / "q").write_text(text)
        assert load_questions(tmp_path / "q") == []


def test_limit_does_not_look_at_the_rest(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(PLAIN) + "\n\n" + json.dumps(PLAIN) + "\nnot json\n")
    assert len(load_questions(path, limit=2)) == 2
    stream = iter_questions(path)
    assert [next(stream).id, next(stream).id] == ["row1", "row2"]
    with pytest.raises(FileFormatError, match=r"the text is not JSON.*q\.jsonl, line 4"):
        next(stream)


@pytest.mark.parametrize("limit", [0, -1, 2.5, True])
def test_limit_is_a_positive_whole_number(tmp_path, limit):
    with pytest.raises(InputError, match="limit"):
        iter_questions(lines(tmp_path / "q.jsonl", PLAIN), limit=limit)


def test_format_names_are_checked_at_the_call(tmp_path):
    with pytest.raises(UnknownName, match="nearest: hotpotqa"):
        iter_questions(lines(tmp_path / "q.jsonl", PLAIN), format="hotpot")
    with pytest.raises(FileFormatError, match="no such file"):
        iter_questions(tmp_path / "absent.jsonl")


def without(row, *keys):
    return {key: value for key, value in row.items() if key not in keys}


BAD_ROWS = [
    ([1, 2], "a row is not an object"),
    ({"question": "q"}, "the row's format can't be told from its fields"),
    ({**PLAIN, "context": []}, "the row's format can't be told from its fields"),
    (without(HOTPOT, "question"), "field 'question' is missing"),
    ({**HOTPOT, "question": "  "}, "field 'question' is empty"),
    ({**HOTPOT, "question": 3}, "field 'question' has the wrong type"),
    ({**HOTPOT, "_id": 1.5}, "field '_id' has the wrong type"),
    ({**HOTPOT, "answer": ["a"]}, "field 'answer' has the wrong type"),
    ({**HOTPOT, "context": {}}, "field 'context' has the wrong type"),
    ({**HOTPOT, "context": [["A", "text"]]}, "field 'context[0][1]' has the wrong type"),
    ({**HOTPOT, "context": [["A", [1]]]}, "field 'context[0][1][0]' has the wrong type"),
    ({**HOTPOT, "context": [["A"]]}, "field 'context[0]' has the wrong length"),
    ({**HOTPOT, "supporting_facts": [["Hut", True]]}, "field 'supporting_facts[0][1]' has the wrong type"),
    ({**MUSIQUE, "paragraphs": [1]}, "field 'paragraphs[0]' has the wrong type"),
    ({**MUSIQUE, "paragraphs": [{"idx": 0, "title": "A"}]}, "field 'paragraphs[0].paragraph_text' is missing"),
    ({**MUSIQUE, "paragraphs": MUSIQUE["paragraphs"][:1] * 2}, "holds a duplicate id"),
    ({**MUSIQUE, "question_decomposition": [{"id": 1}]}, "field 'question_decomposition[0].question' is missing"),
    (without(PLAIN, "question"), "field 'question' is missing"),
    ({**PLAIN, "passages": [3]}, "field 'passages[0]' has the wrong type"),
    ({**PLAIN, "passages": [{"title": "t"}]}, "field 'passages[0].text' is missing"),
    ({**PLAIN, "passages": [{"id": True, "text": "t"}]}, "field 'passages[0].id' has the wrong type"),
    ({**PLAIN, "passages": [{"id": "a", "text": "t"}, "u"]}, "field 'passages[1].id' is missing"),
    ({**PLAIN, "passages": [{"id": "a", "text": "t"}] * 2}, "holds a duplicate id"),
    ({**PLAIN, "passages": [{"id": "a", "text": "t"}, {"id": 1, "text": "u"}]}, "mixes text and numbers"),
    ({**PLAIN, "gold": [5]}, "a gold id names no passage"),
    ({**PLAIN, "requirements": [5]}, "field 'requirements[0]' has the wrong type"),
]


@pytest.mark.parametrize(("row", "message"), BAD_ROWS)
def test_bad_rows_are_refused_with_file_and_line(tmp_path, row, message):
    text = refused(lines(tmp_path / "q.jsonl", *[PLAIN] * 2, row))
    assert message in text
    assert "q.jsonl, line 3" in text


@pytest.mark.parametrize(("row", "message"), BAD_ROWS[:4])
def test_bad_items_of_an_array_are_refused_with_line_and_item(tmp_path, row, message):
    path = tmp_path / "q.json"
    path.write_text("[\n" + json.dumps(PLAIN) + ",\n\n" + json.dumps(row) + "\n]")
    text = refused(path)
    assert message in text
    assert "line 4, item 1 of the array" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"question": "q", "passages": [}', "the text is not JSON"),
        ('{"question": "q", "question": "r", "passages": []}', "the JSON holds a key twice"),
        ('{"question": "q", "passages": [], "x": NaN}', "the JSON holds a value that is not finite"),
    ],
)
def test_bad_json_is_refused_with_the_line(tmp_path, text, message):
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(PLAIN) + "\n" + text + "\n")
    assert message in refused(path)
    assert "q.jsonl, line 2" in refused(path)


def test_bad_bytes_are_refused_with_the_line(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(json.dumps(PLAIN).encode() + b"\n\xff\n")
    assert "the file is not UTF-8 text" in refused(path)
    assert "line 2" in refused(path)


def test_long_lines_are_refused_before_they_are_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "MAX_LINE_BYTES", 200)
    path = lines(tmp_path / "q.jsonl", PLAIN, {**PLAIN, "answer": "x" * 300})
    text = refused(path)
    assert "a line is too long" in text
    assert "line 2" in text
    long = Question("long", "q", (Passage(0, "x" * 300),))
    with pytest.raises(InputError, match="too long for one line"):
        save_questions(tmp_path / "out.jsonl", [long])


def test_a_forced_format_reads_no_other(tmp_path):
    assert "field 'context' is missing" in refused(lines(tmp_path / "q.jsonl", PLAIN), format="2wiki")
    both = {**PLAIN, "context": []}
    assert len(load_questions(lines(tmp_path / "q.jsonl", both), format="plain")) == 1


def test_what_has_no_json_form_is_refused_by_name(tmp_path):
    for bad in ({"x": object()}, {"x": float("nan")}, {"x": "\ud800"}):
        with pytest.raises(InputError, match=r"can't be written as JSON.*question 'q1'"):
            save_questions(tmp_path / "q.jsonl", [Question("q1", "t", (), meta=bad)])
    assert not (tmp_path / "q.jsonl").exists()


texts = st.text(max_size=12)
ids = st.one_of(st.lists(st.integers(), unique=True, max_size=5), st.lists(texts, unique=True, max_size=5))


@st.composite
def questions(draw):
    names = draw(ids)
    passages = tuple(Passage(n, draw(texts), draw(texts), draw(st.integers(0, 9))) for n in names)
    return Question(
        draw(texts),
        draw(texts.filter(str.strip)),
        passages,
        draw(st.none() | texts),
        tuple(draw(st.lists(st.sampled_from(names), max_size=3))) if names else (),
        tuple(draw(st.lists(texts, max_size=3))),
        draw(st.dictionaries(texts, st.integers() | texts, max_size=2)),
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(questions(), max_size=4))
def test_plain_files_read_back_equal(tmp_path_factory, given_questions):
    path = save_questions(tmp_path_factory.mktemp("plain") / "q.jsonl", given_questions)
    back = load_questions(path)
    assert back == given_questions
    assert [question_to_dict(q) for q in back] == [question_to_dict(q) for q in given_questions]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "count"),
    [
        ("hotpotqa/dev.jsonl", 300),
        ("hotpotqa/fullwiki.jsonl", 80),
        ("hotpotqa/insufficient.jsonl", 60),
        ("musique/dev.jsonl", 150),
        ("2wikimultihopqa/dev.jsonl", 300),
    ],
)
def test_public_data_is_read_whole_and_reads_back(shared, tmp_path, file, count):
    found = load_questions(shared / "data" / file)
    assert len(found) == count
    assert load_questions(save_questions(tmp_path / "q.jsonl", found)) == found
    unresolved = ["unresolved_gold" in question.meta for question in found]
    assert all(unresolved) if "insufficient" in file else not any(unresolved)
