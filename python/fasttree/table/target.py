"""The target: y as labels, codes and classes.

What
    y (array, list, series, one-column frame) becomes 1-D labels in their own dtype, int32 codes and
    the tuple of classes; for a regression, numbers. Classes are the labels that occur, sorted, as
    scikit-learn's ``classes_``, also those of a pandas Categorical or Polars Enum: its scorers
    take columns of probabilities in that order. Only explicit `levels` and finished columns (ARFF
    files) have another order, and classes of levels without rows.
Errors
    A missing label names its row; continuous numbers are refused in scikit-learn's words.
Complexity
    O(n) for integers of a small range and for strings; O(n log n) for floats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._checks import is_missing, number_array, shown
from .._checks.data_warnings import warn_caller
from .._checks.words import argument, counted, in_text, option, row_word, worded
from . import columns
from .decimal_marks import as_numbers
from .exact_integers import float_of_integers, inexact_message, is_inexact
from .number_texts import dates_or_numbers, stray_word
from .sources import Cells, one_column, read_source


def no_target() -> ValueError:
    """The error of rows without a target, in scikit-learn's words."""
    return ValueError(
        worded(
            "requires y to be passed, but the target y is None: give labels, the name of a column "
            "of a frame X, or a Table with a target",
            f"the data name no target: {option('target')} COLUMN; a PLINK study has one where its "
            ".fam tells cases from controls (ftree rank also takes them from a file: --pheno)",
        )
    )


@dataclass(slots=True)
class Target:
    """A target of classes.

    Attributes:
        name: name of the target.
        labels: the labels as given, shape (n_rows,); None if only codes are known.
        codes: positions of the labels in `classes`, int32, shape (n_rows,); -1: missing.
        classes: the class labels, in order.
        values: `classes` as an array.
        is_number: whether the labels are numbers that were not declared as levels.
    """

    name: str
    labels: np.ndarray | None
    codes: np.ndarray
    classes: tuple[Any, ...]
    values: np.ndarray
    is_number: bool = False

    def take(self, rows: Any) -> Target:
        """The same target (same classes) restricted to `rows`."""
        labels = None if self.labels is None else self.labels[rows]
        return replace(self, labels=labels, codes=self.codes[rows])

    def decode(self) -> np.ndarray:
        """Labels row by row; an object array with None where a label is missing."""
        if self.labels is not None:
            return self.labels
        if len(self.codes) == 0 or int(self.codes.min()) >= 0:
            return self.values[self.codes]
        return columns.Column(self.name, "nominal", self.codes, self.classes).labels()

    def check(self) -> np.ndarray:
        """The codes, all >= 0, or a ValueError naming the first row without a label."""
        if len(self.codes) and int(self.codes.min()) < 0:
            rows = np.flatnonzero(self.codes < 0)
            raise ValueError(missing_message(self.name, int(rows[0]), len(rows)))
        return self.codes


MAX_NUMBER = 1e60
"""Largest number of a regression: sums of its squares are finite."""


@dataclass(slots=True)
class NumericTarget:
    """The numbers that a regression predicts, float64, NaN where one is missing."""

    name: str
    numbers: np.ndarray

    classes: ClassVar[tuple[Any, ...]] = ()
    """A number has no classes."""

    def take(self, rows: Any) -> NumericTarget:
        """The same target restricted to `rows`."""
        return NumericTarget(self.name, self.numbers[rows])

    def decode(self) -> np.ndarray:
        """The numbers row by row."""
        return self.numbers

    def check(self) -> np.ndarray:
        """Refuse to give codes of classes."""
        raise ValueError(
            f"the target {self.name!r} is a number, which has no classes: use "
            f"{worded('FastTreeRegressor or ')}{argument('task', 'regression')} here, or read it "
            f"as classes: {argument('task', 'classification')}"
        )

    def check_numbers(self) -> np.ndarray:
        """The numbers, all known, or a ValueError naming the first row without one."""
        missing = np.flatnonzero(np.isnan(self.numbers))
        if len(missing):
            raise ValueError(missing_message(self.name, int(missing[0]), len(missing), "number"))
        return self.numbers


def missing_message(name: str, row: int, count: int = 1, what: str = "class label") -> str:
    """The message for rows without a class label or number (`what`): the first one, and their
    count."""
    more = "" if count == 1 else f" ({counted(count, 'row')} in all)"
    # "y" is the name of labels alone.
    frame = f"frame.dropna(subset=[{name!r}]), of Polars frame.drop_nulls({name!r}), "
    frame = "" if name == "y" else frame
    return (
        f"Input y contains NaN: row {row} of the target {name!r} has no {what}{more}; drop such "
        f"rows {worded(f'({frame}table.drop_missing_target()) ')}or give them a "
        f"{what.rsplit(maxsplit=1)[-1]}"
    )


