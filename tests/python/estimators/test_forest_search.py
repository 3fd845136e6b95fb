"""``threshold_search="auto"`` of forests: a histogram from 10,000 rows of weight > 0 on, where bins
serve, else exact, without an error."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from fasttree import FastForestClassifier, FastForestRegressor

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(12_000, 4))
Y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
GAPS = np.where(RANDOM.random(X.shape) < 0.05, np.nan, X)
BINS = "codes of bins"


def fitted(kind, X, y, weights=None, **options):
    return kind(2, random_state=0, max_depth=4, **options).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("rows, search", [(9_999, "exact"), (10_000, "histogram")])
def test_the_border_counts_rows_of_positive_weight(rows, search):
    weights = np.zeros(len(X))
    weights[:rows] = 1.0
    for options in ({"max_samples": 0.1}, {"bootstrap": False}, {}):
        found = fitted(FastForestClassifier, X, Y, weights, **options)
        stated = fitted(FastForestClassifier, X, Y, weights, **options, threshold_search=search)
        assert found.route_.startswith(BINS) == (search == "histogram")
        assert np.array_equal(found.apply(X[:500]), stated.apply(X[:500]))
        assert found.estimators_[0].threshold_search == search


@pytest.mark.parametrize(
    "kind, X, y, options",
    [
        (FastForestClassifier, GAPS, Y, {}),  # fractional rows
        (FastForestClassifier, X, Y, {"evaluation": "glocal", "max_leaf_nodes": 3}),
        (FastForestClassifier, X, Y, {"ties": "row"}),
        (FastForestClassifier, X, Y, {"thresholds": "value"}),
        (FastForestClassifier, X, Y, {"splitter": "random"}),
        (FastForestClassifier, X, Y, {"discretize": "mdlp"}),
        (FastForestRegressor, X, X[:, 0], {"criterion": "absolute_error"}),
    ],
)
def test_what_bins_refuse_stays_exact(kind, X, y, options):
    found = fitted(kind, X, y, **options)
    assert not found.route_.startswith(BINS)
    stated = fitted(kind, X, y, **options, threshold_search="exact")
    assert np.array_equal(found.apply(X[:500]), stated.apply(X[:500]))


def test_numbers_and_branches_of_missing_values_are_searched_in_bins():
    assert fitted(FastForestRegressor, X, X[:, 0]).route_.startswith(BINS)
    assert fitted(FastForestClassifier, GAPS, Y, missing="branch").route_.startswith(BINS)


def test_a_loaded_forest_and_more_trees_are_the_same(tmp_path):
    forest = FastForestClassifier(2, random_state=0, max_depth=4, warm_start=True).fit(X, Y)
    forest.set_params(n_estimators=4).fit(X, Y)
    at_once = FastForestClassifier(4, random_state=0, max_depth=4).fit(X, Y)
    assert np.array_equal(forest.apply(X[:500]), at_once.apply(X[:500]))
    forest.save(tmp_path / "forest.json")
    loaded = fasttree.load_model(tmp_path / "forest.json")
    assert loaded.threshold_search == "auto"
    assert np.array_equal(loaded.predict(X), forest.predict(X))


def test_a_search_that_is_none_is_refused():
    with pytest.raises(ValueError, match="threshold_search='fast' is not known; use 'auto'"):
        fitted(FastForestClassifier, X, Y, threshold_search="fast")
    with pytest.raises(ValueError, match="threshold_search='auto' is not known; use 'exact'"):
        fasttree.fit(X, Y, threshold_search="auto")
