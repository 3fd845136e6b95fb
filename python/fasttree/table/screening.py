"""Columns of a frame or file that no tree should split on as they are: one treatment for all.

What
    `fit`, cross-validation, scores and `advise` leave identifiers, free text and constants out,
    and make year, month and weekday of dates, unless ``columns="as_given"``. `table_to_screen`
    makes a Table of a frame without what no Table can hold; `reasons_of` finds what is to be done
    on the rows of a fit (`traps`), and `treated` does it. The reasons are kept in `Table.unused`,
    from where models take them.
Complexity
    That of `suspicions`.
When not to use it
    For arrays, lists of rows and Tables: their columns are taken as given.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._checks import is_missing, one_of, shown
from .._checks.speech import argument
from .columns import MAX_LEVELS
from .dates import as_said, date_reason, dates_of, order_of_dates, part_names
from .doubtful import warn_of_columns, warn_of_hints
from .inputs import without_column
from .rebuild import is_frame
from .roles import resolve_roles
from .sources import check_known, names_of
from .suspects import suspicions
from .table import Table
from .traps import is_constant
from .whole import has_inexact, is_inexact

__all__ = [
    "all_as_given",
    "kept_columns",
    "of_folds",
    "reasons_of",
    "screened",
    "table_to_screen",
    "treated",
]

INEXACT = "whole numbers beyond 2^53, which float64 does not tell apart, as of an identifier"
"""Why a column of long numbers is unused."""

WORDS = ("auto", "as_given")
"""The words of the parameter `columns`."""

LOOKED_AT = 1000
"""Cells of a column that are looked at to see whether it holds dates, if no Table can hold it."""


def kept_columns(columns: Any) -> list[str] | None:
    """The names of the columns that are used as they are; None: all.

    Args:
        columns: ``"auto"``, ``"as_given"``, or a mapping from names of columns to these words.

    Raises:
        ValueError: another value.

    Examples:
        >>> kept_columns("auto"), kept_columns("as_given"), kept_columns({"year": "as_given"})
        ([], None, ['year'])
    """
    if isinstance(columns, Mapping):
        for name, word in columns.items():
            one_of(f"columns[{shown(name)}]", word, WORDS)
        return [str(name) for name, word in columns.items() if word == "as_given"]
    return [] if one_of("columns", columns, WORDS) == "auto" else None


def all_as_given(params: Mapping[str, Any]) -> bool:
    """Whether parameters of a tree say that all columns are used as they are."""
    return kept_columns(params.get("columns", "auto")) is None


def table_to_screen(X: Any, y: Any = None, **options: Any) -> Table:
    """A Table of rows; of a frame or mapping one whose columns are still to be screened.

    Dates of a frame become year, month and weekday here, and columns of text with more levels than
    a Table can hold are unused: neither could be read otherwise.

    Args:
        X, y: as in `Table`.
        options: those of `Table`.
    """
    if isinstance(y, str):
        X, y = without_column(X, y)
    if isinstance(X, Table) or (names_of(X) is None and not is_frame(X)):
        return Table.from_any(X, y, **options)
    found = dict(_unreadable(X))
    if INEXACT in found.values():  # levels may be any numbers
        names = [str(name) for name in names_of(X) or ()]
        roles = resolve_roles(options.get("categorical_features"), len(names), lambda: names)
        each = [roles] * len(names) if isinstance(roles, str) else roles or [None] * len(names)
        levels = {n for n, role in zip(names, each, strict=True) if role == "nominal"}
        found = {n: why for n, why in found.items() if why != INEXACT or n not in levels}
    dates = dates_of(found)
    unused = {name: why for name, why in found.items() if name not in dates}
    told = options.pop("dates", {})
    dates = {name: told.get(name, order) for name, order in dates.items()}
    table = Table.from_any(
        X, y, unused={**unused, **options.pop("unused", {})}, dates=dates, **options
    )
    table.as_given = False
    return table


def _unreadable(X: Any) -> Iterator[tuple[str, str]]:
    """(column, reason) of the columns of a frame that no Table can hold."""
    cells: Iterable[tuple[Any, Any]]
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        kinds = {dtype.kind if isinstance(dtype, np.dtype) else "?" for dtype in X.dtypes}
        if kinds <= set("fiub"):
            X = X.loc[:, [dtype.kind in "iu" and dtype.itemsize == 8 for dtype in X.dtypes]]
            if not X.size or not has_inexact(X.to_numpy()):
                return
        cells = ((name, X.iloc[:, j]) for j, name in enumerate(X.columns))
    elif isinstance(X, Mapping):
        cells = X.items()
    elif isinstance(X, np.ndarray):
        cells = ((name, X[name]) for name in names_of(X) or ())
    else:
        import narwhals as nw

        frame = nw.from_native(X, pass_through=True)
        if not isinstance(frame, nw.DataFrame) or len(frame) == 0:
            return
        cells = ((name, frame[name]) for name in frame.columns)
    for name, values in cells:
        if isinstance(name, str) and (reason := _reason_of(values)) is not None:
            yield name, reason


def _reason_of(values: Any) -> str | None:
    """Why no Table can hold a column of any library, if so."""
    other = "times or durations: give a number of hours or days"
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        if values.dtype.kind in "iu" and has_inexact(values):
            return INEXACT
        return {"M": date_reason("ymd"), "m": other}.get(values.dtype.kind)
    if isinstance(values, list | tuple | np.ndarray):
        some = list(values[:LOOKED_AT])
    else:
        import narwhals as nw

        series = nw.from_native(values, pass_through=True, series_only=True)
        if not isinstance(series, nw.Series):
            return None
        if series.dtype in (nw.Date, nw.Datetime):
            return date_reason("ymd")
        if series.dtype.is_temporal():
            return other
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
            return f"{n_levels:,} different texts" if order is None else date_reason(order)
        if series.dtype != nw.Object:
            return None
        some = series.head(LOOKED_AT).to_list()
    known = [cell for cell in some if not is_missing(cell)]
    if known and all(isinstance(cell, datetime.date) for cell in known):
        return date_reason("ymd")
    if any(map(is_inexact, known)):
        return INEXACT
    if known and all(isinstance(cell, list | tuple | dict | set | np.ndarray) for cell in known):
        return "lists or structs, not single values"
    times = (datetime.time, datetime.timedelta)
    return other if known and all(isinstance(cell, times) for cell in known) else None


def reasons_of(
    table: Table, keep: Collection[str] = (), rows: np.ndarray | None = None
) -> dict[str, str]:
    """What is to be done with the columns in use, by their content: the reason by name.

    Args:
        table: rows.
        keep: columns that are used as they are.
        rows: numbers of the rows of a fit; None: all.
    """
    passed_over = {*keep, *part_names(table.dates)}
    found = {name: why for name, why in suspicions(table, rows) if name not in passed_over}
    if not table.has_feature_names:
        return {name: "dates" if dates_of({name: why}) else why for name, why in found.items()}
    taken = set(table.feature_names)
    for name in dates_of(found):
        if not taken.isdisjoint(part_names([name])):
            found[name] = "dates whose year, month or weekday is a column already"
    return found


def treated(table: Table, reasons: Mapping[str, str]) -> Table:
    """The Table with year, month and weekday of dates, and without the use of other columns."""
    dates = dates_of(reasons)
    others = {name: why for name, why in reasons.items() if name not in dates}
    # The reasons are of the training rows, and so is what they say of a time zone.
    made = table.with_dates(as_said(dates)).with_unused(others)
    if not made.as_given:
        made = made.take(slice(None))  # a Table of its own
        made.as_given = True
    return made


def screened(table: Table, columns: Any = "auto") -> Table:
    """The Table that a fit reads, which says in one line what was done with its columns.

    Args:
        table: rows; those with ``as_given`` are returned unchanged.
        columns: as in `kept_columns`.

    Raises:
        ValueError: a column that is to be used as it is, but can't, or that is none; or no column
            can be used.
    """
    keep = kept_columns(columns)
    if table.as_given or keep is None:
        return table
    check_known(keep, table.feature_names, "columns")
    for name in table.unused.keys() & keep:
        raise ValueError(
            f"{argument('columns', {name: 'as_given'})}: columns of numbers or levels can be used "
            f"as they are, and {name!r} is none ({table.unused[name]})"
        )
    if len(table.unused) == table.n_features > 0:
        name, why = next(iter(table.unused.items()))
        raise ValueError(f"no column can be split on, such as {name!r} ({why}): give others")
    reasons = reasons_of(table, keep)
    usable = is_any_left(table, reasons)
    warn_of_columns({**table.unused, **reasons}, none_left=not usable)
    warn_of_hints(table, reasons)
    return treated(table, reasons if usable else {})


def is_any_left(table: Table, reasons: Mapping[str, str]) -> bool:
    """Whether a column is left to split on; a fit uses all where none would be."""
    return bool(dates_of(reasons)) or len(table.unused.keys() | reasons) < table.n_features


def of_folds(
    table: Table, columns: Any, folds: Iterable[np.ndarray]
) -> list[tuple[dict[str, str], list[int]]]:
    """What is to be done for the training rows of each fold: reasons, and the numbers of the folds
    for which it is the same.

    Columns of one value are none of them: no tree can split on these.

    Args:
        table: rows.
        columns: as in `kept_columns`.
        folds: training rows of each fold.
    """
    keep = kept_columns(columns)
    found: dict[Any, tuple[dict[str, str], list[int]]] = {}
    for number, rows in enumerate(folds):
        reasons = {} if keep is None else reasons_of(table, keep, rows)
        doing = {name: why for name, why in reasons.items() if not is_constant(why)}
        if not is_any_left(table, reasons):
            doing = {}
        key = (tuple(doing), tuple(dates_of(doing).items()))
        found.setdefault(key, (doing, []))[1].append(number)
    return list(found.values())
