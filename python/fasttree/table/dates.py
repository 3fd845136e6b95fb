"""Dates as columns of numbers: year, month and weekday.

What
    A column of dates, of a temporal type or as text, becomes three numeric columns that come after
    all others. The column itself keeps its place and is unused. Model files hold a text on why a
    column is unused, and nothing else about dates. This text says that the column holds dates, in
    which order their text has day, month and year, whether it has the form that SQL reads, and
    their time zone, to which new rows are converted. `date_reason` writes this text,
    `parse_date_reason` reads it. `date_parts` makes numbers of the cells of a column: texts,
    Python's dates, arrays and series; `time_zone_of` finds their time zone.
Complexity
    A text is read once per level by a pattern; series and arrays of a temporal type are converted
    by their library, other cells one by one.
When not to use it
    For times of day and durations, which have no year.
"""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks import as_list, is_missing, one_of, shown
from .._checks.data_warnings import warn_caller
from .._checks.words import argument, counted, given, option, worded
from .columns import Column, shorten
from .date_texts import (
    ORDERS,
    day_of_number,
    infer_date_order,
    is_offset,
    moment_of,
    parse_time_zone,
    time_zone_in,
)
from .sources import to_list

PARTS = ("year", "month", "weekday")
"""The numbers that are made of a date; the weekday is 1 for Monday to 7 for Sunday (ISO 8601). A
month, quarter, half or week of a year is its first day."""


def levels_or_cells(values: Any) -> list[Any]:
    """The different cells of a finished column, or all cells of an array or series, as a list.

    For a nominal `Column` these are its levels that occur, in the order of their codes; for a
    numeric one its numbers without missing ones, ascending. Dates are recognised on this list.
    """
    if not isinstance(values, Column):
        return to_list(values)
    codes = np.unique(np.asarray(values.values))
    if values.kind == "numeric":
        return list(codes[~np.isnan(codes)].tolist())
    return [(values.levels or ())[int(code)] for code in codes if code >= 0]


def time_zone_of(values: Any) -> str:
    """The time zone that all times of a column have; UTC if they have several zones, "" if none.

    Days, and times without a zone beside times with one, are taken to be in that zone.

    Examples:
        >>> time_zone_of(["2024-01-31T10:00+01:00", None]), time_zone_of(["2024-01-31 10:00"])
        ('UTC+01:00', '')
    """
    if (series := temporal(values)) is not None:
        zone_name = _pandas_zone(series)
        name = getattr(series.dtype, "time_zone", None) if zone_name is None else str(zone_name)
        try:
            if name is None or parse_time_zone(name):
                return name or ""
        except ValueError:  # a zone of dateutil, say: by the cells
            pass
    names = set()
    for cell in levels_or_cells(values):
        is_time = isinstance(cell, datetime.datetime)
        zone = time_zone_in(cell) if isinstance(cell, str) else cell.tzinfo if is_time else None
        if zone is not None:
            zone_name = getattr(zone, "key", None) or getattr(zone, "zone", None)
            offset = zone.utcoffset(cell if is_time else None) or datetime.timedelta()
            names.add(zone_name or str(datetime.timezone(offset)))
    return "" if not names else names.pop() if len(names) == 1 else "UTC"


def _pandas_zone(values: Any) -> Any:
    """The time zone of a pandas series; narwhals knows only some of these."""
    return getattr(getattr(values, "dtype", None), "tz", None)


def temporal(values: Any) -> Any:
    """A column of a temporal type, otherwise None: an array or a pandas series with a time zone as
    it is, any other series as one of narwhals."""
    if isinstance(values, np.ndarray):
        return values if values.dtype.kind == "M" else None
    if str(getattr(values, "dtype", "")).startswith("period["):  # of pandas
        values = values.dt.to_timestamp()
    if _pandas_zone(values) is not None:
        return values
    import narwhals as nw

    series = nw.from_native(values, pass_through=True, series_only=True)
    is_date = isinstance(series, nw.Series) and series.dtype in (nw.Date, nw.Datetime)
    return series if is_date else None


