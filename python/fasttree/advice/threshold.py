"""The probability of the second class from which on it is answered, for a metric of labels.

What
    Out-of-fold probabilities of a tree are cut at up to 40 places, and the cut of the best mean
    over the folds is the threshold. Its value is corrected: each fold is scored with the cut that
    is best in the others.
Source and equation
    Elkan, "The foundations of cost-sensitive learning" (2001), section 2.2: the best threshold on
    estimated probabilities is found empirically. scikit-learn's `TunedThresholdClassifierCV` makes
    the same search with its own fit per fold; here the folds are the ones that the candidates were
    compared on.
Complexity
    O(thresholds x rows), and one cross-validation of the tree.
When not to use it
    For more than two classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from ..model_selection.folds import Folds
from ..model_selection.result import MethodScores

MOST = 40
"""Most thresholds that are tried."""


class Threshold(NamedTuple):
    """A threshold on the probability of the second class, and the score that it reaches compared
    with the tree's own labels."""

    at: float
    """The probability of the second class from which on it is answered, of four digits."""
    value: float
    """The mean of the score over the folds, each scored with the threshold that is best in the
    others; larger is better."""
    usual: float
    """The mean of the score over the folds for the labels that the tree predicts."""
    error: float
    """Standard error of the difference."""


class _Identity(BaseEstimator):
    """An estimator whose rows are its predictions, for scorers that take an estimator."""

    def predict(self, X: Any) -> Any:
        """The rows."""
        return X


def best_threshold(
    found: MethodScores, truth: np.ndarray, *, folds: Folds, classes: Sequence[Any], scorer: Any
) -> Threshold:
    """The best threshold for a metric.

    Args:
        found: the tree's out-of-fold predictions and probabilities.
        truth: codes of all rows, shape (n_rows,).
        folds: the folds.
        classes: both classes.
        scorer: a `Scorer` of a metric of labels, or a function (estimator, X, y).

    Examples:
        >>> from fasttree.metrics import Scorer
        >>> from fasttree.model_selection import cross_validate
        >>> X, y = np.arange(80)[:, None] // 8, np.arange(80) % 8 > 5
        >>> result = cross_validate(X, y, "gini", cv="1x4", keep_proba=True)
        >>> best_threshold(
        ...     result["gini"], y + 0, folds=result.folds, classes=(False, True),
        ...     scorer=Scorer("recall"),
        ... ).value
        1.0
    """
    predictions, proba = found.predictions, np.asarray(found.proba)[:, 1]
    cuts = np.unique(np.floor(proba * 1e4) / 1e4)
    cuts = cuts[np.unique(np.linspace(0, len(cuts) - 1, MOST).astype(int))]
    said = np.vstack([predictions, proba >= cuts[:, None]]).astype(np.int64)
    parts = np.split(np.arange(len(proba)), folds.starts[1:])
    labels, own = np.asarray(classes), truth[folds.test_rows]
    values = np.array(
        [[scorer(_Identity(), labels[one[p]], labels[own[p]]) for p in parts] for one in said]
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
