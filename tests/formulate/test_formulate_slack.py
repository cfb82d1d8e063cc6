"""Slack weights and whole-number rows."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isingrag.formulate.slack import slack_weights, whole_row
from isingrag.testing.problems import all_masks


def sums(weights: list[int]) -> set[int]:
    found = {0}
    for weight in weights:
        found |= {value + weight for value in found}
    return found


@pytest.mark.parametrize("top", range(201))
def test_slack_reaches_exactly_its_range(top: int) -> None:
    weights = slack_weights(top)
    assert sums(weights) == set(range(top + 1))
    assert len(weights) == top.bit_length()
    assert sum(weights) == top


def test_fractions_are_scaled_to_whole_numbers() -> None:
    """L19: 0.5a + 0.25b + 0.75c <= 1 is 2a + b + 3c <= 4; only (1,0,1) and (1,1,1) are infeasible."""
    row = whole_row(np.array([0.5, 0.25, 0.75]), 1.0)
    assert (row.weights.tolist(), row.bound, row.unit, row.approximate) == ([2, 1, 3], 4, 0.25, False)
    over = [tuple(m.astype(int)) for m in all_masks(3) if m @ row.weights > row.bound]
    assert over == [(1, 0, 1), (1, 1, 1)]


def test_tenths_are_exact() -> None:
    row = whole_row(np.array([0.1, 0.2, 0.7]), 0.3)
    assert (row.weights.tolist(), row.bound, row.approximate) == ([1, 2, 7], 3, False)


def test_a_wide_budget_is_exact_up_to_its_limit() -> None:
    """L21: within 4,096 units nothing is rounded."""
    row = whole_row(np.array([97.0, 203.0, 411.0]), 600.0)
    assert (row.weights.tolist(), row.bound, row.approximate) == ([97, 203, 411], 600, False)


@given(st.lists(st.floats(0.0, 1e5, allow_nan=False), min_size=1, max_size=6), st.floats(0.0, 3e5, allow_nan=False))
def test_a_row_is_never_over_budget(costs: list[float], budget: float) -> None:
    array = np.array(costs)
    row = whole_row(array, budget)
    assert (row.weights == np.round(row.weights)).all()
    assert (row.weights >= 0).all()
    assert 0 <= row.bound <= 4096 + 8
    for mask in all_masks(len(costs)):
        fits = array[mask].sum() <= budget * (1 + 1e-9) + 1e-9
        if row.weights[mask].sum() <= row.bound:
            assert fits
        elif not row.approximate:
            assert array[mask].sum() > budget * (1 - 1e-9) - 1e-9


@given(st.lists(st.integers(0, 40), min_size=1, max_size=6), st.integers(0, 120))
def test_whole_costs_are_exact(costs: list[int], budget: int) -> None:
    row = whole_row(np.array(costs, dtype=float), float(budget))
    assert not row.approximate
    for r in range(len(costs) + 1):
        for chosen in combinations(range(len(costs)), r):
            fits = sum(costs[i] for i in chosen) <= budget
            assert (sum(row.weights[i] for i in chosen) <= row.bound) == fits


def test_a_coarse_row_says_so_and_loses_little() -> None:
    costs = np.array([9_700.0, 20_301.0, 41_103.0])
    row = whole_row(costs, 60_000.0)
    assert row.approximate
    assert [bool(m @ row.weights <= row.bound) for m in all_masks(3)] == [
        bool(m @ costs <= 60_000) for m in all_masks(3)
    ]


def test_many_denominators_and_a_huge_budget() -> None:
    primes = [p for p in range(2, 2000) if all(p % q for q in range(2, int(p**0.5) + 1))]
    row = whole_row(np.array([1.0 / p for p in primes]), 1.0)
    assert row.approximate
    assert row.bound >= 1
    everything = whole_row(np.array([1e-4, 1.0]), 1e308)
    assert everything.weights.sum() <= everything.bound
    nothing = whole_row(np.array([0.3, np.pi]), 0.0)
    assert (nothing.weights > nothing.bound).all()
