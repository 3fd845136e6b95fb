"""Which values are tied: those that differ by rounding.

.1 + .2 and .3 are two doubles, and so are two means of the same fold values summed in two orders.
Ranks that compare bits tell them apart. Here values of one sample are tied where they differ by at
most 1e-12 of the largest magnitude in it. That is a million times what rounding does to a mean, and
far below one row of any test set. O(n log n).
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
    found = [float(value) for value in values]
    if not found:
        return math.nan
    if not all(map(math.isfinite, found)):
        return float(np.mean(found))
    return math.fsum(found) / len(found)


def snap(values: Any, scale: Any = None) -> np.ndarray:
    """Return a copy in which tied values of a row (last axis) are the same double, the smallest.

    `scale` is the magnitude that `TIED` refers to, one a row; the largest of the row unless given.
    Values that are not finite stay.

    >>> snap([0.1 + 0.2, 0.5, 0.3]).tolist()
    [0.3, 0.5, 0.3]
    """
    found = np.array(values, dtype=np.float64)
    if found.shape[-1] == 0:
        return found
    if scale is None:
        scale = np.abs(np.where(np.isfinite(found), found, 0.0)).max(axis=-1)
    order = np.argsort(found, axis=-1, kind="stable")
    ascending = np.take_along_axis(found, order, axis=-1)
    with np.errstate(invalid="ignore"):
        apart = ~(np.diff(ascending, axis=-1) <= TIED * np.asarray(scale)[..., None])
    # the place of the first value of each tie
    begins = np.where(apart, np.arange(1, found.shape[-1]), 0)
    begins = np.concatenate([np.zeros_like(begins[..., :1]), begins], axis=-1)
    if begins.shape != ascending.shape:  # a single value a row has no differences
        return found
    begins = np.maximum.accumulate(begins, axis=-1)
    np.put_along_axis(found, order, np.take_along_axis(ascending, begins, axis=-1), axis=-1)
    return found


def mean_ranks(values: Any) -> np.ndarray:
    """Return ranks 1..k along the last axis, smallest value first, ties sharing their mean rank.

    Not for NaN.

    >>> mean_ranks([0.1 + 0.2, 0.5, 0.3]).tolist()
    [1.5, 3.0, 1.5]
    """
    from scipy.stats import rankdata

    ranks: np.ndarray = rankdata(snap(values), axis=-1)
    return ranks
