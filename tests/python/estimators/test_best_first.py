"""Best-first growth and `min_impurity_decrease` beside scikit-learn, on 30 data sets; what both
mean
for criteria and rows that scikit-learn does not have."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import sklearn.datasets
from sklearn.tree import DecisionTreeClassifier

import fasttree
from fasttree import criteria, datasets

LEAVES = (2, 8, 32, 128, 255)
REAL = (
    *(("sklearn", name) for name in ("iris", "wine", "breast_cancer", "digits")),
    *(("bundled", f"monks_{i}") for i in (1, 2, 3)),
    *(("bundled", name) for name in ("tic_tac_toe", "balance_scale", "contact_lenses")),
)
CRITERIA = {"gini": "gini", "info_gain": "entropy"}


def made(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Generated rows: Gaussian clusters, moons, shells, and grids full of equal values."""
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(150, 900)), 2 + seed % 4
    kind = seed % 5
    if kind == 0:
        return sklearn.datasets.make_moons(n, noise=0.3, random_state=seed)
    if kind == 1:
        return sklearn.datasets.make_gaussian_quantiles(
            n_samples=n, n_features=4, n_classes=classes, random_state=seed
        )
    if kind == 2:
        X = rng.integers(0, 7, (n, 5)).astype(float)
        return X, (X[:, 0] + X[:, 1] * (X[:, 2] > 2) + rng.integers(0, 2, n)).astype(int) % classes
    return sklearn.datasets.make_classification(
        n,
        8 + seed % 7,
        n_informative=5,
        n_classes=classes,
        flip_y=0.1 * (kind == 3),
        random_state=seed,
    )


@cache
def rows(name: Any) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that float32 holds exactly (scikit-learn keeps no others), and classes."""
    if isinstance(name, int):
        X, y = made(name)
    elif name[0] == "sklearn":
        X, y = getattr(sklearn.datasets, f"load_{name[1]}")(return_X_y=True)
    else:
        table = getattr(datasets, f"load_{name[1]}")()
        X = np.column_stack([np.asarray(c.values, dtype=float) for c in table.columns])
        y = np.asarray(table.y_codes)
    return np.asarray(X, dtype=np.float32).astype(np.float64), np.unique(y, return_inverse=True)[1]


ALL = [*REAL, *range(20)]


def gain(tree: Any, node: int, left: int, right: int) -> float:
    """Weighted impurity decrease of a split of scikit-learn's tree."""
    w = tree.weighted_n_node_samples
    after = w[left] * tree.impurity[left] + w[right] * tree.impurity[right]
    return float(w[node] * tree.impurity[node] - after)


def differences(ours: Any, theirs: Any) -> tuple[list[tuple[float, float]], list[list[float]], int]:
    """Topmost nodes that are split differently: the gains of both splits, and of splits that only
    one of the trees has; the number of equal splits."""
    mine, peer = ours.tree_, theirs.tree_
    other: list[tuple[float, float]] = []
    alone: list[list[float]] = [[], []]
    stack, equal = [(0, 0)], 0
    while stack:
        a, b = stack.pop()
        assert mine.n_node_samples[a] == peer.n_node_samples[b]
        own = float(mine.score[a] * mine.weighted_n_node_samples[a])
        left, right = int(peer.children_left[b]), int(peer.children_right[b])
        if left == -1 or not mine.n_children[a]:
            if left != -1:
                alone[1].append(gain(peer, b, left, right))
            elif mine.n_children[a]:
                alone[0].append(own)
            continue
        same = mine.feature[a] == peer.feature[b] and np.isclose(
            mine.threshold[a], peer.threshold[b], rtol=1e-6, atol=1e-9
        )
        if not same:
            other.append((own, gain(peer, b, left, right)))
            continue
        equal += 1
        stack.extend(zip(mine.children_of(a), (left, right), strict=True))
    return other, alone, equal


def partition(leaves: np.ndarray) -> np.ndarray:
    """Leaf numbers in the order of the rows."""
    return np.unique(leaves, return_index=True)[1][np.unique(leaves, return_inverse=True)[1]]


