"""`Column`, and its encoding from an array of cells: floats, or codes with sorted levels.

What
    `encode` makes a `Column` of a NumPy array: numeric (float64 or float32, NaN = missing) or
    nominal (int32 codes, -1 = missing, and a tuple of levels). Levels that a schema declares
    (pandas categories, a Polars Enum, ARFF) keep their order. Other levels are sorted, so that the
    order of the rows changes nothing.
Complexity
    Strings: one pass for the types, one for the distinct values, one for the codes, all in C loops
    of the interpreter (about 60 ns per cell). Integers of a small range: counting, no sorting.
When not to use it
    A rectangular float array needs no columns at all; `Table` keeps it as one block.
"""

from __future__ import annotations

import datetime
import numbers
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from .._checks import is_missing, refuse_unhashable, shown
from .._checks.words import argument, option
from .exact_integers import float_of_integers, inexact_message, is_inexact

MAX_LEVELS = 65_536
"""Largest number of levels a nominal column may have."""

PIECE = 1 << 16
"""Values that are coded at a time."""

Kind = Literal["numeric", "nominal"]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One feature (or the target) of a `Table`.

    Attributes:
        name: the column's name.
        kind: ``"numeric"`` or ``"nominal"``.
        values: numeric: 1-D float64 or float32, NaN = missing; nominal: 1-D int32 codes into
            `levels`, -1 = missing (uint8 codes, which have no missing value, when the data came
            that way).
        levels: the declared levels in order (None for a numeric column).
        declared: whether the levels are given with the column: by the caller, the header of a file
            or the type of a column (pandas Categorical, Enum,
            Arrow dictionary), so that the rows do not decide which there are.
        ordered: whether the levels ascend (an ordered pandas Categorical).

    Examples:
        >>> import numpy as np
        >>> Column(
        ...     "wind", "nominal", np.array([1, 0, -1], dtype=np.int32), ("strong", "weak")
        ... ).labels().tolist()
        ['weak', 'strong', None]
    """

    name: str
    kind: Kind
    values: np.ndarray
    levels: tuple[Any, ...] | None = None
    declared: bool = False
    ordered: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def as_seen(self, rows: np.ndarray) -> Column:
        """The column as it would be read from these rows alone; cells of other rows become missing.

        Declared levels stay. Other levels are kept only if one of the rows has them, so a fold does
        not know the levels of its test rows. The column itself is returned if no level goes.
        """
        levels = self.levels or ()
        seen = np.unique(np.asarray(self.values)[rows]) if levels else np.zeros(0, np.int64)
        seen = seen[seen >= 0].astype(np.int64)
        return self if self.declared or len(seen) == len(levels) else self.with_levels(seen)

    def with_levels(self, codes: Iterable[int]) -> Column:
        """The column with the levels of these codes, in their order; other cells are missing.

        Examples:
            >>> column = Column("wind", "nominal", np.array([2, 0, 1]), ("a", "b", "c"))
            >>> (found := column.with_levels([2, 1])).levels, found.values.tolist()
            (('c', 'b'), [0, -1, 1])
        """
        levels, kept = self.levels or (), [*codes]
        new_codes = np.full(len(levels) + 1, -1, np.int32)  # the code -1 selects the last entry
        new_codes[kept] = np.arange(len(kept))
        values = new_codes[np.asarray(self.values, np.int64)]
        kept_levels = tuple(levels[code] for code in kept)
        return Column(self.name, "nominal", values, kept_levels, ordered=self.ordered)

    @property
    def n_missing(self) -> int:
        """Number of missing cells: NaN in a numeric column, codes below 0 in a nominal one. It is
        counted at each call, in O(rows); unsigned codes have no missing cells."""
        if self.kind == "numeric":
            return int(np.count_nonzero(np.isnan(self.values)))
        return 0 if self.values.dtype.kind == "u" else int(np.count_nonzero(self.values < 0))

    @property
    def is_missing(self) -> np.ndarray:
        """Which cells are missing, bool, shape (n_rows,): NaN in a numeric column, a code below 0
        in a nominal one. The array is computed at each call."""
        values = np.asarray(self.values)
        return np.isnan(values) if self.kind == "numeric" else values < 0

    def take(self, rows: Any) -> Column:
        """The same column restricted to `rows` (indices, mask or slice), in their order.

        The levels stay, also levels that no row has any more, so that codes keep their meaning;
        `as_seen` drops such levels.
        """
        return replace(self, values=self.values[rows])

    def labels(self) -> np.ndarray:
        """The cells as labels: float array (numeric) or object array with None for missing
        (nominal)."""
        if self.kind == "numeric":
            return self.values
        table = np.empty(len(self.levels or ()) + 1, dtype=object)
        for i, level in enumerate(self.levels or ()):
            table[i] = level
        table[-1] = None
        return table[self.values]

    def numbers(self) -> np.ndarray:
        """The cells as float64: numbers, or the codes of levels; NaN where a value is missing.

        Examples:
            >>> import numpy as np
            >>> Column("wind", "nominal", np.array([1, -1], dtype=np.int32), ("a", "b")).numbers()
            array([ 1., nan])
        """
        numbers = self.values.astype(np.float64)
        if self.kind == "nominal" and self.values.dtype.kind == "i":
            numbers[self.values < 0] = np.nan
        return numbers


def placeholder_column(name: str, n_rows: int) -> Column:
    """A constant numeric column of zeros, which no split divides, in the position of an unused one.
    Thus the positions of features are the same in the rows of a fit and in new rows, whatever the
    unused column holds there."""
    return Column(name, "numeric", np.zeros(n_rows))


def refuse_infinity(block: np.ndarray, name_of: Callable[[int], str]) -> None:
    """Refuse infinite cells by column and row; NaN, a missing cell, passes.

    Args:
        block: floats, shape (n_rows, n_columns).
        name_of: gives the name of a column.

    Raises:
        ValueError: a cell is infinite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = block.sum()  # np.dot is as fast, but wakes the threads of BLAS, which then spin
    if np.isfinite(total) or not (is_infinite := np.isinf(block)).any():
        return
    row, column = np.argwhere(is_infinite)[0].tolist()
    raise ValueError(
        f"column {name_of(column)!r}, row {row}: the value {float(block[row, column])} is infinity "
        "or too large for float64; replace it by a finite number or by NaN (missing)"
    )


