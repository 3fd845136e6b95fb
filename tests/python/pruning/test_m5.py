"""M5's pruning against a slow oracle, the laws of prunings, and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastTreeClassifier, FastTreeRegressor
from fasttree.pruning import M5

from ..tools import pruning_oracle as oracle


class Case:
    """Random rows with a step, noise, a nominal column and missing cells."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        n = 40 + 15 * seed
        self.X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 9, n).astype(float)})
        self.X["c"] = pd.Categorical.from_codes(rng.integers(0, 4, n), categories=list("pqrs"))
        self.y = 3.0 * (self.X["a"].to_numpy() > 0) + rng.normal(size=n)
        if seed % 2:
            self.X.loc[rng.random(n) < 0.1, "b"] = np.nan
        self.weights = rng.integers(1, 4, n).astype(float) if seed % 3 == 0 else np.ones(n)

    def grown(self, **params):
        params = {"min_samples_leaf": 3, "missing": "branch", **params}
        return FastTreeRegressor(**params).fit(self.X, self.y, self.weights)

    def nested(self, model):
        passed = model.decision_path(self.X).toarray()
        return oracle.number_tree_of(model.tree_, passed, self.y.tolist(), self.weights.tolist())


CRITERIA = ["squared_error", "absolute_error", "standard_deviation", "rrelieff"]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_trees_are_cut_as_the_oracle_cuts_them(criterion):
    cut = 0
    for seed in range(8):
        case = Case(seed)
        grown = case.grown(criterion=criterion)
        fitted = case.grown(criterion=criterion, pruning="m5")
        truth, error = oracle.m5(case.nested(grown))
        assert oracle.number_shape_of(case.nested(fitted)) == oracle.number_shape_of(truth)
        cut += grown.n_nodes_ - fitted.n_nodes_
        # the same from the grown tree, and again
        pruned = grown.prune("m5", case.X, case.y, case.weights)
        assert pruned.to_bytes() == case.grown(criterion=criterion, pruning=M5()).to_bytes()
        again = pruned.prune("m5", case.X, case.y, case.weights)
        assert again.to_bytes() == pruned.to_bytes() and len(again.prune_report_) == 0
        if len(pruned.prune_report_) and pruned.prune_report_[-1].node == 0:
            assert pruned.prune_report_[-1].as_leaf == pytest.approx(error)
    assert cut > 0


def test_by_hand():
    # two leaves of two rows: 0.5 * 3/1 each; together |y - 1.5| is 1 on average, times 5/3
    X, y = [[0], [0], [1], [1]], [0.0, 1.0, 2.0, 3.0]
    pruned = FastTreeRegressor(max_depth=1, pruning="m5").fit(X, y)
    assert pruned.get_n_leaves() == 2
    y = [0.0, 1.0, 1.5, 2.5]
    # the two leaves stay at 1.5; together |y - 1.25| is 0.75 on average, times 5/3
    pruned = FastTreeRegressor(max_depth=1, pruning="m5").fit(X, y)
    assert pruned.get_n_leaves() == 1
    (cut,) = pruned.prune_report_
    assert (cut.as_leaf, cut.as_tree) == (pytest.approx(1.25), pytest.approx(1.5))
    assert "estimated absolute error" in str(pruned.prune_report_)


def test_rows_of_their_own_leaves_are_no_reason_to_cut():
    y = np.random.default_rng(0).normal(size=30)
    X = np.arange(30.0)[:, None]
    grown = FastTreeRegressor().fit(X, y)
    assert FastTreeRegressor(pruning="m5").fit(X, y).n_nodes_ == grown.n_nodes_ == 59
    # of these n = 0.5 is too small for any estimate
    weights = np.full(30, 1 / 60)
    weights[0] = 1 / 61
    light = FastTreeRegressor(pruning="m5", min_samples_leaf=5).fit(X, y, weights)
    whole = FastTreeRegressor(min_samples_leaf=5).fit(X, y, weights)
    assert light.n_nodes_ == whole.n_nodes_


def test_divided_rows_count_by_their_fractions():
    case = Case(5)
    grown = case.grown(missing="fractional")
    pruned = case.grown(missing="fractional", pruning=M5())
    assert pruned.n_nodes_ < grown.n_nodes_
    assert grown.prune("m5", case.X, case.y).to_bytes() == pruned.to_bytes()


def test_order_threads_and_copies_change_nothing():
    case = Case(3)
    whole = case.grown(pruning="m5")
    order = np.random.default_rng(1).permutation(len(case.y))
    moved = FastTreeRegressor(min_samples_leaf=3, missing="branch", pruning="m5", n_jobs=2).fit(
        case.X.iloc[order], case.y[order], case.weights[order]
    )
    assert moved.tree_.value.tolist() == whole.tree_.value.tolist()
    copies = np.repeat(np.arange(len(case.y)), case.weights.astype(int))
    copied = FastTreeRegressor(min_samples_leaf=3, missing="branch", pruning="m5").fit(
        case.X.iloc[copies], case.y[copies]
    )
    assert copied.tree_.value.tolist() == whole.tree_.value.tolist()


def test_what_it_does_not_serve_is_refused():
    X, y = [[0], [0], [1], [1]], [0, 1, 1, 1]
    with pytest.raises(ValueError, match="m5"):
        FastTreeClassifier(pruning="m5").fit(X, y)
    with pytest.raises(ValueError, match="m5"):
        fasttree.fit(X, y, pruning=M5(), task="classification")
    with pytest.raises(ValueError, match="mdl"):
        FastTreeRegressor(pruning="mdl").fit(X, np.array(y) / 2)
    grown = FastTreeRegressor().fit(X, np.array(y) / 2)
    with pytest.raises(ValueError, match="mdl"):
        grown.prune("mdl")
    with pytest.raises(ValueError, match="the training rows"):
        grown.prune("m5")
