"""Quantiles from the training rows of the leaves, against the formula of the paper in fractions."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastForestRegressor, FastTreeRegressor
from fasttree.estimators import leaf_targets
from tests.oracle import quantiles_oracle as oracle

from ..tools import setting_id

AT = ("0", "0.1", "0.25", "1/3", "0.5", "0.7", "0.8", "0.9", "1")
NUMBERS = [float(eval(q)) for q in AT]


def rows(n=90, seed=0):
    """Rows with ties in features and target, and new rows."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3)).round(1)
    y = (X[:, 0] + random.normal(size=n)).round(1)
    return X, y, random.normal(size=(25, 3))


def of_the_paper(model, X, y, sampled, new):
    """The quantiles of new rows."""
    trees = [one.tree_ for one in getattr(model, "estimators_", [model])]
    leaves, own = (model.apply(Z).reshape(len(Z), -1) for Z in (X, new))
    parents = [tree.parent for tree in trees]
    found = [oracle.weights(leaves, row, sampled, parents) for row in own]
    assert all(sum(weights) == 1 for weights in found)
    return np.array([[oracle.quantile(y, weights, q) for q in AT] for weights in found])


SETTINGS = [
    {},
    {"min_samples_leaf": 7, "max_features": None},
    {"max_depth": 1, "max_samples": 0.4},
    {"criterion": "absolute_error", "max_leaf_nodes": 5},
    {"criterion": "quantile", "max_samples": 20},
    {"target_bins": "equal_width", "criterion": "gini", "min_samples_leaf": 3},
    {"bootstrap": False, "splitter": "random"},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=setting_id)
@pytest.mark.parametrize("weighted", [None, "copies", "shares"])
def test_a_forests_quantiles_are_those_of_the_paper(setting, weighted):
    X, y, new = rows()
    random = np.random.default_rng(4)
    w = {"copies": random.integers(0, 4, len(y)), "shares": random.random(len(y)), None: None}[
        weighted
    ]
    forest = FastForestRegressor(7, random_state=1, **setting).fit(X, y, sample_weight=w)
    if setting.get("bootstrap", True):
        sampled = forest.bootstrap_counts(X, y, sample_weight=w) * (1 if w is None else w)
    else:
        sampled = np.tile(np.ones(len(y)) if w is None else w, (7, 1))
    expected = of_the_paper(forest, X, y, sampled, new)
    found = forest.predict_quantiles(new, NUMBERS)
    assert np.array_equal(found, expected)
    # What a tree's leaf holds is what growth counted in it.
    held = forest._targets_by_leaf()
    trees = [one.tree_ for one in forest.estimators_]
    counted = [np.where(t.n_children == 0, t.weighted_n_node_samples, 0.0) for t in trees]
    assert np.allclose(held.totals, np.concatenate(counted))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_trees_quantiles_are_those_of_its_leaves(weighted):
    X, y, new = rows()
    w = np.random.default_rng(4).random(len(y)) if weighted else None
    tree = FastTreeRegressor(min_samples_leaf=6).fit(X, y, sample_weight=w)
    sampled = np.ones((1, len(y))) if w is None else w[None]
    found = tree.predict_quantiles(new, NUMBERS)
    assert np.array_equal(found, of_the_paper(tree, X, y, sampled, new))
    for model in (tree.cut(2), tree.prune(fasttree.pruning.CostComplexity(0.05))):
        assert model.n_nodes_ < tree.n_nodes_
        expected = of_the_paper(model, X, y, sampled, new)
        assert np.array_equal(model.predict_quantiles(new, NUMBERS), expected)


@pytest.mark.parametrize("missing", ["branch", "mode", "fractional"])
def test_missing_cells_and_leaves_without_rows(missing):
    random = np.random.default_rng(3)
    levels = list("abcdef")
    frame = pd.DataFrame(
        {
            "size": random.normal(size=80).round(1),
            "colour": pd.Categorical(random.choice(levels, 80), categories=levels),
        }
    )
    frame.loc[random.random(80) < 0.15, "size"] = np.nan
    frame.loc[random.random(80) < 0.15, "colour"] = None
    y = np.where(frame["colour"] == "a", 5.0, 0.0) + random.normal(size=80).round(1)
    new = pd.DataFrame(
        {
            "size": np.repeat([np.nan, -2.0, 0.0, 2.0], 6),
            "colour": pd.Categorical(levels * 4, categories=levels),
        }
    )
    forest = FastForestRegressor(
        8, missing=missing, nominal_splits="multiway", max_samples=0.3, random_state=2
    ).fit(frame, y)
    held = forest._targets_by_leaf()
    assert (held.totals[forest.apply(new) + held.firsts] == 0).any()
    expected = of_the_paper(forest, frame, y, forest.bootstrap_counts(frame, y), new)
    assert np.array_equal(forest.predict_quantiles(new, NUMBERS), expected)


def test_blocks_of_rows_and_rows_in_any_order(monkeypatch):
    X, y, new = rows()
    forest = FastForestRegressor(9, random_state=0, min_samples_leaf=4).fit(X, y)
    whole = forest.predict_quantiles(new)
    assert whole.shape == (25, 3)
    monkeypatch.setattr(leaf_targets, "CELLS", 50)
    assert np.array_equal(forest.predict_quantiles(new), whole)
    assert np.array_equal(forest.predict_quantiles(np.vstack([new, new[::-1]]))[25:], whole[::-1])
    order = np.random.default_rng(1).permutation(len(y))
    again = FastForestRegressor(9, random_state=0, min_samples_leaf=4, n_jobs=2)
    assert np.array_equal(again.fit(X[order], y[order]).predict_quantiles(new), whole)


