"""Columns of numbers with a decimal comma or with separated thousands, as spreadsheets write them.

What
    A column of text whose values all read as ``1,5`` or ``1.234,50`` (some may be whole) becomes
    numeric, and so does one of ``1,234.50``, and of these with the same currency or percent sign at
    each (`texts.numbers_by_mark`). Values that all have three digits behind the comma
    (``1,234``) may be either: `decimal` decides, else the numbers of other columns of the file or
    of that of a model, else they are decimals, but in a file with commas between its cells text.
    ``1.234.567`` is thousands, and so is then all of its column. ``1.234`` beside
    ``764`` is one thousand and more where `decimal` or other columns say that a comma is decimal;
    else the user is told that it may be.
Complexity
    O(levels) of the columns of text, O(rows) of those of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

import numpy as np

from .columns import Column
from .file_cells import FileCells
from .texts import SIGNS, are_numbers, numbers_by_mark

FIRST = 256
"""Values of a column that rule most columns out."""

_CODE = re.compile(r"\s*0\d+(?:\.\d*)?\s*")  # loses its zero as a number


def mark_of(column: Column) -> str | None:
    """The decimal mark that the texts of a column can only have, all numbers with the same sign or
    without; None of other columns.

    Examples:
        >>> codes = np.array([0, 1], dtype=np.int32)
        >>> [mark_of(Column("a", "nominal", codes, (one, "2"))) for one in ("4,87", "1,234.5")]
        [',', '.']
        >>> mark_of(Column("a", "nominal", codes, ("4,870", "2")))
    """
    marks = [mark for mark in numbers_by_mark(column.levels or ()) if mark]
    return marks[0] if len(marks) == 1 else None


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
    sizes = np.abs(values[~np.isnan(values)])
    return sizes, sizes[sizes != np.floor(sizes)]


def with_numbers(column: Column, sep: str, *marks: str | None) -> Column:
    """The column, numeric where its text is numbers, with a decimal comma or separated thousands
    or without.

    Args:
        column: a column of a file.
        sep: what separates the file's cells.
        marks: the decimal mark, ``","`` or ``"."`` (the other one separates thousands), or None:
            see above; the first one by which all texts are numbers counts.

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
    if any(map(_CODE.fullmatch, map(str, levels))):
        return column
    if sep != "," and None in marks and not sign_of(column):
        marks = (*marks, ",")
    numbers_of = numbers_by_mark(levels)
    numbers = next((numbers_of[mark] for mark in marks if mark in numbers_of), None)
    if numbers is None and are_numbers(levels):
        numbers = [*map(float, levels)]
    if numbers is None:
        return column
    number_of_code = np.array([*numbers, np.nan])  # a missing cell, -1, reads the last
    return Column(column.name, "numeric", number_of_code[np.asarray(column.values)])


def as_written(
    columns: Sequence[Column], nominal: Container[str] = ()
) -> tuple[tuple[Column, ...], FileCells]:
    """Columns of a frame, numeric where a file with their texts would hold numbers with a sign, a
    comma or separated thousands, and how these are written. Plain numbers as text stay levels, and
    so do the columns called `nominal` and those whose type declares levels.

    Examples:
        >>> codes = np.array([0, 1], dtype=np.int32)
        >>> texts = {"price": ("$1,200", "$7.50"), "code": ("1", "2")}
        >>> found, cells = as_written([Column(n, "nominal", codes, t) for n, t in texts.items()])
        >>> [column.kind for column in found], cells.signs, cells.decimal
        (['numeric', 'nominal'], (('price', '$'),), '.')
    """
    texts = [c for c in columns if c.levels and not c.declared and c.name not in nominal]
    marked = [c for c in texts if not are_numbers(c.levels or ())]
    marks = {mark_of(column) for column in marked}
    mark = next((one for one in ",." if one in marks), None)
    if mark == ",":  # points separate thousands
        marked += [c for c in texts if are_numbers(c.levels or (), fractions=True)]
    read = {id(column): with_numbers(column, ",", mark, None) for column in marked}
    numeric = [c for c in marked if read[id(c)].kind == "numeric"]
    signs = tuple((column.name, sign) for column in numeric if (sign := sign_of(column)))
    return tuple(read.get(id(c), c) for c in columns), FileCells(decimal=mark, signs=signs)


def sign_of(column: Column) -> str:
    """The currency or percent sign of the first level of a column, if it has one."""
    match = SIGNS.search(str(column.levels[0])) if column.levels else None
    return match[0] if match else ""
