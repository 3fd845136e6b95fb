"""Logarithms of p-values, also where no double holds the p-value, beside independent truth.

``tree_`` has p-values as doubles. The file of a model has their logarithms, which decide between
features and are read here.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln, logsumexp
from scipy.stats import norm

from fasttree import FastTreeClassifier, presets

from ..tools import body_of, thinned
from ..tools import chaid_oracle as chaid
from ..tools import significance_oracle as truth


def root_test(frame, y, w=None, **params) -> tuple[float, float, FastTreeClassifier]:
    """Statistic and logarithm of the p-value of a root, and the tree."""
    how = {"selection": "significance", "adjust": "none", **params}
    model = FastTreeClassifier(**how, columns="as_given", max_depth=1).fit(frame, y, w)
    node, statistic, log_p = body_of(model.to_bytes())["tests"][0]
    assert node == 0
    return statistic, log_p, model


def rows_of(table: np.ndarray) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A row per cell of a table of levels x classes, with the cell as its weight."""
    levels, classes = (places.ravel() for places in np.indices(table.shape))
    return pd.DataFrame({"x": [f"l{level:03}" for level in levels]}), classes, table.ravel()


def pearson(table: np.ndarray) -> float:
    """Pearson's statistic."""
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    return float(((table - expected) ** 2 / expected).sum())


def log_tail(statistic: float, degrees: int) -> float:
    """The logarithm of the upper tail of the chi-squared distribution, for one degree of freedom
    by the normal distribution, for even ones by a finite sum."""
    if degrees == 1:
        return math.log(2) + norm.logsf(math.sqrt(statistic))
    terms, half = np.arange(degrees // 2), statistic / 2
    return float(logsumexp(terms * math.log(half) - gammaln(terms + 1))) - half


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 3), (3, 3), (5, 3), (11, 3), (41, 2)])
@pytest.mark.parametrize("strength", [0.0, 0.03, 0.3, 3.0])
def test_chi_squared_tails(shape, strength):
    rng = np.random.default_rng(shape[0])
    weights = 1.0 + rng.poisson(1000 * np.exp(strength * rng.normal(size=shape)))
    statistic, log_p, _ = root_test(*rows_of(weights))
    total, degrees = weights.sum(), (shape[0] - 1) * (shape[1] - 1)
    assert math.isclose(statistic, pearson(weights) * (total - 1) / total, rel_tol=1e-8)
    assert math.isclose(log_p, log_tail(statistic, degrees), rel_tol=1e-8)
    assert log_p < -750 or strength < 3 or degrees == 1  # no double holds p


@pytest.mark.parametrize("strength", [0.0, 0.03, 0.3, 1.0])
@pytest.mark.parametrize("features", [2, 7])
def test_the_smallest_of_several_p_values(strength, features):
    """Columns that are the same but for the names of their levels have the same p-value."""
    rng = np.random.default_rng(1)
    frame, y, w = rows_of(1.0 + rng.poisson(1000 * np.exp(strength * rng.normal(size=(4, 2)))))
    frame = pd.DataFrame({f"x{j}": [f"{one}{j}" for one in frame.x] for j in range(features)})
    _, alone, _ = root_test(frame, y, w)
    _, log_p, _ = root_test(frame, y, w, adjust="bonferroni")
    assert math.isclose(log_p, truth.adjusted(alone, features), rel_tol=1e-8, abs_tol=1e-12)


@pytest.mark.parametrize("seed", thinned(range(12), 2))
@pytest.mark.parametrize("test", ["quadratic", "maximum"])
def test_weights_of_very_different_size(seed, test):
    """Eigenvalues of the covariance that are too small beside the largest one are left out."""
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(3, 6)), int(rng.integers(3, 5))
    scale = np.outer(10 ** rng.uniform(0, 5, shape[0]), 10 ** rng.uniform(0, 4, shape[1]))
    if seed % 2 == 0:
        scale[0], scale[:, 0] = 1.0, 1.0  # a level and a class that are rare beside 10^6 rows
        scale[1:, 1:] = 1e6
    weights = 1.0 + rng.poisson(scale * rng.uniform(0.999, 1.001, shape))
    frame, y, w = rows_of(weights)
    statistic, log_p, _ = root_test(frame, y, w, test=test)
    g, h = truth.scores(np.unique(frame.x, return_inverse=True)[1], True), truth.influence(y, True)
    expected = truth.statistic(g, h, w, test)
    assert expected is not None
    assert math.isclose(statistic, expected[0], rel_tol=1e-6)
    if test == "quadratic":
        assert math.isclose(log_p, expected[1], rel_tol=1e-6)
    else:
        assert math.isclose(math.exp(log_p), math.exp(expected[1]), abs_tol=5e-3)


@pytest.mark.parametrize("levels", [30, 600])
@pytest.mark.parametrize("is_ordered", [False, True])
def test_ways_to_merge_many_levels(levels, is_ordered):
    """600 levels merge into a few groups in more ways than a double counts."""
    block = levels // 3 if is_ordered else 1
    shares = np.array([0.1, 0.5, 0.9])[np.arange(levels) // block % 3]
    frame, y, w = rows_of(np.rint(100 * np.column_stack([shares, 1 - shares])))
    if is_ordered:
        frame["x"] = frame.x.astype(pd.CategoricalDtype(sorted(set(frame.x)), ordered=True))
    statistic, log_p, model = root_test(frame, y, w, **presets.CHAID)
    groups = int(model.tree_.n_children[0])
    ways = chaid.ways(levels, groups, "ordered" if is_ordered else "nominal")
    assert groups == 3 and math.log(ways) > 3
    assert math.isclose(log_p, log_tail(statistic, 2) + math.log(ways), rel_tol=1e-9)


@pytest.mark.parametrize("weight", [1.0, 10.0])
def test_permuted_rows_keep_the_weights_of_their_classes(weight):
    """Of noise the p-values are even: below a half in half of the cases."""
    small = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        y = np.append(rng.random(38) < 0.25, [True, False])
        how = {"test": "permutation", "class_weight": {False: 1.0, True: weight}}
        _, log_p, _ = root_test(rng.normal(size=(40, 1)), y, **how, random_state=seed)
        small += math.exp(log_p) < 0.5
    assert abs(small - 60) < 3.5 * math.sqrt(30)
