"""The tree and its kin as scikit-learn estimators: grown, forests of them, and searched exactly."""

from .exact import MinimalTreeClassifier, OptimalTreeClassifier, minimal_tree, optimal_tree
from .forest import FastForestClassifier
from .tree import FastTreeClassifier, fit

__all__ = [
    "FastForestClassifier",
    "FastTreeClassifier",
    "MinimalTreeClassifier",
    "OptimalTreeClassifier",
    "fit",
    "minimal_tree",
    "optimal_tree",
]
