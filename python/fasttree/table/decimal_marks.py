"""Decimal marks: columns of text that are numbers with a decimal comma or separated thousands.

What
    A column of text whose values all read as ``1,5`` or ``1.234,50`` (some may be whole) becomes
    numeric, and so does one of ``1,234.50``, and of these with the same currency or percent sign at
    each (`number_texts.numbers_by_decimal_mark`). Values that all have three digits behind the
    comma (``1,234``) may be either: `decimal` decides. Without it, the numbers in other columns of
    the file decide, or in the file that a model was fitted on. Otherwise they are decimals, except
    in a file with commas between its cells, where they stay text. A column that holds ``1.234.567``
    has separated thousands in all cells. ``1.234`` beside ``764`` is one thousand and more where
    `decimal` or other columns say that a comma is decimal; else the user is told that it may be.
Complexity
    O(levels) for each column of text, O(rows) for each column of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

import numpy as np

from .columns import Column
from .file_cells import FileCells
from .number_texts import SIGNS, are_plain_numbers, numbers_by_decimal_mark

N_FIRST = 256
"""Number of first values that are looked at to rule most columns out."""

_CODE = re.compile(r"\s*0\d+(?:\.\d*)?\s*")  # loses its zero as a number


def decimal_mark_of(column: Column) -> str | None:
    """The only decimal mark by which the texts of a column are numbers, with the same currency or
    percent sign or without one; None if there are two such marks, or none.

    Examples:
        >>> codes = np.array([0, 1], dtype=np.int32)
        >>> texts = ("4,87", "1,234.5")
        >>> [decimal_mark_of(Column("a", "nominal", codes, (text, "2"))) for text in texts]
        [',', '.']
        >>> decimal_mark_of(Column("a", "nominal", codes, ("4,870", "2")))
    """
    marks = [mark for mark in numbers_by_decimal_mark(column.levels or ()) if mark]
    return marks[0] if len(marks) == 1 else None


def may_have_thousands(column: Column, *, surely: bool = False) -> bool:
    """Whether numbers that were read with a decimal point may be thousands: ``1.234`` beside
    ``764``.

    Args:
        column: a numeric column.
        surely: whether most fractions must have three digits, with whole numbers beside them.

    Examples:
        >>> may_have_thousands(Column("a", "numeric", np.array([1.234, 764.0])))
        True
        >>> may_have_thousands(Column("a", "numeric", np.array([0.234, 764.0])))
        False
    """
    # Few columns get past their first values.
    values = np.asarray(column.values, dtype=np.float64)
    for some in (values[:N_FIRST], values):
        sizes, parts = _fractions(some)
        if sizes.max(initial=0) >= 1000 or parts.min(initial=1) < 1:
            return False
        if not np.array_equal(np.round(parts, 3), parts):
            return False
    if not len(parts):
        return False
    enough = len(parts) < len(sizes) and len(parts) >= 20
    return not surely or (enough and not has_decimal_point(column))


def has_decimal_point(column: Column) -> bool:
    """Whether most fractions of a numeric column do not have exactly three digits.

    If most of them have three digits, the points may separate thousands instead.

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
    """The absolute values of numbers, NaN apart, and those among them that are not whole."""
    sizes = np.abs(values[~np.isnan(values)])
    return sizes, sizes[sizes != np.floor(sizes)]


def as_numbers(column: Column, sep: str, *marks: str | None) -> Column:
    """The column as numbers if its texts are numbers, otherwise as it is.

    Args:
        column: a column of a file.
        sep: the character that separates the cells of the file.
        marks: decimal marks, ``","`` or ``"."`` (the other one separates thousands); the first by
            which all texts are numbers is used. None stands for any mark by which the numbers are
            the same, and for a comma if `sep` is not one.

    Examples:
        >>> text = Column("a", "nominal", np.array([1, 0, -1], dtype=np.int32), ("0,5", "2"))
        >>> as_numbers(text, ";", None).values.tolist()
        [2.0, 0.5, nan]
        >>> text = Column("a", "nominal", np.array([1, 0], dtype=np.int32), ("1,234", "2"))
        >>> as_numbers(text, ",", ".").values.tolist()
        [2.0, 1234.0]
        >>> postcodes = Column("a", "nominal", np.array([1, 0], dtype=np.int32), ("01067", "80331"))
        >>> as_numbers(postcodes, ";", ",").levels
        ('01067', '80331')
    """
    levels = column.levels
    if not levels or not isinstance(levels[0], str):
        return column
    if any(map(_CODE.fullmatch, map(str, levels))):
        return column
    if sep != "," and None in marks and not number_sign(column):
        marks = (*marks, ",")
    numbers_of = numbers_by_decimal_mark(levels)
    numbers = next((numbers_of[mark] for mark in marks if mark in numbers_of), None)
    if numbers is None and are_plain_numbers(levels):
        numbers = [*map(float, levels)]
    if numbers is None:
        return column
    number_of_code = np.array([*numbers, np.nan])  # a missing cell, -1, reads the last
    return Column(column.name, "numeric", number_of_code[np.asarray(column.values)])


def parse_texts(
    columns: Sequence[Column], nominal: Container[str] = ()
) -> tuple[tuple[Column, ...], FileCells]:
    """Columns of a frame, with columns of text turned into numbers if their texts are numbers with
    a sign, a decimal comma or separated thousands; and how these numbers are written.

    Texts that are plain numbers stay levels, and so do the columns named in `nominal` and those
    whose type declares levels.

    Examples:
        >>> codes = np.array([0, 1], dtype=np.int32)
        >>> texts = {"price": ("$1,200", "$7.50"), "code": ("1", "2")}
        >>> found, cells = parse_texts([Column(n, "nominal", codes, t) for n, t in texts.items()])
        >>> [column.kind for column in found], cells.signs, cells.decimal
        (['numeric', 'nominal'], (('price', '$'),), '.')
    """
    texts = [c for c in columns if c.levels and not c.declared and c.name not in nominal]
    marked = [c for c in texts if not are_plain_numbers(c.levels or ())]
    marks = {decimal_mark_of(column) for column in marked}
    mark = next((one for one in ",." if one in marks), None)
    if mark == ",":  # points separate thousands
        marked += [c for c in texts if are_plain_numbers(c.levels or (), fractions=True)]
    read = {id(column): as_numbers(column, ",", mark, None) for column in marked}
    numeric = [c for c in marked if read[id(c)].kind == "numeric"]
    signs = tuple((column.name, sign) for column in numeric if (sign := number_sign(column)))
    return tuple(read.get(id(c), c) for c in columns), FileCells(decimal=mark, signs=signs)


def number_sign(column: Column) -> str:
    """The currency or percent sign of the first level of a column, such as ``"$"``; "" if it has
    none. Callers use it for columns whose levels all have the same sign."""
    match = SIGNS.search(str(column.levels[0])) if column.levels else None
    return match[0] if match else ""
