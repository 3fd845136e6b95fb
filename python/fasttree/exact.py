"""Exact trees, the smallest consistent one and the cheapest one: see
`fasttree.estimators.exact`."""

from .estimators.exact import (
    MinimalTreeClassifier,
    OptimalTreeClassifier,
    minimal_tree,
    optimal_tree,
)

__all__ = ["MinimalTreeClassifier", "OptimalTreeClassifier", "minimal_tree", "optimal_tree"]
