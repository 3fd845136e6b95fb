"""Columns of text that are plain numbers, with more levels than codes of categories have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.words import some_of, worded
from ..number_texts import are_plain_numbers, conversion_code
from .facts import ColumnFacts, Finding, TableFacts

MAX_TEXT_CODES = 50
"""Largest number of levels at which numbers as text may be codes of categories."""


def find(column: ColumnFacts) -> Finding | None:
    """A column whose levels all read as numbers; a fit leaves it out if more than half of its rows
    have a level of their own. The evidence is an example with the code that converts it."""
    levels = column.levels if column.is_nominal else ()
    many = column.is_nominal and column.has_many_levels
    if not (many or len(levels) > MAX_TEXT_CODES) or not are_plain_numbers(levels):
        return None
    example = f"({levels[0]!r}, ...)"
    other = "" if are_plain_numbers(levels, fractions=True) else "an identifier, or "
    code = conversion_code(levels)
    text = f"{other}numbers as text {example}{worded(f': convert with {code}')}"
    example += worded(f": {code}") if code != "pandas.to_numeric(column)" else ""
    return Finding(column.name, text, example, "leave out" if many else None)


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence for all columns together, whose numbers are used as levels, with an example of
    each and the conversion. A column with few levels has no finding, as its levels may be codes of
    categories."""
    yield (
        "numbers as text: "
        f"{some_of([f'{finding.column!r} {finding.evidence}' for finding in found])}; each is "
        "a level, which says nothing about other numbers"
        + worded(": convert with pandas.to_numeric")
    )
