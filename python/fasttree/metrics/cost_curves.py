"""Cost curves: the cost of a classifier at every cost ratio and class share (Drummond & Holte 2000,
2006).

    PC(+) = p(+) C_fn / (p(+) C_fn + p(-) C_fp)          probability cost, 0 to 1
    NE    = (1 - TPR) PC(+) + FPR (1 - PC(+))            normalised expected cost, 0 to 1

A point of ROC space is a line here, a ROC curve the lower envelope of its lines. A vertex of the
hull is a segment of the envelope: the range of PC(+) in which its threshold is cheapest.  "Always
negative" costs PC(+), "always positive" 1 - PC(+); a classifier is worth asking only where it lies
below both.  Unlike ROC curves, cost curves answer by how much one classifier is better, and where.
The area under an envelope is the mean cost when every PC(+) is equally likely. O(n log n).  Two
classes; with more, one against the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._checks import checked, mapping, number_array, number_in, one_value, shown
from .._checks.aliases import ClassLabels, Label, MaybeArray
from .metric import metric_of
from .roc import RocCurve, ScoredRows, group_sums, mean_over_classes, roc_convex_hull, roc_curve


class CostCurve(NamedTuple):
    """A lower envelope of m segments, from left to right.

    `probability_cost` and `normalized_cost` (m + 1,) are its corners. On segment i, from corner i
    to corner i + 1, the cheapest classifier has `fpr[i]`, `tpr[i]` and is reached at
    `thresholds[i]` (m,; NaN where none was given).
    """

    probability_cost: np.ndarray
    normalized_cost: np.ndarray
    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray

    def cost_at(self, probability_cost: Any) -> Any:
        """Return the normalised expected cost at PC(+) (0 to 1, any shape). Between points it is
        interpolated. ValueError outside [0, 1].

        >>> cost_curve([0, 1], [0.1, 0.9]).cost_at([0.0, 0.5, 1.0])
        array([0., 0., 0.])
        """
        shares = np.asarray(probability_cost, dtype=np.float64)
        if not ((shares >= 0) & (shares <= 1)).all():
            raise ValueError("probability_cost must lie between 0 and 1")
        return np.interp(shares, self.probability_cost, self.normalized_cost)

    @property
    def area(self) -> float:
        """The area under the envelope, 0 (perfect) to 1/4 (no better than a constant answer). This
        is the expected cost if all values of PC(+) are equally likely."""
        widths = np.diff(self.probability_cost)
        return float((widths * (self.normalized_cost[1:] + self.normalized_cost[:-1])).sum() / 2.0)


class CostRange(NamedTuple):
    """`name` is the cheapest from `lower` to `upper` probability cost, at the point (`fpr`, `tpr`)
    of ROC space. The ranges that `cheapest_classifiers` returns follow each other from 0 to 1."""

    name: str
    lower: float
    upper: float
    fpr: float
    tpr: float


COST = number_in(0.0, 1e150, above=True)


def is_pair(value: Any) -> bool:
    """Whether a value may be a curve: a tuple or list of at least two arrays, (fpr, tpr). A
    `RocCurve` is one."""
    return isinstance(value, tuple | list) and len(value) >= 2


@checked(positive_share=number_array, cost_fp=COST, cost_fn=COST)
def probability_cost(positive_share: Any, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Any:
    """Return PC(+) = p C_fn / (p C_fn + (1 - p) C_fp) of the share p of positives and the costs of
    the two errors. It is the horizontal axis of a cost curve. ValueError for a share outside [0,
    1].

    >>> probability_cost(0.2, cost_fn=4.0)
    0.5
    """
    share = positive_share
    if not ((share >= 0) & (share <= 1)).all():
        raise ValueError(f"positive_share={shown(share.tolist())} must lie between 0 and 1")
    value = share * cost_fn / (share * cost_fn + (1.0 - share) * cost_fp)
    return value if value.ndim else float(value)


def _points(curve: Any) -> list[tuple[float, float]]:
    """Pairs of false and true positive rates."""
    fpr, tpr = (np.asarray(rates, dtype=np.float64).tolist() for rates in curve[:2])
    return list(zip(fpr, tpr, strict=True))


def cost_envelope(*curves: Any) -> CostCurve:
    """Return the lower envelope of ROC curves (`RocCurve` or pairs (fpr, tpr)) and the two constant
    answers. It is the cost of the best classifier for each PC(+), constant answers among them.

    >>> cost_envelope(([0.2], [0.8])).probability_cost.round(6).tolist()
    [0.0, 0.2, 0.8, 1.0]
    """
    fpr, tpr = roc_convex_hull(*curves)
    thresholds = np.full(len(fpr), np.nan)
    for curve in reversed(curves):
        if isinstance(curve, RocCurve):
            # The hull copies points unchanged, so that equal floats find a vertex in its curve.
            threshold_of = dict(zip(_points(curve), curve.thresholds, strict=True))
            for vertex, point in enumerate(_points((fpr, tpr))):
                thresholds[vertex] = threshold_of.get(point, thresholds[vertex])
    d_fpr = np.diff(fpr)
    d_tpr = np.diff(tpr)
    corners = np.concatenate([[0.0], d_fpr / (d_fpr + d_tpr), [1.0]])
    last = np.minimum(np.arange(len(corners)), len(fpr) - 1)
    costs = (1.0 - tpr[last]) * corners + fpr[last] * (1.0 - corners)
    has_range = corners[1:] > corners[:-1]  # a perfect point leaves the constant answers none
    is_corner = np.concatenate([has_range, [True]])
    return CostCurve(
        corners[is_corner],
        costs[is_corner],
        fpr[has_range],
        tpr[has_range],
        thresholds[has_range],
    )


@checked(positive=one_value)
def cost_curve(
    y_true: ArrayLike,
    scores: Any,
    *,
    positive: Label | None = None,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> CostCurve:
    """Return the cost curve of scores (n,) or (n, k): the cheapest threshold for every probability
    cost.

    It takes the arguments and raises the errors of `roc_curve`.

    >>> curve = cost_curve([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> curve.cost_at(0.5).item(), curve.thresholds.tolist()
    (0.25, [0.9, 0.3])
    """
    options: dict[str, Any] = {"classes": classes, "sample_weight": sample_weight}
    return cost_envelope(roc_curve(y_true, scores, positive=positive, **options))


@checked(curves=mapping("a RocCurve or a pair (fpr, tpr)", is_pair))
def cheapest_classifiers(curves: Mapping[str, Any]) -> list[CostRange]:
    """Return which of several classifiers is the cheapest where, from PC(+) = 0 to 1; of equals,
    the first.

    `curves`: name -> `RocCurve` or (fpr, tpr).  Only classifiers on the common convex hull appear;
    the constant answers are named "always negative" and "always positive".

    >>> [
    ...     (one.name, round(one.upper, 3))
    ...     for one in cheapest_classifiers({"a": ([0.0], [0.5]), "b": ([0.5], [1.0])})
    ... ]
    [('a', 0.5), ('b', 1.0)]
    """
    envelope = cost_envelope(*curves.values())
    # The hull copies points unchanged, so that equal floats find the classifier of a vertex.
    owner: dict[tuple[float, float], str] = {}
    for name, curve in curves.items():
        for point in _points(curve):
            owner.setdefault(point, name)
    owner.update({(0.0, 0.0): "always negative", (1.0, 1.0): "always positive"})
    points = _points((envelope.fpr, envelope.tpr))
    corners = envelope.probability_cost.tolist()
    return [
        CostRange(owner[point], lower, upper, *point)
        for point, lower, upper in zip(points, corners[:-1], corners[1:], strict=True)
    ]


def _binary_area(is_positive: np.ndarray, scores: np.ndarray, weights: np.ndarray | None) -> float:
    """The area under the cost curve of two classes; NaN if a class has no weight.

    Args:
        is_positive: whether each row is of the positive class, shape (n,).
        scores: scores of the positive class, shape (n,).
        weights: weights of the rows, shape (n,); None: all 1.
    """
    _, positives, negatives = group_sums(is_positive, scores, weights)
    if positives.sum() == 0 or negatives.sum() == 0:
        return float("nan")
    rates = np.cumsum(negatives) / negatives.sum(), np.cumsum(positives) / positives.sum()
    # A running sum of weights may exceed `sum`, which adds them in another order, by a rounding.
    return cost_envelope(tuple(np.minimum(rate, 1.0) for rate in rates)).area


@checked(positive=one_value)
def cost_curve_area(
    y_true: ArrayLike,
    scores: Any,
    *,
    positive: Label | None = None,
    average: Literal["macro", "weighted"] = "macro",
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the area under the cost curve, 0 (perfect) to 1/4; more than two classes: mean of
    one-vs-rest, as `auc`.

    >>> cost_curve_area([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9])
    0.0
    """
    rows = ScoredRows(y_true, scores, positive, classes, sample_weight)
    return rows.mean(_binary_area, average)


METRICS = (
    metric_of(
        cost_curve_area,
        "mean normalised cost at the cheapest threshold, every probability cost equally likely",
        "Drummond & Holte 2006",
        needs="scores",
        better=False,
        maximum=0.25,
        from_rows=partial(mean_over_classes, _binary_area),
    ),
)
