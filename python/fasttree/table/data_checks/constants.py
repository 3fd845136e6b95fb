"""Columns with one value, or with none: no split divides the rows by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.words import argument, in_text, some_of, worded
from .facts import ColumnFacts, Finding, TableFacts


def find(column: ColumnFacts) -> Finding | None:
    """A finding if the column has one value in all rows, or no value at all; else None.

    The evidence is the value as text, or None if there is none. Missing cells beside a single value
    make the column no constant, as a split may divide the rows by them.
    """
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
    """At most one sentence, on the columns without a value that a fit uses as they are.

    If no feature has a value, it says to check how missing cells are written in the source. Columns
    with one value are harmless and not mentioned.
    """
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
