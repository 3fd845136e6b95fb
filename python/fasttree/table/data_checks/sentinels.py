"""Numbers and words that stand for a missing cell: 999 or -9 far from all others of a column, or
"unknown" among its levels.

Whole numbers of nines, or -1, that are the least or greatest of a column, stand in at least one row
in a hundred, and lie further from the next value than half the range of all others, or alone below
zero. The number of a regression is looked at as well. O(cells) for the extremes of the columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..._checks.words import counted, reading, some_of, worded
from ..file_cells import NO_OTHERS
from .facts import MIN_ROWS, ColumnFacts, Finding, TableFacts
from .hidden_numbers import obstacle_to_numbers

MIN_SHARE = 0.01
"""Smallest share of the rows in which a number must occur to stand for a missing cell."""

MIN_OTHERS = 20
"""Smallest number of other values beside a lone number below zero."""

MISSING_WORD = re.compile(
    r"\s*(?:unk\.?|unknown|unspecified|missing|n[./]?a\.?|#n/a|<na>|nan|null"
    r"|no[ _-]?(?:data|answer|value)|keine angabe|k\.?\s?a\.?"
    r"|not[ _-](?:known|available|specified|stated|given|recorded|reported))\s*",
    re.IGNORECASE,
)
"""Levels that stand for a missing cell."""

_DASHES = frozenset("-–—") | {"--", "---"}


def find(facts: TableFacts) -> Iterator[Finding]:
    """Yield a finding for each such number or word of the columns and of the target.

    The evidence is the number (an int) or the word (a str). A column whose words for missing cells
    were named to the reader is not checked, nor are fewer than `MIN_ROWS` rows. A feature needs
    another level beside the word, and a target two other classes.
    """
    if facts.n_rows < MIN_ROWS:
        return
    targets = [] if facts.target is None else [ColumnFacts(facts.target)]
    for column in (*facts.columns_without_first_number, *targets):
        if NO_OTHERS in facts.table.file_cells.of_column(column.name):
            continue  # the reader was told all words
        # Two classes must be left; one may well be called unknown beside known.
        least = 2 + (column in targets)
        if (
            column.is_nominal
            and len(column.levels) >= least
            and obstacle_to_numbers(column) is None
        ):
            yield from _sentinel_words(column, is_target=column in targets)
    for column in (
        *_suspected_columns(facts),
        *(target for target in targets if not target.is_nominal),
    ):
        yield from _sentinel_numbers(column)


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """At most two sentences for all columns together, on the numbers and on the words, with the
    argument that reads them as missing. Nothing is replaced by a fit: 999 may be a number."""
    for kind, what in ((int, "numbers far from all others"), (str, "levels")):
        some = [finding for finding in found if isinstance(finding.evidence, kind)]
        cells: dict[str, list[Any]] = {}
        for finding in some:
            cells.setdefault(finding.column, []).append(finding.evidence)
        if some:
            texts = some_of([finding.text for finding in some])
            sentence = f"{what} may mean a missing cell: {texts}; if so, "
            yield sentence + reading("missing", cells) + worded(", or NaN in a frame")


def _sentinel_words(column: ColumnFacts, *, is_target: bool) -> Iterator[Finding]:
    counts = column.counts[column.occurring_codes].tolist()
    for level, count in zip(column.levels, counts, strict=True):
        text = level.strip().lower() if isinstance(level, str) else ""
        is_mark = text in _DASHES and "+" not in column.levels
        # A feature may well have none of something, and most rows of a target may.
        is_none = text == "none" and is_target and count == min(counts) < max(counts)
        if is_mark or is_none or MISSING_WORD.fullmatch(text):
            rows = counted(count, "row")
            yield Finding(column.name, f"{column.name!r} ({level!r} in {rows})", level)


def _suspected_columns(facts: TableFacts) -> Iterator[ColumnFacts]:
    """Columns of numbers whose least or greatest value may stand for a missing cell."""
    block = facts.block
    if block is None:
        yield from (c for c in facts.columns if not c.is_nominal)
    elif not facts.is_genotypes:
        lows, highs = np.fmin.reduce(block, axis=0), np.fmax.reduce(block, axis=0)
        places = np.flatnonzero(_may_be_sentinel(lows) | _may_be_sentinel(highs))
        yield from (facts.column(place) for place in places.tolist())


def _may_be_sentinel(values: np.ndarray) -> np.ndarray:
    """Whether values are whole numbers of nines, or -1."""
    size = np.abs(values)
    with np.errstate(invalid="ignore"):
        nines = np.isin(size, [10.0**digits - 1 for digits in range(1, 10)])
    return np.asarray(nines | (values == -1))


def _sentinel_numbers(column: ColumnFacts) -> Iterator[Finding]:
    low, high = column.range
    if not _may_be_sentinel(np.array([low, high])).any():
        return
    values = column.present_numbers
    while len(values):
        for value in (high, low):
            if not _may_be_sentinel(np.asarray(value)):
                continue
            others = values[values != value]
            count = len(values) - len(others)
            if len(others) == 0 or count < max(2, MIN_SHARE * len(column.column)):
                continue
            if not _is_far(value, others):
                return
            values, low, high = others, float(others.min()), float(others.max())
            text = (
                f"{column.name!r} ({int(value)} in {counted(count, 'row')}, all others from "
                f"{low:g} to {high:g})"
            )
            yield Finding(column.name, text, int(value))
            break  # -9 may stand beside -99
        else:
            return


def _is_far(value: float, others: np.ndarray) -> bool:
    """Whether a number is further from all others than half their range, or is the only one below
    zero."""
    low, high = float(others.min()), float(others.max())
    if low == high:
        return False
    gap = max(low - value, value - high)
    alone = value < 0 <= low and len(np.unique(others[:1000])) >= MIN_OTHERS
    return gap > max((high - low) / 2, 1) or alone  # -1, 0 and 1 are signs
