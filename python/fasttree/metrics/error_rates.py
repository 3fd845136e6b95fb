"""Accuracy, its complement the error rate, and the share of rows left unclassified.

accuracy = sum_c n_cc / n; an unclassified row (None) is an error, as in Weka.  O(rows).  Do not use
accuracy alone where classes are rare or errors cost differently: see `f_beta`, `expected_cost` and
the information rewards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._checks.aliases import ClassLabels, MaybeArray
from .confusion import confusion_matrix
from .metric import Metric


def accuracy_from_confusion(counts: np.ndarray) -> np.ndarray:
    """Accuracy of confusion counts (..., k, k + 1)."""
    right = np.trace(counts, axis1=-2, axis2=-1)
    return right / counts.sum(axis=(-2, -1))


def error_rate_from_confusion(counts: np.ndarray) -> np.ndarray:
    """Share of rows that are wrong or unclassified."""
    total = counts.sum(axis=(-2, -1))
    return (total - np.trace(counts, axis1=-2, axis2=-1)) / total


def unclassified_rate_from_confusion(counts: np.ndarray) -> np.ndarray:
    """Share of rows without a prediction."""
    return counts[..., -1].sum(axis=-1) / counts.sum(axis=(-2, -1))


def accuracy(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the share (0 to 1) of rows predicted correctly; a prediction None is an error.

    >>> accuracy(["a", "b", "b"], ["a", "b", None])
    0.6666666666666666
    """
    return float(
        accuracy_from_confusion(
            confusion_matrix(y_true, y_pred, classes=classes, sample_weight=sample_weight)
        )
    )


def error_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the share (0 to 1) of rows predicted wrongly or not at all: 1 - accuracy.

    >>> error_rate(["a", "b", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    counts = confusion_matrix(y_true, y_pred, classes=classes, sample_weight=sample_weight)
    return float(error_rate_from_confusion(counts))


def unclassified_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the share (0 to 1) of rows that got no prediction (None).

    >>> unclassified_rate(["a", "b", "b", "b"], ["a", "b", "b", None])
    0.25
    """
    counts = confusion_matrix(y_true, y_pred, classes=classes, sample_weight=sample_weight)
    return float(unclassified_rate_from_confusion(counts))


METRICS = (
    Metric(
        name="accuracy",
        function=accuracy,
        needs="labels",
        greater_is_better=True,
        doc="share of rows predicted correctly; unclassified rows are errors",
        source="Weka, pctCorrect",
        minimum=0.0,
        maximum=1.0,
        from_confusion=accuracy_from_confusion,
    ),
    Metric(
        name="error_rate",
        function=error_rate,
        needs="labels",
        greater_is_better=False,
        doc="share of rows predicted wrongly or not at all",
        source="1 - accuracy",
        minimum=0.0,
        maximum=1.0,
        aliases=("error",),
        from_confusion=error_rate_from_confusion,
    ),
    Metric(
        name="unclassified_rate",
        function=unclassified_rate,
        needs="labels",
        greater_is_better=False,
        doc="share of rows without a prediction (they fell into an empty branch)",
        source="Weka, pctUnclassified",
        minimum=0.0,
        maximum=1.0,
        aliases=("unclassified",),
        from_confusion=unclassified_rate_from_confusion,
    ),
)
