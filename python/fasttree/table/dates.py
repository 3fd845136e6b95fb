"""Dates as columns of numbers: year, month and weekday.

What
    A column of dates, of a temporal type or as text, becomes three numeric columns that come after
    all others. The column itself keeps its place and is unused. Model files hold why a column is
    unused as a text, and nothing else of dates: it says that the column holds dates, in which order
    their text has day, month and year, whether it has the form that SQL reads, and their time zone,
    to which new rows are converted. `date_reason` writes this text, and `DatesRead.of` reads it.
Complexity
    A text is read once per level; other cells one by one, or by the library of their frame.
When not to use it
    For times of day and durations, which have no year.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import re
import zoneinfo
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from .._checks import is_missing, listing, one_of, shown
from .._checks.warned import warn_caller
from .._checks.words import counted
from .columns import Column, shorten
from .sources import listed

DateOrder = str
"""The order of year, month and day in the text of a date, "ymd", "dmy" or "mdy"; a date that is no
text is "ymd". A time zone may follow, to which times of other zones are converted: a name of the
IANA data base, or an offset ("ymd Europe/Berlin", "dmy UTC+02:00")."""

LOCAL = " local"
"""In the place of a zone: nothing is converted."""

PARTS = ("year", "month", "weekday")
"""The numbers that are made of a date; the weekday is 1 for Monday to 7 for Sunday (ISO 8601)."""

_ORDERS = {"ymd": "", "dmy": ", day first", "mdy": ", month first"}
_USED = ": used as year, month and weekday"
_READ = re.compile(r"dates(?: in (\S+?))?(, day first|, month first|)(?:, [^:]+)?")
_SQL = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")
"""A text of which every dialect of SQL takes the date."""

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_TIME = re.compile(r"(\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?(?: ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?")
_ZONE_AT_END = re.compile(r":\d{2}(?:[.,]\d+)? ?(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)\s*$")
_OFFSET = re.compile(r"(?:UTC|GMT|Z)?(?:([+-]\d{2}):?(\d{2})?)?")
_NUMBERS = re.compile(r"\s*(\d{1,4})[-/. ](\d{1,2}|[a-z]{3,9}\.?)[-/. ,]+(\d{1,4})(?![\d.,])", re.I)
_MONTH_FIRST = re.compile(r"\s*([a-z]{3,9})\.?\s+(\d{1,2}),?\s+(?=\d{4})", re.I)

CENTURY = 69
"""Years of two digits from here on are of the last century, as POSIX has it."""


def date_reason(order: DateOrder, values: Any = ()) -> str:
    """Why a column of dates is itself unused, from which its order can be read, and whether texts
    among its `values` have another form than SQL reads."""
    order, _, zone = order.removesuffix(LOCAL).partition(" ")
    said = f"dates{zone and f' in {zone}'}{_ORDERS[order]}"
    cells = _cells_of(values) if said == "dates" and _temporal(values) is None else ()
    if any(isinstance(t, str) and not _SQL.fullmatch(t) and _date_of(t, order) for t in cells):
        said += ", not as 2024-01-31"
    return said + _USED


class DatesRead(NamedTuple):
    """How a column of dates is read.

    Attributes:
        order: the order of its text, and its time zone.
        words: the same in words; "dates" alone where SQL reads the texts as well.

    Examples:
        >>> DatesRead.of(date_reason("dmy UTC")), DatesRead.of("an identifier")
        (DatesRead(order='dmy UTC', words='dates in UTC, day first'), None)
    """

    order: DateOrder
    words: str

    @classmethod
    def of(cls, reason: str) -> DatesRead | None:
        """What the reason of an unused column, as `date_reason` writes it, says; None of others."""
        words = reason.removesuffix(_USED)
        if words == reason or (found := _READ.fullmatch(words)) is None:
            return None
        order = next(order for order, said in _ORDERS.items() if said == found[2])
        return cls(f"{order} {found[1] or ''}".rstrip(), words)


def part_names(dates: Iterable[str]) -> list[str]:
    """The names of all columns that are made of columns of dates, in their order.

    Examples:
        >>> part_names(["signup"])
        ['signup (year)', 'signup (month)', 'signup (weekday)']
    """
    return [f"{name} ({part})" for name in dates for part in PARTS]


def dates_of(reasons: Mapping[str, str]) -> dict[str, DateOrder]:
    """The columns whose reason is that they hold dates, and the order and zone of these."""
    found = {name: DatesRead.of(why) for name, why in reasons.items()}
    return {name: read.order for name, read in found.items() if read}


def as_said(dates: Mapping[str, DateOrder]) -> dict[str, DateOrder]:
    """The orders of dates of training rows for other rows: no zone is looked for in these."""
    return {name: order if " " in order else order + LOCAL for name, order in dates.items()}


def dates_among(names: Sequence[str], unused: Mapping[str, str]) -> dict[str, DateOrder]:
    """The columns of dates of a schema, whose year, month and weekday are its last columns.

    Args:
        names: names of all columns.
        unused: the reasons of the unused ones, by name.
    """
    found = dates_of(unused)
    known = set(names) if found else set()
    found = {n: order for n, order in found.items() if known.issuperset(part_names([n]))}
    parts = part_names(found)
    return found if set(names[len(names) - len(parts) :]) == set(parts) else {}


def _parts_in(text: str) -> re.Match[str] | None:
    """The three parts of a date in their order, a month's name behind its day."""
    if text.lstrip()[:1].isalpha():
        text = _MONTH_FIRST.sub(r"\2 \1 ", text)
    return _NUMBERS.match(text)


