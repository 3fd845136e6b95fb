"""t tests on paired fold results: plain, corrected for overlapping training sets, and 5 x 2.

    paired      t = mean d / sqrt(s_d^2 / J)                                        J - 1 df
    corrected   t = mean d / sqrt((1/J + n_test/n_train) s_d^2)                     J - 1 df
    (Nadeau & Bengio 2003)

d are the J differences, s_d^2 their variance with J - 1. The plain test assumes independent
results, which resampled folds are not: it finds differences far too often. Use the corrected one
for repeated cross-validation. Zero variance: p = 1 if the mean difference is 0, else 0. The array
forms test many pairs at once. O(J) per pair.

With p_i1, p_i2 the differences in the two folds of repetition i of a 5 x 2 cross-validation and
s_i^2 = (p_i1 - mean_i)^2 + (p_i2 - mean_i)^2:

    t = p_11 / sqrt(sum_i s_i^2 / 5)          5 df          (Dietterich 1998)
    F = sum_ij p_ij^2 / (2 sum_i s_i^2)       (10, 5) df    (Alpaydin 1999)

The numerator of t is a single fold, so t depends on the order of the repetitions; F uses all ten
folds. The intervals hold the differences that the test does not reject. The tests take exactly ten
values: five repetitions of two folds, in this order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._checks import as_float, number_array, number_in, shown
from .outcome import PairedTestResult, check_alpha

ROUNDING = 8 * np.finfo(np.float64).eps
"""Differences within this share of the largest value are rounding, not variance."""


def paired_values(a: Any, b: Any, least: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return two float arrays of one length, at least `least`. ValueError for other lengths, too
    few pairs, and values that are not finite."""
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
    """Return mean, standard error and t of differences, each of shape (...,).

    Args:
        d: differences, shape (..., J).
        variance_factor: factor of the variance of the differences.
        scale: the largest absolute value behind the differences, against which rounding is
            measured. If all differences are equal within rounding, the standard error is exactly
            0, and t is 0 or infinite.
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
    """Return the two-sided critical value of Student's t: the quantile 1 - alpha / 2 with `df`
    degrees of freedom."""
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


def _t_test(
    test: str, a: Any, b: Any, *, factor: float, alpha: float, names: tuple[str, str]
) -> PairedTestResult:
    """Return the paired t test with the variance factor 1/J + `factor`."""
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
    """Return the paired t test of J independent results of two methods.

    Args:
        a, b: results of the methods, shape (J,), J >= 2.
        alpha: level of the interval, in (0, 1).
        names: of the two methods.

    Raises:
        ValueError: different lengths, fewer than two pairs, or a value that is not finite.

    >>> round(paired_t_test([3, 5, 4, 6], [2, 3, 4, 3]).statistic, 4)
    2.3238
    """
    return _t_test("paired t test", a, b, factor=0.0, alpha=alpha, names=names)


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

    Args:
        a, b: results of the methods on the folds, shape (J,), J >= 2.
        n_train, n_test: numbers of training and of test rows of a fold.
        test_over_train: test rows over training rows (1/9 for 10-fold), in place of these numbers.
        alpha: level of the interval, in (0, 1).
        names: of the two methods.

    Raises:
        ValueError: no ratio of rows, different lengths, fewer than two folds, or a value that is
            not finite.

    >>> corrected_resampled_t_test([3, 5, 4, 6], [2, 3, 4, 3], test_over_train=1 / 3).df
    3.0
    """
    factor = ratio_of_sizes(n_train, n_test, test_over_train)
    return _t_test("corrected resampled t test", a, b, factor=factor, alpha=alpha, names=names)


def _five_by_two_differences(a: Any, b: Any) -> tuple[np.ndarray, float, float]:
    """Return the differences, shape (5, 2), the sum of their variances, and their mean; the last
    two are 0 if they are within rounding."""
    first, second = paired_values(a, b)
    if len(first) != 10:
        raise ValueError(
            f"the 5x2cv tests need ten values (five repetitions of two folds), got {len(first)}"
        )
    limit = ROUNDING * max(np.abs(first).max(), np.abs(second).max())
    d = (first - second).reshape(5, 2)
    spread = np.abs(d[:, 0] - d[:, 1])
    total = 0.0 if (spread <= limit).all() else float((spread**2).sum() / 2.0)
    mean = float(d.mean())
    return d, total, 0.0 if np.abs(d).max() <= limit else mean


def _without_variance(mean: float) -> tuple[float, float]:
    """Return statistic and p-value of differences without variance."""
    return (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), 0.0)


def five_by_two_cv_t_test(
    a: Any, b: Any, *, alpha: float = 0.05, names: tuple[str, str] = ("A", "B")
) -> PairedTestResult:
    """Return Dietterich's 5x2cv paired t test.

    Args:
        a, b: ten fold results of the methods, repetition by repetition, shape (10,).
        alpha: level of the interval, in (0, 1).
        names: of the two methods.

    Raises:
        ValueError: another number of results, or a value that is not finite.

    >>> five_by_two_cv_t_test([1, 2] * 5, [0, 0] * 5).p_value < 0.3
    True
    """
    check_alpha(alpha)
    d, total, mean = _five_by_two_differences(a, b)
    error = math.sqrt(total / 5.0)
    if total == 0.0:
        statistic, p_value = _without_variance(mean)
    else:
        statistic = float(d[0, 0]) / error
        p_value = float(two_sided_p(np.asarray(statistic), 5.0))
    half = t_quantile(alpha, 5.0) * error
    return PairedTestResult(
        test="5x2cv paired t test",
        statistic=statistic,
        p_value=p_value,
        df=5.0,
        mean_difference=mean,
        interval=(float(d[0, 0]) - half, float(d[0, 0]) + half),
        alpha=alpha,
        n=10,
        names=names,
    )


def five_by_two_cv_f_test(
    a: Any, b: Any, *, alpha: float = 0.05, names: tuple[str, str] = ("A", "B")
) -> PairedTestResult:
    """Return Alpaydin's combined 5x2cv F test.

    Args:
        a, b: ten fold results of the methods, repetition by repetition, shape (10,).
        alpha: level of the interval, in (0, 1).
        names: of the two methods.

    Raises:
        ValueError: another number of results, or a value that is not finite.

    >>> five_by_two_cv_f_test([1, 2] * 5, [0, 0] * 5).statistic
    5.0
    """
    from scipy.special import fdtrc, fdtri

    check_alpha(alpha)
    d, total, mean = _five_by_two_differences(a, b)
    if total == 0.0:
        statistic, p_value = _without_variance(abs(mean))
    else:
        statistic = float((d**2).sum() / (2.0 * total))
        p_value = float(fdtrc(10, 5, statistic))
    # F(mean - x) <= its critical value: 10 (mean - x)^2 + sum (p - mean)^2 <= 2 total critical.
    room = (
        2.0 * total * float(fdtri(10, 5, 1.0 - alpha)) - float(((d - d.mean()) ** 2).sum())
    ) / 10.0
    half = 0.0 if total == 0.0 else math.sqrt(room) if room >= 0 else math.nan
    return PairedTestResult(
        test="5x2cv F test",
        statistic=statistic,
        p_value=p_value,
        df=(10.0, 5.0),
        mean_difference=mean,
        interval=(mean - half, mean + half),
        alpha=alpha,
        n=10,
        names=names,
    )
