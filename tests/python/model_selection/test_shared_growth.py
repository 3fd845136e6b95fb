"""Methods of a cross-validation that differ in their pruning alone grow one tree per fold, and have
the results that each has alone."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from fasttree import FastTreeClassifier, FastTreeRegressor
from fasttree.model_selection import cross_validate

PRUNINGS = [None, "error_based", "pessimistic", "mdl", "reduced_error", "cart", "error_based"]
SETTINGS = {
    "usual": {},
    "costs": {"cost_matrix": [[0.0, 1.0], [5.0, 0.0]]},
    "C4.5": {**fasttree.presets.C45},
    "bins": {"threshold_search": "histogram", "criterion": "gini"},
    "at random": {"splitter": "random", "random_state": 3},
    "honest": {"honest": True, "random_state": 0},
    "pairs": {"criterion": "pi", "max_depth": 3},
}


def alike(together, alone, names):
    for name, one in zip(names, alone, strict=True):
        np.testing.assert_array_equal(together[name].predictions, one[name].predictions)
        for size in ("leaves", "depth"):
            np.testing.assert_array_equal(together[name][size], one[name][size])


@pytest.mark.parametrize("case", SETTINGS)
def test_prunings_of_one_growth_have_the_results_that_they_have_alone(case):
    rng = np.random.default_rng(7)
    X = np.round(rng.normal(size=(160, 4)), 1)
    y = (X[:, 0] + rng.normal(size=160) > 0).astype(int)
    allowed = [None, "m_estimate", "reduced_error", None] if case == "costs" else PRUNINGS
    trees = {
        f"{i} {p}": FastTreeClassifier(**{**SETTINGS[case], "pruning": p})
        for i, p in enumerate(allowed)
    }
    words = {"cv": "1x5", "random_state": 0, "progress": False, "n_jobs": 1}
    together = cross_validate(X, y, estimators=trees, **words)
    alone = [cross_validate(X, y, estimators={n: t}, **words) for n, t in trees.items()]
    alike(together, alone, trees)
    sizes = {float(together[name]["leaves"].mean()) for name in trees}
    assert len(sizes) > 1


def test_own_criteria_and_numbers_are_grown_as_they_are_alone():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(120, 3))
    y = (X[:, 1] > 0.3) ^ (rng.random(120) < 0.2)
    own = [lambda t: -t.min(axis=2).sum(axis=1), lambda t: t.max(axis=2).sum(axis=1) ** 2]
    words = {"cv": "1x5", "random_state": 0, "progress": False, "n_jobs": 1}
    trees = {
        f"{i} {p}": FastTreeClassifier(criterion=one, pruning=p, max_depth=3)
        for i, one in enumerate(own)
        for p in (None, "mdl")
    }
    alone = [cross_validate(X, y, estimators={n: t}, **words) for n, t in trees.items()]
    alike(cross_validate(X, y, estimators=trees, **words), alone, trees)
    numbers = {str(p): FastTreeRegressor(pruning=p) for p in (None, "m5", "cart", "reduced_error")}
    target = X[:, 0] + rng.normal(size=120)
    alone = [cross_validate(X, target, estimators={n: t}, **words) for n, t in numbers.items()]
    alike(cross_validate(X, target, estimators=numbers, **words), alone, numbers)
