"""Data checks: what a column may mean (an identifier, a date, a leaked label), and what a user may
not know of the rows.

Each check is a file and an entry of `CHECKS`. `inspect(table)` gives the `Findings` of a Table.
`Findings.apply` is the only place where a finding becomes an action, `Findings.warn` and
`Findings.sentences` write the warnings.
"""

from .facts import Finding
from .findings import Findings, inspect
from .registry import CHECKS

__all__ = ["CHECKS", "Finding", "Findings", "inspect"]
