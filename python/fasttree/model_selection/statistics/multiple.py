"""Corrections for many comparisons: Bonferroni and Holm, as adjusted p-values.

    Bonferroni   min(1, m p_i)
    Holm         max over j <= i of min(1, (m - j + 1) p_(j)), p sorted ascending      (Holm 1979)

Holm rejects whatever Bonferroni rejects, and more, at the same family-wise error.  O(m log m).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._checks import number_array


def _p_values(p_values: Any) -> np.ndarray:
    """P-values as a checked 1-D array of float64.

    Raises:
        ValueError: an array of another shape, or a number outside [0, 1]; NaN is one, because a
            comparison without a p-value would count as a test.
    """
    array = number_array("p_values", p_values)
    if array.ndim != 1:
        raise ValueError(f"p_values must be a 1-D array, not one of shape {array.shape}")
    wrong = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if len(wrong):
        raise ValueError(
            f"p_values[{wrong[0]}]={array[wrong[0]]} must be a number between 0 and 1; leave out "
            "comparisons without a p-value"
        )
    return array


def adjusted_without_nan(correct: Callable[[Any], np.ndarray], p_values: np.ndarray) -> np.ndarray:
    """Correct p-values for each other by `correct`, such as `holm`. NaN stands for no comparison:
    it stays, and does not count as a test."""
    corrected = p_values.copy()
    is_test = ~np.isnan(p_values)
    corrected[is_test] = correct(p_values[is_test])
    return corrected


def bonferroni(p_values: Any) -> np.ndarray:
    """Return p-values times their number, at most 1; shape and order are kept. The correction
    controls the family-wise error and is never more powerful than `holm`.

    >>> bonferroni([0.01, 0.4])
    array([0.02, 0.8 ])
    """
    array = _p_values(p_values)
    return np.minimum(1.0, array * len(array))


def holm(p_values: Any) -> np.ndarray:
    """Return p-values with Holm's step-down correction, at most 1; shape and order are kept. It
    controls the family-wise error under any dependence.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    array = _p_values(p_values)
    order = np.argsort(array, kind="stable")
    steps = np.minimum(1.0, array[order] * np.arange(len(array), 0, -1))
    corrected = np.empty_like(array)
    corrected[order] = np.maximum.accumulate(steps)
    return corrected
