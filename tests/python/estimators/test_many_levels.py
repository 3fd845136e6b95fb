"""Columns of many levels: a division in two must save more bits than it takes to name."""

import numpy as np
import pandas as pd
import pytest

import fasttree

ROWS = 2_000


def frame(random, levels, *, with_good=False):
    """Five numeric columns of noise, one of `levels` levels without information, and classes."""
    X = pd.DataFrame(random.normal(size=(ROWS, 5)), columns=[f"x{j}" for j in range(5)])
    y = random.integers(0, 2, ROWS)
    if with_good:
        X["good"] = y + random.normal(size=ROWS)
    X["city"] = [f"city{c}" for c in random.integers(0, levels, ROWS)]
    return X, y


def root(model):
    return model.tree_.feature[0] if model.get_n_leaves() > 1 else -1


def stump(X, y, **params):
    return fasttree.fit(X, y, max_depth=1, **params)


@pytest.mark.parametrize("levels", [50, 300])
@pytest.mark.parametrize("with_good", [False, True])
def test_a_column_without_information_is_not_at_the_root(levels, with_good):
    random = np.random.default_rng(levels)
    for _ in range(10):
        X, y = frame(random, levels, with_good=with_good)
        assert root(stump(X, y)) != X.shape[1] - 1


def test_one_that_determines_nine_rows_in_ten_is_found():
    random = np.random.default_rng(1)
    for _ in range(5):
        X, _ = frame(random, 300)
        of_city = dict(zip(X["city"].unique(), random.integers(0, 2, 300), strict=False))
        y = X["city"].map(of_city).to_numpy() ^ (random.random(ROWS) < 0.1)
        assert root(stump(X, y)) == X.shape[1] - 1


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize(
    "params",
    [{}, {"criterion": "gini"}, {"missing": "fractional", "criterion": "info_gain"}],
    ids=str,
)
def test_a_column_that_is_all_different_is_never_split(classes, params):
    random = np.random.default_rng(classes)
    y = random.permutation(np.arange(ROWS) % classes)
    X = pd.DataFrame({"id": [f"C{i:05}" for i in random.permutation(ROWS)]})
    assert fasttree.fit(X, y, **params).get_n_leaves() == 1
    weights = random.choice([0.5, 0.75], ROWS)  # whole ones are copies of rows
    assert fasttree.fit(X, y, sample_weight=weights, **params).get_n_leaves() == 1
    assert fasttree.fit(X, y, nominal_splits="subset").get_n_leaves() == classes


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "standard_deviation"])
def test_a_number_has_the_same_rule(criterion):
    random = np.random.default_rng(2)
    noise = random.normal(size=ROWS)
    ids = pd.DataFrame({"id": [f"C{i:05}" for i in range(ROWS)]})
    assert fasttree.fit(ids, noise, criterion=criterion).get_n_leaves() == 1
    X, _ = frame(random, 300)
    assert root(stump(X, noise, criterion=criterion)) != 5
    effect = dict(zip(X["city"].unique(), random.normal(size=300), strict=False))
    y = X["city"].map(effect).to_numpy() * 3 + noise
    assert root(stump(X, y, criterion=criterion)) == 5


@pytest.mark.parametrize("missing", ["fractional", "branch", "mode"])
@pytest.mark.parametrize("criterion", ["info_gain", "standard_deviation"])
def test_whole_weights_are_copies_of_the_rows_of_a_level(criterion, missing):
    random = np.random.default_rng(4)
    X = pd.DataFrame({"city": [f"city{c}" for c in random.integers(0, 400, 500)]})
    X["x"] = random.normal(size=500)
    y = X["x"] > random.normal(size=500)
    y = y.to_numpy() if criterion == "info_gain" else X["x"].to_numpy() + random.normal(size=500)
    X = X.mask(random.random(X.shape) < 0.1)
    weights = random.integers(1, 5, 500)
    copies = np.repeat(np.arange(500), weights)
    # Deeper nodes hold fractions of the same rows on both sides of a cut: no gain but rounding.
    params = {"criterion": criterion, "missing": missing, "max_depth": 3, "columns": "as_given"}
    weighed = fasttree.fit(X, y, sample_weight=weights, **params)
    copied = fasttree.fit(X.iloc[copies], y[copies], **params)
    assert weighed.to_text(max_levels=None) == copied.to_text(max_levels=None)
