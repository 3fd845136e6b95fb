"""Sizes of a fitted tree as metrics: leaves (empty ones count), nodes and depth.

They read the estimator, not its predictions: fasttree's trees, and anything with scikit-learn's
tree interface (`get_n_leaves`, `get_depth`, `tree_.node_count`).  Other estimators have no such
size: NaN.  O(1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .metric import metric_of


def nested(estimator: Any) -> Iterator[Any]:
    """Yield the estimator, then what is inside it if it is a fitted search or a pipeline."""
    while estimator is not None:
        yield estimator
        inner = getattr(estimator, "best_estimator_", None)
        if inner is None:
            steps = getattr(estimator, "steps", None)
            inner = steps[-1][1] if steps else None
        estimator = inner


def _final_step(estimator: Any) -> Any:
    return [estimator, *nested(estimator)][-1]


def leaves(estimator: Any) -> float:
    """Return the number of leaves of a fitted tree, empty ones included; NaN for models without
    leaves.

    >>> leaves(object())
    nan
    """
    count = getattr(_final_step(estimator), "get_n_leaves", None)
    return float(count()) if count is not None else math.nan


def nodes(estimator: Any) -> float:
    """Return the number of nodes of a fitted tree, leaves included; NaN for models without nodes.

    >>> nodes(object())
    nan
    """
    final = _final_step(estimator)
    count = getattr(final, "n_nodes_", None)
    if count is None:
        count = getattr(getattr(final, "tree_", None), "node_count", None)
    return float(count) if count is not None else math.nan


def depth(estimator: Any) -> float:
    """Return the depth of a fitted tree (a single leaf has 0); NaN for models without depth.

    >>> depth(object())
    nan
    """
    final = _final_step(estimator)
    count = getattr(final, "get_depth", None)
    return float(count()) if count is not None else math.nan


METRICS = tuple(
    metric_of(
        function,
        doc,
        "size of the fitted tree",
        needs="tree",
        better=False,
        maximum=math.inf,
        from_tree=function,
    )
    for function, doc in (
        (leaves, "number of leaves, empty ones included"),
        (nodes, "number of nodes, leaves included"),
        (depth, "length of the longest path from the root"),
    )
)