def test_trees_with_few_leaves_are_scikit_learns_wherever_no_tie_decides():
    same, splits = 0, 0
    for name, (ours, theirs), limit in product(ALL, CRITERIA.items(), LEAVES):
        X, y = rows(name)
        model = fasttree.fit(X, y, criterion=ours, max_leaf_nodes=limit)
        peer = DecisionTreeClassifier(criterion=theirs, max_leaf_nodes=limit, random_state=0)
        peer.fit(X, y)
        told = (name, ours, limit)
        assert model.get_n_leaves() <= limit, told
        other, alone, equal = differences(model, peer)
        for a, b in other:
            assert a == pytest.approx(b, rel=1e-9, abs=1e-9), told
        splits += equal
        if other:
            continue
        # The same splits of all nodes: only leaves of equal improvement may have come in another
        # order.
        assert sorted(alone[0]) == pytest.approx(sorted(alone[1]), rel=1e-9), told
        if not alone[0]:
            same += 1
            assert model.get_n_leaves() == peer.get_n_leaves(), told
            np.testing.assert_array_equal(model.predict(X), peer.predict(X), err_msg=str(told))
    assert same > 100 and splits > 4000, (same, splits)


@pytest.mark.parametrize("name", ALL, ids=str)
def test_without_ties_leaves_are_scikit_learns(name):
    """Real weights leave no ties but those of features that divide the rows of a node alike. They
    are multiples of 2^-20: sums are exact, so that a pure node is pure in both."""
    X, y = rows(name)
    weights = np.random.default_rng(1).integers(2**19, 2**20, len(y)) / 2.0**20
    limits = [{"max_leaf_nodes": k} for k in LEAVES]
    decreases = [{"min_impurity_decrease": d} for d in (1e-3, 0.01, 0.05)]
    both = [{"max_leaf_nodes": 12, "min_impurity_decrease": 2e-3, "min_samples_leaf": 3}]
    for (ours, theirs), how in product(CRITERIA.items(), limits + decreases + both):
        model = fasttree.fit(X, y, criterion=ours, sample_weight=weights, **how)
        peer = DecisionTreeClassifier(criterion=theirs, random_state=0, **how)
        peer.fit(X, y, sample_weight=weights)
        told = str((ours, how))
        assert model.get_n_leaves() == peer.get_n_leaves(), told
        np.testing.assert_array_equal(
            partition(model.apply(X)), partition(peer.apply(X)), err_msg=told
        )
        np.testing.assert_array_equal(model.predict(X), peer.predict(X), err_msg=told)


def test_improvement_opens_the_leaves_that_matter():
    X, y = sklearn.datasets.make_classification(
        4000, 10, n_informative=6, class_sep=0.8, random_state=3
    )
    how = {"criterion": "gini", "max_leaf_nodes": 40}
    found = {o: fasttree.fit(X, y, leaf_order=o, **how).score(X, y) for o in ORDERS}
    peer = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y).score(X, y)
    assert found["improvement"] == pytest.approx(peer, abs=2e-3)
    assert found["improvement"] > found["distance"] + 0.03


ORDERS = ("improvement", "distance")


def with_gaps(seed: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, some of them missing, and three classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)).round(1)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] + rng.normal(0, 0.7, 300) > 0.5)
    X[rng.random(X.shape) < share] = np.nan
    return X, y


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("missing", ["fractional", "branch"])
@pytest.mark.parametrize("criterion", ["info_gain", "gini", "gain_ratio"])
def test_each_step_is_the_first_of_those_that_were_open(criterion, missing, order):
    """Read from the tree alone: of all splits of the large tree whose parents were made before, the
    one made in each step ranks first."""
    X, y = with_gaps(5, 0.15)
    how = {"criterion": criterion, "missing": missing, "leaf_order": order}
    large = fasttree.fit(X, y, max_leaf_nodes=60, **how)
    tree = large.tree_
    inner = np.flatnonzero(tree.n_children > 0)
    rank = tree.distance if order == "distance" else -tree.score * tree.weighted_n_node_samples
    for node in inner:
        before = [
            n
            for n in inner
            if tree.step[n] > tree.step[node]
            and (tree.parent[n] < 0 or tree.step[tree.parent[n]] < tree.step[node])
        ]
        assert all(rank[node] <= rank[n] + 1e-9 for n in before)
    # A smaller limit, a cut and the stages are the first steps of the large tree.
    branches = 3 if missing == "branch" else 2
    for k in (2, 7, 20):
        small = fasttree.fit(X, y, max_leaf_nodes=k, **how)
        if branches == 2:
            steps = k - 1
            assert large.cut(steps).to_text() == small.to_text()
            stages = list(large.staged_predict(X))
            np.testing.assert_array_equal(stages[steps], small.predict(X))
        assert small.get_n_leaves() <= k


