"""The file format of hardware profiles, version 1 (TOML), as pydantic models.

Unknown is absent: a field that is not given is not known, which is neither zero nor unlimited.
Keys inside `noise`, `timing`, `power`, `readout`, `chain` and `limits` carry their unit as a
suffix (``_us``, ``_mK``, ``_W``, ...).

``python -m isingrag.profile.schema`` prints the JSON schema that docs/profile.schema.json holds.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

__all__ = ["Levels", "ProfileFile", "Register", "Source", "Topology", "json_schema", "json_schema_text"]

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


def _field(meaning: str, *, unit: str = "", example: Any = None, default: Any = None, **rules: Any) -> Any:
    """A field with its documentation: the JSON schema and docs/profiles.md are made from it."""
    extra: dict[str, Any] | None = {"unit": unit} if unit else None
    examples = None if example is None else [example]
    return Field(default=default, description=meaning, examples=examples, json_schema_extra=extra, **rules)


def _section(meaning: str, example: str) -> Any:
    return Field(
        default_factory=dict, description=meaning, examples=[example], json_schema_extra={"unit": "suffix of the key"}
    )


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _number(cls, value: object, info: ValidationInfo) -> object:
        """True is no 1 and "8" is no 8."""
        kinds = get_args(cls.model_fields[info.field_name or ""].annotation)
        if isinstance(value, bool | str) and (int in kinds or float in kinds):
            raise ValueError("must be a number")
        return value


class Levels(_Strict):
    """Evenly spaced levels."""

    count: int = Field(ge=2, le=2**53, description="number of levels", examples=[31])
    min: float = Field(description="lowest level", examples=[-15])
    max: float = Field(description="highest level", examples=[15])

    @model_validator(mode="after")
    def _ordered(self) -> Levels:
        if not self.min < self.max:
            raise ValueError(f"levels.min {self.min} must be below levels.max {self.max}")
        return self


class Register(_Strict):
    """What one kind of coefficient (bias or coupling) can hold."""

    bits: int | None = _field("width of the register, sign included", unit="bit", example=8, ge=2, le=1024)
    signed: bool | None = _field("whether it holds negative values; unknown counts as signed", example=True)
    integer: bool | None = _field("whether it holds whole numbers only", example=True)
    fixed_point: bool | None = _field("evenly spaced values; compiled for as whole numbers", example=True)
    dtype: Literal["float32", "float64", "int8", "int16", "int32", "int64"] | None = _field(
        "number type of the interface; floating point is continuous", example="float32"
    )
    range: tuple[float, float] | None = _field(
        "smallest and largest value; holds 0", unit="device units", example=[-4, 4]
    )
    levels: tuple[float, ...] | Levels | int | None = _field(
        "the values held: a rising list with 0, {count, min, max}, or an odd count of levels around 0",
        unit="device units",
        example=[-1, 0, 1],
    )
    extended_range: tuple[float, float] | None = _field(
        "range that may be used under the totals below", unit="device units", example=[-2, 1]
    )
    per_qubit_total: tuple[float, float] | None = _field(
        "bounds of the sum of all couplings of a qubit", unit="device units", example=[-18, 15]
    )
    per_group_total: tuple[float, float] | None = _field(
        "bounds of the sum of couplings in one coupler group of a qubit", unit="device units", example=[-13, 10]
    )
    via: str | None = _field("how the coefficient enters where there is no register", example="one auxiliary spin")

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

    type: TopologyType | None = _field("family of the graph; explicit is a list of nodes and edges", example="zephyr")
    params: dict[str, Any] = Field(
        default_factory=dict,
        description="parameters of the family: m and t, rows and cols, fabric_only",
        examples=["{ m = 12, t = 4 }"],
    )
    couplers: int | None = _field("edges of the ideal graph", unit="edges", example=45864, ge=0)
    working_couplers: int | None = _field("edges that work after calibration", unit="edges", example=41515, ge=0)
    max_degree: int | None = _field("most couplers of one variable", unit="edges", example=20, ge=0)
    nodes: tuple[int, ...] | None = _field("nodes of an explicit graph", example=[0, 1, 2])
    edges: tuple[tuple[int, int], ...] | None = _field("edges of an explicit graph", example=[[0, 1], [1, 2]])

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

    fields: tuple[str, ...] = Field(
        min_length=1,
        description="paths of the figures; a section stands for all that is in it, and the longest path decides",
        examples=[["variables", "topology.couplers"]],
    )
    tag: Literal["primary", "secondary", "computed", "unconfirmed", "user"] = Field(
        description="evidence tag", examples=["primary"]
    )
    cite: str = Field(description="key of the citations table", examples=["SHEET"])


class ProfileFile(_Strict):
    """One profile."""

    schema_version: Literal[1] = Field(default=1, description="version of this format", examples=[1])
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80, description="unique id", examples=["my-chip"])
    vendor: str | None = _field("who makes it", example="Our group")
    kind: Literal["quantum_annealer", "digital_annealer", "coherent", "cmos", "gate_model", "software"] | None = _field(
        "family of machines", example="cmos"
    )
    status: Literal["current", "retired", "research"] | None = _field("informal, needs no source", example="research")
    incomplete: bool = _field("nothing but unconfirmed figures: listed, not compiled", example=True, default=False)
    variables: int | None = _field(
        "spins or bits offered (fabricated count for annealers)", unit="variables", example=4800, ge=1
    )
    working_variables: int | None = _field(
        "variables that work after calibration; drifts", unit="variables", example=4577, ge=1
    )
    vartype: Annotated[
        Literal["BINARY", "SPIN"] | None,
        BeforeValidator(_vartype),
        WithJsonSchema({"enum": ["QUBO", "Ising", "BINARY", "SPIN"]}),
    ] = _field("form in which the machine takes coefficients; QUBO is BINARY, Ising is SPIN", example="Ising")
    dynamics: Dynamics | None = _field("emulator that stands for the machine; needs no source", example="annealing")
    rounding: Literal["nearest", "away_from_zero", "stochastic"] | None = _field(
        "the machine's or its client's own rule; unknown is compiled as nearest", example="away_from_zero"
    )
    topology: Topology = Field(default=Topology(), description="the coupling graph")
    bias: Register = Field(default=Register(), description="register of linear coefficients")
    coupling: Register = Field(default=Register(), description="register of quadratic coefficients")
    noise: dict[str, Any] = _section("control errors, temperature, gate errors", "T_h = 0.221")
    timing: dict[str, Any] = _section("times and published speed-ups", "anneal_us = [0.5, 2000]")
    power: dict[str, Any] = _section("power and energy", "total_W = 0.042")
    readout: dict[str, Any] = _section("time and errors of reading", "error_rate_max = 0.001")
    chain: dict[str, Any] = _section("embedding hints", "largest_clique_ideal = 184")
    limits: dict[str, Any] = _section("size modes, run counts, accepted parameters", "num_reads = [1, 10000]")
    unconfirmed: dict[str, Any] = Field(
        default_factory=dict,
        description="figures that no primary text confirms, by quoted path; never used",
        examples=['"coupling.bits" = 5'],
    )
    notes: str = Field(default="", description="remarks for readers", examples=["analog, simulated in the papers"])
    sources: tuple[Source, ...] = Field(default=(), description="where the figures come from")
    citations: dict[str, str] = Field(
        default_factory=dict, description="key to full reference", examples=['SHEET = "data sheet of 2026-11"']
    )
    assumed: tuple[str, ...] = Field(
        default=(), description="marks that assume() and replace() leave; not for files", examples=[["coupling.bits=5"]]
    )

    @model_validator(mode="after")
    def _cited(self) -> ProfileFile:
        missing = sorted({source.cite for source in self.sources} - set(self.citations))
        if missing:
            raise ValueError(f"sources cite {missing}, which citations does not explain")
        return self


def json_schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of a profile file; TOML has no null, so absent fields are just absent."""
    schema = ProfileFile.model_json_schema()
    plain: dict[str, Any] = _tidy(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **plain, "title": "isingrag hardware profile"}


def json_schema_text() -> str:
    """`json_schema` as docs/profile.schema.json holds it."""
    return json.dumps(json_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _tidy(node: Any) -> Any:
    """Without null choices, without defaults that mean absent, without generated titles."""
    if isinstance(node, list):
        return [_tidy(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    result = {
        key: _tidy(value)
        for key, value in node.items()
        if not (key == "default" and not isinstance(value, int)) and not (key == "title" and isinstance(value, str))
    }
    choices = result.get("anyOf")
    if isinstance(choices, list):
        kept = [choice for choice in choices if choice != {"type": "null"}]
        if len(kept) == 1:
            del result["anyOf"]
            return {**kept[0], **result}
        result["anyOf"] = kept
    return result


if __name__ == "__main__":
    print(json_schema_text(), end="")
