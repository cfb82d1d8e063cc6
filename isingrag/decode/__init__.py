"""From samples to judged selections, and repair."""

from isingrag.decode.decode import Answers, decode
from isingrag.decode.repair import polish, repair_masks

__all__ = ["Answers", "decode", "polish", "repair_masks"]
