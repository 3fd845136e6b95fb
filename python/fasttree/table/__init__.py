"""The training set: named, typed columns with declared levels, and the target."""

from .columns import Column
from .table import Table

__all__ = ["Column", "Table"]
