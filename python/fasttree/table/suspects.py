"""What rows may mean beside what they say: numbers that stand for a missing cell, columns whose
rows belong together, and the label among the features.

What
    `sentinels` finds whole numbers such as 999 or -9 far from all others of a column. `groupings`
    finds columns of patients, households and the like, `labels_among` features that say what the
    target says. `hints` puts all this in words. Nothing is changed: only who knows the data can
    tell.
Complexity
    O(cells) for the extremes of the columns, O(n log n) for a column that is suspected.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._checks.speech import argument, reading, worded
from ..rendering.words import counted, some_of
from .columns import Column
from .traps import are_numbers, named_code, reason_to_leave_out, strange_cells
from .unfailing import unfailing

if TYPE_CHECKING:
    from .table import Table

__all__ = [
    "Grouping",
    "Sentinel",
    "code_columns",
    "groupings",
    "hints",
    "labels_among",
    "sentinels",
    "suspicions",
]

MOST_CODES = 1000
"""Distinct numbers of a column of codes, at most."""

FIRST = 64
"""Rows of a block of numbers that rule most columns out."""

LEAST_ROWS = 50
"""Rows from which columns are looked at."""

LEAST_LABELLED = 20
"""Rows from which a feature is compared with the target."""

LEAST_SHARE = 0.01
"""Share of the rows in which a number must occur to stand for a missing cell."""

LEAST_GROUPS = 20
"""Values of a column of groups, at least."""

MOST_PER_GROUP = 50
"""Mean number of rows per value of a column of groups, at most."""

FEW_PER_GROUP = 10
"""Mean number of rows per value up to which a column of text is suspected by that alone."""

_NINES = re.compile(r"9+")
_NAMED = re.compile(
    r"patient|subject|person|participant|respondent|individual|household|famil|user|customer|client"
    r"|member|donor|animal|student|pupil|twin|couple|mother|driver|device|session|episode|admission"
    r"|(?:^|[_\s.-])(?:id|ids|pid|sid|uid|fid|key|mrn)$|[a-z](?:Id|ID)$",
    re.IGNORECASE,
)
_NAMED_TIME = re.compile(r"year|month|week|day|date|hour|minute|time|age$", re.IGNORECASE)


class Sentinel(NamedTuple):
    """A number that may stand for missing cells of a column."""

    column: str
    value: int
    n_rows: int
    """Rows that have it."""
    low: float
    high: float
    """The range of the other values."""


class Grouping(NamedTuple):
    """A column whose rows of one value may belong together."""

    column: str
    n_values: int
    fewest: int
    most: int
    """Rows per value."""


def sentinels(table: Table) -> list[Sentinel]:
    """Whole numbers of nines, or -1, that are the least or greatest of a column, stand in at least
    one row in a hundred, and lie further from the next value than half the range of all others, or
    alone below zero. The number of a regression is looked at as well.

    Examples:
        >>> from fasttree import Table
        >>> ages = [*range(20, 80), 999, 999]
        >>> [s.value for s in sentinels(Table([[a] for a in ages], feature_names=["age"]))]
        [999]
        >>> sentinels(Table([[a] for a in [*range(90, 150)]]))
        []
    """
    if len(table) < LEAST_ROWS:
        return []
    return [found for column in _suspected(table) for found in _sentinels_of(column)]


def _suspected(table: Table) -> Iterator[Column]:
    """Columns of numbers whose least or greatest value may stand for a missing cell."""
    block = table.block
    if block is not None:
        if block.dtype.kind != "f":
            return
        lows, highs = np.fmin.reduce(block, axis=0), np.fmax.reduce(block, axis=0)
        for j in np.flatnonzero(_may_be_one(lows) | _may_be_one(highs)).tolist():
            yield table.column(j)
    else:
        for column in table.columns:
            if column.kind == "numeric" and column.name not in table.unused and len(column):
                yield column
    target = table.target_column
    if target is not None and target.kind == "numeric":
        yield target


def _may_be_one(values: np.ndarray) -> np.ndarray:
    """Whether values are whole numbers of nines, or -1."""
    size = np.abs(values)
    with np.errstate(invalid="ignore"):
        nines = np.isin(size, [10.0**digits - 1 for digits in range(1, 10)])
    return np.asarray(nines | (values == -1))


def _sentinels_of(column: Column) -> Iterator[Sentinel]:
    values = np.asarray(column.values, dtype=np.float64)
    known = values[~np.isnan(values)]
    while len(known):
        low, high = known.min(), known.max()
        found = None
        for value in (high, low):
            if not _may_be_one(np.asarray(value)):
                continue
            others = known[known != value]
            count = len(known) - len(others)
            if len(others) == 0 or count < max(2, LEAST_SHARE * len(values)):
                continue
            if _is_far(float(value), others):
                found = Sentinel(
                    column.name, int(value), count, float(others.min()), float(others.max())
                )
                yield found
                known = others  # -9 may stand beside -99
                break
        if found is None:
            return


def _is_far(value: float, others: np.ndarray) -> bool:
    """Whether a number lies far from all others, or alone below them and below zero."""
    low, high = float(others.min()), float(others.max())
    if low == high:
        return False
    gap = max(low - value, value - high)
    alone = value < 0 <= low and len(np.unique(others[:1000])) >= LEAST_GROUPS
    return gap > max((high - low) / 2, 1) or alone  # -1, 0 and 1 are signs


def groupings(table: Table, passed_over: Collection[str] = ()) -> list[Grouping]:
    """Columns of text or whole numbers with many values of a few rows each that look like patients,
    households or the like: by their name, as text of up to ten rows per value, because the rows of
    each value stand one after another, or because each value has one value of another column.

    Args:
        table: the rows.
        passed_over: columns that are not looked at.

    Examples:
        >>> from fasttree import Table
        >>> rows = {"patient": [i // 4 for i in range(120)], "x": [i * i % 7 for i in range(120)]}
        >>> groupings(Table(rows))
        [Grouping(column='patient', n_values=30, fewest=4, most=4)]
    """
    n = len(table)
    if n < LEAST_ROWS or (table.block is not None and table.block.dtype.kind != "f"):
        return []
    found = []
    for place, name in enumerate(table.feature_names):
        if name in passed_over or name in table.unused or named_code(name):
            continue
        codes = _codes_of(table, place, by_name=_NAMED.search(name) is not None)
        if codes is None:
            continue
        counts = np.bincount(codes)
        counts = counts[counts > 0]
        mean = n / len(counts)
        if len(counts) < LEAST_GROUPS or not 2 <= mean <= MOST_PER_GROUP:
            continue
        if counts[counts > 1].sum() < 0.8 * n:
            continue
        if _belong_together(table, place, codes, mean):
            found.append(Grouping(name, len(counts), int(counts.min()), int(counts.max())))
    return found


def _codes_of(table: Table, place: int, *, by_name: bool) -> np.ndarray | None:
    """Codes of the values of a column of text or whole numbers without gaps, else None."""
    block = table.block
    if block is not None:
        first = block[:LEAST_ROWS, place]
        if np.isnan(first).any() or (first != np.floor(first)).any():
            return None
    column = table.column(place)
    if column.levels is not None:
        codes = np.asarray(column.values)
        has_gaps = bool((codes < 0).any())
        numbers = are_numbers(column.levels, fractions=True) or strange_cells(column) is not None
        return None if has_gaps or numbers else codes
    values = np.asarray(column.values, dtype=np.float64)
    if np.isnan(values).any() or not np.array_equal(values, np.floor(values)):
        return None
    if not by_name and _NAMED_TIME.search(column.name):
        return None
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _belong_together(table: Table, place: int, codes: np.ndarray, mean: float) -> bool:
    """Whether something says that the rows of one code belong together."""
    column = table.column(place)
    if _NAMED.search(column.name):
        return True
    if column.levels is not None and mean <= FEW_PER_GROUP:
        return True
    n_values = len(np.unique(codes))
    if np.count_nonzero(np.diff(codes)) == n_values - 1 and not _is_sorted_number(column):
        return True
    # Another column that is the same within each value: a patient's sex, a household's town.
    order = np.argsort(codes, kind="stable")
    pairs = np.flatnonzero(codes[order][1:] == codes[order][:-1])  # of rows of one value
    one, next_one = order[pairs], order[pairs + 1]
    first = slice(0, LEAST_ROWS)  # these rule most columns out
    for other in table.columns:
        if other.name == column.name or other.name in table.unused:
            continue
        values = np.asarray(other.values)
        if values.dtype.kind == "f":
            values = np.nan_to_num(values, nan=np.inf)
        same = (values[one[first]] == values[next_one[first]]).all()
        if same and (values[one] == values[next_one]).all():
            most = np.unique(values, return_counts=True)[1].max()
            if most <= 0.9 * len(values):
                return True
    return False


def _is_sorted_number(column: Column) -> bool:
    """Whether rows are sorted by a number, which says nothing about groups."""
    if column.levels is not None:
        return False
    values = np.asarray(column.values)
    steps = np.diff(values)
    counts_up = values.min() in (0, 1) and steps.max() <= 1  # as identifiers do
    return bool((steps <= 0).all()) or (bool((steps >= 0).all()) and not counts_up)


def labels_among(table: Table, passed_over: Collection[str] = ()) -> list[str]:
    """Features that have one value for each class, and each value in one class; or, of a numeric
    target, its numbers. Missing cells of the feature are not compared.

    Args:
        table: the rows; without a target there is nothing to find.
        passed_over: columns that are not looked at.

    Examples:
        >>> from fasttree import Table
        >>> rows = {"species": ["a", "b"] * 10, "x": range(20)}
        >>> labels_among(Table(rows, [1, 2] * 10))
        ['species']
    """
    target = table.target_column
    if target is None or len(table) < LEAST_LABELLED:
        return []
    if table.block is not None and table.block.dtype.kind != "f":
        return []
    truth = np.asarray(target.values)
    is_number = target.levels is None
    some = slice(None, None, max(1, len(table) // LEAST_ROWS))  # these rule nearly all columns out
    found = []
    for place, name in enumerate(table.feature_names):
        if name in passed_over or name in table.unused:
            continue
        if table.block is not None and not _agree(table.block[some, place], truth[some], is_number):
            continue
        column = table.column(place)
        if is_number and column.levels is not None:
            continue
        values = np.asarray(column.values)
        if _agree(values[some], truth[some], is_number) and _agree(
            values, truth, is_number, least=LEAST_LABELLED
        ):
            found.append(name)
    return found


def _agree(values: np.ndarray, truth: np.ndarray, is_number: bool, least: int = 0) -> bool:
    """Whether numbers are those of the target, or values stand one to one for its classes.

    Args:
        values, truth: numbers (NaN: missing) or codes (below 0: missing) of a feature and the
            target, (n_rows,).
        is_number: whether the target is a number.
        least: fewest rows without a missing cell; more than 0 asks for two values as well, and for
            all classes.
    """
    known = _known(values) & _known(truth)
    values, classes = values[known], truth[known]
    if len(values) < least:
        return False
    if is_number:
        return np.array_equal(values, classes) and (least == 0 or np.ptp(classes) > 0)
    levels, codes = np.unique(values, return_inverse=True)
    n_classes = len(np.unique(classes))
    if len(levels) != n_classes:
        return False
    if least and (n_classes < 2 or n_classes < len(np.unique(truth[_known(truth)]))):
        return False
    return len(np.unique(codes.reshape(-1) * (int(classes.max(initial=0)) + 1) + classes)) == len(
        levels
    )


def _known(values: np.ndarray) -> np.ndarray:
    """Which numbers or codes are no missing cells."""
    return np.asarray(~np.isnan(values) if values.dtype.kind == "f" else values >= 0)


@unfailing(otherwise=())
def hints(
    table: Table,
    passed_over: Collection[str] = (),
    *,
    grouped: bool = False,
) -> list[str]:
    """What a user may want to know of the rows, one sentence for each kind of suspicion.

    Args:
        table: the rows.
        passed_over: columns that are not looked at for groups.
        grouped: whether groups are known already.

    Examples:
        >>> from fasttree import Table
        >>> print(*hints(Table({"patient": [i // 4 for i in range(120)], "x": [0, 2] * 60})))
        column 'patient' has 30 values with 4 rows each: ignore this unless it identifies groups \
(patients, sites); then leave it out of a fit, and in cross_validate, compare and advise use \
groups='patient'
    """
    found = sentinels(table)
    said = []
    if found:
        listed = [
            f"{one.column!r} ({one.value} in {counted(one.n_rows, 'row')}, all others from "
            f"{one.low:g} to {one.high:g})"
            for one in found
        ]
        by_column: dict[str, list[int]] = {}
        for one in found:
            by_column.setdefault(one.column, []).append(one.value)
        said.append(
            f"numbers far from all others may mean a missing cell: {some_of(listed)}; if so, "
            f"{reading('missing', by_column)}" + worded(", or NaN in a frame")
        )
    for name in labels_among(table, passed_over):
        what, noun = "stands one to one for the classes", "label"
        if table.task == "regression":
            what, noun = "is equal to the target", "target"
        said.append(
            f"column {name!r} {what}: is it the {noun} under another name? if so, leave it out: "
            + worded(f"X.drop(columns=[{name!r}])", argument("drop", [name]))
        )
    for group in [] if grouped else groupings(table, passed_over):
        each = f"{group.fewest} to {group.most}" if group.fewest < group.most else str(group.most)
        said.append(
            f"column {group.column!r} has {counted(group.n_values, 'value')} with {each} rows "
            "each: ignore this unless it identifies groups (patients, sites); then leave it out "
            f"of a fit, and in {worded('cross_validate', 'cv')}, compare and advise use "
            f"{argument('groups', group.column)}"
        )
    return said


def code_columns(table: Table, *, by_name: bool = True) -> list[str]:
    """Names of numeric columns whose whole numbers may be codes of categories: three or more
    values, ten rows a value.

    Args:
        table: the data.
        by_name: only those whose names say so (region, zip_code, rs1234_A); else all with up to 12
            values.

    Examples:
        >>> from fasttree import Table
        >>> rows = [[i % 4, i % 7] for i in range(80)]
        >>> table = Table(rows, [0, 1] * 40, feature_names=["region", "rooms"])
        >>> code_columns(table), code_columns(table, by_name=False)
        (['region'], ['region', 'rooms'])
    """
    most = MOST_CODES if by_name else 12
    found = []
    for column in table.columns:
        if column.kind != "numeric":
            continue
        if by_name and not named_code(column.name):
            continue
        values = np.asarray(column.values, dtype=np.float64)
        known = values[~np.isnan(values)]
        if not np.array_equal(known, np.floor(known)):
            continue
        distinct = len(np.unique(known))
        if 3 <= distinct <= min(most, len(known) / 10):
            found.append(column.name)
    return found


def suspicions(table: Table, rows: np.ndarray | None = None) -> list[tuple[str, str]]:
    """(column, reason) of the features in use of a Table that should be left out, in order.

    Genotypes (a block of codes) are not looked at.

    Args:
        table: the data.
        rows: numbers of the rows that are looked at; None: all.
    """
    n, block = len(table) if rows is None else len(rows), table.block
    if block is not None and block.dtype.kind != "f":
        return []
    if block is None:
        used = [c for c in table.columns if c.name not in table.unused]
    else:
        # Whole numbers and constants alone are of interest, and the first rows rule most others out
        first = block[:FIRST] if rows is None else block[rows[:FIRST]]
        with np.errstate(invalid="ignore"):
            whole = (np.isnan(first) | (first == np.floor(first))).all(axis=0)
            same = (first == first[0]).all(axis=0)
        used = [table.column(int(j)) for j in np.flatnonzero(whole | same)]
    seen = used if rows is None else (column.take(rows) for column in used)
    numbers = table.row_numbers
    if rows is not None:
        numbers = rows if numbers is None else numbers[rows]
    found = ((c.name, reason_to_leave_out(c, n, numbers)) for c in seen)
    return [(name, reason) for name, reason in found if reason is not None]
