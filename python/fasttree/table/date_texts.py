"""Dates and times of day as text: one grammar, the order of day and month, and time zones.

What
    A text is a date if the grammar matches all of it: three parts in any order, of which one may be
    the name of a month, and a time of day, which may have a fraction and a time zone behind it.
    Which number is the day, the texts of a column tell together (`order_of_dates`).
Complexity
    A pattern per text and question.
When not to use it
    For times of day and durations, which have no year.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import re
import zoneinfo
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

ORDERS = ("ymd", "dmy", "mdy")
"""The orders of year, month and day in texts."""

CENTURY = 69
"""Years of two digits from here on are of the last century, as POSIX has it."""

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_GRAMMAR = re.compile(
    r"""\s*
    (?P<first>(?P<year>\d{4})|(?P<name>MONTH)|\d{1,2})
    (?P<mark>[-/. ])\s?
    (?P<second>(?(name)\d{1,2}|(?:\d{1,2}|MONTH)))
    (?:(?P=mark)|[, ])\s?
    (?P<third>(?(year)\d{1,2}|(?(name)\d{4}|(?:\d{4}|\d{2}))))
    (?:,?\s*[T\s:]\s*
        (?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<seconds>\d{2})(?:[.,](?P<fraction>\d+))?)?
        (?:\s?(?P<half>[ap])\.?m\.?)?
        (?:\s?(?P<zone>(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2}){0,2}|[a-z]{1,5}))?
        (?:\[\S+\])?                                          # [Europe/Berlin], as Java writes it
    )?\s*""".replace("MONTH", rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"),
    re.IGNORECASE | re.VERBOSE,
)
_OFFSET = re.compile(r"(?:UTC|GMT|Z)?(?:([+-])(\d{1,2})(?::?([0-5]\d))?)?")


def date_match(text: str) -> re.Match[str] | None:
    """The parts of a date and its time of day; None of another text. No calendar is asked.

    Examples:
        >>> date_match("31.1.2024 9:30 pm").group("first", "third", "hour", "half")
        ('31', '2024', '9', 'p')
        >>> date_match("12-05-1999-AB") is date_match("10.0.0.1") is date_match("12:30:00") is None
        True
    """
    return _GRAMMAR.fullmatch(text)


def _day_in(match: re.Match[str] | None, order: str) -> datetime.date | None:
    """The day that the parts of a date name in an order; None where they name none."""
    if match is None:
        return None
    first, second, third = match.group("first", "second", "third")
    if match["year"]:
        year, month, day = first, second, third
    elif match["name"] or (order == "mdy" and second.isdigit()):
        month, day, year = first, second, third
    elif order == "ymd" and second.isdigit():
        return None
    else:
        day, month, year = first, second, third
    century = 0 if len(year) == 4 else 1900 if int(year) >= CENTURY else 2000
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    with contextlib.suppress(ValueError):  # 31.2.2024
        return datetime.date(century + int(year), number, int(day))
    return None


def _clock_in(match: re.Match[str]) -> datetime.time | None:
    """The time of day to the second; None of another than a clock shows (24:00, 13:00 pm)."""
    hour, half = int(match["hour"]), match["half"]
    if half and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (half in "pP")
    elif half:
        return None
    with contextlib.suppress(ValueError):
        return datetime.time(hour, int(match["minute"]), int(match["seconds"] or 0))
    return None


def _zone_in(match: re.Match[str]) -> datetime.tzinfo | None:
    """The time zone behind a time of day, if it is an offset: other words are ambiguous (CST)."""
    name = (match["zone"] or "").upper()
    with contextlib.suppress(ValueError):  # +25:00
        return zone_named(name) if name and is_offset(name) else None
    return None


def is_offset(zone: str) -> bool:
    """Whether the name of a time zone is an offset, such as UTC+02:00, and not of a place."""
    return _OFFSET.fullmatch(zone) is not None


@functools.lru_cache(64)
def zone_named(name: str) -> datetime.tzinfo:
    """The time zone of a name of the IANA data base or of an offset.

    Raises:
        ValueError: an unknown one.
    """
    offset = _OFFSET.fullmatch(name)
    try:
        if offset is None:
            return zoneinfo.ZoneInfo(name)
        sign, hours, minutes = offset.groups(default="0")
        ahead = datetime.timedelta(hours=int(hours), minutes=int(minutes))
        return datetime.timezone(-ahead if sign == "-" else ahead)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(
            f"dates: the time zone {name!r} is not known here; give an offset such as UTC+02:00, "
            "or a name of the IANA data base (where the system has none: pip install tzdata)"
        ) from error


def in_zone(moment: datetime.datetime, zone: datetime.tzinfo) -> datetime.datetime:
    """A time in another zone; the first and last day of the calendar stay in theirs."""
    with contextlib.suppress(OverflowError):
        return moment.astimezone(zone)
    return moment


def moment_of(text: str, order: str) -> datetime.date | None:
    """The day that a text names, with its time of day where that has a zone; None of no date.

    Examples:
        >>> moment_of("31.1.2024 9:30", "dmy")
        datetime.date(2024, 1, 31)
        >>> moment_of("2024-01-31T9:30Z", "ymd")
        datetime.datetime(2024, 1, 31, 9, 30, tzinfo=datetime.timezone.utc)
    """
    match = date_match(text)
    day = _day_in(match, order)
    if match is None or day is None or (zone := _zone_in(match)) is None:
        return day
    clock = _clock_in(match)
    return day if clock is None else datetime.datetime.combine(day, clock, zone)


class Instant(NamedTuple):
    """A place in time; those of one `form` can be put in order.

    Attributes:
        at: day and time to the second, in UTC if it has a zone.
        fraction: digits of the fraction of a second, without zeros at the end.
        form: whether it is a day, or a time with or without a zone.
    """

    at: datetime.datetime
    fraction: str
    form: Literal["day", "time", "zone"]


def instant_of(text: str, order: str) -> Instant | None:
    """The place in time of a text; None where it names no day in this order, or has a time of day
    that no clock shows or that is in an unknown zone.

    Examples:
        >>> instant_of("4.3.2024 9:30:00.50", "dmy")
        Instant(at=datetime.datetime(2024, 3, 4, 9, 30), fraction='5', form='time')
    """
    match = date_match(text)
    day = _day_in(match, order)
    if match is None or day is None:
        return None
    if match["hour"] is None:
        return Instant(datetime.datetime.combine(day, datetime.time()), "", "day")
    clock, zone = _clock_in(match), _zone_in(match)
    if clock is None or (zone is None) != (match["zone"] is None):
        return None
    moment = datetime.datetime.combine(day, clock, zone)
    if zone is not None:
        moment = in_zone(moment, datetime.timezone.utc).replace(tzinfo=None)
    return Instant(moment, (match["fraction"] or "").rstrip("0"), "zone" if zone else "time")


def _may_be_versions(matches: Iterable[re.Match[str] | None]) -> bool:
    """Whether texts may be numbers of versions, such as 1.2.24: short years behind points, and no
    number that must be a day, nor zeros that fill all of them up to two digits."""
    shortest = 4
    for match in filter(None, matches):
        first, second, third = match.group("first", "second", "third")
        if match["mark"] != "." or len(third) > 2 or match["hour"] or not second.isdigit():
            return False
        if match["year"] or max(int(first), int(second)) > 12:
            return False
        shortest = min(shortest, len(first) + len(second))
    return shortest < 4


def order_of_dates(levels: Sequence[Any]) -> str | None:
    """The order in which texts have day, month and year; None where they are no dates, or where day
    and month cannot be told apart.

    Examples:
        >>> order_of_dates(["2024-01-31", "2024-02-01 12:30"]), order_of_dates(["31.1.2024"])
        ('ymd', 'dmy')
        >>> order_of_dates(["1/2/2024", "12/31/2024"]), order_of_dates(["1/2/2024", "3/4/2024"])
        ('mdy', None)
    """
    matches = [date_match(text) for text in levels if isinstance(text, str)]
    days = {order: [_day_in(match, order) for match in matches] for order in ORDERS}
    n_read = {order: sum(day is not None for day in days[order]) for order in ORDERS}
    most = max(n_read.values())
    if not matches or most < 0.95 * len(matches) or _may_be_versions(matches):
        return None
    best = [order for order in ORDERS if n_read[order] == most]
    if len({tuple(days[order]) for order in best}) == 1:
        return best[0]
    # Dates with points have the day first; other marks say it only by a number above 12.
    return "dmy" if all(match["mark"] == "." for match in matches if match) else None
