"""Trees as scikit-learn estimators: grown trees, forests of them, and trees found by exact
search."""

# First, while few imports are under way: deeper, CPython 3.11 maps and unmaps a piece of its stack
# in many calls that SciPy's modules make when they load, a quarter of all the time of the import.
import sklearn.base  # noqa: F401

from .beside_greedy import GreedyComparison
from .exact import MinimalTreeClassifier, OptimalTreeClassifier, minimal_tree, optimal_tree
from .first_tests import FirstTests
from .forest import FastForestClassifier, FastForestRegressor
from .honest import LeafIntervals
from .stability import Stability
from .tree import FastTreeClassifier, FastTreeRegressor, fit

__all__ = [
    "FastForestClassifier",
    "FastForestRegressor",
    "FastTreeClassifier",
    "FastTreeRegressor",
    "FirstTests",
    "GreedyComparison",
    "LeafIntervals",
    "MinimalTreeClassifier",
    "OptimalTreeClassifier",
    "Stability",
    "fit",
    "minimal_tree",
    "optimal_tree",
]
