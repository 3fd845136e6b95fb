"""Whole numbers as doubles, exactly or not at all.

What
    A double holds every whole number up to 2^53 and of larger ones only some. Rounding would make
    rows equal that differ (2^53 and 2^53 + 1), so an integer that no double holds is an error that
    names its column and row.
Complexity
    Two passes over integers of 64 bits, none over smaller ones.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

EXACT = 2**53
"""Whole numbers up to this size are doubles; of larger ones, only some are."""


def float_of_integers(
    values: np.ndarray, name_of: Callable[[int], str], *, is_target: bool = False
) -> np.ndarray:
    """An integer array (1-D or 2-D) as float64, exactly.

    Integers of at most 32 bits are converted without a check, as all of them are doubles.

    Raises:
        ValueError: a number that no double holds, so that it would become another one; the message
            names its column (`name_of` of its index), or target, and row.

    Examples:
        >>> float_of_integers(np.array([1, 2**60]), str).tolist()
        [1.0, 1.152921504606847e+18]
    """
    wide = values.astype(np.float64)
    if _are_small(values):
        return wide
    inside = np.abs(wide) < 2.0 ** (64 if values.dtype.kind == "u" else 63)
    same = np.zeros(values.shape, dtype=bool)
    same[inside] = wide[inside].astype(values.dtype) == values[inside]
    same[wide == -(2.0**63)] = values[wide == -(2.0**63)] == -(2**63)
    if not same.all():
        place = tuple(int(part) for part in np.argwhere(~same)[0])
        column = place[1] if len(place) > 1 else 0
        cell = (name_of(column), place[0], int(values[place]))
        raise ValueError(inexact_message(*cell, is_target=is_target))
    return wide


def _are_small(values: np.ndarray) -> bool:
    """Whether all integers are at most 2^53 in size, so that all are doubles."""
    if values.dtype.itemsize < 8 or not values.size:
        return True
    return int(values.max()) <= EXACT and int(values.min()) >= -EXACT


def any_inexact(values: np.ndarray) -> bool:
    """Whether integers are beyond 2^53 and not all doubles.

    Unlike `float_of_integers` it raises nothing, for columns that may be left out instead.

    Examples:
        >>> any_inexact(np.array([2**53 + 1])), any_inexact(np.array([2**60, 3]))
        (True, False)
    """
    if _are_small(values):
        return False  # without a conversion
    try:
        float_of_integers(values, str)
    except ValueError:
        return True
    return False


def inexact_message(name: str, row: int, value: int, *, is_target: bool = False) -> str:
    """The message of the error for a whole number that float64 does not hold.

    It names the column and row and the nearest number, and suggests an offset. A feature may also
    be left out or given as strings, which a target (`is_target`) may not.
    """
    instead = "" if is_target else ", leave the column out, or give strings"
    return (
        f"{'target' if is_target else 'column'} {name!r}, row {row}: float64 has no {value}, the "
        f"nearest is {int(float(value))}, and rows that differ would become equal; subtract an "
        f"offset{instead}"
    )


def is_inexact(cell: Any) -> bool:
    """Whether a cell is a whole number that float64 does not hold.

    Whole numbers up to 2^53 in size and floats never are; a larger whole number of Python or NumPy
    may be.

    Examples:
        >>> is_inexact(2**53 + 1), is_inexact(2**53), is_inexact(0.1)
        (True, False, False)
    """
    if not isinstance(cell, numbers.Integral) or isinstance(cell, np.timedelta64):
        return False
    whole = int(cell)
    if -EXACT <= whole <= EXACT:
        return False
    try:
        return int(float(cell)) != whole
    except OverflowError:
        return False  # refused as too large
