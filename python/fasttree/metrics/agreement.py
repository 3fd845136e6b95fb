"""Agreement beyond chance: Cohen's kappa and Matthews' correlation, for any number of classes.

    kappa = (p_o - p_e) / (1 - p_e),  p_o the observed, p_e the chance agreement of the two margins
    (Cohen 1960) MCC   = (c s - sum_k p_k t_k) / sqrt((s^2 - sum p_k^2)(s^2 - sum t_k^2))
    (Gorodkin 2004)

with s rows, c right, p_k predicted and t_k true counts; unclassified rows form a predicted class of
their own. 0/0 = 0.  O(rows).  Not for ranking or probabilities.
"""

from __future__ import annotations

import numpy as np

from .confusion import of_labels
from .f_measures import ratio


def _margins(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    counts = counts.astype(np.float64)
    true, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    total = counts.sum(axis=(-2, -1))
    return total, np.trace(counts, axis1=-2, axis2=-1), predicted, true


@of_labels("agreement beyond chance", "Cohen 1960", minimum=-1.0, aliases=("kappa",))
def cohen_kappa(counts: np.ndarray) -> np.ndarray:
    """Return Cohen's kappa (-1 to 1): agreement beyond the agreement that the margins give by
    chance.

    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    total, right, predicted, true = _margins(counts)
    chance = (predicted[..., :-1] * true).sum(axis=-1)
    return ratio(np.asarray(right * total - chance), np.asarray(total * total - chance))


@of_labels(
    "correlation of truth and prediction",
    "Matthews 1975; Gorodkin 2004",
    minimum=-1.0,
    aliases=("mcc",),
)
def matthews_correlation(counts: np.ndarray) -> np.ndarray:
    """Return Matthews' correlation coefficient (-1 to 1). 1 is perfect, 0 no better than chance,
    also where all rows or predictions are of one class. It weighs all classes alike, unlike the
    accuracy.

    >>> round(matthews_correlation([0, 0, 1, 1], [0, 0, 1, 0]), 6)
    0.57735
    """
    total, right, predicted, true = _margins(counts)
    top = np.asarray(right * total - (predicted[..., :-1] * true).sum(axis=-1))
    spread = (total**2 - (predicted**2).sum(axis=-1)) * (total**2 - (true**2).sum(axis=-1))
    return ratio(top, np.asarray(np.sqrt(spread)))


METRICS = (cohen_kappa.metric, matthews_correlation.metric)
