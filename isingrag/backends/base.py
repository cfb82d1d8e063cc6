"""What every backend is, and the checks that all share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from isingrag.common.arrays import check_whole
from isingrag.common.seeds import check_seed
from isingrag.errors import BackendError, InputError
from isingrag.model import Quadratic
from isingrag.states.maps import States

if TYPE_CHECKING:
    import dimod

    from isingrag.profile import HardwareProfile

__all__ = ["Backend", "check_request", "sample_set"]


@runtime_checkable
class Backend(Protocol):
    """A machine or an emulator.

    Attributes
    ----------
    name : str
    """

    name: str

    def sample(
        self,
        bqm: dimod.BinaryQuadraticModel,
        profile: HardwareProfile | None = None,
        *,
        reads: int = 100,
        seed: int = 0,
        **options: Any,
    ) -> dimod.SampleSet:
        """Sample a BQM of either vartype.

        Parameters
        ----------
        bqm : dimod.BinaryQuadraticModel
        profile : HardwareProfile, optional
            Limits and dynamics to obey; the raw BQM is taken as it is without one.
        reads : int
            Samples wanted, >= 1; `exact` gives its ground states, at most this many.
        seed : int
            The same seed gives the same samples.
        **options
            The backend's own; unknown ones raise.

        Returns
        -------
        dimod.SampleSet
            In the BQM's vartype; every energy is computed from its own sample and the BQM.
        """


def check_request(bqm: Any, reads: int, seed: int) -> Quadratic:
    """The BQM as a frozen form, after the checks that all backends share.

    Raises
    ------
    InputError
        NaN or infinite coefficients, reads < 1, no valid seed.
    """
    check_whole("reads", reads, minimum=1)
    check_seed(seed)
    if isinstance(bqm, Quadratic):
        return bqm
    if not hasattr(bqm, "to_numpy_vectors"):
        raise InputError("not a BQM", found=type(bqm).__name__, allowed="dimod.BinaryQuadraticModel", where="bqm")
    return Quadratic.from_bqm(bqm)


def sample_set(form: Quadratic, states: States, info: Mapping[str, Any], labels: Any = None) -> dimod.SampleSet:
    """A sample set whose energies are those of its samples.

    Parameters
    ----------
    form : Quadratic
    states : (R, n) int8 in the form's vartype
    info : mapping
        Plain values: backend, options used, seconds.
    labels : sequence, optional
        The BQM's own labels, in order; the form's names by default.
    """
    import dimod

    array = np.asarray(states)
    if array.ndim != 2 or array.shape[1] != form.count:
        raise BackendError(
            "a backend answered states of the wrong shape",
            found=array.shape,
            allowed=("R", form.count),
            where=info.get("backend"),
        )
    allowed = (-1, 1) if form.vartype == "SPIN" else (0, 1)
    if not np.isin(array, allowed).all():
        raise BackendError("a backend answered something that is no state", allowed=allowed, where=info.get("backend"))
    array = array.astype(np.int8)
    names = list(form.names if labels is None else labels)
    return dimod.SampleSet.from_samples(
        (array, names), energy=form.energies(array), vartype=form.vartype, info=dict(info), sort_labels=False
    )
