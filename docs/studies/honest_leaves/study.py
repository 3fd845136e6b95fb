r"""How often do the intervals of leaves hold the truth, in honest trees and in others?

What
    Many data sets are drawn from a known law, a small tree is grown on each, and the intervals of
    `leaf_intervals` are compared with the true share, mean or median in the region of their leaf.
    An honest tree has 200 rows, of which half grow it and half are in its leaves; the other tree
    has 100 rows, which do both. The columns are three uniform numbers. Laws where nothing depends
    on them are the hardest for a tree that is not honest: all that its tests find is chance.
Formula
    Coverage is the share of leaves whose interval holds the truth; of classes that of the class
    which is held least often. Where something depends on the columns, the truth of a region is the
    mean of the known law over 4,000 fixed rows.
Source
    Honest leaves are Athey & Imbens' (PNAS 113, 2016).
Complexity
    Two small trees per data set, about a millisecond each.
When not to use it
    For the coverage of intervals for new rows: those are wider (`predict_interval`).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fasttree._checks.progress import counter
from fasttree.estimators import FastTreeClassifier, FastTreeRegressor
from fasttree.exports.tables.text import render_text
from fasttree.reports import Cell, ReportTable

__all__ = ["LAWS", "SIZES", "Coverage", "Law", "run"]

SIZES = ((1, 7), (8, 11), (12, 19), (20, 39), (40, 200))
"""Rows of the leaves that are counted together."""

ROWS, COLUMNS = 100, 3


@dataclass(frozen=True)
class Law:
    """How targets are drawn: `truth(X)` is the shares of the classes or the expected number per
    row, `noise` draws what is added to a number."""

    criterion: str
    truth: Callable[[np.ndarray], np.ndarray]
    noise: Callable[..., np.ndarray] | None = None

    def draw(self, random: np.random.Generator, X: np.ndarray) -> np.ndarray:
        """Targets of rows."""
        truth = self.truth(X)
        if self.noise is None:
            return (random.random((len(X), 1)) > np.cumsum(truth, axis=1)[:, :-1]).sum(axis=1)
        return truth + self.noise(random, size=len(X))

    def tree(self, **words: Any) -> Any:
        """A small tree."""
        kind = FastTreeClassifier if self.noise is None else FastTreeRegressor
        return kind(criterion=self.criterion, max_depth=2, min_samples_leaf=8, **words)


def _shares(*shares: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda X: np.tile(shares, (len(X), 1))


def _step(X: np.ndarray) -> np.ndarray:
    return (X[:, 0] > 0.5).astype(float)


def _centred(draw: Callable[..., np.ndarray], centre: float) -> Callable[..., np.ndarray]:
    return lambda random, size: draw(random, size=size) - centre


NORMAL, EXPONENTIAL = np.random.Generator.normal, np.random.Generator.exponential
LAWS = {
    "shares of 2 classes": Law("gini", _shares(0.7, 0.3)),
    "shares of 3 classes, a column tells": Law(
        "gini", lambda X: np.where(_step(X)[:, None] > 0, (0.2, 0.3, 0.5), (0.6, 0.3, 0.1))
    ),
    "means, normal": Law("squared_error", lambda X: np.zeros(len(X)), NORMAL),
    "means, normal, a column tells": Law("squared_error", _step, NORMAL),
    "means, exponential": Law(
        "squared_error", lambda X: np.zeros(len(X)), _centred(EXPONENTIAL, 1.0)
    ),
    "medians, exponential": Law(
        "absolute_error", lambda X: np.zeros(len(X)), _centred(EXPONENTIAL, np.log(2))
    ),
}
"""What is drawn."""

TREES = {"honest": True, "not honest": None}


@dataclass
class Coverage:
    """What `run` found: `held[law][tree]` and `leaves[law][tree]`, counts per class and size."""

    sets: int
    held: dict[str, dict[str, list[list[int]]]]
    leaves: dict[str, dict[str, list[int]]]

    def share(self, law: str, tree: str, size: int | None = None) -> float:
        """Share of the leaves that hold the truth, of all sizes or one; of classes the smallest."""
        held = np.array(self.held[law][tree])
        leaves = np.array(self.leaves[law][tree])
        if size is None:
            return float(held.sum(axis=1).min() / leaves.sum())
        return float(held[:, size].min() / leaves[size]) if leaves[size] else float("nan")

    def table(self) -> ReportTable:
        """Coverage by law, tree and size of the leaf."""
        body = []
        for law, trees in self.held.items():
            for tree in trees:
                shares = [self.share(law, tree, i) for i in range(len(SIZES))]
                counts = self.leaves[law][tree]
                cells = [
                    f"{100 * share:.1f}" if count >= LEAST else ""
                    for share, count in zip(shares, counts, strict=True)
                ]
                total = f"{100 * self.share(law, tree):.1f}"
                body.append([Cell(law), Cell(tree), Cell(total), *map(Cell, cells)])
        sizes = [f"{low} to {high}" if high < ROWS else f"{low} or more" for low, high in SIZES]
        return ReportTable(
            f"Intervals of level 0.95 that hold the truth, percent of the leaves of {self.sets} "
            "trees, by rows in the leaf",
            ["law", "tree", "all leaves", *sizes],
            body,
            notes=[f"Empty: fewer than {LEAST} leaves."],
        )

    def to_text(self) -> str:
        """The table as text."""
        return render_text([self.table()])

    def to_record(self) -> str:
        """JSON of everything; `from_record` reads it."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_record(cls, text: str) -> Coverage:
        """The inverse of `to_record`."""
        return cls(**json.loads(text))


