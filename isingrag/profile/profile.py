"""HardwareProfile: a machine's figures, and the checks that follow from them."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import ValidationError

from isingrag.common.arrays import FloatArray
from isingrag.common.files import canonical_json
from isingrag.errors import ProfileError, UnknownName, nearest
from isingrag.model.quadratic import Quadratic, Vartype
from isingrag.profile.conformance import Check, Conformance
from isingrag.profile.registers import Grid, register_grid
from isingrag.profile.schema import ProfileFile, Register

__all__ = ["HardwareProfile"]


class HardwareProfile:
    """A machine described by a checked `ProfileFile`; immutable, compared by digest.

    Parameters
    ----------
    data : ProfileFile
    origin : str
        Where it was read from, for messages.
    """

    def __init__(self, data: ProfileFile, origin: str = "memory") -> None:
        self._data = data
        self.origin = origin

    @property
    def data(self) -> ProfileFile:
        """All figures."""
        return self._data

    @property
    def name(self) -> str:
        """Unique id, with hyphens."""
        return self._data.name

    @property
    def vartype(self) -> Vartype | None:
        """Form in which the machine takes coefficients."""
        return self._data.vartype

    @property
    def variables(self) -> int | None:
        """Spins or bits that can be used: the working count where it is known."""
        return self._data.working_variables or self._data.variables

    @property
    def rounding(self) -> Literal["nearest", "away_from_zero", "stochastic"]:
        """The machine's own rounding rule; nearest where nothing else is documented."""
        return self._data.rounding or "nearest"

    @cached_property
    def bias_grid(self) -> Grid:
        """Values that a bias register holds."""
        return register_grid(self._data.bias)

    @cached_property
    def coupling_grid(self) -> Grid:
        """Values that a coupling register holds."""
        return register_grid(self._data.coupling)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON form."""
        return hashlib.sha256(canonical_json(self.to_dict()).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HardwareProfile) and other.digest == self.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)

    def __repr__(self) -> str:
        return f"HardwareProfile({self.name!r})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; absent fields are left out."""
        return self._data.model_dump(mode="json", exclude_none=True, exclude_defaults=True) | {
            "schema_version": self._data.schema_version,
            "name": self.name,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], origin: str = "memory") -> HardwareProfile:
        """Check plain values against the schema.

        Raises
        ------
        ProfileError
            Names the field and the rule.
        """
        try:
            return cls(ProfileFile.model_validate(data), origin)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "profile"
            raise ProfileError(
                f"profile field '{field}': {first['msg']}", found=repr(first.get("input"))[:120], where=origin
            ) from None

    # -- unknowns ------------------------------------------------------------------------------

    def known(self, field: str) -> bool:
        """Whether a figure such as ``coupling.bits`` is given."""
        return self._read(field) is not None

    def _read(self, field: str) -> Any:
        value: Any = self._data
        for part in field.split("."):
            if isinstance(value, dict):
                value = value.get(part)
            else:
                fields = getattr(type(value), "model_fields", {})
                if part not in fields:
                    raise UnknownName("unknown profile field", found=field, allowed=nearest(part, fields))
                value = getattr(value, part)
            if value is None:
                return None
        return value

    def assume(self, **fields: Any) -> HardwareProfile:
        """Fill gaps: ``profile.assume(**{"coupling.bits": 5})``; what follows is marked `assumed`.

        Raises
        ------
        ProfileError
            For a figure that is known; `replace` overrides on purpose.
        """
        for field in fields:
            if self.known(field):
                raise ProfileError(
                    f"'{field}' of {self.name} is known",
                    found=self._read(field),
                    allowed="assume() fills unknown fields; replace() overrides",
                    where=field,
                )
        return self.replace(**fields)

    def replace(self, **fields: Any) -> HardwareProfile:
        """The profile with some figures overridden, each marked `assumed`."""
        data = self.to_dict()
        for field, value in fields.items():
            self._read(field)
            target = data
            *folders, last = field.split(".")
            for folder in folders:
                target = target.setdefault(folder, {})
            target[last] = value
        marks = [f"{field}={value}" for field, value in sorted(fields.items())]
        data["assumed"] = [*self._data.assumed, *marks]
        return HardwareProfile.from_dict(data, self.origin)

    def evidence(self, field: str) -> str | None:
        """Evidence tag of a figure: primary, secondary, computed, user; None where no source names it."""
        for source in self._data.sources:
            if any(field == name or field.startswith(name + ".") for name in source.fields):
                return source.tag
        return None

    def compilable(self) -> None:
        """Raise unless the figures that compiling can't do without are known.

        Raises
        ------
        ProfileError
            For an incomplete profile, or an unknown vartype or topology.
        """
        if self._data.incomplete:
            raise ProfileError(f"{self.name} is incomplete: listed, not compiled", allowed="assume(...) its figures")
        for field in ("vartype", "topology.type"):
            if not self.known(field):
                raise ProfileError(
                    f"{self.name} can't be compiled for: its {field} is unknown",
                    found="unknown",
                    allowed=f'profile.assume(**{{"{field}": ...}})',
                    where=field,
                )

    def assumptions(self) -> tuple[str, ...]:
        """What compiling takes for granted: figures assumed, and unknowns left unconstrained."""
        notes = [f"assumed: {mark}" for mark in self._data.assumed]
        if self.variables is None:
            notes.append("variables unknown: left unconstrained")
        for name in ("bias", "coupling"):
            register: Register = getattr(self._data, name)
            grid = register_grid(register)
            floating = register.dtype in ("float32", "float64")
            if not grid.discrete and not floating:
                notes.append(f"{name}.bits unknown: left unconstrained")
            if not grid.bounded and not floating and register.bits is None:
                notes.append(f"{name}.range unknown: left unconstrained")
            if register.bits is not None and register.bits > 53 and grid.discrete:
                notes.append(f"{name}.bits {register.bits} quantised to 53")
        return tuple(notes)

    # -- checks --------------------------------------------------------------------------------

    def check(self, bqm: Any) -> Conformance:
        """Compare an instance with the machine.

        Parameters
        ----------
        bqm : dimod.BinaryQuadraticModel or Quadratic
        """
        form = bqm if isinstance(bqm, Quadratic) else Quadratic.from_bqm(bqm)
        checks = [
            _limit("size", form.count, self.variables, "variables"),
            self._check_vartype(form),
            self._check_topology(form),
            _held("bias", form.linear, self.bias_grid, lambda p: form.names[p]),
            _held(
                "coupling",
                form.values,
                self.coupling_grid,
                lambda p: f"{form.names[form.rows[p]]} - {form.names[form.columns[p]]}",
            ),
        ]
        return Conformance(self.name, tuple(checks))

    def require(self, bqm: Any) -> None:
        """`check`, and raise the named error of the first failure."""
        self.check(bqm).require()

    def _check_vartype(self, form: Quadratic) -> Check:
        if self.vartype is None:
            return Check("vartype", "not evaluated", form.vartype, "unknown")
        return Check("vartype", "pass" if form.vartype == self.vartype else "fail", form.vartype, self.vartype)

    def _check_topology(self, form: Quadratic) -> Check:
        topology = self._data.topology
        found = f"{form.values.size} couplings"
        if topology.type == "explicit" and topology.nodes is not None:
            nodes = {str(node) for node in topology.nodes}
            lacking = [name for name in form.names if name not in nodes]
            if lacking:
                return Check("topology", "fail", "a variable that the graph lacks", f"{len(nodes)} nodes", lacking[0])
        if topology.type == "complete" or form.values.size == 0:
            return Check("topology", "pass", found, "complete graph")
        if topology.type is None or topology.edges is None:
            return Check("topology", "not evaluated", found, topology.type or "unknown")
        edges = {frozenset((str(a), str(b))) for a, b in topology.edges}
        for i, k in zip(form.rows, form.columns, strict=True):
            pair = frozenset((form.names[i], form.names[k]))
            if pair not in edges:
                where = f"{form.names[i]} - {form.names[k]}"
                return Check("topology", "fail", "a coupling that the graph lacks", f"{len(edges)} edges", where)
        return Check("topology", "pass", found, f"{len(edges)} edges")


def _limit(name: str, found: int, allowed: int | None, unit: str) -> Check:
    if allowed is None:
        return Check(name, "not evaluated", f"{found} {unit}", "unknown")
    return Check(name, "pass" if found <= allowed else "fail", f"{found} {unit}", f"<= {allowed} {unit}")


def _held(name: str, values: FloatArray, grid: Grid, label: Any) -> Check:
    """Whether a register holds every value; the first that it doesn't is named."""
    if not grid.bounded and not grid.discrete:
        return Check(name, "not evaluated", f"largest |value| {np.abs(values).max(initial=0.0):g}", "unknown")
    step = "" if grid.step is None else f" in steps of {grid.step:g}"
    if grid.levels is not None:
        step = f" on {len(grid.levels)} levels"
    allowed = f"[{grid.low:g}, {grid.high:g}]{step}"
    bad = np.flatnonzero(~np.asarray(grid.holds(values), dtype=bool))
    if bad.size:
        p = int(bad[0])
        return Check(name, "fail", f"{values[p]:.12g}", allowed, label(p))
    return Check(name, "pass", f"largest |value| {np.abs(values).max(initial=0.0):g}", allowed)
