"""Golden entries on thousands of rows, where growth takes its fast paths: the keys ``route/*``.

The tables of the other entries have at most some hundred rows and three classes. Here are 3,000 and
70,000 rows, 2 to 40 classes or a number, continuous columns and columns of at most 200 values,
weights, missing values, histograms and forests. A case names the ways of growth that it must take
(the core counts them in builds with debug assertions), and the routes by which the library can grow
the same tree: an array, a table that was fitted before, a frame, codes instead of sorted orders,
rows in batches, four threads. All routes must give the hashes that are recorded for the case.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import fasttree
from fasttree._checks.aliases import Task

# Packages without which a route is not there.
NEEDS = {"frame": "pandas", "batches": "pyarrow"}

Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Rows:
    """What a table is drawn by: the number of columns of each kind, and the share of empty cells.

    `continuous` columns have a value of its own in almost every row, `few` at most 200 values,
    and `levels` are the numbers of levels of nominal columns. No classes: the target is a number.
    """

    n: int
    classes: int
    continuous: int = 0
    few: int = 0
    levels: tuple[int, ...] = ()
    missing: float = 0.0

    def __str__(self) -> str:
        kinds = [f"{self.n} rows"]
        kinds += [f"{self.continuous} continuous"] * (self.continuous > 0)
        kinds += [f"{self.few} few"] * (self.few > 0)
        kinds += [f"levels {'+'.join(map(str, self.levels))}"] * bool(self.levels)
        kinds += ["missing"] * (self.missing > 0)
        return f"{', '.join(kinds)}/{f'{self.classes} classes' if self.classes else 'a number'}"

    @property
    def task(self) -> Task:
        """What is predicted."""
        return "classification" if self.classes else "regression"


@functools.lru_cache(maxsize=8)
def drawn(rows: Rows) -> tuple[Columns, np.ndarray]:
    """Columns (floats, NaN where missing, or texts, None where missing) and classes as texts, or
    numbers of at least 0."""
    salt = hashlib.sha256(str(rows).encode()).digest()
    rng = np.random.default_rng(int.from_bytes(salt[:8], "big"))
    n, k = rows.n, rows.classes
    signal = np.zeros(n)
    columns: Columns = {}
    for j in range(rows.continuous):
        columns[f"x{j}"] = rng.random(n)
        signal += columns[f"x{j}"] * (j < 2)
    for j in range(rows.few):
        values = (200, 17, 2, 60)[j % 4]
        codes = rng.integers(0, values, n)
        columns[f"f{j}"] = codes * 0.25 - 3.0
        signal += codes / values * (j < 2)
    for j, levels in enumerate(rows.levels):
        codes = rng.integers(0, levels, n)
        columns[f"n{j}"] = np.array([f"v{v:03}" for v in range(levels)], dtype=object)[codes]
        signal += rng.permutation(levels)[codes] / levels
    parts = min(2, rows.continuous) + min(2, rows.few) + len(rows.levels)
    if k:
        classes = np.minimum((signal / parts * k).astype(int), k - 1)
        classes = np.where(rng.random(n) < 0.15, rng.integers(0, k, n), classes)
        y = np.array([f"c{c:02}" for c in range(k)])[classes]
    else:
        y = np.round(signal / parts * 8.0 + rng.exponential(1.0, n), 2)
    for name, cells in columns.items():
        hidden = rng.random(n) < rows.missing
        cells[hidden] = None if cells.dtype == object else np.nan
    return columns, y


def weights_of(rows: Rows, kind: str) -> np.ndarray | None:
    """Whole weights from 0 to 3, real ones from 0.25 to 1.25, or none."""
    rng = np.random.default_rng(12)
    if kind == "whole":
        return rng.integers(0, 4, rows.n).astype(float)
    return rng.random(rows.n) + 0.25 if kind == "real" else None


@functools.lru_cache(maxsize=8)
def table_of(rows: Rows) -> fasttree.Table:
    """A table that every case on these rows uses, so that most find it fitted before."""
    columns, y = drawn(rows)
    cells = {k: v.tolist() for k, v in columns.items()}
    return fasttree.Table(cells, y.tolist(), name="route", task=rows.task)


def user_gini(counts: Any) -> Any:
    """A user's criterion: the negative weighted gini impurity, in NumPy."""
    sizes = counts.sum(axis=2)
    squares = (counts**2).sum(axis=2) / np.where(sizes > 0, sizes, 1)
    return squares.sum(axis=1) / sizes.sum(axis=1)


