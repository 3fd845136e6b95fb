"""The probability of the second class from which on it is answered, for a metric of labels.

What
    Out-of-fold probabilities of a tree are cut at up to 40 places, and the cut of the best mean
    over the folds is the threshold. Its value is corrected: each fold is judged by the cut that is
    best in the others.
Source and equation
    Elkan, "The foundations of cost-sensitive learning" (2001), section 2.2: the best threshold on
    estimated probabilities is found empirically. scikit-learn's `TunedThresholdClassifierCV` makes
    the same search with a fit per fold of its own; here the folds are those of the candidates.
Complexity
    O(thresholds x rows), and one cross-validation of the tree.
When not to use it
    For more than two classes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from ..model_selection.folds import Folds

__all__ = ["Threshold", "best_threshold"]

MOST = 40
"""Most thresholds that are tried."""


class Threshold(NamedTuple):
    """A threshold, and what it is worth."""

    at: float
    """The probability of the second class from which on it is answered."""
    value: float
    """The mean of the score over the folds, each judged by the threshold that is best in the
    others; larger is better."""
    usual: float
    """The same of the labels that the tree predicts."""
    error: float
    """Standard error of the difference."""


class _Said(BaseEstimator):
    """An estimator whose rows are its predictions, for scorers that take an estimator."""

    def predict(self, X: Any) -> Any:
        """The rows."""
        return X


def best_threshold(
    predictions: np.ndarray,
    proba: np.ndarray,
    truth: np.ndarray,
    *,
    folds: Folds,
    classes: tuple[Any, Any],
    scorer: Any,
) -> Threshold:
    """The best threshold for a metric.

    Args:
        predictions: codes that the tree predicts, shape (test rows,).
        proba: probabilities of the second class, shape (test rows,).
        truth: codes of all rows, shape (n_rows,).
        folds: the folds that the first two are of.
        classes: both classes.
        scorer: a `Scorer` of a metric of labels, or a function (estimator, X, y).

    Examples:
        >>> from fasttree.metrics import Scorer
        >>> rows = np.arange(8)
        >>> folds = Folds.of([(rows, rows), (rows, rows)])
        >>> proba, truth = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3]), np.arange(8) // 6
        >>> found = best_threshold(
        ...     np.zeros(16, int), np.tile(proba, 2), truth, folds=folds, classes=("no", "yes"),
        ...     scorer=Scorer("recall"),
        ... )
        >>> found.at, found.value, found.usual
        (0.3, 1.0, 0.0)
    """
    cuts = np.unique(proba.round(4))
    cuts = cuts[cuts > 0] if len(cuts) <= MOST else np.quantile(cuts, np.linspace(0.02, 1, MOST))
    cuts = np.unique(cuts.round(4))
    said = np.vstack([predictions, proba >= cuts[:, None] - 5e-5]).astype(np.int64)
    parts = np.split(np.arange(len(proba)), folds.starts[1:])
    labels, own = np.asarray(classes), truth[folds.test_rows]
    values = np.array(
        [[scorer(_Said(), labels[one[p]], labels[own[p]]) for p in parts] for one in said]
    )
    usual, values = values[0], np.nan_to_num(values[1:])
    best = values.sum(axis=1, keepdims=True) - values
    corrected = values[best.argmax(axis=0), np.arange(values.shape[1])]
    gains = corrected - np.nan_to_num(usual)
    total = values.mean(axis=1)
    places = np.flatnonzero(total >= total.max() - 1e-12)
    place = places[np.abs(cuts[places] - 0.5).argmin()]
    return Threshold(
        float(cuts[place]),
        float(corrected.mean()),
        float(np.nanmean(usual)),
        float(gains.std() / np.sqrt(len(gains))),
    )
