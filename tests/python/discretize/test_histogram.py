"""Thresholds between bins: the same tree as the exact search while bins suffice, cuts of equal
weight beyond; growth on codes against a checker in fractions, permuted rows, copies and threads."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification

import fasttree
from fasttree import FastForestClassifier, discretize

from ..tools import histogram_oracle

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


@pytest.mark.parametrize("criterion", ["gini", "info_gain", "mantaras"])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(
    "how", [{}, {"max_features": 600}, {"max_leaf_nodes": 9}, {"min_samples_leaf": 5}], ids=str
)
def test_columns_of_several_blocks(criterion, n_classes, how):
    """Cuts are scored some columns at a time; copies of columns tie across the blocks."""
    rng = np.random.default_rng(n_classes)
    X = rng.integers(0, 200, (300, 800)).astype(float)
    X[:, 500:700] = X[:, 100:300]
    y = (X[:, 150] // 70 + X[:, 790] // 90 + rng.integers(0, 2, 300)).astype(int) % n_classes
    how = {"criterion": criterion, "random_state": 3, **how}
    found = fasttree.fit(X, y, threshold_search="histogram", **how)
    assert found.route_.startswith("codes of bins")
    same(fasttree.fit(X, y, threshold_search="exact", **how), found)


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
    same(other, found)
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
        ({"discretize": "mdlp"}, "threshold_search='histogram' with discretize"),
        ({"criterion": "pi"}, "threshold_search='histogram' with .* a criterion that bins"),
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


ARRAYS = (*DIVISION, "threshold", "parent", "n_node_samples")


def random_case(seed, n=None):
    """Rows, labels, weights and parameters of a random configuration."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(2, 500))
    p, k = int(rng.integers(1, 6)), int(rng.integers(2, 6))
    if rng.random() < 0.5:
        X = rng.integers(0, int(rng.integers(2, 90)), (n, p)).astype(float)
    else:
        X = rng.normal(size=(n, p)) * np.exp(rng.normal(size=p) * 4)
    y = (X.sum(axis=1) * rng.random() + rng.integers(0, k, n)).astype(int) % k
    how = {
        "criterion": str(
            rng.choice(
                ["gini", "info_gain", "gain_ratio", "accuracy", "hellinger", "mantaras", "mdl"]
            )
        ),
        "max_bins": int(rng.choice([2, 5, 40, 255, 300])),
        "min_samples_leaf": int(rng.choice([1, 1, 1, 4])),
        "max_leaf_nodes": rng.choice([None, 9]),
        "missing": "branch",
        "random_state": 0,
    }
    if rng.random() < 0.2:
        how["max_features"] = 1
    if rng.random() < 0.2:
        X[rng.random(X.shape) < 0.1] = np.nan
    kind = rng.integers(0, 3)
    weights = [None, rng.integers(1, 5, n).astype(float), rng.random(n) + 0.1][kind]
    return X, y, weights, how


def grown(X, y, weights=None, **how):
    tree = fasttree.FastTreeClassifier(threshold_search="histogram", **how)
    return tree.fit(X, y, sample_weight=weights)


def assert_equal_trees(a, b, names=ARRAYS):
    for name in names:
        np.testing.assert_array_equal(getattr(a.tree_, name), getattr(b.tree_, name), name)


@pytest.mark.parametrize("seed", range(40))
def test_with_a_bin_for_each_value_the_tree_is_the_exact_one(seed):
    X, y, weights, how = random_case(seed)
    X = np.round(X, 1)
    how.pop("max_bins", None)
    exact = fasttree.FastTreeClassifier(**how).fit(X, y, sample_weight=weights)
    how["max_bins"] = 700
    assert_equal_trees(exact, grown(X, y, weights, **how))
    how["max_bins"] = max(2, max(len(np.unique(c[~np.isnan(c)])) for c in X.T))
    assert_equal_trees(exact, grown(X, y, weights, **how))


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.filterwarnings("ignore:.*rows were in the sample")
def test_with_a_bin_for_each_value_the_forest_is_the_exact_one(bootstrap):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 60, (900, 7)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=900) * 20 > 60).astype(int)
    how = {"n_estimators": 5, "random_state": 1, "bootstrap": bootstrap, "oob_score": bootstrap}
    exact = FastForestClassifier(**how).fit(X, y)
    found = FastForestClassifier(threshold_search="histogram", **how).fit(X, y)
    for a, b in zip(exact.estimators_, found.estimators_, strict=True):
        assert_equal_trees(a, b)
    if bootstrap:
        np.testing.assert_array_equal(exact.oob_decision_function_, found.oob_decision_function_)


@pytest.mark.parametrize("seed", range(12))
def test_every_split_is_the_best_of_all_cuts(seed):
    rng = np.random.default_rng(seed)
    n, bins = int(rng.integers(20, 150)), int(rng.choice([2, 4, 9]))
    X = np.round(rng.normal(size=(n, 3)), 2)
    y = (X[:, 0] > rng.normal(size=n)).astype(int) + (X[:, 1] > 1)
    weights = rng.integers(1, 4, n) if seed % 2 else None
    least = [1, 5][seed % 3 == 0]
    tree = grown(X, y, weights, criterion="gini", max_bins=bins, min_samples_leaf=least)
    copies = X if weights is None else np.repeat(X, weights, axis=0)
    cuts = discretize.EqualFrequency(bins).fit(copies).cuts_
    edges = [list(c) for c in cuts.values()]
    splits = histogram_oracle.check_tree(tree.tree_, X, y.tolist(), edges, weights, least)
    assert splits > 0


@pytest.mark.parametrize("block", range(10))
def test_neither_order_nor_copies_nor_threads_change_a_byte(block):
    for seed in range(200 * block, 200 * block + 20):
        X, y, weights, how = random_case(seed)
        tree = grown(X, y, weights, **how)
        order = np.random.default_rng(seed).permutation(len(y))
        shuffled = None if weights is None else weights[order]
        assert_equal_trees(tree, grown(X[order], y[order], shuffled, **how))
        assert_equal_trees(tree, grown(X, y, weights, n_jobs=2, **how))
        if weights is not None and np.all(weights == np.floor(weights)):
            times = weights.astype(int)
            copies = grown(np.repeat(X, times, axis=0), np.repeat(y, times), **how)
            assert_equal_trees(tree, copies)


@pytest.mark.parametrize("seed", range(3))
def test_threads_share_large_trees(seed):
    X, y, weights, how = random_case(seed, n=30_000)
    trees = [grown(X, y, weights, n_jobs=n, **how) for n in (1, 2, 4)]
    assert_equal_trees(trees[0], trees[1])
    assert_equal_trees(trees[0], trees[2])


def test_edges_of_many_rows_come_from_a_sample_chosen_by_content():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=150_000), rng.integers(0, 300, 150_000) / 7])
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    how = {"criterion": "gini", "max_leaf_nodes": 40}
    tree = grown(X, y, **how)
    order = rng.permutation(len(X))
    assert_equal_trees(tree, grown(X[order], y[order], n_jobs=2, **how))
    exact = fasttree.FastTreeClassifier(**how).fit(X, y)
    assert abs(exact.score(X, y) - tree.score(X, y)) < 0.002
