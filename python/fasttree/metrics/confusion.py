"""The confusion matrix: true class by predicted class, with an additional column for unclassified
rows.

``counts[i, j]`` = rows (or weight) of true class i predicted as class j; the last column, j = k,
holds rows that the classifier left unclassified. Every metric on labels is a function of this
matrix, so one counting pass (O(rows)) serves all of them, for many folds and many methods at once.
Not the tool for probabilities: see `calibration` and `roc`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from .._checks import checked, one_value, row_weights
from .._checks.aliases import ClassLabels, Label, MaybeArray
from .labels import encode_pair, positive_code
from .metric import Metric, metric_of, presented_as


def confusion_counts(
    true_codes: np.ndarray,
    pred_codes: np.ndarray,
    n_classes: int,
    *,
    groups: np.ndarray | None = None,
    n_groups: int = 1,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Count codes into shape (..., n_groups, k, k + 1), or (k, k + 1) without `groups`.

    `true_codes` (rows,), `pred_codes` (..., rows) with -1 = unclassified, `groups` (rows,) the fold
    of each row. int64 without weights, float64 with.

    >>> confusion_counts(np.array([0, 0, 1]), np.array([0, -1, 0]), 2)
    array([[1, 0, 1],
           [1, 0, 0]])
    """
    wide = n_classes + 1
    lead = pred_codes.shape[:-1]
    n_lead = int(np.prod(lead, dtype=np.int64))
    row_part = true_codes.astype(np.int64) * wide
    if groups is not None:
        row_part = row_part + groups.astype(np.int64) * (n_classes * wide)
    size = n_groups * n_classes * wide
    cells = np.where(pred_codes < 0, n_classes, pred_codes).reshape(n_lead, -1) + row_part
    if n_lead > 1:
        cells = cells + (np.arange(n_lead, dtype=np.int64) * size)[:, None]
    flat_weights = None if weights is None else np.broadcast_to(weights, cells.shape).ravel()
    counts = np.bincount(cells.ravel(), flat_weights, minlength=n_lead * size)
    tail = (n_classes, wide) if groups is None else (n_groups, n_classes, wide)
    return counts.reshape(*lead, *tail)


def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> np.ndarray:
    """Return the confusion matrix, shape (k, k + 1): rows true, columns predicted, last column
    unclassified.

    `classes` fixes the order (default: sorted labels of both).  Counts are int64, or float64 with
    `sample_weight`. Raises ValueError for unknown labels or lengths that differ.

    >>> confusion_matrix(["a", "a", "b"], ["a", "b", None])
    array([[1, 1, 0],
           [0, 0, 1]])
    """
    return counts_of(y_true, y_pred, classes, sample_weight)[0]


def counts_of(
    y_true: ArrayLike, y_pred: ArrayLike, classes: ClassLabels | None, sample_weight: MaybeArray
) -> tuple[np.ndarray, tuple[Any, ...]]:
    """The `confusion_matrix`, shape (k, k + 1), and the classes of its rows. Raises ValueError for
    labels that are not in `classes` and for lengths that differ."""
    true_codes, pred_codes, labels = encode_pair(y_true, y_pred, classes)
    weights = row_weights(sample_weight, len(true_codes))
    return confusion_counts(true_codes, pred_codes, len(labels), weights=weights), labels


class LabelMetric(Protocol):
    """A public measure of predicted labels, with its array form `from_confusion` and its entry in
    the registry. One function thus serves users, folds and scorers."""

    from_confusion: Callable[..., np.ndarray]
    metric: Metric

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        positive: Label | None = None,
        classes: ClassLabels | None = None,
        sample_weight: MaybeArray = None,
    ) -> float:
        """Return the measure of labels, in the order of `classes`."""


def of_labels(
    doc: str, source: str, *, of_positive: bool = False, **facts: Any
) -> Callable[[Callable[..., np.ndarray]], LabelMetric]:
    """Return a decorator that makes the public function on labels from a function of confusion
    counts (..., k, k + 1); `metric_of` documents the arguments.

    `of_positive`: the function takes the code of the positive class, and the public one its label.
    """
    hidden = () if of_positive else ("positive",)

    def decorate(from_confusion: Callable[..., np.ndarray]) -> LabelMetric:
        @checked(positive=one_value)
        def function(
            y_true: ArrayLike,
            y_pred: ArrayLike,
            *,
            positive: Label | None = None,
            classes: ClassLabels | None = None,
            sample_weight: MaybeArray = None,
        ) -> float:
            if positive is not None and not of_positive:
                raise TypeError(f"{from_confusion.__name__} is of all classes; leave positive= out")
            counts, labels = counts_of(y_true, y_pred, classes, sample_weight)
            code = {"positive": positive_code(labels, positive)} if of_positive else {}
            return float(from_confusion(counts, **code))

        public = cast(LabelMetric, presented_as(from_confusion, function, *hidden))
        public.from_confusion = from_confusion
        public.metric = metric_of(function, doc, source, from_confusion=from_confusion, **facts)
        return public

    return decorate
