"""Unbiased importance of forests: equal to a slow oracle that sends each row down by hand, and 0 on
average for noise, whatever the number of its values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from fasttree import FastForestClassifier, FastForestRegressor

RANDOM = np.random.default_rng(5)
N = 150
LEVELS = list("abcdef")
FRAME = pd.DataFrame(
    {
        "x": RANDOM.normal(size=N),
        "z": RANDOM.normal(size=N).round(1),
        "level": pd.Categorical(RANDOM.choice(LEVELS, N), categories=LEVELS),
    }
)
GAPS = FRAME.mask(RANDOM.random((N, 3)) < 0.1)
NUMBER = FRAME["x"].to_numpy() + FRAME["level"].cat.codes.to_numpy() / 3 + RANDOM.normal(size=N)
CLASSES = np.digitize(NUMBER, [0.0, 1.5])
WEIGHTS = {
    "none": None,
    "copies": RANDOM.integers(0, 4, N).astype(float),
    "importances": RANDOM.random(N),
}
CASES = {
    "classes": (FastForestClassifier(criterion="gini"), FRAME, CLASSES),
    "missing values": (FastForestClassifier(criterion="gini"), GAPS, CLASSES),
    "subsets": (FastForestClassifier(criterion="gini", nominal_splits="subset"), FRAME, CLASSES),
    "balanced": (FastForestClassifier(criterion="gini", class_weight="balanced"), FRAME, CLASSES),
    "numbers": (FastForestRegressor(), FRAME, NUMBER + 1e4),
    "numbers and missing values": (FastForestRegressor(max_samples=0.7), GAPS, NUMBER),
}


def cells(frame):
    """Numbers and codes of levels, NaN where they are missing."""
    columns = [
        c.cat.codes.where(c.notna()) if c.dtype == "category" else c for _, c in frame.items()
    ]
    return np.column_stack([np.asarray(c, dtype=float) for c in columns])


def shares(tree, row):
    """The nodes that a row passes, with the share of it that does."""
    waiting, found = [(0, 1.0)], {}
    while waiting:
        node, share = waiting.pop()
        children = tree.children_of(node).tolist()
        if share > 0:  # no part of a row goes to a branch without training rows
            found[node] = share
        if share == 0 or not children:
            continue
        x, by = row[tree.feature[node]], tree.missing_branch[node]
        if np.isnan(x) and by == -2:
            weights = tree.weighted_n_node_samples[children]
            waiting += zip(children, (share * weights / weights.sum()).tolist(), strict=True)
            continue
        if np.isnan(x):
            branch = by
        elif tree.n_levels[node]:
            branch = int(x not in tree.levels_of(node))
        elif np.isnan(tree.threshold[node]):
            branch = int(x)
        else:
            branch = int(x > tree.reach[node])
        waiting.append((children[branch], share))
    return found


def impurity(inside, outside, truth):
    """The mean of `truth` over pairs of a row from each side, given weights by row."""
    total = 0.0
    for row, weight in inside.items():
        for other, and_weight in outside.items():
            total += weight * and_weight * truth(row, other)
    return total / (sum(inside.values()) * sum(outside.values()))


def oracle(forest, frame, y, weights, counts):
    """Importances by tree and feature, from pairs of rows of a sample and rows out of it."""
    rows = cells(frame)

    def truth(row, other):
        if isinstance(forest, FastForestRegressor):
            return (y[row] - y[other]) ** 2 / 2
        return float(y[row] != y[other])

    found = np.zeros((len(forest.estimators_), rows.shape[1]))
    for place, one in enumerate(forest.estimators_):
        tree = one.tree_
        inside = [{} for _ in range(tree.node_count)]
        outside = [{} for _ in range(tree.node_count)]
        for row in np.flatnonzero(weights):
            for node, share in shares(tree, rows[row]).items():
                side, times = (inside, counts[place, row]) if counts[place, row] else (outside, 1)
                side[node][row] = share * times * weights[row]
        total = sum(inside[0].values())
        for node in np.flatnonzero(tree.n_children):
            children = [c for c in tree.children_of(node) if inside[c]]
            if all(outside[c] for c in children):
                parts = [
                    sum(inside[c].values()) / total * impurity(inside[c], outside[c], truth)
                    for c in [node, *children]
                ]
                found[place, tree.feature[node]] += parts[0] - sum(parts[1:])
    return found


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
def test_importances_are_those_of_pairs_of_rows(name, weighted):
    forest, frame, y = CASES[name]
    given = WEIGHTS[weighted]
    forest.set_params(n_estimators=4, random_state=0, max_features=2, min_samples_leaf=2)
    forest.fit(frame, y, sample_weight=given)
    before = forest.feature_importances_
    found = forest.unbiased_importance(frame, y, sample_weight=given)
    counts = forest.bootstrap_counts(frame, y, sample_weight=given)
    weights = np.ones(N) if given is None else given
    if name == "balanced":
        sums = np.bincount(y, weights)
        weights = weights / sums[y]
    expected = oracle(forest, frame, y, weights, counts)
    np.testing.assert_allclose(found.importances, expected.T, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.importances_mean, expected.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(found.importances_std, expected.std(axis=0), atol=1e-9)
    assert np.array_equal(forest.feature_importances_, before)
    order = RANDOM.permutation(N)
    again = forest.set_params(n_jobs=2).unbiased_importance(
        frame.iloc[order], y[order], None if given is None else given[order]
    )
    assert np.array_equal(again.importances, found.importances)


VALUES = (2, 5, 10, 20, 50)
SETS = 60


def noise(random, rows):
    """Columns of 2 to 50 levels and of numbers, none of which tells anything."""
    levels = {f"of {k}": pd.Categorical(random.integers(0, k, rows), range(k)) for k in VALUES}
    return pd.DataFrame({**levels, "number": random.normal(size=rows)})


NULLS = {
    "two classes": (FastForestClassifier(8, criterion="gini"), lambda r: r.integers(0, 2, 120)),
    "rare class": (
        FastForestClassifier(8, criterion="gini", nominal_splits="subset"),
        lambda r: (r.random(120) < 0.2).astype(int),
    ),
    "four classes": (FastForestClassifier(8, criterion="gini"), lambda r: r.integers(0, 4, 120)),
    "numbers": (
        FastForestRegressor(8, nominal_splits="subset"),
        lambda r: r.exponential(size=120),
    ),
}
BOUND = student.ppf(1 - 0.01 / 2 / (len(NULLS) * (len(VALUES) + 1)), SETS - 1)
"""Of |z| at 1 % for all features of all settings together (Bonferroni)."""


def z_values(values):
    """Means over sets in standard errors, shape (n_features,)."""
    return values.mean(axis=0) / (values.std(axis=0, ddof=1) / np.sqrt(len(values)))


@pytest.mark.filterwarnings("ignore:nominal columns with fewer")
@pytest.mark.parametrize("name", NULLS)
def test_noise_has_no_importance_whatever_its_values(name):
    forest, target = NULLS[name]
    unbiased, usual = [], []
    for seed in range(SETS):
        random = np.random.default_rng([seed, 7])
        X, y = noise(random, 120), target(random)
        forest.set_params(random_state=seed, columns="as_given").fit(X, y)
        unbiased.append(forest.unbiased_importance(X, y).importances_mean)
        usual.append(forest.feature_importances_)
    assert np.abs(z_values(np.array(unbiased))).max() < BOUND
    # The usual importances are not even equal.
    assert np.abs(z_values(np.array(usual) - 1 / len(X.columns))).max() > 2 * BOUND


def test_a_column_that_tells_something_is_above_noise():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    y = (X[:, 0] + random.normal(size=300) > 0).astype(int)
    found = FastForestClassifier(40, criterion="gini", random_state=0).fit(X, y)
    mean = found.unbiased_importance(X, y).importances_mean
    assert mean[0] > 0.05 and np.abs(mean[1:]).max() < 0.02


@pytest.mark.parametrize(
    "forest, words",
    [
        (FastForestClassifier(2), "criterion='info_gain': unbiased importance is known of 'gini'"),
        (FastForestClassifier(2, criterion="gini", bootstrap=False), "bootstrap=False"),
        (FastForestRegressor(2, criterion="absolute_error"), "known of 'squared_error'"),
        (FastForestRegressor(2, bootstrap=False), "bootstrap=False"),
    ],
)
def test_what_has_no_unbiased_importance_is_refused_by_name(forest, words):
    y = NUMBER if isinstance(forest, FastForestRegressor) else CLASSES
    with pytest.raises(ValueError, match=words):
        forest.fit(FRAME, y).unbiased_importance(FRAME, y)
