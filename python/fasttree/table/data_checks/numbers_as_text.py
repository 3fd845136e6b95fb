"""Columns of text that are plain numbers, of more values than codes have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.words import some_of, worded
from ..texts import are_numbers, converted
from .facts import ColumnFacts, Finding, TableFacts

MANY_CODES = 50
"""Number of texts above which numbers as text are hardly codes."""


def find(column: ColumnFacts) -> Finding | None:
    """A column whose levels all read as numbers; it is left out where each row has its own."""
    levels = column.levels if column.is_nominal else ()
    many = column.is_nominal and column.has_many_levels
    if not (many or len(levels) > MANY_CODES) or not are_numbers(levels):
        return None
    example = f"({levels[0]!r}, ...)"
    other = "" if are_numbers(levels, fractions=True) else "an identifier, or "
    code = converted(levels)
    text = f"{other}numbers as text {example}{worded(f': convert with {code}')}"
    example += worded(f": {code}") if code != "pandas.to_numeric(column)" else ""
    return Finding(column.name, text, example, "leave out" if many else None)


def say(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """Names the columns that are read as levels, with an example of each."""
    yield (
        "numbers as text: "
        f"{some_of([f'{finding.column!r} {finding.evidence}' for finding in found])}; each is "
        "a level, which says nothing about other numbers"
        + worded(": convert with pandas.to_numeric")
    )
