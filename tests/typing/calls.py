"""Calls that type checkers must accept, and calls that they must refuse.

mypy reads this file (pyproject.toml); it is never run. A line that must be refused says so by
``type: ignore[code]``: if it were accepted, mypy would call the comment unused.
"""

import numpy as np

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier

X, y = np.zeros((2, 2)), np.arange(2)


def entropy(tables: np.ndarray) -> np.ndarray:
    """A criterion of one's own."""
    return -tables.max(axis=2).sum(axis=1)


tree: FastTreeClassifier = fasttree.fit(X, y, max_depth=3, nominal_splits="subset", n_jobs=-1)
fasttree.fit(X, y, criterion="entropy", missing="branch", pruning="error_based")
fasttree.fit(X, y, task="regression", pruning="m5", target_bins=4)
fasttree.fit(X, y, criterion=entropy, max_features="sqrt", class_weight={0: 1.0, 1: 2.0})
FastTreeClassifier(criterion="gini", ties="random", progress=True)
FastForestClassifier(50, criterion="hellinger", max_features=None, oob_score=True)

fasttree.fit(X, y, max_deph=3)  # type: ignore[call-arg]
fasttree.fit(X, y, criterion="entropi")  # type: ignore[arg-type]
fasttree.fit(X, y, nominal_splits="binary")  # type: ignore[arg-type]
fasttree.fit(X, y, max_depth="3")  # type: ignore[arg-type]
fasttree.fit(X, y, pruning="m6")  # type: ignore[arg-type]
FastTreeClassifier(pruning="m5")  # type: ignore[arg-type]
fasttree.FastTreeRegressor(pruning="pessimistic")  # type: ignore[arg-type]
FastTreeClassifier(max_deph=3)  # type: ignore[call-arg]
fasttree.FastTreeRegressor(target_bins=4, evaluation="local")  # type: ignore[call-arg]
fasttree.FastForestRegressor(5, class_weight=None)  # type: ignore[call-arg]
fasttree.MinimalTreeClassifier(max_nods=2)  # type: ignore[call-arg]
fasttree.OptimalTreeClassifier(max_deph=2)  # type: ignore[call-arg]
FastForestClassifier(criterion="entropi")  # type: ignore[arg-type]
FastForestClassifier(missing="drop")  # type: ignore[arg-type]
FastTreeClassifier(categorical_features=["a", "b"], random_state=np.random.default_rng(0))
fasttree.metrics.auc(y, [0.1, 0.9], positive=1, classes=np.array([0, 1]))
FastTreeClassifier(categorical_features="auto")  # type: ignore[arg-type]
FastTreeClassifier(random_state="0")  # type: ignore[arg-type]
fasttree.model_selection.cross_validate(X, y, cv=2.5)  # type: ignore[arg-type]
