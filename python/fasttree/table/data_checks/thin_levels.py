"""Nominal columns with so few rows per level that a split on them memorises rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..._checks.words import argument, counted, some_of
from .facts import Finding, TableFacts

MAX_FEW_LEVELS = 10
"""Columns with at most this number of levels are not checked."""


def find(facts: TableFacts) -> Iterator[Finding]:
    """Yield a finding for each nominal column with fewer than five rows per level on average.

    The evidence is the number of levels. Columns with at most `MAX_FEW_LEVELS` levels are not
    checked, and a block of numbers has no nominal columns.
    """
    table = facts.table
    if table.block is not None and table.block.dtype != np.uint8:
        return
    for column in table.columns:
        n = 0 if column.levels is None else len(column.levels)
        if n > MAX_FEW_LEVELS and facts.n_rows < 5 * n:
            yield Finding(column.name, f"{column.name!r} ({counted(n, 'level')})", n)


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence for all columns together, which names them with their numbers of levels. The
    remedies are leaving them out, and the method of pruning that suits the task."""
    pruning = "cart" if facts.table.task == "regression" else "error_based"
    yield (
        f"nominal columns with fewer than five rows per level: "
        f"{some_of([finding.text for finding in found])}; a split on them memorises rows "
        f"(overfits): leave them out, or prune ({argument('pruning', pruning)})"
    )
