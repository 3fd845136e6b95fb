"""Whole trees for a number against the slow truth of ``tests/oracle/regression_oracle.py``: every
node, value and impurity, and every chosen split against all candidates.

Two thousand small random cases vary everything at once: criterion and its option, kinds of columns,
missing cells and how they are read, weights, divisions of levels, limits. A tenth of them by
default, all with ``pytest -m exhaustive``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fasttree import FastTreeRegressor, criteria
from fasttree.table import Column, Table

from ..tools import regression_oracle as oracle
from ..tools import thinned

CASES, CHUNK = 1000, 50

CRITERIA = [
    ("squared_error", {}),
    ("absolute_error", {}),
    *(("quantile", {"q": q}) for q in (0.1, 0.25, 0.5, 0.9)),
    ("poisson", {}),
    *(("standard_deviation", {"variant": variant}) for variant in ("quinlan", "weka")),
]
WEIGHTS: list[Any] = [None, None, [1, 2], [0, 1, 1, 4], [0.5, 2.25], [0.0, 0.125, 1.0], "real"]
LIMITS: dict[str, list[Any]] = {
    "max_depth": [1, 2, 4],
    "min_samples_split": [3, 5, 9],
    "min_samples_leaf": [2, 3],
    "min_weight_fraction_leaf": [0.1, 0.25],
}


class Case:
    """Rows and parameters of a seed."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([33, seed])

        def one(values: list[Any]) -> Any:
            return values[int(rng.integers(len(values)))]

        n = int(rng.integers(3, 31))
        self.name, self.options = CRITERIA[seed % len(CRITERIA)]
        self.columns = [
            self.column(rng, n, one([0.0, 0.0, 0.15, 0.4])) for _ in range(one([1, 2, 3]))
        ]
        signal = sum(
            np.nan_to_num(np.array(c[1], dtype=float)) * one([-2, 1, 3]) for c in self.columns
        )
        noise = rng.integers(-2, 3, n)
        y = one([signal + noise, np.round(signal / 2) + (noise > 1), signal + rng.normal(size=n)])
        if self.name == "poisson":
            y = np.maximum(np.round(y * 4) / 4, 0.0)
            y[0] += 1.0
        self.y = y.astype(float).tolist()
        weights = one(WEIGHTS)
        self.w = None
        if weights is not None:
            real = weights == "real"
            self.w = rng.uniform(0.2, 3.0, n) if real else rng.choice(weights, n).astype(float)
            self.w[0] = max(self.w[0], 1.0)
        modes = ["branch", "mode"]
        if criteria.make(self.name).info["fractional"]:
            modes.append("fractional")
        self.how = {name: one(values) for name, values in LIMITS.items() if rng.random() < 0.2}
        self.missing = one(modes)
        self.nominal_splits = one(["multiway", "one_vs_rest", "subset"])

    @staticmethod
    def column(rng: np.random.Generator, n: int, gaps: float) -> tuple[Any, ...]:
        """Numbers with ties, or levels, one of which may not occur."""
        gone = rng.random(n) < gaps
        gone[0] = False
        if rng.random() < 0.5:
            return "numeric", np.where(gone, np.nan, rng.integers(0, 8, n) * 0.5 - 1.0).tolist()
        levels = int(rng.integers(2, 7))
        codes = rng.integers(0, max(1, levels - int(rng.integers(0, 2))), n)
        return "nominal", np.where(gone, -1, codes).tolist(), levels

    def table(self) -> Table:
        made = []
        for j, (kind, values, *levels) in enumerate(self.columns):
            if kind == "numeric":
                made.append(Column(f"f{j}", kind, np.array(values)))
            else:
                names = tuple(f"v{v}" for v in range(levels[0]))
                made.append(Column(f"f{j}", kind, np.array(values, dtype=np.int32), names))
        return Table.from_columns(made, Column("y", "numeric", np.array(self.y)), task="regression")

    def rows(self) -> oracle.Rows:
        weights = [Fraction(1)] * len(self.y) if self.w is None else [Fraction(w) for w in self.w]
        positive = {w for w in weights if w > 0}
        if len(positive) == 1 and min(positive).denominator > 1:  # equal weights, which are none
            weights = [Fraction(w > 0) for w in weights]
        columns = oracle.filled(self.columns, weights) if self.missing == "mode" else self.columns
        copies = all(w.denominator == 1 for w in weights)
        return oracle.Rows(
            columns, self.y, weights, copies, self.missing, self.nominal_splits, **self.how
        )

    def criterion(self) -> oracle.Criterion:
        options = dict(self.options)
        if "q" in options:
            options["q"] = Fraction(str(options["q"]))
        return oracle.Criterion(self.name, **options)

    def check(self) -> int:
        """Grow the tree and compare; returns the number of its inner nodes."""
        table, rows = self.table(), self.rows()
        made = getattr(criteria, criteria.make(self.name).info["class_name"])(**self.options)
        model = FastTreeRegressor(
            criterion=made, missing=self.missing, nominal_splits=self.nominal_splits, **self.how
        ).fit(table, sample_weight=self.w)
        inner = oracle.check(model.tree_, rows, self.criterion())
        expected = oracle.predictions(model.tree_, rows, rows.columns)
        np.testing.assert_allclose(model.predict(table), expected, rtol=1e-9, atol=1e-9)
        return inner


@pytest.mark.parametrize("start", thinned(range(0, CASES, CHUNK), 5))
def test_small_trees_are_those_of_the_slow_truth(start):
    sizes = []
    for seed in range(start, start + CHUNK):
        case = Case(seed)
        try:
            sizes.append(case.check())
        except AssertionError as e:
            raise AssertionError(f"Case({seed}): {vars(case)}\n{e}") from e
    assert max(sizes) > 5 and sum(size > 1 for size in sizes) > CHUNK // 2


@pytest.mark.parametrize("times", [1, 7, 2047, 2048, 5000])
@pytest.mark.parametrize("rows", [40, 1500])
def test_copies_of_all_rows_change_no_split(rows, times):
    # Kernels read rows of up to 2047 copies in another form than those of more.
    random = np.random.default_rng(rows)
    X = random.normal(size=(rows, 5)).round(1)
    y = X[:, 0] * X[:, 1] + random.normal(size=rows).round(2)
    weights = random.integers(1, 4, rows)
    few = FastTreeRegressor(min_samples_leaf=3).fit(X, y, sample_weight=weights)
    many = FastTreeRegressor(min_samples_leaf=3 * times).fit(X, y, sample_weight=times * weights)
    repeated = FastTreeRegressor(min_samples_leaf=3).fit(X.repeat(weights, 0), y.repeat(weights))
    for tree in many, repeated:
        np.testing.assert_array_equal(tree.tree_.feature, few.tree_.feature)
        np.testing.assert_array_equal(tree.tree_.threshold, few.tree_.threshold)
        np.testing.assert_array_equal(tree.predict(X), few.predict(X))
