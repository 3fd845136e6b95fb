"""Columns of text that would be numbers without their format, or without a few words among them.

A format is a comma, a currency sign or a unit at each number, or a time of day. Words are cells
such as "unknown".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..._checks.words import argument, counted, data_row, worded
from ..number_texts import TOTAL, codes_of_words, conversion_code, stray_word
from .facts import MIN_ROWS, ColumnFacts, Finding, TableFacts, cached_per_column

_CHECK_DIGIT = re.compile(r"[\d\s-]*\d[\s-]*[Xx]")
"""The end of identifiers such as ISBN and ISSN whose last digit is ten, which is one in eleven."""

DELETE_TOTAL = "delete that row if it is a total"
LEAVE_ROW_OUT = "leave that row out"
"""The remedy if the name of a column stands among its numbers."""


def find(column: ColumnFacts) -> Finding | None:
    """A column of hidden numbers. A fit leaves it out if more than half of its rows have a level of
    their own, or if it holds times. The evidence is the result of `obstacle_to_numbers`."""
    if not column.is_nominal:
        return None
    many = column.has_many_levels
    in_format = column.formatted_numbers if len(column.levels) > 2 else None
    obstacle = obstacle_to_numbers(column)
    if in_format is not None and (many or in_format[0].startswith("times")):
        return Finding(column.name, ": ".join(in_format), obstacle, "leave out")
    if obstacle is None:
        return None
    text = f"numbers read as text: {'; '.join(obstacle)}"
    is_left_out = many and in_format is None
    return Finding(column.name, text, obstacle, "leave out" if is_left_out else None)


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence per column, with the reason why it is text and the remedy.

    A word that comes from a repeated line of names is left out, as the check `stray_rows` reports
    the whole row. A finding without evidence has no sentence.
    """
    for finding in found:
        if finding.evidence is None:
            continue
        obstacle, remedy = finding.evidence
        if remedy == LEAVE_ROW_OUT and facts.n_repeated_headers:
            continue  # `stray_rows` says it of the whole row
        drop = worded("", f": {argument('drop', [finding.column])}")
        yield (
            f"column {finding.column!r}: {obstacle}, so its numbers are levels: {remedy}, or leave "
            f"the column out{drop}"
        )


@cached_per_column
def obstacle_to_numbers(column: ColumnFacts) -> tuple[str, str] | None:
    """What keeps a column of text from being numbers, and the remedy.

    Returns:
        The format of the numbers, or the first of a few texts among them with its row; then the
        remedy. None if neither most levels are numbers nor nine in ten rows.

    Examples:
        >>> from fasttree.table import Column
        >>> levels = (*map(str, range(9)), "n/a")
        >>> column = Column("age", "nominal", np.arange(10, dtype=np.int32), levels)
        >>> obstacle_to_numbers(ColumnFacts(column))
        ("'n/a' in data row 9 (counted from 0) is no number, 9 of 10 levels are", ...)
    """
    levels = column.levels
    if not levels or not all(isinstance(level, str) for level in levels):
        return None
    positions = codes_of_words(levels)
    words = [levels[position] for position in positions]
    if words and all(map(_CHECK_DIGIT.fullmatch, words)):
        return None
    in_format = column.formatted_numbers
    if in_format is not None and (len(levels) > 2 or "comma" in in_format[0]):
        return f"{in_format[0]} are text", in_format[1]
    # Most levels must be numbers, or the levels of most rows.
    word_codes = column.occurring_codes[positions]
    n_word_rows = column.counts[word_codes].sum()
    in_few_levels = len(levels) >= 8 and len(words) <= 0.2 * len(levels)
    in_few_rows = column.n_filled >= max(MIN_ROWS, 10 * n_word_rows)
    if not words or not (in_few_levels or (in_few_rows and len(levels) - len(words) >= 3)):
        return None
    codes = np.asarray(column.column.values)
    first = int(np.isin(codes, word_codes).argmax())
    row = first if column.row_numbers is None else int(column.row_numbers[first])
    if words == [column.name]:
        return f"its name stands among its values in {data_row(row)}", LEAVE_ROW_OUT
    description = (
        f"{(column.column.levels or ())[codes[first]]!r} in {data_row(row)} is no number, "
        f"{len(levels) - len(words):,} of {counted(len(levels), 'level')} are"
    )
    if all(map(TOTAL.fullmatch, words)):
        return description, DELETE_TOTAL
    if (stray := stray_word(levels)) is not None:
        return description, stray[1]
    code = conversion_code([level for level in levels if level not in words], ", errors='coerce'")
    return description, "correct them" + worded(f", or make them missing by {code}")
