"""Columns with one value, or with none: no split divides the rows by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.words import argument, in_text, some_of, worded
from .facts import ColumnFacts, Finding, TableFacts


def find(column: ColumnFacts) -> Finding | None:
    """A column that has one value in all rows, or no value; the evidence is the value."""
    if column.n_filled == 0:
        return Finding(column.name, "no value in any row", None, "leave out")
    if column.n_filled < len(column.column):
        return None
    if column.is_nominal:
        if len(column.levels) > 1:
            return None
        value = repr(column.levels[0])
    else:
        low, high = column.range
        if low < high:
            return None
        value = f"{low:g}"
    return Finding(column.name, f"one value, {value}, in all rows", value, "leave out")


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """Names the columns without a value that a fit uses."""
    empty = [finding.column for finding in found if finding.evidence is None]
    if empty and len(empty) == facts.table.n_features:
        yield (
            "no cell of the features has a value, so the model can only count classes: check how "
            "missing cells are written in the source, and read it again"
        )
    elif empty:
        way = worded("leave them out of X", in_text(argument("drop", empty)))
        yield (
            f"columns without a value in any row: {some_of([repr(name) for name in empty])}; no "
            f"split can use them: {way}, or fill them"
        )