def class_array(classes: Sequence[Any], dtype: np.dtype | None = None) -> np.ndarray:
    """The class labels as a 1-D array of `dtype`; without it, of the type that NumPy chooses if
    that keeps the labels as they are, otherwise of objects."""
    if dtype is not None and dtype.kind in "biuf":
        return np.array(classes, dtype=dtype)
    if dtype is not None and dtype.kind == "U":
        return np.array(classes) if classes else np.array([], dtype=dtype)
    kinds = set(map(type, classes))
    if dtype is None and (kinds in ({int}, {bool}, {float})):
        return np.array(classes)
    return np.fromiter(classes, dtype=object, count=len(classes))


def from_column(column: columns.Column) -> Target:
    """A target made of a column, whole numbers as ints; its labels may be missing."""
    is_number = column.kind != "nominal"
    if is_number:
        _refuse_continuous(column.name, column.values)
        codes, levels = columns.factorize(column.name, column.values)
        column = columns.Column(column.name, "nominal", codes, tuple(int(v) for v in levels))
    classes = tuple(column.levels or ())
    codes = column.values.astype(np.int32, copy=False)
    return Target(column.name, None, codes, classes, class_array(classes), is_number)


def without_unused_levels(column: columns.Column) -> columns.Column:
    """A nominal column whose levels all occur, in the order they had; itself if they do.

    Examples:
        >>> codes = np.array([2, 0], dtype=np.int32)
        >>> column = without_unused_levels(columns.Column("y", "nominal", codes, ("c", "b", "a")))
        >>> column.levels, column.values.tolist()
        (('c', 'a'), [1, 0])
    """
    levels = column.levels or ()
    codes = column.values.astype(np.int32, copy=False)
    occurs = np.bincount(codes[codes >= 0], minlength=len(levels)) > 0
    return column if occurs.all() else column.with_levels(np.flatnonzero(occurs))


def with_sorted_levels(column: columns.Column) -> columns.Column:
    """A nominal column with its levels in ascending order; itself if they are.

    Examples:
        >>> codes = np.array([1, 0, -1], dtype=np.int32)
        >>> column = with_sorted_levels(columns.Column("y", "nominal", codes, ("b", "a")))
        >>> column.levels, column.values.tolist()
        (('a', 'b'), [0, 1, -1])
    """
    levels = tuple(column.levels or ())
    ascending = columns.sort_levels(column.name, set(levels))
    if [*levels] == ascending:
        return column
    place = {level: code for code, level in enumerate(levels)}
    return column.with_levels(place[level] for level in ascending)


def encode_target(
    y: Any,
    n_rows: int,
    name: str | None = None,
    levels: Sequence[Any] | None = None,
    *,
    keep_unused: bool = False,
) -> Target:
    """The target of classes that y holds.

    Classes are sorted, those of a categorical y as well, as scikit-learn's scorers expect.

    Args:
        y: labels, shape (n_rows,) or (n_rows, 1).
        n_rows: number of rows of X.
        name: name of the target; default: that of y, or "class".
        levels: the classes in order, whether or not rows have them.
        keep_unused: whether categories of y that no row has are classes as well.

    Raises:
        ValueError: wrong length or shape, missing labels, continuous numbers, infinity.
        TypeError: labels of mixed types.
    """
    cells, name = _cells(y, name)
    _check_length(cells, n_rows)
    # A nominal column has its codes already.
    if isinstance(cells, columns.Column):
        if cells.kind == "nominal" and levels is None:
            target = from_column(
                with_sorted_levels(cells if keep_unused else without_unused_levels(cells))
            )
            target.check()
            return target
        cells = cells.labels()
    # Other cells are checked by type and encoded.
    kind = cells.dtype.kind
    _refuse_kind(name, kind)
    is_number = kind in "iuf"
    if kind == "O":
        is_number = _check_objects(name, cells) == "number"
    elif kind == "f" and levels is None:
        _refuse_continuous(name, cells)
    codes, classes = columns.factorize(name, cells, levels)
    values = class_array(classes, cells.dtype)
    target = Target(name, cells, codes, classes, values, is_number and levels is None)
    target.check()
    return target


