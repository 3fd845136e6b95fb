"""Prediction by blocks of rows: the same as row by row, whatever the layout of the rows."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree

SIZES = (1, 7, 15, 16, 17, 255, 256, 257, 1100)


def walk(tree, row):
    """The leaf of a row without missing values, from the arrays of the tree."""
    node = 0
    while tree.feature[node] >= 0:
        node += 1
        above = row[tree.feature[node - 1]] > tree.threshold[node - 1]
        if above:
            node = int(tree.children[tree.first_child[node - 1] + 1])
    return node


def layouts(X):
    """The same numbers as they may lie in memory."""
    yield np.ascontiguousarray(X)
    yield np.asfortranarray(X)
    yield np.repeat(X, 2, axis=0)[::2]
    if np.array_equal(X.astype(np.float32).astype(float), X, equal_nan=True):
        yield X.astype(np.float32)
        yield np.asfortranarray(X.astype(np.float32))


def data(seed, missing=0.0, rows=1100):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 64, size=(rows, 5)) / 4
    y = (X[:, 0] * X[:, 1] > 60).astype(int) + (X[:, 2] > 12) + generator.integers(0, 2, rows)
    X[generator.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("max_depth", [1, 3, 13, 14, 15, 20, 21, None])
def test_blocks_reach_the_leaves_of_single_rows(max_depth):
    X, y = data(0)
    model = fasttree.fit(X, y, max_depth=max_depth)
    expected = np.array([walk(model.tree_, row) for row in X])
    for rows in layouts(X):
        for n in SIZES:
            assert np.array_equal(model.apply(rows[:n]), expected[:n])


@pytest.mark.parametrize("missing", ["fractional", "branch", "mode"])
@pytest.mark.parametrize("trees", [None, 7])
def test_missing_values_are_the_same_in_blocks_and_alone(missing, trees):
    X, y = data(1, missing=0.1)
    if trees is None:
        model = fasttree.FastTreeClassifier(missing=missing, max_depth=8)
    else:
        model = fasttree.FastForestClassifier(trees, missing=missing, max_depth=8, random_state=0)
    model.fit(X, y)
    alone = np.vstack([model.predict_proba(row[None]) for row in X[:300]])
    labels = np.array([model.predict(row[None])[0] for row in X[:300]])
    for rows in layouts(X):
        assert np.array_equal(model.predict_proba(rows)[:300], alone)
        assert np.array_equal(model.predict(rows)[:300], labels)
        for threads in (2, 4):
            model.set_params(n_jobs=threads)
            assert np.array_equal(model.predict_proba(rows)[:300], alone)
        model.set_params(n_jobs=None)


def test_a_forest_is_the_mean_of_its_trees_in_their_order():
    X, y = data(2)
    forest = fasttree.FastForestClassifier(11, random_state=0).fit(X, y)
    for n in SIZES:
        total = np.zeros((n, len(forest.classes_)))
        for tree in forest.estimators_:
            total += tree.predict_proba(X[:n])
        assert np.array_equal(forest.predict_proba(X[:n]), total / 11)
        leaves = np.column_stack([tree.apply(X[:n]) for tree in forest.estimators_])
        assert np.array_equal(forest.apply(X[:n]), leaves)


def test_other_types_of_numbers_are_taken():
    X, y = data(3)
    model = fasttree.fit(X, y)
    expected = model.predict(np.floor(X))
    for dtype in (np.int64, np.int16, np.uint8, np.float16, object):
        assert np.array_equal(model.predict(np.floor(X).astype(dtype)), expected)


def test_float32_goes_where_the_same_float64_goes():
    generator = np.random.default_rng(4)
    X = generator.normal(size=(600, 3))
    y = (X[:, 0] * X[:, 1] > X[:, 2]).astype(int)
    tree = fasttree.fit(X, y)
    forest = fasttree.FastForestClassifier(5, random_state=0).fit(X, y)
    thresholds = tree.tree_.threshold[tree.tree_.feature >= 0].astype(np.float32)
    beside = [np.nextafter(thresholds, np.float32(s)) for s in (-np.inf, np.inf)]
    values = np.concatenate([thresholds, *beside])
    rows = generator.choice(values, size=(2000, 3))
    for model in (tree, forest):
        assert np.array_equal(model.apply(rows), model.apply(rows.astype(float)))
        assert np.array_equal(model.predict(rows), model.predict(rows.astype(float)))
