"""The compiler: passes that lower a selection problem to an instance for one machine."""

from isingrag.compiler.pipeline import compile

__all__ = ["compile"]
