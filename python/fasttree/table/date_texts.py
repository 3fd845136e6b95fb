"""Dates and times of day as text: one grammar, the order of day and month, and time zones.

What
    A text is a date if the grammar matches all of it: three parts in any order, of which one may be
    the name of a month, and a time of day, which may have a fraction and a time zone behind it.
    Which number is the day, the texts of a column tell together (`order_of_dates`).
Complexity
    O(length) per text; `order_of_dates` reads each text once per order.
When not to use it
    For times of day and durations, which have no year.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import re
import zoneinfo
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

ORDERS = ("ymd", "dmy", "mdy")
"""The orders of year, month and day in texts."""

CENTURY = 69
"""Years of two digits from here on are of the last century, as POSIX has it."""

MIN_DAYS, FIRST_DAYS, LAST_DAYS = 12, range(1, 9), range(28, 32)
"""Different days of the month that a column has at least, and those of which it has some, if they
tell its years from its days: a day 0 is a year, and few files hold years to come."""

ENDS_OF_MONTHS = {1, 28, 29, 30, 31}
"""Days of dates that stand for whole months, which are as few as years."""

EVEN, QUARTER = 0.5, 92
"""The standard deviation of the days between the dates of a regular series, as a share of their
mean, at most (of dates at random it is 1), and this mean, at most."""

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_GRAMMAR = re.compile(
    r"""\s*(?!\d\d?\s\d\d?\s\d\d(?!\d))                       # 12 34 56 is a number or a code
    (?P<first>(?P<year>\d{4})|(?P<name>MONTH)|\d{1,2})
    (?P<mark>[-/. ]|(?<=\d)(?=[a-z]{3,9}\d{4}(?!\d)))\s?    # 13Oct2014 has no mark
    (?P<second>(?(name)\d{1,2}|(?:\d{1,2}|(?P<word>MONTH))))
    (?:(?P=mark)|(?(name),|(?(word)[, ]|(?!))))\s?
    (?P<third>(?(year)\d{1,2}|(?(name)\d{4}|(?:\d{4}|\d{2}))))
    (?:(?:T|,?\s{0,2}(?:[-T\s:_]|at\s)\s{0,2})
        (?P<hour>\d{1,2})
        (?:[:.](?P<minute>\d{2})(?:[:.](?P<seconds>\d{2})(?:[.,](?P<fraction>\d+))?)?|(?<=T\d\d))
        (?:\s?(?P<half>[ap])\.?m\.?)?
        (?:\s?(?P<zone>(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2}){0,2}|[a-z]{1,5}|[a-z]+(?:/[a-z_]+)+))?
        (?:\[\S+\]|\s[a-z]{1,5})?                       # [Europe/Berlin] in Java, UTC in Go
    )?(?:\s\([a-z]{2,9}\))?\s*""".replace("MONTH", rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"),
    re.IGNORECASE | re.VERBOSE,
)
"""Three parts, of which the first or last is the year and at most one the name of a month, as the
conditions on the groups `year`, `name` and `word` say; then a time of day, and the day of the week
in brackets. One mark separates numbers."""

_COMPACT = re.compile(r"\s*(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?!\d)")
"""The compact form of ISO 8601, 20241231T235959."""

_YEAR, _MONTH = r"(?P<year>(?:1[89]|20)\d\d)", r"(?P<month>0?[1-9]|1[0-2])"
_PART = rf"(?:(?P<unit>[MQHW])(?P<number>\d\d?)|(?P<name>(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?))"
_PERIODS = (
    re.compile(rf"\s*{_YEAR}(?:-(?=\d\d){_MONTH}|[-\s]?{_PART})\s*", re.IGNORECASE),
    re.compile(rf"\s*(?:{_MONTH}[-/]|{_PART}[-/,\s]{{0,2}}){_YEAR}\s*", re.IGNORECASE),
)
"""Months, quarters, halves and weeks of a year, which comes first or last: 2024-01, Jan 2024,
1/2024, 2024Q1, Q1/2024, 2024H1, 2024-W05."""

_VERSION = re.compile(r"(?:0?\d|1[0-2])\.(?:0?\d|1[0-2])\.\d\d")
"""What may be the number of a version, such as 1.2.24: no number must be a day."""

_OFFSET = re.compile(r"(?:UTC|GMT|Z)?(?:([+-])([01]?\d|2[0-3])(?::?([0-5]\d))?)?")


def date_match(text: str) -> re.Match[str] | None:
    """The parts of a date and its time of day; None of another text. No calendar is asked.

    Examples:
        >>> date_match("31.1.2024 9:30 pm").group("first", "third", "hour", "half")
        ('31', '2024', '9', 'p')
        >>> date_match("12-05-1999-AB") is date_match("10.0.0.1") is date_match("12:30:00") is None
        True
    """
    compact = _COMPACT.match(text)
    if compact is not None:
        text = "{}-{}-{}T{}:{}:{}".format(*compact.groups()) + text[compact.end() :]
    return _GRAMMAR.fullmatch(text) or _GRAMMAR.fullmatch(str(first_day(text)))


def first_day(text: str) -> datetime.date | None:
    """The first day of a month, quarter, half or week of a year; None of another text.

    Examples:
        >>> [str(first_day(text)) for text in ("2024-02", "Feb 2024", "Q3 2024", "2024-W05")]
        ['2024-02-01', '2024-02-01', '2024-07-01', '2024-01-29']
        >>> first_day("2024-13") is first_day("2024Q5") is first_day("2024-02-01") is None
        True
    """
    match = _PERIODS[0].fullmatch(text) or _PERIODS[1].fullmatch(text)
    if match is None:
        return None
    year, unit, name = int(match["year"]), (match["unit"] or "M").upper(), match["name"] or ""
    number = int(match["number"] or match["month"] or _MONTHS.index(name[:3].lower()) + 1)
    with contextlib.suppress(ValueError):  # a fifth quarter
        if unit == "W":
            return datetime.date.fromisocalendar(year, number, 1)
        return datetime.date(year, {"M": 1, "Q": 3, "H": 6}[unit] * (number - 1) + 1, 1)
    return None


def has_short_year(text: str) -> bool:
    """Whether a date is three numbers of two digits with "-" between them, of which the first or
    the last may be the year.

    Examples:
        >>> has_short_year("19-01-31"), has_short_year("31.01.19"), has_short_year("1-2-19")
        (True, False, False)
    """
    match = date_match(text)
    return match is not None and match["mark"] == "-" and _is_short(match)


def _is_short(match: re.Match[str]) -> bool:
    """Whether the parts of a date are three numbers of two digits."""
    return all(len(match[part]) == 2 for part in ("first", "second", "third"))


def _day_in(match: re.Match[str], order: str) -> datetime.date | None:
    """The day that the parts of a date name in an order; None where they name none."""
    first, second, third = match.group("first", "second", "third")
    if match["year"]:
        year, month, day = first, second, third
    elif match["name"] or (order == "mdy" and second.isdigit()):
        month, day, year = first, second, third
    elif order == "ymd" and second.isdigit():
        if not _is_short(match):
            return None
        year, month, day = first, second, third
    else:
        day, month, year = first, second, third
    century = 0 if len(year) == 4 else 1900 if int(year) >= CENTURY else 2000
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    try:
        return datetime.date(century + int(year), number, int(day))
    except ValueError:  # 31.2.2024
        return None


def _clock_in(match: re.Match[str]) -> datetime.time:
    """The time of day to the second. ValueError: no clock shows it, as 24:00."""
    hour = int(match["hour"])
    if match["half"] and hour <= 12:
        hour = hour % 12 + 12 * (match["half"] in "pP")
    return datetime.time(hour, int(match["minute"] or 0), int(match["seconds"] or 0))


def _zone_in(match: re.Match[str]) -> datetime.tzinfo | None:
    """The time zone behind a time of day, if it is an offset: words are ambiguous (CST)."""
    name = (match["zone"] or "").upper()
    return zone_named(name) if name and is_offset(name) else None


def zone_in(text: str) -> datetime.tzinfo | None:
    """The time zone of a text, if that is a date with an offset behind its time of day."""
    match = date_match(text)
    return None if match is None else _zone_in(match)


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


def day_of_number(number: Any) -> datetime.date | None:
    """The day of the years 1900 to 2100 that a whole number such as 20241231 names, or None.

    Examples:
        >>> day_of_number(20241231.0), day_of_number(20241331), day_of_number("20241231")
        (datetime.date(2024, 12, 31), None, None)
    """
    if not isinstance(number, int | float) or not 19000101 <= number <= 21001231 or number % 1:
        return None
    digits = int(number)
    try:
        return datetime.date(digits // 10_000, digits // 100 % 100, digits % 100)
    except ValueError:
        return None


Form = Literal["day", "time", "zone", "odd"]


class Moment(NamedTuple):
    """A date as text; those of one `form` can be put in order.

    Attributes:
        at: the day and the time to the second, in the time zone of the text if it has one.
        fraction: digits of the fraction of a second, without zeros at the end.
        form: what is known: the day, or the time too, with or without a zone. "odd": the day alone,
            as no clock shows the time, or its zone is unknown.
    """

    at: datetime.datetime
    fraction: str
    form: Form


def moment_of(text: str, order: str) -> Moment | None:
    """The moment that a text names; None where it names no day in this order.

    Examples:
        >>> moment_of("4.3.2024 9:30:00.50", "dmy")
        Moment(at=datetime.datetime(2024, 3, 4, 9, 30), fraction='5', form='time')
        >>> moment_of("2024-01-31", "ymd").form, moment_of("2024-31-01", "ymd")
        ('day', None)
    """
    match = date_match(text)
    if match is None or (day := _day_in(match, order)) is None:
        return None
    if match["hour"] is None:
        return Moment(datetime.datetime(day.year, day.month, day.day), "", "day")
    zone = _zone_in(match)
    try:
        moment = datetime.datetime.combine(day, _clock_in(match), zone)
    except ValueError:  # 24:00
        return Moment(datetime.datetime(day.year, day.month, day.day), "", "odd")
    form: Form = "zone" if zone else "odd" if match["zone"] else "time"
    return Moment(moment, (match["fraction"] or "").rstrip("0"), form)


def order_of_dates(levels: Sequence[Any]) -> str | None:
    """The order in which texts have day, month and year; None where they are no dates, or where
    these cannot be told apart. Where several orders read them, it is the one in which they are a
    regular series, such as one date a month. Else of numbers of two digits with "-" between them,
    the year is the one that takes few values, close together.

    Examples:
        >>> order_of_dates(["2024-01-31", "2024-02-01 12:30"]), order_of_dates(["31.1.2024"])
        ('ymd', 'dmy')
        >>> order_of_dates(["1/2/2024", "12/31/2024"]), order_of_dates(["1/2/2024", "3/4/2024"])
        ('mdy', None)
    """
    texts = [text.strip() for text in levels if isinstance(text, str)]
    if all(map(_VERSION.fullmatch, texts)) and any(len(text) < 8 for text in texts):
        return None
    matches = [date_match(text) for text in texts]
    days = {order: [match and _day_in(match, order) for match in matches] for order in ORDERS}
    short = [match for match in matches if match and _is_short(match)]
    if any(match["mark"] != "-" for match in short):  # then the year is last, unless it is told
        days["ymd"] = [
            None if match and _is_short(match) else day
            for match, day in zip(matches, days["ymd"], strict=True)
        ]
    n_read = {order: sum(day is not None for day in read) for order, read in days.items()}
    fitting = [order for order in days if n_read[order] >= 0.95 * len(texts)]
    if not texts or not fitting:
        return None
    if len(fitting) > 1 and (even := _even_order({order: days[order] for order in fitting})):
        return even
    if short and "ymd" in fitting and len(fitting) > 1:
        is_first = _has_year_first(short)
        if is_first is None:
            return None
        fitting = [order for order in fitting if (order == "ymd") == is_first]
    most = max(n_read[order] for order in fitting)
    best = [order for order in fitting if n_read[order] == most]
    if len({tuple(days[order]) for order in best}) == 1:
        return best[0]
    # Dates with points have the day first; other marks say it only by a number above 12.
    return "dmy" if all(match["mark"] == "." for match in matches if match) else None


def _even_order(days: Mapping[str, Sequence[datetime.date | None]]) -> str | None:
    """The one order in which dates are a regular series, where they are far from it in all others:
    days in the place of years, or of months, jump."""
    spread = {}
    for order, read in days.items():
        gaps = np.diff(sorted({day.toordinal() for day in read if day is not None}))
        if len(gaps) < MIN_DAYS:
            return None
        spread[order] = float(gaps.std() / gaps.mean()), float(gaps.mean())
    (least, mean), *others = sorted(spread.values())
    if least > EVEN or mean > QUARTER or others[0][0] < max(2 * least, EVEN):
        return None
    return min(spread, key=lambda order: spread[order])


def _has_year_first(matches: Sequence[re.Match[str]]) -> bool | None:
    """Whether the first of three numbers of two digits is the year, and not the last; None where
    this cannot be told: the years are few and close together, the days many."""
    first, last = ({int(match[part]) for match in matches} for part in ("first", "third"))
    for years, days in ((first, last), (last, first)):
        is_close = max(years) - min(years) < 2 * len(years) and not years <= ENDS_OF_MONTHS
        are_days = min(days) in FIRST_DAYS and max(days) in LAST_DAYS
        if is_close and are_days and len(days) >= max(MIN_DAYS, 2 * len(years)):
            return years is first
    return None