def _date_of(text: str, order: DateOrder) -> datetime.date | None:
    """The day that a text names; None where it names none in this order."""
    return _date_in(_parts_in(text), text, order)


def _date_in(found: re.Match[str] | None, text: str, order: DateOrder) -> datetime.date | None:
    """The day that the parts of a date name in an order."""
    if found is None:
        return None
    first, second, third = found.groups()
    if len(first) == 4:
        year, month, day = first, second, third
    elif second.isdigit() and order == "ymd":
        return None
    elif second.isdigit():
        day, month, year = (first, second, third) if order == "dmy" else (second, first, third)
    else:
        day, month, year = first, second, third
    if len(year) not in (2, 4) or len(day) > 2:
        return None
    if len(year) == 2:
        if "." in text and len(first) + len(second) < 4:
            return None  # 1.2.24 is a version rather
        year = str(int(year) + (1900 if int(year) >= CENTURY else 2000))
    if not month.isdigit():
        name = month[:3].lower()
        month = str(_MONTHS.index(name) + 1) if name in _MONTHS else "0"
    try:
        return datetime.date(int(year), int(month), int(day))
    except ValueError:
        return None


def _day_and_time(text: str, order: DateOrder) -> tuple[datetime.date | None, str]:
    """The day that a text names, and what follows it."""
    match = _parts_in(text)
    rest = match.string[match.end() :].strip() if match is not None else ""
    return _date_in(match, text, order), rest.removeprefix("T")


@functools.lru_cache(64)
def _zone(name: str) -> datetime.tzinfo:
    """The time zone of a name of the IANA data base or of an offset.

    Raises:
        ValueError: an unknown one.
    """
    offset = _OFFSET.fullmatch(name)
    try:
        if offset is None:
            return zoneinfo.ZoneInfo(name)
        moment = datetime.datetime.strptime(f"{offset[1] or '+00'}{offset[2] or '00'}", "%z")
        return moment.tzinfo or datetime.timezone.utc
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(
            f"dates: the time zone {name!r} is not known here; give an offset such as UTC+02:00, "
            "or a name of the IANA data base (where the system has none: pip install tzdata)"
        ) from error


def _moment(cell: Any, order: DateOrder) -> datetime.date | None:
    """The day of a cell; with its time where that has a zone. None where it is no date."""
    if not isinstance(cell, str):
        return cell if isinstance(cell, datetime.date) else None
    day, rest = _day_and_time(cell, order)
    time = _TIME.fullmatch(rest)
    if day is None or time is None or time[2] is None:
        return day
    try:
        clock = datetime.time.fromisoformat(time[1])
        return datetime.datetime.combine(day, clock, _zone(time[2]))
    except ValueError:  # 24:00, +25:00
        return day


