"""Totals of couplings: what all couplers of a qubit, or of one of its groups, carry together."""

from __future__ import annotations

import numpy as np

from isingrag.common.arrays import FloatArray, IntArray
from isingrag.model.quadratic import Quadratic
from isingrag.profile.schema import ProfileFile

__all__ = ["coupling_totals", "group_index", "node_labels", "zephyr_coordinates"]


def node_labels(form: Quadratic) -> IntArray | None:
    """Names of the variables as node labels; None where one is no whole number."""
    try:
        return np.array([int(name) for name in form.names], dtype=np.int64)
    except (ValueError, OverflowError):
        return None


def zephyr_coordinates(labels: IntArray, m: int, t: int) -> IntArray:
    """Coordinates (u, w, k, j, z) of linear labels, shape (n, 5)."""
    rest, z = np.divmod(labels, m)
    rest, j = np.divmod(rest, 2)
    rest, k = np.divmod(rest, t)
    u, w = np.divmod(rest, 2 * m + 1)
    return np.stack([u, w, k, j, z], axis=1)


def group_index(of: IntArray, neighbour: IntArray) -> IntArray:
    """D-Wave's rule for the two groups of a Zephyr qubit's couplers; -1 is the second group.

    With ``q = (U, W, K, J, Z)`` and its neighbour ``p = (u, w, k, j, z)``: internal couplers (u != U)
    ``2 Z + J + 1 - w``, odd couplers (j != J) ``Z + J - z``, external couplers ``(z - Z) // 2``.

    Parameters
    ----------
    of, neighbour : (p, 5) int64
        Coordinates of the two ends of p couplers; the group is that of the first.
    """
    upper_u, _, _, upper_j, upper_z = of.T
    u, w, _, j, z = neighbour.T
    internal = 2 * upper_z + upper_j + 1 - w
    odd = upper_z + upper_j - z
    external = (z - upper_z) // 2
    return np.asarray(np.where(u != upper_u, internal, np.where(j != upper_j, odd, external)))


def coupling_totals(form: Quadratic, data: ProfileFile) -> tuple[FloatArray, tuple[float, float]] | None:
    """Totals that a profile limits, shape (n, 1) per qubit or (n, 2) per group, and their range.

    None where the profile gives no such limit, or where it can't be told (groups outside Zephyr,
    names that are no node labels).
    """
    register, topology = data.coupling, data.topology
    if register.per_group_total is not None:
        labels = node_labels(form)
        m, t = topology.params.get("m"), topology.params.get("t", 4)
        if topology.type != "zephyr" or labels is None or not isinstance(m, int) or not isinstance(t, int):
            return None
        places = zephyr_coordinates(labels, m, t)
        first, second = places[form.rows], places[form.columns]
        return _sums(form, group_index(first, second), group_index(second, first), 2), register.per_group_total
    if register.per_qubit_total is not None:
        nought = np.zeros(form.values.size, dtype=np.int64)
        return _sums(form, nought, nought, 1), register.per_qubit_total
    return None


def _sums(form: Quadratic, first: IntArray, second: IntArray, groups: int) -> FloatArray:
    size = form.count * groups
    keys = (form.rows * groups + first % groups, form.columns * groups + second % groups)
    sums = sum(np.bincount(key, form.values, size) for key in keys)
    return np.asarray(sums, dtype=np.float64).reshape(form.count, groups)
