"""The cells of a target: y (array, list, series, one-column frame) as one column.

What
    `read_target_cells` gives 1-D cells and the name of the target. The checks refuse what neither a
    target of classes nor a numeric one can hold, in scikit-learn's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks import shown
from .._checks.data_warnings import warn_caller
from .._checks.words import counted
from .columns import Column, datetime_message
from .sources import one_column, read_source
from .target import missing_message


def read_target_cells(
    y: Any, n_rows: int, name: str | None, noun: str = "class label"
) -> tuple[np.ndarray | Column, str]:
    """The 1-D cells that y holds, and the name of the target.

    A frame or array of one column is accepted with the warning that scikit-learn issues.

    Args:
        y: an array, list, series or frame of one column.
        n_rows: number of rows of X.
        name: the name, if the caller gives one; otherwise the name of the series, or "class".
        noun: what a cell holds, for errors.

    Raises:
        ValueError: a y that has no rows, several columns or another length than X, or a masked
            cell.
    """
    cells, name = _cells_and_name(y, name, noun)
    if len(cells) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, "
            f"{len(cells)}]; X has {counted(n_rows, 'row')} and y has {len(cells)}"
        )
    return cells, name


def _cells_and_name(y: Any, name: str | None, noun: str) -> tuple[np.ndarray | Column, str]:
    """`read_target_cells` without the check of the length."""
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
            masked_rows = np.flatnonzero(np.ma.getmaskarray(y).reshape(len(y), -1).any(axis=1))
            raise ValueError(missing_message(name, int(masked_rows[0]), len(masked_rows), noun))
        y = np.asarray(y)
    if isinstance(y, (list, tuple)):
        y = _array_or_list(y)
    if isinstance(y, np.ndarray) and y.ndim == 1:
        return y, name
    if isinstance(y, np.ndarray) or _is_frame(y):
        return _single_column(y, name)
    return one_column(name, y), name


def _array_or_list(y: Sequence[Any]) -> Any:
    """A list of labels as an array, if no cell has to be looked at for that.

    A list that is empty or holds texts alone becomes an array. So does a list of rows, whose shape
    is checked later. Any other list is returned as it is: `one_column` looks at its cells.
    """
    types = set(map(type, y))
    if types & {list, tuple, np.ndarray}:
        try:
            return np.asarray(y)
        except ValueError:  # rows of several lengths: the checks of objects name one
            return np.fromiter(y, dtype=object, count=len(y))
    if types and all(issubclass(cell_type, str) for cell_type in types):
        return np.array(y)
    return y if types else np.array([], dtype=np.int64)


def _single_column(y: Any, name: str) -> tuple[np.ndarray | Column, str]:
    """The cells of an array or frame with one column, and the name of the target. It warns as
    scikit-learn does.

    Args:
        y: the array or frame.
        name: the name, if the column has none.

    Raises:
        ValueError: y has another number of columns or dimensions.
    """
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
    return source.column(0), (source.names or [name])[0]


def _is_frame(y: Any) -> bool:
    """Whether y is a frame of any library: it has named columns and two dimensions."""
    return hasattr(y, "shape") and hasattr(y, "columns") and len(y.shape) == 2


def refuse_dtype(name: str, dtype: np.dtype) -> None:
    """Refuse arrays of complex numbers, dates and durations, which are no target.

    The dtype is looked at, not the cells; arrays of objects pass and are checked cell by cell.

    Args:
        name: name of the target.
        dtype: the type of its cells.

    Raises:
        ValueError: a type that is refused.
    """
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: the target {name!r} holds complex numbers")
    if dtype.kind in "mM":
        raise ValueError(f"Unknown label type: datetime. {datetime_message(name)}")


def refuse_infinity(name: str, numbers: np.ndarray) -> None:
    """Refuse infinite numbers; the error names the first row with one.

    Args:
        name: name of the target.
        numbers: its numbers, shape (n_rows,).

    Raises:
        ValueError: a number is infinite.
    """
    rows = np.flatnonzero(np.isinf(numbers))
    if len(rows):
        raise ValueError(
            "Input y contains infinity or a value too large for dtype('float64'). "
            f"Row {int(rows[0])} of the target {name!r} is {numbers[rows[0]]}"
        )