def _cells_of(values: Any) -> list[Any]:
    """The cells of a column; of a Column its levels that occur."""
    if not isinstance(values, Column):
        return listed(values)
    codes = np.unique(np.asarray(values.values)) if values.kind == "nominal" else ()
    return [(values.levels or ())[int(code)] for code in codes if code >= 0]


def _has_zone(moment: datetime.date | None) -> TypeGuard[datetime.datetime]:
    return isinstance(moment, datetime.datetime) and moment.utcoffset() is not None


def zone_of(values: Any) -> str:
    """The time zone of a column of dates, as it stands behind their order (" UTC"): the one that
    all times have; UTC if they have several; empty without any. Days, and times without a zone
    beside others, are taken to be in that zone.

    Examples:
        >>> zone_of(["2024-01-31T10:00+01:00", None]), zone_of(["2024-01-31 10:00"])
        (' UTC+01:00', '')
    """
    if (cells := _temporal(values)) is not None:
        own = _pandas_zone(cells)
        name = getattr(cells.dtype, "time_zone", None) if own is None else str(own)
        try:
            if name is None or _zone(name):
                return f" {name}" if name else ""
        except ValueError:  # a zone of dateutil, say: by the cells
            pass
    names = set()
    for cell in _cells_of(values):
        if isinstance(cell, str) and not _ZONE_AT_END.search(cell):
            continue
        # The zone of a text does not depend on the order of day and month: one of them reads it.
        for moment in map(_moment, [cell] * len(_ORDERS), _ORDERS):
            if _has_zone(moment):
                own = getattr(moment.tzinfo, "key", None) or getattr(moment.tzinfo, "zone", None)
                names.add(own or str(datetime.timezone(moment.utcoffset() or datetime.timedelta())))
                break
    return "" if not names else f" {names.pop()}" if len(names) == 1 else " UTC"


def instants_of(texts: Iterable[str], order: DateOrder) -> list[tuple[datetime.date, str] | None]:
    """What sorts dates by time: the day of each text, with its time of day as text; None where it
    names no day in this order. Times of one length are in order; those with an offset are in UTC.

    Examples:
        >>> instants_of(["04.03.2024 12:30", "5.3.2024", "soon"], "dmy")
        [(datetime.date(2024, 3, 4), '12:30'), (datetime.date(2024, 3, 5), ''), None]
    """
    found: list[tuple[datetime.date, str] | None] = []
    for text in texts:
        day, time = _day_and_time(text, order)
        known = not time or _TIME.fullmatch(time) is not None
        moment = _moment(text, order)
        if _has_zone(moment):
            moment = moment.astimezone(datetime.timezone.utc)
            day, time = moment.date(), f"{moment:%H:%M:%S}Z"
        found.append((day, time) if known and day is not None else None)
    return found


def order_of_dates(levels: Sequence[Any]) -> DateOrder | None:
    """The order in which texts have day, month and year; None where they are no dates, or where day
    and month cannot be told apart.

    Examples:
        >>> order_of_dates(["2024-01-31", "2024-02-01 12:30"]), order_of_dates(["31.1.2024"])
        ('ymd', 'dmy')
        >>> order_of_dates(["1/2/2024", "12/31/2024"]), order_of_dates(["1/2/2024", "3/4/2024"])
        ('mdy', None)
    """
    texts = [text for text in levels if isinstance(text, str)]
    found = [_parts_in(text) for text in texts]
    days = {
        order: [_date_in(parts, text, order) for parts, text in zip(found, texts, strict=True)]
        for order in _ORDERS
    }
    known = {order: sum(day is not None for day in some) for order, some in days.items()}
    most = max(known.values())
    if not texts or most < 0.95 * len(texts):
        return None
    best = [order for order in _ORDERS if known[order] == most]
    if len({tuple(days[order]) for order in best}) == 1:
        return best[0]
    # Dates with points have the day first; other marks say it only by a number above 12.
    return "dmy" if all("." in text for text in texts) else None


