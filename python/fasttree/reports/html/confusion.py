"""Confusion matrices of a cross-validation, as a page shows them.

Counts of all folds and repetitions are added up, as in Weka's output. Confusion matrices of many
classes are long: above `MOST_CLASSES` classes the most frequent confusions are listed instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...metrics.confusion import confusion_counts

if TYPE_CHECKING:
    from ...model_selection.result import CrossValidation

MOST_CLASSES = 12
"""Largest number of classes for which the matrix is shown; more columns do not fit on a page."""
N_LISTED = 15
"""Confusions that are listed for more classes."""


def confusion_of(result: CrossValidation, method: str) -> dict[str, list[Any]]:
    """The confusion matrix of a method, all folds and repetitions together, for the template.

    Args:
        result: a cross-validation of classifiers.
        method: name of the method.

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
    row_totals = np.maximum(counts.sum(axis=1), 1)
    if len(counts) > MOST_CLASSES:
        return {"header": [], "rows": [], "worst": _worst_confusions(counts, row_totals, names)}
    rows = []
    for i, row in enumerate(counts):
        total = int(row_totals[i])
        cells = [(int(n), round(100 * int(n) / total), i == j) for j, n in enumerate(row)]
        rows.append((names[i], cells))
    return {"header": names, "rows": rows, "worst": []}


def _worst_confusions(
    counts: np.ndarray, row_totals: np.ndarray, names: list[str]
) -> list[tuple[str, str, int, str]]:
    """The most frequent confusions: true class, predicted class, count, and share of the true
    class.

    Args:
        counts: rows by true and predicted class, shape (n_classes, n_classes or one more).
        row_totals: rows of each true class, at least 1.
        names: names of the predicted classes.
    """
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    positions = np.argsort(-wrong, axis=None, kind="stable")[:N_LISTED]
    true_codes, predicted_codes = np.unravel_index(positions, wrong.shape)
    return [
        (names[i], names[j], int(wrong[i, j]), f"{100 * wrong[i, j] / row_totals[i]:.1f} %")
        for i, j in zip(true_codes.tolist(), predicted_codes.tolist(), strict=True)
        if wrong[i, j]
    ]