def complex_message(name: str) -> str:
    """The message of the error for a column of complex numbers, with a remedy. It begins with
    scikit-learn's words ("Complex data not supported"), which its estimator checks look for."""
    return (
        f"Complex data not supported: column {name!r}; pass its real and imaginary parts as "
        f"two columns"
    )


def datetime_message(name: str, what: str = "dates or times", *, are_dates: bool = False) -> str:
    """The message of the error for a column of dates, times or durations, with a remedy.

    `what` names the content. If `are_dates`, the remedy also names the argument that makes year,
    month and weekday of the column, which times of day and durations do not have.
    """
    parts = f", or use year, month and weekday: {argument('dates', [name])}" if are_dates else ""
    return (
        f"column {name!r} holds {what}, which is neither numeric nor nominal; turn it into numbers "
        f"first (days since a date, hour of the day, month) or drop the column{parts}"
    )


def make_levels(name: str, levels: Sequence[Any]) -> tuple[Any, ...]:
    """Declared levels as a tuple of Python's own types.

    Scalars of NumPy become numbers and texts of Python, so that model files and messages can write
    them.

    Raises:
        ValueError: a level that is missing or declared twice, or more than `MAX_LEVELS` levels.
    """
    result = tuple(v.item() if isinstance(v, np.generic) else v for v in levels)
    if len(result) > MAX_LEVELS:
        raise ValueError(
            f"column {name!r} has {len(result):,} levels; a nominal column may have at most "
            f"{MAX_LEVELS:,}. "
            "An identifier carries nothing that generalises: drop it, or pass a numeric column as "
            "numeric"
        )
    if any(is_missing(v) for v in result):
        raise ValueError(
            f"column {name!r}: a declared level is missing (None or NaN); remove it from the levels"
        )
    if len(set(result)) != len(result):
        double = next(level for level, n in Counter(result).items() if n > 1)
        raise ValueError(f"column {name!r}: the level {double!r} is declared twice")
    return result


def family(value_type: type) -> str:
    """The family of the type of a cell: "text", "bool", "number", "complex", "date", or the name of
    any other type."""
    if issubclass(value_type, (str, bytes)):
        return "text"
    if issubclass(value_type, (bool, np.bool_)):
        return "bool"
    module = value_type.__module__.partition(".")[0]
    # NumPy counts its durations among the integers.
    if module == "datetime" or value_type in (np.datetime64, np.timedelta64):
        return "date"
    if issubclass(value_type, (numbers.Real, np.integer, np.floating, Decimal)):
        return "number"
    if issubclass(value_type, (numbers.Complex, np.complexfloating)):
        return "complex"
    if module == "pandas" and value_type.__name__ in (
        "Timestamp",
        "Timedelta",
        "Period",
        "Interval",
    ):
        return "date" if value_type.__name__ != "Interval" else "text"
    return value_type.__name__


