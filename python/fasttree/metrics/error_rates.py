"""Accuracy, its complement the error rate, and the share of rows left unclassified.

accuracy = sum_c n_cc / n; an unclassified row (None) is an error, as in Weka.  O(rows).  Do not use
accuracy alone where classes are rare or errors cost differently: see `f_beta`, `expected_cost` and
the information rewards.
"""

from __future__ import annotations

import numpy as np

from .confusion import of_labels


@of_labels("share of rows predicted correctly; unclassified rows are errors", "Weka, pctCorrect")
def accuracy(counts: np.ndarray) -> np.ndarray:
    """Return the share (0 to 1) of rows predicted correctly; a prediction None is an error.

    >>> accuracy(["a", "b", "b"], ["a", "b", None])
    0.6666666666666666
    """
    return np.asarray(np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1)))


@of_labels(
    "share of rows predicted wrongly or not at all",
    "1 - accuracy",
    better=False,
    aliases=("error",),
)
def error_rate(counts: np.ndarray) -> np.ndarray:
    """Return the share (0 to 1) of rows predicted wrongly or not at all: 1 - accuracy.

    >>> error_rate(["a", "b", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    total = counts.sum(axis=(-2, -1))
    return np.asarray((total - np.trace(counts, axis1=-2, axis2=-1)) / total)


@of_labels(
    "share of rows without a prediction (they fell into an empty branch)",
    "Weka, pctUnclassified",
    better=False,
    aliases=("unclassified",),
)
def unclassified_rate(counts: np.ndarray) -> np.ndarray:
    """Return the share (0 to 1) of rows that got no prediction (None). A tree with
    `empty_branch="unclassified"` predicts None where no training row went.

    >>> unclassified_rate(["a", "b", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    return np.asarray(counts[..., -1].sum(axis=-1) / counts.sum(axis=(-2, -1)))


unclassified_rate_from_confusion = unclassified_rate.from_confusion
METRICS = (accuracy.metric, error_rate.metric, unclassified_rate.metric)
