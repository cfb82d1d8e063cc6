"""From a selection problem to a model: variables, constraints, penalties; arrays and PyQUBO."""

from isingrag.formulate.fold import Folded, add_terms, fold, symbolic
from isingrag.formulate.paper import PaperEncoding, encode_paper, item_name
from isingrag.formulate.penalties import PENALTY_KINDS, PENALTY_RULES, REFERENCE, apply_penalties, sufficient_bounds
from isingrag.formulate.symbolic import Polynomial, is_expression

__all__ = [
    "PENALTY_KINDS",
    "PENALTY_RULES",
    "REFERENCE",
    "Folded",
    "PaperEncoding",
    "Polynomial",
    "add_terms",
    "apply_penalties",
    "encode_paper",
    "fold",
    "is_expression",
    "item_name",
    "sufficient_bounds",
    "symbolic",
]