def encode_numbers(y: Any, n_rows: int, name: str | None = None) -> NumericTarget:
    """The target of a regression that y holds.

    Args:
        y: numbers, or texts that are numbers, shape (n_rows,) or (n_rows, 1).
        n_rows: number of rows of X.
        name: name of the target; default: that of y, or "y".

    Raises:
        ValueError: wrong length or shape, missing, infinite or too large numbers, text that is no
            number; the message names the row.
    """
    cells, name = _cells(y, name or getattr(y, "name", None) or "y", "number")
    _check_length(cells, n_rows)
    target = NumericTarget(name, numbers_of(name, cells))
    target.check_numbers()
    return target


def text_as_numbers(name: str, cells: Cells) -> columns.Column | None:
    """Texts as the numbers that a CSV file with them would hold; None if it would hold texts.

    Examples:
        >>> text_as_numbers("y", np.array(["1,234,567", "12"])).values.tolist()
        [1234567.0, 12.0]
    """
    try:
        column = cells if isinstance(cells, columns.Column) else columns.encode(name, cells)
    except (TypeError, ValueError):
        return None
    column = as_numbers(column, ",", None)
    return column if column.kind == "numeric" else None


def numbers_of(name: str, cells: np.ndarray | columns.Column) -> np.ndarray:
    """The cells of a target as float64, NaN where one is missing.

    Raises:
        ValueError: a cell that is no number, infinite, or larger than `MAX_NUMBER`.
    """
    if isinstance(cells, columns.Column):
        if cells.kind == "numeric":
            return numbers_of(name, np.asarray(cells.values, dtype=np.float64))
        try:
            levels = numbers_of(name, np.array([*(cells.levels or ()), None], dtype=object))
        except ValueError:  # row by row: the error names the row, if the level occurs
            return numbers_of(name, cells.labels())
        return levels[cells.values]
    kind = cells.dtype.kind
    _refuse_kind(name, kind)
    if kind in "iu":
        numbers = float_of_integers(cells, lambda _: name, is_target=True)
    elif kind in "fb":
        numbers = cells.astype(np.float64)
    else:
        numbers = _numbers_of_objects(name, cells)
    _refuse_infinity(name, numbers)
    large = np.flatnonzero(np.abs(numbers) > MAX_NUMBER)
    if len(large):
        raise ValueError(
            f"{row_word(int(large[0]))} of the target {name!r} is {numbers[large[0]]}, and "
            "squares of it leave the range of numbers: divide the target by a constant so that it "
            f"lies between -{MAX_NUMBER:g} and {MAX_NUMBER:g}"
        )
    return numbers


def _numbers_of_objects(name: str, cells: np.ndarray) -> np.ndarray:
    """`numbers_of` cells that are Python objects or texts, whose errors name a row."""
    listed = cells.tolist()
    numbers = np.empty(len(listed))
    for row, cell in enumerate(listed):
        is_whole = isinstance(cell, str) and re.fullmatch(r"\s*[+-]?\d{16,308}\s*", cell)
        if is_inexact(int(cell) if is_whole else cell):
            raise ValueError(inexact_message(name, row, int(cell), is_target=True))
        try:
            numbers[row] = np.nan if is_missing(cell) or cell == "" else float(cell)
        except OverflowError:  # a whole number beyond all floats
            numbers[row] = np.inf
        except (TypeError, ValueError):
            if isinstance(cell, str) and (column := text_as_numbers(name, cells)) is not None:
                return numbers_of(name, column)
            raise _not_a_number(name, listed, row) from None
    return numbers


def _not_a_number(name: str, cells: list[Any], row: int) -> ValueError:
    """The error of a regression whose target has a cell, in this row, that is no number."""
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


def _check_length(cells: np.ndarray | columns.Column, n_rows: int) -> None:
    if len(cells) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, "
            f"{len(cells)}]; X has {counted(n_rows, 'row')} and y has {len(cells)}"
        )


def _refuse_kind(name: str, kind: str) -> None:
    """Refuse complex numbers and dates by the kind of their dtype."""
    if kind == "c":
        raise ValueError(f"Complex data not supported: the target {name!r} holds complex numbers")
    if kind in "mM":
        raise ValueError(f"Unknown label type: datetime. {columns.datetime_message(name)}")


def _refuse_infinity(name: str, numbers: np.ndarray) -> None:
    wrong = np.flatnonzero(np.isinf(numbers))
    if len(wrong):
        raise ValueError(
            "Input y contains infinity or a value too large for dtype('float64'). "
            f"Row {int(wrong[0])} of the target {name!r} is {numbers[wrong[0]]}"
        )


