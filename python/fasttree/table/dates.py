"""Dates as columns of numbers: year, month and weekday.

What
    A column of dates, of a temporal type or as text, becomes three numeric columns that come after
    all others. The column itself keeps its place and is unused. Model files hold why a column is
    unused as a text, and nothing else of dates: it says that the column holds dates, in which order
    their text has day, month and year, whether it has the form that SQL reads, and their time zone,
    to which new rows are converted. `date_reason` writes this text, and `format_of` reads it.
Complexity
    That of `parts_of`, in which the library of a frame, or a pattern per level, reads the dates.
When not to use it
    For times of day and durations, which have no year.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks import is_missing, listing, one_of, shown
from .._checks.speech import argument, given, option, worded
from .._checks.warned import warn_caller
from .._checks.words import counted
from .columns import Column, shorten
from .date_parts import PARTS, cells_of, parts_of, temporal, zone_of
from .date_texts import ORDERS, day_of_number, moment_of, order_of_dates, zone_named

DateOrder = str
"""The order of year, month and day in the text of a date, "ymd", "dmy" or "mdy"; a date that is no
text is "ymd". A time zone may follow, to which times of other zones are converted: a name of the
IANA data base, or an offset ("ymd Europe/Berlin", "dmy UTC+02:00")."""

_FIRST = {"ymd": "", "dmy": ", day first", "mdy": ", month first"}
_USED = ": used as year, month and weekday"
_WORDS = re.compile(r"dates(?: in (\S+?))?(, day first|, month first|)(?:, [^:]+)?")
_SQL = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")
"""A text of which every dialect of SQL takes the date."""


class DateFormat(NamedTuple):
    """How a column of dates is read; its text is a `DateOrder`.

    Attributes:
        order: of the texts, one of `ORDERS`.
        zone: the time zone to which times of other zones are converted; empty: none.
        is_local: whether each time is read in its own zone. Else a column without a `zone` gets
            that of its cells.
        is_long: whether the training rows had years of four digits, or no text: then 31-01-24 does
            not begin with a year.

    Examples:
        >>> DateFormat.parse("dmy UTC+02:00")
        DateFormat(order='dmy', zone='UTC+02:00', is_local=False, is_long=False)
        >>> str(DateFormat("ymd"))
        'ymd'
    """

    order: str
    zone: str = ""
    is_local: bool = False
    is_long: bool = False

    @classmethod
    def parse(cls, text: DateOrder) -> DateFormat:
        """The format that a text gives."""
        order, _, zone = text.partition(" ")
        return cls(order, zone)

    def __str__(self) -> str:
        return f"{self.order} {self.zone}".rstrip()


def date_reason(date_format: DateFormat, values: Any = ()) -> str:
    """Why a column of dates is itself unused, from which its format can be read, and whether texts
    among its `values` have another form than SQL reads.

    Examples:
        >>> date_reason(DateFormat("dmy", "UTC"))
        'dates in UTC, day first: used as year, month and weekday'
    """
    order, zone = date_format[:2]
    words = f"dates{zone and f' in {zone}'}{_FIRST[order]}"
    cells = cells_of(values) if words == "dates" and temporal(values) is None else ()
    if any(
        not _SQL.fullmatch(t) and moment_of(t, order) if isinstance(t, str) else day_of_number(t)
        for t in cells
    ):
        words += ", not as 2024-01-31"
    return words + _USED


def words_of_dates(reason: str) -> str:
    """What the reason of a column of dates says of their form: "dates" alone where SQL reads the
    texts as well."""
    return reason.removesuffix(_USED)


def format_of(reason: str) -> DateFormat | None:
    """The format of dates in the reason of an unused column, as `date_reason` writes it; None of
    other reasons.

    Examples:
        >>> str(format_of(date_reason(DateFormat("dmy", "UTC")))), format_of("an identifier")
        ('dmy UTC', None)
    """
    words_found = words_of_dates(reason)
    match = _WORDS.fullmatch(words_found)
    if match is None or not reason.endswith(_USED):
        return None
    order = next(order for order, words in _FIRST.items() if words == match[2])
    return DateFormat(order, match[1] or "", is_long=words_found == "dates")


def part_names(dates: Iterable[str]) -> list[str]:
    """The names of all columns that are made of columns of dates, in their order.

    Examples:
        >>> part_names(["signup"])
        ['signup (year)', 'signup (month)', 'signup (weekday)']
    """
    return [f"{name} ({part})" for name in dates for part in PARTS]


def formats_of(reasons: Mapping[str, str]) -> dict[str, DateFormat]:
    """The columns whose reason is that they hold dates, and the formats of these."""
    formats = {name: format_of(reason) for name, reason in reasons.items()}
    return {name: one for name, one in formats.items() if one is not None}


def for_other_rows(formats: Mapping[str, DateFormat]) -> dict[str, Any]:
    """The formats of dates of training rows for other rows, whose own zone is not looked for: what
    `Table.with_dates` takes beside texts."""
    return {name: one._replace(is_local=not one.zone) for name, one in formats.items()}


def formats_among(names: Sequence[str], unused: Mapping[str, str]) -> dict[str, DateFormat]:
    """The columns of dates of a schema, whose year, month and weekday are its last columns.

    Args:
        names: names of all columns.
        unused: the reasons of the unused ones, by name.
    """
    formats = formats_of(unused)
    columns = set(names) if formats else set()
    formats = {n: one for n, one in formats.items() if columns.issuperset(part_names([n]))}
    parts = part_names(formats)
    return formats if set(names[len(names) - len(parts) :]) == set(parts) else {}


def dates_among(names: Sequence[str], unused: Mapping[str, str]) -> dict[str, DateOrder]:
    """The formats of `formats_among` as texts."""
    return {name: str(one) for name, one in formats_among(names, unused).items()}


def made_of_dates(
    dates: Mapping[str, Any] | Sequence[str], cells_named: Callable[[str], Any]
) -> tuple[list[Column], dict[str, str]]:
    """The columns that are made of columns of dates, and the reasons why these are unused.

    Args:
        dates: their names, with or without their formats: texts (`DateOrder`) or `DateFormat`.
        cells_named: the cells of a column by name: a Column, a list, an array or a series.

    Raises:
        TypeError: no list or mapping of names.
        ValueError: texts that are no dates, or whose day and month cannot be told apart; an unknown
            order or time zone.
    """
    formats = dates if isinstance(dates, Mapping) else {}
    columns, reasons = [], {}
    for name in dates if dates is formats else listing("dates", dates):
        if not isinstance(name, str):
            raise TypeError(f"{given('dates', shown(dates))} must hold names of columns")
        cells = cells_named(name)
        date_format = _format_given(name, formats.get(name), cells)
        columns += date_columns(name, cells, date_format)
        reasons[name] = date_reason(date_format, cells)
    return columns, reasons


def _format_given(name: str, written: Any, cells: Any) -> DateFormat:
    """The format of a column of dates; what is not given of it is found in its cells."""
    if written is None:
        written = DateFormat(_order_in(name, cells))
    elif not isinstance(written, DateFormat):
        order = written.partition(" ")[0] if isinstance(written, str) else written
        one_of(worded(f"dates[{name!r}]", f"--dates {name}"), order, ORDERS)
        written = DateFormat.parse(written)
        _check_any(name, cells, [written.order])
    if written.zone:
        zone_named(written.zone)
    is_whole = written.zone or written.is_local
    return written if is_whole else written._replace(zone=zone_of(cells))


def _order_in(name: str, cells: Any) -> str:
    """The order of the texts of a column; "ymd" of dates that are no texts."""
    if temporal(cells) is not None:
        return "ymd"
    levels = [level for level in dict.fromkeys(cells_of(cells)) if not is_missing(level)]
    if not any(isinstance(level, str) for level in levels):
        _check_any(name, levels, ["ymd"])
        return "ymd"
    order = order_of_dates(levels)
    if order is None:
        _check_any(name, levels, ORDERS)
        raise ValueError(
            f"{option('dates')}: {name!r} holds dates whose day and month cannot be told apart: "
            f"say which order they have, {argument('dates', {name: 'dmy'})}"
        )
    return order


def _check_any(name: str, cells: Any, orders: Sequence[str]) -> None:
    """Refuse a column of the caller's in which no cell is a date in one of some orders."""
    known = [] if temporal(cells) is not None else [c for c in cells_of(cells) if not is_missing(c)]
    if known and all(np.isnan(parts_of(known, order, "")[:, 0]).all() for order in orders):
        what = f"{name!r} holds no dates in the order {' or '.join(orders)}"
        raise ValueError(f"{option('dates')}: {what} ({shorten(known, 3)})")


