"""Targets of classes: y as labels, codes and classes.

What
    Classes are the labels that occur, sorted, as scikit-learn's ``classes_``, also for a
    pandas Categorical or Polars Enum: its scorers take columns of probabilities in that order. Only
    explicit `levels` and finished columns (ARFF files) have another order, and classes of levels
    without rows.
Errors
    A missing label names its row; continuous numbers are refused in scikit-learn's words.
Complexity
    O(n) for integers of a small range and for strings; O(n log n) for floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks import is_missing, number_array
from .._checks.words import argument, in_text, row_word, worded
from .columns import (
    CellTypeError,
    Column,
    datetime_message,
    factorize,
    object_family,
    sort_levels,
    to_float,
)
from .target import Target, class_array, missing_message
from .target_cells import read_target_cells, refuse_dtype, refuse_infinity


def encode_target(
    y: Any,
    n_rows: int,
    name: str | None = None,
    levels: Sequence[Any] | None = None,
    *,
    keep_unused: bool = False,
) -> Target:
    """The target of classes that y holds.

    Classes are sorted, also for a categorical y, as scikit-learn's scorers expect.

    Args:
        y: labels, shape (n_rows,) or (n_rows, 1).
        n_rows: number of rows of X.
        name: name of the target; default: the name of y, or "class".
        levels: the classes in order, whether or not rows have them.
        keep_unused: whether categories of y that no row has are classes as well.

    Raises:
        ValueError: wrong length or shape, missing labels, continuous numbers, infinity.
        TypeError: labels of mixed types.
    """
    cells, name = read_target_cells(y, n_rows, name)
    # A nominal column has its codes already.
    if isinstance(cells, Column):
        if cells.kind == "nominal" and levels is None:
            target = target_of_column(
                with_sorted_levels(cells if keep_unused else without_unused_levels(cells))
            )
            target.checked_codes()
            return target
        cells = cells.labels()
    # Other cells are checked by type and encoded.
    refuse_dtype(name, cells.dtype)
    kind = cells.dtype.kind
    is_number = kind in "iuf"
    if kind == "O":
        is_number = _checked_family(name, cells) == "number"
    elif kind == "f" and levels is None:
        refuse_continuous(name, cells)
    codes, classes = factorize(name, cells, levels)
    values = class_array(classes, cells.dtype)
    target = Target(name, cells, codes, classes, values, is_number and levels is None)
    target.checked_codes()
    return target


def target_of_column(column: Column) -> Target:
    """The target of classes that a column holds; labels may be missing.

    Unlike `encode_target` it keeps the order of the levels, and makes classes of levels that no row
    has.

    Args:
        column: a nominal column, whose levels are the classes, or whole numbers, which become ints.

    Raises:
        ValueError: a number is not whole.
    """
    is_number = column.kind != "nominal"
    if is_number:
        refuse_continuous(column.name, column.values)
        codes, levels = factorize(column.name, column.values)
        column = Column(column.name, "nominal", codes, tuple(int(v) for v in levels))
    classes = tuple(column.levels or ())
    codes = column.values.astype(np.int32, copy=False)
    return Target(column.name, None, codes, classes, class_array(classes), is_number)


def without_unused_levels(column: Column) -> Column:
    """A nominal column whose levels all occur, in the order they had; itself if they do.

    Examples:
        >>> codes = np.array([2, 0], dtype=np.int32)
        >>> column = without_unused_levels(Column("y", "nominal", codes, ("c", "b", "a")))
        >>> column.levels, column.values.tolist()
        (('c', 'a'), [1, 0])
    """
    levels = column.levels or ()
    codes = column.values.astype(np.int32, copy=False)
    occurs = np.bincount(codes[codes >= 0], minlength=len(levels)) > 0
    return column if occurs.all() else column.with_levels(np.flatnonzero(occurs))


def with_sorted_levels(column: Column) -> Column:
    """A nominal column with its levels in ascending order; itself if they are.

    Codes are translated; missing cells stay missing.

    Examples:
        >>> codes = np.array([1, 0, -1], dtype=np.int32)
        >>> column = with_sorted_levels(Column("y", "nominal", codes, ("b", "a")))
        >>> column.levels, column.values.tolist()
        (('a', 'b'), [0, 1, -1])
    """
    levels = tuple(column.levels or ())
    ascending = sort_levels(column.name, set(levels))
    if [*levels] == ascending:
        return column
    code_of = {level: code for code, level in enumerate(levels)}
    return column.with_levels(code_of[level] for level in ascending)


def _checked_family(name: str, cells: np.ndarray) -> str | None:
    """The family of labels as Python objects: "text", "bool" or "number"; None without labels.

    Args:
        name: name of the target.
        cells: the labels, an array of objects.

    Raises:
        ValueError: a label is missing, of a type that is no label, a fraction or infinite.
        TypeError: labels of several families, such as texts among numbers.
    """
    labels = cells.tolist()
    for row, cell in enumerate(labels):
        if is_missing(cell):
            raise ValueError(missing_message(name, row, sum(map(is_missing, labels))))
    try:
        label_family = object_family(name, labels, role="target")
    except CellTypeError as error:
        raise ValueError(f"Unknown label type: unknown. {error}") from None
    if label_family in ("date", "complex"):
        raise ValueError(f"Unknown label type: {label_family}. {datetime_message(name)}")
    if label_family == "number":
        try:
            numbers = number_array(name, cells)
        except ValueError:
            numbers = to_float(name, cells)  # its error names the row
        refuse_continuous(name, numbers)
    return label_family


def refuse_continuous(name: str, values: np.ndarray) -> None:
    """Refuse numbers with a fraction as classes, in scikit-learn's words.

    A fit of classes to such numbers is nearly always meant as a regression, and scikit-learn
    refuses it as well.

    Args:
        name: name of the target.
        values: its numbers, shape (n_rows,); NaN where one is missing.

    Raises:
        ValueError: a number is infinite or has a fraction; the message names the first such row.
    """
    refuse_infinity(name, values)
    fraction_rows = rows_of_fractions(values)
    if fraction_rows.size:
        row = int(fraction_rows[0])
        raise ValueError(
            "Unknown label type: continuous. Maybe you are trying to fit a classifier, which "
            "expects discrete classes on a regression target with continuous values. (Target "
            f"{name!r}, {row_word(row)}: {values[row]!s}. For a number use "
            f"{worded('fasttree.FastTreeRegressor or ')}{in_text(argument('task', 'regression'))}; "
            "for classes name another target, or discretise this one.)"
        )


def rows_of_fractions(values: np.ndarray) -> np.ndarray:
    """Positions of the numbers that are not whole; a missing one (NaN) is not among them.

    Examples:
        >>> rows_of_fractions(np.array([1.0, 0.5, np.nan]))
        array([1])
    """
    with np.errstate(invalid="ignore"):
        return np.flatnonzero((values != np.floor(values)) & ~np.isnan(values))
