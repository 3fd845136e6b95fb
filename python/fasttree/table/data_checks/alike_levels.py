"""Levels that differ in case or in blanks around them only, such as "Yes" and "YES "."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.words import some_of, worded
from .facts import ColumnFacts, Finding, TableFacts

MAX_LEVELS_COMPARED = 1000
"""Largest number of levels of a column that are compared."""


def find(facts: TableFacts) -> Iterator[Finding]:
    """Yield a finding for each column of text that has such levels; the target is checked as well.

    Columns with a level in nearly every row are left out, and so are columns with more than
    `MAX_LEVELS_COMPARED` levels. The text of a finding lists the alike levels.
    """
    target = [] if facts.target is None else [ColumnFacts(facts.target)]
    for column in [*facts.columns_without_first_number, *target]:
        if (
            not column.is_nominal
            or column.has_many_levels
            or len(column.levels) > MAX_LEVELS_COMPARED
        ):
            continue
        groups: dict[str, list[str]] = {}
        for level in column.levels:
            if isinstance(level, str):
                groups.setdefault(level.strip().lower(), []).append(level)
        alike = [" = ".join(map(repr, group)) for group in groups.values() if len(group) > 1]
        if alike:
            yield Finding(column.name, f"{column.name!r} ({some_of(alike)})")


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence for all columns together, which names the columns and their alike levels. The
    remedy is code for a pandas frame in Python, and an edit of the file in the shell."""
    yield (
        f"levels differ in case or blanks only: {some_of([finding.text for finding in found])}; "
        "if they mean the same, "
        + worded("use column.str.strip().str.lower()", "write them alike in the file")
    )
