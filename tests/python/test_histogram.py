"""Thresholds between bins: the same tree as the exact search while bins suffice, cuts of equal
weight beyond."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification

import fasttree
from fasttree import FastForestClassifier, discretize

DIVISION = ("feature", "value", "score", "distance", "label", "missing_branch", "step")
"""What a tree does to its training rows; thresholds may lie elsewhere between the same two values
of a node."""


def rows(n=3000, seed=0):
    X, y = make_classification(n, 6, n_informative=4, random_state=seed)
    return X, y


def same(a, b, *more):
    for name in (*DIVISION, *more):
        np.testing.assert_array_equal(getattr(a.tree_, name), getattr(b.tree_, name))


@pytest.mark.parametrize("criterion", ["info_gain", "gini", "mantaras", "f_measure"])
@pytest.mark.parametrize(
    "how",
    [{}, {"max_leaf_nodes": 7}, {"evaluation": "glocal"}, {"no_distance_decay": "strict"}],
    ids=str,
)
def test_bins_for_all_values_divide_as_the_exact_search(criterion, how):
    X, y = load_iris(return_X_y=True)
    exact = fasttree.fit(X, y, criterion=criterion, **how)
    same(exact, fasttree.fit(X, y, criterion=criterion, threshold_search="histogram", **how))


@pytest.mark.parametrize("missing", ["fractional", "branch", "mode"])
def test_missing_values(missing):
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    exact = fasttree.fit(X, y, missing=missing)
    found = fasttree.fit(X, y, missing=missing, threshold_search="histogram")
    same(exact, found)
    np.testing.assert_array_equal(exact.predict_proba(X), found.predict_proba(X))
    np.testing.assert_array_equal(exact.tree_.threshold[0], found.tree_.threshold[0])


@pytest.mark.parametrize("max_bins", [2, 7, 255])
def test_the_tree_is_that_of_numbers_replaced_by_their_bins(max_bins):
    """Independent path: bins by the public discretiser, their edges as numbers, thresholds on
    values."""
    X, y = rows()
    found = fasttree.fit(X, y, criterion="gini", threshold_search="histogram", max_bins=max_bins)
    cuts = discretize.EqualFrequency(max_bins).fit(X).cuts_
    edges = np.empty_like(X)
    for j, own in enumerate(cuts.values()):
        assert len(own) <= max_bins - 1
        edges[:, j] = np.append(own, np.inf)[np.searchsorted(own, X[:, j])].clip(max=own[-1] + 1)
    other = fasttree.fit(edges, y, criterion="gini", thresholds="value")
    same(other, found, "threshold")
    used = found.tree_.feature >= 0
    names = list(cuts)
    for feature, threshold in zip(
        found.tree_.feature[used], found.tree_.threshold[used], strict=True
    ):
        assert threshold in cuts[names[feature]]
    np.testing.assert_array_equal(found.predict_proba(X), other.predict_proba(edges))


def test_nominal_columns_keep_their_branches():
    weather = fasttree.datasets.load_weather()
    tree = fasttree.fit(weather, threshold_search="histogram")
    assert tree.to_text() == fasttree.fit(weather).to_text()


def test_candidates_are_the_cuts():
    X, y = rows(400)
    tree = fasttree.fit(
        X, y, threshold_search="histogram", max_bins=4, trace="candidates", max_depth=3
    )
    for step in tree.trace_:
        assert max(score for _, _, score in step.candidates) == pytest.approx(step.score, abs=1e-12)
        assert len(step.candidates) <= 3 * X.shape[1]


def test_everything_else_works_on_it(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    tree = fasttree.fit(X, y, threshold_search="histogram", max_bins=16, pruning="error_based")
    tree.save(tmp_path / "tree.json")
    again = fasttree.load_model(tmp_path / "tree.json")
    np.testing.assert_array_equal(again.predict(X), tree.predict(X))
    assert tree.get_n_leaves() < 40
    assert tree.to_rules()
    by_threads = [
        FastForestClassifier(5, threshold_search="histogram", max_bins=16, random_state=0, n_jobs=n)
        .fit(X, y)
        .predict_proba(X)
        for n in (1, 2)
    ]
    np.testing.assert_array_equal(*by_threads)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"max_bins": 1}, "max_bins=1 must be at least 2"),
        ({"max_bins": 70_000}, "max_bins=70000: must be between 2 and 65535"),
        ({"max_bins": 2.5}, "max_bins=2.5 must be a whole number"),
        ({"discretize": "mdlp"}, "threshold_search='histogram' with a discretisation"),
        ({"criterion": "pi"}, "threshold_search='histogram' with a"),
        ({"thresholds": "value"}, "threshold_search='histogram' with thresholds"),
        (
            {"threshold_search": "guess"},
            "threshold_search='guess' is not known; use 'exact', 'histogram'",
        ),
        ({**fasttree.presets.C45}, "threshold_search='histogram' with mdl_penalty=True"),
    ],
    ids=lambda x: str(x)[:30],
)
def test_refusals(how, words):
    X, y = rows(50)
    how = {"threshold_search": "histogram", **how}
    if how["threshold_search"] == "exact":  # of the preset
        how["threshold_search"] = "histogram"
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        fasttree.fit(X, y, **how)
