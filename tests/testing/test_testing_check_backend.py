"""check_backend: the shipped backends keep every law, and each planted mistake fails the law it breaks."""

import numpy as np
import pytest

from isingrag.backends import get_backend, sample_set
from isingrag.backends.base import check_request
from isingrag.backends.tabu import TabuBackend
from isingrag.common.options import check_options
from isingrag.profile import load_profile
from isingrag.solvers.exact_ising import ground_states
from isingrag.testing import check_backend


class QuickTabu(TabuBackend):
    """The shipped tabu backend with one search a read: its defaults take 0.2 s a read however small the BQM."""

    def sample(self, bqm, profile=None, *, reads=100, seed=0, **options):
        return super().sample(bqm, profile, reads=reads, seed=seed, **{"num_restarts": 0, **options})


class Good:
    """A correct backend of a few lines: random states plus a ground state; mistakes are planted in subclasses."""

    name = "good"

    def sample(self, bqm, profile=None, *, reads=100, seed=0, **options):
        self.options(options)
        form = self.request(bqm, reads, seed)
        if profile is not None:
            self.fits(profile, form)
        rng = self.rng(seed)
        states = rng.integers(0, 2, size=(self.rows(reads), form.count)).astype(np.int8)
        if form.vartype == "SPIN":
            states = (2 * states - 1).astype(np.int8)
        states[-1] = self.ground(form)
        return self.answer(form, states, bqm)

    def options(self, options):
        check_options("good", options, ("sweeps",))

    def request(self, bqm, reads, seed):
        return check_request(bqm, reads, seed)

    def fits(self, profile, form):
        profile.require(form)

    def rng(self, seed):
        return np.random.default_rng(seed)

    def rows(self, reads):
        return reads

    def ground(self, form):
        return ground_states(form, limit=1).states[0]

    def answer(self, form, states, bqm):
        return sample_set(form, states, {"backend": self.name}, getattr(bqm, "variables", None))


def test_a_correct_backend_passes():
    check_backend(Good(), profile=load_profile("fujitsu-da1"), reads=3)


@pytest.mark.parametrize("name", ["annealing", "digital_annealer", "exact"])
def test_shipped_backends_keep_every_law(name):
    check_backend(name, exact=name == "exact", profile=load_profile("ideal-8"))


def test_tabu_keeps_every_law():
    check_backend(QuickTabu(), reads=3, profile=load_profile("ideal-8"))


@pytest.mark.parametrize("profile", ["fujitsu-da1", "fujitsu-da2", "brim-64spin-65nm", "ideal", "fixstars-amplify-ae"])
@pytest.mark.parametrize("name", ["annealing", "digital_annealer", "exact"])
def test_shipped_backends_refuse_what_each_machine_cannot_hold(name, profile):
    from isingrag.testing.backends import _profile

    _profile(get_backend(name), load_profile(profile), 5)


class WrongEnergies(Good):
    """Breaks L52: energies of other rows."""

    def answer(self, form, states, bqm):
        import dimod

        energies = np.roll(form.energies(states), 1)
        return dimod.SampleSet.from_samples(
            (states, list(bqm.variables)), energy=energies, vartype=form.vartype, info={"backend": self.name}
        )


class WrongSign(Good):
    """Breaks L54: solves -J."""

    def ground(self, form):
        from isingrag.model import Quadratic

        turned = Quadratic(form.vartype, form.names, form.linear, form.rows, form.columns, -form.values, form.offset)
        return ground_states(turned, limit=1).states[0]

    def rng(self, seed):
        return np.random.default_rng(0)

    def rows(self, reads):
        return reads

    def answer(self, form, states, bqm):
        return super().answer(form, np.repeat(states[-1:], len(states), axis=0), bqm)


class NoFields(WrongSign):
    """Breaks L51: leaves the linear terms out."""

    def ground(self, form):
        from isingrag.model import Quadratic

        bare = Quadratic(form.vartype, form.names, 0 * form.linear, form.rows, form.columns, form.values, form.offset)
        return ground_states(bare, limit=1).states[0]


class NoOffset(Good):
    """Breaks the offset law: energies without the constant."""

    def answer(self, form, states, bqm):
        import dimod

        energies = form.energies(states) - form.offset
        return dimod.SampleSet.from_samples(
            (states, list(bqm.variables)), energy=energies, vartype=form.vartype, info={"backend": self.name}
        )


class SortedLabels(Good):
    """Breaks L59: states come back under labels sorted as text."""

    def answer(self, form, states, bqm):
        return sample_set(form, states, {"backend": self.name}, sorted(bqm.variables, key=str))


