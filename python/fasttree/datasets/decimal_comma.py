"""Columns of numbers with a decimal comma, as many spreadsheets write them.

What
    A column of text whose values all read as ``1,5`` (some may be whole) becomes numeric. In a file
    with commas between its cells, values that all have three digits behind the comma (``1,234``)
    may be thousands: such a column stays text.
Complexity
    O(levels) of columns whose first level reads so.
"""

from __future__ import annotations

import re

import numpy as np

from ..table.columns import Column

__all__ = ["reads_as_number", "with_numbers"]

_NUMBER = re.compile(r"\s*[-+]?\d+(?:,\d+)?(?:[eE][-+]?\d+)?\s*")
_THOUSANDS = re.compile(r"\s*[-+]?\d{1,3}(?:,\d{3})?\s*")


def reads_as_number(text: str) -> bool:
    """Whether a text reads as a number with a decimal comma.

    Examples:
        >>> reads_as_number("-1,5"), reads_as_number("1.5"), reads_as_number("a,b")
        (True, False, False)
    """
    return _NUMBER.fullmatch(text) is not None


def with_numbers(column: Column, sep: str, decimal: str | None) -> Column:
    """The column, numeric where its text is numbers with a decimal comma.

    Args:
        column: a column of a file.
        sep: what separates the file's cells.
        decimal: ``","``: thousands are decimals, too; ``"."``: nothing changes; None: see above.

    Examples:
        >>> text = Column("a", "nominal", np.array([1, 0, -1], dtype=np.int32), ("0,5", "2"))
        >>> with_numbers(text, ";", None).values.tolist()
        [2.0, 0.5, nan]
    """
    levels = column.levels
    if decimal == "." or not levels or not isinstance(levels[0], str):
        return column
    texts = [str(level) for level in levels]
    if not all(map(reads_as_number, texts)) or not any("," in text for text in texts):
        return column
    if decimal is None and sep == "," and all(map(_THOUSANDS.fullmatch, texts)):
        return column
    values = np.array([*(float(text.replace(",", ".")) for text in texts), np.nan])
    return Column(column.name, "numeric", values[np.asarray(column.values)])
