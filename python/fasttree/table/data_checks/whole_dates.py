"""Dates as whole numbers such as 20241231, whose differences are no numbers of days."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..._checks.words import worded
from ..date_texts import day_of_number
from .facts import ColumnFacts, Finding, TableFacts

NAMED_DATE = re.compile(r"date|day|datum|time", re.IGNORECASE)
"""Names of columns whose whole numbers may be dates."""

MIN_DAYS = 20
"""Number of different days above which whole numbers are dates under any name."""


def find(facts: TableFacts) -> Iterator[Finding]:
    """Yield a finding for each numeric column whose numbers are all days such as 20241231.

    The evidence is the first day, as a number; the text has the remedy. No fit converts these
    columns by itself, because numbers of eight digits may be something else.
    """
    for column in facts.columns:
        if not column.is_nominal and _are_days(column):
            first = int(column.range[0])
            remedy = worded(
                f"Table(frame, dates={{{column.name!r}: 'ymd'}}) makes year, month and weekday of "
                "them",
                "write them as 2024-12-31, of which year, month and weekday are made",
            )
            text = f"column {column.name!r} has dates as whole numbers ({first}, ...): {remedy}"
            yield Finding(column.name, text, first)


def _are_days(column: ColumnFacts) -> bool:
    """Whether all numbers are days such as 20241231, under the name of a date or many of them."""
    if not all(map(day_of_number, column.range)) or not column.are_whole:
        return False
    days = np.unique(column.present_numbers).tolist()
    is_named = NAMED_DATE.search(column.name) is not None
    return (is_named or len(days) > MIN_DAYS) and all(map(day_of_number, days))
