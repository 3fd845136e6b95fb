"""The runs behind the figures of Späh & Kosub (2022): learning curves, tree sizes, redundant
splits, accuracy while growing.

What
    `learning_curves` (figure 4), `tree_sizes` (figures 5 and 6c) and `growth_curves` (figures 7 and
    8) each repeat one small experiment on newly drawn rows and keep the numbers of every
    repetition, for means, standard deviations and confidence bands. `run` calls them; `layout`,
    `pictures` and `claims` read the results. A method is named by `method_name`.
Decisions
    All methods of a repetition have the same rows. A larger sample contains the smaller ones of its
    repetition. A finished tree keeps its accuracy for the further steps of other trees.
Complexity
    Learning curves: sizes x repeats x methods trees, one call into the core per size. The others
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

Methods = Mapping[str, FastTreeClassifier]
"""Estimators by `method_name`."""


def method_name(distance: str, evaluation: str) -> str:
    """The key of a distance under an evaluation.

    Args:
        distance: name of the distance.
        evaluation: "local", "global" or "glocal".

    >>> method_name("jaccard", "global")
    'jaccard global'
    """
    return f"{distance} {evaluation}"


def evaluation_of(method: str) -> str:
    """The evaluation in a `method_name`, its last word: "local", "global" or "glocal".

    >>> evaluation_of("jaccard global")
    'global'
    """
    return method.rsplit(maxsplit=1)[-1]


def interval(values: np.ndarray) -> np.ndarray:
    """Half the width of the 95 % confidence interval of the mean over the last axis (normal
    approximation). 0 for a single value.

    >>> interval(np.array([[1.0, 3.0], [2.0, 2.0]])).round(3).tolist()
    [1.96, 0.0]
    """
    n = values.shape[-1]
    half_width: np.ndarray = 1.96 * values.std(axis=-1, ddof=1 if n > 1 else 0) / np.sqrt(n)
    return half_width


@dataclass
class Curves:
    """Results by training size and repetition: arrays of shape (sizes, repeats), by method name.
    Accuracies are shares."""

    rows: list[int]
    """Training sizes."""
    accuracy: dict[str, np.ndarray]
    """Test accuracy."""
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
    """Accuracy and size of trees on growing shares of the rows; a tenth of all rows is the test
    set.

    Args:
        table: the data set.
        methods: estimators by name.
        shares: shares of the training rows, ascending; drawn without replacement.
        repeats: number of divisions of the rows.
        seed: of the divisions.
        n_jobs: threads.
        tick: called after each size.
    """
    # Each repetition has an order of the rows: test rows first, then training rows.
    rng = np.random.default_rng(seed)
    n = len(table)
    orders = [rng.permutation(n) for _ in range(repeats)]
    held_out = max(1, n // 10)
    rows = [max(1, round(share * (n - held_out))) for share in shares]
    accuracy, nodes = ({name: np.empty((len(rows), repeats)) for name in methods} for _ in range(2))
    for place, size in enumerate(rows):
        folds = [(order[held_out : held_out + size], order[:held_out]) for order in orders]
        validation = cross_validate(table, estimators=dict(methods), cv=folds, n_jobs=n_jobs)
        for name in methods:
            accuracy[name][place] = validation[name]["accuracy"]
            nodes[name][place] = validation[name]["nodes"]
        tick()
    return Curves(rows, accuracy, nodes)


def redundant_splits(model: FastTreeClassifier) -> int:
    """Number of redundant splits: nested tests of one feature with leaves of one class on one side.

    ``Branch(x <= r1, Leaf(i), Branch(x <= r2, Leaf(i), t))``, or its mirror image, could be a
    single test.

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
    """Results on consistent trees: arrays of shape (generating sizes, repeats), by method name."""

    generating: list[int]
    """Nodes of the generating trees."""
    nodes: dict[str, np.ndarray]
    redundant: dict[str, np.ndarray]
    """Redundant splits."""
    discarded: list[int]
    """Samples that were drawn again, by generating size."""


