"""Quadratic models over binary variables with roles and named constraints."""

from isingrag.model.model import Constraint, Model, Role
from isingrag.model.quadratic import Quadratic

__all__ = ["Constraint", "Model", "Quadratic", "Role"]
