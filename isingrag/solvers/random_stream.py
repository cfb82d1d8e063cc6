"""Random numbers inside compiled kernels: xoshiro256++ with its state in an array.

numba's own generator is one hidden state per thread; here each read has its own explicit state, so
samples do not depend on the order or the thread in which reads are done. After Blackman and Vigna,
doi:10.1145/3460772.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["next_uniform", "streams"]


def streams(rng: np.random.Generator, count: int) -> NDArray[np.uint64]:
    """States of `count` independent streams, shape (count, 4), drawn from a Generator."""
    states = rng.integers(0, 2**64, size=(count, 4), dtype=np.uint64)
    states[:, 0] |= np.uint64(1)  # the all-zero state is the one that must not occur
    return states


@njit(cache=True, inline="always")
def next_uniform(state):  # type: ignore[no-untyped-def]
    """Next number in [0, 1) with 53 random bits; advances `state`, uint64 of shape (4,)."""
    total = state[0] + state[3]
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return (result >> np.uint64(11)) * (1.0 / 9007199254740992.0)
