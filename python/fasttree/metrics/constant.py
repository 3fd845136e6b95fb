"""The best constant answer, which any model has to beat. O(rows)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def best_constant(
    truth: np.ndarray, classes: Sequence[Any] = (), *, exposure: np.ndarray | None = None
) -> dict[str, Any]:
    """The most frequent class and its share of the rows, or without classes the mean and its mean
    absolute error, under the names that JSON has.

    Args:
        truth: class codes or numbers, shape (n_rows,).
        classes: the class labels; none of numbers.
        exposure: weights of the mean, shape (n_rows,).

    >>> best_constant(np.array([0, 1, 1, 1]), ["no", "yes"])
    {'majority': 0.75, 'majority_class': 'yes'}
    >>> best_constant(np.array([1.0, 2.0]))
    {'mean': 1.5, 'mae_of_mean': 0.5}
    """
    if not len(classes):
        # Sums round, but a mean lies among the numbers: the mean of equal ones is their number.
        mean = float(np.average(truth, weights=exposure).clip(truth.min(), truth.max()))
        return {"mean": mean, "mae_of_mean": float(np.abs(truth - mean).mean())}
    counts = np.bincount(truth, minlength=len(classes))
    most = int(counts.argmax())
    return {"majority": float(counts[most]) / len(truth), "majority_class": classes[most]}
