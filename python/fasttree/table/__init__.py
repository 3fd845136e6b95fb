"""The training set: named, typed columns, the target, and checks of what they may mean.

`data_checks` has a file per check; a Table keeps what they find.
"""

from .columns import Column
from .table import Table

__all__ = ["Column", "Table"]
