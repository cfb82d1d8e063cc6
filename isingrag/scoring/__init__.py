"""From text to evidence scores: embeddings, words, requirements, support."""

from isingrag.scoring.embedding import Embedder, HashedEmbedder
from isingrag.scoring.pipeline import LexicalScorer, Scorer, score
from isingrag.scoring.requirements import derive_requirements

__all__ = ["Embedder", "HashedEmbedder", "LexicalScorer", "Scorer", "derive_requirements", "score"]
