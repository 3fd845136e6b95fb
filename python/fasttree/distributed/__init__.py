"""Fits and passes over pairs on Dask collections, with the bytes of one machine.

What
    Everything counted is a sum of integers, so that neither the partition of the rows, nor the
    number of workers, nor the order in which they finish changes a result.
Complexity
    That of one machine, divided by the workers, and the messages between them.
When not to use it
    While the data fit one machine: it is faster there. Needs Dask
    (``pip install 'fasttree[distributed]'``).
"""

from __future__ import annotations

from .estimators import DaskFastForestClassifier, DaskFastTreeClassifier
from .fitting import fit, fit_forest
from .pairs import estimate_features, pair_counts, score_features

__all__ = [
    "DaskFastForestClassifier",
    "DaskFastTreeClassifier",
    "estimate_features",
    "fit",
    "fit_forest",
    "pair_counts",
    "score_features",
]
