"""chain: strengths by rule, and what they cost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from graph_machines import ANNEALER, all_states, annealer, complete, forms, machine, spin_form
from hypothesis import given, settings
from hypothesis import strategies as st

from isingrag.compiler.chain_strength import RULES, contracted, torque_compensation
from isingrag.compiler.passes import Chain, Embed, Scale
from isingrag.compiler.passes.scale import range_factor
from isingrag.errors import EmbeddingError, InputError, UnknownName
from isingrag.model import Quadratic


def embedded(form, profile, **options):
    lowering = Embed(profile, **options).lower(form, 1)
    return lowering.output, tuple(tuple(chain.tolist()) for chain in lowering.map.chains), lowering.map


@settings(deadline=None, max_examples=60)
@given(forms(5), st.sampled_from([*RULES, 2.5]), st.sampled_from(["all", "tree"]))
def test_whole_chains_keep_their_energy_and_broken_ones_pay(form, rule, couplers):
    """Planted mistake seen to fail: the offset left as it was."""
    profile = machine("chimera", {"m": 2})
    target, chains, step = embedded(form, profile, method="clique")
    lowering = Chain(profile, chains, rule, couplers=couplers).lower(target)
    states = all_states(form.count, form.vartype)
    full = step.extend(states)
    assert np.allclose(lowering.output.energies(full), target.energies(full), atol=1e-9)
    assert lowering.error_bound == 0.0
    if lowering.facts["chains"]:
        strength = np.min(lowering.facts["strength"])
        assert strength > 0
        chain = next(chain for chain in chains if len(chain) > 1)
        broken = full[:1].copy()
        broken[0, chain[0]] = -broken[0, chain[0]] if form.vartype == "SPIN" else 1 - broken[0, chain[0]]
        gained = lowering.output.energies(broken) - target.energies(broken)
        assert gained[0] >= 2 * strength - 1e-9


def test_l40_the_rule_is_computed_on_spins():
    """Complete graph on 5, every pair weight 2 over bits: 1.414, not 5.656."""
    rows, columns = np.triu_indices(5, 1)
    bits = Quadratic("BINARY", [f"x{i}" for i in range(5)], np.zeros(5), rows, columns, np.full(10, 2.0))
    assert torque_compensation(bits) == pytest.approx(1.414)
    assert torque_compensation(bits.as_vartype("SPIN")) == pytest.approx(1.414)
    for form in (bits, bits.as_vartype("SPIN")):
        profile = machine("chimera", {"m": 2})
        target, chains, _ = embedded(form, profile)
        assert Chain(profile, chains).lower(target).facts["strength"] == pytest.approx(1.414)


@pytest.mark.parametrize("rule", RULES)
def test_l41_never_zero_while_a_chain_has_two_qubits(rule):
    profile = machine("chimera", {"m": 1})
    form = Quadratic("SPIN", ["0", "4", "5"], [0.25, 0.25, 0.0], [0], [2], [0.0])
    facts = Chain(profile, ((0, 1), (2,)), rule).lower(form).facts
    assert facts["strength"] == pytest.approx(0.25 if rule == "bits" else 0.5)  # |h| of the whole chain is 0.5
    empty = Quadratic("SPIN", ["0", "4"], [0.0, 0.0])
    assert Chain(profile, ((0, 1),), rule).lower(empty).facts["strength"] == 1.0


def test_l42_the_report_says_what_a_penalty_leaves_to_the_objective():
    """n=20, k=4: strength 3.08 at P=1 and 154.1 at P=50; a coupling of .025 keeps .0081 or .00016."""
    profile = machine(
        "zephyr", {"m": 4}, coupling={"range": [-1, 1], "dtype": "float64"}, noise={"dac_step_J": [[-1, 0.001]]}
    )
    objective = spin_form(20, {(0, 1): 0.025})
    for penalty, strength, share in ((1.0, 3.08, 0.0081), (50.0, 154.1, 0.00016)):
        form = complete(20, penalty / 2)
        target, chains, _ = embedded(form, profile)
        facts = Chain(profile, chains, objective=objective).lower(target).facts
        assert facts["strength"] == pytest.approx(strength, abs=0.05 * strength / 3)
        assert facts["share of range left to the objective"] == pytest.approx(share, rel=0.02)
        assert ("notes" in facts) == (penalty == 50.0)
        assert facts["scale left"] == pytest.approx(target.max_quadratic / facts["strength"])


def test_l44_no_chains_no_strength_no_rescaling_no_warning():
    profile = machine("chimera", {"m": 1}, coupling=ANNEALER)
    target, chains, _ = embedded(spin_form(2, {(0, 1): 0.7}), profile)
    assert all(len(chain) == 1 for chain in chains)
    lowering = Chain(profile, chains).lower(target)
    assert lowering.output == target
    assert set(lowering.facts) == {"chains", "longest", "mean length"}
    assert lowering.facts["chains"] == 0


def test_the_rules_side_by_side():
    profile = machine("chimera", {"m": 2})
    form = spin_form(5, dict.fromkeys(combinations(range(5), 2), 1.0), linear=[3.0, 0, 0, 0, 0])
    target, chains, _ = embedded(form, profile)
    strength = lambda rule, **o: Chain(profile, chains, rule, **o).lower(target).facts["strength"]  # noqa: E731
    assert strength("torque") == pytest.approx(1.414 * 2)
    assert strength("torque", prefactor=1.0) == pytest.approx(2.0)
    assert strength("scaled") == pytest.approx(3.0)
    assert strength("per_chain") == pytest.approx(1.414 * 2)
    assert strength(0.3) == 0.3


def test_the_contracted_form_is_the_logical_one():
    form = complete(6, 0.75)
    target, chains, _ = embedded(form, machine("chimera", {"m": 2}))
    logical = contracted(target, chains)
    assert np.allclose(logical.dense, form.dense)


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 4), st.integers(0, 2**32 - 1), st.sampled_from(["all", "tree"]))
def test_chains_that_are_sure_to_hold_do(n, seed, couplers):
    """Every ground state over the qubits is one of whole chains where all strengths are sufficient.

    Planted mistake seen to fail: half of the smaller torque instead of the whole.
    """
    profile = machine("chimera", {"m": 1})  # no range, so nothing limits the rule
    rng = np.random.default_rng(seed)
    form = spin_form(n, {pair: float(rng.normal()) for pair in combinations(range(n), 2)}, rng.normal(size=n))
    target, chains, _ = embedded(form, profile, method="clique")
    lowering = Chain(profile, chains, "bits", couplers=couplers).lower(target)
    assert lowering.facts["chains"] > 0
    assert lowering.facts["sure to hold"] == lowering.facts["chains"]
    states = all_states(target.count, "SPIN")
    lowest = lowering.output.energies(states).min()
    logical = form.energies(all_states(form.count, "SPIN")).min()
    assert lowest == pytest.approx(logical, abs=1e-6)


def test_bits_costs_no_more_of_the_range_than_torque_and_falls_on_a_step():
    profile = machine(
        "king", {"rows": 12, "cols": 12}, bias={"bits": 8, "integer": True}, coupling={"bits": 8, "integer": True}
    )
    rng = np.random.default_rng(2)
    form = spin_form(8, {pair: float(rng.normal()) for pair in combinations(range(8), 2)}, linear=rng.normal(size=8))
    target, chains, _ = embedded(form, profile)
    torque, bits = (Chain(profile, chains, rule).lower(target) for rule in ("torque", "bits"))
    assert bits.facts["scale left"] >= torque.facts["scale left"] - 1e-12
    factor = range_factor(bits.output, profile)
    for strength in (np.min(bits.facts["strength"]), np.max(bits.facts["strength"])):
        assert strength * factor == pytest.approx(round(strength * factor), abs=1e-6)
    assert bits.output.values.min() * factor >= -127 - 1e-9


def test_chain_couplings_stay_in_the_extended_range_and_totals():
    profile = annealer("pegasus", 3, per_qubit_total=[-18, 15])
    target, chains, _ = embedded(complete(12), profile)
    scaled = Scale(profile).lower(Chain(profile, chains, 50.0).lower(target).output).output
    assert profile.check(scaled).ok
    assert scaled.values.min() == pytest.approx(-2.0)


def test_a_chain_in_two_pieces_is_refused():
    with pytest.raises(EmbeddingError, match="not connected"):
        Chain(machine("chimera", {"m": 1}), ((0, 1),)).lower(Quadratic("SPIN", ["0", "1"], [0.0, 1.0]))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"strength": "torqe"}, UnknownName),
        ({"strength": 0.0}, InputError),
        ({"strength": -1.0}, InputError),
        ({"prefactor": 0.0}, InputError),
        ({"couplers": "some"}, UnknownName),
    ],
)
def test_wrong_options_are_refused(options, error):
    with pytest.raises(error):
        Chain(machine("chimera", {"m": 1}), (), **options)