def tree_sizes(
    methods: Methods,
    generating: Sequence[int],
    repeats: int,
    seed: int,
    *,
    tick: Callable[[], None] = lambda: None,
) -> Sizes:
    """Sizes of trees that are fitted to uniform rows, labelled by random trees of known sizes.

    A sample is drawn again if some method finds a consistent tree that is smaller than the
    generating one, or if some leaf of the generating tree has no row.

    Args:
        methods: estimators by name.
        generating: nodes of the generating trees.
        repeats: samples per size.
        seed: seed of trees and samples.
        tick: called after each size.
    """
    nodes, redundant = (
        {name: np.empty((len(generating), repeats)) for name in methods} for _ in range(2)
    )
    out = Sizes(list(generating), nodes, redundant, [])
    for place, size in enumerate(generating):
        rng = np.random.default_rng([seed, size])
        kept = discarded = 0
        while kept < repeats:
            table, tree = make_random_tree(500, 6, (size + 1) // 2, 4, random_state=rng)
            if len(np.unique(tree.apply(table.X))) == tree.n_leaves:
                models = {name: clone(one).fit(table) for name, one in methods.items()}
                if all(model.n_nodes_ >= size for model in models.values()):
                    for name, model in models.items():
                        nodes[name][place, kept] = model.n_nodes_
                        redundant[name][place, kept] = redundant_splits(model)
                    kept += 1
                    continue
            discarded += 1
        out.discarded.append(discarded)
        tick()
    return out


@dataclass
class Growth:
    """Accuracy during growth, by method name, as shares. Means over the repetitions have shape
    (steps + 1,), as step 0 is the root alone."""

    train: dict[str, np.ndarray]
    """Mean accuracy on the training rows after each split, with the labels of the training."""
    test: dict[str, np.ndarray]
    """Mean accuracy on the test rows after each split."""
    unfinished: dict[str, np.ndarray]
    """Share of the trees that have a further split."""
    final: dict[str, np.ndarray]
    """Test accuracy of each finished tree, shape (repeats,)."""
    steps: dict[str, np.ndarray]
    """Splits of each finished tree, shape (repeats,)."""


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
        table: the data set; four fifths of its rows are for training, the others, with their true
            labels, for testing.
        methods: estimators by name.
        repeats: number of divisions of the rows.
        seed: seed of divisions and labels.
        noise: share of the training rows whose label is drawn again, uniform over all classes.
        tick: called after each repetition.
    """
    rng = np.random.default_rng(seed)
    n, k = len(table), len(table.classes)
    X, codes = table.X, np.asarray(table.y_codes)
    n_train = n - n // 5
    schema: Any = {"feature_names": table.feature_names, "levels": {"class": range(k)}}
    curves: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {name: [] for name in methods}
    # Fit on noisy labels, and score after every split.
    for _ in range(repeats):
        order = rng.permutation(n)
        train, test = order[:n_train], order[n_train:]
        labels = codes[train].copy()
        again = rng.permutation(n_train)[: round(noise * n_train)]
        labels[again] = rng.integers(0, k, len(again))
        noisy, true = Table(X[train], labels, **schema), Table(X[test], codes[test], **schema)
        for name, one in methods.items():
            model = clone(one).fit(noisy)
            curves[name].append((model.staged_score(noisy), model.staged_score(true)))
        tick()
    # Means over the repetitions; a finished tree keeps its last accuracy.
    out = Growth({}, {}, {}, {}, {})
    for name, pairs in curves.items():
        lengths = np.array([len(a) for a, _ in pairs])
        steps = np.arange(lengths.max())
        out.train[name], out.test[name] = (
            np.mean([scores[np.minimum(steps, len(scores) - 1)] for scores in side], axis=0)
            for side in zip(*pairs, strict=True)
        )
        out.unfinished[name] = (lengths[:, None] > steps + 1).mean(axis=0)
        out.final[name] = np.array([b[-1] for _, b in pairs])
        out.steps[name] = lengths - 1
    return out