@dataclass(frozen=True)
class Case:
    """A configuration, the ways it must take by its first route or by threads, and the routes that
    grow the same tree.
    """

    rows: Rows
    params: dict[str, Any]
    ways: tuple[str, ...]
    weights: str = "none"
    routes: tuple[str, ...] = ("table", "frame")
    trees: int = 0
    label: str = ""

    @property
    def key(self) -> str:
        """The key of the entry."""
        shown = self.label or "/".join(f"{k}={v}" for k, v in self.params.items())
        kind = f"forest of {self.trees}/" * (self.trees > 0)
        return f"route/{self.rows}/{kind}{shown}/weights={self.weights}"

    def model(self, **more: Any) -> Any:
        """An estimator of the case."""
        params = {"random_state": 0, "n_jobs": 1, **self.params, **more}
        kind = "Classifier" if self.rows.classes else "Regressor"
        if self.trees:
            return getattr(fasttree, f"FastForest{kind}")(self.trees, **params)
        return getattr(fasttree, f"FastTree{kind}")(**params)

    def grown(self, route: str) -> Any:
        """The model by a route."""
        columns, y = drawn(self.rows)
        weights = weights_of(self.rows, self.weights)
        if route == "array":
            X = np.column_stack([*columns.values()]).astype(float)
            return self.model().fit(X, y, weights)
        if route == "codes":
            X = np.column_stack([*columns.values()]).astype(float)
            model = self.model(threshold_search="histogram", max_bins=255)
            return model.fit(X, y, weights)
        if route == "frame":
            import pandas as pd

            return self.model().fit(pd.DataFrame(columns), y, weights)
        if route == "batches":
            import pyarrow as pa

            extra = {} if weights is None else {"weight": weights}
            whole = pa.table({**columns, **extra, "class": y})
            size = self.rows.n // 3 + 1
            parts = [whole.slice(i, size) for i in range(0, self.rows.n, size)]
            return self.model().fit(lambda: iter(parts), "class", "weight" if extra else None)
        threads = {"n_jobs": 4} if route == "threads" else {}
        return self.model(**threads).fit(table_of(self.rows), sample_weight=weights)


@functools.cache
def cases() -> dict[str, Case]:
    """All cases by their keys."""
    found: dict[str, Case] = {}
    for source in (_sorted_orders, _levels_and_gaps, _codes, _forests, _of_numbers):
        for case in source():
            assert case.key not in found, case.key
            found[case.key] = case
    return found


def _numbers(n: int, k: int, p: int = 4, missing: float = 0.0) -> Rows:
    return Rows(n, k, continuous=p, missing=missing)


