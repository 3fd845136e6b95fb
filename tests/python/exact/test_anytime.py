"""A search that ends early: never worse than greedy growth, nor than one level less with half of
the limit; Ctrl-C; leaves of several rows and missing values."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import fasttree
from tests.python.exact.test_bounds import COSTS, OBJECTIVES
from tests.python.exact.test_optimal import loss
from tests.python.tools import thinned

SUMS = [name for name in OBJECTIVES if name not in ("f_measure", "matthews", "f3")]


ROUNDING = 1e-12
"""Of the sum of the leaves of a tree."""


def problem(seed):
    """Rows, classes, weights, and limits of a tree."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    X = rng.normal(size=(n, 4)).round(int(rng.integers(0, 3)))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (rng.random(n) < 0.2)).astype(int)
    weights = rng.integers(1, 4, n).astype(float) if seed % 3 == 1 else None
    how = {
        "min_samples_leaf": (1, 1, 2, 7)[int(rng.integers(4))],
        "leaf_penalty": (0.0, 0.0, 0.01)[int(rng.integers(3))],
        "ties": ("first", "any")[seed % 2],
    }
    if seed % 4 == 3:
        how["max_leaf_nodes"] = int(rng.integers(2, 9))
    return X, y, weights, how


def pruned(tree, name, penalty):
    """The least objective of a subtree, from the class counts of a grown tree's nodes."""

    def leaf(counts):
        return (counts @ np.asarray(COSTS)).min() if name == "cost" else loss(name, counts)

    total = tree.value[0].sum()
    costs = [leaf(counts) / total + penalty for counts in tree.value]
    for node in reversed(range(len(costs))):
        children = np.flatnonzero(tree.parent == node)
        if len(children):
            costs[node] = min(costs[node], sum(costs[child] for child in children))
    return costs[0]


@pytest.mark.parametrize("seed", thinned(range(36), 12))
@pytest.mark.parametrize("name", SUMS)
def test_an_ended_search_is_never_worse_than_greedy_growth(name, seed):
    X, y, weights, how = problem(seed)
    own = {"error": "accuracy", "cost": "gini"}.get(name, name)
    for depth, by in itertools.product((1, 2, 3, 8), {own, "gini"}):
        limits = {key: how[key] for key in ("min_samples_leaf", "max_leaf_nodes") if key in how}
        grown = fasttree.fit(
            X, y, sample_weight=weights, criterion=by, max_depth=depth, min_score=-np.inf, **limits
        )
        greedy = pruned(grown.tree_, name, how["leaf_penalty"])
        for end in ({"node_budget": 1}, {"node_budget": 40}, {"time_limit": 0.0}):
            model = fasttree.optimal_tree(
                X, y, sample_weight=weights, max_depth=depth, **OBJECTIVES[name], **how, **end
            )
            assert model.upper_bound_ <= greedy + 1e-12
            assert model.get_depth() <= depth
            leaves = model.tree_.n_node_samples[model.tree_.n_children == 0]
            assert leaves.min() >= how["min_samples_leaf"] or len(leaves) == 1
            assert len(leaves) <= how.get("max_leaf_nodes", len(leaves))


@pytest.mark.parametrize("seed", thinned(range(24), 6))
@pytest.mark.parametrize("name", OBJECTIVES)
def test_an_ended_search_is_never_worse_than_one_level_less_with_half_of_the_budget(name, seed):
    X, y, weights, how = problem(seed)
    if name not in SUMS:
        how["leaf_penalty"] = 0.0
    if seed % 5 == 2:
        X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan

    @functools.cache
    def best(depth, budget):
        limits = {"max_depth": depth, "node_budget": budget, **OBJECTIVES[name], **how}
        return fasttree.optimal_tree(X, y, sample_weight=weights, **limits)

    for depth in (2, 3, 4):
        for budget in (2, 6, 20, 70, 250, 900):
            deep, shallow = best(depth, budget), best(depth - 1, budget // 2)
            assert deep.upper_bound_ <= shallow.upper_bound_ + ROUNDING
            assert deep.n_search_nodes_ <= budget
            assert deep.lower_bound_ <= deep.upper_bound_
            # Greedy growth comes first, except by a measure that is no sum.
            most = best(depth, 1).upper_bound_ + ROUNDING
            assert name not in SUMS or deep.upper_bound_ <= most


def test_greedy_growth_of_many_levels_is_not_cut_short():
    """Each level of a staircase parts one class from the others."""
    X = np.arange(400.0)[:, None]
    y = np.repeat(np.arange(20), 20)
    grown = fasttree.fit(X, y, criterion="gini", max_depth=19)
    model = fasttree.optimal_tree(X, y, max_depth=19, node_budget=1)
    assert model.training_errors_ <= (grown.predict(X) != y).sum() == 0


class Key:
    """A progress function that presses Ctrl-C when it is called, so many times."""

    def __init__(self, times):
        self.times = times

    def __call__(self, done, total):
        self.times -= 1
        if self.times >= 0:
            raise KeyboardInterrupt


def test_ctrl_c_raises_or_returns_the_best_tree_so_far():
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 20)), rng.integers(0, 3, 3000)
    how = {"max_depth": 3, "ties": "any"}
    for given in ({}, {"on_interrupt": "raise"}):
        with pytest.raises(KeyboardInterrupt):
            fasttree.optimal_tree(X, y, progress=Key(1), **how, **given)
    for n_jobs in (1, 2):
        model = fasttree.optimal_tree(
            X, y, progress=Key(1), on_interrupt="return", n_jobs=n_jobs, **how
        )
        assert not model.proven_ and model.lower_bound_ < model.upper_bound_
        assert model.training_errors_ == (model.predict(X) != y).sum()
        greedy = fasttree.fit(X, y, criterion="gini", max_depth=3)
        assert model.training_errors_ <= (greedy.predict(X) != y).sum()
    with pytest.raises(ValueError, match="on_interrupt='stop' is not known"):
        fasttree.optimal_tree(X, y, on_interrupt="stop", **how)


@pytest.mark.parametrize(
    ("how", "gaps", "times"),
    [({"min_samples_leaf": 10}, 0.0, 8), ({"min_samples_leaf": 2}, 0.0, 8), ({}, 0.05, 4)],
)
def test_leaves_of_several_rows_and_missing_values_are_proven_in_a_few_times_the_nodes(
    how, gaps, times
):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :10].copy()
    X[np.random.default_rng(0).random(X.shape) < gaps] = np.nan
    plain = fasttree.optimal_tree(X[:, :10], y, max_depth=2, ties="any")
    model = fasttree.optimal_tree(X, y, max_depth=3, ties="any", node_budget=times * 1616, **how)
    assert plain.proven_ and model.proven_
    assert model.training_errors_ <= plain.training_errors_
