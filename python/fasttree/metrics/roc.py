"""ROC curves with tied scores grouped, the area under them, and the convex hull of one or several
curves.

AUC = P(score of a positive > score of a negative) + 1/2 P(equal), the Mann-Whitney statistic over P
N (Hanley & McNeil 1982; Fawcett 2006).  It is computed from group counts in integers (with unit or
integer weights), so it does not depend on row order.  O(n log n).  Not a measure of calibration:
any increasing map of the scores keeps it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .._checks import checked, number_array, one_value, row_weights, shown
from .._checks.aliases import ClassLabels, Label, MaybeArray
from .labels import check_lengths, codes_of, known_classes, positive_code
from .metric import metric_of

BinaryMeasure: TypeAlias = Callable[[np.ndarray, np.ndarray, np.ndarray | None], float]
"""A measure of (is_positive, scores, weights)."""


class RocCurve(NamedTuple):
    """False and true positive rates (both 0 to 1, non-decreasing) and the score threshold of every
    point. There is one point per distinct score, and (0, 0) first."""

    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray


def group_sums(
    is_positive: np.ndarray, scores: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, ...]:
    """Return distinct scores, descending, with the weight of positive and of negative rows of each
    group of ties. Curves have one point per group, so that the order of tied rows does not
    matter."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    hits = is_positive[order]
    if weights is None:
        positives = np.add.reduceat(hits.astype(np.int64), starts)
        totals = np.diff(np.append(starts, len(ranked)))
    else:
        sorted_weights = weights[order]
        positives = np.add.reduceat(np.where(hits, sorted_weights, 0.0), starts)
        totals = np.add.reduceat(sorted_weights, starts)
    return ranked[starts], positives, totals - positives


def binary_auc(
    is_positive: np.ndarray, scores: np.ndarray, weights: np.ndarray | None = None
) -> float:
    """Return the AUC of checked arrays: bool (n,), finite scores (n,); NaN when one of the two
    classes is empty.

    >>> binary_auc(np.array([False, True, True]), np.array([0.2, 0.2, 0.9]))
    0.75
    """
    _, positives, negatives = group_sums(is_positive, scores, weights)
    total = positives.sum() * negatives.sum()
    if total == 0:
        return float("nan")
    below = negatives.sum() - np.cumsum(negatives)
    return float((positives * (2 * below + negatives)).sum() / (2 * total))


def _check_scores(scores: Any, n_rows: int, n_classes: int) -> np.ndarray:
    array = number_array("scores", scores)
    check_lengths("scores", n_rows, len(np.atleast_1d(array)))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 1 and n_classes > 2:
        raise ValueError(
            f"scores is one-dimensional but there are {n_classes} classes; give one column a class"
        )
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] != n_classes):
        raise ValueError(
            f"scores has shape {array.shape}, expected ({n_rows},) or ({n_rows}, {n_classes}); "
            "pass classes= when some class does not occur in y_true"
        )
    bad = ~np.isfinite(array).reshape(n_rows, -1).all(axis=1)
    if bad.any():
        raise ValueError(
            f"scores: row {int(np.flatnonzero(bad)[0])} is not finite; NaN cannot be ranked"
        )
    return array


