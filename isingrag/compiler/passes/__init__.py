"""One pass a file. A pass is a frozen dataclass with a `spec` and `lower(thing, seed) -> Lowering`."""

from isingrag.compiler.passes.base import Pass
from isingrag.compiler.passes.encode import Encode
from isingrag.compiler.passes.penalties import Penalties
from isingrag.compiler.passes.quantize import Quantize
from isingrag.compiler.passes.reduce import Reduce
from isingrag.compiler.passes.round_scores import RoundScores
from isingrag.compiler.passes.scale import Scale
from isingrag.compiler.passes.vartype import ChangeVartype

__all__ = ["ChangeVartype", "Encode", "Pass", "Penalties", "Quantize", "Reduce", "RoundScores", "Scale"]
