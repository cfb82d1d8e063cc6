"""Questions, evidence scores and selection problems: what is to be selected, and the judge of it."""

from isingrag.problem.diversity import diversity_problem
from isingrag.problem.evidence import EvidenceWeights, evidence_problem
from isingrag.problem.pairs import DensePairs, LowRankPairs, PairTerms, SparsePairs
from isingrag.problem.question import Passage, Question
from isingrag.problem.readers import load_questions, save_questions
from isingrag.problem.scores import EvidenceScores
from isingrag.problem.selection import Change, Selection, Violation
from isingrag.problem.selection_problem import SelectionProblem
from isingrag.problem.terms import CoverageTerm, GroupLimit

__all__ = [
    "Change",
    "CoverageTerm",
    "DensePairs",
    "EvidenceScores",
    "EvidenceWeights",
    "GroupLimit",
    "LowRankPairs",
    "PairTerms",
    "Passage",
    "Question",
    "Selection",
    "SelectionProblem",
    "SparsePairs",
    "Violation",
    "diversity_problem",
    "evidence_problem",
    "load_questions",
    "save_questions",
]
