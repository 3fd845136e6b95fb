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
    """Yield the estimator, then what it holds inside: the best estimator of a fitted search, the
    last step of a pipeline. Metrics of trees thus find the tree."""
    while estimator is not None:
        yield estimator
        inner = getattr(estimator, "best_estimator_", None)
        if inner is None:
            steps = getattr(estimator, "steps", None)
            inner = steps[-1][1] if steps else None
        estimator = inner


def _counted(estimator: Any, *paths: str) -> float:
    """The first count that the innermost estimator has, by its dotted name; NaN without one."""
    innermost = [estimator, *nested(estimator)][-1]  # None has nothing inside and no counts
    for path in paths:
        count: Any = innermost
        for name in path.split("."):
            count = getattr(count, name, None)
        if count is not None:
            return float(count() if callable(count) else count)
    return math.nan


def leaves(estimator: Any) -> float:
    """Return the number of leaves of a fitted tree, empty ones included; NaN for models without
    leaves.

    >>> leaves(object())
    nan
    """
    return _counted(estimator, "get_n_leaves")


def nodes(estimator: Any) -> float:
    """Return the number of nodes of a fitted tree, leaves included; NaN for models without nodes.

    >>> nodes(object())
    nan
    """
    return _counted(estimator, "n_nodes_", "tree_.node_count")


def depth(estimator: Any) -> float:
    """Return the depth of a fitted tree (a single leaf has 0); NaN for models without depth.

    >>> depth(object())
    nan
    """
    return _counted(estimator, "get_depth")


_COMMON: dict[str, Any] = {"needs": "tree", "better": False, "maximum": math.inf}

METRICS = tuple(
    metric_of(function, doc, "size of the fitted tree", from_tree=function, **_COMMON)
    for function, doc in (
        (leaves, "number of leaves, empty ones included"),
        (nodes, "number of nodes, leaves included"),
        (depth, "length of the longest path from the root"),
    )
)
