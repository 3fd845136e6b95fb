"""Weights: an integer weight is so many copies, weight 0 is no row, real weights add exactly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import fasttree
from fasttree import FastTreeRegressor, Table, criteria

from ..laws.test_laws import HOW, data, model_body

NAMES = [info["name"] for info in fasttree.list_criteria() if info["target"] == "classes"]


def both(kind, how, seed=0, n=120):
    """A model of weighted rows and a model of their copies."""
    X, y = data(kind, n, seed)
    w = np.random.default_rng(seed + 7).choice([0, 1, 2, 4], n)
    copies = np.repeat(np.arange(n), w)
    weighted = fasttree.fit(X, y, sample_weight=w, **how)
    copied = fasttree.fit(X.iloc[copies], y[copies], **how)
    return weighted, copied, X


def assert_same_model(a, b):
    """All of the model, the numbers of rows in the nodes included."""
    assert model_body(a) == model_body(b)


@pytest.mark.parametrize("kind", ["numeric", "nominal", "mixed", "missing"])
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_an_integer_weight_is_so_many_copies(kind, how):
    if how.get("class_weight") == "balanced":
        how = {
            **how,
            "missing": "branch",
        }  # parts of real weights are rounded row by row, not copy by copy
    weighted, copied, X = both(kind, how)
    assert weighted.n_nodes_ > 3
    assert_same_model(weighted, copied)
    np.testing.assert_array_equal(weighted.predict_proba(X), copied.predict_proba(X))
    np.testing.assert_array_equal(weighted.class_prior_, copied.class_prior_)


@pytest.mark.parametrize("name", NAMES)
def test_an_integer_weight_is_so_many_copies_for_every_criterion(name):
    weighted, copied, _ = both("missing", {"criterion": name})
    assert_same_model(weighted, copied)
    X, y = data("mixed", 80)
    w = np.random.default_rng(3).integers(0, 4, 80)
    copies = np.repeat(np.arange(80), w)
    np.testing.assert_array_equal(
        fasttree.score_features(X, y, criterion=name, sample_weight=w),
        fasttree.score_features(X.iloc[copies], y[copies], criterion=name),
    )


@pytest.mark.parametrize(
    "how",
    [
        {"min_samples_leaf": 0.05},
        {"min_samples_split": 0.2},
        {"min_samples_split": 30},
        {"min_samples_leaf": 11},
        {"min_weight_fraction_leaf": 0.07},
        {"criterion": criteria.Jaccard(size=np.sqrt)},
        {"criterion": "f_measure", "ties": "row"},
    ],
    ids=str,
)
def test_limits_count_copies(how):
    for kind in ("numeric", "nominal", "missing"):
        weighted, copied, _ = both(kind, how, seed=2)
        assert_same_model(weighted, copied)


@pytest.mark.parametrize("missing", ["auto", "branch"])
@pytest.mark.parametrize(
    "model",
    [
        fasttree.FastTreeClassifier(min_samples_leaf=3),
        fasttree.FastTreeClassifier(pruning="error_based"),
        fasttree.FastTreeClassifier(threshold_search="histogram"),
        fasttree.FastForestClassifier(3, random_state=0),
        FastTreeRegressor(min_samples_leaf=3),
        FastTreeRegressor(pruning="m5"),
        FastTreeRegressor(target_bins="equal_width", criterion="info_gain"),
        FastTreeRegressor(criterion="absolute_error"),
        fasttree.FastForestRegressor(3, random_state=0, criterion="poisson"),
    ],
    ids=repr,
)
def test_nodes_count_copies_as_limits_do(model, missing):
    X, y = data("missing", 150, 5)
    if "Regressor" in type(model).__name__:
        y = np.random.default_rng(6).gamma(2.0, size=150) + 3 * (y == "yes")
    w = np.random.default_rng(7).choice([0, 1, 2, 5], 150)
    copies = np.repeat(np.arange(150), w)
    model = clone(model).set_params(missing=missing)
    weighted, copied = clone(model).fit(X, y, w), clone(model).fit(X.iloc[copies], y[copies])
    if hasattr(model, "n_estimators"):
        # A forest draws rows, not copies; in its trees a draw counts with the row's copies.
        trees = [tree.tree_ for tree in weighted.estimators_]
        assert all(t.n_node_samples[0] == t.weighted_n_node_samples[0] for t in trees)
        model.set_params(bootstrap=False)
        weighted, copied = clone(model).fit(X, y, w), clone(model).fit(X.iloc[copies], y[copies])
    for one, other in zip(*(getattr(m, "estimators_", [m]) for m in (weighted, copied))):
        assert one.tree_.n_node_samples[0] == w.sum()
        np.testing.assert_array_equal(one.tree_.n_node_samples, other.tree_.n_node_samples)
    again = fasttree.from_bytes(weighted.to_bytes())
    assert again.to_bytes() == weighted.to_bytes()


def test_limits_count_rows_under_real_weights():
    X, y = data("mixed", 200)
    w = np.random.default_rng(0).random(200) + 0.1
    model = fasttree.fit(X, y, sample_weight=w, min_samples_leaf=8)
    filled = model.tree_.n_node_samples[
        (model.tree_.n_children == 0) & (model.tree_.n_node_samples > 0)
    ]
    assert filled.min() >= 8
    model = fasttree.fit(X, y, sample_weight=w, min_weight_fraction_leaf=0.05)
    leaves = model.tree_.weighted_n_node_samples[
        (model.tree_.n_children == 0) & (model.tree_.n_node_samples > 0)
    ]
    assert leaves.min() >= 0.05 * w.sum() - 1e-9


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, list])
def test_rows_of_weight_0_are_dropped_before_anything_else(kind):
    X = np.array([["a", 1.0], ["b", 2.0], ["c", 3.0], ["a", 9.0], ["b", 2.5]], dtype=object)
    y = np.array(["n", "n", "z", "y", "y"])
    w = [1, 2, 0, 1, 1]
    keep = [0, 1, 3, 4]
    own = fasttree.fit(kind(X.tolist() if kind is list else X), y, sample_weight=w)
    other = fasttree.fit(
        kind(X[keep].tolist() if kind is list else X[keep]), y[keep], sample_weight=[1, 2, 1, 1]
    )
    assert own.to_bytes() == other.to_bytes()
    assert own.classes_.tolist() == ["n", "y"]  # the class of the dropped row does not occur
    # A Table declares its classes and levels.
    table = Table(X, y)
    assert fasttree.fit(table, sample_weight=w).classes_.tolist() == ["n", "y", "z"]


def test_what_stands_in_a_dropped_row_does_not_matter():
    X, y = data("mixed", 60)
    w = np.ones(60)
    w[[3, 30]] = 0
    expected = fasttree.fit(X, y, sample_weight=w)
    changed = X.copy()
    changed.iloc[3, 0], changed.iloc[30, 3] = 1e9, "never seen"
    for how in ({}, {"discretize": "equal_width"}, {"missing": "mode"}):
        a = fasttree.fit(X, y, sample_weight=w, **how)
        b = fasttree.fit(changed, y, sample_weight=w, **how)
        assert a.to_bytes() == b.to_bytes()
    assert expected.n_nodes_ > 3


def test_scaling_real_weights_keeps_the_tree():
    X, y = data("mixed", 150)
    w = np.random.default_rng(5).integers(1, 9, 150) / 8
    a = fasttree.fit(X, y, sample_weight=w)
    b = fasttree.fit(X, y, sample_weight=w * 2**20)
    np.testing.assert_array_equal(a.tree_.feature, b.tree_.feature)
    np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)
    np.testing.assert_array_equal(a.tree_.value * 2**20, b.tree_.value)


def test_tiny_and_huge_weights():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 1, 1, 1, 0, 0])
    for scale in (1e-60, 1e-9, 1.5, 1e9, 1e59):
        weights = scale * np.array([1, 1, 1, 1, 1, 1, 1, 2])
        model = fasttree.fit(X, y, sample_weight=weights)
        assert model.score(X, y) == 1.0
        assert model.tree_.value[0] == pytest.approx([6 * scale, 3 * scale], rel=1e-9)


TREES = {
    "tree": lambda: fasttree.FastTreeClassifier(min_samples_leaf=3),
    "global": lambda: fasttree.FastTreeClassifier(evaluation="global", max_leaf_nodes=5),
    "pruned": lambda: fasttree.FastTreeClassifier(pruning="pessimistic", leaf_smoothing="laplace"),
    "forest": lambda: fasttree.FastForestClassifier(3, bootstrap=False, random_state=0),
    "sampled": lambda: fasttree.FastForestClassifier(3, random_state=0),
    "optimal": lambda: fasttree.OptimalTreeClassifier(max_depth=2),
    "number": lambda: FastTreeRegressor(min_samples_leaf=3),
    "median": lambda: FastTreeRegressor(criterion="absolute_error", max_leaf_nodes=5),
    "numbers": lambda: fasttree.FastForestRegressor(3, bootstrap=False, random_state=0),
}


@pytest.mark.parametrize("weight", [1e-300, 1e-20, 0.1, 0.5, 1.5, 1e10, 1e14 + 0.5, 1e300])
@pytest.mark.parametrize("made", TREES.values(), ids=TREES)
def test_equal_weights_of_any_size_that_are_no_copies_are_none(made, weight):
    X, y = data("missing", 90)
    y = np.unique(y, return_inverse=True)[1]
    if "Optimal" in type(made()).__name__:
        X = X.select_dtypes("number").fillna(0.0)
    some = np.arange(90) % 7 > 0
    assert made().fit(X, y, np.full(90, weight)).to_bytes() == made().fit(X, y).to_bytes()
    zeros = made().fit(X, y, np.where(some, weight, 0.0)).to_bytes()
    assert zeros == made().fit(X, y, some.astype(float)).to_bytes()


@pytest.mark.parametrize(
    ("heavy", "light", "kinds"),
    [
        (1e14, 0.5, ["number", "median", "numbers"]),
        (1.0, 1e-15, ["number", "median", "numbers"]),
        (1e58, 1e30, TREES),
        (1.5, 1e-30, TREES),
    ],
)
def test_a_weight_that_is_lost_beside_the_others_names_its_row(heavy, light, kinds):
    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    weights = np.full(12, heavy)
    weights[1], weights[5] = heavy / 3, light
    for kind in kinds:
        with pytest.raises(ValueError, match=r"sample_weight of row 5 is .*set it to 0"):
            TREES[kind]().fit(X, y, weights)
    # Where it is not lost, it counts.
    weights[5] = heavy * 1e-9
    for kind in kinds:
        TREES[kind]().fit(X, y, weights)


def test_a_heavy_weight_leaves_the_light_rows_in():
    rng = np.random.default_rng(4)
    X, w = rng.normal(size=(400, 2)), np.full(400, 0.5)
    w[0], y = 1e12, (X[:, 0] > 0).astype(float)
    model = FastTreeRegressor().fit(X, y, sample_weight=w)
    assert model.tree_.n_node_samples[0] == 400 and model.score(X, y) == 1.0


@pytest.mark.parametrize(
    "criterion", ["gini", "auc", "orthogonality", "info_gain", "pi", "relieff"]
)
def test_weights_scale_or_are_refused(criterion):
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (40, 3)), rng.integers(0, 2, 40)
    w = rng.random(40) + 0.5

    def scores(scale):
        return fasttree.score_features(
            X, y, criterion=criterion, sample_weight=w * scale, categorical_features="all"
        )

    expected = scores(1.0)
    for scale in (1e-55, 1e55):
        found = scores(scale)
        assert np.argmax(found) == np.argmax(expected) and np.isfinite(found).all()
    for scale in (1e-70, 1e-300, 1e70, 1e200):
        with pytest.raises(
            ValueError, match="sum of the sample weights is .* multiply them by a constant"
        ):
            scores(scale)


def test_class_weight_multiplies():
    X, y = data("mixed", 100)
    w = np.random.default_rng(1).integers(1, 4, 100)
    factors = {"no": 2, "perhaps": 5, "yes": 1}
    a = fasttree.fit(X, y, sample_weight=w, class_weight=factors)
    b = fasttree.fit(X, y, sample_weight=w * pd.Series(y).map(factors).to_numpy())
    for part in ("feature", "threshold", "value"):
        np.testing.assert_array_equal(getattr(a.tree_, part), getattr(b.tree_, part), part)
    balanced = fasttree.fit(X, y, class_weight="balanced")
    np.testing.assert_allclose(balanced.tree_.value[0], 100 / 3)
    with_zero = fasttree.fit(X, y, class_weight={"no": 0, "perhaps": 1, "yes": 1})
    assert with_zero.tree_.value[0][0] == 0


def test_a_tables_own_weights_are_used():
    X, y = data("mixed", 60)
    w = np.arange(60) % 3
    table = Table(X, y)
    table.sample_weight = w.astype(float)
    assert model_body(fasttree.fit(table)) == model_body(fasttree.fit(Table(X, y), sample_weight=w))
    np.testing.assert_array_equal(
        fasttree.score_features(table, criterion="gini"),
        fasttree.score_features(Table(X, y), criterion="gini", sample_weight=w),
    )


def test_cross_validation_takes_a_tables_own_weights():
    X, y = data("mixed", 60)
    table = Table(X, y)
    table.sample_weight = (np.arange(60) % 3).astype(float)
    fold = (np.arange(0, 60, 2), np.arange(1, 60, 2))
    found = fasttree.model_selection.cross_validate(table, criterion=["gini"], cv=[fold])
    model = fasttree.fit(table.take(fold[0]), criterion="gini")
    expected = float(np.mean(model.predict(table.take(fold[1])) == np.asarray(y)[fold[1]]))
    unweighted = fasttree.fit(Table(X, y).take(fold[0]), criterion="gini")
    assert found["gini"]["leaves"][0] == model.get_n_leaves() != unweighted.get_n_leaves()
    assert found["gini"]["accuracy"][0] == expected


def test_weighted_score():
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])
    model = fasttree.fit(X, y)
    assert model.score(X, [0, 1, 1, 1], sample_weight=[1, 3, 1, 1]) == 0.5


def test_rows_of_weight_0_do_not_widen_the_grid_of_a_number():
    """Wherever rows, numbers and weights come from, trees are those of the other rows."""
    random = np.random.default_rng(1)
    X, y, w = random.normal(size=(50, 3)), np.round(5 * random.normal(size=50)), random.random(50)
    w[7], y[7] = 0.0, 1e9
    kept = w > 0
    kept_rows = Table(X[kept], y[kept], task="regression", target="y")
    expected = FastTreeRegressor(max_depth=4).fit(kept_rows, None, w[kept]).to_bytes()
    numbers = Table(X, y, task="regression", target="y")
    classes, own = Table(X, y, target="y"), Table(X, y, target="y")
    own.sample_weight = w
    for given in (
        (numbers, None, w),
        (classes, None, w),
        (own,),
        (own.as_regression(),),
    ):
        assert FastTreeRegressor(max_depth=4).fit(*given).to_bytes() == expected
    y = np.abs(y)
    ones = np.ones(50)
    rates = FastTreeRegressor(criterion="poisson", max_depth=4).fit(X[kept], y[kept], w[kept])
    for given in ((X, y, w), (Table(X, y, task="regression"), None, w)):
        model = FastTreeRegressor(criterion="poisson", max_depth=4).fit(*given, exposure=ones)
        assert np.array_equal(model.tree_.value, rates.tree_.value)
