"""Hashed embeddings and the check of anybody's embeddings."""

import numpy as np
import pytest

from isingrag.errors import InputError
from isingrag.scoring import Embedder, HashedEmbedder
from isingrag.scoring.embedding import checked_embeddings, cosines

TEXTS = ["The bridge was opened in 1884.", "The bridge, opened in 1884, is old.", "Bees make honey.", " ... "]


def test_rows_are_unit_or_zero_and_repeatable():
    rows = HashedEmbedder().embed(TEXTS)
    assert rows.shape == (4, 512)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1, 0])
    assert np.array_equal(rows, HashedEmbedder().embed(TEXTS))
    assert isinstance(HashedEmbedder(), Embedder)


def test_paraphrases_are_nearer_than_strangers():
    similarity = cosines(*[HashedEmbedder().embed(TEXTS)] * 2)
    assert similarity[0, 1] > 0.5 > 0.2 > similarity[0, 2]
    assert similarity[3].tolist() == [0, 0, 0, 0]


def test_equal_texts_have_cosine_one_and_order_does_not_matter():
    rows = HashedEmbedder(64).embed(["a red fox", "a red fox", "dogs"])
    assert rows[0] @ rows[1] == pytest.approx(1.0)
    assert np.array_equal(HashedEmbedder(64).embed(["dogs", "a red fox", "a red fox"]), rows[[2, 0, 1]])


def test_nothing_in_nothing_out():
    assert HashedEmbedder(16).embed([]).shape == (0, 16)
    assert HashedEmbedder(16).embed(["", "!"]).tolist() == np.zeros((2, 16)).tolist()


@pytest.mark.parametrize("dimensions", [0, 7, 65537, 2.5, True])
def test_dimensions_are_checked(dimensions):
    with pytest.raises(InputError, match="dimensions"):
        HashedEmbedder(dimensions)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 0.0], [np.nan, 0.0], [0.0, 1.0]], r"not finite; found: nan; .*embedding of text 1"),
        ([[1.0, 0.0], [1.0, 0.0], [0.0, -np.inf]], r"not finite; found: -inf; .*embedding of text 2"),
        ([[1.0, 0.0]], r"wrong shape; found: \(1, 2\); allowed: \(3, d\)"),
        ([1.0, 2.0, 3.0], r"wrong shape; found: \(3,\)"),
        ([[1.0], [1.0], [1.0, 2.0]], "not a matrix of numbers"),
        (None, r"wrong shape; found: \(\)"),
    ],
)
def test_bad_embeddings_are_refused(rows, message):
    with pytest.raises(InputError, match=message):
        checked_embeddings(rows, 3)


def test_good_embeddings_in_any_dress_become_unit_rows():
    rows = [[3.0, 4.0], [0.0, 0.0], [1e200, 1e200], [1e-200, 0.0]]
    for dress in (rows, tuple(map(tuple, rows)), np.array(rows)):
        unit = checked_embeddings(dress, 4)
        assert unit == pytest.approx(np.array([[0.6, 0.8], [0, 0], [0.5**0.5] * 2, [1, 0]]))
    assert checked_embeddings(np.array([[3, 4]], dtype=np.float32), 1).dtype == np.float64
