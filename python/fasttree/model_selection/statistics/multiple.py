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
    given = number_array("p_values", p_values)
    if given.ndim != 1 or not ((given >= 0) & (given <= 1)).all():
        raise ValueError("p_values must be a 1-D array of numbers between 0 and 1")
    return given


def adjusted(correct: Callable[[Any], np.ndarray], p_values: np.ndarray) -> np.ndarray:
    """P-values that are corrected for each other; NaN is no comparison and stays."""
    out, known = p_values.copy(), ~np.isnan(p_values)
    out[known] = correct(p_values[known])
    return out


def bonferroni(p_values: Any) -> np.ndarray:
    """Return Bonferroni-adjusted p-values, shape and order kept.

    >>> bonferroni([0.01, 0.4])
    array([0.02, 0.8 ])
    """
    given = _p_values(p_values)
    return np.minimum(1.0, given * len(given))


def holm(p_values: Any) -> np.ndarray:
    """Return Holm-adjusted p-values, shape and order kept.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    given = _p_values(p_values)
    order = np.argsort(given, kind="stable")
    steps = np.minimum(1.0, given[order] * np.arange(len(given), 0, -1))
    adjusted = np.empty_like(given)
    adjusted[order] = np.maximum.accumulate(steps) if len(steps) else steps
    return adjusted