def _warn_of_other_texts(name: str, cells: Sequence[Any], parts: np.ndarray) -> None:
    """Warn of cells that have a value, but no date in the order of the column."""
    unread = [cells[row] for row in np.flatnonzero(np.isnan(parts[:, 0])).tolist()]
    strange = dict.fromkeys(cell for cell in unread if not is_missing(cell))
    if strange:
        warn_caller(
            f"column {name!r}: {counted(len(strange), 'value')} not read as dates, but treated as "
            f"missing: {shorten(list(strange), 3)}",
            UserWarning,
        )


def made_of_dates(
    dates: Mapping[str, DateOrder] | Sequence[str], cells_of: Callable[[str], Any]
) -> tuple[list[Column], dict[str, str]]:
    """The columns that are made of columns of dates, and the reasons why these are unused.

    Args:
        dates: their names, with or without the order of their text.
        cells_of: the cells of a column by name: a Column, a list, an array or a series.

    Raises:
        TypeError: no list or mapping of names.
        ValueError: texts that are no dates, or whose day and month cannot be told apart.
    """
    made, reasons = [], {}
    for name in dates if isinstance(dates, Mapping) else listing("dates", dates):
        if not isinstance(name, str):
            raise TypeError(f"dates={shown(dates)} must hold names of columns")
        order = dates[name] if isinstance(dates, Mapping) else None
        if order is not None:
            day = order.partition(" ")[0] if isinstance(order, str) else order
            one_of(f"dates[{name!r}]", day, tuple(_ORDERS))
        cells = cells_of(name)
        order = order or _found_order(name, cells)
        if " " not in order:
            order += zone_of(cells)
        elif not order.endswith(LOCAL):
            _zone(order.partition(" ")[2])
        made += date_columns(name, cells, order)
        reasons[name] = date_reason(order, cells)
    return made, reasons


def _found_order(name: str, cells: Any) -> DateOrder:
    """The order of the texts of a column; "ymd" of dates that are no texts."""
    if isinstance(cells, Column):
        some: Sequence[Any] = cells.levels or ()
    else:
        if _temporal(cells) is not None:
            return "ymd"
        some = [cell for cell in set(listed(cells)) if not is_missing(cell)]
        if all(isinstance(cell, datetime.date) for cell in some):
            return "ymd"
    order = order_of_dates(some)
    if order is None:
        raise ValueError(
            f"dates: {name!r} holds no dates, or dates whose day and month cannot be told apart: "
            f"say which order they have, dates={{{name!r}: 'dmy'}}"
        )
    return order


def date_columns(name: str, values: Any, order: DateOrder) -> list[Column]:
    """Year, month and weekday of dates as numeric columns; NaN where there is no date.

    Args:
        name: name of the column of dates.
        values: a Column of text, or dates or texts as a list, an array or a series of any library.
        order: of their text, and the zone that times of other zones are converted to.

    Examples:
        >>> [c.values.tolist() for c in date_columns("t", ["2024-01-31", None], "ymd")]
        [[2024.0, nan], [1.0, nan], [3.0, nan]]
    """
    order, space, zone = order.partition(" ")
    if space + zone == LOCAL:
        zone = ""
        if zone_of(values):
            warn_caller(
                f"column {name!r}: these dates have a time zone, and none is known of the training "
                "rows: each is read in its own zone",
                UserWarning,
            )
    if isinstance(values, Column):
        if values.kind == "numeric":
            parts = np.full((len(values), len(PARTS)), np.nan)
        else:
            some, codes = _cells_of(values), np.unique(np.asarray(values.values))
            of_level = np.full((len(values.levels or ()) + 1, len(PARTS)), np.nan)  # last: missing
            of_level[codes[codes >= 0]] = _read(name, some, order, zone)
            parts = of_level[values.values]
    else:
        found = _temporal_parts(values, zone)
        parts = _read(name, listed(values), order, zone) if found is None else found
    columns = zip(part_names([name]), parts.T, strict=True)
    return [Column(part, "numeric", np.ascontiguousarray(cells)) for part, cells in columns]


def _read(name: str, cells: list[Any], order: DateOrder, zone: str) -> np.ndarray:
    """The numbers of cells in an order, shape (n_cells, 3), or in their own, where these are texts
    that have another one."""
    parts = _parts_of(cells, order, zone)
    if np.isnan(parts[:, 0]).any():
        own = _own_order(name, cells, order)
        parts = parts if own == order else _parts_of(cells, own, zone)
        _warn_of_other_texts(name, cells, parts)
    return parts


