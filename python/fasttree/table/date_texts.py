"""Dates and times of day as text: one grammar, the order of day and month, and time zones.

What
    A text is a date if the grammar matches all of it: three parts in any order (one of them may be
    the name of a month), and a time of day, which may have a fraction and a time zone behind it.
    Which number is the day, the texts of a column tell together (`infer_date_order`).
Complexity
    O(length) per text; `infer_date_order` reads each text once per order.
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
"""Years of two digits from this one on are of the last century, as in POSIX."""

MIN_DAYS, FIRST_DAYS, LAST_DAYS = 12, range(1, 9), range(28, 32)
"""What the days of the month must be to be told from years of two digits: the smallest number of
different days, and the ranges in which the first and the last one lie."""

ENDS_OF_MONTHS = {1, 28, 29, 30, 31}
"""Days of dates that mean whole months; there are as few of them as of years."""

MAX_SPREAD, MAX_GAP = 0.5, 92
"""Limits on the days between the dates of a regular series: the largest standard deviation as a
share of the mean (for dates at random it is 1), and the largest mean."""

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
"""Three parts; the first or last is the year, and at most one is the name of a month, as the
conditions on the groups `year`, `name` and `word` say; then a time of day, and the day of the week
in brackets. One mark separates numbers."""

_COMPACT = re.compile(r"\s*(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?!\d)")
"""The compact form of ISO 8601, 20241231T235959."""

_YEAR, _MONTH = r"(?:FY\s?)?(?P<year>(?:1[89]|20)\d\d)", r"(?P<month>0?[1-9]|1[0-2])"
_PART = rf"(?:(?P<unit>[MQHW])(?P<number>\d\d?)|(?P<name>(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?))"
_PERIODS = (
    re.compile(rf"\s*{_YEAR}(?:-(?=\d\d){_MONTH}|[-\s]?{_PART})\s*", re.IGNORECASE),
    re.compile(rf"\s*(?:{_MONTH}[-/]|{_PART}[-/,\s]{{0,2}}){_YEAR}\s*", re.IGNORECASE),
)
"""Months, quarters, halves and weeks of a year, which comes first or last: 2024-01, Jan 2024,
1/2024, 2024Q1, Q1/2024, FY2024 Q1, 2024H1, 2024-W05."""

_VERSION = re.compile(r"(?:0?\d|1[0-2])\.(?:0?\d|1[0-2])\.\d\d")
"""A text that may be the number of a version, such as 1.2.24."""

_OFFSET = re.compile(r"(?:UTC|GMT|Z)?(?:([+-])([01]?\d|2[0-3])(?::?([0-5]\d))?)?")


def date_match(text: str) -> re.Match[str] | None:
    """The parts of a date and its time of day; None for another text. The day may not exist.

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


SAMPLE_SIZE = 1000
"""Levels of a column that are read to see what they are."""


