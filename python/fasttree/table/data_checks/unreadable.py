"""A Table of a frame or file whose columns are still to be inspected.

What
    Dates of a frame become year, month and weekday here, and columns that no Table can hold are
    unused: lists, times of day, whole numbers that float64 does not tell apart, texts of more
    levels than there are codes. All other columns are left to the checks.
Complexity
    O(cells) for whole numbers of 64 bits and for texts of many levels; of objects the first
    thousand cells are looked at.
When not to use it
    For arrays, lists of rows and Tables: their columns are taken as given.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._checks import is_missing
from ..._checks.words import worded
from ..columns import MAX_LEVELS
from ..date_texts import order_of_dates
from ..dates import DateFormat, date_reason, formats_of
from ..kinds import resolve_roles
from ..table import Table
from ..whole import has_inexact, is_inexact
from .findings import kept_columns, screened

INEXACT = "whole numbers beyond 2^53, which float64 does not tell apart, as of an identifier"
"""Why a column of long numbers is unused."""

LOOKED_AT = 1000
"""Cells of a column that are looked at to see whether it holds dates, if no Table can hold it."""


def table_for(X: Any, y: Any, columns: Any, **options: Any) -> Table:
    """The Table that a fit reads: the columns of a frame or file are inspected.

    Args:
        X, y: as in `Table`.
        columns: as in `fasttree.table.data_checks.findings.kept_columns`.
        options: those of `Table`.
    """
    return screened(table_to_inspect(X, y, columns, **options), columns)


def table_to_inspect(X: Any, y: Any = None, columns: Any = "auto", **options: Any) -> Table:
    """A Table of rows; of a frame or mapping one whose columns are still to be inspected, unless
    all are used as given.

    Dates of a frame become year, month and weekday here, and columns of text with more levels than
    a Table can hold are unused: neither could be read otherwise.

    Args:
        X, y: as in `Table`.
        columns: as in `fasttree.table.data_checks.findings.kept_columns`.
        options: those of `Table`.
    """
    cells = None if kept_columns(columns) is None else _frame_cells(X)
    if cells is None:
        table = Table.from_any(X, y, **options)
        if table is not X:
            table.file_cells.warn_of_signs()
        return table
    if isinstance(y, str):
        cells = [(name, column) for name, column in cells if name != y]
    reasons = {name: why for name, column in cells if (why := _reason_of(column)) is not None}
    if INEXACT in reasons.values():  # levels may be any numbers
        names = [name for name, _ in cells]
        roles = resolve_roles(options.get("categorical_features"), len(names), lambda: names)
        each = [roles] * len(names) if isinstance(roles, str) else roles or [None] * len(names)
        levels = {n for n, role in zip(names, each, strict=True) if role == "nominal"}
        reasons = {n: why for n, why in reasons.items() if why != INEXACT or n not in levels}
    dates = formats_of(reasons)
    unused = {name: why for name, why in reasons.items() if name not in dates}
    told = options.pop("dates", {})
    dates = {name: told.get(name) or date_format for name, date_format in dates.items()}
    unused.update(options.pop("unused", {}))
    table = Table.from_any(X, y, unused=unused, dates=dates, **options)
    table.as_given = False
    table.file_cells.warn_of_signs()
    return table


def _frame_cells(X: Any) -> list[tuple[str, Any]] | None:
    """The names and cells of the columns of a frame or mapping; None of other rows."""
    if isinstance(X, Table | list | tuple):
        return None
    if isinstance(X, np.ndarray):
        return [(name, X[name]) for name in X.dtype.names] if X.dtype.names else None
    if isinstance(X, Mapping):
        return [(str(name), cells) for name, cells in X.items()]
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return [(name, cells) for name, cells in X.items() if isinstance(name, str)]
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    return [(name, frame[name]) for name in frame.columns]


def _reason_of(values: Any) -> str | None:
    """Why no Table can hold a column of any library, if so."""
    other = "times or durations: give a number of hours or days"
    duration = other + worded(", such as column.dt.total_seconds() / 3600")
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if kind in ("b", "f"):
        return None
    # Of pandas, too: narwhals knows some of its time zones alone, and no periods.
    if kind == "M" or str(getattr(values, "dtype", "")).startswith("period["):
        return date_reason(DateFormat("ymd"))
    if isinstance(values, np.ndarray) and kind != "O":
        if kind in ("i", "u") and has_inexact(values):
            return INEXACT
        return duration if kind == "m" else None
    if isinstance(values, list | tuple | np.ndarray):
        some = list(values[:LOOKED_AT])
    else:
        import narwhals as nw

        series = nw.from_native(values, pass_through=True, series_only=True)
        if not isinstance(series, nw.Series):
            return None
        if series.dtype in (nw.Date, nw.Datetime):
            return date_reason(DateFormat("ymd"))
        if series.dtype.is_temporal():
            return duration if series.dtype == nw.Duration else other
        if series.dtype.is_nested():
            return "lists or structs, not single values"
        if series.dtype.is_integer():
            cells = series.drop_nulls().to_numpy()
            return INEXACT if cells.dtype.kind in "iu" and has_inexact(cells) else None
        if series.dtype == nw.String and len(series) > MAX_LEVELS:
            n_levels = series.n_unique()
            if n_levels <= MAX_LEVELS:
                return None
            some = series.drop_nulls().gather_every(len(series) // LOOKED_AT).to_list()
            order = order_of_dates(some)
            many = f"{n_levels:,} different texts"
            return many if order is None else date_reason(DateFormat(order))
        if series.dtype != nw.Object:
            return None
        some = series.head(LOOKED_AT).to_list()
    present = [cell for cell in some if not is_missing(cell)]
    if present and all(isinstance(cell, datetime.date) for cell in present):
        return date_reason(DateFormat("ymd"))
    if any(map(is_inexact, present)):
        return INEXACT
    if present and all(
        isinstance(cell, list | tuple | dict | set | np.ndarray) for cell in present
    ):
        return "lists or structs, not single values"
    times = (datetime.time, datetime.timedelta)
    return other if present and all(isinstance(cell, times) for cell in present) else None
