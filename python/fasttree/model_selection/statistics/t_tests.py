"""t tests on paired fold results: plain, and corrected for overlapping training sets.

    paired      t = mean d / sqrt(s_d^2 / J)                                        J - 1 df
    corrected   t = mean d / sqrt((1/J + n_test/n_train) s_d^2)                     J - 1 df
    (Nadeau & Bengio 2003)

d are the J differences, s_d^2 their variance with J - 1. The plain test assumes independent
results, which resampled folds are not: it finds differences far too often. Use the corrected one
for repeated cross-validation. Zero variance: p = 1 if the mean difference is 0, else 0. The array
forms test many pairs at once. O(J) per pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks import as_float, number_array, number_in, shown
from .outcome import PairedTestResult, check_alpha

ROUNDING = 8 * np.finfo(np.float64).eps
"""Differences within this share of the largest value are rounding, not variance."""


def paired_values(a: Any, b: Any, least: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return two float arrays of one length; ValueError for NaN, infinite or too few values."""
    first, second = number_array("a", a).ravel(), number_array("b", b).ravel()
    if first.shape != second.shape:
        raise ValueError(
            f"a has {len(first)} values and b has {len(second)}; a paired test needs the same folds"
        )
    if len(first) < least:
        raise ValueError(f"{len(first)} pairs are too few; the test needs at least {least}")
    for what, values in (("a", first), ("b", second)):
        if not np.isfinite(values).all():
            place = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ValueError(
                f"{what}[{place}] is {values[place]}; the test needs finite values (clip= limits "
                "rewards)"
            )
    return first, second


def t_from_differences(
    d: np.ndarray, variance_factor: float, scale: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (mean, standard error, t) of differences (..., J), with the variance multiplied by
    `variance_factor`.

    `scale`: the largest absolute value behind the differences, against which rounding is measured.
    Where the differences are all equal within it, the standard error is exactly 0 and t is 0 or
    infinite.
    """
    mean = d.mean(axis=-1)
    limit = ROUNDING * np.asarray(scale)
    flat = np.ptp(d, axis=-1) <= limit
    mean = np.where(flat & (np.abs(mean) <= limit), 0.0, mean)
    error = np.where(flat, 0.0, np.sqrt(variance_factor * d.var(axis=-1, ddof=1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0.0, 0.0, mean / error)
    return mean, error, t


def two_sided_p(t: np.ndarray, df: float) -> np.ndarray:
    """Return the two-sided p-value of t with df degrees of freedom: 1 at 0, 0 at infinity."""
    from scipy.special import stdtr

    return np.minimum(1.0, 2.0 * stdtr(df, -np.abs(t)))


def t_quantile(alpha: float, df: float) -> float:
    """Return the two-sided critical value of t."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 1.0 - alpha / 2.0))


def ratio_of_sizes(
    n_train: float | None, n_test: float | None, test_over_train: float | None
) -> float:
    """Return test rows over training rows from the ratio or the two numbers; ValueError unless it
    is positive."""
    if test_over_train is None:
        if n_train is None or n_test is None:
            raise ValueError(
                "give test_over_train=, or both n_train= and n_test=: the correction depends on "
                "them"
            )
        positive = number_in(0.0, 1e300, above=True)
        test_over_train = positive("n_test", n_test) / positive("n_train", n_train)
    ratio = as_float(test_over_train)
    if ratio is None or not 0 < ratio < np.inf:
        raise ValueError(
            f"test_over_train={shown(test_over_train)} must be positive: test rows over training "
            "rows"
        )
    return ratio


def _result(
    test: str, a: Any, b: Any, *, factor: float, alpha: float, names: tuple[str, str]
) -> PairedTestResult:
    """The t test whose variance factor is 1/J + `factor`."""
    first, second = paired_values(a, b)
    check_alpha(alpha)
    n = len(first)
    scale = max(np.abs(first).max(), np.abs(second).max())
    mean, error, t = t_from_differences(first - second, 1.0 / n + factor, scale)
    half = t_quantile(alpha, n - 1) * float(error)
    return PairedTestResult(
        test=test,
        statistic=float(t),
        p_value=float(two_sided_p(t, n - 1)),
        df=float(n - 1),
        mean_difference=float(mean),
        interval=(float(mean) - half, float(mean) + half),
        alpha=alpha,
        n=n,
        names=names,
    )


def paired_t_test(
    a: Any, b: Any, *, alpha: float = 0.05, names: tuple[str, str] = ("A", "B")
) -> PairedTestResult:
    """Return the paired t test of two sets of independent results, shapes (J,), J >= 2.

    >>> round(paired_t_test([3, 5, 4, 6], [2, 3, 4, 3]).statistic, 4)
    2.3238
    """
    return _result("paired t test", a, b, factor=0.0, alpha=alpha, names=names)


def corrected_resampled_t_test(
    a: Any,
    b: Any,
    *,
    n_train: float | None = None,
    n_test: float | None = None,
    test_over_train: float | None = None,
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
) -> PairedTestResult:
    """Return the corrected resampled t test of the J fold results of two methods on the same folds.

    The share of test to training rows is `test_over_train` (1/9 for 10-fold), or n_test / n_train.
    10 x 10-fold: variance factor 1/100 + 1/9, 99 df.

    >>> corrected_resampled_t_test([3, 5, 4, 6], [2, 3, 4, 3], test_over_train=1 / 3).df
    3.0
    """
    factor = ratio_of_sizes(n_train, n_test, test_over_train)
    return _result("corrected resampled t test", a, b, factor=factor, alpha=alpha, names=names)
