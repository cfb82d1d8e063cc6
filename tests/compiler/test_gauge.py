"""gauge: exact for spins and bits."""

from __future__ import annotations

import numpy as np
import pytest
from graph_machines import all_states, complete, forms
from hypothesis import given
from hypothesis import strategies as st

import isingrag as ir
from isingrag.compiler.passes import Gauge


@given(forms(), st.integers(0, 2**63 - 1))
def test_energies_are_kept(form, seed):
    """Planted mistake seen to fail: the shift of bits missing from the offset."""
    digest = form.digest
    lowering = Gauge().lower(form, seed)
    states = all_states(form.count, form.vartype)
    moved = lowering.map.extend(states)
    assert np.allclose(lowering.output.energies(moved), form.energies(states), atol=1e-9)
    assert (lowering.map.restore(moved) == states).all()
    assert form.digest == digest
    assert lowering.error_bound == 0.0


def test_spins_change_signs_only():
    form = complete(30)
    lowering = Gauge().lower(form, 4)
    assert (np.abs(lowering.output.values) == 1.0).all()
    assert 0 < lowering.facts["flipped"] < 30
    assert lowering.output == Gauge().lower(form, 4).output
    assert lowering.output != Gauge().lower(form, 5).output
    assert lowering.seed == 4


@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
def test_in_the_pipeline(vartype):
    problem = ir.SelectionProblem(ids=[0, 1, 2, 3], linear=[3.0, 2.0, 1.0, 0.5], size=2)
    profile = ir.ideal_profile().replace(vartype=vartype)
    compiled = ir.compile(problem, profile, gauge=True, lowering="paper", seed=1)
    assert compiled.options["gauge"] is True
    result = ir.run(compiled, backend="exact", reads=5)
    assert result.raw.ids == (0, 1)
