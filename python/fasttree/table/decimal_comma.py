"""Columns of numbers with a decimal comma or with separated thousands, as spreadsheets write them.

What
    A column of text whose values all read as ``1,5`` or ``1.234,50`` (some may be whole) becomes
    numeric, and so does one of ``1,234.50``, and of these with the same currency or percent sign at
    each (`texts.signed_numbers`). Values that all have three digits behind the comma
    (``1,234``) may be either: `decimal` decides, else the numbers of other columns of the file,
    else they are decimals, but in a file with commas between its cells text. ``1.234.567`` is
    thousands, and so is then all of its column. ``1.234`` beside
    ``764`` is one thousand and more where `decimal` or other columns say that a comma is decimal;
    else the user is told that it may be.
Complexity
    O(levels) of the columns of text, O(rows) of those of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np

from .columns import Column
from .texts import COMMA, POINT, SIGNS, are_numbers, signed_numbers

FIRST = 256
"""Values of a column that rule most columns out."""

# What may be either; then what cannot be 1,5.
_THOUSANDS = re.compile(r"\s*[-+]?(?:\d{1,3}|[1-9]\d{0,2},\d{3})\s*")
_CODE = re.compile(r"\s*0\d+\s*")  # loses its zero as a number
_SETTLED = re.compile(r"\s*[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+|,\d{3})\s*")
_GROUPED = re.compile(r"\s*[-+]?[1-9]\d{0,2}(?:\.\d{3}){2,}\s*")


def reads_as_number(text: str) -> bool:
    """Whether a text reads as a number with a decimal comma.

    Examples:
        >>> reads_as_number("-1,5"), reads_as_number("1.234,5"), reads_as_number("1.5")
        (True, True, False)
    """
    return COMMA.fullmatch(text) is not None


def has_decimal_comma(column: Column) -> bool:
    """Whether a column of text is numbers of which some can only have a decimal comma, or points
    between thousands (``1.234.567``).

    Examples:
        >>> codes = np.array([0, 1], dtype=np.int32)
        >>> has_decimal_comma(Column("a", "nominal", codes, ("4,87", "2")))
        True
        >>> has_decimal_comma(Column("a", "nominal", codes, ("4,870", "2")))
        False
    """
    texts = [level for level in column.levels or () if isinstance(level, str)]
    return (
        any(_GROUPED.fullmatch(t) or ("," in t and not _THOUSANDS.fullmatch(t)) for t in texts)
        and len(texts) == len(column.levels or ())
        and all(map(reads_as_number, texts))
    )


def may_be_grouped(column: Column, *, surely: bool = False) -> bool:
    """Whether numbers read with a decimal point may be thousands: ``1.234`` beside ``764``.

    Args:
        column: a numeric column.
        surely: most fractions have three digits, and whole numbers stand beside them.

    Examples:
        >>> may_be_grouped(Column("a", "numeric", np.array([1.234, 764.0])))
        True
        >>> may_be_grouped(Column("a", "numeric", np.array([0.234, 764.0])))
        False
    """
    # Few columns get past their first values.
    values = np.asarray(column.values, dtype=np.float64)
    for some in (values[:FIRST], values):
        known, parts = _fractions(some)
        if known.max(initial=0) >= 1000 or parts.min(initial=1) < 1:
            return False
        if not np.array_equal(np.round(parts, 3), parts):
            return False
    if not len(parts):
        return False
    enough = len(parts) < len(known) and len(parts) >= 20
    return not surely or (enough and not has_decimal_point(column))


def has_decimal_point(column: Column) -> bool:
    """Whether most fractions of a numeric column have another number of digits than three.

    Examples:
        >>> has_decimal_point(Column("a", "numeric", np.array([4.64, 5.3])))
        True
        >>> has_decimal_point(Column("a", "numeric", np.array([1.234, 5.0])))
        False
    """
    _, parts = _fractions(np.asarray(column.values, dtype=np.float64))
    of_three = np.count_nonzero((np.round(parts, 2) != parts) & (np.round(parts, 3) == parts))
    return bool(2 * of_three < len(parts))


def _fractions(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The absolute values of numbers, and of those that are not whole."""
    known = np.abs(values[~np.isnan(values)])
    return known, known[known != np.floor(known)]


def with_numbers(
    column: Column, sep: str, decimal: str | None, numeric: Collection[Column] = ()
) -> Column:
    """The column, numeric where its text is numbers, with a decimal comma or separated thousands
    or without.

    Args:
        column: a column of a file.
        sep: what separates the file's cells.
        decimal: ``","`` or ``"."``: the other one separates thousands; None: see above.
        numeric: the numeric columns of the file, which may have decimal points.

    Examples:
        >>> text = Column("a", "nominal", np.array([1, 0, -1], dtype=np.int32), ("0,5", "2"))
        >>> with_numbers(text, ";", None).values.tolist()
        [2.0, 0.5, nan]
        >>> text = Column("a", "nominal", np.array([1, 0], dtype=np.int32), ("1,234", "2"))
        >>> with_numbers(text, ",", ".").values.tolist()
        [2.0, 1234.0]
        >>> postcodes = Column("a", "nominal", np.array([1, 0], dtype=np.int32), ("01067", "80331"))
        >>> with_numbers(postcodes, ";", ",").levels
        ('01067', '80331')
    """
    levels = column.levels
    if not levels or not isinstance(levels[0], str):
        return column
    if SIGNS.search(levels[0]):
        known = "." if decimal is None and any(map(has_decimal_point, numeric)) else decimal
        signed = signed_numbers(levels, decimal) or signed_numbers(levels, known)
        return _of_levels(column, signed) if signed else column
    texts = [str(level) for level in levels]
    if any(map(_CODE.fullmatch, texts)):
        return column
    marks = decimal == "," or any("," in text or _GROUPED.fullmatch(text) for text in texts)
    if marks and decimal is None and all(map(_THOUSANDS.fullmatch, texts)):
        if any(map(has_decimal_point, numeric)):
            decimal = "."
        elif sep == ",":
            return column
    # Decimal commas where all values allow them, else commas between thousands; text in doubt.
    if marks and decimal != "." and all(map(reads_as_number, texts)):
        plain = [text.replace(".", "").replace(",", ".") for text in texts]
    elif marks and decimal != "," and all(map(POINT.fullmatch, texts)):
        if decimal is None and not any(map(_SETTLED.fullmatch, texts)):
            return column
        plain = [text.replace(",", "") for text in texts]
    elif are_numbers(texts):
        plain = texts
    else:
        return column
    return _of_levels(column, map(float, plain))


def _of_levels(column: Column, numbers: Iterable[float]) -> Column:
    """The column with the number of each level."""
    number_of_code = np.array([*numbers, np.nan])  # a missing cell, -1, reads the last
    return Column(column.name, "numeric", number_of_code[np.asarray(column.values)])
