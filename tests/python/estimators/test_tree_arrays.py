"""``tree_``: made on demand; ``impurity`` is scikit-learn's for its criteria, Gini or the variance
for all others."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import fasttree

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_impurities_of_classes_are_those_of_scikit_learn(criterion):
    weights = np.random.default_rng(0).random(len(X))
    for sample_weight in (None, weights):
        ours = fasttree.FastTreeClassifier(criterion=criterion, max_depth=1)
        theirs = DecisionTreeClassifier(criterion=criterion, max_depth=1, random_state=0)
        one = ours.fit(X, Y, sample_weight=sample_weight).tree_
        other = theirs.fit(X, Y, sample_weight=sample_weight).tree_
        assert one.impurity == pytest.approx(other.impurity, abs=1e-9)
        assert not one.impurity.flags.writeable


def test_impurities_of_numbers_are_those_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    one = fasttree.FastTreeRegressor(max_depth=3).fit(X, y).tree_
    other = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y).tree_
    assert one.impurity == pytest.approx(other.impurity)


@pytest.mark.parametrize("criterion", ["gain_ratio", "hellinger", "pi", lambda t: t[:, 0, 0]])
def test_impurities_of_other_criteria_are_ginis(criterion):
    tree = fasttree.fit(X, Y, criterion=criterion, max_depth=2).tree_
    total = tree.value.sum(axis=1, keepdims=True)
    shares = tree.value / np.maximum(total, 1)  # a node without rows is pure
    assert tree.impurity == pytest.approx(np.where(total[:, 0], 1 - (shares**2).sum(axis=1), 0))


def test_impurities_of_stored_trees_trees_of_forests_and_to_sklearn(tmp_path):
    tree = fasttree.fit(X, Y, criterion="entropy", max_depth=2)
    tree.save(tmp_path / "tree.json")
    again = fasttree.load_model(tmp_path / "tree.json")
    assert again.tree_.impurity.tolist() == tree.tree_.impurity.tolist()
    assert tree.to_sklearn().tree_.impurity.tolist() == tree.tree_.impurity.tolist()
    forest = fasttree.FastForestClassifier(2, criterion="entropy", random_state=0).fit(X, Y)
    assert forest.estimators_[0].tree_.impurity[0] > 1.4
    assert fasttree.OptimalTreeClassifier(max_depth=1).fit(X, Y).tree_.impurity[0] > 0.6


@pytest.mark.parametrize("estimator", [fasttree.FastTreeClassifier, fasttree.FastTreeRegressor])
def test_arrays_are_made_on_demand(estimator):
    model = estimator().fit(X, Y)
    assert "_tree" not in vars(model)
    assert model.tree_ is vars(model)["_tree"]
