"""Targets, weights, exposures and arguments that regressors refuse: each error names the row or the
argument. Targets that are odd, but no fault, are fitted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastForestRegressor, FastTreeRegressor

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
Y = X[:, 0] + RANDOM.normal(size=60)


def forest(**words):
    return FastForestRegressor(**{"n_estimators": 5, "random_state": 0, **words})


both = pytest.mark.parametrize("kind", [FastTreeRegressor, forest], ids=["tree", "forest"])


def at_row_7(value):
    """The target with another value in row 7."""
    numbers = Y.astype(float if isinstance(value, float) else object)
    numbers[7] = value
    return numbers


def with_a_gap():
    """The target as an array of pandas that is masked in row 7."""
    numbers = pd.array(Y, "Float64")
    numbers[7] = pd.NA
    return numbers


@both
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (at_row_7(np.nan), "contains NaN: row 7 of the target 'y' has no number"),
        (at_row_7(None), "contains NaN: row 7 of the target 'y' has no number"),
        (at_row_7(np.inf), "contains infinity.*Row 7 of the target 'y' is inf"),
        (at_row_7(-np.inf), "contains infinity.*Row 7 of the target 'y' is -inf"),
        (at_row_7(10**400), "contains infinity.*Row 7 of the target 'y' is inf"),
        (
            with_a_gap(),
            "contains NaN: row 7 of the target 'y' has no number; .* give them a number",
        ),
        (at_row_7("much"), "row 7 of the target 'y' is 'much', which is not a number"),
        (at_row_7(1e300), r"row 7 of the target 'y' is 1e\+300, and squares of it leave the range"),
        (at_row_7(-1.1e60), r"row 7 of the target 'y' is -1.1e\+60, .* between -1e\+60 and 1e\+60"),
        (Y[:50], "X has 60 rows and y has 50"),
        (np.column_stack([Y, Y]), r"array of shape \(60, 2\)"),
        (Y + 1j, "Complex data not supported"),
        (pd.date_range("2020", periods=60), "'y' holds dates or times"),
        (None, "requires y to be passed"),
    ],
    ids=str,
)
def test_targets_that_are_no_finite_numbers(kind, y, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(X, y)


@both
def test_text_that_is_numbers_and_flags_are_numbers(kind):
    expected = kind().fit(X, Y).predict(X)
    assert np.array_equal(kind().fit(X, [repr(float(number)) for number in Y]).predict(X), expected)
    flags = kind().fit(X, Y > 0).predict(X)
    assert flags.min() >= 0 and flags.max() <= 1


@both
def test_a_constant_target_is_one_leaf_with_a_warning(kind):
    with pytest.warns(UserWarning, match="the target is 2.5 in all 60 rows, so the tree is one"):
        model = kind().fit(X, np.full(60, 2.5))
    trees = getattr(model, "estimators_", [model])
    assert {tree.n_nodes_ for tree in trees} == {1}
    assert set(model.predict(X)) == {2.5}
    # R2 of a constant: 1 where every prediction is right, else 0.
    assert model.score(X, np.full(60, 2.5)) == 1.0
    assert model.score(X, np.full(60, 3.0)) == 0.0
    assert model.score(X, Y) <= 0.0


@both
def test_large_and_small_targets_are_fitted(kind):
    # Powers of two change no digit of a number, so the trees are the same.
    expected = kind().fit(X, Y).predict(X)
    for factor in (2.0**180, 2.0**-180):
        assert np.array_equal(kind().fit(X, Y * factor).predict(X), expected * factor)


@both
def test_negative_and_zero_targets_of_poisson(kind):
    row = int(Y.argmin())
    counts = np.abs(Y)
    counts[row] = -0.5
    with pytest.raises(ValueError, match=rf"'y', row {row} is -0.5.*poisson.*not negative"):
        kind(criterion="poisson").fit(X, counts)
    with pytest.raises(ValueError, match="'y' is 0 in all rows"), pytest.warns(UserWarning):
        kind(criterion="poisson").fit(X, np.zeros(60))
    zeros = np.where(X[:, 0] > 0, np.abs(Y), 0.0)
    assert kind(criterion="poisson").fit(X, zeros).predict(X).min() >= 0


@both
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.where(np.arange(60) == 3, -1.0, 1.0), "sample_weight of row 3 is -1"),
        (np.where(np.arange(60) == 3, np.nan, 1.0), "sample_weight of row 3 is NaN"),
        (np.where(np.arange(60) == 3, np.inf, 1.0), "sample_weight of row 3 is inf"),
        (["1"] * 3 + ["much"] + ["1"] * 56, "sample_weight of row 0 is '1'"),
        (np.zeros(60), "all sample weights are zero"),
        (np.ones(59), r"sample_weight.shape == \(59,\), expected \(60,\)"),
    ],
    ids=["negative", "nan", "inf", "text", "zeros", "short"],
)
def test_weights_that_are_none(kind, weights, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(X, Y, sample_weight=weights)


@both
def test_rows_of_weight_zero_are_no_rows(kind):
    weights = np.arange(60) % 3
    rows = weights > 0
    expected = kind().fit(X[rows], Y[rows], sample_weight=weights[rows])
    strange = np.where(weights == 0, np.nan, Y)  # the target of a dropped row is not looked at
    for numbers in (Y, strange):
        model = kind().fit(X, numbers, sample_weight=weights)
        assert np.array_equal(model.predict(X), expected.predict(X))
        assert np.array_equal(model.predict_quantiles(X), expected.predict_quantiles(X))


@both
@pytest.mark.parametrize(
    ("exposure", "message"),
    [
        (np.where(np.arange(60) == 3, 0.0, 1.0), "exposure of row 3 is 0.0: it must be a positive"),
        (np.where(np.arange(60) == 3, -2.0, 1.0), "exposure of row 3 is -2.0"),
        (np.where(np.arange(60) == 3, np.nan, 1.0), "exposure of row 3 is nan"),
        (np.where(np.arange(60) == 3, np.inf, 1.0), "exposure of row 3 is inf"),
        (np.ones(59), r"exposure has the shape \(59,\), expected \(60,\)"),
        (np.ones((60, 1)), r"exposure has the shape \(60, 1\)"),
        ("time", "exposure='time': a name is a column of X when X is a frame"),
        (["a"] * 60, "exposure of row 0 is 'a'"),
    ],
    ids=["zero", "negative", "nan", "inf", "short", "column", "name", "text"],
)
def test_exposures_that_are_none(kind, exposure, message):
    with pytest.raises(ValueError, match=message):
        kind(criterion="poisson").fit(X, np.abs(Y), exposure=exposure)


@both
def test_exposures_of_rows_of_weight_zero_are_not_looked_at(kind):
    weights, exposure = (np.arange(60) != 3).astype(float), np.arange(60) - 0.5
    exposure[0], exposure[3] = 1.0, 0.0
    model = kind(criterion="poisson")
    assert np.isfinite(model.fit(X, np.abs(Y), weights, exposure=exposure).predict(X)).all()
    exposure[5] = -2.0  # its place among the rows as given
    with pytest.raises(ValueError, match=r"exposure of row 5 is -2\.0"):
        model.fit(X, np.abs(Y), weights, exposure=exposure)
    with pytest.raises(ValueError, match=r"row 4 is 1e-320: the rate, .* leaves the range of num"):
        model.fit(X, np.abs(Y), exposure=np.where(np.arange(60) == 4, 1e-320, 1.0))


@both
def test_exposures_need_rates(kind, tmp_path):
    with pytest.raises(ValueError, match="only criterion='poisson' has rates"):
        kind().fit(X, np.abs(Y), exposure=np.ones(60))
    rates = kind(criterion="poisson", threshold_search="histogram")
    with pytest.raises(ValueError, match="exposure with rows in batches: .*memory"):
        rates.fit(lambda: iter([pd.DataFrame(X).assign(y=Y)]), "y", exposure=np.ones(60))
    forest_of_classes = fasttree.FastForestClassifier(3).fit(X, Y > 0)
    for look in (forest_of_classes.bootstrap_counts, forest_of_classes.permutation_importance):
        with pytest.raises(ValueError, match="exposure with classes: only counts have rates"):
            look(X, Y > 0, exposure=np.ones(60))


def test_the_rate_of_a_leaf_is_counts_over_exposure():
    counts = np.random.default_rng(2).poisson(3, 60)
    exposure = np.random.default_rng(3).uniform(1, 5, 60)
    tree = FastTreeRegressor(criterion="poisson", max_depth=2).fit(X, counts, exposure=exposure)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        rate = counts[leaves == leaf].sum() / exposure[leaves == leaf].sum()
        assert tree.tree_.value[leaf] == pytest.approx(rate)


CLASS_ONLY = {
    "class_weight": "balanced",
    "priors": "equal",
    "cost_matrix": [[0, 1], [1, 0]],
    "evaluation": "global",
    "labels": "all",
    "leaf_smoothing": "laplace",
    "merge_redundant": "class",
    "empty_branch": "unclassified",
}


@pytest.mark.parametrize("name", CLASS_ONLY)
def test_arguments_of_classes_are_refused_by_name(name):
    for kind in (FastTreeRegressor, FastForestRegressor):
        with pytest.raises(TypeError, match=name):
            kind(**{name: CLASS_ONLY[name]})
    with pytest.raises(TypeError, match=rf"{name}=.* of FastTreeRegressor; FastTreeClassifier has"):
        fasttree.fit(X, Y, task="regression", **{name: CLASS_ONLY[name]})
    with pytest.raises(TypeError, match=r"target_bins=3 .* FastTreeRegressor has it"):
        fasttree.fit(X, Y > 0, task="classification", target_bins=3)


@both
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"criterion": "gini"}, "criterion='gini' with a numeric target.*target_bins"),
        ({"criterion": "pi"}, "criterion='pi' with a numeric target"),
        ({"criterion": "ginny"}, "criterion='ginny' is not known"),
        ({"target_bins": 4}, "criterion='squared_error' with target_bins"),
        ({"pruning": "pessimistic"}, "pruning='pessimistic' with a numeric target"),
        ({"n_bins": 4}, "n_bins=4 cannot act in this fit"),
        ({"max_bins": 9, "threshold_search": "exact"}, "max_bins=9 cannot act in this fit"),
        ({"leaf_order": "distance"}, "leaf_order='distance' cannot act in this fit"),
        ({"max_depth": 0}, "max_depth=0 must be at least 1"),
        ({"min_samples_leaf": -1}, "min_samples_leaf=-1 must be at least 1"),
    ],
    ids=str,
)
def test_parameters_outside_their_domain(kind, words, message):
    with pytest.raises(ValueError, match=message):
        kind(**words).fit(X, Y)


@both
def test_what_scores_need(kind):
    model = kind().fit(X, Y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        model.score(X)
    with pytest.raises(ValueError, match="X has 60 rows and y has 4"):
        model.score(X, Y[:4])
    for judge in (model.score, model.evaluate):
        with pytest.raises(ValueError, match="row 7 of the target"):
            judge(X, at_row_7(np.nan))
        with pytest.raises(
            ValueError, match="row 7 of the target .* squares of it leave the range"
        ):
            judge(X, at_row_7(1e300))
    table = fasttree.Table(X, Y, task="regression")
    assert model.score(table) == model.score(X, Y)