class CellTypeError(TypeError):
    """A cell has a type that no column holds: it is no text, bool, number or date."""


def object_family(name: str, cells: list[Any], role: str = "column") -> str | None:
    """The one family that all cells belong to, missing ones apart; None if all are missing.

    Args:
        name: name of the column, for errors.
        cells: the cells.
        role: what the column is, for errors.

    Raises:
        CellTypeError: a cell of a type that no column holds, such as a list.
        TypeError: a cell of another family than the cells before it. Both messages name the first
            such cell and its row.
    """
    type_of: dict[str, type] = {}
    for cell_type in set(map(type, cells)):
        if cell_type is type(None):
            continue
        kind = family(cell_type)
        if kind in ("NAType", "NaTType"):
            continue
        # NaN and NaT among strings are missing cells, not numbers and dates
        if kind in ("number", "date") and all(is_missing(c) for c in cells if type(c) is cell_type):
            continue
        type_of[kind] = cell_type
    if not type_of:
        return "number" if any(isinstance(c, float) for c in cells) else None
    families = ("text", "bool", "number", "complex", "date")
    if "complex" in type_of:
        return "complex"
    if len(type_of) == 1 and next(iter(type_of)) in families:
        return next(iter(type_of))
    first: tuple[int, str] | None = None
    for row, cell in enumerate(cells):
        if is_missing(cell):
            continue
        kind = family(type(cell))
        if kind not in families:
            raise CellTypeError(
                f"{role} {name!r}, row {row}: {shown(cell)} is of type {type(cell).__name__}; "
                "the argument must be a string or a number (a cell is a number, a string, a bool "
                "or missing): leave the column out, or write its cells as text"
            )
        if first is None:
            first = (row, kind)
        elif kind != first[1]:
            raise TypeError(
                f"{role} {name!r}, row {row}: {shown(cell)} ({type(cell).__name__}) is mixed with "
                f"{shown(cells[first[0]])} ({type(cells[first[0]]).__name__}, row {first[0]}); "
                f"make the {role} all strings (nominal) or all numbers (numeric)"
            )
    raise AssertionError("unreachable: two families but no two cells that differ")


def sort_levels(name: str, values: set[Any]) -> list[Any]:
    """Distinct values in ascending order, as Python's own types.

    Sorted levels make results independent of the order of the rows.

    Raises:
        TypeError: the values cannot be sorted.
    """
    plain = [v.item() if isinstance(v, np.generic) else v for v in values]
    try:
        return sorted(plain)
    except TypeError as error:
        raise TypeError(
            f"column {name!r}: its values cannot be put in order ({error}); make them strings"
        ) from None


def codes_of(
    name: str, cells: list[Any], levels: Sequence[Any] | None
) -> tuple[np.ndarray, tuple[Any, ...]]:
    """Codes and levels of a list of cells.

    Missing cells are None, NaN, pandas.NA and NaT. The cells must be hashable, as each is looked up
    in a dict.

    Args:
        name: name of the column, for errors.
        cells: hashable values.
        levels: the declared levels, in order; None: the distinct values, sorted.

    Returns:
        Codes, int32, shape (n_rows,), -1 where a cell is missing; and the levels.

    Raises:
        ValueError: a value that is not among the declared levels.
    """
    try:
        distinct = set(cells)
    except TypeError:  # Decimal's signalling NaN, a missing cell, has no hash
        cells = [None if is_missing(cell) else cell for cell in cells]
        refuse_unhashable(f"column {name!r}", cells)
        distinct = set(cells)
    missing = {v for v in distinct if is_missing(v)}
    distinct -= missing
    if levels is None:
        if len(distinct) > MAX_LEVELS:
            make_levels(name, tuple(distinct))
        levels = make_levels(name, sort_levels(name, distinct))
    else:
        levels = make_levels(name, levels)
    look_up: dict[Any, int] = {v: i for i, v in enumerate(levels)}
    unknown = [v for v in distinct if v not in look_up]
    if unknown:
        wrong = set(unknown)
        row = next(i for i, v in enumerate(cells) if not is_missing(v) and v in wrong)
        raise ValueError(
            f"column {name!r}, row {row}: {cells[row]!r} is not among the {len(levels)} declared "
            f"levels {shorten(levels)}; declare it or correct the cell"
        )
    for value in missing:
        look_up[value] = -1
    return np.fromiter(map(look_up.__getitem__, cells), dtype=np.int32, count=len(cells)), tuple(
        levels
    )


def shorten(values: Sequence[Any], limit: int = 6) -> str:
    """The first values of a sequence as text, with the number of all if there are more.

    Examples:
        >>> shorten(range(9), 2)
        '0, 1, ... (9 in all)'
    """
    text = ", ".join(repr(v) for v in list(values)[:limit])
    return text if len(values) <= limit else f"{text}, ... ({len(values)} in all)"


