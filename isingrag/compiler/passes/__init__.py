"""One pass a file. A pass is a frozen dataclass with a `spec` and `lower(thing, seed) -> Lowering`."""

from isingrag.compiler.passes.base import Pass
from isingrag.compiler.passes.chain import Chain
from isingrag.compiler.passes.coverage import Coverage
from isingrag.compiler.passes.embed import Embed
from isingrag.compiler.passes.encode import Encode
from isingrag.compiler.passes.encode_tight import EncodeTight
from isingrag.compiler.passes.gauge import Gauge
from isingrag.compiler.passes.penalties import Penalties
from isingrag.compiler.passes.presolve import Presolve
from isingrag.compiler.passes.quantize import Quantize
from isingrag.compiler.passes.reduce import Reduce
from isingrag.compiler.passes.round_scores import RoundScores
from isingrag.compiler.passes.scale import Scale
from isingrag.compiler.passes.shortlist import Shortlist
from isingrag.compiler.passes.vartype import ChangeVartype

__all__ = [
    "Chain",
    "ChangeVartype",
    "Coverage",
    "Embed",
    "Encode",
    "EncodeTight",
    "Gauge",
    "Pass",
    "Penalties",
    "Presolve",
    "Quantize",
    "Reduce",
    "RoundScores",
    "Scale",
    "Shortlist",
]
