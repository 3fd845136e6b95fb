"""Repeated-measures analysis of variance with two factors and their interaction.

    F_A = MS_A / MS_{A x S},   F_B = MS_B / MS_{B x S},   F_{AB} = MS_{AB} / MS_{AB x S}

on n subjects S (data sets, generated models) that were measured under every pair of levels of A and
B. Each effect is compared with its own interaction with the subjects. With Greenhouse & Geisser's
epsilon the p-value holds without sphericity. Not for the folds of one cross-validation: they are
not independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .anova import contrasts_of, effect_of
from .outcome import AnovaEffect, Shown, check_alpha, f_words, method_names, score_array


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
        """The finding in words."""
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
