"""The file format of hardware profiles, version 1 (TOML), as pydantic models.

Unknown is absent: a field that is not given is not known, which is neither zero nor unlimited.
Keys inside `noise`, `timing`, `power`, `readout`, `chain` and `limits` carry their unit as a
suffix (``_us``, ``_mK``, ``_W``, ...).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

__all__ = ["Levels", "ProfileFile", "Register", "Source", "Topology"]

SCHEMA_VERSION = 1

#: Dynamics known to the backend registry (design, section 5).
Dynamics = Literal[
    "digital_annealer",
    "cim",
    "brim",
    "king_gibbs",
    "sca",
    "momentum",
    "dcim",
    "oscillator",
    "bifurcation",
    "annealing",
    "quantum_annealer",
    "gate",
]

TopologyType = Literal["complete", "chimera", "pegasus", "zephyr", "king", "heavy_hex", "square", "explicit"]


def _vartype(value: object) -> object:
    return {"QUBO": "BINARY", "Ising": "SPIN"}.get(value, value) if isinstance(value, str) else value


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False, allow_inf_nan=False)


class Levels(_Strict):
    """Evenly spaced levels."""

    count: int = Field(ge=2, le=2**53)
    min: float
    max: float

    @model_validator(mode="after")
    def _ordered(self) -> Levels:
        if not self.min < self.max:
            raise ValueError(f"levels.min {self.min} must be below levels.max {self.max}")
        return self


class Register(_Strict):
    """What one kind of coefficient (bias or coupling) can hold."""

    bits: int | None = Field(default=None, ge=2, le=1024)
    signed: bool | None = None
    integer: bool | None = None
    fixed_point: bool | None = None
    dtype: Literal["float32", "float64", "int8", "int16", "int32", "int64"] | None = None
    range: tuple[float, float] | None = None
    levels: tuple[float, ...] | Levels | int | None = None
    extended_range: tuple[float, float] | None = None
    per_qubit_total: tuple[float, float] | None = None
    per_group_total: tuple[float, float] | None = None
    via: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Register:
        for name in ("range", "extended_range", "per_qubit_total", "per_group_total"):
            pair = getattr(self, name)
            if pair is not None and not (pair[0] <= 0 <= pair[1] and pair[0] < pair[1]):
                raise ValueError(f"{name} {list(pair)} must hold 0 and have its lower end first")
        if isinstance(self.levels, tuple):
            levels = self.levels
            if len(levels) < 2 or any(a >= b for a, b in pairwise(levels)):
                raise ValueError("levels must be at least two values in rising order")
            if 0.0 not in levels:
                raise ValueError("levels must hold 0")
        if isinstance(self.levels, Levels):
            step = (self.levels.max - self.levels.min) / (self.levels.count - 1)
            position = -self.levels.min / step
            if not -1e-9 <= position <= self.levels.count - 1 + 1e-9 or abs(position - round(position)) > 1e-9:
                raise ValueError("levels must hold 0")
        if isinstance(self.levels, int) and self.levels < 2:
            raise ValueError(f"levels {self.levels} must be at least 2")
        return self


class Topology(_Strict):
    """The machine's coupling graph."""

    type: TopologyType | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    couplers: int | None = Field(default=None, ge=0)
    working_couplers: int | None = Field(default=None, ge=0)
    max_degree: int | None = Field(default=None, ge=0)
    nodes: tuple[int, ...] | None = None
    edges: tuple[tuple[int, int], ...] | None = None

    @model_validator(mode="after")
    def _explicit(self) -> Topology:
        if self.type == "explicit" and (self.nodes is None or self.edges is None):
            raise ValueError("an explicit topology needs nodes and edges")
        if self.edges is not None and self.nodes is not None:
            known = set(self.nodes)
            for a, b in self.edges:
                if a == b or a not in known or b not in known:
                    raise ValueError(f"edge [{a}, {b}] must join two different nodes of the list")
        return self


class Source(_Strict):
    """Where a group of figures comes from."""

    fields: tuple[str, ...] = Field(min_length=1)
    tag: Literal["primary", "secondary", "computed", "unconfirmed", "user"]
    cite: str


class ProfileFile(_Strict):
    """One profile."""

    schema_version: Literal[1] = 1
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)
    vendor: str | None = None
    kind: Literal["quantum_annealer", "digital_annealer", "coherent", "cmos", "gate_model", "software"] | None = None
    status: Literal["current", "retired", "research"] | None = None
    incomplete: bool = False
    variables: int | None = Field(default=None, ge=1)
    working_variables: int | None = Field(default=None, ge=1)
    vartype: Annotated[Literal["BINARY", "SPIN"] | None, BeforeValidator(_vartype)] = None
    dynamics: Dynamics | None = None
    rounding: Literal["nearest", "away_from_zero", "stochastic"] | None = None
    topology: Topology = Topology()
    bias: Register = Register()
    coupling: Register = Register()
    noise: dict[str, Any] = Field(default_factory=dict)
    timing: dict[str, Any] = Field(default_factory=dict)
    power: dict[str, Any] = Field(default_factory=dict)
    readout: dict[str, Any] = Field(default_factory=dict)
    chain: dict[str, Any] = Field(default_factory=dict)
    limits: dict[str, Any] = Field(default_factory=dict)
    unconfirmed: dict[str, Any] = Field(default_factory=dict)
    notes: str = ""
    sources: tuple[Source, ...] = ()
    citations: dict[str, str] = Field(default_factory=dict)
    assumed: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _cited(self) -> ProfileFile:
        missing = sorted({source.cite for source in self.sources} - set(self.citations))
        if missing:
            raise ValueError(f"sources cite {missing}, which citations does not explain")
        return self
