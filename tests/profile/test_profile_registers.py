"""From a register's description to the values that it holds."""

import numpy as np
import pytest

from isingrag.profile import Grid, HardwareProfile
from isingrag.profile.registers import register_grid
from isingrag.profile.schema import Register


def _grid(**fields):
    return register_grid(Register(**fields))


@pytest.mark.parametrize(
    ("fields", "grid"),
    [
        ({"bits": 4}, Grid(-7, 7, 1.0)),
        ({"bits": 4, "signed": True}, Grid(-7, 7, 1.0)),
        ({"bits": 4, "signed": False}, Grid(0, 15, 1.0)),
        ({"bits": 2, "signed": True}, Grid(-1, 1, 1.0)),
        ({"bits": 26, "signed": True, "fixed_point": True}, Grid(1 - 2**25, 2**25 - 1, 1.0)),
        ({"bits": 64, "integer": True}, Grid(1 - 2**52, 2**52 - 1, 1.0)),
        ({"bits": 54, "signed": False}, Grid(0, 2**53 - 1, 1.0)),
        ({"bits": 64, "dtype": "float64", "integer": False}, Grid()),
        ({"dtype": "float32", "range": (-1, 1)}, Grid(-1, 1)),
        ({"dtype": "int8"}, Grid(-127, 127, 1.0)),
        ({"dtype": "int16", "signed": False}, Grid(0, 2**16 - 1, 1.0)),
        ({"range": (-4, 4)}, Grid(-4, 4)),
        ({"range": (-2, 1), "integer": True}, Grid(-2, 1, 1.0)),
        ({"range": (-7.5, 2.25), "integer": True}, Grid(-7, 2, 1.0)),
        ({"levels": (-1, 0, 2)}, Grid(-1, 2, None, (-1, 0, 2))),
        ({"levels": 31}, Grid(-15, 15, 1.0)),
        ({"bits": 5, "levels": 31}, Grid(-15, 15, 1.0)),
        ({"levels": {"count": 5, "min": -1, "max": 1}}, Grid(-1, 1, 0.5)),
        ({"levels": {"count": 4, "min": 0, "max": 3}}, Grid(0, 3, 1.0)),
        ({}, Grid()),
    ],
    ids=str,
)
def test_grids(fields, grid):
    assert _grid(**fields) == grid


def test_bits_of_a_grid():
    assert _grid(bits=4, signed=False).bits == pytest.approx(4.0)
    assert _grid(levels=31).bits == pytest.approx(np.log2(31))
    assert _grid(levels=(-1, 0, 2)).bits == pytest.approx(np.log2(3))
    assert _grid(range=(-4, 4)).bits is None


@pytest.mark.parametrize("bits", [4, 16, 26, 40, 53, 64])
def test_a_register_holds_its_whole_numbers_and_nothing_else(bits):
    grid = _grid(bits=bits, signed=True)
    top = grid.high
    assert grid.holds(np.array([0.0, 1.0, -1.0, top, -top])).all()
    assert not grid.holds(np.array([0.5, top + 1, -top - 1, 1.001, -0.02, top * 1.5])).any()


def test_a_level_list_holds_its_levels_and_nothing_else():
    grid = _grid(levels=(-2.5, -1, 0, 0.25, 4))
    assert grid.holds(np.array([-2.5, -1, 0, 0.25, 4])).all()
    assert not grid.holds(np.array([-2.6, -2, 0.1, 3.9, 4.1, 100.0, -100.0])).any()


def test_fractional_steps_are_held_despite_rounding():
    grid = _grid(levels={"count": 2001, "min": -1, "max": 1})
    values = np.rint(np.linspace(-1, 1, 777) / grid.step) * grid.step
    assert grid.holds(values).all()
    assert not grid.holds(np.array([0.0005, 1.0005])).any()


def test_the_tolerance_of_a_small_range_is_small():
    grid = _grid(range=(-1e-6, 1e-6))
    assert grid.holds(np.array([1e-6, -1e-6, 0])).all()
    assert not grid.holds(np.array([1.0001e-6])).any()


def test_a_wide_register_is_quantised_to_53_bits_and_says_so():
    profile = HardwareProfile.from_dict({"name": "wide", "coupling": {"bits": 64, "integer": True}})
    assert "coupling.bits 64 quantised to 53" in profile.assumptions()
