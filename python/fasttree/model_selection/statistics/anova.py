"""Repeated-measures analysis of variance: do several methods differ, judged on the same subjects?

    F = [SS_methods / (k - 1)] / [SS_error / ((n - 1)(k - 1))],  SS_error = SS_total - SS_methods -
    SS_subjects

with n subjects (data sets, generated models) and k methods. Sphericity is assumed; with Greenhouse
& Geisser's epsilon the p-value holds without it. All pairs of methods are compared by paired t
tests and intervals with Bonferroni's correction. Zero error variance: p = 1 if the means are
equal, else 0. Not for the folds of one cross-validation: they are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ..._checks import number_array
from .outcome import AnovaResult, check_alpha, method_names
from .t_tests import ROUNDING, paired_t_test


def _epsilon(values: np.ndarray) -> float:
    """Return Greenhouse & Geisser's epsilon: 1/(k - 1) to 1."""
    k = values.shape[1]
    covariance = np.cov(values, rowvar=False)
    centred = (
        covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None] + covariance.mean()
    )
    bottom = (k - 1) * float((centred**2).sum())
    return (
        float(np.clip(np.trace(centred) ** 2 / bottom, 1.0 / (k - 1), 1.0)) if bottom > 0 else 1.0
    )


def repeated_measures_anova(
    scores: Any, *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> AnovaResult:
    """Return the one-way repeated-measures ANOVA of `scores` (subjects, methods), at least 2 x 2,
    finite.

    `pairs` holds all pairs of methods with Bonferroni-adjusted p-values and intervals of joint
    coverage 1 - alpha.

    >>> round(repeated_measures_anova([[1, 2, 4], [2, 3, 4], [3, 5, 6]]).statistic, 3)
    32.0
    """
    from scipy.special import fdtrc

    check_alpha(alpha)
    values = number_array("scores", scores)
    if values.ndim != 2 or min(values.shape) < 2:
        raise ValueError(
            f"scores has shape {values.shape}; it needs at least 2 subjects (rows) and 2 methods "
            "(columns)"
        )
    if not np.isfinite(values).all():
        raise ValueError("scores holds a value that is not finite")
    n, k = values.shape
    labels = method_names(names, k)
    # Effects of the methods, and what neither methods nor subjects explain.
    grand = values.mean()
    means = values.mean(axis=0)
    effect = means - grand
    error = values - means - values.mean(axis=1)[:, None] + grand
    df = (float(k - 1), float((n - 1) * (k - 1)))
    limit = ROUNDING * float(np.abs(values).max())
    if np.abs(error).max() <= limit:
        equal = np.abs(effect).max() <= limit
        statistic, p_value, corrected, epsilon = (
            (0.0, 1.0, 1.0, 1.0) if equal else (math.inf, 0.0, 0.0, 1.0)
        )
    else:
        statistic = float((n * (effect**2).sum() / df[0]) / ((error**2).sum() / df[1]))
        epsilon = _epsilon(values)
        p_value = float(fdtrc(df[0], df[1], statistic))
        corrected = float(fdtrc(epsilon * df[0], epsilon * df[1], statistic))
    # Every pair of methods, at a level that holds for all together.
    pairs = []
    count = k * (k - 1) // 2
    for i, j in combinations(range(k), 2):
        found = paired_t_test(
            values[:, i], values[:, j], alpha=alpha / count, names=(labels[i], labels[j])
        )
        adjusted = min(1.0, count * found.p_value)
        pairs.append(
            replace(found, test="paired t test, Bonferroni", p_value=adjusted, alpha=alpha)
        )
    return AnovaResult(labels, means, statistic, p_value, df, epsilon, corrected, alpha, n, pairs)
