"""Columns of text that would be numbers without a sign or unit at each, or without a few words.

Numbers with a comma, a currency sign or a unit, times of day, and numbers among which a few cells
are words, such as "unknown".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..._checks.words import argument, counted, data_row, worded
from ..texts import TOTAL, converted, no_numbers, without_words
from .facts import LEAST_ROWS, ColumnFacts, Finding, TableFacts, once

_CHECK_DIGIT = re.compile(r"[\d\s-]*\d[\s-]*[Xx]")
"""How one in eleven identifiers (ISBN, ISSN) ends, whose last digit may be ten."""

NO_TOTAL = "delete that row if it is a total"
NO_ROW = "leave that row out"
"""What helps where the name of a column stands among its numbers."""


def find(column: ColumnFacts) -> Finding | None:
    """A column of hidden numbers; it is left out where each row has its own level, and if it holds
    times."""
    if not column.is_nominal:
        return None
    dressed, many = (column.dressed if len(column.levels) > 2 else None), column.has_many_levels
    strange = strange_cells(column)
    if dressed is not None and (many or dressed[0].startswith("times")):
        return Finding(column.name, ": ".join(dressed), strange, "leave out")
    if strange is None:
        return None
    text = f"numbers read as text: {'; '.join(strange)}"
    return Finding(column.name, text, strange, "leave out" if many and dressed is None else None)


def say(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """Says of each column what makes it text, and what helps."""
    for finding in found:
        if finding.evidence is not None and not (
            facts.names_again and finding.evidence[1] == NO_ROW
        ):
            yield (
                f"column {finding.column!r}: {finding.evidence[0]}, so its numbers are levels: "
                f"{finding.evidence[1]}, or leave the column out"
                + worded("", f": {argument('drop', [finding.column])}")
            )


@once
def strange_cells(column: ColumnFacts) -> tuple[str, str] | None:
    """What keeps a column of text from being numbers: a few texts among them, or a sign at each.

    Returns where the first such cell is, and a remedy; None where neither most levels are numbers
    nor nine in ten rows.

    Examples:
        >>> from fasttree.table import Column
        >>> levels = (*map(str, range(9)), "n/a")
        >>> column = Column("age", "nominal", np.arange(10, dtype=np.int32), levels)
        >>> strange_cells(ColumnFacts(column))
        ("'n/a' in data row 9 (counted from 0) is no number, 9 of 10 levels are", ...)
    """
    levels = column.levels
    if not levels or not all(isinstance(level, str) for level in levels):
        return None
    odd = no_numbers(levels)
    if odd and all(_CHECK_DIGIT.fullmatch(levels[place]) for place in odd):
        return None
    dressed = column.dressed
    if dressed is not None and (len(levels) > 2 or "comma" in dressed[0]):
        return f"{dressed[0]} are text", dressed[1]
    most_levels = len(levels) >= 8 and len(odd) <= 0.2 * len(levels)
    n_odd = column.counts[column.occurring[odd]].sum()
    most_rows = len(levels) - len(odd) >= 3 and column.n_filled >= max(LEAST_ROWS, 10 * n_odd)
    if not odd or not (most_levels or most_rows):
        return None
    strange = [levels[place] for place in odd]
    codes = np.asarray(column.column.values)
    first = int(np.isin(codes, column.occurring[odd]).argmax())
    row = first if column.numbers is None else int(column.numbers[first])
    if strange == [column.name]:
        return f"its name stands among its values in {data_row(row)}", NO_ROW
    description = (
        f"{(column.column.levels or ())[codes[first]]!r} in {data_row(row)} is no number, "
        f"{len(levels) - len(strange):,} of {counted(len(levels), 'level')} are"
    )
    if all(map(TOTAL.fullmatch, strange)):
        return description, NO_TOTAL
    if (mended := without_words(levels)) is not None:
        return description, mended[1]
    code = converted([one for one in levels if one not in strange], ", errors='coerce'")
    return description, "correct them" + worded(f", or make them missing by {code}")