def test_quantiles_rise_and_lie_among_the_targets():
    X, y, new = rows(300, seed=5)
    forest = FastForestRegressor(20, random_state=0, min_samples_leaf=10).fit(X, y)
    found = forest.predict_quantiles(new, np.linspace(0, 1, 21))
    assert (np.diff(found, axis=1) >= 0).all()
    assert np.isin(found, y).all()
    # Of one leaf they are those of all rows: NumPy's inverted distribution function.
    stump = FastTreeRegressor(min_samples_split=301).fit(X, y)
    at = np.linspace(0.05, 1, 20)
    expected = np.quantile(y, at, method="inverted_cdf")
    assert np.array_equal(stump.predict_quantiles(new[:1], at)[0], expected)


@pytest.mark.parametrize("kind", [FastTreeRegressor, FastForestRegressor])
@pytest.mark.parametrize("asked_before", [False, True])
def test_pickles_hold_the_targets_and_model_files_do_not(kind, asked_before, tmp_path):
    X, y, new = rows()
    model = kind(min_samples_leaf=3, random_state=1).fit(X, y)
    expected = kind(min_samples_leaf=3, random_state=1).fit(X, y).predict_quantiles(new)
    if asked_before:
        model.predict_quantiles(new)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict_quantiles(new), expected)
        again = pickle.loads(pickle.dumps(other))
        assert np.array_equal(again.predict_quantiles(new), expected)
        assert not hasattr(other, "_fitted_on")  # the rows themselves stay where they are
    model.save(tmp_path / "model.json")
    loaded = fasttree.load_model(tmp_path / "model.json")
    with pytest.raises(ValueError, match=f"{kind.__name__} does not have: a model file"):
        loaded.predict_quantiles(new)
    assert np.array_equal(loaded.predict(new), model.predict(new))
    if kind is FastForestRegressor:
        with pytest.raises(ValueError, match="a tree taken out of a forest"):
            model.estimators_[0].predict_quantiles(new)


def test_a_further_fit_forgets_and_warm_start_counts_new_trees():
    X, y, new = rows()
    forest = FastForestRegressor(4, random_state=0, warm_start=True).fit(X, y)
    forest.predict_quantiles(new)
    forest.set_params(n_estimators=9).fit(X, y)
    at_once = FastForestRegressor(9, random_state=0).fit(X, y)
    assert np.array_equal(forest.predict_quantiles(new), at_once.predict_quantiles(new))
    tree = FastTreeRegressor().fit(X, y)
    tree.predict_quantiles(new)
    tree.fit(X[:40, :2], y[:40])
    assert tree.predict_quantiles(new[:, :2]).max() <= y[:40].max()


def test_asking_draws_nothing_from_the_users_generator():
    X, y, new = rows()
    random = np.random.RandomState(3)
    forest = FastForestRegressor(4, random_state=random).fit(X, y)
    state = random.get_state()[1].tolist()
    found = forest.predict_quantiles(new)
    assert random.get_state()[1].tolist() == state
    # Neither do parameters that are set after the fit.
    forest.set_params(max_samples=0.2, criterion="absolute_error", random_state=8)
    forest.__dict__.pop("_leaf_targets")
    assert np.array_equal(forest.predict_quantiles(new), found)


def test_rows_that_were_changed_since_the_fit_are_refused():
    X, y, new = rows()
    tree = FastTreeRegressor().fit(X, y)
    X += 1.0
    with pytest.raises(ValueError, match="training rows have been changed in place since fit"):
        tree.predict_quantiles(new)
    with pytest.raises(ValueError, match="does not have"):
        pickle.loads(pickle.dumps(tree)).predict_quantiles(new)


def test_parts_of_a_tree_refuse_rows_that_were_changed_since_its_fit():
    X, y, new = rows()
    tree = FastTreeRegressor().fit(X, y)
    held = X.copy()
    X += 1.0
    for part in (tree.cut(2), tree.cut(3).cut(2), tree.prune("reduced_error", held, y)):
        with pytest.raises(ValueError, match="training rows have been changed in place since fit"):
            part.predict_quantiles(new)


@pytest.mark.parametrize(
    ("quantiles", "message"),
    [
        ((0.5, 1.5), r"quantiles\[1\]=1.5 must be a number in \[0, 1\]"),
        ((-0.1,), r"quantiles\[0\]=-0.1 must be"),
        ((np.nan,), r"quantiles\[0\]=nan must be"),
        (("a",), r"quantiles\[0\]='a' must be"),
        ((), "at least one"),
        ("0.5", "at least one"),
    ],
)
def test_wrong_quantiles_are_named(quantiles, message):
    X, y, new = rows()
    with pytest.raises(ValueError, match=message):
        FastTreeRegressor(max_depth=2).fit(X, y).predict_quantiles(new, quantiles)


def test_one_quantile_may_be_a_number():
    X, y, new = rows()
    tree = FastTreeRegressor(max_depth=2).fit(X, y)
    assert tree.predict_quantiles(new, 0.5).tolist() == tree.predict_quantiles(new, [0.5]).tolist()