def fractions_of(values: np.ndarray) -> np.ndarray:
    """Positions of the numbers that are not whole; NaN is none.

    Examples:
        >>> fractions_of(np.array([1.0, 0.5, np.nan]))
        array([1])
    """
    with np.errstate(invalid="ignore"):
        return np.flatnonzero((values != np.floor(values)) & ~np.isnan(values))


def _cells(
    y: Any, name: str | None, what: str = "class label"
) -> tuple[np.ndarray | columns.Column, str]:
    """y as 1-D cells, and the name of the target.

    Args:
        y: an array, list, series or frame of one column.
        name: the name, if the caller gives one; otherwise that of the series, or "class".
        what: what a cell holds, for errors.
    """
    if isinstance(y, (str, bytes)) or y is None or np.isscalar(y):
        raise ValueError(
            f"y should be a 1d array of labels, got {shown(y)}; a column of a frame is named as in "
            "fasttree.fit(frame, 'name') or fasttree.Table(frame, target='name')"
        )
    if not isinstance(y, (np.ndarray, list, tuple, range)):
        series_name = getattr(y, "name", None)
        name = name or (series_name if isinstance(series_name, str) and series_name else None)
    name = name or "class"
    if isinstance(y, np.ma.MaskedArray):
        if np.ma.is_masked(y):
            gone = np.flatnonzero(np.ma.getmaskarray(y).reshape(len(y), -1).any(axis=1))
            raise ValueError(missing_message(name, int(gone[0]), len(gone), what))
        y = np.asarray(y)
    if isinstance(y, (list, tuple)):
        y = _array_or_list(y)
    if isinstance(y, np.ndarray) and y.ndim == 1:
        return y, name
    if isinstance(y, np.ndarray) or _is_frame(y):
        return _single_column(y, name)
    return one_column(name, y), name


def _array_or_list(y: Sequence[Any]) -> Any:
    """A list of labels as an array if it is empty, holds texts alone, or rows; otherwise itself:
    `one_column` looks at its cells."""
    kinds = set(map(type, y))
    if kinds & {list, tuple, np.ndarray}:
        try:
            return np.asarray(y)
        except ValueError:  # rows of several lengths: the checks of objects name one
            return np.fromiter(y, dtype=object, count=len(y))
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return np.array(y)
    return y if kinds else np.array([], dtype=np.int64)


def _single_column(y: Any, name: str) -> tuple[np.ndarray | columns.Column, str]:
    """The cells and the name of an array or frame with one column, which scikit-learn warns of."""
    shape = tuple(y.shape)
    if len(shape) != 2 or shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {shape} instead. "
            "Several targets at once are not served: fit one tree per column, for instance "
            "with sklearn.multioutput.MultiOutputClassifier"
        )
    from sklearn.exceptions import DataConversionWarning

    warn_caller(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of "
        "y to (n_samples,), for example using ravel().",
        DataConversionWarning,
    )
    if isinstance(y, np.ndarray):
        return y.reshape(-1), name
    source = read_source(y)
    cells = source.block[:, 0] if source.cells is None else source.cells[0]  # type: ignore[index]
    return cells, (source.names or [name])[0]


def _is_frame(y: Any) -> bool:
    return hasattr(y, "shape") and hasattr(y, "columns") and len(y.shape) == 2


def _check_objects(name: str, cells: np.ndarray) -> str | None:
    """The family of the labels in an array of objects, or an error."""
    listed = cells.tolist()
    for row, cell in enumerate(listed):
        if is_missing(cell):
            raise ValueError(missing_message(name, row, sum(map(is_missing, listed))))
    try:
        group = columns.object_family(name, listed, role="target")
    except TypeError as error:
        if "is mixed with" in str(error):
            raise
        raise ValueError(f"Unknown label type: unknown. {error}") from None
    if group in ("date", "complex"):
        raise ValueError(f"Unknown label type: {group}. {columns.datetime_message(name)}")
    if group == "number":
        try:
            numbers = number_array(name, cells)
        except ValueError:
            numbers = columns.to_float(name, cells)  # whose error names the row
        _refuse_continuous(name, numbers)
    return group


def _refuse_continuous(name: str, values: np.ndarray) -> None:
    _refuse_infinity(name, values)
    fractions = fractions_of(values)
    if fractions.size:
        row = int(fractions[0])
        raise ValueError(
            "Unknown label type: continuous. Maybe you are trying to fit a classifier, which "
            "expects discrete classes on a regression target with continuous values. (Target "
            f"{name!r}, {row_word(row)}: {values[row]!s}. For a number use "
            f"{worded('fasttree.FastTreeRegressor or ')}{in_text(argument('task', 'regression'))}; "
            "for classes name another target, or discretise this one.)"
        )
