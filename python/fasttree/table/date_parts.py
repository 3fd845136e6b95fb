"""Year, month and weekday of dates of every kind: texts, Python's dates, arrays and series.

What
    `parts_of` makes numbers of the cells of a column, `zone_of` finds their time zone.
Complexity
    A text is read once per level; series and arrays of a temporal type are converted by their
    library, other cells one by one.
"""

from __future__ import annotations

import contextlib
import datetime
from typing import Any

import numpy as np

from .._checks import is_missing
from .columns import Column
from .date_texts import day_of_number, is_offset, moment_of, zone_in, zone_named
from .sources import listed

PARTS = ("year", "month", "weekday")
"""The numbers that are made of a date; the weekday is 1 for Monday to 7 for Sunday (ISO 8601). A
month, quarter, half or week of a year is its first day."""


def cells_of(values: Any) -> list[Any]:
    """The cells of a column; of a Column its levels that occur, in the order of their codes, or its
    different numbers."""
    if not isinstance(values, Column):
        return listed(values)
    codes = np.unique(np.asarray(values.values))
    if values.kind == "numeric":
        return list(codes[~np.isnan(codes)].tolist())
    return [(values.levels or ())[int(code)] for code in codes if code >= 0]


def zone_of(values: Any) -> str:
    """The time zone of a column of dates: the one that all times have; UTC if they have several;
    empty without any. Days, and times without a zone beside others, are taken to be in that zone.

    Examples:
        >>> zone_of(["2024-01-31T10:00+01:00", None]), zone_of(["2024-01-31 10:00"])
        ('UTC+01:00', '')
    """
    if (series := temporal(values)) is not None:
        zone_name = _pandas_zone(series)
        name = getattr(series.dtype, "time_zone", None) if zone_name is None else str(zone_name)
        try:
            if name is None or zone_named(name):
                return name or ""
        except ValueError:  # a zone of dateutil, say: by the cells
            pass
    names = set()
    for cell in cells_of(values):
        is_time = isinstance(cell, datetime.datetime)
        zone = zone_in(cell) if isinstance(cell, str) else cell.tzinfo if is_time else None
        if zone is not None:
            zone_name = getattr(zone, "key", None) or getattr(zone, "zone", None)
            offset = zone.utcoffset(cell if is_time else None) or datetime.timedelta()
            names.add(zone_name or str(datetime.timezone(offset)))
    return "" if not names else names.pop() if len(names) == 1 else "UTC"


def _pandas_zone(values: Any) -> Any:
    """The time zone of a pandas series, of which narwhals knows some alone."""
    return getattr(getattr(values, "dtype", None), "tz", None)


def temporal(values: Any) -> Any:
    """An array, or a pandas series with a zone, as it is, or a series as one of narwhals, if its
    type is temporal; else None."""
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


def parts_of(values: Any, order: str, zone: str) -> np.ndarray:
    """Year, month and weekday of dates, NaN where there is none.

    Args:
        values: dates or texts as a list, an array or a series of any library.
        order: the order of texts.
        zone: what times are converted to; "": each stays in its own zone.

    Returns:
        float64, shape (n_cells, 3).
    """
    if _pandas_zone(values) is not None:
        values = (values.dt.tz_convert(zone_named(zone)) if zone else values).dt.tz_localize(None)
    series = temporal(values)
    if series is None:
        return _parts_of_cells(listed(values), order, zone)
    if isinstance(series, np.ndarray):
        return _parts_of_array(series)
    import narwhals as nw

    if zone and getattr(series.dtype, "time_zone", None) not in (None, zone):
        if zone != "UTC" and is_offset(zone):  # which Polars does not know
            offset = zone_named(zone).utcoffset(None)
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) + offset
        else:
            series = series.dt.convert_time_zone(zone)
    parts = (series.dt.year(), series.dt.month(), series.dt.weekday())
    return np.column_stack([part.cast(nw.Float64).to_numpy() for part in parts])


def _parts_of_array(times: np.ndarray) -> np.ndarray:
    """The numbers of a datetime64 array."""
    days = times.astype("datetime64[D]")
    months = days.astype("datetime64[M]").astype(np.int64)
    weekdays = 1 + (days.astype(np.int64) + 3) % 7
    parts = np.column_stack([1970 + months // 12, 1 + months % 12, weekdays]).astype(np.float64)
    parts[np.isnat(days)] = np.nan
    return parts


def _parts_of_cells(cells: list[Any], order: str, zone: str) -> np.ndarray:
    """The numbers of cells; equal texts are read once."""

    def parts(cell: Any) -> tuple[float, ...]:
        day = cell if isinstance(cell, datetime.date) else day_of_number(cell)
        if day is None or is_missing(day):
            return (np.nan,) * len(PARTS)
        if zone and isinstance(day, datetime.datetime) and day.utcoffset() is not None:
            with contextlib.suppress(OverflowError):  # the last day of the calendar stays
                day = day.astimezone(zone_named(zone))
        return day.year, day.month, day.isoweekday()

    texts = {cell for cell in cells if isinstance(cell, str)}
    of_text = {text: parts(getattr(moment_of(text, order), "at", None)) for text in texts}
    rows = [of_text[cell] if isinstance(cell, str) else parts(cell) for cell in cells]
    return np.array(rows, np.float64).reshape(-1, len(PARTS))
