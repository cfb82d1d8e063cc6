"""Measurements and support levels."""

import numpy as np
import pytest

from isingrag.problem.question import Passage
from isingrag.scoring import HashedEmbedder
from isingrag.scoring.support import measure, support_levels

PASSAGES = [
    Passage("a", "The Last Lamp was made by Lena Osterhaus.", "The Last Lamp", 0),
    Passage("b", "It rained.", "The Last Lamp", 1),
    Passage("c", "Lena Osterhaus lives in Brunn.", "Lena Osterhaus (director)", 0),
    Passage("d", "A text of no document."),
]


def test_measurements():
    features = measure("Who made The Last Lamp?", PASSAGES, ["Lena Osterhaus", "rain"], HashedEmbedder())
    assert features.title.tolist() == [1, 1, 0, 0]
    assert features.first.tolist() == [1, 0, 1, 0]
    assert features.links[0].tolist() == [0, 0, 1, 0]
    assert np.count_nonzero(features.links) == 1
    assert features.words.max() == 1.0
    assert features.coverage[0] == pytest.approx([1, 0, 1, 0])
    assert features.titles[0].tolist() == [0, 0, 1, 0]
    assert features.similarity.shape == (2, 4)
    assert features.embeddings.shape == (4, 512)


def test_titles_match_in_part():
    features = measure("q", PASSAGES, ["the lamp of a keeper"], HashedEmbedder())
    assert 0 < features.titles[0, 0] < 1
    assert features.titles[0, 2] == 0


def test_levels():
    strength = np.array([[0.9, 0.5, 0.1], [0.2, 0.3, 0.3], [0.0, 0.0, 0.0], [0.1, 0.3, 0.1]])
    evident = np.array([[1, 1, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1]])
    assert support_levels(strength, evident, 0.5, 0.8).tolist() == [[2, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0]]


def test_levels_of_nothing():
    assert support_levels(np.zeros((2, 0)), np.zeros((2, 0)), 0.5, 0.8).shape == (2, 0)