def _own_order(name: str, cells: Sequence[Any], order: DateOrder) -> DateOrder:
    """The order of the texts themselves, where `order` does not read them all and they can have no
    other; a warning says so. Else `order`."""
    texts = list(dict.fromkeys(cell for cell in cells if isinstance(cell, str)))
    if all(_date_of(text, order) for text in texts):
        return order
    own = order_of_dates(texts)
    if own in (None, order) or sum(_date_of(text, order) is not None for text in texts) >= sum(
        _date_of(text, own) is not None for text in texts
    ):
        return order
    places = {"ymd": "the year first", "dmy": "the day first", "mdy": "the month first"}
    warn_caller(
        f"column {name!r}: the dates have {places[own]} ({texts[0]!r}, ...), those of the training "
        f"rows {places[order]}; each is read in its own order",
        UserWarning,
    )
    return own


def _parts_of(cells: list[Any], order: DateOrder, zone: str) -> np.ndarray:
    """Year, month and weekday of each cell in a zone ("": its own), shape (n_cells, 3)."""
    known: dict[str, tuple[float, ...]] = {}
    return np.array(list(_each(cells, order, zone, known)), np.float64).reshape(-1, len(PARTS))


def _each(
    cells: list[Any], order: DateOrder, zone: str, known: dict[str, tuple[float, ...]]
) -> Iterator[tuple[float, ...]]:
    """The numbers of each cell; those of equal texts are found once."""
    for cell in cells:
        if isinstance(cell, str) and cell in known:
            yield known[cell]
            continue
        day = None if is_missing(cell) else _moment(cell, order)
        if zone and _has_zone(day):
            with contextlib.suppress(OverflowError):  # the last day of the calendar stays
                day = day.astimezone(_zone(zone))
        parts = (np.nan,) * len(PARTS)
        if day is not None:
            parts = (day.year, day.month, day.isoweekday())
        if isinstance(cell, str):
            known[cell] = parts
        yield parts


def _pandas_zone(values: Any) -> Any:
    """The time zone of a pandas series, of which narwhals knows some alone."""
    return getattr(getattr(values, "dtype", None), "tz", None)


def _temporal(values: Any) -> Any:
    """An array, or a pandas series with a zone, as it is, or a series as one of narwhals, if its
    type is temporal; else None."""
    if isinstance(values, np.ndarray):
        return values if values.dtype.kind == "M" else None
    if _pandas_zone(values) is not None:
        return values
    import narwhals as nw

    series = nw.from_native(values, pass_through=True, series_only=True)
    is_date = isinstance(series, nw.Series) and series.dtype in (nw.Date, nw.Datetime)
    return series if is_date else None


def _temporal_parts(values: Any, zone: str) -> np.ndarray | None:
    """Year, month and weekday of a series or array of a temporal type, in a zone ("": its own);
    None of another."""
    if _pandas_zone(values) is not None:
        values = (values.dt.tz_convert(_zone(zone)) if zone else values).dt.tz_localize(None)
    series = _temporal(values)
    if isinstance(series, np.ndarray):
        days = series.astype("datetime64[D]")
        missing = np.isnat(days)
        number = days.astype(np.int64)
        months = days.astype("datetime64[M]").astype(np.int64)
        parts = np.column_stack([1970 + months // 12, 1 + months % 12, 1 + (number + 3) % 7])
        parts = parts.astype(np.float64)
        parts[missing] = np.nan
        return parts
    if series is None:
        return None
    if zone and getattr(series.dtype, "time_zone", None) not in (None, zone):
        if zone != "UTC" and _OFFSET.fullmatch(zone):  # which Polars does not know
            return _parts_of(series.to_list(), "ymd", zone)
        series = series.dt.convert_time_zone(zone)
    import narwhals as nw

    found = (series.dt.year(), series.dt.month(), series.dt.weekday())
    cells = [part.cast(nw.Float64).to_list() for part in found]
    return np.array([[np.nan if v is None else v for v in one] for one in cells], float).T