def factorize(
    name: str, values: np.ndarray, levels: Sequence[Any] | None = None
) -> tuple[np.ndarray, tuple[Any, ...]]:
    """Codes and levels of a NumPy array of any dtype, as `codes_of` gives them.

    Examples:
        >>> import numpy as np
        >>> codes, levels = factorize("a", np.array([30, 10, 30]))
        >>> codes.tolist(), levels
        ([1, 0, 1], (10, 30))
    """
    kind = values.dtype.kind
    if levels is not None or kind not in "iufb":
        return codes_of(name, values.tolist(), levels)
    if kind == "b":
        values = values.view(np.uint8)
        codes, bits = factorize(name, values)
        return codes, tuple(map(bool, bits))
    if kind in "iu" and values.size:
        low, high = int(values.min()), int(values.max())
        if high - low <= max(1 << 16, 4 * values.size) and high < 1 << 62 and low > -(1 << 62):
            # Piece by piece, as int64 copies of all values would outweigh the codes.
            pieces = [slice(at, at + PIECE) for at in range(0, len(values), PIECE)]
            present = np.zeros(high - low + 1, dtype=bool)
            for piece in pieces:
                present[values[piece].astype(np.int64) - low] = True
            own_levels = make_levels(name, (np.flatnonzero(present) + low).tolist())
            code_of = (np.cumsum(present) - 1).astype(np.int32)
            codes = np.empty(values.shape, dtype=np.int32)
            for piece in pieces:
                codes[piece] = code_of[values[piece].astype(np.int64) - low]
            return codes, own_levels
    if kind == "f":
        is_filled = ~np.isnan(values)
        distinct, inverse = np.unique(values[is_filled], return_inverse=True)
        codes = np.full(len(values), -1, dtype=np.int32)
        own_levels = make_levels(name, distinct.tolist())
        codes[is_filled] = inverse.reshape(-1)
        return codes, own_levels
    distinct, inverse = np.unique(values, return_inverse=True)
    own_levels = make_levels(name, distinct.tolist())
    return inverse.reshape(-1).astype(np.int32), own_levels


def to_float(name: str, values: np.ndarray) -> np.ndarray:
    """A 1-D array as float64 (float32 stays float32), NaN where a cell is missing.

    Raises:
        ValueError: infinity, complex numbers, or texts that are no numbers; the message names the
            row.
        TypeError: dates, or objects that are no numbers.
    """
    kind = values.dtype.kind
    if kind == "c":
        raise ValueError(complex_message(name))
    if kind in "mM":
        raise TypeError(datetime_message(name))
    if kind == "f":
        result = values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)
    elif kind in "iub":
        return float_of_integers(values, lambda _: name)
    else:
        # Objects and text are converted cell by cell, to name the row of an error.
        cells = values.tolist()
        result = np.empty(len(cells))
        for row, cell in enumerate(cells):
            if is_missing(cell):
                result[row] = np.nan
                continue
            if is_inexact(cell):
                raise ValueError(inexact_message(name, row, int(cell)))
            try:
                result[row] = float(cell)
            except ValueError:
                raise ValueError(
                    f"column {name!r}, row {row}: could not convert string to float: "
                    f"{shown(cell)}; name the column in {option('categorical_features')} to make "
                    "it nominal"
                ) from None
            except TypeError:
                raise TypeError(
                    f"column {name!r}, row {row}: {shown(cell)} is of type {type(cell).__name__}; "
                    "the argument must be a string or a number: leave the column out, or write "
                    "its cells as text"
                ) from None
            except OverflowError:
                raise ValueError(
                    f"column {name!r}, row {row}: {shown(cell)} is infinity or too "
                    "large for float64; scale the column"
                ) from None
    refuse_infinity(result[:, None], lambda _: name)
    return result


