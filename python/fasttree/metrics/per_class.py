"""Each class by itself, as Weka's "Detailed Accuracy By Class": TP rate, FP rate, precision,
recall, F and ROC area.

    TP rate = recall = TP / (TP + FN)     FP rate = FP / (FP + TN)     precision = TP / (TP + FP)
    0/0 = 0

Every class is set against all others; the weighted means use the classes' shares of the rows. An
unclassified row is a false negative of its class and a positive of none. For a cross-validation the
counts of all folds and repetitions are added up, and their probabilities ranked together, as in
Weka's output. O(rows), and O(n log n) a class for the ROC areas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._checks import row_weights
from .._checks.aliases import ClassLabels, MaybeArray
from ..exports.tables.table import Cell, ReportTable
from .confusion import confusion_counts
from .f_measures import f_beta_from_counts, ratio
from .labels import average, check_proba, encode_pair
from .roc import binary_auc
from .summary import rounded

COLUMNS = {
    "TP rate": "tp_rate",
    "FP rate": "fp_rate",
    "precision": "precision",
    "recall": "recall",
    "F": "f",
    "ROC area": "roc_area",
}
"""Measures as they are printed, by name."""


class PerClass(NamedTuple):
    """Arrays (k,) in the order of `classes`; `support` is the weight of rows, `roc_area` NaN
    without probabilities."""

    classes: tuple[Any, ...]
    support: np.ndarray
    tp_rate: np.ndarray
    fp_rate: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    f: np.ndarray
    roc_area: np.ndarray

    def weighted(self) -> dict[str, float]:
        """Return the mean of every measure, weighted by `support`. Classes without rows or without
        a value are left out; NaN if none is left."""
        out = {}
        for name in self._fields[2:]:
            values = getattr(self, name)
            counts = ~np.isnan(values) & (self.support > 0)
            out[name] = average(values[counts], self.support[counts]) if counts.any() else math.nan
        return out

    def cells(self) -> list[list[str]]:
        """The cells of a table under "class", `COLUMNS` and "rows", as texts: one row per class,
        then the weighted mean. NaN is "-"."""
        mean = self.weighted()
        columns = [
            [rounded(float(value)) for value in (*getattr(self, name), mean[name])]
            for name in COLUMNS.values()
        ]
        labels = (*map(str, self.classes), "weighted mean")
        sizes = [f"{size:.10g}" for size in (*self.support, self.support.sum())]
        return [list(row) for row in zip(labels, *columns, sizes, strict=True)]

    def records(self) -> list[dict[str, Any]]:
        """Return one dictionary per class, in the order of `classes`: the label and each measure as
        a float."""
        return [
            {
                "class": label,
                **{name: float(getattr(self, name)[place]) for name in self._fields[1:]},
            }
            for place, label in enumerate(self.classes)
        ]


def per_class_of(
    counts: np.ndarray,
    classes: Sequence[Any],
    *,
    codes: np.ndarray | None = None,
    proba: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    beta: float = 1.0,
) -> PerClass:
    """Return the table of confusion counts (k, k + 1); `codes` (n,) and `proba` (n, k) give the ROC
    areas."""
    k = len(counts)
    tp = np.diagonal(counts).astype(np.float64)
    support = counts.sum(axis=1).astype(np.float64)
    fp = counts[:, :k].sum(axis=0) - tp
    area = np.full(k, np.nan)
    if proba is not None and codes is not None:
        finite = np.isfinite(proba).all(axis=1)
        inside = None if weights is None else weights[finite]
        if finite.any():
            area = np.array(
                [binary_auc(codes[finite] == c, proba[finite, c], inside) for c in range(k)]
            )
    recall = ratio(tp, support)
    return PerClass(
        tuple(classes),
        support,
        recall,
        ratio(fp, support.sum() - support),
        ratio(tp, tp + fp),
        recall,
        np.asarray(f_beta_from_counts(tp, fp, support - tp, beta=beta)),
        area,
    )


def per_class(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    proba: Any = None,
    *,
    beta: float = 1.0,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> PerClass:
    """Return the measures of every class against the rest; with `proba` (n, k) the ROC areas, too.

    `beta` weighs recall against precision in F. Raises ValueError for labels that are not classes
    and lengths that differ.

    >>> found = per_class(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    >>> found.tp_rate.tolist(), found.fp_rate.tolist(), round(found.weighted()["precision"], 3)
    ([0.5, 1.0], [0.0, 0.5], 0.833)
    """
    codes, predicted, labels = encode_pair(y_true, y_pred, classes)
    weights = row_weights(sample_weight, len(codes))
    counts = confusion_counts(codes, predicted, len(labels), weights=weights)
    checked = None if proba is None else check_proba(proba, len(codes), len(labels))
    return per_class_of(counts, labels, codes=codes, proba=checked, weights=weights, beta=beta)


def usable_scores(scores: np.ndarray | None, *, probabilities: bool) -> np.ndarray | None:
    """Return scores of a method, (test rows, k), or None if any row has no scores.

    With `probabilities`, also None if the scores are not probabilities.
    """
    if scores is None or not np.isfinite(scores).all():
        return None
    inside = ((scores >= 0) & (scores <= 1)).all() and np.allclose(
        scores.sum(axis=1), 1.0, atol=1e-3
    )
    return scores if inside or not probabilities else None


def per_class_table(
    method: str,
    classes: Sequence[Any],
    true_codes: np.ndarray,
    predictions: np.ndarray,
    scores: np.ndarray | None,
) -> ReportTable:
    """Return one row per class and their weighted mean; ROC areas are "-" without scores.

    Args:
        method: title of the table.
        classes: labels, k of them.
        true_codes: class of each test row of all folds.
        predictions: predicted class of each of these rows, -1 for none.
        scores: scores of the classes, (test rows, k), or None.
    """
    counts = confusion_counts(true_codes, predictions, len(classes))
    scores = usable_scores(scores, probabilities=False)
    block = per_class_of(counts, classes, codes=true_codes, proba=scores)
    rows = [list(map(Cell, cells)) for cells in block.cells()]
    return ReportTable(method, ["class", *COLUMNS, "rows"], rows, (len(classes),))
