"""Options, seeds and errors."""

import pickle

import numpy as np
import pytest

from isingrag.common.options import check_options, choose, require_package
from isingrag.common.seeds import check_seed, stage_generator, stage_seed
from isingrag.errors import InputError, IsingragError, MissingExtra, RangeError, UnknownName, UnknownOption


def test_a_misspelled_option_names_the_nearest() -> None:
    with pytest.raises(UnknownOption, match=r"relevence_weight; allowed: nearest: relevance_weight.*where: mmr"):
        check_options("mmr", {"relevence_weight": 0.1}, ["relevance_weight", "size"])
    with pytest.raises(TypeError):
        check_options("mmr", {"x": 1}, [])


def test_an_unknown_name_lists_what_is_known() -> None:
    with pytest.raises(UnknownName, match="unknown lowering; found: 'papre'; allowed: nearest: paper"):
        choose("lowering", "papre", ["paper", "tight"])


def test_a_missing_package_names_its_extra() -> None:
    with pytest.raises(MissingExtra, match=r'needs the package .nonsense_pkg.*pip install "isingrag\[dwave\]"'):
        require_package("nonsense_pkg.sub", "dwave", "the D-Wave backend")
    with pytest.raises(ImportError):
        require_package("nonsense_pkg", "dwave", "it")


@pytest.mark.parametrize("seed", [None, -1, True, 1.5, 2**63, "0"])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(InputError, match="seed"):
        check_seed(seed)


def test_stages_draw_independently_of_each_other() -> None:
    one = stage_generator(5, "gauge").random(4)
    assert np.array_equal(one, stage_generator(5, "gauge").random(4))
    assert not np.array_equal(one, stage_generator(5, "chain").random(4))
    assert not np.array_equal(one, stage_generator(6, "gauge").random(4))
    assert 0 <= stage_seed(5, "gauge") < 2**31
    assert stage_seed(5, "gauge") == stage_seed(5, "gauge") != stage_seed(6, "gauge")


def test_errors_survive_pickle_with_their_parts() -> None:
    error = pickle.loads(pickle.dumps(RangeError("too wide", found=9, allowed="<= 7", where="J[0, 1]")))  # noqa: S301
    assert isinstance(error, RangeError)
    assert isinstance(error, IsingragError)
    assert (error.message, error.found, error.allowed, error.where) == ("too wide", "9", "<= 7", "J[0, 1]")
    assert str(error) == "too wide; found: 9; allowed: <= 7; where: J[0, 1]"
