"""The passes over parts (batches or partitions): for imputed values, cut points and codes.

What
    Each pass has a function of the rows of one part (`gaps_of`, `edges_of`, `value_counts_of`,
    `encode_part`), which any process may call, and a function that merges the results of two parts
    (`merge_...`). `complete_coding` runs the passes for imputed values and cut points in their
    order. The result does not depend on how rows were divided into parts: cut points are
    bit-identical to the cut points of all rows together, as the core samples rows by their content.
Memory
    A sample of about 65,536 rows, and 16 bytes per distinct value of a column whose values must be
    counted, at most `MOST_VALUES` of them.
When not to use it
    For an array, which the core reads at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ... import _engine
from .coding import Coding
from .reading import Rows

MOST_VALUES = 1 << 26
"""Largest number of distinct values of a column that are counted: 1 GiB at 16 bytes each."""

core = _engine.core


class Gaps(NamedTuple):
    """Missing cells of a column, and the terms of its mean or mode.

    Attributes:
        missing: number of missing cells.
        terms: for a numeric column, terms of the exact sum of its values; for a nominal one, counts
            by level.
        known: number of known values of a numeric column, with copies; 0 for nominal ones.
    """

    missing: int
    terms: np.ndarray
    known: int


Edges = tuple[list[np.ndarray], np.ndarray, list[np.ndarray | None]]
"""The result of `core.edge_summary`: sampled values per numeric column, copies of the sampled
rows, and the distinct values of each column that has few."""

Values = list[tuple[np.ndarray, np.ndarray]]
"""Distinct values and their counts, per column."""

CodedFeature = tuple[int, bool, np.ndarray | None]
"""Number of codes, whether the last one is for missing values, and the extremes of each bin
(n_bins, 2; None for nominal features)."""

Pass = Callable[[Callable[[Rows], Any], Callable[[Any, Any], Any]], Any]
"""A function ``run(function, join)`` that calls ``function(rows)`` for the rows of each part, and
returns the results joined by ``join(a, b)``."""


def complete_coding(coding: Coding, config: dict[str, Any], run: Pass) -> Coding:
    """Find the imputed values and cut points: a pass for each, and another one if distinct values
    must be counted.

    Args:
        coding: the coding of all parts, without imputed values and cut points.
        config: the parameters as the core takes them.
        run: makes a pass over all parts.

    Returns:
        The coding with both.
    """
    bins = config["max_bins"]
    if config["missing"] == "mode":
        coding = with_fills(coding, run(partial(gaps_of, coding), partial(merge_gaps, coding)))
    if "numeric" not in coding.facts.kinds:
        return coding
    edges = run(partial(edges_of, coding, bins), partial(merge_edges, bins))
    coding, columns = with_cuts(coding, edges, bins)
    if not columns:
        return coding
    names = [coding.facts.names[j] for j in columns]
    values = run(partial(value_counts_of, coding, columns), partial(merge_values, names))
    return with_values(coding, columns, values, bins)


def gaps_of(coding: Coding, rows: Rows) -> list[Gaps]:
    """The missing cells of each column of a part, with the terms of its mean or mode.

    Args:
        coding: the coding of all parts, without imputed values.
        rows: the rows of the part.
    """
    copies, gaps = coding.copies(rows), []
    for column, levels in zip(_columns(coding, rows, False), coding.n_levels, strict=True):
        if levels or column.dtype.kind in "iu":
            codes = column.astype(np.int32, copy=False)
            counts = core.level_counts(codes, copies, levels)
            gaps.append(Gaps(int(np.count_nonzero(codes < 0)), counts, 0))
        else:
            values = column.astype(np.float64, copy=False)
            terms, n_values = core.exact_sum(values, copies)
            gaps.append(Gaps(int(np.count_nonzero(np.isnan(values))), terms, n_values))
    return gaps


def _columns(coding: Coding, rows: Rows, impute: bool) -> list[np.ndarray]:
    """The features of a part one by one, shape (n_rows,) each.

    Args:
        coding: the coding of all parts.
        rows: the rows of the part.
        impute: whether missing cells are replaced, as in `Coding.blocks`.
    """
    blocks = coding.blocks(rows, impute)
    return [block[:, j] for block in blocks for j in range(block.shape[1])]


def merge_gaps(coding: Coding, a: list[Gaps], b: list[Gaps]) -> list[Gaps]:
    """The gaps of two parts together.

    Counts and terms of exact sums are added, so the mode or mean does not depend on the order of
    the parts.

    Args:
        coding: the coding of all parts.
        a, b: the gaps of each column in either part.
    """
    merged = []
    for gaps_a, gaps_b, kind in zip(a, b, coding.facts.kinds, strict=True):
        if kind == "numeric":
            terms = np.concatenate([gaps_a.terms, gaps_b.terms])
        else:
            terms = gaps_a.terms + gaps_b.terms
        merged.append(Gaps(gaps_a.missing + gaps_b.missing, terms, gaps_a.known + gaps_b.known))
    return merged


def with_fills(coding: Coding, gaps: list[Gaps]) -> Coding:
    """The coding with the mean or mode of each column that has missing cells.

    Args:
        coding: the coding of all parts, without imputed values.
        gaps: the merged gaps of all parts.

    Raises:
        ValueError: the sum of a column overflows.
    """
    fills: list[float | int | None] = []
    for gap, kind, name in zip(gaps, coding.facts.kinds, coding.facts.names, strict=True):
        if not gap.missing or (kind == "numeric" and not gap.known):
            fills.append(None)
        elif kind == "numeric":
            mean = core.rounded_sum(gap.terms) / gap.known
            if not np.isfinite(mean):
                raise ValueError(f"column {name!r}: the sum of its values overflows; scale it")
            fills.append(float(mean))
        else:
            fills.append(int(np.argmax(gap.terms)) if gap.terms.any() else None)
    return replace(coding, fills=tuple(fills))


def edges_of(coding: Coding, bins: int, rows: Rows) -> Edges:
    """The summary of a part from which the cut points of numeric columns are found.

    Args:
        coding: the coding of all parts.
        bins: largest number of bins.
        rows: the rows of the part.
    """
    blocks, copies = coding.blocks(rows), coding.copies(rows)
    return core.edge_summary(blocks, len(rows), copies, coding.facts.copies, bins)


def merge_edges(bins: int, a: Edges, b: Edges) -> Edges:
    """The summaries of two parts together.

    Samples are joined: the content of a row decides whether it is sampled, so the sample does not
    depend on how rows were divided. A column keeps its distinct values as long as there are at most
    `bins`.

    Args:
        bins: largest number of bins.
        a, b: the summaries.
    """

    def union(values_a: np.ndarray | None, values_b: np.ndarray | None) -> np.ndarray | None:
        """The distinct values of both; None if they are more than `bins`."""
        if values_a is None or values_b is None:
            return None
        values = np.union1d(values_a, values_b)
        return values if len(values) <= bins else None

    (sample_a, copies_a, few_a), (sample_b, copies_b, few_b) = a, b
    sample = [np.concatenate(columns) for columns in zip(sample_a, sample_b, strict=True)]
    few = list(map(union, few_a, few_b))
    return sample, np.concatenate([copies_a, copies_b]), few


def with_cuts(coding: Coding, edges: Edges, bins: int) -> tuple[Coding, list[int]]:
    """Find cut points from the merged summaries of all parts.

    A column with many equal values may need their exact counts: its cut points stay unknown until
    `with_values`.

    Args:
        coding: the coding of all parts, without cut points.
        edges: the merged summaries.
        bins: largest number of bins.

    Returns:
        The coding with the cut points, and the numbers of the columns whose distinct values must be
        counted first.
    """
    numeric = [j for j, kind in enumerate(coding.facts.kinds) if kind == "numeric"]
    column_cuts = core.edge_cuts(*edges, coding.facts.copies, bins)
    cuts: list[np.ndarray | None] = [None] * len(coding.facts.kinds)
    for j, cuts_of_column in zip(numeric, column_cuts, strict=True):
        cuts[j] = cuts_of_column
    return replace(coding, cuts=tuple(cuts)), [j for j in numeric if cuts[j] is None]


def value_counts_of(coding: Coding, columns: list[int], rows: Rows) -> Values:
    """The distinct values of some numeric columns of a part, with their counts.

    Only columns whose cut points a sample does not determine are counted. Missing cells are left
    out, and a row counts as many times as it has copies.

    Args:
        coding: the coding of all parts, with imputed values.
        columns: positions of the columns.
        rows: the rows of the part.
    """
    copies, all_columns = coding.copies(rows), _columns(coding, rows, True)
    counts = np.ones(len(rows), np.uint64) if copies is None else copies.astype(np.uint64)
    return [core.value_counts(all_columns[j].astype(np.float64), counts) for j in columns]


def merge_values(names: list[str], a: Values, b: Values) -> Values:
    """The distinct values of two parts together, with their counts.

    Memory grows with the number of distinct values: 16 bytes each, in the process that merges.

    Args:
        names: names of the columns, for errors.
        a, b: the values of each column in either part.

    Raises:
        MemoryError: a column with more than `MOST_VALUES` distinct values.
    """
    merged = [
        core.value_counts(np.concatenate([values_a, values_b]), np.concatenate([n_a, n_b]))
        for (values_a, n_a), (values_b, n_b) in zip(a, b, strict=True)
    ]
    for name, (values, _) in zip(names, merged, strict=True):
        if len(values) > MOST_VALUES:
            raise MemoryError(
                f"column {name!r} has more than {MOST_VALUES:,} distinct values, all of which "
                "would have to be counted for so many bins: choose max_bins of at most 4096"
            )
    return merged


def with_values(coding: Coding, columns: list[int], values: Values, bins: int) -> Coding:
    """The coding with the cut points of columns whose values were counted.

    Afterwards all numeric columns have cut points, and rows can be encoded.

    Args:
        coding: the coding of all parts, with the cut points of the other columns.
        columns: positions of the columns.
        values: their distinct values and counts, over all parts.
        bins: largest number of bins.
    """
    cuts = list(coding.cuts)
    for j, (distinct, counts) in zip(columns, values, strict=True):
        cuts[j] = core.value_cuts(distinct, counts, bins)
    return replace(coding, cuts=tuple(cuts))


@dataclass(frozen=True)
class Encoded:
    """The rows of a part as codes.

    Each row is one record of bytes: codes of the target and of all features, and the number of
    copies if rows have weights. The layout is the core's.

    Attributes:
        records: the codes of each row, uint8 (n_rows, bytes per row).
        features: number of codes, missing code and extremes of each column.
        sums: weight of each class; for a regression, the sums of the weights, of weight times
            number and of weight times squared number, in units of the target's grid.
        hashes: a hash of the content of each row; None if not needed.
    """

    records: np.ndarray
    features: list[CodedFeature]
    sums: list[int]
    hashes: np.ndarray | None


def encode_part(coding: Coding, hashed: bool, rows: Rows) -> Encoded:
    """Encode the rows of a part.

    It needs one pass over the cells of the part. The number of a regression becomes a whole
    multiple of the grid of all parts.

    Args:
        coding: the coding of all parts, with imputed values and cut points.
        hashed: whether to hash the content of each row.
        rows: the rows of the part.
    """
    target, copies = coding.target_of(rows), coding.copies(rows)
    cuts = coding.cuts or (None,) * len(coding.facts.kinds)
    n_classes = max(1, len(coding.facts.classes))
    blocks = coding.blocks(rows)
    codes = core.encode_rows(blocks, target, copies, cuts, coding.n_levels, n_classes)
    hashes = core.row_hashes(coding.blocks(rows, False), target, copies) if hashed else None
    return Encoded(*codes, hashes)


def merge_sums(a: list[int], b: list[int]) -> list[int]:
    """The `Encoded.sums` of two parts together: they are added class by class. They are whole
    numbers of Python, which do not overflow, so the order of the parts does not matter."""
    return [sum_a + sum_b for sum_a, sum_b in zip(a, b, strict=True)]


def merge_features(a: list[CodedFeature], b: list[CodedFeature]) -> list[CodedFeature]:
    """The `Encoded.features` of two parts together, with the extremes of each bin over both parts.

    Both parts were encoded with the same cut points and levels, so their numbers of codes are
    equal. There is a code for missing values if either part has one.
    """

    def extremes(range_a: np.ndarray | None, range_b: np.ndarray | None) -> np.ndarray | None:
        if range_a is None or range_b is None:
            return None
        low = np.minimum(range_a[:, 0], range_b[:, 0])
        high = np.maximum(range_a[:, 1], range_b[:, 1])
        return np.ascontiguousarray(np.column_stack([low, high]))

    return [
        (n_codes, missing_a or missing_b, extremes(range_a, range_b))
        for (n_codes, missing_a, range_a), (_, missing_b, range_b) in zip(a, b, strict=True)
    ]