def encode(
    name: str, values: np.ndarray, role: Kind | None = None, levels: Sequence[Any] | None = None
) -> Column:
    """One column from a 1-D NumPy array.

    Args:
        name: the column's name, for messages.
        values: 1-D array of any dtype.
        role: ``"numeric"``, ``"nominal"`` or None: text, bool and objects of those are nominal,
            numbers numeric.
        levels: declared levels; make the column nominal.

    Raises:
        TypeError: mixed objects, dates, cells that are neither text nor number (naming column and
            row).
        ValueError: complex, infinity, undeclared values, more than 65,536 levels.
    """
    kind = values.dtype.kind
    if kind == "c":
        raise ValueError(complex_message(name))
    if kind in "mM":
        raise TypeError(datetime_message(name, are_dates=kind == "M"))
    if kind == "V":
        raise TypeError(
            f"column {name!r}: the dtype {values.dtype} is not supported; pass numbers or strings"
        )
    # The role of the column, where it is not given: by dtype, or by the cells of objects.
    if kind == "O":
        cells = values.tolist()
        group = object_family(name, cells)
        if group == "complex":
            raise ValueError(complex_message(name))
        if group == "date":
            are_dates = any(isinstance(cell, datetime.date) for cell in cells)
            raise TypeError(datetime_message(name, are_dates=are_dates))
        if role is None and levels is None:
            role = "nominal" if group in ("text", "bool") else "numeric"
        if levels is None and role == "numeric" and group in ("number", None):
            if any(map(is_inexact, cells)):
                return Column(name, "numeric", to_float(name, values))
            try:
                values = np.array([np.nan if is_missing(c) else c for c in cells], dtype=np.float64)
            except OverflowError:
                return Column(name, "numeric", to_float(name, values))
    elif role is None and levels is None:
        role = "nominal" if kind in "bUST" else "numeric"
    # The column in its role.
    if levels is not None or role == "nominal":
        if values.dtype.kind == "f":
            refuse_infinity(values[:, None], lambda _: name)
        codes, own_levels = factorize(name, values, levels)
        return Column(name, "nominal", codes, own_levels, declared=levels is not None)
    return Column(name, "numeric", to_float(name, values))


def numeric_block(block: np.ndarray, name_of: Callable[[int], str]) -> np.ndarray:
    """A 2-D array as float64 (float32 stays float32), after a check for infinity.

    A block of one of these two types is returned without a copy; integers must be exact as float64.
    NaN passes as a missing cell.

    Args:
        block: numbers, shape (n_rows, n_columns).
        name_of: gives the name of a column by its position, for errors.
    """
    if block.dtype not in (np.float64, np.float32):
        if block.dtype.kind in "iu":
            return float_of_integers(block, name_of)
        block = block.astype(np.float64)
    refuse_infinity(block, name_of)
    return block


_COLUMNS_AT_ONCE = 4096
"""Number of columns that are processed together, so that no temporary array is as large as the
block."""


def _presence(block: np.ndarray) -> np.ndarray:
    """Which values occur in each column of a uint8 block, bool, shape (n_values, n_columns)."""
    top = (
        max(
            int(block[:, j : j + _COLUMNS_AT_ONCE].max())
            for j in range(0, block.shape[1], _COLUMNS_AT_ONCE)
        )
        + 1
    )
    present = np.zeros((top, block.shape[1]), dtype=bool)
    for first in range(0, block.shape[1], _COLUMNS_AT_ONCE):
        part, seen = (
            block[:, first : first + _COLUMNS_AT_ONCE],
            present[:, first : first + _COLUMNS_AT_ONCE],
        )
        if top <= 64:
            kind = np.min_scalar_type(2**top - 1)
            occurring = np.zeros(part.shape[1], dtype=kind)
            for rows in range(0, len(part), 1 << 15):
                bits = np.left_shift(kind.type(1), part[rows : rows + (1 << 15)], dtype=kind)
                occurring |= np.bitwise_or.reduce(bits, axis=0)
            seen[:] = (occurring >> np.arange(top, dtype=kind)[:, None]) & kind.type(1)
        else:
            for j in range(part.shape[1]):
                seen[:, j] = np.bincount(part[:, j], minlength=top) > 0
    return present


def has_gaps(present: np.ndarray) -> bool:
    """Whether some column lacks a value below its largest one.

    `present` says which values occur, bool, shape (n_values, n_columns). With a gap, values are not
    the codes of the occurring levels, so `code_block` has to make a new block.
    """
    return bool((~present[:-1] & present[1:]).any())


def code_block(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A uint8 block as codes of the values that occur in each column, and these values.

    Returns:
        The codes, shape (n_rows, n_columns), the block itself if the values of each column are
        0, 1, ... without a gap; and which values occur, bool, shape (n_values, n_columns).
    """
    present = _presence(block)
    if has_gaps(present):
        coded: np.ndarray = np.empty(block.shape, dtype=np.uint8)
        for first in range(0, block.shape[1], _COLUMNS_AT_ONCE):
            columns = slice(first, first + _COLUMNS_AT_ONCE)
            rank = (np.cumsum(present[:, columns], axis=0) - 1).astype(np.uint8)
            coded[:, columns] = np.take_along_axis(rank, block[:, columns].astype(np.intp), axis=0)
        block = coded
    return block, present
