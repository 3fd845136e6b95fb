"""The first fit on float32 rows leaves their numbers in the caller's array; later fits encode them.

Both must grow the same model, whatever reads numbers after the columns are sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fasttree
from fasttree import Table, _core

ROWS, COLUMNS = 3000, 5


def drawn(gaps: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows (float32, also negative zeros), three classes, and real weights, some of them 0."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32)
    X[:, 1] = np.round(X[:, 1] * 300) / 300
    X[::7, 2] = -0.0
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 3] + rng.normal(size=ROWS), [-1, 1])
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y, rng.integers(0, 4, ROWS) / 3


TREES: list[dict[str, Any]] = [
    {},
    {"criterion": "info_gain", "n_jobs": 2},
    {"max_features": 2, "ties": "row"},
    {"max_leaf_nodes": 40},
    {"splitter": "random"},
    {"thresholds": "training_value"},
    {"thresholds": "value", "class_weight": "balanced"},
    {"pruning": "pessimistic"},
    {"evaluation": "glocal", "max_leaf_nodes": 8},
    {"threshold_search": "histogram"},
    {"selection": "significance"},
]


def fitted(kind: Any, params: dict[str, Any], table: Table, weights: Any) -> bytes:
    """A model's file."""
    settings = {"random_state": 0, **params}
    return kind(**settings).fit(table, sample_weight=weights)._model.to_bytes()


@pytest.mark.parametrize("weighed", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("gaps", [0.0, 0.02], ids=["known", "gaps"])
@pytest.mark.parametrize("params", TREES, ids=str)
def test_a_first_fit_grows_the_tree_of_encoded_rows(params, gaps, weighed):
    X, y, weights = drawn(gaps)
    if gaps and params.get("evaluation"):
        params = {**params, "missing": "branch"}
    arrays = (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2])
    given = weights if weighed else None
    for array in arrays[: 1 if gaps else 3]:
        table = Table(array, y)
        first, *others = (
            fitted(fasttree.FastTreeClassifier, params, table, given) for _ in range(3)
        )
        assert others == [first, first]
    assert first == fitted(fasttree.FastTreeClassifier, params, Table(X, y), given)


@pytest.mark.parametrize("search", ["exact", "histogram"])
@pytest.mark.parametrize("gaps", [0.0, 0.02], ids=["known", "gaps"])
def test_a_first_forest_is_that_of_encoded_rows(search, gaps):
    X, y, weights = drawn(gaps)
    for more in ({}, {"bootstrap": False, "max_features": 2}, {"oob_score": True}):
        params = {"n_estimators": 3, "threshold_search": search, **more}
        table = Table(X, y)
        first, *others = (
            fitted(fasttree.FastForestClassifier, params, table, weights) for _ in range(3)
        )
        assert others == [first, first]


@pytest.mark.skipif(_core.allocated() is None, reason="the core counts no bytes")
@pytest.mark.parametrize(
    ("model", "times"),
    [
        (fasttree.FastTreeClassifier(criterion="gini", max_depth=8), 1.6),
        (fasttree.FastForestClassifier(3, criterion="gini", threshold_search="histogram"), 3.0),
    ],
    ids=["orders", "bins"],
)
def test_a_fit_of_float32_takes_little_beside_the_rows(model, times):
    rng = np.random.default_rng(5)
    X = rng.random((100_000, 32), dtype=np.float32)
    y = (X[:, 0] + X[:, 1] + rng.random(len(X)) > 1.5).astype(int)
    before = _core.allocated()[0]
    model.fit(X, y)
    assert (_core.allocated()[1] - before) / X.nbytes < times
