"""scale: the annealers' documented rule, and clipping."""

from __future__ import annotations

import numpy as np
import pytest
from graph_machines import ANNEALER, annealer, forms, machine, spin_form
from hypothesis import given
from hypothesis import strategies as st

from isingrag.compiler.passes import Scale
from isingrag.compiler.passes.scale import auto_scale_divisor, range_factor
from isingrag.errors import InputError, RangeError
from isingrag.model import Quadratic

DWAVE = annealer("chimera", 1)


def labelled(couplings, linear):
    names = ["0", "1", "4", "5"][: len(linear)]
    return spin_form(len(linear), couplings, linear, names)


def test_the_worked_case_of_the_solver_documentation():
    form = Quadratic("SPIN", ["0", "4"], [-7.2, 2.3], [0], [1], [1.5])
    assert auto_scale_divisor(form, DWAVE) == pytest.approx(1.8)
    lowering = Scale(DWAVE).lower(form)
    assert lowering.facts["factor"] == pytest.approx(1 / 1.8)
    assert lowering.facts["limited by"] == "bias"
    assert DWAVE.check(lowering.output).ok


@pytest.mark.parametrize(
    ("linear", "value", "divisor", "limit"),
    [
        ([2.0, 0.0], 0.1, 0.5, "bias"),  # below 1: small problems are scaled up
        ([0.0, 0.0], 1.5, 1.5, "coupling"),
        ([0.0, 0.0], -1.5, 0.75, "coupling"),  # the extended end
        ([3.0, 0.0], 0.5, 0.75, "bias"),  # L32: one factor, 4/3
    ],
)
def test_each_end_counts_for_its_own_sign(linear, value, divisor, limit):
    form = Quadratic("SPIN", ["0", "4"], linear, [0], [1], [value])
    lowering = Scale(DWAVE).lower(form)
    assert auto_scale_divisor(form, DWAVE) == pytest.approx(divisor)
    assert lowering.facts["factor"] == pytest.approx(1 / divisor)
    assert lowering.facts["limited by"] == limit


def test_l26_zeros_lopsided_ranges_and_missing_signs():
    zero = Quadratic("SPIN", ["0"], [0.0])
    assert (range_factor(zero, DWAVE), auto_scale_divisor(zero, DWAVE)) == (1.0, 0.0)
    two = Quadratic("SPIN", ["0", "4", "5"], np.zeros(3), [0, 0], [1, 2], [-1.5, 0.9])
    assert range_factor(two, DWAVE) == pytest.approx(10 / 9)
    assert Scale(DWAVE).lower(two).output.values == pytest.approx([-5 / 3, 1.0])
    positive = machine("chimera", {"m": 1}, coupling={"range": [0, 1], "dtype": "float64"})
    with pytest.raises(RangeError, match="sign that the range lacks"):
        Scale(positive).lower(two)


def test_totals_per_qubit_limit_the_scale():
    profile = annealer("chimera", 1, per_qubit_total=[-3, 2])
    form = Quadratic("SPIN", ["0", "4", "5", "6", "7"], np.zeros(5), [0] * 4, [1, 2, 3, 4], [1.0] * 4)
    assert auto_scale_divisor(form, profile) == pytest.approx(2.0)
    lowering = Scale(profile).lower(form)
    assert lowering.facts["limited by"] == "coupling total"
    assert profile.check(lowering.output).ok
    assert auto_scale_divisor(form.scaled(-1.0), profile) == pytest.approx(4 / 3)
    assert auto_scale_divisor(form, DWAVE) == 1.0


def test_totals_per_group_limit_the_scale():
    from isingrag.profile import hardware_graph

    profile = annealer("zephyr", 3, per_group_total=[-13, 10])
    graph = hardware_graph(profile)
    hub = next(n for n in graph if graph.degree(n) == 20)
    names = [hub, *sorted(graph.adj[hub])]
    form = Quadratic("SPIN", [str(n) for n in names], np.zeros(21), [0] * 20, range(1, 21), np.full(20, -2.0))
    assert auto_scale_divisor(form, profile) == pytest.approx(20 / 13)  # ten couplers of -2 in each group
    assert profile.check(Scale(profile).lower(form).output).ok


@given(forms(4))
def test_the_scaled_form_is_legal_and_stable(form):
    """Planted mistake seen to fail: the plain range in place of the extended one."""
    form = Quadratic("SPIN", ["0", "1", "4", "5"][: form.count], form.linear, (), (), (), 0.0).plus(
        Quadratic(
            "SPIN", ["0", "1", "4", "5"][: form.count], np.zeros(form.count), form.rows, form.columns, form.values
        )
    )
    profile = machine("complete", bias={"range": [-4, 4], "dtype": "float64"}, coupling=ANNEALER)
    lowering = Scale(profile).lower(form)
    assert profile.check(lowering.output).ok
    assert range_factor(lowering.output, profile) == pytest.approx(1.0)
    if form.values.size or form.linear.any():
        assert lowering.facts["factor"] * auto_scale_divisor(form, profile) == pytest.approx(1.0)
    lows, highs = lowering.output.values.min(initial=0.0), lowering.output.values.max(initial=0.0)
    full = np.isclose([lows, highs], [-2.0, 1.0]).any() or np.isclose(lowering.output.max_linear, 4.0)
    assert full or not (form.values.size or form.linear.any())


def test_l34_clipping_is_off_by_default_and_names_what_it_cut():
    couplings = {(i, i + 1): 0.1 for i in range(99)} | {(0, 50): 2.0}
    form = spin_form(101, couplings)
    profile = machine("complete", coupling={"range": [-1, 1], "dtype": "float64"})
    plain = Scale(profile).lower(form)
    assert (plain.facts["factor"], plain.error_bound) == (0.5, 0.0)
    assert "clipped" not in plain.facts
    cut = Scale(profile, clip=98.0).lower(form)
    assert cut.facts["clipped"] == 1
    assert cut.facts["clipped coefficients"] == [{"name": "v0 - v50", "old": 2.0, "new": pytest.approx(0.1)}]
    assert cut.facts["factor"] == pytest.approx(10.0)
    assert cut.error_bound == pytest.approx(3.8)
    whole = Scale(profile, clip=98.0, whole=[("v50", "v0")]).lower(form)
    assert whole.facts["clipped"] == 0


@given(forms(4), st.floats(1, 100))
def test_the_bound_of_clipping_holds(form, percentile):
    from graph_machines import all_states

    profile = machine("complete", coupling={"range": [-1, 1], "dtype": "float64"})
    lowering = Scale(profile, clip=percentile).lower(form)
    states = all_states(form.count, form.vartype)
    after = lowering.output.energies(states) / lowering.facts["factor"]
    assert float(np.ptp(after - form.energies(states))) <= lowering.error_bound * (1 + 1e-9) + 1e-9


def test_a_percentile_out_of_bounds_is_refused():
    with pytest.raises(InputError):
        Scale(DWAVE, clip=101.0)
