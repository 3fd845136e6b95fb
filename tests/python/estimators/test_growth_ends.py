"""Growth that ends: criteria that say where nothing is gained, and ties for even splits."""

import numpy as np
import pytest

import fasttree
from fasttree import FastTreeClassifier


def noise(n=1500, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    return X, (X[:, 0] + random.normal(size=n) > 1.2).astype(int)


def entropy(counts):
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=-1)


@pytest.mark.parametrize("threshold_search", ["exact", "histogram"])
@pytest.mark.parametrize("criterion", ["mdl", "variation_of_information"])
def test_growth_stops_where_the_criterion_gains_nothing(criterion, threshold_search):
    X, y = noise()
    options = {"criterion": criterion, "threshold_search": threshold_search}
    model = FastTreeClassifier(**options).fit(X, y)
    tree = model.tree_
    inner = tree.n_children > 0
    undivided = np.zeros(tree.node_count)
    if criterion == "variation_of_information":
        undivided = -entropy(tree.value)
    assert np.all(tree.score[inner] > undivided[inner])
    assert model.get_depth() < 20
    # Each leaf that is not pure has no split that gains.
    leaves, reached = np.unique(model.apply(X), return_inverse=True)
    for at, leaf in enumerate(leaves):
        rows = reached == at
        if len(np.unique(y[rows])) > 1 and threshold_search == "exact":
            on = {**options, "min_score": -np.inf, "max_depth": 1}
            below = FastTreeClassifier(**on).fit(X[rows], y[rows]).tree_
            assert below.n_children[0] == 0 or below.score[0] <= undivided[leaf] + 1e-12
    grown = FastTreeClassifier(**{**options, "min_score": -np.inf}).fit(X, y)
    assert grown.score(X, y) == 1.0 or threshold_search == "histogram"
    assert grown.get_n_leaves() > 1.5 * model.get_n_leaves()
    assert fasttree.from_bytes(grown.to_bytes()).get_params()["min_score"] < -1e308


def test_a_given_limit_is_the_only_one():
    X, y = noise(300)
    sizes = [
        FastTreeClassifier(criterion="mdl", min_score=least).fit(X, y).get_n_leaves()
        for least in (-np.inf, -0.01, 0.0, 0.05)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.parametrize("missing", ["branch", "mode"])
@pytest.mark.parametrize("threshold_search", ["exact", "histogram"])
def test_even_ties_have_the_largest_smaller_branch(threshold_search, missing):
    """By a criterion that scores all splits alike, the root is split in the middle."""
    X, y = noise(400)
    X[:7, 0] = np.nan

    def same(counts):
        return np.zeros(len(counts))

    same.columnar = False
    options = {"missing": missing, "threshold_search": threshold_search, "max_depth": 1}
    even = FastTreeClassifier(criterion=same, ties="even", **options).fit(X, y)
    first = FastTreeClassifier(criterion=same, **options).fit(X, y)
    assert even.tree_.feature[0] == first.tree_.feature[0]
    left, right = even.tree_.weighted_n_node_samples[1:3]
    assert abs(left - right) < 10
    assert min(first.tree_.weighted_n_node_samples[1:3]) < 10


def test_trees_of_even_splits_are_flat():
    X, y = noise()
    with pytest.warns(UserWarning, match="set ties='even', max_depth or min_samples_leaf"):
        deep = FastTreeClassifier(criterion="accuracy").fit(X, y)
    even = FastTreeClassifier(criterion="accuracy", ties="even").fit(X, y)
    assert even.score(X, y) == 1.0
    assert even.get_depth() < deep.get_depth() / 10


def test_weights_count_for_even_ties():
    X, y = np.arange(10.0)[:, None], np.array([0, 1] * 5)
    weights = np.array([9.0] + [1.0] * 9)

    def same(counts):
        return np.zeros(len(counts))

    model = FastTreeClassifier(criterion=same, ties="even", max_depth=1)
    assert model.fit(X, y, sample_weight=weights).tree_.threshold[0] == 0.5


def test_global_growth_refuses_even_ties():
    X, y = noise(50)
    with pytest.raises(ValueError, match="ties='even' with evaluation='global'"):
        FastTreeClassifier(evaluation="global", ties="even").fit(X, y)
