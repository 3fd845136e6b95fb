"""The table of measures per class, as Weka's "Detailed Accuracy By Class".

Counts of all folds and repetitions are added up, and their probabilities ranked together, as in
Weka's output. O(test rows) per method, and O(n log n) per class for the ROC areas.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..exports.tables.table import Cell, ReportTable
from .confusion import confusion_counts
from .per_class import COLUMNS, per_class_of


def usable_scores(scores: np.ndarray | None, *, probabilities: bool) -> np.ndarray | None:
    """Return scores of a method, (test rows, k), or None if any row has none.

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