def _sorted_orders() -> Iterator[Case]:
    """Continuous columns: walks of sorted orders."""
    array = ("array", "table", "frame", "threads")
    case = functools.partial(Case, routes=array)
    two, five, twelve, forty = (_numbers(3000, k) for k in (2, 5, 12, 40))
    counted = ("rows/ranges", "walk/counted")
    yield case(two, {"criterion": "gini"}, (*counted, "block/screened", "bytes/sums"))
    yield case(two, {"criterion": "info_gain"}, counted)
    yield case(two, {"criterion": "gain_ratio"}, counted)
    yield case(two, {"criterion": "mdl"}, ("walk/counted", "block/scored"))
    yield case(two, {"criterion": "hellinger"}, counted)
    running = "walk/running"
    yield case(five, {"criterion": "gini"}, (running,))
    yield case(five, {"criterion": "info_gain"}, (running, "bytes/sums"))
    yield case(five, {"criterion": "gain_ratio"}, (running, "bytes/sums"))
    yield case(five, {"criterion": "mdl", "ties": "random"}, counted)
    yield case(twelve, {"criterion": "gini", "max_leaf_nodes": 60}, (running, "rows/best first"))
    yield case(twelve, {"criterion": "chi2"}, counted)
    yield case(forty, {"criterion": "gini", "min_samples_leaf": 4}, (running,))
    yield case(forty, {"criterion": "info_gain", "min_impurity_decrease": 0.001}, (running,))
    yield case(forty, {"criterion": "gain_ratio", "max_depth": 10}, (running,))
    yield case(forty, {"criterion": "hellinger", "max_depth": 6}, ("walk/any classes",))
    yield case(twelve, {"criterion": "gini", "max_features": 2}, (running,))
    yield case(two, {"criterion": "gini", "max_features": 1, "ties": "row"}, counted)
    for rows in (two, twelve):
        yield case(rows, {"criterion": "gini", "splitter": "random"}, ("candidates/drawn",))
    yield case(two, {"criterion": "gini"}, ("walk/weighed",), weights="real")
    yield case(twelve, {"criterion": "info_gain"}, ("walk/weighed",), weights="real")
    yield case(forty, {"criterion": "gini"}, ("walk/any classes",), weights="real")
    yield case(two, {"criterion": "gini"}, ("walk/any classes",), weights="whole")
    yield case(five, {"criterion": "gain_ratio"}, ("walk/any classes",), weights="whole")
    limits = {"criterion": "info_gain", "min_weight_fraction_leaf": 0.01}
    yield case(two, limits, ("walk/weighed",), weights="real")
    label = "criterion=user's function/max_depth=3"
    yield case(
        Rows(3000, 3, continuous=2),
        {"criterion": user_gini, "max_depth": 3},
        ("block/gathered",),
        label=label,
        routes=("array", "table", "frame"),
    )
    large = functools.partial(case, routes=("array", "threads"))
    shallow, threads = {"max_depth": 7}, ("rows/tasks", "rows/wide node")
    yield large(_numbers(70_000, 2, 2), {"criterion": "gini", **shallow}, (*counted, *threads))
    yield large(_numbers(70_000, 5, 2), {"criterion": "info_gain", **shallow}, (running,))
    yield large(
        _numbers(70_000, 2, 2), {"criterion": "mdl", **shallow}, ("walk/weighed",), weights="real"
    )


