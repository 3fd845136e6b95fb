"""Ties: values that differ by rounding only.

0.1 + 0.2 and 0.3 are two doubles, and so may be the means of the same fold values summed in two
orders; ranks of the bits would differ. Here values of one sample are tied if they differ by at most
1e-12 of the largest magnitude in it. That is a thousand times the rounding error of a mean of some
hundred values, and far below one row of any test set. The rank tests and the tables use this.
O(n log n).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

TIED = 1e-12
"""Values of one sample within this share of the largest magnitude are tied."""


def exact_mean(values: Iterable[float]) -> float:
    """Return the mean of values from their exact sum, rounded once: it does not depend on their
    order. NaN for no values, or where a value or the sum is not finite on both sides.

    >>> exact_mean([0.1] * 10)
    0.1
    """
    numbers = [float(value) for value in values]
    if not numbers:
        return math.nan
    if not all(map(math.isfinite, numbers)):
        return float(np.mean(numbers))
    return math.fsum(numbers) / len(numbers)


def snap(values: Any, scale: Any = None) -> np.ndarray:
    """Return a copy in which tied values of a row (last axis) are the same double, the smallest.

    `scale` is the magnitude that `TIED` refers to, one per row; default: the largest of the row.
    Values that are not finite are left as they are.

    >>> snap([0.1 + 0.2, 0.5, 0.3]).tolist()
    [0.3, 0.5, 0.3]
    """
    snapped = np.array(values, dtype=np.float64)
    if snapped.shape[-1] == 0:
        return snapped
    if scale is None:
        scale = np.abs(np.where(np.isfinite(snapped), snapped, 0.0)).max(axis=-1)
    order = np.argsort(snapped, axis=-1, kind="stable")
    ascending = np.take_along_axis(snapped, order, axis=-1)
    with np.errstate(invalid="ignore"):
        apart = ~(np.diff(ascending, axis=-1) <= TIED * np.asarray(scale)[..., None])
    # position of the first value of each tie
    begins = np.where(apart, np.arange(1, snapped.shape[-1]), 0)
    begins = np.concatenate([np.zeros_like(begins[..., :1]), begins], axis=-1)
    if begins.shape != ascending.shape:  # rows of a single value have no differences
        return snapped
    begins = np.maximum.accumulate(begins, axis=-1)
    np.put_along_axis(snapped, order, np.take_along_axis(ascending, begins, axis=-1), axis=-1)
    return snapped


def mean_ranks(values: Any) -> np.ndarray:
    """Return ranks 1..k along the last axis, smallest value first, ties sharing their mean rank.

    Not for NaN.

    >>> mean_ranks([0.1 + 0.2, 0.5, 0.3]).tolist()
    [1.5, 3.0, 1.5]
    """
    from scipy.stats import rankdata

    ranks: np.ndarray = rankdata(snap(values), axis=-1)
    return ranks
