"""What growth must not depend on: threads, the order of the rows, weights or copies, the search.
Classes and numbers are both grown.

Each seed is a random configuration: rows (grids and numbers, levels, missing cells), weights,
criterion, limits, exact search or histograms, all thresholds or one at random, a tree or a forest.
Of each, byte by byte:

- 1, 2 and 8 threads grow the same model;
- permuted rows grow the same model (without bootstrap);
- whole weights grow the model of so many copies (without bootstrap);
- while `max_bins` suffices for every column, histograms grow the model of the exact search
  (where all thresholds are tried);
- for a number: a stored model is the same; a power of two times the number grows the same splits,
  and so does the number plus a constant, where the criterion's scores do not change; a tree without
  a limit that is grown best first is the same.

Numbers are multiples of 1/1024, so that their sums (the means of ``missing="mode"``) are exact in
any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fasttree
from fasttree import criteria
from fasttree._checks.aliases import TASKS, Task

from ..tools import without_idle

QUICK, ALL, CHUNK = 60, 1000, 235

CRITERIA = [
    c["name"]
    for c in fasttree.list_criteria()
    if c["evidence"] == "table" and c["name"] != "minimal_tree_size"
]
ON_NUMBERS = [n for n in criteria.names("regression") if n not in ("friedman_mse", "rrelieff")]
LIMITS: dict[str, list[Any]] = {
    "max_leaf_nodes": [2, 5, 12, 40],
    "max_depth": [2, 5],
    "min_samples_leaf": [2, 7],
    "min_samples_split": [6],
    "min_impurity_decrease": [1e-3],
    "min_weight_fraction_leaf": [0.03],
    "max_features": [1, 2],
    "no_distance_decay": [True, "strict"],
    "empty_branch": ["unclassified"],
}
OF_CLASSES = {"empty_branch"}
DIVISION = ("feature", "value", "score", "distance", "label", "missing_branch", "step", "parent")


class Configuration:
    """Rows and parameters of a seed, with classes or a number to predict."""

    def __init__(self, seed: int, task: Task = "classification") -> None:
        rng = np.random.default_rng([7, seed])
        self.is_number = task == "regression"

        def one(values: list[Any]) -> Any:
            return values[int(rng.integers(len(values)))]

        n, p, k = int(rng.integers(2, one([30, 150, 600]))), int(rng.integers(1, 7)), one([2, 3, 6])
        self.nominal = rng.random(p) < one([0.0, 0.0, 0.4, 1.0])
        grid = rng.integers(0, one([2, 5, 40, 300]), (n, p)).astype(float)
        scales = 2.0 ** rng.integers(-4, 8, p)
        numbers = np.round(rng.normal(size=(n, p)) * scales * 1024) / 1024
        X = np.where(rng.random(p) < 0.5, grid, numbers)
        X[:, self.nominal] = np.abs(X[:, self.nominal]) // 1 % one([2, 4, 9, 50])
        signal = np.nansum(X * rng.normal(size=p), axis=1)
        noisy = (signal // max(np.std(signal), 1e-9) + rng.integers(0, 2, n)).astype(int) % k
        self.y = np.where(rng.random(n) < 0.1, rng.integers(0, k, n), noisy)
        self.gaps = rng.random() < 0.3
        if self.gaps:
            X[rng.random(X.shape) < 0.1] = np.nan
        self.X = X
        self.weights = one(
            [None, None, rng.integers(1, 5, n).astype(float), rng.integers(1, 65, n) / 64.0]
        )
        self.forest = rng.random() < 0.25
        self.bootstrap = self.forest and rng.random() < 0.5
        self.how = {name: one(values) for name, values in LIMITS.items() if rng.random() < 0.2}
        self.how |= {
            "criterion": one(CRITERIA),
            "nominal_splits": one(["auto", "multiway", "subset", "one_vs_rest"]),
            "missing": one(["auto", "branch", "mode"]),
            "threshold_search": one(["exact", "histogram", "histogram"]),
            "random_state": seed,
        }
        if self.is_number:
            self.y = np.abs(np.round(signal * 8 / max(np.std(signal), 1e-9)) / 8) + noisy % 2
            self.how = {k: v for k, v in self.how.items() if k not in OF_CLASSES}
            self.how["criterion"] = one(ON_NUMBERS)
        if "max_features" in self.how:
            self.how["max_features"] = min(p, self.how["max_features"])
        if self.how["threshold_search"] == "histogram":
            self.how["max_bins"] = one([2, 7, 64, 255, 255, 300])
        if self.forest:
            self.how |= {"n_estimators": 3, "bootstrap": self.bootstrap}
        self.how["splitter"] = one(["best", "best", "best", "random"])
        if criteria.evidence_of(self.how["criterion"]) == "order":
            self.how |= {"threshold_search": "exact", "splitter": "best"}

    def grow(self, rows: Any = slice(None), **how: Any) -> list[dict[str, bytes]]:
        """The trees grown on some of the rows (a weight that is a number of rows is dropped)."""
        mask = self.nominal.tolist()
        kind = "Regressor" if self.is_number else "Classifier"
        maker = getattr(fasttree, f"{'FastForest' if self.forest else 'FastTree'}{kind}")
        weights, y = how.pop("weights", self.weights), how.pop("y", self.y)
        reloaded = how.pop("reloaded", False)
        model = maker(**without_idle({**self.how, "categorical_features": mask, **how}))
        model.fit(self.X[rows], y[rows], None if weights is None else weights[rows])
        if reloaded:
            model = fasttree.from_bytes(model.to_bytes())
        trees = model.estimators_ if self.forest else [model]
        names = (*DIVISION, "threshold", "n_node_samples", *["impurity"] * self.is_number)
        return [{name: getattr(t.tree_, name).tobytes() for name in names} for t in trees]

    def distinct(self) -> int:
        """Most distinct values of a numeric column, the mean of the others included where it fills
        gaps."""
        columns = self.X.T[~self.nominal]
        return 1 + max((len(np.unique(c[~np.isnan(c)])) for c in columns), default=0)


def assert_same(a: list[dict[str, bytes]], b: list[dict[str, bytes]], *without: str) -> None:
    assert len(a) == len(b)
    for one, other in zip(a, b, strict=True):
        wrong = [name for name in one if name not in without and one[name] != other[name]]
        assert not wrong, wrong


def check_number(c: Configuration, grown: list[dict[str, bytes]]) -> None:
    """Hold the laws of a numeric target: a stored model, a scale, a shift, growth best first."""
    assert_same(grown, c.grow(reloaded=True))
    if c.how["criterion"] != "poisson":
        assert_same(grown, c.grow(y=c.y + 1024.0), "value")
        if "min_impurity_decrease" not in c.how:
            scaled = ("value", "score", "distance", "impurity")
            assert_same(grown, c.grow(y=c.y * 4.0), *scaled)
    if not c.forest and c.how["splitter"] == "best" and not {"max_leaf_nodes"} & c.how.keys():
        assert_same(grown, c.grow(max_leaf_nodes=10_000), "step")


def check(seed: int, task: Task = "classification") -> int:
    """Hold the laws for one configuration; returns how many of them it was asked for."""
    c = Configuration(seed, task)
    grown, laws = c.grow(n_jobs=1), 1
    for threads in (2, 8):
        assert_same(grown, c.grow(n_jobs=threads))
    if c.is_number:
        check_number(c, grown)
    if not c.bootstrap:
        rng = np.random.default_rng(seed)
        # Levels and classes are numbered by value, so that the order of the rows names nothing.
        if c.weights is None:
            assert_same(grown, c.grow(rng.permutation(len(c.y))))
            laws += 1
        elif np.all(c.weights % 1 == 0):
            copies = np.repeat(np.arange(len(c.y)), c.weights.astype(int))
            assert_same(grown, c.grow(copies, weights=None))
            laws += 1
    fractional = c.gaps and c.how["missing"] == "auto"
    # One threshold between two bins is drawn from their edges, not from the rows' values.
    if c.how["threshold_search"] == "histogram" and c.how["splitter"] == "best":
        bins = max(2, c.distinct())
        exact = c.grow(threshold_search="exact")
        # With fractional instances or a numeric target, the numbers of a column are replaced by the
        # edges of their bins: the same rows go left, but the threshold lies elsewhere between the
        # same two values.
        without = ("threshold",) if fractional or c.is_number else ()
        assert_same(exact, c.grow(max_bins=bins), *without)
        assert_same(exact, c.grow(max_bins=bins + 300), *without)
        laws += 1
    return laws


@pytest.mark.filterwarnings("ignore:nominal columns")
@pytest.mark.parametrize("task", TASKS)
def test_random_configurations_obey_the_laws(task):
    asked = 0
    for seed in range(QUICK):
        try:
            asked += check(seed, task)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {Configuration(seed, task).how}") from error
    assert asked > 1.5 * QUICK


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(QUICK, ALL, CHUNK))
@pytest.mark.filterwarnings("ignore:nominal columns")
@pytest.mark.parametrize("task", TASKS)
def test_many_random_configurations_obey_the_laws(first, task):
    for seed in range(first, min(first + CHUNK, ALL)):
        try:
            check(seed, task)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {Configuration(seed, task).how}") from error
