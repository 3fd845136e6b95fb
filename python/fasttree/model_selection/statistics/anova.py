"""Repeated-measures analysis of variance: do several methods differ on the same subjects?

    F = [SS_methods / (k - 1)] / [SS_error / ((n - 1)(k - 1))],  SS_error = SS_total - SS_methods -
    SS_subjects

with n subjects (data sets, generated models) and k methods; with two factors A and B and their
interaction, measured on each subject S under every pair of levels,

    F_A = MS_A / MS_{A x S},   F_B = MS_B / MS_{B x S},   F_{AB} = MS_{AB} / MS_{AB x S}

Sphericity is assumed; with Greenhouse & Geisser's epsilon the p-value holds without it. All pairs
of methods are compared by paired t tests and intervals with Bonferroni's correction. Zero error
variance: p = 1 if the means are equal, else 0. Not for the folds of one cross-validation: they are
not independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from .outcome import (
    AnovaEffect,
    AnovaResult,
    Shown,
    check_alpha,
    f_words,
    method_names,
    score_array,
)
from .t_tests import ROUNDING, paired_t_test


def contrasts_of(levels: int) -> np.ndarray:
    """An orthonormal basis of the differences between levels, shape (levels, levels - 1): its
    columns sum to zero. Sphericity is measured in this basis."""
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


@dataclass(frozen=True)
class TwoWayAnovaResult(Shown):
    """Outcome of a repeated-measures analysis of variance with two factors, A and B.

    Attributes:
        effects: A, B and their interaction.
        means: of the cells, shape (levels of A, levels of B).
        n_subjects: number of subjects.
        alpha: level, with which `sentence` compares the corrected p-values.
    """

    effects: tuple[AnovaEffect, AnovaEffect, AnovaEffect]
    means: np.ndarray
    n_subjects: int
    alpha: float

    @property
    def sentence(self) -> str:
        """The finding in words: F and p of each factor and of their interaction. "Not significant"
        follows the Greenhouse-Geisser p."""
        parts = [
            f"{effect.name}: {f_words(effect)}"
            + ("" if effect.corrected_p_value < self.alpha else " (not significant)")
            for effect in self.effects
        ]
        return (
            f"Two-factor repeated-measures ANOVA on {self.n_subjects} subjects. {'. '.join(parts)}."
        )


def two_way_repeated_measures_anova(
    scores: Any, *, names: Sequence[str] = ("A", "B"), alpha: float = 0.05
) -> TwoWayAnovaResult:
    """Return the two-factor repeated-measures ANOVA.

    Args:
        scores: finite, shape (subjects, levels of A, levels of B), at least 2 of each.
        names: of the two factors; the interaction is "A x B".
        alpha: level of each of the three tests, in (0, 1).

    Raises:
        ValueError: another shape, fewer than two subjects or levels, a value that is not finite,
            or another number of names.

    >>> rng = np.random.default_rng(3)
    >>> scores = rng.normal(size=(20, 3, 2)) + np.array([0.0, 1.0, 2.0])[:, None]
    >>> found = two_way_repeated_measures_anova(scores, names=("learner", "size"))
    >>> [e.p_value < 0.01 for e in found.effects]
    [True, False, False]
    """
    check_alpha(alpha)
    values = score_array(scores, "subjects", "levels of A", "levels of B")
    first, second = method_names(names, 2, "factor")
    n, a, b = values.shape
    # Contrasts of each factor, constant over the other one, and their products.
    cells = values.reshape(n, a * b)
    of_a, of_b = contrasts_of(a), contrasts_of(b)
    flat_a, flat_b = np.full((a, 1), a**-0.5), np.full((b, 1), b**-0.5)
    return TwoWayAnovaResult(
        effects=(
            effect_of(first, cells, np.kron(of_a, flat_b)),
            effect_of(second, cells, np.kron(flat_a, of_b)),
            effect_of(f"{first} x {second}", cells, np.kron(of_a, of_b)),
        ),
        means=values.mean(axis=0),
        n_subjects=n,
        alpha=alpha,
    )
