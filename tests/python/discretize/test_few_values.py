"""An exact search on columns of few values reads codes of them; the tree is that of sorted orders.

Both ways are asked for the same tree, to the last bit: with many classes and with two, unit and
integer and real weights, limits, several criteria (scored from sums over the classes, from tables),
and columns whose values are negative, fractions, or huge.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import fasttree
from fasttree import _engine
from fasttree.estimators.parameters import config_of

CODES = (
    "codes of values: at least 2,000 rows of numbers, none missing, at most 255 values per column"
)
SORTED = "sorted orders: no other route serves"

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


def on_codes(X: np.ndarray, y: np.ndarray, weights: Any, **how: Any) -> Any:
    model = fasttree.FastTreeClassifier(random_state=0, **how).fit(X, y, weights)
    assert model.route_ == CODES
    return model.tree_


def on_sorted_orders(X: np.ndarray, y: np.ndarray, weights: Any, **how: Any) -> Any:
    """The tree of all rows of a Table but one more, which is not fitted: a part of the rows of a
    data set is read from sorted orders."""
    table = fasttree.Table(np.vstack([X, X[:1]]), np.append(y, y[:1]))
    if weights is not None:
        weights = np.append(weights, 1.0)
    estimator = fasttree.FastTreeClassifier(random_state=0, **how)
    # Numbers of rows and features are those of the fit on codes.
    config, _ = config_of(estimator.get_params(deep=False), fasttree.Table(X, y), weights)
    model = _engine.fit(table, config, rows=np.arange(len(y)), sample_weight=weights)
    assert model.route == SORTED
    estimator._set_model(model, table.class_values, False)
    return estimator.tree_


def smaller_class(counts: np.ndarray) -> Any:
    """A user's criterion."""
    return -counts.min(axis=(1, 2))


def content(tree: Any) -> dict[str, bytes]:
    return {name: getattr(tree, name).tobytes() for name in ARRAYS}


@pytest.mark.parametrize("criterion", ["gini", "info_gain", "gain_ratio", "hellinger", "twoing"])
@pytest.mark.parametrize("classes", [2, 3, 26, 120])
def test_codes_and_sorted_orders_grow_the_same_tree(criterion: str, classes: int) -> None:
    for seed, limits in enumerate(LIMITS):
        X, y = table(100 * classes + seed, classes)
        rng = np.random.default_rng(seed)
        weights = [None, rng.integers(1, 5, len(y)).astype(float), rng.integers(1, 65, len(y)) / 64]
        for weight in weights if seed == 0 else weights[:1]:
            coded = on_codes(X, y, weight, criterion=criterion, **limits)
            sorted_ = on_sorted_orders(X, y, weight, criterion=criterion, **limits)
            assert content(coded) == content(sorted_), limits


def tables() -> dict[str, tuple[Any, np.ndarray, str]]:
    """Rows and the route that an exact search takes on them."""
    rng = np.random.default_rng(0)
    few, y = rng.integers(0, 200, (2500, 3)).astype(float), rng.integers(0, 3, 2500)
    late = few.copy()
    late[-100:, 2] += np.arange(100) / 128
    gaps = few.copy()
    gaps[7, 1] = np.nan
    nominal = np.array(list("abcde"))[rng.integers(0, 5, (2500, 2))]
    return {
        "few values": (few, y, CODES),
        "few rows": (few[:1999], y[:1999], SORTED),
        "many values": (rng.normal(size=(2500, 3)), y, SORTED),
        "many values, late": (late, y, SORTED),
        "gaps": (
            gaps,
            y,
            "fractional rows: rows without a value are divided among branches, or C4.5's rule "
            "chooses",
        ),
        "levels": (
            nominal,
            y,
            "bit planes: nominal columns of few levels, a branch for each level, unit weights",
        ),
    }


@pytest.mark.parametrize("name", tables())
def test_the_route_does_not_depend_on_what_was_done_with_a_table(name: str) -> None:
    X, y, route = tables()[name]
    own = fasttree.Table(X, y)
    fresh = fasttree.FastTreeClassifier(max_depth=3).fit(own)
    fasttree.score_features(own, criterion="gini")  # encodes the rows, sorts the columns
    again = fasttree.FastTreeClassifier(max_depth=3).fit(own)
    columns = {f"x{j}": X[:, j].tolist() for j in range(X.shape[1])}
    frame = fasttree.FastTreeClassifier(max_depth=3).fit(fasttree.Table(columns, y.tolist()))
    assert fresh.route_ == again.route_ == frame.route_ == route
    assert content(fresh.tree_) == content(again.tree_) == content(frame.tree_)


@pytest.mark.parametrize(
    ("params", "begin"),
    [
        ({"threshold_search": "histogram"}, "codes of bins: threshold_search is 'histogram'"),
        (
            {"threshold_search": "histogram", "ties": "row"},
            "sorted orders: no other route serves; numbers are rounded to their bins (ties='row')",
        ),
        ({"evaluation": "global", "max_leaf_nodes": 3}, "whole tree: "),
        ({"thresholds": "value"}, SORTED),
        ({"pruning": "pessimistic"}, SORTED),
        ({"criterion": smaller_class, "max_depth": 2}, SORTED),
    ],
)
def test_a_model_names_its_route_and_the_reason(params: dict[str, Any], begin: str) -> None:
    X, y, _ = tables()["few values"]
    model = fasttree.FastTreeClassifier(**params).fit(X, y)
    assert model.route_.startswith(begin)
    with pytest.raises(AttributeError, match="loaded"):
        _ = pickle.loads(pickle.dumps(model)).route_  # noqa: S301


def test_a_forest_reads_codes_of_few_values() -> None:
    # That its trees are those of sorted orders is recorded (tests/golden, route/*/forest of 3).
    X, y, _ = tables()["few values"]
    forest = fasttree.FastForestClassifier(3, max_depth=4)
    assert forest.fit(X, y).route_ == CODES
    assert forest.fit(X[:1999], y[:1999]).route_ == SORTED
    assert forest.set_params(pruning="pessimistic").fit(X, y).route_ == SORTED
