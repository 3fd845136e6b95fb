"""Columns with a different value in nearly every row: identifiers, and free text."""

from __future__ import annotations

import re

from ..._checks.words import counted
from .facts import MIN_ROWS, ColumnFacts, Finding
from .groups import NAMED_TIME

COUNTED_ROWS = "an identifier: a different whole number in every row"
BY_NAME = "an identifier by its name"
"""Why columns of numbers are left out; the second reason is followed by counts."""

WORDS_OF_TEXT = 3
"""Mean number of words of a cell from which different texts are free text."""

_NAMED = re.compile(
    r"(?i:(?:^|[_\s.-])(?:id|ids|uuid|guid|key|rowid|index|serial|iid|fid)$|^unnamed: \d+$"
    r"|^row_?(?:id|number|no|num)$)|[a-z]I[dD]$"
)
_NUMBERED = re.compile(
    r"(?i:(?:^|[_\W])(?:no|nr|num|numero|n[uú]mero|num[eé]ro|nro|n°|code|ref|reference|ssn)"
    r"|nr|.number|nummer|#)\W*$|[a-z](?:No|Num|Code|Ref)$"
)
"""Names of columns whose numbers name something; they name the rows if nearly all differ."""

NEARLY_ALL = 0.95
"""Smallest share of the rows with a number of their own if the name alone is not certain."""
_UNNAMED = re.compile(r"Unnamed: \d+")
"""What pandas and our reader call a column without a name, as an index that was written has none:
it needs no `MIN_ROWS`."""


def find(column: ColumnFacts) -> Finding | None:
    """A column of nearly as many levels as rows, of whole numbers that count the rows, or of
    different whole numbers under the name of an identifier; the evidence is their number.

    Examples:
        >>> import numpy as np
        >>> from fasttree.table import Column
        >>> find(ColumnFacts(Column("id", "numeric", np.arange(50.0)))).text
        'an identifier: a different whole number in every row'
    """
    n_rows, is_unnamed = len(column.column), _UNNAMED.fullmatch(column.name) is not None
    if column.is_nominal:
        levels = column.levels
        if not column.has_many_levels and not (is_unnamed and len(levels) == n_rows):
            return None
        words = sum(len(v.split()) for v in levels if isinstance(v, str)) / len(levels)
        what = "free text" if words >= WORDS_OF_TEXT else "an identifier"
        text = f"{what}: {counted(len(levels), 'level')} in {counted(column.n_filled, 'row')}"
        return Finding(column.name, text, len(levels), "leave out")
    if (n_rows < MIN_ROWS and not is_unnamed) or not column.are_whole:
        return None
    low, high = column.range
    counts_up = column.n_filled == n_rows and high - low == n_rows - 1
    named = _NAMED.search(column.name) is not None
    numbered = is_named_as_number(column.name)
    distinct = column.n_distinct if counts_up or named or numbered else 0
    text = COUNTED_ROWS
    if distinct < n_rows:
        text = f"{BY_NAME}, {counted(distinct, 'different number')} in {counted(n_rows, 'row')}"
        least = 0.5 if named else NEARLY_ALL if numbered else 1.0
        if distinct <= least * n_rows:
            return None
    return Finding(column.name, text, distinct, "leave out")


def is_named_as_number(name: str) -> bool:
    """Whether the name of a column says that its numbers name something, and do not count time.

    Examples:
        >>> numbers = ("Kundennr", "order_no", "case number", "Order #")
        >>> [is_named_as_number(name) for name in numbers]
        [True, True, True, True]
        >>> [is_named_as_number(name) for name in ("number of rooms", "piano", "week_no", "weight")]
        [False, False, False, False]
    """
    return bool(_NUMBERED.search(name)) and not NAMED_TIME.search(name)


def was_numeric(reason: str) -> bool:
    """Whether a column that was left out for this reason is numeric; models hold nothing else of
    such a column.

    Examples:
        >>> was_numeric("one value, 1, in all rows"), was_numeric("one value, '1', in all rows")
        (True, False)
    """
    return re.match(rf"one value, [-\d]|{COUNTED_ROWS}|{BY_NAME}", reason) is not None
