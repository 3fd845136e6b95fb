"""Bayesian classifiers: `NaiveBayes`, `TAN`, `AODE`.

What
    The learners that papers set beside trees, as scikit-learn estimators on the exact counts of the
    Rust core. They differ in what a feature may depend on. It is the class (naive Bayes), or the
    class and one other feature in a tree (TAN). In AODE it is the class and one feature at a time,
    averaged over all features.
Missing values
    A missing cell is evidence of nothing: it is left out of the counts it would belong to, and left
    out (TAN: summed out) in prediction. Levels not seen in fit count as missing, with a warning.
Complexity
    One pass over the rows, and for TAN and AODE one for each pair of features, in parallel.
When not to use them
    Where features are many and copies of each other: each copy is counted as new evidence by naive
    Bayes, and the probabilities run to 0 and 1. AODE and TAN need tables of levels x levels x
    classes for pairs of features.

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
