"""Columns whose values identify groups of rows: patients, households and the like.

Columns of text or whole numbers with many values of a few rows each are suspected by their name, as
text of up to ten rows per value, because the rows of each value stand one after another, or because
each value has one value of another column. O(n log n) for a column that is suspected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..._checks.words import argument, counted, worded
from ..number_texts import are_plain_numbers
from .codes import is_named_as_code
from .facts import MIN_ROWS, ColumnFacts, Finding, TableFacts
from .hidden_numbers import obstacle_to_numbers

MIN_GROUPS = 20
"""Smallest number of groups in such a column."""

MAX_GROUP_SIZE = 50
"""Largest mean number of rows per group."""

MIN_NAMED_GROUP_SIZE = 1.1
"""Smallest mean number of rows per group if the name says that they are groups; otherwise 2."""

MAX_TEXT_GROUP_SIZE = 10
"""Largest mean number of rows per value with which any column of text is suspected."""

_WHO = (
    "patient|subject|person|participant|respondent|individual|household|famil|user|customer|client"
    "|member|donor|animal|student|pupil|twin|couple|mother|driver|device|session|episode|admission"
)
_NAMED = re.compile(
    rf"{_WHO}|(?:^|[_\s.-])(?:id|ids|pid|sid|uid|fid|key|mrn)$|[a-z](?:Id|ID)$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"(?:{_WHO})(?:(?:ie)?s|[_ ]?counts?)(?![a-z])(?!.*(?:id|key|nr|no|number)$)", re.IGNORECASE
)
"""Plurals: a column of such a name (individuals_affected) counts them."""

NAMED_TIME = re.compile(r"year|month|week|day|date|hour|minute|time|age$", re.IGNORECASE)


def find(facts: TableFacts) -> Iterator[Finding]:
    """Yield a finding for each column that may identify groups of rows.

    The evidence is (number of groups, rows of the smallest, rows of the largest). Columns named as
    codes are left to the check `codes`. Fewer than `MIN_ROWS` rows or `MIN_GROUPS` values are too
    few to tell.
    """
    if facts.n_rows < MIN_ROWS or facts.is_genotypes:
        return
    names = facts.table.feature_names
    for place in facts.places:
        if is_named_as_code(names[place]):
            continue
        codes = _codes_of(facts, place)
        if codes is None:
            continue
        counts = np.bincount(codes)
        counts = counts[counts > 0]
        mean, named = facts.n_rows / len(counts), _NAMED.search(names[place]) is not None
        least, shared = (MIN_NAMED_GROUP_SIZE, 0.0) if named else (2, 0.8)
        if len(counts) < MIN_GROUPS or not least <= mean <= MAX_GROUP_SIZE:
            continue
        if counts[counts > 1].sum() < shared * facts.n_rows:
            continue
        if _belong_together(facts, place, codes, mean):
            fewest, most = int(counts.min()), int(counts.max())
            each = f"{fewest} to {most}" if fewest < most else str(most)
            text = f"{counted(len(counts), 'value')} with {each} rows each"
            yield Finding(names[place], text, (len(counts), fewest, most))


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence per column, which says what to do if it identifies groups. Chance may make such
    a column, so the sentence first says when to ignore it."""
    for finding in found:
        yield (
            f"column {finding.column!r} has {finding.text}: ignore this unless it identifies "
            "groups (patients, sites); then leave it out of a fit, and in "
            f"{worded('cross_validate', 'cv')}, compare and advise use "
            f"{argument('groups', finding.column)}"
        )


def _codes_of(facts: TableFacts, place: int) -> np.ndarray | None:
    """The values of a column of text or whole numbers as codes, shape (n_rows,); None for any other
    column, and for one with missing cells."""
    block = facts.block
    if block is not None:
        first = block[:MIN_ROWS, place]
        if np.isnan(first).any() or (first != np.floor(first)).any():
            return None
    column = facts.column(place)
    if column.n_filled < facts.n_rows:
        return None
    if column.is_nominal:
        if (
            are_plain_numbers(column.levels, fractions=True)
            or obstacle_to_numbers(column) is not None
        ):
            return None
        return np.asarray(column.column.values)
    named = _NAMED.search(column.name) is not None
    if not column.are_whole or (not named and NAMED_TIME.search(column.name)):
        return None
    if _COUNTED.search(column.name):
        return None
    return np.unique(column.present_numbers, return_inverse=True)[1].reshape(-1)


def _belong_together(facts: TableFacts, place: int, codes: np.ndarray, mean: float) -> bool:
    """Whether the name or the rows say that rows of one code belong together; `mean` is the mean
    number of rows per code."""
    column = facts.column(place)
    if _NAMED.search(column.name):
        return True
    if column.is_nominal and mean <= MAX_TEXT_GROUP_SIZE:
        return True
    n_values = len(np.unique(codes))
    if np.count_nonzero(np.diff(codes)) == n_values - 1 and not _is_sorted_number(column):
        return True
    # Another column that is the same within each value: a patient's sex, a household's town.
    order = np.argsort(codes, kind="stable")
    pairs = np.flatnonzero(codes[order][1:] == codes[order][:-1])  # of rows of one value
    first_rows, next_rows = order[pairs], order[pairs + 1]
    first = slice(0, MIN_ROWS)  # these rule most columns out
    for other in map(facts.column, facts.places):
        if other is column:
            continue
        values = np.asarray(other.column.values)
        if values.dtype.kind == "f":
            values = np.nan_to_num(values, nan=np.inf)
        same = (values[first_rows[first]] == values[next_rows[first]]).all()
        if same and (values[first_rows] == values[next_rows]).all():
            most = np.unique(values, return_counts=True)[1].max()
            if most <= 0.9 * len(values):
                return True
    return False


def _is_sorted_number(column: ColumnFacts) -> bool:
    """Whether the rows are sorted by a measured number, which says nothing about groups."""
    if column.is_nominal:
        return False
    values = np.asarray(column.column.values)
    steps = np.diff(values)
    counts_up = values.min() in (0, 1) and steps.max() <= 1  # as identifiers do
    return bool((steps <= 0).all()) or (bool((steps >= 0).all()) and not counts_up)
