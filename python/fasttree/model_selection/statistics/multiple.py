"""Corrections for many comparisons: Bonferroni and Holm, as adjusted p-values.

    Bonferroni   min(1, m p_i)
    Holm         max over j <= i of min(1, (m - j + 1) p_(j)), p sorted ascending      (Holm 1979)

Holm rejects whatever Bonferroni rejects, and more, at the same family-wise error.  O(m log m).
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _p_values(p_values: Any) -> np.ndarray:
    array = np.asarray(p_values, dtype=np.float64)
    if array.ndim != 1 or not ((array >= 0) & (array <= 1)).all():
        raise ValueError("p_values must be a 1-D array of numbers between 0 and 1")
    return array


def bonferroni(p_values: Any) -> np.ndarray:
    """Return Bonferroni-adjusted p-values, shape and order kept.

    >>> bonferroni([0.01, 0.4])
    array([0.02, 0.8 ])
    """
    array = _p_values(p_values)
    return np.minimum(1.0, array * len(array))


def holm(p_values: Any) -> np.ndarray:
    """Return Holm-adjusted p-values, shape and order kept.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    array = _p_values(p_values)
    order = np.argsort(array, kind="stable")
    steps = np.minimum(1.0, array[order] * np.arange(len(array), 0, -1))
    adjusted = np.empty_like(array)
    adjusted[order] = np.maximum.accumulate(steps) if len(steps) else steps
    return adjusted
