"""Tests of two methods' fold values by name, and their p-values for all pairs of methods.

`compare` calls `pairwise_p_values` for each data set. O(methods^2 x folds).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._checks import shown
from .statistics.outcome import PairedTestResult
from .statistics.ranks import wilcoxon
from .statistics.t_tests import (
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    paired_t_test,
    t_from_differences,
    two_sided_p,
)

PairTest = Callable[..., PairedTestResult]

TESTS: dict[str, PairTest] = {
    "corrected_resampled_t": corrected_resampled_t_test,
    "paired_t": paired_t_test,
    "five_by_two_t": five_by_two_cv_t_test,
    "five_by_two_f": five_by_two_cv_f_test,
    "wilcoxon": wilcoxon,
}
"""Tests of two methods' fold values by name."""


def pairwise_p_values(values: np.ndarray, test: Any, test_over_train: float) -> np.ndarray:
    """Return two-sided p-values (methods, methods) of fold values (methods, folds); NaN where a
    value is not finite."""
    n_methods, n_folds = values.shape
    if isinstance(test, str) and test not in TESTS:
        raise ValueError(
            f"test={shown(test)}; use one of {', '.join(TESTS)}, or a callable (a, b) -> "
            "PairedTestResult"
        )
    # The t tests of all pairs at once.
    if test in ("corrected_resampled_t", "paired_t"):
        if n_folds < 2:
            raise ValueError(f"test={shown(test)} needs at least two folds, got {n_folds}")
        factor = 1.0 / n_folds + (test_over_train if test == "corrected_resampled_t" else 0.0)
        largest = np.abs(values).max(axis=1)
        with np.errstate(invalid="ignore"):
            differences = values[:, None, :] - values[None, :, :]
            _, _, t = t_from_differences(
                differences, factor, np.maximum(largest[:, None], largest[None, :])
            )
            return two_sided_p(t, n_folds - 1)
    # Any other test, pair by pair.
    run = TESTS[test] if isinstance(test, str) else test
    p_values = np.ones((n_methods, n_methods))
    for i in range(n_methods):
        for j in range(i + 1, n_methods):
            finite = np.isfinite(values[i]).all() and np.isfinite(values[j]).all()
            p_values[i, j] = p_values[j, i] = (
                run(values[i], values[j]).p_value if finite else np.nan
            )
    return p_values