class ScoredRows:
    """Checked labels, scores and weights of rows, which measures of ranking share. `positive` is
    the label of the positive class; None: the last one, or each against the rest."""

    def __init__(
        self,
        y_true: ArrayLike,
        scores: Any,
        positive: Label | None,
        classes: ClassLabels | None,
        sample_weight: MaybeArray,
    ) -> None:
        self.classes, self.positive = known_classes(classes, y_true), positive
        self.codes = codes_of(y_true, self.classes, "y_true")
        one_column = positive is not None and number_array("scores", scores).ndim != 2
        n_classes = 1 if one_column else len(self.classes)
        self.scores = _check_scores(scores, len(self.codes), n_classes)
        self.weights = row_weights(sample_weight, len(self.codes))

    def binary(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Which rows are positive, bool (n,), their scores for the positive class, and their
        weights or None. ValueError if the positive class is not known."""
        code = positive_code(self.classes, self.positive)
        column = self.scores[:, code] if self.scores.ndim == 2 else self.scores
        return self.codes == code, column, self.weights

    def mean(self, measure: BinaryMeasure, average: str) -> float:
        """A binary measure of the positive class, or without one the mean over all classes, each
        against the rest. `average` as in `auc`."""
        if self.positive is not None or self.scores.ndim == 1:
            return measure(*self.binary())
        return mean_over_classes(
            measure, self.codes, self.scores, average=average, weights=self.weights
        )


@checked(positive=one_value)
def roc_curve(
    y_true: ArrayLike,
    scores: Any,
    *,
    positive: Label | None = None,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> RocCurve:
    """Return the ROC curve: one point for every distinct score (ties move together), from (0, 0) to
    (1, 1).

    `scores`: (n,) for the positive class (the last one unless given; larger = more positive), or
    (n, k), whose column for the positive class is read. The first threshold is +inf. Raises
    ValueError when there is no positive or no negative row.

    >>> roc_curve([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4]).tpr
    array([0. , 0.5, 1. , 1. ])
    """
    rows = ScoredRows(y_true, scores, positive, classes, sample_weight)
    thresholds, positives, negatives = group_sums(*rows.binary())
    if positives.sum() == 0 or negatives.sum() == 0:
        missing = "positive" if positives.sum() == 0 else "negative"
        raise ValueError(f"there is no {missing} row; a ROC curve needs both kinds")
    fpr = np.concatenate([[0.0], np.cumsum(negatives) / negatives.sum()])
    tpr = np.concatenate([[0.0], np.cumsum(positives) / positives.sum()])
    return RocCurve(fpr, tpr, np.concatenate([[np.inf], thresholds]))


def mean_over_classes(
    measure: BinaryMeasure,
    codes: np.ndarray,
    scores: np.ndarray,
    *,
    positive: int = -1,
    average: str = "macro",
    weights: np.ndarray | None = None,
) -> float:
    """Return a binary measure (is_positive, scores, weights) of the positive class, or its mean of
    one-vs-rest.

    `scores` (n,) or (n, k); with more than two columns the classes for which the measure is NaN are
    left out.
    """
    if scores.ndim == 1:
        return measure(codes == positive, scores, weights)
    n_classes = scores.shape[1]
    if n_classes <= 2:
        code = positive % n_classes
        return measure(codes == code, scores[:, code], weights)
    each = np.array([measure(codes == code, scores[:, code], weights) for code in range(n_classes)])
    has_value = ~np.isnan(each)
    if not has_value.any():
        return float("nan")
    if average == "macro":
        return float(each[has_value].mean())
    if average == "weighted":
        share = np.bincount(codes, weights, minlength=n_classes)[has_value]
        return float((each[has_value] * share).sum() / share.sum())
    raise ValueError(
        f'average={shown(average)}; use "macro" (mean over classes) or "weighted" (by class '
        "frequency)"
    )


@checked(positive=one_value)
def auc(
    y_true: ArrayLike,
    scores: Any,
    *,
    positive: Label | None = None,
    average: Literal["macro", "weighted"] = "macro",
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the area under the ROC curve (0 to 1), ties counting 1/2: exactly Mann-Whitney's U /
    (P N).

    `scores`: (n,) for the positive class (the last one unless given), or (n, k).  More than two
    classes without `positive`: one-vs-rest over the classes that have rows inside and outside,
    averaged "macro" or "weighted" by frequency.  NaN when only one class occurs.

    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    rows = ScoredRows(y_true, scores, positive, classes, sample_weight)
    return rows.mean(binary_auc, average)


def roc_convex_hull(*curves: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return (fpr, tpr) of the upper convex hull of one or several ROC curves, (0, 0) and (1, 1)
    included.

    Each curve is a `RocCurve` or a pair (fpr, tpr).  Only classifiers on the hull are optimal for
    some costs and class shares (Provost & Fawcett 2001).  O(m log m) in the number of points.

    >>> roc_convex_hull(([0.0, 0.5, 0.6], [0.5, 0.6, 1.0]))
    (array([0. , 0. , 0.6, 1. ]), array([0. , 0.5, 1. , 1. ]))
    """
    points = [np.array([[0.0, 1.0]] * 2)]
    for curve in curves:
        fpr, tpr = np.asarray(curve[0], dtype=np.float64), np.asarray(curve[1], dtype=np.float64)
        if fpr.shape != tpr.shape or fpr.ndim != 1:
            raise ValueError(
                f"a curve needs two 1-D arrays of one length, got shapes {fpr.shape} and "
                f"{tpr.shape}"
            )
        if not (((fpr >= 0) & (fpr <= 1) & (tpr >= 0) & (tpr <= 1)).all()):
            raise ValueError("false and true positive rates must lie between 0 and 1")
        points.append(np.array([fpr, tpr]))
    all_points = np.concatenate(points, axis=1)
    hull: list[tuple[float, float]] = []
    for x, y in zip(*all_points[:, np.lexsort(all_points[::-1])].tolist(), strict=True):
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2], hull[-1]
            if (x1 - x0) * (y - y0) < (y1 - y0) * (x - x0):
                break
            hull.pop()
        if not (hull and y < hull[-1][1]):
            hull.append((x, y))
    return np.array([x for x, _ in hull]), np.array([y for _, y in hull])


METRICS = (
    metric_of(
        auc,
        "area under the ROC curve, ties 1/2; mean of one-vs-rest for more than two classes",
        "Hanley & McNeil 1982",
        needs="scores",
        aliases=("roc_auc",),
        from_rows=partial(mean_over_classes, binary_auc),
    ),
)
