"""An exact search on columns of few values reads codes of them; the tree is that of sorted orders.

Both ways are asked for the same tree, to the last bit: with many classes and with two, unit and
integer and real weights, limits, several criteria (scored from sums over the classes, from tables),
and columns whose values are negative, fractions, or huge.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fasttree
from fasttree._engine import trees

ARRAYS = (
    *("parent", "branch", "feature", "threshold", "children", "label", "n_node_samples"),
    *("step", "score", "distance", "value"),
)
LIMITS: list[dict[str, Any]] = [
    {},
    {"min_samples_leaf": 7},
    {"max_leaf_nodes": 40},
    {"max_depth": 6, "min_samples_split": 30},
    {"min_impurity_decrease": 1e-4},
    {"max_features": 2},
    {"ties": "random"},
]


def table(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of 2 to 255 values, and classes that have to do with some of them."""
    rng = np.random.default_rng(seed)
    values = rng.choice([2, 5, 16, 40, 255], 6)
    X = np.column_stack([rng.integers(0, v, 3000) for v in values]).astype(float)
    X *= rng.choice([1.0, -1.0, 0.37, 1e300, 1e-300], 6)
    signal = np.argsort(np.argsort(X[:, 0])) + np.argsort(np.argsort(X[:, 1]))
    y = (signal * classes // 6001 + rng.integers(0, 3, 3000)) % classes
    return X, np.where(rng.random(3000) < 0.2, rng.integers(0, classes, 3000), y)


def grown(X: np.ndarray, y: np.ndarray, weights: Any, **how: Any) -> dict[str, bytes]:
    model = fasttree.FastTreeClassifier(random_state=0, **how).fit(X, y, weights)
    return {name: getattr(model.tree_, name).tobytes() for name in ARRAYS}


@pytest.mark.parametrize("criterion", ["gini", "info_gain", "gain_ratio", "hellinger", "twoing"])
@pytest.mark.parametrize("classes", [2, 3, 26, 120])
def test_codes_and_sorted_orders_grow_the_same_tree(
    criterion: str, classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    fit_numbers = trees._fit_numbers

    def counted(*args: Any) -> Any:
        calls.append(fit_numbers(*args))
        return calls[-1]

    for seed, limits in enumerate(LIMITS):
        X, y = table(100 * classes + seed, classes)
        rng = np.random.default_rng(seed)
        weights = [None, rng.integers(1, 5, len(y)).astype(float), rng.integers(1, 65, len(y)) / 64]
        for weight in weights if seed == 0 else weights[:1]:
            monkeypatch.setattr(trees, "_fit_numbers", counted)
            monkeypatch.setattr(trees, "LEAST_CODED", 1)
            coded = grown(X, y, weight, criterion=criterion, **limits)
            monkeypatch.setattr(trees, "LEAST_CODED", 1 << 60)
            assert grown(X, y, weight, criterion=criterion, **limits) == coded, limits
    assert calls and None not in calls


def test_columns_of_many_values_or_with_gaps_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    fit_numbers = trees._fit_numbers
    monkeypatch.setattr(
        trees, "_fit_numbers", lambda *a: found.append(fit_numbers(*a)) or found[-1]
    )
    rng = np.random.default_rng(0)
    few, y = rng.integers(0, 200, (2500, 3)).astype(float), rng.integers(0, 3, 2500)
    late = few.copy()
    late[-100:, 2] += np.arange(100) / 128
    gaps = few.copy()
    gaps[7, 1] = np.nan
    for X, coded in (
        (few, True),
        (late, False),
        (gaps, False),
        (rng.normal(size=(2500, 3)), False),
    ):
        fasttree.FastTreeClassifier(max_depth=3).fit(X, y)
        assert (found.pop() is not None) == coded