def date_parts(values: Any, order: str, zone: str) -> np.ndarray:
    """Year, month and weekday of dates, NaN where there is none.

    Equal texts are read once. The weekday is 1 for Monday to 7 for Sunday.

    Args:
        values: dates or texts as a list, an array or a series of any library.
        order: the order of year, month and day in texts.
        zone: the time zone that times are converted to; "": each stays in its own zone.

    Returns:
        float64, shape (n_cells, 3).
    """
    if _pandas_zone(values) is not None:
        values = (values.dt.tz_convert(parse_time_zone(zone)) if zone else values).dt.tz_localize(
            None
        )
    series = temporal(values)
    if series is None:
        return _parts_of_cells(to_list(values), order, zone)
    if isinstance(series, np.ndarray):
        return _parts_of_array(series)
    import narwhals as nw

    if zone and getattr(series.dtype, "time_zone", None) not in (None, zone):
        if zone != "UTC" and is_offset(zone):  # which Polars does not know
            offset = parse_time_zone(zone).utcoffset(None)
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) + offset
        else:
            series = series.dt.convert_time_zone(zone)
    parts = (series.dt.year(), series.dt.month(), series.dt.weekday())
    return np.column_stack([part.cast(nw.Float64).to_numpy() for part in parts])


def _parts_of_array(times: np.ndarray) -> np.ndarray:
    """`date_parts` of a datetime64 array."""
    days = times.astype("datetime64[D]")
    months = days.astype("datetime64[M]").astype(np.int64)
    weekdays = 1 + (days.astype(np.int64) + 3) % 7
    parts = np.column_stack([1970 + months // 12, 1 + months % 12, weekdays]).astype(np.float64)
    parts[np.isnat(days)] = np.nan
    return parts


def _parts_of_cells(cells: list[Any], order: str, zone: str) -> np.ndarray:
    """`date_parts` of a list of cells; equal texts are read once."""

    def parts(cell: Any) -> tuple[float, ...]:
        day = cell if isinstance(cell, datetime.date) else day_of_number(cell)
        if day is None or is_missing(day):
            return (np.nan,) * len(PARTS)
        if zone and isinstance(day, datetime.datetime) and day.utcoffset() is not None:
            with contextlib.suppress(OverflowError):  # the last day of the calendar stays
                day = day.astimezone(parse_time_zone(zone))
        return day.year, day.month, day.isoweekday()

    texts = {cell for cell in cells if isinstance(cell, str)}
    of_text = {text: parts(getattr(moment_of(text, order), "at", None)) for text in texts}
    rows = [of_text[cell] if isinstance(cell, str) else parts(cell) for cell in cells]
    return np.array(rows, np.float64).reshape(-1, len(PARTS))


DateOrder = str
"""The order of year, month and day in the text of a date, "ymd", "dmy" or "mdy"; a date that is no
text is "ymd". A time zone may follow, to which times of other zones are converted: a name of the
IANA data base, or an offset ("ymd Europe/Berlin", "dmy UTC+02:00")."""

_FIRST = {"ymd": "", "dmy": ", day first", "mdy": ", month first"}
_USED = ": used as year, month and weekday"
_WORDS = re.compile(r"dates(?: in (\S+?))?(, day first|, month first|)(?:, [^:]+)?")
_SQL = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")
"""A text that every dialect of SQL reads as a date."""


class DateFormat(NamedTuple):
    """How a column of dates is read; its text is a `DateOrder`.

    Attributes:
        order: of the texts, one of `ORDERS`.
        zone: the time zone to which times of other zones are converted; empty: none.
        is_local: whether each time is read in its own zone. Else a column without a `zone` gets the
            zone of its cells.
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
        """The format that a text such as ``"dmy"`` or ``"ymd Europe/Berlin"`` gives: an order, and
        after a space the time zone. It is the inverse of ``str``, and checks neither part."""
        order, _, zone = text.partition(" ")
        return cls(order, zone)

    def __str__(self) -> str:
        return f"{self.order} {self.zone}".rstrip()


def date_reason(date_format: DateFormat, values: Any = ()) -> str:
    """The reason why a column of dates is itself unused, from which `parse_date_reason` reads the
    format.

    It also says whether texts among the `values` have another form than SQL reads.

    Examples:
        >>> date_reason(DateFormat("dmy", "UTC"))
        'dates in UTC, day first: used as year, month and weekday'
    """
    order, zone = date_format[:2]
    words = f"dates{zone and f' in {zone}'}{_FIRST[order]}"
    cells = levels_or_cells(values) if words == "dates" and temporal(values) is None else ()
    if any(
        not _SQL.fullmatch(t) and moment_of(t, order) if isinstance(t, str) else day_of_number(t)
        for t in cells
    ):
        words += ", not as 2024-01-31"
    return words + _USED


def form_of_dates(reason: str) -> str:
    """The form of dates that the reason of a column of dates states: "dates" alone if SQL reads the
    texts as well."""
    return reason.removesuffix(_USED)


def parse_date_reason(reason: str) -> DateFormat | None:
    """The format of dates in the reason of an unused column, as `date_reason` writes it; None if
    the column is unused for another reason.

    Examples:
        >>> str(parse_date_reason(date_reason(DateFormat("dmy", "UTC"))))
        'dmy UTC'
        >>> parse_date_reason("an identifier") is None
        True
    """
    words_found = form_of_dates(reason)
    match = _WORDS.fullmatch(words_found)
    if match is None or not reason.endswith(_USED):
        return None
    order = next(order for order, words in _FIRST.items() if words == match[2])
    return DateFormat(order, match[1] or "", is_long=words_found == "dates")


def part_names(dates: Iterable[str]) -> list[str]:
    """The names of the columns that are made of columns of dates.

    They are in the order of `PARTS`, for one column of dates after the other, which is also the
    order of the columns in a Table.

    Examples:
        >>> part_names(["signup"])
        ['signup (year)', 'signup (month)', 'signup (weekday)']
    """
    return [f"{name} ({part})" for name in dates for part in PARTS]


def parse_date_reasons(reasons: Mapping[str, str]) -> dict[str, DateFormat]:
    """The formats of the columns that are unused because they hold dates, by name.

    `reasons` are the texts in ``Table.unused``, from which the formats are read, as model files
    hold nothing else on dates. Columns that are unused for another reason are left out.
    """
    formats = {name: parse_date_reason(reason) for name, reason in reasons.items()}
    return {name: one for name, one in formats.items() if one is not None}


def formats_for_new_rows(formats: Mapping[str, DateFormat]) -> dict[str, Any]:
    """The formats by which new rows are read: without a time zone in the training rows, each time
    is read in its own zone."""
    return {name: one._replace(is_local=not one.zone) for name, one in formats.items()}


def date_formats(names: Sequence[str], unused: Mapping[str, str]) -> dict[str, DateFormat]:
    """The formats of the columns of dates of a schema whose last columns are their year, month and
    weekday.

    Args:
        names: names of all columns.
        unused: the reasons of the unused ones, by name.
    """
    formats = parse_date_reasons(unused)
    columns = set(names) if formats else set()
    formats = {n: one for n, one in formats.items() if columns.issuperset(part_names([n]))}
    parts = part_names(formats)
    return formats if set(names[len(names) - len(parts) :]) == set(parts) else {}


def date_orders(names: Sequence[str], unused: Mapping[str, str]) -> dict[str, DateOrder]:
    """The date formats of the columns of dates as texts, such as ``"dmy Europe/Berlin"``, by name.
    See `date_formats` for which columns these are; the parameter `dates` of `Table` reads such
    texts."""
    return {name: str(one) for name, one in date_formats(names, unused).items()}


def date_features(
    dates: Mapping[str, Any] | Sequence[str], cells_named: Callable[[str], Any]
) -> tuple[list[Column], dict[str, str]]:
    """Year, month and weekday of columns of dates as columns, and the reasons why the columns of
    dates are unused.

    Args:
        dates: names of the columns, or a mapping from these to formats: `DateOrder` or
            `DateFormat`.
        cells_named: gives the cells of a column by its name: a Column, a list, an array or a
            series.

    Raises:
        TypeError: no list or mapping of names.
        ValueError: texts that are no dates, or whose day and month cannot be told apart; an unknown
            order or time zone.
    """
    formats = dates if isinstance(dates, Mapping) else {}
    columns, reasons = [], {}
    for name in dates if dates is formats else as_list("dates", dates):
        if not isinstance(name, str):
            raise TypeError(f"{given('dates', shown(dates))} must hold names of columns")
        cells = cells_named(name)
        date_format = _format_given(name, formats.get(name), cells)
        columns += date_part_columns(name, cells, date_format)
        reasons[name] = date_reason(date_format, cells)
    return columns, reasons


def _format_given(name: str, written: Any, cells: Any) -> DateFormat:
    """The format of a column of dates; the cells tell what is not given."""
    if written is None:
        written = DateFormat(_order_in(name, cells))
    elif not isinstance(written, DateFormat):
        order = written.partition(" ")[0] if isinstance(written, str) else written
        one_of(worded(f"dates[{name!r}]", f"--dates {name}"), order, ORDERS)
        written = DateFormat.parse(written)
        _check_any(name, cells, [written.order])
    if written.zone:
        parse_time_zone(written.zone)
    is_whole = written.zone or written.is_local
    return written if is_whole else written._replace(zone=time_zone_of(cells))


def _order_in(name: str, cells: Any) -> str:
    """The order of year, month and day in the texts of a column; "ymd" of dates that are no
    texts."""
    if temporal(cells) is not None:
        return "ymd"
    levels = [level for level in dict.fromkeys(levels_or_cells(cells)) if not is_missing(level)]
    if not any(isinstance(level, str) for level in levels):
        _check_any(name, levels, ["ymd"])
        return "ymd"
    order = infer_date_order(levels)
    if order is None:
        _check_any(name, levels, ORDERS)
        raise ValueError(
            f"{option('dates')}: {name!r} holds dates whose day and month cannot be told apart: "
            f"say which order they have, {argument('dates', {name: 'dmy'})}"
        )
    return order


def _check_any(name: str, cells: Any, orders: Sequence[str]) -> None:
    """Refuse a column in which no cell is a date in one of some orders."""
    known = (
        []
        if temporal(cells) is not None
        else [c for c in levels_or_cells(cells) if not is_missing(c)]
    )
    if known and all(np.isnan(date_parts(known, order, "")[:, 0]).all() for order in orders):
        what = f"{name!r} holds no dates in the order {' or '.join(orders)}"
        raise ValueError(f"{option('dates')}: {what} ({shorten(known, 3)})")


def date_part_columns(name: str, values: Any, date_format: DateFormat) -> list[Column]:
    """Year, month and weekday of dates as numeric columns; NaN where there is no date.

    Args:
        name: name of the column of dates.
        values: a Column of text, or dates or texts as a list, an array or a series of any library.
        date_format: the format of the dates.

    Examples:
        >>> columns = date_part_columns("t", ["2024-01-31", None], DateFormat("ymd"))
        >>> [column.values.tolist() for column in columns]
        [[2024.0, nan], [1.0, nan], [3.0, nan]]
    """
    if date_format.is_local and time_zone_of(values):
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
        of_level[codes[codes >= 0]] = _read(name, levels_or_cells(values), date_format)
        parts = of_level[values.values]
    columns = zip(part_names([name]), parts.T, strict=True)
    return [Column(part, "numeric", np.ascontiguousarray(cells)) for part, cells in columns]


def _read(name: str, values: Any, date_format: DateFormat) -> np.ndarray:
    """Year, month and weekday of cells in a format, or in the order of the texts themselves if that
    is another one; shape (n_cells, 3). A warning names the values that are no dates."""
    order, zone = date_format[:2]
    parts = date_parts(values, order, zone)
    if temporal(values) is not None:
        return parts
    cells = levels_or_cells(values)
    if date_format.is_long:
        parts[[isinstance(cell, str) and cell[2:3] in tuple("-/. ") for cell in cells]] = np.nan
    if not np.isnan(parts[:, 0]).any():
        return parts
    read = (cells[row] for row in np.flatnonzero(~np.isnan(parts[:, 0])))
    n_read = len({cell for cell in read if isinstance(cell, str)})
    if own := _own_order(name, cells, order, n_read):
        parts = date_parts(cells, own, zone)
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
    """The order that the texts themselves show, with a warning if it is not `order`; None if it
    reads no more of them than the `n_read` that `order` reads."""
    texts = list(dict.fromkeys(cell for cell in cells if isinstance(cell, str)))
    own = infer_date_order(texts)
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
