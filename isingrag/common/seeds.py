"""One seed per call; each stage gets a Generator of its own, derived by name."""

from __future__ import annotations

import zlib

import numpy as np

from isingrag.common.arrays import check_whole

__all__ = ["check_seed", "stage_generator", "stage_seed"]


def check_seed(seed: object) -> int:
    """A whole number in 0 .. 2**63-1.

    Raises
    ------
    InputError
        For None, negative numbers, booleans and fractions: without a seed a run can't be repeated.
    """
    return check_whole("seed", seed, minimum=0, maximum=2**63 - 1)


def _sequence(seed: int, stage: str) -> np.random.SeedSequence:
    return np.random.SeedSequence(check_seed(seed), spawn_key=(zlib.crc32(stage.encode()),))


def stage_generator(seed: int, stage: str) -> np.random.Generator:
    """Generator of one named stage; independent of the order in which stages run."""
    return np.random.default_rng(_sequence(seed, stage))


def stage_seed(seed: int, stage: str) -> int:
    """A 31-bit seed of one named stage, for libraries that take a C int."""
    return int(_sequence(seed, stage).generate_state(1)[0] & 0x7FFFFFFF)
