"""Smallest and cheapest trees: against brute force, on the sets of the papers, with limits, as
estimators."""

from __future__ import annotations

import inspect
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import fasttree
from fasttree.datasets import make_monks, make_random_tree

from ...oracle.exact_oracle import best_tree, minimal_tree_size


def tiny(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A small table without contradictions."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(2, 5), size=(rng.integers(3, 11), rng.integers(1, 4)))
    X = np.unique(X, axis=0)
    return X.astype(float), rng.integers(0, rng.integers(2, 4), size=len(X))


@pytest.mark.parametrize("seed", range(60))
def test_minimal_trees_are_those_of_brute_force(seed):
    X, y = tiny(seed)
    model = fasttree.minimal_tree(X, y)
    assert (
        model.n_nodes_
        == model.lower_bound_
        == model.upper_bound_
        == minimal_tree_size(X.T.tolist(), y.tolist())
    )
    assert model.proven_
    assert model.training_errors_ == 0.0
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize(("problem", "nodes"), [(1, 15), (2, 81), (3, 9)])
def test_the_monks_problems(problem, nodes):
    """81: counted by hand, see the tests of the core; the other two are their definitions written
    as trees."""
    table = make_monks(problem)
    model = fasttree.minimal_tree(table)
    assert (model.n_nodes_, model.lower_bound_, model.score(table)) == (nodes, nodes, 1.0)
    greedy = fasttree.fit(
        np.array([c.values for c in table.columns]).T, table.y, categorical_features=None
    )
    assert greedy.n_nodes_ >= nodes


@pytest.mark.parametrize("leaves", [2, 4, 6, 8])
def test_the_generating_tree_is_found_or_beaten(leaves):
    table, tree = make_random_tree(500, 6, leaves, 4, random_state=leaves)
    model = fasttree.minimal_tree(table, node_budget=200_000)
    assert model.proven_
    assert model.n_nodes_ <= tree.n_nodes
    assert model.score(table) == 1.0


def test_levels_count_in_their_declared_order():
    import pandas as pd

    sizes = pd.Categorical(["S", "M", "L", "XL"], categories=["S", "M", "L", "XL"], ordered=True)
    model = fasttree.minimal_tree(pd.DataFrame({"size": sizes}), ["no", "no", "yes", "yes"])
    assert model.n_nodes_ == 3
    assert model.predict(pd.DataFrame({"size": ["M", "XL"]})).tolist() == ["no", "yes"]


def test_contradictions_are_named_or_minimised():
    X, y = [[0.0], [1.0], [1.0], [1.0], [2.0]], [0, 1, 0, 1, 0]
    with pytest.raises(ValueError, match=r"rows 1 and 2 agree on every feature.*errors='minimise'"):
        fasttree.minimal_tree(X, y)
    model = fasttree.minimal_tree(X, y, errors="minimise")
    assert (model.n_nodes_, model.training_errors_, model.proven_) == (5, 1.0, True)
    # The weight decides which of the equal rows is right.
    model = fasttree.minimal_tree(X, y, errors="minimise", sample_weight=[1.0, 1.0, 5.0, 1.0, 1.0])
    assert (model.n_nodes_, model.training_errors_) == (1, 2.0)
    # A row of weight 0 contradicts nobody.
    assert fasttree.minimal_tree(X, y, sample_weight=[1.0, 1.0, 0.0, 1.0, 1.0]).n_nodes_ == 5


def test_what_cannot_be_searched_is_refused_by_name():
    with pytest.raises(ValueError, match=r"column 'x0', row 1 is missing.*impute"):
        fasttree.minimal_tree([[0.0], [np.nan]], [0, 1])
    for wrong in (
        {"max_nodes": 0},
        {"time_limit": -1},
        {"node_budget": 0},
        {"errors": "ignore"},
        {"time_limit": "1"},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            fasttree.minimal_tree([[0.0], [1.0]], [0, 1], **wrong)
    with pytest.raises(ValueError, match="all sample weights are zero"):
        fasttree.minimal_tree([[0.0], [1.0]], [0, 1], sample_weight=[0.0, 0.0])


def noise(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random((n, 5)), rng.integers(0, 3, n)


def test_limits_leave_honest_bounds():
    X, y = noise()
    model = fasttree.minimal_tree(X, y, node_budget=3000)
    assert 5 <= model.lower_bound_ < model.upper_bound_ == model.n_nodes_
    assert not model.proven_
    assert model.n_search_nodes_ <= 3000
    assert (model.predict(X) == y).all()
    assert fasttree.minimal_tree(X, y, node_budget=3000).to_bytes() == model.to_bytes()
    assert fasttree.minimal_tree(X, y, max_nodes=5).lower_bound_ == 7
    start = time.perf_counter()
    fasttree.minimal_tree(X, y, time_limit=0.2)
    assert time.perf_counter() - start < 10.0


def test_a_search_reports_progress():
    said: list[tuple[int, int]] = []
    X, y = noise()
    fasttree.minimal_tree(X, y, time_limit=0.3, progress=lambda *a: said.append(a))
    assert said and said[-1][1] > 0


def test_a_searched_tree_is_an_estimator_like_any_other(tmp_path):
    table = fasttree.datasets.load_iris()
    X, y = np.asarray(table.X, dtype=float), table.y
    model = fasttree.MinimalTreeClassifier(errors="minimise").fit(X, y)
    assert model.proven_
    assert clone(model).get_params() == model.get_params()
    assert cross_val_score(clone(model), X, y, cv=3).mean() > 0.85
    model.save(tmp_path / "tree.json")
    again = fasttree.load_model(tmp_path / "tree.json")
    assert type(again) is fasttree.MinimalTreeClassifier
    assert (again.lower_bound_, again.upper_bound_, again.proven_) == (
        model.lower_bound_,
        model.n_nodes_,
        True,
    )
    assert again.get_params() == model.get_params()
    assert (again.predict(X) == model.predict(X)).all()
    assert again.to_text() == model.to_text()
    assert len(model.trace_) == model.n_nodes_ // 2
    assert model.cut(1).n_nodes_ == 3
    assert model.prune("pessimistic").n_nodes_ <= model.n_nodes_
    assert model.explain(0, X, y)[0]["score"] > 0
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="FastTreeClassifier"):
        model.cost_complexity_pruning_path(X, y)


def test_real_sets_of_the_paper(uci):
    """Wine is separated by a tree of a few nodes; that it is the smallest is known here."""
    table = fasttree.datasets.load(uci / "wine.arff")
    model = fasttree.minimal_tree(table, node_budget=100_000)
    greedy = fasttree.fit(table, criterion="info_gain")
    assert model.lower_bound_ <= model.n_nodes_ <= greedy.n_nodes_
    assert model.score(table) == 1.0


@pytest.mark.parametrize("seed", range(40))
def test_optimal_trees_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(rng.integers(4, 12), rng.integers(1, 4))).astype(float)
    y = rng.integers(0, 3, size=len(X))
    depth, penalty = int(rng.integers(1, 4)), float(rng.choice([0.0, 0.02, 0.1]))
    weight = rng.integers(1, 4, size=len(X))

    def leaf(rows: frozenset[int]) -> float:
        share = np.bincount(y[list(rows)], weights=weight[list(rows)])
        return (share.sum() - share.max()) / weight.sum() + penalty

    model = fasttree.optimal_tree(X, y, max_depth=depth, leaf_penalty=penalty, sample_weight=weight)
    expected = best_tree(X.T.tolist(), leaf, 0.0, depth)
    assert model.upper_bound_ == pytest.approx(expected, abs=1e-9)
    assert model.lower_bound_ == pytest.approx(expected, abs=1e-6)
    assert model.proven_
    assert model.get_depth() <= depth
    assert model.training_errors_ == np.sum(weight[model.predict(X) != y])


def test_a_price_of_leaves_makes_trees_smaller():
    table = make_monks(3)
    sizes = [fasttree.optimal_tree(table, leaf_penalty=p).n_nodes_ for p in (0.001, 0.05, 0.2, 1.0)]
    assert sizes[0] == fasttree.minimal_tree(table).n_nodes_
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    assert fasttree.optimal_tree(table, max_nodes=5).n_nodes_ <= 5


def test_an_optimal_tree_is_never_worse_than_a_grown_one():
    table = fasttree.datasets.load_iris()
    for depth in (1, 2):
        best = fasttree.optimal_tree(table, max_depth=depth)
        grown = fasttree.fit(table, criterion="gini", max_depth=depth)
        assert best.proven_
        assert best.score(table) >= grown.score(table)
    X, y = noise(150)
    limited = fasttree.optimal_tree(X, y, max_depth=4, node_budget=20)
    assert 0.0 <= limited.lower_bound_ < limited.upper_bound_
    assert not limited.proven_
    assert limited.score(X, y) == pytest.approx(1 - limited.upper_bound_)


def test_an_optimal_tree_is_kept_and_refused_like_any_other(tmp_path):
    X, y = noise(60)
    model = fasttree.OptimalTreeClassifier(max_depth=2, leaf_penalty=0.01).fit(X, y)
    model.save(tmp_path / "tree.json")
    again = fasttree.load_model(tmp_path / "tree.json")
    assert type(again) is fasttree.OptimalTreeClassifier
    assert (again.lower_bound_, again.upper_bound_) == (model.lower_bound_, model.upper_bound_)
    assert again.get_params() == model.get_params()
    with pytest.raises(ValueError, match="max_depth, max_leaf_nodes, max_nodes and leaf_penalty"):
        fasttree.optimal_tree(X, y)
    with pytest.raises(ValueError, match="leaf_penalty"):
        fasttree.optimal_tree(X, y, leaf_penalty=-1)


@pytest.mark.parametrize("kind", [fasttree.MinimalTreeClassifier, fasttree.OptimalTreeClassifier])
def test_a_searched_tree_has_no_parameter_of_growth(kind):
    own = set(inspect.signature(kind).parameters)
    assert set(kind().get_params()) == own
    grown = set(fasttree.FastTreeClassifier().get_params()) - own
    assert not grown & vars(kind()).keys()
    assert not issubclass(kind, fasttree.FastTreeClassifier)
