"""Columns of numbers with a decimal comma or with separated thousands, as spreadsheets write them.

What
    A column of text whose values all read as ``1,5`` or ``1.234,50`` (some may be whole) becomes
    numeric, and so does one of ``1,234.50``. In a file with commas between its cells, values that
    all have three digits behind the comma (``1,234``) may be either: such a column stays text, and
    `decimal` decides.
Complexity
    O(levels) of the columns of text.
"""

from __future__ import annotations

import re

import numpy as np

from ..table.columns import Column

__all__ = ["reads_as_number", "with_numbers"]

# 1,5 and 1.234,5; then 1.5 and 1,234.5; then what may be either; then what cannot be 1,5.
_COMMA = re.compile(r"\s*[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+(?=,))(?:,\d+)?(?:[eE][-+]?\d+)?\s*")
_POINT = re.compile(r"\s*[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?\s*")
_THOUSANDS = re.compile(r"\s*[-+]?\d{1,3}(?:,\d{3})?\s*")
_SETTLED = re.compile(r"\s*[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+|,\d{3})\s*")


def reads_as_number(text: str) -> bool:
    """Whether a text reads as a number with a decimal comma.

    Examples:
        >>> reads_as_number("-1,5"), reads_as_number("1.234,5"), reads_as_number("1.5")
        (True, True, False)
    """
    return _COMMA.fullmatch(text) is not None


def with_numbers(column: Column, sep: str, decimal: str | None) -> Column:
    """The column, numeric where its text is numbers with a decimal comma or separated thousands.

    Args:
        column: a column of a file.
        sep: what separates the file's cells.
        decimal: ``","`` or ``"."``: the other one separates thousands; None: see above.

    Examples:
        >>> text = Column("a", "nominal", np.array([1, 0, -1], dtype=np.int32), ("0,5", "2"))
        >>> with_numbers(text, ";", None).values.tolist()
        [2.0, 0.5, nan]
        >>> text = Column("a", "nominal", np.array([1, 0], dtype=np.int32), ("1,234", "2"))
        >>> with_numbers(text, ",", ".").values.tolist()
        [2.0, 1234.0]
    """
    levels = column.levels
    if not levels or not isinstance(levels[0], str):
        return column
    texts = [str(level) for level in levels]
    if not any("," in text for text in texts):
        return column
    # Decimal commas where all values allow them, else commas between thousands; text in doubt.
    if decimal != "." and all(map(reads_as_number, texts)):
        if decimal is None and sep == "," and all(map(_THOUSANDS.fullmatch, texts)):
            return column
        plain = [text.replace(".", "").replace(",", ".") for text in texts]
    elif decimal != "," and all(map(_POINT.fullmatch, texts)):
        if decimal is None and not any(map(_SETTLED.fullmatch, texts)):
            return column
        plain = [text.replace(",", "") for text in texts]
    else:
        return column
    number_of_code = np.array([*map(float, plain), np.nan])  # a missing cell, -1, reads the last
    return Column(column.name, "numeric", number_of_code[np.asarray(column.values)])
