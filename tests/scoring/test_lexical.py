"""Words, stop words, title mentions, BM25 and coverage."""

import math

import numpy as np
import pytest

from isingrag.scoring.lexical import LexicalIndex, content_tokens, mentions, title_core, tokenize, words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Cities' walls", ["the", "city", "wall"]),
        ("John\u2019s boxes, 1950s & 3.5", ["john", "box", "1950", "3", "5"]),
        ("Churches, glasses, status, bus, analysis", ["church", "glass", "status", "bus", "analysis"]),
        ("Stra\u00dfe M\u00dcNSTER Mu\u0308nster", ["strasse", "m\u00fcnster", "m\u00fcnster"]),
        ("\u6771\u4eac tower", ["\u6771", "\u4eac", "tower"]),
        ("\u0939\u093f\u0928\u094d\u0926\u0940 x_y", ["\u0939\u093f\u0928\u094d\u0926\u0940", "x", "y"]),
        ("don't", ["dont"]),
        (" ... \u2014 !", []),
    ],
)
def test_tokens(text, tokens):
    assert tokenize(text) == tokens


def test_words_keep_their_case():
    assert words("The HMS Hood, 1920") == ["The", "HMS", "Hood", "1920"]


def test_content_tokens_drop_stop_words_and_repetitions():
    assert content_tokens("Which is the opera of the operas by Does Verdi?") == ["opera", "verdi"]


@pytest.mark.parametrize(
    ("title", "core"), [("Tony Kaye (director)", "Tony Kaye"), ("A &amp; B", "A & B"), ("(untitled)", "(untitled)")]
)
def test_title_core(title, core):
    assert title_core(title) == core


@pytest.mark.parametrize(
    ("title", "text", "value"),
    [
        ("Tony Kaye (director)", "a film by tony kaye.", 1.0),
        ("Thomas De Quincey", "Thomas Penson De Quincey wrote", 0.75),
        ("Romeo", "Romeo slays him", 1.0),
        ("Romeo", "a real romeo", 0.0),
        ("It", "It is so", 0.0),
        ("", "anything", 0.0),
        ("Duke", "Dukedom", 0.0),
    ],
)
def test_mentions(title, text, value):
    assert mentions([title], [text]).tolist() == [[value]]


def test_bm25_against_the_formula_by_hand():
    index = LexicalIndex(["red red fox", "blue fox", "green"])
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    damping = 1.2 * (1 - 0.75 + 0.75 * 3 / 2)
    assert index.bm25(["red"]) == pytest.approx([idf * 2 * 2.2 / (2 + damping), 0, 0])
    assert index.bm25([]).tolist() == [0, 0, 0]


def test_coverage_is_the_share_of_idf_weight():
    index = LexicalIndex(["red fox", "fox", "dog"])
    share = index.coverage(["red", "fox"])
    red, fox = index.idf(["red", "fox"])
    assert share == pytest.approx([1.0, fox / (red + fox), 0.0])
    assert index.coverage([]).tolist() == [0, 0, 0]


def test_an_empty_pool():
    index = LexicalIndex([])
    assert index.bm25(["a"]).shape == (0,)
    assert index.coverage(["a"]).shape == (0,)
    assert np.isfinite(index.idf(["a"])).all()
