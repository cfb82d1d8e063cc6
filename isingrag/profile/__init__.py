"""Hardware profiles: what a machine can hold, each figure with unit, source and evidence."""

from isingrag.profile.conformance import Check, Conformance
from isingrag.profile.library import ideal_profile, list_profiles, load_profile
from isingrag.profile.profile import HardwareProfile
from isingrag.profile.registers import Grid
from isingrag.profile.topology import hardware_graph

__all__ = [
    "Check",
    "Conformance",
    "Grid",
    "HardwareProfile",
    "hardware_graph",
    "ideal_profile",
    "list_profiles",
    "load_profile",
]
