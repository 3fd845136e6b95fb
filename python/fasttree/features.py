"""`score_features`: what a criterion says of each feature alone, at the root.

What
    A filter: nominal features by their multiway table, numeric ones by their best threshold, or by their bins when
    `discretize` is set. Rows that miss the feature are left out and the score is scaled by the known fraction
    (info_gain, gain_ratio, gini), unless `missing` says otherwise.
Complexity
    One node of a tree: a sort of each numeric column, then one pass.
When not to use it
    To find features that matter only together (XOR): a score of one feature cannot see them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _engine
from ._settings import config_of
from .table import Table

__all__ = ["score_features"]


def score_features(
    X: Any, y: Any = None, *, criterion: Any, sample_weight: Any = None, **params: Any
) -> np.ndarray:
    """One score a feature.

    Args:
        X: rows, or a `Table` with its target.
        y: labels, shape (n_rows,).
        criterion: as in `FastTreeClassifier`.
        sample_weight: weights >= 0, shape (n_rows,).
        **params: parameters of `FastTreeClassifier` that matter at the root: `discretize`, `n_bins`, `missing`,
            `categorical_features`, `min_samples_leaf`, `n_jobs`, ...

    Returns:
        Scores, larger is better, shape (n_features,), in column order; NaN where a feature allows no split.

    Examples:
        >>> import fasttree
        >>> fasttree.score_features(fasttree.datasets.load_weather(), criterion="info_gain").round(3).tolist()
        [0.247, 0.029, 0.152, 0.048]
    """
    from .estimators import FastTreeClassifier

    estimator = FastTreeClassifier(criterion=criterion, **params)
    table = Table.from_any(
        X, y, **({} if isinstance(X, Table) else {"categorical_features": estimator.categorical_features})
    )
    weights = estimator._weights(table, sample_weight)
    config, custom = config_of(estimator.get_params(deep=False), table, weights)
    return _engine.score_features(
        table, config, sample_weight=weights, custom=custom, n_jobs=estimator.n_jobs
    )
