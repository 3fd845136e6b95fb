"""`Regressor`: numbers predicted by an estimator with a fitted model, and their R2.

What
    The part of trees and forests that predicts a number: exposures on the way in, numbers on the
    way out.
Complexity
    That of the model.
When not to use it
    Alone: it is the base of `FastTreeRegressor` and `FastForestRegressor`. For classes there is
    `Classifier`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.aliases import MaybeArray, Task
from ..datasets.inputs import given
from ..table import Table
from ..table.target import encode_numbers
from .base import NO_LABELS, Estimator

__all__ = ["Regressor"]


class Regressor(Estimator):
    """Prediction of a number by an estimator whose `_model` is one of the core's."""

    _task: Task = "regression"
    target_bins: Any

    def predict(self, X: Any) -> np.ndarray:
        """The predicted numbers, shape (n_rows,), float64."""
        blocks, n = self._blocks(X)
        return np.asarray(self._model.predict_proba(blocks, n, self.n_jobs))[:, 0]

    def score(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> float:
        """R2, the coefficient of determination: 1 less the squared error over that of the mean of
        y. 1 is perfect, 0 as good as always saying the mean; of a constant y 1 or 0."""
        from sklearn.metrics import r2_score

        X, y = given(X, y)
        return float(r2_score(self._numbers(X, y), self.predict(X), sample_weight=sample_weight))

    def _numbers(self, X: Any, y: Any) -> np.ndarray:
        """The numbers that X or y brings.

        Raises:
            ValueError: none, another number of rows, or cells that are no numbers.
        """
        if isinstance(X, Table) and y is None:
            return X.as_regression().numbers
        if y is None:
            raise ValueError(NO_LABELS)
        rows = len(X) if hasattr(X, "__len__") else len(y)
        return encode_numbers(y, rows).numbers
