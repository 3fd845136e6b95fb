"""The 5 x 2 cross-validation tests: Dietterich's t and Alpaydin's F.

With p_i1, p_i2 the differences in the two folds of repetition i and s_i^2 = (p_i1 - mean_i)^2 +
(p_i2 - mean_i)^2:

    t = p_11 / sqrt(sum_i s_i^2 / 5)          5 df          (Dietterich 1998)
    F = sum_ij p_ij^2 / (2 sum_i s_i^2)       (10, 5) df    (Alpaydin 1999)

Zero variance: p = 1 if the mean difference is 0, else 0. The numerator of t is a single fold, so t
depends on the order of the repetitions; F uses all ten folds. The intervals hold the differences
that the test does not reject. The tests take exactly ten values: five repetitions of two folds, in
this order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .outcome import PairedTestResult, check_alpha
from .t_tests import ROUNDING, paired_values, t_quantile, two_sided_p


def _differences(a: Any, b: Any) -> tuple[np.ndarray, float, float]:
    """Return the differences (5, 2), the sum of their variances, and their mean, both 0 within
    rounding."""
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
    """Return Dietterich's 5x2cv paired t test; a and b hold ten fold results, repetition by
    repetition.

    >>> five_by_two_cv_t_test([1, 2] * 5, [0, 0] * 5).p_value < 0.3
    True
    """
    check_alpha(alpha)
    d, total, mean = _differences(a, b)
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
    """Return Alpaydin's combined 5x2cv F test; a and b hold ten fold results, repetition by
    repetition.

    >>> five_by_two_cv_f_test([1, 2] * 5, [0, 0] * 5).statistic
    5.0
    """
    from scipy.special import fdtrc, fdtri

    check_alpha(alpha)
    d, total, mean = _differences(a, b)
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