def _levels_and_gaps() -> Iterator[Case]:
    """Nominal columns, missing values, C4.5, and growth by the table of the whole tree."""
    case = Case
    planes = Rows(3000, 5, levels=(3, 4, 6, 10))
    multiway = {"nominal_splits": "multiway"}
    yield case(planes, {"criterion": "info_gain", **multiway}, ("rows/bit planes",))
    yield case(planes, {"criterion": "gain_ratio", **multiway}, ("levels/multiway",), "real")
    yield case(planes, {"criterion": "mdl", **multiway}, ("rows/bit planes",))
    few = Rows(3000, 5, continuous=1, levels=(3, 8))
    subset = {"nominal_splits": "subset"}
    yield case(few, {"criterion": "gini", **subset}, ("levels/masks",))
    drawn_levels = {"criterion": "mdl", **subset, "splitter": "random"}
    yield case(few, drawn_levels, ("candidates/drawn",))
    yield case(few, {"criterion": "gain_ratio", **subset}, ("levels/masks",), "whole")
    many = Rows(3000, 2, continuous=1, levels=(60, 5))
    yield case(many, {"criterion": "gini", **subset}, ("levels/one by one",))
    yield case(
        many,
        {"criterion": "info_gain", "nominal_splits": "one_vs_rest"},
        ("levels/one by one",),
        "real",
    )
    yield case(
        Rows(3000, 5, levels=(60, 5)), {"criterion": "gini", **subset}, ("levels/one by one",)
    )
    two, forty = _numbers(3000, 2, 3, 0.1), _numbers(3000, 40, 3, 0.1)
    branch, parts = {"missing": "branch"}, {"missing": "fractional"}
    yield case(two, {"criterion": "gini", **branch}, ("walk/counted",))
    one = {"criterion": "info_gain", "splitter": "random"}
    yield case(two, {**one, **branch}, ("candidates/drawn",), "real")
    yield case(two, {**one, **parts, "max_depth": 8}, ("candidates/drawn", "rows/fractions"))
    yield case(two, {"criterion": "gain_ratio", **branch}, ("walk/weighed",), "real")
    yield case(forty, {"criterion": "info_gain", **branch}, ("walk/any classes",))
    mixed = Rows(3000, 5, continuous=2, few=1, levels=(4, 30), missing=0.1)
    yield case(mixed, {"criterion": "gini", **branch, **subset}, ("walk/counted",))
    yield case(mixed, {"criterion": "mdl", "missing": "mode", **multiway}, ("levels/multiway",))
    merged = {**fasttree.presets.CHAID, "criterion": "chi2"}
    yield case(mixed, merged, ("levels/merged",), "whole", label="preset=CHAID")
    for criterion in ("gini", "info_gain"):
        yield case(two, {"criterion": criterion, **parts}, ("rows/fractions", "walk/boxes"))
    yield case(forty, {"criterion": "info_gain", **parts, "max_depth": 8}, ("walk/any classes",))
    yield case(
        mixed,
        {"criterion": "gain_ratio", **parts, **multiway, "max_depth": 8},
        ("rows/fractions",),
        "real",
    )
    for k, way in ((3, "c45/blocks"), (6, "c45/runs")):
        for missing, weights in ((0.0, "none"), (0.05, "real")):
            rows = Rows(3000, k, continuous=2, few=1, levels=(4,), missing=missing)
            yield case(rows, fasttree.presets.C45, (way,), weights, label="preset=C45")
    small = Rows(600, 3, continuous=1, few=2, levels=(4,))
    for evaluation in ("global", "glocal"):
        for criterion, weights in (("gini", "none"), ("info_gain", "real"), ("mdl", "whole")):
            params = {"criterion": criterion, "evaluation": evaluation, "max_leaf_nodes": 10}
            yield case(small, params, ("global/rows of labels",), weights)
    labelled = {"criterion": "gini", "evaluation": "global", "labels": "distinct", **subset}
    yield case(small, {**labelled, "max_leaf_nodes": 7}, ("global/rows of labels",))
    extremes = {"criterion": "hellinger", "evaluation": "global", "max_leaf_nodes": 7}
    yield case(small, extremes, ("global/tables",), "whole")