def some_levels(levels: Sequence[Any]) -> Sequence[Any]:
    """All levels of a column, or evenly spaced ones if there are at least twice `SAMPLE_SIZE`.

    At most about twice `SAMPLE_SIZE` levels are returned, so that reading them as dates or numbers
    stays cheap. Which ones depends on their order alone.
    """
    return levels[:: max(1, len(levels) // SAMPLE_SIZE)]


def share_of_dates(levels: Sequence[Any]) -> float:
    """Share, in [0, 1], of the levels that read as dates; if there are many levels, a share of
    `some_levels`.

    Examples:
        >>> share_of_dates(("2024-01-31", "2024-02-01")), share_of_dates(("a", "2024-02-01"))
        (1.0, 0.5)
    """
    sample = some_levels(levels)
    dates = sum(isinstance(level, str) and date_match(level) is not None for level in sample)
    return dates / len(sample) if sample else 0.0


def first_day(text: str) -> datetime.date | None:
    """The first day of a month, quarter, half or week of a year; None for another text.

    Examples:
        >>> [str(first_day(text)) for text in ("2024-02", "Feb 2024", "Q3 2024", "2024-W05")]
        ['2024-02-01', '2024-02-01', '2024-07-01', '2024-01-29']
        >>> str(first_day("FY2020 Q2")), str(first_day("Q2 FY 2020"))
        ('2020-04-01', '2020-04-01')
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
    """Whether a date is three numbers of two digits with "-" between them, the first or last of
    which may be the year.

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
    """The day that the parts of a date are in an order; None if there is no such day."""
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
    """The time of day to the second.

    Raises:
        ValueError: there is no such time, as with 24:00.
    """
    hour = int(match["hour"])
    if match["half"] and hour <= 12:
        hour = hour % 12 + 12 * (match["half"] in "pP")
    return datetime.time(hour, int(match["minute"] or 0), int(match["seconds"] or 0))


def _zone_in(match: re.Match[str]) -> datetime.tzinfo | None:
    """The time zone behind a time of day if it is an offset; words are ambiguous (CST)."""
    name = (match["zone"] or "").upper()
    return parse_time_zone(name) if name and is_offset(name) else None


def time_zone_in(text: str) -> datetime.tzinfo | None:
    """The time zone of a text that is a date with an offset, such as +02:00, behind its time of
    day.

    None if the text is no date or has no offset. Words such as CST count as no time zone, because
    several zones have the same one.
    """
    match = date_match(text)
    return None if match is None else _zone_in(match)


def is_offset(zone: str) -> bool:
    """Whether the name of a time zone is an offset, such as UTC+02:00, and not a place. Offsets
    need no data base of time zones, and not every library of frames reads them."""
    return _OFFSET.fullmatch(zone) is not None


@functools.lru_cache(64)
def parse_time_zone(name: str) -> datetime.tzinfo:
    """The time zone that a name of the IANA data base, or an offset, stands for.

    Raises:
        ValueError: the name is unknown.
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
    """A date as text. Dates of one `form` can be put in order.

    Attributes:
        at: the day and the time to the second, in the time zone of the text if it has one.
        fraction: digits of the fraction of a second, without zeros at the end.
        form: what is known: the day, or also the time, with or without a time zone; "odd" if only
            the day is known because there is no such time, or its time zone is unknown.
    """

    at: datetime.datetime
    fraction: str
    form: Form


def moment_of(text: str, order: str) -> Moment | None:
    """The moment that a text stands for; None if it is no date in this order.

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


def infer_date_order(levels: Sequence[Any]) -> str | None:
    """The order of year, month and day in texts; None if they are no dates, or if these cannot be
    told apart.

    If the texts are dates in several orders, it is the one in which they are a regular series, such
    as one date per month. In numbers of two digits with "-" between them, the year is the number
    with few values, close together.

    Examples:
        >>> infer_date_order(["2024-01-31", "2024-02-01 12:30"]), infer_date_order(["31.1.2024"])
        ('ymd', 'dmy')
        >>> infer_date_order(["1/2/2024", "12/31/2024"]), infer_date_order(["1/2/2024", "3/4/2024"])
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
    if len(fitting) > 1 and (regular := _regular_order({order: days[order] for order in fitting})):
        return regular
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


def _regular_order(days: Mapping[str, Sequence[datetime.date | None]]) -> str | None:
    """The only order in which dates are a regular series; None if there is none, or if they are
    nearly regular in another order as well."""
    spread = {}
    for order, read in days.items():
        gaps = np.diff(sorted({day.toordinal() for day in read if day is not None}))
        if len(gaps) < MIN_DAYS:
            return None
        spread[order] = float(gaps.std() / gaps.mean()), float(gaps.mean())
    (least, mean), *others = sorted(spread.values())
    if least > MAX_SPREAD or mean > MAX_GAP or others[0][0] < max(2 * least, MAX_SPREAD):
        return None
    return min(spread, key=lambda order: spread[order])


def _has_year_first(matches: Sequence[re.Match[str]]) -> bool | None:
    """Whether the year is the first of three numbers of two digits, and not the last; None if this
    is not certain. Years are few and close together, days are many."""
    first, last = ({int(match[part]) for match in matches} for part in ("first", "third"))
    for years, days in ((first, last), (last, first)):
        is_close = max(years) - min(years) < 2 * len(years) and not years <= ENDS_OF_MONTHS
        are_days = min(days) in FIRST_DAYS and max(days) in LAST_DAYS
        if is_close and are_days and len(days) >= max(MIN_DAYS, 2 * len(years)):
            return years is first
    return None
