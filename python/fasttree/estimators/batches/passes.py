"""The passes over parts: what replaces missing cells, cut points, codes.

What
    Each pass has a function of one part, which any process may call, and a function that joins what
    two parts say. The joined result does not depend on how rows were parted. Cut points are those
    of all rows together: the core's sample is chosen by the content of the rows.
Memory
    A sample of about 65,536 rows; 16 bytes for each distinct value of a column that has to be
    counted, at most `MOST_VALUES` of them.
When not to use it
    For an array, which the core reads at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _engine
from .parts import Coding, ReadPart

__all__ = [
    "Encoded",
    "cuts_of",
    "edges_of_part",
    "encoded_part",
    "fills_of",
    "gaps_of_part",
    "joined_edges",
    "joined_features",
    "joined_gaps",
    "joined_values",
    "values_of_part",
]

MOST_VALUES = 1 << 26
"""Distinct values of a column that are counted, 1 GiB."""

core = _engine.core
Gaps = list[tuple[int, np.ndarray, int]]
Edges = tuple[list[np.ndarray], np.ndarray, list[np.ndarray | None]]
Values = list[tuple[np.ndarray, np.ndarray]]


def gaps_of_part(reader: ReadPart, coding: Coding, part: Any, where: str) -> Gaps | None:
    """Missing cells of each column, and what its mean or mode is made of: parts of an exact sum and
    known copies, or counts by level."""
    rows = reader(part, where)
    if rows is None:
        return None
    copies, found = coding.copies(rows), []
    for block, levels in zip(_columns(coding, rows, False), coding.n_levels, strict=True):
        if levels or block.dtype.kind in "iu":
            codes = block.astype(np.int32, copy=False)
            counts = core.level_counts(codes, copies, levels)
            found.append((int(np.count_nonzero(codes < 0)), counts, 0))
        else:
            values = block.astype(np.float64, copy=False)
            sums, known = core.exact_sum(values, copies)
            found.append((int(np.count_nonzero(np.isnan(values))), sums, known))
    return found


def _columns(coding: Coding, rows: Any, filled: bool) -> list[np.ndarray]:
    blocks = coding.blocks(rows, filled)
    return [block[:, j] for block in blocks for j in range(block.shape[1])]


def joined_gaps(coding: Coding, a: Gaps | None, b: Gaps | None) -> Gaps | None:
    """The same of two parts."""
    if a is None or b is None:
        return b if a is None else a
    pairs = zip(a, b, coding.facts.kinds, strict=True)
    return [
        (
            one[0] + two[0],
            np.concatenate([one[1], two[1]]) if kind == "numeric" else one[1] + two[1],
            one[2] + two[2],
        )
        for one, two, kind in pairs
    ]


def fills_of(coding: Coding, gaps: Gaps) -> Coding:
    """The coding with the mean or mode of each column that misses cells.

    Raises:
        ValueError: the sum of a column is beyond all numbers.
    """
    fills: list[float | int | None] = []
    for (missing, found, known), kind, name in zip(
        gaps, coding.facts.kinds, coding.facts.names, strict=True
    ):
        if not missing or (kind == "numeric" and not known):
            fills.append(None)
        elif kind == "numeric":
            mean = core.rounded_sum(found) / known
            if not np.isfinite(mean):
                raise ValueError(f"column {name!r}: the sum of its values overflows; scale it")
            fills.append(float(mean))
        else:
            fills.append(int(np.argmax(found)) if found.any() else None)
    return replace(coding, fills=tuple(fills))


def edges_of_part(
    reader: ReadPart, coding: Coding, bins: int, part: Any, where: str
) -> Edges | None:
    """What a part says of the cut points of numeric columns."""
    rows = reader(part, where)
    if rows is None:
        return None
    blocks, copies = coding.blocks(rows), coding.copies(rows)
    found: Edges = core.edge_summary(blocks, len(rows.codes), copies, coding.facts.copies, bins)
    return found


def joined_edges(bins: int, a: Edges | None, b: Edges | None) -> Edges | None:
    """The same of two parts."""
    if a is None or b is None:
        return b if a is None else a

    def union(one: np.ndarray | None, two: np.ndarray | None) -> np.ndarray | None:
        if one is None or two is None:
            return None
        both = np.union1d(one, two)
        return both if len(both) <= bins else None

    sample = [np.concatenate(two) for two in zip(a[0], b[0], strict=True)]
    few = [union(one, two) for one, two in zip(a[2], b[2], strict=True)]
    return sample, np.concatenate([a[1], b[1]]), few


def cuts_of(coding: Coding, edges: Edges, bins: int) -> tuple[Coding, list[int]]:
    """The coding with cut points, and the columns of which all values have to be counted first."""
    numeric = [j for j, kind in enumerate(coding.facts.kinds) if kind == "numeric"]
    found = core.edge_cuts(*edges, coding.facts.copies, bins)
    cuts: list[np.ndarray | None] = [None] * len(coding.facts.kinds)
    for j, own in zip(numeric, found, strict=True):
        cuts[j] = own
    return replace(coding, cuts=tuple(cuts)), [j for j in numeric if cuts[j] is None]


def values_of_part(
    reader: ReadPart, coding: Coding, columns: list[int], part: Any, where: str
) -> Values | None:
    """How often each value of some numeric columns occurs in a part."""
    rows = reader(part, where)
    if rows is None:
        return None
    copies, all_columns = coding.copies(rows), _columns(coding, rows, True)
    one = np.ones(len(rows.codes), np.uint64) if copies is None else copies.astype(np.uint64)
    return [core.value_counts(all_columns[j].astype(np.float64), one) for j in columns]


def joined_values(names: list[str], a: Values | None, b: Values | None) -> Values | None:
    """The same of two parts.

    Raises:
        MemoryError: a column with more distinct values than are counted.
    """
    if a is None or b is None:
        return b if a is None else a
    both = [
        core.value_counts(*(np.concatenate(two) for two in zip(one, other, strict=True)))
        for one, other in zip(a, b, strict=True)
    ]
    for name, (values, _) in zip(names, both, strict=True):
        if len(values) > MOST_VALUES:
            raise MemoryError(
                f"column {name!r} has more than {MOST_VALUES:,} distinct values, all of which "
                "would have to be counted for so many bins: choose max_bins of at most 4096"
            )
    return both


def with_values(coding: Coding, columns: list[int], values: Values, bins: int) -> Coding:
    """The coding with the cut points of columns whose values were counted."""
    cuts = list(coding.cuts)
    for j, (found, counts) in zip(columns, values, strict=True):
        cuts[j] = core.value_cuts(found, counts, bins)
    return replace(coding, cuts=tuple(cuts))


@dataclass(frozen=True)
class Encoded:
    """A part as codes: records (rows, width) uint8; codes, missing code and ranges of each column.
    Weight of each class; a number for the content of each row, where it is asked for."""

    records: np.ndarray
    features: list[tuple[int, bool, np.ndarray | None]]
    totals: np.ndarray
    hashes: np.ndarray | None


def encoded_part(
    reader: ReadPart, coding: Coding, hashed: bool, part: Any, where: str
) -> Encoded | None:
    """A part as codes; None without rows."""
    rows = reader(part, where)
    if rows is None:
        return None
    classes, copies = coding.classes(rows), coding.copies(rows)
    cuts = coding.cuts or (None,) * len(coding.facts.kinds)
    found = core.encode_rows(
        coding.blocks(rows), classes, copies, cuts, coding.n_levels, len(coding.facts.classes)
    )
    hashes = core.row_hashes(coding.blocks(rows, False), classes, copies) if hashed else None
    return Encoded(*found, hashes)


def joined_features(
    a: list[tuple[int, bool, np.ndarray | None]], b: list[tuple[int, bool, np.ndarray | None]]
) -> list[tuple[int, bool, np.ndarray | None]]:
    """What the codes of two parts mean together: the extremes of each bin."""

    def wider(one: np.ndarray | None, two: np.ndarray | None) -> np.ndarray | None:
        if one is None or two is None:
            return None
        low, high = np.minimum(one[:, 0], two[:, 0]), np.maximum(one[:, 1], two[:, 1])
        return np.ascontiguousarray(np.column_stack([low, high]))

    pairs = zip(a, b, strict=True)
    return [(x[0], x[1] or y[1], wider(x[2], y[2])) for x, y in pairs]
