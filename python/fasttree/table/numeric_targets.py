"""Numeric targets: y as the numbers that a regression predicts.

Errors
    A cell that is no number, is missing, infinite or too large names its row.
Complexity
    O(n).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .._checks import is_missing, shown
from .._checks.words import argument, row_word
from .columns import Column, encode
from .decimal_marks import as_numbers
from .exact_integers import float_of_integers, inexact_message, is_inexact
from .number_texts import dates_or_numbers, stray_word
from .sources import Cells
from .target import MAX_NUMBER, NumericTarget
from .target_cells import read_target_cells, refuse_dtype, refuse_infinity

_LONG_INTEGER = re.compile(r"\s*[+-]?\d{16,308}\s*")
"""Texts of integers that may be beyond 2^53 (16 digits), and that float() can read (308)."""


def encode_numbers(y: Any, n_rows: int, name: str | None = None) -> NumericTarget:
    """The target of a regression that y holds.

    Texts are read as the cells of a CSV file are. The absolute value of a number is at most
    `MAX_NUMBER`, so that sums of squares stay finite.

    Args:
        y: numbers, or texts that are numbers, shape (n_rows,) or (n_rows, 1).
        n_rows: number of rows of X.
        name: name of the target; default: the name of y, or "y".

    Raises:
        ValueError: wrong length or shape, missing, infinite or too large numbers, text that is no
            number; the message names the row.
    """
    name = name or getattr(y, "name", None) or "y"
    cells, name = read_target_cells(y, n_rows, name, "number")
    target = NumericTarget(name, target_numbers(name, cells))
    target.checked_numbers()
    return target


def target_numbers(name: str, cells: np.ndarray | Column) -> np.ndarray:
    """The cells of a target as float64, NaN where one is missing.

    Missing numbers are allowed here, for Tables with rows to predict; a fit refuses them
    (`NumericTarget.checked_numbers`).

    Args:
        name: name of the target.
        cells: an array, or a column; the levels of a nominal one are read as numbers.

    Raises:
        ValueError: a cell that is no number, infinite, or larger than `MAX_NUMBER`.
    """
    if isinstance(cells, Column):
        if cells.kind == "numeric":
            return target_numbers(name, np.asarray(cells.values, dtype=np.float64))
        try:
            levels = target_numbers(name, np.array([*(cells.levels or ()), None], dtype=object))
        except ValueError:  # row by row: the error names the row, if the level occurs
            return target_numbers(name, cells.labels())
        return levels[cells.values]
    refuse_dtype(name, cells.dtype)
    kind = cells.dtype.kind
    if kind in "iu":
        numbers = float_of_integers(cells, lambda _: name, is_target=True)
    elif kind in "fb":
        numbers = cells.astype(np.float64)
    else:
        numbers = _object_numbers(name, cells)
    refuse_infinity(name, numbers)
    large_rows = np.flatnonzero(np.abs(numbers) > MAX_NUMBER)
    if len(large_rows):
        first_row = int(large_rows[0])
        raise ValueError(
            f"{row_word(first_row)} of the target {name!r} is {numbers[first_row]}, and "
            "squares of it leave the range of numbers: divide the target by a constant so that it "
            f"lies between -{MAX_NUMBER:g} and {MAX_NUMBER:g}"
        )
    return numbers


def _object_numbers(name: str, cells: np.ndarray) -> np.ndarray:
    """The numbers of cells that are Python objects or texts, NaN where one is missing.

    Args:
        name: name of the target.
        cells: the cells, shape (n_rows,).

    Raises:
        ValueError: a cell that is no number, or a whole number that float64 does not hold; the
            message names its row.
    """
    objects = cells.tolist()
    numbers = np.empty(len(objects))
    for row, cell in enumerate(objects):
        is_long = isinstance(cell, str) and _LONG_INTEGER.fullmatch(cell)
        if is_inexact(int(cell) if is_long else cell):
            raise ValueError(inexact_message(name, row, int(cell), is_target=True))
        try:
            numbers[row] = np.nan if is_missing(cell) or cell == "" else float(cell)
        except OverflowError:  # a whole number beyond all floats
            numbers[row] = np.inf
        except (TypeError, ValueError):
            if isinstance(cell, str) and (column := text_as_numbers(name, cells)) is not None:
                return target_numbers(name, column)
            raise _no_number_error(name, objects, row) from None
    return numbers


def _no_number_error(name: str, cells: list[Any], row: int) -> ValueError:
    """The error of a regression whose target has a cell that is no number.

    Args:
        name: name of the target.
        cells: all cells; a text that stands for a missing number ("unknown") is named first.
        row: number of the first row whose cell is no number.
    """
    cell = cells[row]
    hint = dates_or_numbers([cell]) if isinstance(cell, str) else None
    texts = [*dict.fromkeys(text for text in cells if isinstance(text, str))]
    if (stray := stray_word(texts)) is not None:
        cell, hint = stray
        row = cells.index(cell)
    other = f"name another target, or use {argument('task', 'classification')}"
    return ValueError(
        f"{row_word(row)} of the target {name!r} is {shown(cell)}, which is not a number: "
        f"{hint or f'a regression predicts numbers; {other}'}"
    )


def text_as_numbers(name: str, cells: Cells) -> Column | None:
    """The column of numbers that texts would be in a CSV file; None if they would stay texts there.

    Args:
        name: name of the column.
        cells: the texts, as an array or a column.

    Examples:
        >>> text_as_numbers("y", np.array(["1,234,567", "12"])).values.tolist()
        [1234567.0, 12.0]
    """
    try:
        column = cells if isinstance(cells, Column) else encode(name, cells)
    except (TypeError, ValueError):
        return None
    column = as_numbers(column, ",", None)
    return column if column.kind == "numeric" else None
