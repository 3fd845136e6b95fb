"""Random configurations on small tables: threads, order of the rows, copies for weights and levels
of SIMD change nothing, and nothing ends in an exception that is not documented.
"""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np

import fasttree
from fasttree import pruning

CRITERIA = [info["name"] for info in fasttree.list_criteria()]
MENU: dict[str, list[Any]] = {
    "criterion": CRITERIA,
    "evaluation": ["local"] * 3 + ["global", "glocal"],
    "labels": ["majority"] * 3 + ["all", "distinct"],
    "nominal_splits": ["auto", "multiway", "subset", "one_vs_rest"],
    "discretize": ["auto"] * 3 + [None, "equal_width", "equal_frequency", "mdlp"],
    "threshold_search": ["exact", "exact", "histogram"],
    "max_bins": [255, 3],
    "thresholds": ["midpoint", "value", "training_value"],
    "max_depth": [None, 1, 2],
    "max_leaf_nodes": [None, None, 2, 4],
    "leaf_order": ["improvement", "improvement", "distance"],
    "min_impurity_decrease": [0.0, 0.0, 0.05],
    "min_samples_split": [2, 4, 0.4],
    "min_samples_leaf": [1, 2, 0.2],
    "min_weight_fraction_leaf": [0.0, 0.1],
    "min_score": [None, 0.05],
    "no_distance_decay": [False, True, "strict"],
    "empty_branch": ["parent", "unclassified"],
    "missing": ["auto", "fractional", "mode", "branch"],
    "pruning": [
        None,
        None,
        "pessimistic",
        pruning.ErrorBased(subtree_raising=False),
        "error_based",
        "mdl",
        "m_estimate",
        "cost_complexity",
        pruning.ReducedError(fraction=0.3, random_state=1),
    ],
    "merge_redundant": [None, "class", "distribution"],
    "cost_matrix": [None] * 4 + [[[0.0, 1.0], [3.0, 0.0]]],
    "priors": [None, None, "equal", [0.3, 0.7]],
    "class_weight": [None, "balanced", {0: 1.0, 1: 2.5}],
    "leaf_smoothing": [None, "laplace", "m_estimate"],
}
SHAPE = ("parent", "branch", "feature", "threshold", "n_children", "missing_branch", "label")


def _fit(X: Any, y: Any, how: dict[str, Any], weights: Any, n_jobs: int | None) -> Any:
    try:
        return fasttree.fit(X, y, sample_weight=weights, n_jobs=n_jobs, **how)
    except (ValueError, NotImplementedError) as error:
        return str(error)


def _same(one: Any, other: Any, what: str) -> None:
    """The same tree, as far as its shape and its answers go."""
    if isinstance(one, str) or isinstance(other, str):
        assert isinstance(one, str) and isinstance(other, str), f"{what}: {one} {other}"
        return
    for part in SHAPE:
        mine, theirs = getattr(one.tree_, part), getattr(other.tree_, part)
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f"), f"{what}: {part}"
    assert np.allclose(one.tree_.value, other.tree_.value, rtol=1e-12, atol=0), what


def make(digest: Any = None) -> Any:
    """The function of a case's number; ``digest`` takes what levels of SIMD must agree on."""

    def case(number: int) -> None:
        rng = random.Random(f"configuration {number}")
        n = rng.randrange(3, 40)
        X = np.array([[rng.randrange(4) for _ in range(3)] for _ in range(n)], dtype=float)
        if rng.random() < 0.3:
            X[np.array([[rng.random() < 0.2 for _ in range(3)] for _ in range(n)])] = np.nan
        y = np.array([rng.randrange(2) for _ in range(n)])
        y[:2] = 0, 1
        how = {name: rng.choice(values) for name, values in MENU.items() if rng.random() < 0.4}
        how |= {"categorical_features": rng.choice([None, [0], "all"]), "random_state": 0}
        whole = np.array([rng.randrange(1, 4) for _ in range(n)])
        weights = rng.choice([None, whole, np.array([rng.choice([0.1, 1 / 3, 1.0]) for _ in y])])
        one = _fit(X, y, how, weights, 1)
        for threads in (2, 4):
            other = _fit(X, y, how, weights, threads)
            _same(one, other, f"{threads} threads")
            assert isinstance(one, str) or one.to_bytes() == other.to_bytes(), f"{threads} threads"
        order = np.array(rng.sample(range(n), n))
        moved = _fit(X[order], y[order], how, None if weights is None else weights[order], 1)
        if how.get("pruning") != "error_based" or weights is None or weights is whole:
            _same(one, moved, "another order of the rows")
        copies = np.repeat(np.arange(n), whole)
        _same(_fit(X, y, how, whole, 1), _fit(X[copies], y[copies], how, None, 1), "copies")
        if digest is not None:
            said = one if isinstance(one, str) else one.to_bytes()
            digest(number, hashlib.sha256(str(said).encode()).hexdigest())

    return case
