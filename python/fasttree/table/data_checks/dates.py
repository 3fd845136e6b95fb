"""Columns of dates as text, which become year, month and weekday."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.speech import worded
from ..._checks.words import some_of
from ..date_parts import zone_of
from ..date_texts import order_of_dates
from ..dates import DateFormat, date_reason, part_names
from .facts import ColumnFacts, TableFacts
from .finding import Finding


def find(column: ColumnFacts) -> Finding | None:
    """A column of dates: its numbers are used, or it is left out where there are none."""
    if not column.is_nominal or not column.are_dates:
        return None
    levels = column.levels
    order = order_of_dates(levels)
    if order is None:
        made = worded(f", or make a Table with dates={{{column.name!r}: 'dmy'}} or 'mdy'")
        text = (
            f"dates as text ({levels[0]}, ...) whose day and month cannot be told apart: write "
            f"them as 2024-01-31{made}"
        )
        return Finding(column.name, text, None, "leave out")
    if column.names is None:
        return Finding(column.name, "dates", order, "leave out")
    if not set(column.names).isdisjoint(part_names([column.name])):
        text = "dates whose year, month or weekday is a column already"
        return Finding(column.name, text, order, "leave out")
    return Finding(column.name, date_reason(DateFormat(order, zone_of(levels))), order, "use parts")


def say(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """Names the columns whose dates are read as levels."""
    names = some_of([repr(one.column) for one in found])
    yield (
        f"dates as text: {names}; each date is a level, which says nothing about other dates: "
        "leave the column out, or make numbers of it (Table.with_dates makes year, month and "
        "weekday)"
    )