LEAST = 100
"""Leaves from which on a share is shown."""


def run(
    sets: int = 10_000,
    laws: Mapping[str, Law] | None = None,
    *,
    trees: Mapping[str, Any] | None = None,
    random_state: int = 77,
    progress: Any = None,
) -> Coverage:
    """Draw, grow and compare.

    Args:
        sets: data sets per law.
        laws: by name; `LAWS` if not given.
        trees: ``honest`` of the trees by name; both of `TREES` if not given.
        random_state: seed.
        progress: True for a bar, or a function (done, total), which counts laws and trees.

    Examples:
        >>> found = run(100, {"means": LAWS["means, normal"]})
        >>> found.share("means", "honest") > 0.9 > found.share("means", "not honest")
        True
    """
    laws, trees = laws or LAWS, trees or TREES
    region = np.random.default_rng(0).random((4000, COLUMNS))
    done = counter(progress, "laws and trees", len(laws) * len(trees))
    held: dict[str, dict[str, list[list[int]]]] = {}
    leaves: dict[str, dict[str, list[int]]] = {}
    for name, law in laws.items():
        truth = law.truth(region).reshape(len(region), -1)
        varies = bool((truth != truth[0]).any())
        held[name], leaves[name] = {}, {}
        for tree, honest in trees.items():
            count = np.zeros((truth.shape[1], len(SIZES)), dtype=np.int64)
            total = np.zeros(len(SIZES), dtype=np.int64)
            for number in range(sets):
                random = np.random.default_rng([random_state, number])
                X = random.random((ROWS * (2 if honest else 1), COLUMNS))
                y = law.draw(random, X)
                model = law.tree(honest=honest, random_state=number).fit(X, y)
                at = np.flatnonzero(model.tree_.n_children == 0)
                size = _size_of(model.tree_.n_node_samples[at])
                at, size = at[size >= 0], size[size >= 0]
                right = truth[:1]
                if varies:
                    leaf = model.apply(region)
                    right = np.array([truth[leaf == one].mean(axis=0) for one in at.tolist()])
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that the other trees are not honest
                    found = model.leaf_intervals()
                low, high = (ends[at].reshape(len(at), -1) for ends in (found.low, found.high))
                holds = (low <= right) & (right <= high)
                np.add.at(count.T, size, holds)
                np.add.at(total, size, 1)
            held[name][tree], leaves[name][tree] = count.tolist(), total.tolist()
            done()
    return Coverage(sets, held, leaves)


def _size_of(rows: np.ndarray) -> np.ndarray:
    """The place in `SIZES`; -1 of no rows."""
    return np.searchsorted([low for low, _ in SIZES], rows, side="right") - 1
