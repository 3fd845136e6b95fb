"""Splitters that try one split a feature: what holds for all of them, and for random splits, which
are drawn by the seed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import cross_val_score

import fasttree
from fasttree.estimators.declaration import PARAMETERS

HOW = {"splitter": "random", "criterion": "gini"}
all_of_one_split = pytest.mark.parametrize(
    "splitter", [word for word in PARAMETERS["splitter"].choices if word != "best"]
)


def rows(seed, n=240, share=0.0):
    """Numbers with ties, two nominal columns, three classes."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 3)).round(1), rng.integers(0, 6, (n, 2))])
    y = (X[:, 0] > 0.2).astype(int) + (X[:, 3] > 2)
    X[rng.random(X.shape) < share] = np.nan
    return fasttree.Table(X, y, categorical_features=[3, 4])


@all_of_one_split
@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest"])
@pytest.mark.parametrize("missing", ["fractional", "branch", "mode"])
def test_trees_follow_the_seed_and_nothing_else(missing, nominal, splitter):
    table = rows(1, share=0.1)
    how = {**HOW, "splitter": splitter, "missing": missing, "nominal_splits": nominal}
    how["random_state"] = 3
    one = fasttree.fit(table, **how)
    two = fasttree.fit(table, n_jobs=2, **how)
    order = np.random.default_rng(0).permutation(len(table))
    shuffled = fasttree.fit(table.take(order), **how)
    assert one.to_text() == two.to_text() == shuffled.to_text()
    other = fasttree.fit(table, **{**how, "random_state": 4})
    assert (one.to_text() == other.to_text()) == (splitter != "random")
    copies = np.random.default_rng(1).integers(1, 4, len(table))
    weighed = fasttree.fit(table, sample_weight=copies, **how)
    repeated = fasttree.fit(table.take(np.repeat(np.arange(len(table)), copies)), **how)
    assert [*weighed.tree_.threshold] == pytest.approx([*repeated.tree_.threshold], nan_ok=True)


def test_thresholds_lie_within_the_values_of_the_node_and_are_uniform():
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    y = [0, 1, 0, 1]
    drawn = np.array(
        [fasttree.fit(X, y, random_state=s, **HOW).tree_.threshold[0] for s in range(400)]
    )
    assert drawn.min() >= 0.0 and drawn.max() < 10.0
    # Uniform on [0, 10): each fifth holds 80 of 400 on average, with standard deviation 8.
    counts = np.histogram(drawn, bins=5, range=(0, 10))[0]
    assert abs(counts - 80).max() < 40


@all_of_one_split
def test_scores_are_those_of_the_split(splitter):
    """Each node's score and rows follow from its threshold and the rows that reach it."""
    table = rows(2)
    X, y = np.asarray(table.X, dtype=float), np.asarray(table.y_codes)
    for seed in range(3):
        how = {**HOW, "splitter": splitter, "nominal_splits": "subset"}
        model = fasttree.fit(table, random_state=seed, **how)
        tree, path = model.tree_, model.decision_path(table).toarray().astype(bool)
        checked = 0
        for node in np.flatnonzero(~np.isnan(tree.threshold) & (tree.n_children == 2)):
            here = path[:, node]
            left = here & (X[:, tree.feature[node]] <= tree.threshold[node])
            counts = np.array([np.bincount(y[rows], minlength=3) for rows in (left, here & ~left)])
            expected = float(fasttree.criteria.Gini().score(counts))
            assert tree.score[node] == pytest.approx(expected, abs=1e-12)
            assert counts.sum(axis=1).min() > 0
            checked += 1
        assert checked > 3


@all_of_one_split
def test_limits_hold(splitter):
    table = rows(3)
    how = {"splitter": splitter, "criterion": "gini", "random_state": 0}
    how |= {"min_samples_leaf": 9, "max_leaf_nodes": 8}
    tree = fasttree.fit(table, nominal_splits="subset", **how).tree_
    assert tree.n_node_samples.min() >= 9
    assert (tree.n_children == 0).sum() <= 8


def test_a_forest_of_random_splits_is_as_good_as_scikit_learns():
    X, y = make_classification(600, 12, n_informative=6, flip_y=0.05, random_state=2)
    how = {"n_estimators": 60, "bootstrap": False, "random_state": 0}
    ours = cross_val_score(fasttree.FastForestClassifier(**HOW, **how), X, y, cv=4).mean()
    theirs = cross_val_score(ExtraTreesClassifier(**how), X, y, cv=4).mean()
    assert ours > theirs - 0.02
    forest = fasttree.FastForestClassifier(**HOW, **{**how, "n_estimators": 4}).fit(X, y)
    again = fasttree.FastForestClassifier(**HOW, n_jobs=2, **{**how, "n_estimators": 4}).fit(X, y)
    texts = [tree.to_text() for tree in forest.estimators_]
    assert texts == [tree.to_text() for tree in again.estimators_]
    assert len(set(texts)) == 4
    alone = fasttree.FastTreeClassifier(**forest.estimators_[2].get_params()).fit(X, y)
    assert alone.to_text() == texts[2]


def test_histogram_thresholds_are_edges_of_bins():
    X, y = load_breast_cancer(return_X_y=True)
    how = {**HOW, "random_state": 1, "threshold_search": "histogram", "max_bins": 16}
    model = fasttree.fit(X, y, **how)
    assert len(np.unique(model.tree_.threshold[model.tree_.feature == 0])) <= 15
    assert model.score(X, y) > 0.97


@all_of_one_split
@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"evaluation": "global"}, "evaluation='global'"),
        ({"criterion": "pi"}, "criterion='pi'"),
        ({"criterion": "relieff"}, "criterion='relieff'"),
        ({**fasttree.presets.C45, "nominal_splits": "multiway"}, "mdl_penalty=True"),
    ],
)
def test_what_one_split_does_not_go_with_is_refused(how, told, splitter):
    with pytest.raises(ValueError, match=f"splitter='{splitter}' with {told}"):
        fasttree.fit(rows(0), **{**how, "splitter": splitter})