def _codes() -> Iterator[Case]:
    """Columns of few values, and histograms."""
    both = ("array", "table", "frame", "codes", "threads")
    case = functools.partial(Case, routes=both)
    two, five, twelve, forty = (Rows(3000, k, few=4) for k in (2, 5, 12, 40))
    words = (
        "fit/numbers",
        "codes/counters, words",
        "codes/counters kept",
    )
    sums = ("fit/numbers", "codes/counters, block", "codes/masks, block", "block/class sums")
    tables = ("fit/numbers", "codes/counters, block", "codes/masks, block")
    yield case(two, {"criterion": "gini"}, words)
    yield case(two, {"criterion": "info_gain"}, tables)
    yield case(five, {"criterion": "gini"}, sums)
    yield case(twelve, {"criterion": "info_gain"}, sums)
    yield case(five, {"criterion": "gain_ratio"}, sums)
    yield case(twelve, {"criterion": "mdl"}, tables)
    yield case(forty, {"criterion": "gini", "min_samples_leaf": 3}, ("fit/numbers",))
    yield case(two, {"criterion": "gini", "max_features": 2}, ("codes/counters, words",))
    yield case(five, {"criterion": "gini", "max_leaf_nodes": 40}, (*sums, "rows/best first"))
    yield case(two, {"criterion": "gini"}, words, "whole")
    yield case(five, {"criterion": "gain_ratio"}, sums, "whole")
    yield case(five, {"criterion": "mdl"}, tables, "whole")
    groups = ("codes/groups of counters", "codes/groups of sorted keys")
    yield case(five, {"criterion": "gini"}, groups, "real")
    yield case(five, {"criterion": "gini", "ties": "random"}, groups)
    yield case(two, {"criterion": "hellinger", "min_impurity_decrease": 0.001}, ("fit/numbers",))
    large = functools.partial(case, routes=("array", "codes", "threads"))
    shallow = {"max_depth": 8}
    packed = (*words[:2], "codes/counters, block")
    yield large(Rows(70_000, 2, few=3), {"criterion": "gini", **shallow}, packed)
    yield large(Rows(70_000, 12, few=3), {"criterion": "info_gain", **shallow}, sums[:2])
    yield large(Rows(70_000, 5, few=3), {"criterion": "gini", **shallow}, sums[1:2] + sums[3:])
    yield large(Rows(140_000, 5, few=2), {"criterion": "gini", "max_depth": 4}, ("rows/tasks",))
    bins = {"threshold_search": "histogram", "max_bins": 32}
    binned = functools.partial(Case, routes=("array", "table", "frame", "threads", "batches"))
    yield binned(_numbers(3000, 2), {"criterion": "gini", **bins}, words)
    yield binned(_numbers(3000, 12), {"criterion": "mdl", **bins}, tables)
    wide = {"threshold_search": "histogram", "max_bins": 300}
    yield binned(_numbers(3000, 5), {"criterion": "gini", **wide}, groups[:1])
    gaps = Rows(3000, 5, continuous=2, few=1, levels=(4, 12), missing=0.1)
    binned = functools.partial(Case, routes=("table", "frame", "threads", "batches"))
    branch = {"missing": "branch", "nominal_splits": "subset"}
    yield binned(
        gaps,
        {"criterion": "gini", **bins, **branch},
        ("fit/codes of a table", *groups),
    )
    yield Case(
        gaps,
        {"criterion": "info_gain", **bins, "missing": "fractional", "max_depth": 7},
        ("fit/rounded numbers",),
    )
    yield Case(
        gaps,
        {"criterion": "gain_ratio", **bins, "missing": "mode", "nominal_splits": "multiway"},
        groups,
        "real",
    )
    yield Case(
        _numbers(70_000, 5, 2),
        {"criterion": "gini", "threshold_search": "histogram", "max_depth": 8},
        sums[:2],
        routes=("array", "table", "threads"),
    )


def _forests() -> Iterator[Case]:
    """Forests on sorted orders and on codes."""
    case = functools.partial(Case, trees=3, routes=("array", "table", "frame", "threads"))
    bins = {"threshold_search": "histogram", "max_bins": 64}
    for k, criterion in ((2, "gini"), (5, "info_gain")):
        params = {"criterion": criterion, "max_features": "sqrt"}
        yield case(_numbers(3000, k), params, ("rows/ranges",))
        counters = "codes/counters, words" if k == 2 else "codes/counters, block"
        yield case(_numbers(3000, k), {**params, **bins}, ("fit/codes of a table", counters))
    yield case(
        Rows(3000, 12, few=4), {"criterion": "gini", "max_depth": 9}, ("fit/codes of a table",)
    )
    yield case(
        _numbers(3000, 5),
        {"criterion": "gini", **bins, "bootstrap": False},
        ("fit/codes of a table",),
    )
    few = {"criterion": "gini", "max_features": 1}
    yield case(_numbers(3000, 2, 40), few, ("rows/sorted in the node", "walk/counted"))
    gaps = {**few, "missing": "branch", "max_depth": 12}
    yield case(_numbers(3000, 5, 40, 0.05), gaps, ("rows/sorted in the node",), "real")
    mixed = Rows(3000, 5, continuous=2, levels=(4, 12), missing=0.05)
    params = {"criterion": "gini", "missing": "branch", "max_depth": 10}
    case = functools.partial(Case, trees=3)
    yield case(mixed, params, ("rows/ranges",), "real", routes=("table", "frame", "threads"))
    yield Case(
        _numbers(70_000, 2, 3),
        {"criterion": "gini", **bins, "max_depth": 8},
        ("fit/codes of a table",),
        routes=("array", "table", "threads"),
        trees=2,
    )