@pytest.mark.parametrize("missing", ["fractional", "branch"])
@pytest.mark.parametrize("name", ["info_gain", "gini", "gain_ratio", "chi2", "mdl"])
def test_min_impurity_decrease_cuts_the_large_tree_top_down(name, missing):
    """The tree is the large one without the splits that improve it too little, and what is below
    them."""
    if missing == "fractional" and name in ("chi2", "mdl"):
        missing = "auto"
    X, y = with_gaps(6, 0.1)
    weights = np.random.default_rng(2).choice([1.0, 2.0, 0.5], len(y))
    large = fasttree.fit(X, y, criterion=name, missing=missing, sample_weight=weights)
    tree, info = large.tree_, criteria.make(name).info
    w = np.ones(tree.node_count) if info["extensive"] else tree.weighted_n_node_samples
    made_of = criteria.make(name)
    alone = np.array([float(made_of.score(v[None, :])) for v in np.asarray(tree.value)])
    improvement = w * (tree.score - alone) / weights.sum()
    inner = np.flatnonzero(tree.n_children > 0)
    gained = improvement[inner][improvement[inner] > 1e-6]
    assert len(gained) > 5
    for bound in np.quantile(gained, [0.3, 0.7, 0.95]) * (1 + 1e-6):
        kept, expected = [0], 0
        while kept:
            node = kept.pop()
            if tree.n_children[node] and improvement[node] >= bound:
                expected += 1
                kept.extend(tree.children_of(node))
        small = fasttree.fit(
            X,
            y,
            criterion=name,
            missing=missing,
            sample_weight=weights,
            min_impurity_decrease=float(bound),
        )
        assert int((small.tree_.n_children > 0).sum()) == expected


def test_extensive_scores_are_not_weighed_by_the_rows():
    """A user's function that says so is treated as the criterion of the registry that it copies."""

    def chi2(tables):
        return criteria.Chi2().score(tables)

    X, y = sklearn.datasets.make_classification(600, 6, flip_y=0.2, random_state=4)
    weighed = fasttree.fit(X, y, criterion=chi2, max_leaf_nodes=12)
    chi2.extensive = True
    own = fasttree.fit(X, y, criterion=chi2, max_leaf_nodes=12)
    registered = fasttree.fit(X, y, criterion="chi2", max_leaf_nodes=12)
    assert own.to_text() == registered.to_text() != weighed.to_text()


@pytest.mark.parametrize(
    "name",
    [
        i["name"]
        for i in fasttree.list_criteria()
        if i["evidence"] != "table" and i["target"] == "classes"
    ],
)
def test_extensive_scores_beyond_tables_grow_with_the_rows(name):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (240, 5))
    y = (X[:, 0] > 0) ^ (rng.random(240) < 0.2)

    def top(n):
        table = fasttree.Table(X[:n], y[:n], categorical_features="all")
        return np.abs(fasttree.score_features(table, criterion=name)).max()

    assert (top(240) > max(1.0, 2 * top(40))) == criteria.make(name).info["extensive"]


@pytest.mark.parametrize("name", ["pi", "relief", "relieff", "k_nearest_merit", "mts"])
def test_best_first_without_tables(name):
    """Improvement without tables: the trees of growing limits are steps of one growth."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (60, 5))
    table = fasttree.Table(X, (X[:, 0] ^ X[:, 1]) | X[:, 2], categorical_features="all")
    large = fasttree.fit(table, criterion=name, max_leaf_nodes=8)
    for k in (2, 5):
        small = fasttree.fit(table, criterion=name, max_leaf_nodes=k)
        assert small.get_n_leaves() == k
        assert small.to_text() == large.cut(k - 1).to_text()


def test_global_growth_refuses_a_bound_on_the_improvement():
    X, y = rows(("sklearn", "iris"))
    with pytest.raises(ValueError, match="min_impurity_decrease with evaluation='global'"):
        fasttree.fit(X, y, evaluation="global", min_impurity_decrease=0.1)
    with pytest.raises(ValueError, match="leaf_order='distance' cannot act"):
        fasttree.fit(X, y, evaluation="global", max_leaf_nodes=4, leaf_order="distance")


def test_forests_take_both_parameters():
    X, y = rows(("sklearn", "breast_cancer"))
    how = {"max_leaf_nodes": 9, "min_impurity_decrease": 1e-3, "criterion": "gini"}
    forest = fasttree.FastForestClassifier(6, bootstrap=False, random_state=0, **how).fit(X, y)
    again = fasttree.FastForestClassifier(6, bootstrap=False, random_state=0, n_jobs=2, **how)
    assert all(tree.get_n_leaves() <= 9 for tree in forest.estimators_)
    for tree, other in zip(forest.estimators_, again.fit(X, y).estimators_, strict=True):
        alone = fasttree.FastTreeClassifier(**tree.get_params()).fit(X, y)
        assert alone.to_text() == tree.to_text() == other.to_text()
