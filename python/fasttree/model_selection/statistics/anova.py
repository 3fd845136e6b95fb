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

from .outcome import AnovaEffect, AnovaResult, check_alpha, method_names, score_array
from .t_tests import ROUNDING, paired_t_test


def contrasts_of(levels: int) -> np.ndarray:
    """An orthonormal basis of the differences between levels, (levels, levels - 1)."""
    whole = np.linalg.qr(np.column_stack([np.ones(levels), np.eye(levels)[:, 1:]]))[0]
    basis: np.ndarray = whole[:, 1:]
    return basis


def effect_of(name: str, scores: np.ndarray, contrasts: np.ndarray) -> AnovaEffect:
    """The test of an effect.

    Args:
        name: of the effect.
        scores: shape (subjects, cells).
        contrasts: orthonormal contrasts of the effect, shape (cells, df).
    """
    from scipy.special import fdtrc

    # The contrasts of each subject: their mean is the effect, their spread the error.
    # All in units of the largest score, so that no square is too large or too small.
    (n, n_cells), df = scores.shape, contrasts.shape[1]
    z = scores / (np.abs(scores).max() or 1.0) @ contrasts
    mean = z.mean(axis=0)
    residual = z - mean
    degrees = (float(df), float(df * (n - 1)))
    limit = ROUNDING * math.sqrt(n_cells)
    # Without error the effect is certain, or there is none.
    if np.abs(residual).max() <= limit:
        is_zero = np.abs(mean).max() <= limit
        statistic, epsilon = 0.0 if is_zero else math.inf, 1.0
    else:
        statistic = n * float(mean @ mean) / df / (float((residual**2).sum()) / degrees[1])
        covariance = residual.T @ residual
        sphericity = np.trace(covariance) ** 2 / (df * (covariance**2).sum())
        epsilon = float(np.clip(sphericity, 1.0 / df, 1.0))
    return AnovaEffect(
        name=name,
        statistic=statistic,
        df=degrees,
        p_value=float(fdtrc(*degrees, statistic)),
        epsilon=epsilon,
        corrected_p_value=float(fdtrc(epsilon * degrees[0], epsilon * degrees[1], statistic)),
    )


def repeated_measures_anova(
    scores: Any, *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> AnovaResult:
    """Return the one-way repeated-measures ANOVA with all pairs of methods.

    Args:
        scores: finite, shape (subjects, methods), at least 2 x 2.
        names: of the methods; default: "method 1", "method 2", ...
        alpha: level, in (0, 1). The intervals of `pairs` have joint coverage 1 - alpha, and their
            p-values are Bonferroni-adjusted.

    Raises:
        ValueError: another shape, a value that is not finite, or another number of names.

    >>> round(repeated_measures_anova([[1, 2, 4], [2, 3, 4], [3, 5, 6]]).statistic, 3)
    32.0
    """
    check_alpha(alpha)
    values = score_array(scores, "subjects", "methods")
    n, k = values.shape
    labels = method_names(names, k)
    effect = effect_of("methods", values, contrasts_of(k))
    # Every pair of methods, at a level that holds for all together.
    pairs = []
    count = k * (k - 1) // 2
    for i, j in combinations(range(k), 2):
        test = paired_t_test(
            values[:, i], values[:, j], alpha=alpha / count, names=(labels[i], labels[j])
        )
        adjusted = min(1.0, count * test.p_value)
        pairs.append(replace(test, test="paired t test, Bonferroni", p_value=adjusted, alpha=alpha))
    of_effect = {key: value for key, value in vars(effect).items() if key != "name"}
    return AnovaResult(
        names=labels, means=values.mean(axis=0), alpha=alpha, n=n, pairs=pairs, **of_effect
    )
