"""The tree and its kin as scikit-learn estimators: grown, forests of them, and searched exactly."""

from .beside_greedy import GreedyComparison
from .exact import MinimalTreeClassifier, OptimalTreeClassifier, minimal_tree, optimal_tree
from .first_tests import FirstTests
from .forest import FastForestClassifier, FastForestRegressor
from .regressor import FastTreeRegressor
from .tree import FastTreeClassifier, fit

__all__ = [
    "FastForestClassifier",
    "FastForestRegressor",
    "FastTreeClassifier",
    "FastTreeRegressor",
    "FirstTests",
    "GreedyComparison",
    "MinimalTreeClassifier",
    "OptimalTreeClassifier",
    "fit",
    "minimal_tree",
    "optimal_tree",
]
