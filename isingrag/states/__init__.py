"""State maps (the way back of each pass) and samples as arrays."""

from isingrag.states.chains import EmbedMap
from isingrag.states.gauge import GaugeMap
from isingrag.states.maps import IdentityMap, ReduceMap, SlackMap, StateMap, VartypeMap, map_from_dict
from isingrag.states.samples import as_states

__all__ = [
    "EmbedMap",
    "GaugeMap",
    "IdentityMap",
    "ReduceMap",
    "SlackMap",
    "StateMap",
    "VartypeMap",
    "as_states",
    "map_from_dict",
]