def _of_numbers() -> Iterator[Case]:
    """A number as the target: its criteria on sorted orders, levels, fractions and bins."""
    array = ("array", "table", "frame", "threads")
    case = functools.partial(Case, routes=array)
    rows, few = _numbers(3000, 0), Rows(3000, 0, few=4)
    walk = ("rows/ranges", "walk/numbers")
    weighed, leaf = "walk/numbers, weights", {"min_samples_leaf": 3}
    short = ("bytes/numbers", "bytes/numbers, winner")
    yield case(rows, {"criterion": "squared_error"}, (*walk, *short))
    yield case(rows, {"criterion": "squared_error", "max_leaf_nodes": 60}, ("rows/best first",))
    yield case(rows, {"criterion": "squared_error", "ties": "random", **leaf}, ("rows/ranges",))
    yield case(rows, {"criterion": "squared_error", "splitter": "random"}, ("candidates/drawn",))
    for weights, way in (("whole", walk), ("real", (weighed,))):
        yield case(rows, {"criterion": "squared_error", **leaf}, way, weights)
    bins = {"criterion": "squared_error", "threshold_search": "histogram", **leaf}
    yield case(rows, bins, ("groups/numbers",))
    signs = {"monotonic_cst": [1, 0, -1, 0]}
    for criterion in ("squared_error", "poisson"):
        yield case(rows, {"criterion": criterion, **signs, **leaf}, ("block/scored",))
    for criterion in ("poisson", "standard_deviation"):
        yield case(rows, {"criterion": criterion, **leaf}, ("walk/any classes",))
    yield case(rows, {"criterion": "absolute_error", **leaf}, ("rows/ranges",))
    yield case(rows, {"criterion": "quantile", **leaf}, ("rows/ranges",), "real")
    # Not by codes: histograms of a number have thresholds between the edges of bins.
    yield case(few, {"criterion": "squared_error", **leaf}, walk)
    yield case(few, {"criterion": "poisson", **leaf}, ("walk/any classes",), "real")
    mixed = Rows(3000, 0, continuous=2, few=1, levels=(4, 9), missing=0.1)
    table = functools.partial(Case, mixed, routes=("table", "frame", "threads"))
    subset, multiway = {"nominal_splits": "subset"}, {"nominal_splits": "multiway"}
    parts = {"criterion": "squared_error", "missing": "fractional", "max_depth": 8}
    yield table({**parts, **subset}, ("rows/fractions", "levels/one by one"))
    yield table({**parts, **multiway, "criterion": "poisson"}, ("rows/fractions",), "real")
    branch = {"missing": "branch", **leaf}
    for criterion in ("squared_error", "standard_deviation", "absolute_error"):
        yield table({"criterion": criterion, **branch, **subset}, ("rows/ranges",))
        yield table({"criterion": criterion, **branch, **multiway}, ("rows/ranges",), "whole")
    forest = functools.partial(Case, trees=3, routes=array)
    yield forest(rows, {"criterion": "squared_error", "max_features": "sqrt"}, ("rows/ranges",))
