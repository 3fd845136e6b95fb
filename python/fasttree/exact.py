"""Exact trees: the smallest consistent tree, and the tree of least penalised error.

Public names of `fasttree.estimators.exact`.
"""

from .estimators.exact import (
    MinimalTreeClassifier,
    OptimalTreeClassifier,
    minimal_tree,
    optimal_tree,
)

__all__ = ["MinimalTreeClassifier", "OptimalTreeClassifier", "minimal_tree", "optimal_tree"]
