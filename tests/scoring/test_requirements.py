"""Requirements read from a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isingrag.errors import InputError
from isingrag.scoring import derive_requirements


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who was born first, Mary Poole or Ivan Roth?", ["Mary Poole", "Ivan Roth"]),
        ('Who sang "Over the Hill" in the film?', ["Over the Hill"]),
        ("What did the University of East Vale teach?", ["University of East Vale"]),
        ("Are both red pandas and sea otters mammals?", ["red pandas"]),
        ("Which is sweeter, honey or maple syrup?", ["honey", "maple syrup"]),
        ("Are Ann Lee and Bo Ek both of Danish descent?", ["Ann Lee", "Bo Ek"]),
        ("Which American writer was born in 1952 in Vale?", ["Vale"]),
        ("What is a fox?", []),
    ],
)
def test_names_then_relation(question, names):
    texts, weights = derive_requirements(question)
    assert list(texts[: len(names)]) == names
    assert all(name not in texts[-1] for name in names if len(texts) > len(names))
    assert len(texts) == len(weights)
    assert sum(weights) == pytest.approx(1.0)


def test_the_relation_masks_the_names():
    texts, weights = derive_requirements("Who built the bridge in Ostmere?")
    assert texts == ("Ostmere", "Who built the bridge in ...?")
    assert weights == pytest.approx((0.6, 0.4))


def test_a_question_of_names_alone_has_no_relation():
    assert derive_requirements("Who is Mary Poole?") == (("Mary Poole",), (1.0,))


def test_names_inside_names_are_dropped():
    texts, _ = derive_requirements('Did Poole write "Mary Poole" for Poole?')
    assert texts[0] == "Mary Poole"
    assert len(texts) == 2


def test_many_names_leave_the_longest_five():
    texts, _ = derive_requirements("Do Ab, Cdef, Ghijk, Lmnopq, Rstuvwx and Yzabcdefg share traits?")
    assert texts[:-1] == ("Cdef", "Ghijk", "Lmnopq", "Rstuvwx", "Yzabcdefg")


@pytest.mark.parametrize("question", ["", "  \n", None])
def test_an_empty_question_is_refused(question):
    with pytest.raises(InputError, match="a question has no text"):
        derive_requirements(question)


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_any_question_has_one_to_six_distinct_requirements(question):
    texts, weights = derive_requirements(question)
    assert 1 <= len(texts) <= 6
    assert len(set(texts)) == len(texts) == len(weights)
    assert sum(weights) == pytest.approx(1.0)
    assert all(text.strip() for text in texts)
    assert derive_requirements(question) == (texts, weights)
