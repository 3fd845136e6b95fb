"""Bayesian classifiers: `NaiveBayes`, `TAN`, `AODE`.

What
    The learners that papers compare with trees, as scikit-learn estimators on exact counts of the
    Rust core. They differ in the parents of a feature: the class (naive Bayes), the class and one
    other feature in a tree (TAN), or the class and the same one feature for all, averaged over that
    feature (AODE).
Missing values
    A missing cell is left out of the counts, and left out of prediction (TAN: summed out). Levels
    not seen in fit count as missing, with a warning.
Complexity
    One pass over the rows, and for TAN and AODE one for each pair of features, in parallel.
When not to use them
    With many features that depend on each other: naive Bayes counts each as independent evidence,
    and its probabilities approach 0 and 1. AODE and TAN need tables of levels x levels x classes
    for pairs of features.

>>> import fasttree
>>> table = fasttree.datasets.load_weather()
>>> AODE().fit(table).predict_proba(table)[:2].round(3).tolist()
[[0.186, 0.814], [0.132, 0.868]]
"""

from __future__ import annotations

from .aode import AODE
from .base import BayesClassifier
from .naive import NaiveBayes
from .tan import TAN

__all__ = ["AODE", "TAN", "BayesClassifier", "NaiveBayes"]
