"""What is looked for in the rows of a fit: what a column may mean, and what a user may not know.

One file per check, and one entry of `CHECKS`. `inspect(table)` gives the `Findings` of a Table,
once; `Findings.apply` is the one place where a finding becomes an action, `Findings.warn` and
`Findings.sentences` those where it becomes words.
"""

from .facts import Finding
from .findings import Findings, inspect
from .registry import CHECKS

__all__ = ["CHECKS", "Finding", "Findings", "inspect"]
