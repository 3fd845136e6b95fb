"""Tables of frames and mappings, before and after their columns are checked.

What
    `screened_table` makes the Table that a fit reads. `unscreened_table` makes a Table whose
    columns are still to be checked: it uses year, month and weekday of temporal columns, and leaves
    out columns that no Table can hold: lists, times of day, whole numbers that float64 does not
    tell apart, texts of more levels than there are codes. Arrays, lists of rows and Tables are
    taken as they are given.
Complexity
    O(cells) for whole numbers of 64 bits and for texts of many levels; in a column of objects, the
    first `N_CELLS` cells are looked at.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._checks import is_missing
from ..._checks.words import worded
from ..columns import MAX_LEVELS
from ..date_texts import infer_date_order
from ..dates import DateFormat
from ..exact_integers import any_inexact, is_inexact
from ..nominal_columns import each_role, resolve_roles
from ..table import Table
from .findings import apply_and_warn, kept_columns

INEXACT = "whole numbers beyond 2^53, which float64 does not tell apart, as of an identifier"
"""Why a column of long numbers is left out."""

N_CELLS = 1000
"""Cells that are looked at to see what a column of objects holds."""


def screened_table(X: Any, y: Any, columns: Any, **options: Any) -> Table:
    """The Table that a fit reads; a warning says how the columns of a frame are treated.

    Args:
        X: the features, of any type that `Table` takes.
        y: the target, or the name of the column of X that holds it.
        columns: the columns that are used as they are; see `kept_columns`.
        options: further arguments of `Table`.
    """
    return apply_and_warn(unscreened_table(X, y, columns, **options), columns)


def unscreened_table(X: Any, y: Any = None, columns: Any = "auto", **options: Any) -> Table:
    """The Table of X and y before the checks of its columns.

    `Table.as_given` tells `apply_and_warn` whether there is anything to check. It is False if X is
    a frame or mapping and `columns` lets columns be left out. Then columns of dates are already
    replaced by year, month and weekday, and columns that no Table can hold are unused. Otherwise it
    is True: the Table has all columns as they are given.

    Args:
        X: the features, of any type that `Table` takes.
        y: the target, or the name of the column of X that holds it.
        columns: the columns that are used as they are; see `kept_columns`.
        options: further arguments of `Table`.
    """
    cells = None if kept_columns(columns) is None else _cells_by_name(X)
    if cells is None:
        table = Table.from_any(X, y, **options)
        if table is not X:
            table.file_cells.warn_of_signs()
        return table
    if isinstance(y, str):
        cells.pop(y, None)
    given_formats = options.pop("dates", {})
    dates: dict[str, Any] = {}
    unusable: dict[str, Unusable] = {}
    for name, values in cells.items():
        content = _special_content(values)
        if isinstance(content, DateFormat):
            dates[name] = given_formats.get(name) or content
        elif content is not None:
            unusable[name] = content
    _allow_inexact_levels(unusable, [*cells], options.get("categorical_features"))
    unused = {name: content.reason for name, content in unusable.items()}
    unused.update(options.pop("unused", {}))
    table = Table.from_any(X, y, unused=unused, dates=dates, **options)
    table.as_given = False
    table.file_cells.warn_of_signs()
    return table


def _allow_inexact_levels(unusable: dict[str, Unusable], names: list[str], nominal: Any) -> None:
    """Take columns of long numbers that the user calls nominal out of the unusable ones: a level
    may be any number, because it is only compared with others.

    Args:
        unusable: the unusable columns, by name; changed in place.
        names: names of all columns.
        nominal: the argument `categorical_features` of `Table`.
    """
    if not any(content.is_inexact for content in unusable.values()):
        return
    roles = resolve_roles(nominal, len(names), lambda: names)
    for name, role in zip(names, each_role(roles, len(names)), strict=True):
        if role == "nominal" and name in unusable and unusable[name].is_inexact:
            del unusable[name]


def _cells_by_name(X: Any) -> dict[str, Any] | None:
    """The columns of a frame or mapping, by name; None for other rows."""
    if isinstance(X, Table | list | tuple):
        return None
    if isinstance(X, np.ndarray):
        return {name: X[name] for name in X.dtype.names} if X.dtype.names else None
    if isinstance(X, Mapping):
        return {str(name): cells for name, cells in X.items()}
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return {name: cells for name, cells in X.items() if isinstance(name, str)}
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    return {name: frame[name] for name in frame.columns}


@dataclass(frozen=True)
class Unusable:
    """What a column holds if no Table can hold it.

    In an array or a Table such cells are an error instead.

    Attributes:
        reason: why the column is left out, in words for users.
        is_inexact: whether it holds whole numbers that float64 does not tell apart.
    """

    reason: str
    is_inexact: bool = False


_INEXACT = Unusable(INEXACT, is_inexact=True)
_LISTS = Unusable("lists or structs, not single values")
_TIMES = "times or durations: give a number of hours or days"

_DATES = DateFormat("ymd", is_long=True)
"""The format of dates that are no texts."""


def _special_content(values: Any) -> DateFormat | Unusable | None:
    """What a column holds if it cannot be used as it is: dates of some format, or cells that no
    Table can hold. The result is None for a column that a Table can hold.

    Args:
        values: an array, a list or a series of any library.
    """
    dtype_kind = getattr(getattr(values, "dtype", None), "kind", None)
    if dtype_kind in ("b", "f"):
        return None
    # This includes pandas: narwhals does not know some of its time zones, nor periods.
    if dtype_kind == "M" or str(getattr(values, "dtype", "")).startswith("period["):
        return _DATES
    if isinstance(values, np.ndarray) and dtype_kind != "O":
        if dtype_kind in ("i", "u") and any_inexact(values):
            return _INEXACT
        return _durations() if dtype_kind == "m" else None
    if isinstance(values, list | tuple | np.ndarray):
        return _content_of_objects(list(values[:N_CELLS]))
    import narwhals as nw

    series = nw.from_native(values, pass_through=True, series_only=True)
    return _content_of_series(series, nw) if isinstance(series, nw.Series) else None


def _durations() -> Unusable:
    return Unusable(_TIMES + worded(", such as column.dt.total_seconds() / 3600"))


def _content_of_series(series: Any, nw: Any) -> DateFormat | Unusable | None:
    """The `_special_content` of a series of narwhals.

    Args:
        series: the series.
        nw: the module narwhals, which is imported on first use.
    """
    if series.dtype in (nw.Date, nw.Datetime):
        return _DATES
    if series.dtype.is_temporal():
        return _durations() if series.dtype == nw.Duration else Unusable(_TIMES)
    if series.dtype.is_nested():
        return _LISTS
    if series.dtype.is_integer():
        cells = series.drop_nulls().to_numpy()
        return _INEXACT if cells.dtype.kind in "iu" and any_inexact(cells) else None
    if series.dtype == nw.String and len(series) > MAX_LEVELS:
        n_levels = series.n_unique()
        if n_levels <= MAX_LEVELS:
            return None
        sample = series.drop_nulls().gather_every(len(series) // N_CELLS).to_list()
        order = infer_date_order(sample)
        if order is None:
            return Unusable(f"{n_levels:,} different texts")
        return DateFormat(order, is_long=order == "ymd")
    if series.dtype == nw.Object:
        return _content_of_objects(series.head(N_CELLS).to_list())
    return None


def _content_of_objects(cells: list[Any]) -> DateFormat | Unusable | None:
    """The `_special_content` of a column of Python objects, as its first cells show it.

    Args:
        cells: the first `N_CELLS` cells of the column.
    """
    present = [cell for cell in cells if not is_missing(cell)]
    if any(map(is_inexact, present)):
        return _INEXACT

    def are_all(*types: type) -> bool:
        return bool(present) and all(isinstance(cell, types) for cell in present)

    if are_all(datetime.date):
        return _DATES
    if are_all(list, tuple, dict, set, np.ndarray):
        return _LISTS
    return Unusable(_TIMES) if are_all(datetime.time, datetime.timedelta) else None
