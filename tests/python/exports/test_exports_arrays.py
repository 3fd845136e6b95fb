"""`tree_` beside scikit-learn's: the same names hold the same numbers, and nobody can write into
them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import fasttree


def test_arrays_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 5)).astype(np.float32).astype(float)
    y = (x[:, 0] + x[:, 1] ** 2 + rng.normal(size=400) > 0.5).astype(int) + (x[:, 2] > 1)
    ours = fasttree.fit(x, y, criterion="gini", max_depth=3, min_samples_leaf=30).tree_
    theirs = (
        DecisionTreeClassifier(max_depth=3, min_samples_leaf=30, random_state=0).fit(x, y).tree_
    )
    for name in (
        "children_left",
        "children_right",
        "feature",
        "n_node_samples",
        "weighted_n_node_samples",
    ):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    for name in ("node_count", "max_depth", "n_leaves"):
        assert getattr(ours, name) == getattr(theirs, name), name
    inner = theirs.feature >= 0
    np.testing.assert_allclose(ours.threshold[inner], theirs.threshold[inner], rtol=1e-6)
    assert np.isnan(ours.threshold[~inner]).all()
    shares = ours.value / ours.value.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, theirs.value[:, 0, :], atol=1e-12)


def test_arrays_are_read_only():
    tree = fasttree.fit([[0.0], [1.0]], [0, 1]).tree_
    for name in ("feature", "threshold", "value", "children", "n_node_samples", "label"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 0