def date_columns(name: str, values: Any, date_format: DateFormat) -> list[Column]:
    """Year, month and weekday of dates as numeric columns; NaN where there is no date.

    Args:
        name: name of the column of dates.
        values: a Column of text, or dates or texts as a list, an array or a series of any library.
        date_format: of the dates.

    Examples:
        >>> columns = date_columns("t", ["2024-01-31", None], DateFormat("ymd"))
        >>> [column.values.tolist() for column in columns]
        [[2024.0, nan], [1.0, nan], [3.0, nan]]
    """
    if date_format.is_local and zone_of(values):
        warn_caller(
            f"column {name!r}: these dates have a time zone, and none is known of the training "
            "rows: each is read in its own zone",
            UserWarning,
        )
    if not isinstance(values, Column):
        parts = _read(name, values, date_format)
    elif values.kind == "numeric":
        parts = _read(name, np.asarray(values.values).tolist(), date_format)
    else:
        codes = np.unique(np.asarray(values.values))
        of_level = np.full((len(values.levels or ()) + 1, len(PARTS)), np.nan)  # last: missing
        of_level[codes[codes >= 0]] = _read(name, cells_of(values), date_format)
        parts = of_level[values.values]
    columns = zip(part_names([name]), parts.T, strict=True)
    return [Column(part, "numeric", np.ascontiguousarray(cells)) for part, cells in columns]


