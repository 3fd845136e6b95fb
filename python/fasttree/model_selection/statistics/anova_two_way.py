"""Repeated-measures analysis of variance with two factors and their interaction.

    F_A = MS_A / MS_{A x S},   F_B = MS_B / MS_{B x S},   F_{AB} = MS_{AB} / MS_{AB x S}

on n subjects S (data sets, generated models) that were measured under every pair of levels of A and
B. Each effect is compared with its own interaction with the subjects. With Greenhouse & Geisser's
epsilon the p-value holds without sphericity. Not for the folds of one cross-validation: they are
not independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._checks import listing, number_array
from ..._checks.plain_text import one_line
from .outcome import Shown, check_alpha, format_p
from .t_tests import ROUNDING

__all__ = ["AnovaEffect", "TwoWayAnovaResult", "two_way_repeated_measures_anova"]


@dataclass(frozen=True)
class AnovaEffect:
    """One effect: F, its degrees of freedom, p, Greenhouse & Geisser's epsilon, and p with it."""

    name: str
    statistic: float
    df: tuple[float, float]
    p_value: float
    epsilon: float
    corrected_p_value: float


@dataclass(frozen=True)
class TwoWayAnovaResult(Shown):
    """Effects of both factors and of their interaction, and the cell means (levels of A, levels of
    B)."""

    effects: tuple[AnovaEffect, AnovaEffect, AnovaEffect]
    means: np.ndarray
    n_subjects: int
    alpha: float

    @property
    def sentence(self) -> str:
        """The finding in words."""
        parts = [
            f"{e.name}: F({e.df[0]:g}, {e.df[1]:g}) = {e.statistic:.4g}, "
            f"{format_p(e.corrected_p_value)}"
            + ("" if e.corrected_p_value < self.alpha else " (not significant)")
            for e in self.effects
        ]
        return (
            f"Two-factor repeated-measures ANOVA on {self.n_subjects} subjects. "
            + "; ".join(parts)
            + "."
        )

    def __str__(self) -> str:
        return one_line(self.sentence)


def _contrasts(levels: int) -> np.ndarray:
    """An orthonormal basis of the differences between levels, (levels, levels - 1)."""
    whole = np.linalg.qr(np.column_stack([np.ones(levels), np.eye(levels)[:, 1:]]))[0]
    found: np.ndarray = whole[:, 1:]
    return found


def _effect(name: str, y: np.ndarray, contrasts: np.ndarray, limit: float) -> AnovaEffect:
    """The test of an effect.

    Args:
        name: of the effect.
        y: measurements, shape (subjects, cells).
        contrasts: orthonormal contrasts of the effect, shape (cells, df).
        limit: largest difference that is rounding.
    """
    from scipy.special import fdtrc

    # The contrasts of each subject: their mean is the effect, their spread the error.
    n, df = y.shape[0], contrasts.shape[1]
    z = y @ contrasts
    mean = z.mean(axis=0)
    residual = z - mean
    error = float((residual**2).sum()) / (df * (n - 1))
    effect = n * float(mean @ mean) / df
    degrees = (float(df), float(df * (n - 1)))
    # Without error the effect is certain, or there is none.
    if np.abs(residual).max() <= limit:
        equal = np.abs(mean).max() <= limit
        return AnovaEffect(
            name, 0.0 if equal else math.inf, degrees, float(equal), 1.0, float(equal)
        )
    covariance = np.atleast_2d(np.cov(z, rowvar=False))
    epsilon = float(
        np.clip(np.trace(covariance) ** 2 / (df * (covariance**2).sum()), 1.0 / df, 1.0)
    )
    statistic = effect / error
    return AnovaEffect(
        name,
        statistic,
        degrees,
        float(fdtrc(*degrees, statistic)),
        epsilon,
        float(fdtrc(epsilon * degrees[0], epsilon * degrees[1], statistic)),
    )


def two_way_repeated_measures_anova(
    scores: Any, *, names: Sequence[str] = ("A", "B"), alpha: float = 0.05
) -> TwoWayAnovaResult:
    """Return the two-factor repeated-measures ANOVA of `scores` (subjects, levels of A, levels of
    B), finite.

    Raises:
        ValueError: another shape, fewer than two subjects or levels, a value that is not finite.

    >>> rng = np.random.default_rng(3)
    >>> scores = rng.normal(size=(20, 3, 2)) + np.array([0.0, 1.0, 2.0])[:, None]
    >>> found = two_way_repeated_measures_anova(scores, names=("learner", "size"))
    >>> [e.p_value < 0.01 for e in found.effects]
    [True, False, False]
    """
    check_alpha(alpha)
    values = number_array("scores", scores)
    if values.ndim != 3 or min(values.shape) < 2:
        raise ValueError(
            f"scores has shape {values.shape}; it needs (subjects, levels of A, levels of B), at "
            "least 2 of each"
        )
    if not np.isfinite(values).all():
        raise ValueError("scores holds a value that is not finite")
    names = tuple(listing("names", names))
    if len(names) != 2:
        raise ValueError(f"{len(names)} names for 2 factors")
    n, a, b = values.shape
    # Contrasts of each factor, constant over the other one, and their products.
    limit = ROUNDING * float(np.abs(values).max())
    cells = values.reshape(n, a * b)
    of_a, of_b = _contrasts(a), _contrasts(b)
    flat_a, flat_b = np.full((a, 1), a**-0.5), np.full((b, 1), b**-0.5)
    first, second = names
    return TwoWayAnovaResult(
        (
            _effect(first, cells, np.kron(of_a, flat_b), limit),
            _effect(second, cells, np.kron(flat_a, of_b), limit),
            _effect(f"{first} x {second}", cells, np.kron(of_a, of_b), limit),
        ),
        values.mean(axis=0),
        n,
        alpha,
    )
