"""Confusion matrices of a cross-validation, as a page shows them.

Counts of all folds and repetitions are added up, as in Weka's output.  Confusion matrices of many
classes are long; above `WHOLE` classes the most frequent confusions are listed instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...metrics.confusion import confusion_counts

if TYPE_CHECKING:
    from ...model_selection.result import CrossValidation

WHOLE, LISTED = 12, 15
"""Largest number of classes for which the matrix is shown; confusions listed for more classes."""


def confusion_of(result: CrossValidation, method: str) -> dict[str, list[Any]]:
    """Return a method's confusion matrix, all folds and repetitions together.

    Returns:
        header: names of the predicted classes.
        rows: (true class, cells) with a cell (count, share of its row in whole percent, whether it
            is on the diagonal) per predicted class; none for many classes.
        worst: for many classes (true, predicted, count, share) of the most frequent confusions.
    """
    counts = confusion_counts(result.true_codes, result[method].predictions, len(result.classes))
    names = [*(str(label) for label in result.classes), "unclassified"]
    if not counts[:, -1].any():
        counts, names = counts[:, :-1], names[:-1]
    total = np.maximum(counts.sum(axis=1), 1)
    if len(counts) > WHOLE:
        wrong = counts.copy()
        np.fill_diagonal(wrong, 0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:LISTED]
        pairs = [divmod(int(place), wrong.shape[1]) for place in order]
        worst = [
            (names[i], names[j], int(wrong[i, j]), f"{100 * wrong[i, j] / total[i]:.1f} %")
            for i, j in pairs
            if wrong[i, j]
        ]
        return {"header": [], "rows": [], "worst": worst}
    rows = [
        (
            names[i],
            [(int(n), round(100 * int(n) / int(total[i])), i == j) for j, n in enumerate(row)],
        )
        for i, row in enumerate(counts)
    ]
    return {"header": names, "rows": rows, "worst": []}
