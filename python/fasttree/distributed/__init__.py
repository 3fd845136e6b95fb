"""Trees, forests and scores on Dask clusters, with the results of one machine to the bit.

What
    All counts are sums of integers, so neither the partition of the rows, nor the number of
    workers, nor the order in which they finish changes a result.
Complexity
    The work on one machine, divided by the number of workers, and the messages between them.
When not to use it
    If the data fit one machine, which is faster. Needs Dask
    (``pip install 'fasttree[distributed]'``).
"""

from __future__ import annotations

from .estimators import (
    DaskFastForestClassifier,
    DaskFastForestRegressor,
    DaskFastTreeClassifier,
    DaskFastTreeRegressor,
)
from .fitting import fit, fit_forest
from .pairs import estimate_features, pair_counts, score_features

__all__ = [
    "DaskFastForestClassifier",
    "DaskFastForestRegressor",
    "DaskFastTreeClassifier",
    "DaskFastTreeRegressor",
    "estimate_features",
    "fit",
    "fit_forest",
    "pair_counts",
    "score_features",
]
