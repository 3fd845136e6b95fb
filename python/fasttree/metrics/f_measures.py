"""F_beta, precision and recall of one class, from counts and from labels.

    F_beta = (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)        (van Rijsbergen 1979), 0/0
    = 0

which for beta = 1 is the harmonic mean of precision TP/(TP+FP) and recall TP/(TP+FN).  The positive
class is the last one unless given; an unclassified row of the positive class is a false negative.
O(rows).  Not symmetric in the two classes and blind to true negatives: for that use accuracy, AUC
or Matthews' correlation.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._checks import checked, number_array, number_in, one_value, shown
from .._checks.aliases import ClassLabels, Label, MaybeArray
from .confusion import counts_of, of_labels
from .labels import positive_code
from .metric import metric_of


def ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """Elementwise top / bottom with 0/0 = 0, the convention for recall or precision without rows;
    shapes broadcast."""
    return np.divide(
        top, bottom, out=np.zeros(np.broadcast(top, bottom).shape), where=np.asarray(bottom) != 0
    )


def _check_beta(beta: float) -> float:
    return number_in(0.0, 1e150)("beta", beta)


@checked(tp=number_array, fp=number_array, fn=number_array)
def f_beta_from_counts(tp: Any, fp: Any, fn: Any, *, beta: float = 1.0) -> Any:
    """Return F_beta (0 to 1) of true positives, false positives and false negatives; arrays
    broadcast, 0/0 = 0.

    >>> f_beta_from_counts(6, 2, 4)
    0.6666666666666666
    """
    square = _check_beta(beta) ** 2
    top = (1.0 + square) * tp
    value = ratio(top, top + square * fn + fp)
    return value if value.ndim else float(value)


def _positive_counts(
    counts: np.ndarray, positive: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tp, fp, fn of the class with code `positive` in confusion counts (..., k, k + 1)."""
    code = positive % counts.shape[-2]
    tp = counts[..., code, code]
    row, column = counts[..., code, :].sum(axis=-1), counts[..., :, code].sum(axis=-1)
    return tp, column - tp, row - tp


def f_beta_from_confusion(
    counts: np.ndarray, *, beta: float = 1.0, positive: int = -1, average: str | None = None
) -> np.ndarray:
    """F_beta of confusion counts (..., k, k + 1); `positive` is a class code (-1 = the last
    class)."""
    if average is None:
        tp, fp, fn = _positive_counts(counts, positive)
        return np.asarray(f_beta_from_counts(tp, fp, fn, beta=beta))
    tp = np.diagonal(counts, axis1=-2, axis2=-1)
    support = counts.sum(axis=-1)
    column = counts[..., :, :-1].sum(axis=-2)
    each = np.asarray(f_beta_from_counts(tp, column - tp, support - tp, beta=beta))
    if average == "macro":
        return each.mean(axis=-1)
    if average == "weighted":
        return (each * support).sum(axis=-1) / support.sum(axis=-1)
    raise ValueError(
        f'average={shown(average)}; use None (one positive class), "macro" or "weighted"'
    )


@checked(positive=one_value, average=one_value)
def f_beta(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    positive: Label | None = None,
    average: Literal["macro", "weighted"] | None = None,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return F_beta (0 to 1) of the positive class (the last one unless given), or its mean over
    classes.

    `beta` > 1 weighs recall, < 1 precision.  Raises ValueError for a negative beta or an unknown
    class.

    >>> f_beta([0, 0, 1, 1], [0, 1, 1, 1])
    0.8
    """
    counts, labels = counts_of(y_true, y_pred, classes, sample_weight)
    code = positive_code(labels, positive)
    return float(f_beta_from_confusion(counts, beta=beta, positive=code, average=average))


@of_labels("share of positive predictions that are right", "TP / (TP + FP)", of_positive=True)
def precision(counts: np.ndarray, *, positive: int = -1) -> np.ndarray:
    """Return TP / (TP + FP), 0 to 1; 0 when nothing was predicted positive.

    >>> precision([0, 1, 1, 1], [1, 1, 1, 0])
    0.6666666666666666
    """
    tp, fp, _ = _positive_counts(counts, positive)
    return ratio(tp, tp + fp)


@of_labels("share of positive rows that are found", "TP / (TP + FN)", of_positive=True)
def recall(counts: np.ndarray, *, positive: int = -1) -> np.ndarray:
    """Return TP / (TP + FN), 0 to 1; 0 when there is no positive row.

    >>> recall([0, 1, 1, 1, 1], [1, 1, 1, 0, None])
    0.5
    """
    tp, _, fn = _positive_counts(counts, positive)
    return ratio(tp, tp + fn)


METRICS = (
    metric_of(
        f_beta,
        "weighted harmonic mean of precision and recall of the positive class (the last one "
        "unless given)",
        "van Rijsbergen 1979",
        aliases=("f_measure", "f1"),
        from_confusion=f_beta_from_confusion,
    ),
    precision.metric,
    recall.metric,
)
