"""Exposures: counts as rates, each row weighted by the time, area or size in which it was seen.

A row whose count `y` was seen over the exposure `e` has the rate `y / e` and the weight `e`, so the
weighted mean of the rates is the sum of the counts over the sum of the exposures. A Table of rates
keeps its exposures, and every fit on it, or on some of its rows, weights by them. O(rows).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import weights_array
from .._checks.words import argument, option, row_word
from .named_columns import pop_if_named
from .table import Table
from .target import MAX_NUMBER, NumericTarget


def with_exposure(table: Table, exposure: Any, kept: tuple[np.ndarray, int] | None = None) -> Table:
    """The Table of the rates of a Table of counts.

    Args:
        table: rows with counts as target.
        exposure: positive numbers, shape (n_rows,), or the name of a column, which then is no
            feature.
        kept: (positions of the rows that the table has among the rows with an exposure, number of
            the latter); None if the table has all of them.

    Raises:
        ValueError: another shape, an exposure that is not positive, or a target that is no number.

    >>> table = Table({"a": [1, 2], "months": [6.0, 12.0]}, [3, 12], task="regression")
    >>> rates = with_exposure(table, "months")
    >>> rates.feature_names, rates.numbers.tolist(), rates.exposure.tolist()
    (['a'], [0.5, 1.0], [6.0, 12.0])
    """
    table, exposure = pop_if_named(table, exposure, "exposure")
    if table.task != "regression":
        raise ValueError(
            f"{option('exposure')} with classes: only counts have rates; name criterion='poisson', "
            f"or {argument('task', 'regression')}"
        )
    if table.exposure is not None:
        raise ValueError(f"{option('exposure')} twice: the Table has exposures already")
    rates = rates_of(table.numbers, exposure, kept)
    new = table.take(slice(None))
    new._target = NumericTarget(table.target or "y", rates[0])
    new.exposure, new.origin = rates[1], ""
    return new


def rates_of(
    counts: np.ndarray, exposure: Any, kept: tuple[np.ndarray, int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Counts per exposure, and the exposures, float64, each of shape (n_rows,).

    `counts` is the target of the rows that are kept; `exposure` has one number per row that the
    caller gave, and `kept` says which of them these are (their positions, number of given rows).

    Raises:
        ValueError: another shape, an exposure that is not positive and finite, a negative count, or
            a rate that is too large; the message names the row.
    """
    given, n_given = (np.arange(len(counts)), len(counts)) if kept is None else kept
    exposures = weights_array(exposure, "exposure")
    if exposures.shape != (n_given,):
        raise ValueError(
            f"exposure has the shape {exposures.shape}, expected ({n_given},): one positive "
            "number per row"
        )
    exposures = exposures[given]
    wrong = np.flatnonzero(~((exposures > 0) & np.isfinite(exposures)))
    if len(wrong):
        raise ValueError(
            f"exposure of {row_word(given[wrong[0]])} is {exposures[wrong[0]]}: it must be a "
            "positive number; drop rows that were not exposed"
        )
    wrong = np.flatnonzero(counts < 0)
    if len(wrong):
        raise ValueError(
            f"the target of {row_word(given[wrong[0]])} is {counts[wrong[0]]:g}: with an exposure "
            "it is a count, which is not negative"
        )
    with np.errstate(over="ignore"):
        rates = counts / exposures
    wrong = np.flatnonzero(np.abs(rates) > MAX_NUMBER)
    if len(wrong):
        row = wrong[0]
        raise ValueError(
            f"exposure of {row_word(given[row])} is {exposures[row]}: the rate, "
            f"{counts[row]:g} / {exposures[row]:g}, leaves the range of numbers; give "
            "the exposure in larger units"
        )
    return rates, exposures