def _read(name: str, values: Any, date_format: DateFormat) -> np.ndarray:
    """The numbers of cells in their format, shape (n_cells, 3), or in their own order, where these
    are texts that have another one. A warning names the values that are no dates."""
    order, zone = date_format[:2]
    parts = parts_of(values, order, zone)
    if temporal(values) is not None:
        return parts
    cells = cells_of(values)
    if date_format.is_long:
        parts[[isinstance(cell, str) and cell[2:3] in tuple("-/. ") for cell in cells]] = np.nan
    if not np.isnan(parts[:, 0]).any():
        return parts
    read = (cells[row] for row in np.flatnonzero(~np.isnan(parts[:, 0])))
    n_read = len({cell for cell in read if isinstance(cell, str)})
    if own := _own_order(name, cells, order, n_read):
        parts = parts_of(cells, own, zone)
    unread = (cells[row] for row in np.flatnonzero(np.isnan(parts[:, 0])))
    odd = list(dict.fromkeys(cell for cell in unread if not is_missing(cell)))
    if odd:
        warn_caller(
            f"column {name!r}: {counted(len(odd), 'value')} not read as dates, but treated as "
            f"missing: {shorten(odd, 3)}",
            UserWarning,
        )
    return parts


def _own_order(name: str, cells: Sequence[Any], order: str, n_read: int) -> str | None:
    """The order of the texts themselves, where it reads more of them than the `n_read` that `order`
    does; a warning says so if it is another. Else None."""
    texts = list(dict.fromkeys(cell for cell in cells if isinstance(cell, str)))
    own = order_of_dates(texts)
    if own is None or sum(moment_of(text, own) is not None for text in texts) <= n_read:
        return None
    if own == order:
        return own
    places = {"ymd": "the year first", "dmy": "the day first", "mdy": "the month first"}
    warn_caller(
        f"column {name!r}: the dates have {places[own]} ({texts[0]!r}, ...), those of the training "
        f"rows {places[order]}; each is read in its own order",
        UserWarning,
    )
    return own