class TextLabels(Good):
    """Breaks L59: labels come back as text."""

    def answer(self, form, states, bqm):
        return sample_set(form, states, {"backend": self.name})


class OneReadMore(Good):
    """Breaks the reads law."""

    def rows(self, reads):
        return reads + 1


class IgnoresSeed(Good):
    """Breaks repeatability: draws from the system."""

    def rng(self, seed):
        return np.random.default_rng()


class SwallowsOptions(Good):
    """Breaks L47: takes any option."""

    def options(self, options):
        pass


class NamesNoOption(Good):
    """Breaks L65: refuses without the option's name."""

    def options(self, options):
        from isingrag.errors import UnknownOption

        if options:
            raise UnknownOption("bad option")


class AnyRequest(Good):
    """Breaks the request law: reads and seed are cut to what works."""

    def request(self, bqm, reads, seed):
        return check_request(bqm, max(1, int(reads or 1)), 0)

    def rows(self, reads):
        return max(1, int(reads or 1))

    def rng(self, seed):
        return np.random.default_rng(abs(int(seed or 0)))


class TakesNaN(Good):
    """Breaks L07: NaN and infinity become 0."""

    def request(self, bqm, reads, seed):
        clean = bqm.copy()
        clean.offset = float(np.nan_to_num(bqm.offset, posinf=0, neginf=0))
        for v, bias in bqm.linear.items():
            clean.set_linear(v, float(np.nan_to_num(bias, posinf=0, neginf=0)))
        for (u, v), bias in bqm.quadratic.items():
            clean.set_quadratic(u, v, float(np.nan_to_num(bias, posinf=0, neginf=0)))
        return check_request(clean, reads, seed)


class ChangesInput(Good):
    """Breaks the law that the BQM stays as it is."""

    def answer(self, form, states, bqm):
        result = super().answer(form, states, bqm)
        bqm.scale(0.5)
        return result


class NoName(Good):
    """Breaks the info law."""

    def answer(self, form, states, bqm):
        return sample_set(form, states, {}, bqm.variables)


class Random(Good):
    """Breaks the ground-state law: one random state a read."""

    def ground(self, form):
        return np.full(form.count, -1 if form.vartype == "SPIN" else 0, dtype=np.int8)


class NoEmpty(Good):
    """Breaks the edge law: raises without variables."""

    def request(self, bqm, reads, seed):
        form = check_request(bqm, reads, seed)
        if not form.count:
            raise ZeroDivisionError("nothing to do")
        return form


class IgnoresProfile(Good):
    """Breaks L45: advertises ranges and takes anything."""

    def fits(self, profile, form):
        pass


class Bits(Good):
    """Breaks the vartype law: bits for a SPIN form."""

    def answer(self, form, states, bqm):
        binary = form.as_vartype("BINARY")
        return sample_set(binary, (states > 0).astype(np.int8), {"backend": self.name}, bqm.variables)


BROKEN = [
    (WrongEnergies, "energies"),
    (WrongSign, "energies"),
    (NoFields, "energies"),
    (NoOffset, "energies"),
    (SortedLabels, "energies"),
    (TextLabels, "energies"),
    (OneReadMore, "reads"),
    (IgnoresSeed, "seed"),
    (SwallowsOptions, "options"),
    (NamesNoOption, "options"),
    (AnyRequest, "reads"),
    (TakesNaN, "finite"),
    (ChangesInput, "input"),
    (NoName, "info"),
    (Random, "energies"),
    (NoEmpty, "edge forms"),
    (IgnoresProfile, "profile"),
    (Bits, "energies"),
]


@pytest.mark.parametrize(("broken", "law"), BROKEN, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_mistake_fails_its_law(broken, law):
    with pytest.raises(AssertionError, match=rf"^{law}: backend 'good'"):
        check_backend(broken(), profile=load_profile("fujitsu-da1"), reads=3)


@pytest.mark.parametrize(
    ("broken", "law"),
    [(WrongSign, "_sign"), (NoFields, "_linear"), (NoOffset, "_offset"), (Random, "_ground_states")],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_each_law_fails_on_its_own(broken, law):
    from isingrag.testing import backends

    with pytest.raises(AssertionError):
        getattr(backends, law)(broken(), False, 3)


def test_an_exact_backend_may_not_give_excited_states():
    with pytest.raises(AssertionError, match="is exact and answered"):
        check_backend(Good(), exact=True, reads=20)
