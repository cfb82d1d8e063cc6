"""From a question to evidence scores: ranges, laws, refusals, and quality on public data."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.data import demo_questions_path
from isingrag.errors import InputError, UnknownName
from isingrag.problem.question import Passage, Question
from isingrag.problem.readers import load_questions
from isingrag.problem.scores import EvidenceScores
from isingrag.scoring import HashedEmbedder, LexicalScorer, score

ROOT = Path(__file__).resolve().parents[2]
DEMO = load_questions(demo_questions_path())


class Fixed:
    """An embedder that answers with given rows."""

    def __init__(self, rows):
        self.rows = rows

    def embed(self, texts):
        return self.rows(len(texts)) if callable(self.rows) else self.rows


@pytest.mark.parametrize("question", DEMO, ids=lambda q: q.id)
def test_ranges_and_shapes(question):
    scores = score(question)
    n, m = len(question.passages), len(scores.weights)
    assert scores.ids == question.ids
    assert scores.support.shape == (m, n)
    assert scores.weights.sum() == pytest.approx(1.0)
    assert len(scores.requirements) == m
    assert scores.texts == tuple(passage.full_text for passage in question.passages)
    for array in (scores.relevance, scores.redundancy, scores.complementarity):
        assert array.min() >= 0.0
        assert array.max() <= 1.0
    assert scores.support.any(axis=1).all()
    assert ((scores.support == 0).mean(axis=1) > 0.5).all()


@pytest.mark.parametrize("question", DEMO[:4], ids=lambda q: q.id)
def test_permuting_the_passages_permutes_the_scores(question):
    order = np.random.default_rng(3).permutation(len(question.passages))
    mixed = score(replace(question, passages=tuple(question.passages[i] for i in order)))
    plain = score(question)
    assert np.array_equal(mixed.relevance, plain.relevance[order])
    assert np.array_equal(mixed.support, plain.support[:, order])
    assert np.array_equal(mixed.redundancy, plain.redundancy[np.ix_(order, order)])
    assert np.array_equal(mixed.complementarity, plain.complementarity[np.ix_(order, order)])


texts = st.text(alphabet="abc ABC.12\u6771", max_size=12)


@settings(max_examples=60, deadline=None)
@given(texts.filter(str.strip), st.lists(st.tuples(texts, texts), max_size=6), st.randoms(use_true_random=False))
def test_any_texts_are_scored_and_order_does_not_matter(text, pairs, random):
    passages = [Passage(f"p{i}", body, title) for i, (body, title) in enumerate(pairs)]
    plain = score(Question("q", text, tuple(passages)))
    order = list(range(len(passages)))
    random.shuffle(order)
    mixed = score(Question("q", text, tuple(passages[i] for i in order)))
    assert np.array_equal(mixed.relevance, plain.relevance[order])
    assert np.array_equal(mixed.support, plain.support[:, order])


def test_hash_seeds_change_nothing():
    program = (
        "from isingrag.data import demo_questions_path as p; from isingrag.problem.readers import load_questions as l;"
        "from isingrag.scoring import score; print([score(q).digest for q in l(p())])"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert answers == {f"{[score(question).digest for question in DEMO]}\n"}


def test_no_passages_give_scores_of_nothing():
    scores = score(Question("q", "Who built Halvern Bridge?", ()))
    assert (scores.size, scores.support.shape) == (0, (2, 0))
    assert scores.redundancy.shape == (0, 0)


def test_passages_without_a_word_in_common_support_nothing():
    scores = score(Question.from_texts("zebra?", ["", "..."]))
    assert not scores.support.any()
    assert scores.relevance.tolist() == [0, 0]


def test_equal_passages_are_fully_redundant_and_tie_by_id():
    scores = score(Question.from_texts("Who made the red boat?", ["Ann made the red boat."] * 4))
    assert scores.redundancy[0, 1:] == pytest.approx(1.0)
    assert len(set(scores.relevance)) == 1
    assert len({tuple(column) for column in scores.support.T}) == 1


def test_a_lone_weak_match_is_partial_support_of_the_lowest_id():
    strict = LexicalScorer(partial=1.0, direct=1.0, relative=0.0)
    question = Question.from_texts("Who made red boats in Ostmere?", ["A boat.", "A boat.", "A fox."], ids=[10, 2, 3])
    support = score(question, scorer=strict, requirements=["boats of Ostmere"]).support
    assert support.tolist() == [[0, 1, 0]]


def test_near_duplicates_are_redundant():
    scores = score(DEMO[0])
    same = scores.redundancy[scores.ids.index("Halvern Bridge#0"), scores.ids.index("River Sele#1")]
    assert same > 0.5
    assert same > 2 * np.median(scores.redundancy)


def test_a_title_mentioned_elsewhere_makes_a_complementary_pair():
    scores = score(DEMO[0])
    row = scores.complementarity[scores.ids.index("Halvern Bridge#0")]
    assert scores.ids[int(row.argmax())] == "Maren Tolliver#0"


def test_given_requirements_are_used_with_equal_weights():
    question = replace(DEMO[0], requirements=("Who designed the bridge?", "Where was she born?"))
    scores = score(question)
    assert scores.requirements == question.requirements
    assert scores.weights.tolist() == [0.5, 0.5]
    assert score(question, requirements=["a", "b", "a", "c", "d"]).weights.tolist() == [0.25] * 4
    assert score(question, requirements=[]).requirements == score(DEMO[0]).requirements
    for bad in (["a", " "], [3], "text"):
        with pytest.raises(InputError, match="a requirement has no text"):
            score(question, requirements=bad)


def test_scorers_by_name_and_by_object():
    assert score(DEMO[0]) == score(DEMO[0], scorer=LexicalScorer())
    assert score(DEMO[0]) != score(DEMO[0], embedder=HashedEmbedder(64))
    with pytest.raises(UnknownName, match=r"unknown scorer; found: 'lexcal'; allowed: nearest: lexical"):
        score(DEMO[0], scorer="lexcal")
    with pytest.raises(InputError, match="the scorer has no method 'score'"):
        score(DEMO[0], scorer=3)
    with pytest.raises(InputError, match="an embedder was given next to a scorer object"):
        score(DEMO[0], scorer=LexicalScorer(), embedder=HashedEmbedder())


def test_an_object_must_answer_for_the_question():
    class Other:
        def score(self, question):
            return EvidenceScores(["x"], [1.0], [[1]], [1.0])

    class Wrong:
        def score(self, question):
            return None

    for scorer in (Other(), Wrong()):
        with pytest.raises(InputError, match="the scorer's answer does not fit the question"):
            score(DEMO[0], scorer=scorer)


def test_bad_embeddings_are_refused_with_the_row():
    def with_nan(count):
        rows = np.eye(count)
        rows[1, 0] = np.nan
        return rows

    question = Question.from_texts("What is a fox?", ["A fox.", "A dog."])
    with pytest.raises(InputError, match=r"not finite.*embedding of text 1"):
        score(question, embedder=Fixed(with_nan))
    with pytest.raises(InputError, match=r"wrong shape; found: \(2, 3\); allowed: \(4, d\)"):
        score(question, embedder=Fixed(np.zeros((2, 3))))
    zero = score(question, embedder=Fixed(lambda count: np.zeros((count, 3))))
    assert zero.redundancy.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": -1}, "words is out of bounds"),
        ({"direct": 1.5}, "direct is out of bounds"),
        ({"relative": float("nan")}, "relative is out of bounds"),
        ({"reach": "a"}, "reach is not a number"),
        ({"partial": 0.9}, "partial is above direct"),
        ({"words": 0, "meaning": 0, "title": 0, "first": 0}, "relevance has no parts"),
    ],
)
def test_parameters_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        LexicalScorer(**options)


def test_forty_passages_take_few_milliseconds():
    long = Question.from_texts(DEMO[0].text, [p.full_text + f" {i}" for i, p in enumerate(DEMO[0].passages * 3)][:40])
    score(long)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        score(long)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.05  # about 0.01 s; generous for a shared machine


@pytest.mark.shared
def test_relevance_of_unseen_questions_finds_most_gold(shared):
    recall = []
    for question in load_questions(shared / "data" / "hotpotqa" / "dev.jsonl")[150:]:
        scores = score(question)
        top = {scores.ids[i] for i in np.argsort(-scores.relevance, kind="stable")[:5]}
        recall.append(len(top & set(question.gold)) / len(question.gold))
    assert np.mean(recall) > 0.72
