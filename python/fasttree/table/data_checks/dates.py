"""Columns of dates as text, which become year, month and weekday."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.words import argument, some_of, worded
from ..date_texts import has_short_year, infer_date_order, moment_of
from ..dates import DateFormat, date_reason, part_names, time_zone_of
from .facts import ColumnFacts, Finding, TableFacts


def find(column: ColumnFacts) -> Finding | None:
    """A column of dates; a fit uses its year, month and weekday, or leaves the column out if these
    cannot be read. The evidence is the order of year, month and day, None if it is not certain."""
    if not column.is_nominal or not column.are_dates:
        return None
    levels = column.levels
    order = infer_date_order(levels)
    if order is None:
        is_short = has_short_year(levels[0])
        what = "year, month and day" if is_short else "day and month"
        orders = ("dmy", "ymd", "mdy") if is_short else ("dmy", "mdy")
        ways = " or ".join(argument("dates", {column.name: order}) for order in orders)
        text = (
            f"dates as text ({levels[0]}, ...) whose {what} cannot be told apart: write them as "
            f"2024-01-31, or give {ways}{worded(' to Table or fasttree.datasets.load')}"
        )
        return Finding(column.name, text, None, "leave out")
    if column.all_names is None:
        return Finding(column.name, "dates", order, "leave out")
    if not set(column.all_names).isdisjoint(part_names([column.name])):
        text = "dates whose year, month or weekday is a column already"
        return Finding(column.name, text, order, "leave out")
    return Finding(
        column.name, date_reason(DateFormat(order, time_zone_of(levels))), order, "use parts"
    )


def describe_dates(column: ColumnFacts) -> str:
    """The name of a column, for a list of columns of dates.

    If years have two digits, an example follows that shows how the first date is read, because day,
    month and year could be exchanged without an error.
    """
    if not (column.is_nominal and column.are_dates and has_short_year(column.levels[0])):
        return repr(column.name)
    moment = moment_of(column.levels[0], infer_date_order(column.levels) or "")
    example = "" if moment is None else f" ({column.levels[0]} is {moment.at:%Y-%m-%d})"
    return f"{column.name!r}{example}"


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence for all columns together, whose dates are used as levels. A fit by itself uses
    year, month and weekday instead; the warning is for Tables and for columns that are used as
    given."""
    names = some_of([repr(finding.column) for finding in found])
    yield (
        f"dates as text: {names}; each date is a level, which says nothing about other dates: "
        "leave the column out, or make numbers of it (Table.with_dates makes year, month and "
        "weekday)"
    )
