"""The runs behind the figures of Späh & Kosub (2022): learning curves, tree sizes, redundant
splits, accuracy while growing.

What
    `learning_curves` (figure 4), `tree_sizes` (figures 5 and 6c) and `growth_curves` (figures 7 and
    8) each repeat one small experiment on freshly drawn rows and keep the numbers of every
    repetition. Means, standard deviations and confidence bands can be taken afterwards.
Decisions
    All methods see the same rows in a repetition. A sample of a larger size contains the smaller
    ones of its repetition. A finished tree keeps its accuracy for the steps that others still take.
Complexity
    Learning curves: sizes x repeats x methods trees in one call into the core a size. The others
    fit tree by tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ...datasets import make_random_tree
from ...estimators import FastTreeClassifier
from ...model_selection import cross_validate
from ...table import Table

__all__ = [
    "Curves",
    "Growth",
    "Sizes",
    "growth_curves",
    "interval",
    "learning_curves",
    "redundant_splits",
    "tree_sizes",
]

Methods = Mapping[str, FastTreeClassifier]


def interval(values: np.ndarray) -> np.ndarray:
    """Half the width of the 95 % confidence interval of the mean over the last axis (normal
    approximation).

    >>> interval(np.array([[1.0, 3.0], [2.0, 2.0]])).round(3).tolist()
    [1.96, 0.0]
    """
    n = values.shape[-1]
    found: np.ndarray = 1.96 * values.std(axis=-1, ddof=1 if n > 1 else 0) / np.sqrt(n)
    return found


@dataclass
class Curves:
    """Test accuracy and nodes by method, training size and repetition: arrays (sizes, repeats),
    keyed by method."""

    rows: list[int]
    accuracy: dict[str, np.ndarray]
    nodes: dict[str, np.ndarray]


def learning_curves(
    table: Table,
    methods: Methods,
    shares: Sequence[float],
    repeats: int,
    seed: int,
    *,
    n_jobs: int | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Curves:
    """A tenth of the rows is the test set; trees of growing shares of the rest, drawn without
    replacement.

    Args:
        table: the data set.
        methods: estimators by name.
        shares: of the training part, ascending.
        repeats: fresh divisions of the rows.
        seed: of the divisions.
        n_jobs: threads.
        tick: called after each size.
    """
    rng = np.random.default_rng(seed)
    n = len(table)
    orders = [rng.permutation(n) for _ in range(repeats)]
    held_out = max(1, n // 10)
    rows = [max(1, round(share * (n - held_out))) for share in shares]
    out = Curves(rows, {name: np.empty((len(rows), repeats)) for name in methods}, {})
    out.nodes = {name: np.empty((len(rows), repeats)) for name in methods}
    for place, size in enumerate(rows):
        folds = [(order[held_out : held_out + size], order[:held_out]) for order in orders]
        found = cross_validate(table, estimators=dict(methods), cv=folds, n_jobs=n_jobs)
        for name in methods:
            out.accuracy[name][place] = found[name]["accuracy"]
            out.nodes[name][place] = found[name]["nodes"]
        tick()
    return out


def redundant_splits(model: FastTreeClassifier) -> int:
    """Pairs of nested tests of one feature whose cut-off sides are leaves of one class on the same
    side.

    ``Branch(x <= r1, Leaf(i), Branch(x <= r2, Leaf(i), t))``, or its mirror image: one test would
    do for both.

    Examples:
        >>> import fasttree
        >>> X = [[0.0], [1.0], [2.0], [3.0]]
        >>> redundant_splits(fasttree.fit(X, [0, 1, 0, 0], criterion="gini"))
        0
    """
    tree = model.tree_
    left, right = tree.children_left, tree.children_right
    inner, label, feature = tree.n_children > 0, tree.label, tree.feature
    count = 0
    for leaf, other in ((left, right), (right, left)):
        parents = np.flatnonzero(inner)
        below = other[parents]
        nested = inner[below] & ~inner[leaf[parents]] & (feature[below] == feature[parents])
        parents, below = parents[nested], below[nested]
        again = ~inner[leaf[below]] & (label[leaf[below]] == label[leaf[parents]])
        count += int(again.sum())
    return count


@dataclass
class Sizes:
    """Nodes and redundant splits of consistent trees, by method: arrays (generating sizes,
    repeats)."""

    generating: list[int]
    nodes: dict[str, np.ndarray]
    redundant: dict[str, np.ndarray]
    discarded: list[int]


def tree_sizes(
    methods: Methods,
    generating: Sequence[int],
    repeats: int,
    seed: int,
    *,
    n_rows: int = 500,
    n_features: int = 6,
    n_classes: int = 4,
    tick: Callable[[], None] = lambda: None,
) -> Sizes:
    """Trees learned from uniform rows that random trees of known sizes have labelled.

    A sample is drawn again when some method finds a consistent tree that is smaller than the
    generating one, or when it shows fewer leaves than the generating tree has.
    """
    shape = (len(generating), repeats)
    out = Sizes(
        list(generating),
        {m: np.empty(shape) for m in methods},
        {m: np.empty(shape) for m in methods},
        [],
    )
    for place, size in enumerate(generating):
        rng = np.random.default_rng([seed, size])
        kept = discarded = 0
        while kept < repeats:
            table, tree = make_random_tree(
                n_rows, n_features, (size + 1) // 2, n_classes, random_state=rng
            )
            if len(np.unique(tree.apply(table.X))) < tree.n_leaves:
                discarded += 1
                continue
            models = {name: clone(one).fit(table) for name, one in methods.items()}
            if any(model.n_nodes_ < size for model in models.values()):
                discarded += 1
                continue
            for name, model in models.items():
                out.nodes[name][place, kept] = model.n_nodes_
                out.redundant[name][place, kept] = redundant_splits(model)
            kept += 1
        out.discarded.append(discarded)
        tick()
    return out


@dataclass
class Growth:
    """Accuracy after each split, averaged over the repetitions: arrays (steps + 1,), keyed by
    method.

    `train` is on the rows trees were grown on, with the labels they had. `unfinished` the share of
    trees that had another split to make; `final` and `steps` (repeats,) are the test accuracy and
    the splits of each finished tree.
    """

    train: dict[str, np.ndarray]
    test: dict[str, np.ndarray]
    unfinished: dict[str, np.ndarray]
    final: dict[str, np.ndarray]
    steps: dict[str, np.ndarray]


def growth_curves(
    table: Table,
    methods: Methods,
    repeats: int,
    seed: int,
    *,
    noise: float = 0.5,
    tick: Callable[[], None] = lambda: None,
) -> Growth:
    """Train and test accuracy after every split of trees grown on noisy labels.

    Args:
        table: the data set; four fifths of its rows train, the rest tests with its true labels.
        methods: estimators by name.
        repeats: fresh divisions and labels.
        seed: of both.
        noise: share of the training rows whose label is drawn again, uniform over all classes.
        tick: called after each repetition.
    """
    rng = np.random.default_rng(seed)
    n, k = len(table), len(table.classes)
    X, codes = table.X, np.asarray(table.y_codes)
    n_train = n - n // 5
    curves: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {name: [] for name in methods}
    for _ in range(repeats):
        order = rng.permutation(n)
        train, test = order[:n_train], order[n_train:]
        labels = codes[train].copy()
        again = rng.permutation(n_train)[: round(noise * n_train)]
        labels[again] = rng.integers(0, k, len(again))
        noisy = Table(
            X[train], labels, feature_names=table.feature_names, levels={"class": range(k)}
        )
        true = Table(
            X[test], codes[test], feature_names=table.feature_names, levels={"class": range(k)}
        )
        for name, one in methods.items():
            model = clone(one).fit(noisy)
            curves[name].append((model.staged_score(noisy), model.staged_score(true)))
        tick()
    out = Growth({}, {}, {}, {}, {})
    for name, pairs in curves.items():
        lengths = np.array([len(a) for a, _ in pairs])
        longest = int(lengths.max())

        def mean(which: int, pairs: Any = pairs, longest: int = longest) -> np.ndarray:
            padded = [
                np.pad(pair[which], (0, longest - len(pair[which])), mode="edge") for pair in pairs
            ]
            found: np.ndarray = np.mean(padded, axis=0)
            return found

        out.train[name], out.test[name] = mean(0), mean(1)
        out.unfinished[name] = np.array(
            [float(np.mean(lengths > step + 1)) for step in range(longest)]
        )
        out.final[name] = np.array([b[-1] for _, b in pairs])
        out.steps[name] = lengths - 1
    return out
