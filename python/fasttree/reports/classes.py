"""The table of measures per class, as Weka's "Detailed Accuracy By Class".

Counts of all folds and repetitions are added up, and their probabilities ranked together, as in
Weka's output. O(test rows) per method, and O(n log n) per class for the ROC areas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..metrics.confusion import confusion_counts
from ..metrics.per_class import per_class_of
from ..rendering.table import Cell, ReportTable, number

if TYPE_CHECKING:
    from ..model_selection.result import CrossValidation

COLUMNS = ("tp_rate", "fp_rate", "precision", "recall", "f", "roc_area")
HEADER = ("TP rate", "FP rate", "precision", "recall", "F", "ROC area")


def usable_proba(result: CrossValidation, method: str, *, probabilities: bool) -> np.ndarray | None:
    """Return scores of a method, (test rows, k), or None if any row has none.

    With `probabilities`, also None if the scores are not probabilities.
    """
    scores = result[method].proba
    if scores is None or not np.isfinite(scores).all():
        return None
    inside = ((scores >= 0) & (scores <= 1)).all() and np.allclose(
        scores.sum(axis=1), 1.0, atol=1e-3
    )
    return scores if inside or not probabilities else None


def pooled_counts(result: CrossValidation, method: str) -> np.ndarray:
    """Return confusion counts (k, k + 1), summed over all folds."""
    return confusion_counts(result.true_codes, result[method].predictions, len(result.classes))


def per_class_table(result: CrossValidation, method: str) -> ReportTable:
    """Return one row per class and their weighted mean; ROC areas are "-" without probabilities."""
    scores = usable_proba(result, method, probabilities=False)
    counts = pooled_counts(result, method)
    block = per_class_of(counts, result.classes, codes=result.true_codes, proba=scores)
    rows = [
        [
            Cell(str(label)),
            *(Cell(number(float(getattr(block, name)[place]), 3)) for name in COLUMNS),
            Cell(f"{block.support[place]:g}"),
        ]
        for place, label in enumerate(result.classes)
    ]
    mean = block.weighted()
    total = f"{block.support.sum():g}"
    rows.append(
        [Cell("weighted mean"), *(Cell(number(mean[name], 3)) for name in COLUMNS), Cell(total)]
    )
    return ReportTable(method, ["class", *HEADER, "rows"], rows, (len(result.classes),))
