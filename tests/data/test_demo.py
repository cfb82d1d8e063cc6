"""The packaged demo questions."""

import pytest

from isingrag.data import demo_questions_path
from isingrag.problem import evidence_problem
from isingrag.problem.readers import load_questions
from isingrag.scoring import score
from isingrag.solvers.exact import solve_exact

QUESTIONS = load_questions(demo_questions_path())


def test_they_are_many_and_of_both_kinds():
    assert len(QUESTIONS) >= 8
    assert {question.meta["type"] for question in QUESTIONS} == {"bridge", "comparison"}
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
def test_each_is_complete(question):
    assert "unresolved_gold" not in question.meta
    assert len({question.passage(id_).title for id_ in question.gold}) == 2
    assert 6 <= len({passage.title for passage in question.passages}) <= 10
    gold = " ".join(question.passage(id_).text for id_ in question.gold)
    assert question.answer == "no" or question.answer in gold


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
def test_each_says_something_twice(question):
    assert score(question).redundancy.max() > 0.4


def test_most_selections_hold_all_gold():
    whole = [set(q.gold) <= set(solve_exact(evidence_problem(score(q), size=5)).ids) for q in QUESTIONS]
    assert sum(whole) >= 8
