"""The method `stability`: what refits of a tree on resampled rows have in common.

What
    ``model.stability(X, y)`` grows the model's tree again on bootstrap samples or subsamples of its
    rows (`refits`) and counts which columns the refits test: per feature, per node, per tree and
    per row.
Source and equation
    Philipp, Rusch, Hornik & Strobl, "Measuring the Stability of Results From Supervised Statistical
    Learning" (2018), and the R package stablelearner for the counts of features. The agreement of a
    row is sum_c v_c (v_c - 1) / (R (R - 1)), v_c the refits of R that say class c: the chance that
    two of them agree. The similarity of two refits is I(A; B) / H(A, B), the mutual information of
    their leaves over the joint entropy, on all rows.
Complexity
    `repeats` fits and predictions. Refits of a classifier whose growth learns nothing from the rows
    but the tree share the sorted columns, as trees of a forest do; others are fits of their own.
When not to use it
    For the error on new rows: that is for cross-validation. A tree that changes with every sample
    can be as accurate as one that does not.

Examples:
    >>> import fasttree
    >>> table = fasttree.datasets.load_iris()
    >>> found = fasttree.fit(table, max_depth=2).stability(table, repeats=100)
    >>> found.features.names[2], float(found.features.used[2])
    ('petal length (cm)', 1.0)
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from .._checks import checked, choice, number_in, shown, whole_in
from .._checks.aliases import MaybeArray
from .._checks.data_warnings import quiet
from .._checks.naming import splits_by_significance
from .._checks.plain_text import one_line
from .._checks.words import argument, counted, given, in_text, option
from ..exports.tables.text import columns_text
from ..table import Table
from .honest import is_honest
from .refits import Resamples, refit
from .schema import Schema
from .training_rows import sample_weights
from .tree_arrays import TreeArrays

FRACTION = 0.632
"""Share of the rows of a subsample, unless it is given."""
QUANTILES = (0.05, 0.5, 0.95)
"""The quantiles over the refits that are given for leaves, depth and thresholds."""
PAIRS = 200
"""Pairs of refits whose leaves are compared."""
SHOWN = 10
"""Features that the text lists."""


def sample_for(model: Any) -> str:
    """The sample to refit a model on where the user names none.

    Subsamples where tests of independence choose the splits: a test counts copies of a row as rows
    of their own, and then finds effects that do not exist.
    """
    return "subsample" if splits_by_significance(model) else "bootstrap"


class NodeStability(NamedTuple):
    """Results of the searches of one node on resamples of its own rows.

    The node is searched with the parameters of the tree, on as many resamples as the tree has
    refits.

    Attributes:
        node: its number.
        feature: name of the column that it tests.
        chosen: share of the searches that choose this column.
        rivals: the other columns with their shares, largest first.
        none: share of the searches that find no split.
        thresholds: quantiles .05, .5 and .95 of the threshold where the column is the same; None
            for a nominal column.
        same_division: share of the searches that divide the levels in the same way; None for a
            number.
    """

    node: int
    feature: str
    chosen: float
    rivals: dict[str, float]
    none: float
    thresholds: tuple[float, float, float] | None
    same_division: float | None


@dataclass(frozen=True, repr=False)
class Stability:
    """The result of `stability`: what refits of a tree have in common.

    Attributes:
        repeats, sample, fraction: as given.
        n_rows: rows of the training set.
        features: Bunch of names, and per column of the model the share of refits that test it
            anywhere (`used`), at the root (`root`), and the mean number of tests (`uses`), each of
            shape (n_features,).
        trees: Bunch of the quantiles .05, .5 and .95 of `leaves` and `depth`; `agreement`, for
            classes the chance that two refits predict the same class for a row, as a mean over the
            rows, and for a number the root of the mean variance of the predictions, in units of the
            target (NaN for one refit); `similarity` and `similarity_quantiles` of the leaves of two
            refits, 1 where they divide the rows alike, over 200 seeded pairs.
        nodes: a `NodeStability` per test of the tree, by node number; None unless asked for, and
            where `why_no_nodes` says why.
    """

    repeats: int
    sample: str
    fraction: float
    n_rows: int
    features: Any
    trees: Any
    nodes: dict[int, NodeStability] | None
    why_no_nodes: str
    _models: list[Any] = field(compare=False)
    _fitted: Any = field(compare=False)
    _draw: Callable[[int], np.ndarray] = field(compare=False)
    _asked: tuple[np.ndarray, np.ndarray] = field(compare=False)
    """Shares of refits that ask each column of the model first, and anywhere; year, month and
    weekday of a date have their own, as the tests that are labelled have."""

    def multiplicities(self, i: int) -> np.ndarray:
        """How often refit i was given each row, shape (n_rows,): a fit on the rows with these as
        weights (times their own) grows its tree."""
        if not -self.repeats <= i < self.repeats:
            raise IndexError(f"i={i}: there are refits 0 to {self.repeats - 1}")
        return self._draw(i % self.repeats)

    def thresholds(self, column: str) -> Any:
        """Every test of a column in the refits.

        A refit that does not test the column has no entry, and one that tests it several times has
        several.

        Args:
            column: a column of the model; for a date, one of its parts.

        Returns:
            Bunch of arrays of equal length: `depth` of the test and number of the `refit`, and
            `threshold` of a number, or `levels`: the names that go to the first branch, as a tuple
            (empty for a test with a branch per level). A test on the bins of a number stands once
            for each threshold between two of its branches.

        Raises:
            ValueError: no column of the model.
        """
        schema = self._fitted._schema
        if column not in schema.names:
            raise ValueError(
                f"column={column!r} is no column of the model; there are {', '.join(schema.names)}"
            )
        j = schema.names.index(column)
        names = schema.levels[j] if schema.nominal[j] else None
        rows = [
            (depth, refit, value)
            for refit, model in enumerate(self._models)
            for depth, value in _tests_of(model, j, names)
        ]
        depth, refit, values = zip(*rows, strict=True) if rows else ((), (), ())
        found = {"threshold": np.array(values)} if names is None else {"levels": [*values]}
        return Bunch(depth=np.array(depth, np.int64), refit=np.array(refit, np.int64), **found)

    def votes(self, X: Any) -> Any:
        """Predictions of all refits.

        The spread over the refits shows for which rows the prediction of the tree depends on the
        sample.

        Returns:
            For classes, the share of refits that predict each class, shape (n_rows, n_classes);
            where a tree predicts nothing, a row sums to less than 1. For a number, a Bunch of
            `mean` and `std` (divisor repeats - 1), shape (n_rows,) each.
        """
        blocks, n = _encode_for(self._fitted, self._models, X)
        return _votes(self._fitted, self._models, blocks, n)

    def ranked(self) -> list[int]:
        """Positions of the features that some refit tests, the feature of most refits first.

        Equal shares of refits are ordered by the mean number of tests, then by position. Features
        that no refit tests are left out, so the list may be empty.
        """
        used = self.features.used
        order = np.argsort(-(used + self.features.uses / 1e6), kind="stable").tolist()
        return [j for j in order if used[j] > 0]

    def root_sentence(self) -> str:
        """A sentence with the features that the roots of the refits test, and in how many refits.

        At most three features are named, the most frequent first, and then the number of refits
        that have no split at all, as "nothing".
        """
        root, names = self.features.root, [*self.features.names, "nothing"]
        counts = np.rint(np.append(root, 1.0 - root.sum()) * self.repeats).astype(int)
        first = [*np.argsort(-root, kind="stable")[:3].tolist(), -1]
        asked = [f"{one_line(names[j])} in {counts[j]}" for j in first if counts[j]]
        trees = counted(self.repeats, "tree")
        return f"Of {trees} on resampled rows the first question is {', '.join(asked)}."

    def caution(self) -> list[str]:
        """A line of text if the samples do not suit the tree, else an empty list.

        Bootstrap samples do not suit trees by tests of significance: copies of a row make p-values
        too small. `sample_for` chooses the sample that suits.
        """
        suits = self.sample == "subsample" or not splits_by_significance(self._fitted)
        why = "Copies of a row make p-values too small, and the refits split too often"
        return [] if suits else [f'{why}: use sample="subsample".']

    def to_text(self) -> str:
        """The result as text: the samples, the features with their shares, and the shapes of the
        trees.

        At most `SHOWN` features are listed, by descending share of refits; the number of further
        ones follows. Shares are in percent. If nodes were resampled, a line per node comes last.
        """
        of, order, trees = self.features, self.ranked(), self.trees
        parts = f"subsamples of {100 * self.fraction:.3g} %"
        how = parts if self.sample == "subsample" else "bootstrap samples"
        body = [
            (one_line(of.names[j]), _percent(of.used[j]), _percent(of.root[j]), f"{of.uses[j]:.2f}")
            for j in order[:SHOWN]
        ]
        more, never = len(order) - len(body), len(of.names) - len(order)
        low, middle, high = trees.leaves
        least, depth, most = trees.depth
        differ = f"Two refits predict the same class in {100 * trees.agreement:.1f} %"
        if self._fitted._task == "regression":
            differ = f"Predictions for a row differ by {trees.agreement:.4g} (standard deviation"
            differ += " over refits)"
        lines = [
            f"{counted(self.repeats, 'refit')} on {how} of {counted(self.n_rows, 'row')}",
            *self.caution(),
            self.root_sentence(),
            "",
            *columns_text(("feature", "used", "first", "tests"), body, [False, *[True] * 3]),
            *([f"... {counted(more, 'more feature')}"] if more > 0 else []),
            *([f"Never asked: {counted(never, 'feature')}"] if never else []),
            "",
            f"Leaves {middle:g} ({low:g} to {high:g} in nine of ten refits), depth {depth:g} "
            f"({least:g} to {most:g})",
            differ,
            f"Their leaves are alike by {trees.similarity:.2f} (0: unrelated, 1: the same "
            "division)",
        ]
        if self.nodes is not None:
            conditional = "which is conditional on the way to it:"
            lines += ["", f"Each node searched again on resamples of its own rows, {conditional}"]
            lines += map(_node_line, self.nodes.values())
        elif self.why_no_nodes:
            lines += ["", self.why_no_nodes]
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """The result in plain Python values, which the module json can write; without the refits.

        Shares are numbers in [0, 1]. ``nodes`` is None unless the nodes were resampled, and numbers
        that are not defined are NaN.
        """
        shares = {k: self.features[k].tolist() for k in ("used", "root", "uses")}
        rows = zip(self.features.names, *shares.values(), strict=True)
        return {
            "repeats": self.repeats,
            "sample": self.sample,
            "features": [dict(zip(("feature", *shares), row, strict=True)) for row in rows],
            **{k: np.asarray(v, dtype=float).tolist() for k, v in self.trees.items()},
            "nodes": None if self.nodes is None else [n._asdict() for n in self.nodes.values()],
        }

    __str__ = to_text

    def __repr__(self) -> str:
        return (
            f"Stability({counted(self.repeats, 'refit')}: agreement {self.trees.agreement:.3g}, "
            f"similarity {self.trees.similarity:.2f})"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the shares of refits that test each feature, as bars
        (`fasttree.plots.stability_bars`).

        Args:
            ax: the axes to draw on; None makes a new figure.

        Returns:
            The axes of matplotlib.
        """
        from ..plots import stability_bars

        return stability_bars(self, ax=ax)

    def legend(self) -> list[str]:
        """The lines below the text of a tree that say what the percentages behind its tests mean,
        followed by the `caution`. The meaning depends on whether single nodes were resampled."""
        said = ["Percentages: searches of the node that choose the feature of its test."]
        if self.nodes is None:
            of = "refits that ask the feature of the test, of the root as the first, of"
            said = [f"Percentages: {of}", "other nodes anywhere."]
        return said + self.caution()

    def share_of(self, node: int) -> str:
        """The share of refits that agree with the test of a node, in percent, as text.

        If nodes were resampled, it is the share of the searches of this node that choose its
        feature; else the share of refits that test the feature at the root (for node 0) or
        anywhere. `node` must not be a leaf.
        """
        if self.nodes is not None:
            return _percent(self.nodes[node].chosen)
        return _percent(self._asked[min(node, 1)][self._fitted.tree_.feature[node]])

    def sentence_of(self, node: int) -> str:
        """A sentence that gives the share of a node's test and what it is a share of; see
        `share_of`. The explorer shows it beside the node, which must not be a leaf."""
        share = self.share_of(node)
        if self.nodes is not None:
            searches = f"{counted(self.repeats, 'search')} of this node on resamples of its rows"
            return f"Of {searches} {share} choose this column."
        refits, place = counted(self.repeats, "tree"), "somewhere" if node else "first"
        return f"Of {refits} on resampled rows {share} ask this column {place}."


def _percent(share: float) -> str:
    """A share in whole per cent; "<1 %" if it is above 0 but rounds to 0."""
    return "<1 %" if 0 < share <= 0.005 else f"{100 * share:.0f} %"


def _first_levels(tree: TreeArrays, node: int, levels: Sequence[Any]) -> tuple[Any, ...]:
    """Names of the levels that go to the first child of a subset node, ascending by code."""
    return tuple(levels[code] for code in tree.levels_of(node).tolist())


def _tests_of(model: Any, j: int, names: Any) -> Iterator[tuple[int, Any]]:
    """Depth and split of each test of column j in a tree.

    The split is a threshold, or the names of the levels that go to the first branch; a test on bins
    of a number is listed once for each threshold between two of its branches.

    Args:
        model: a model of the core.
        j: number of the column.
        names: names of its levels; None for a number.
    """
    tree = TreeArrays(model.arrays())
    nodes = np.flatnonzero(tree.feature == j).tolist()
    cuts = []
    if names is None and np.isnan(tree.threshold[nodes]).any():
        cuts = json.loads(model.schema_json())["features"][j]["cuts"]
    for node in nodes:
        branches = tree.groups_of(node).tolist() or range(len(cuts) + 1)
        values: list[Any] = [float(tree.threshold[node])]
        if names is not None:
            values = [_first_levels(tree, node, names)]
        elif np.isnan(values[0]):
            values = [cut for k, cut in enumerate(cuts) if branches[k] != branches[k + 1]]
        for value in values:
            yield tree.depth[node], value


def _division(tree: TreeArrays, node: int, n_levels: int) -> set[frozenset[int]]:
    """The codes of the levels that a node divides, as sets: one set per group of merged levels, or
    one for the first branch and one for all other levels."""
    branches = np.isin(np.arange(n_levels), tree.levels_of(node))
    if tree.n_groups[node]:
        branches = tree.groups_of(node)
    return {frozenset(np.flatnonzero(branches == one).tolist()) for one in branches.tolist()}


def _node_line(one: NodeStability) -> str:
    """A node as a line of text."""
    line = f"node {one.node}: {one_line(one.feature)} {_percent(one.chosen)}"
    if one.thresholds is not None:
        low, _, high = one.thresholds
        line += f", threshold {low:.6g} to {high:.6g}"
    if one.same_division is not None:
        line += f", the same division {_percent(one.same_division)}"
    rivals = [f"{one_line(name)} {_percent(share)}" for name, share in one.rivals.items()][:3]
    line += f"; else {', '.join(rivals)}" if rivals else ""
    return line + (f"; no split {_percent(one.none)}" if one.none > 0 else "")


def _encode_for(fitted: Any, models: list[Any], X: Any) -> tuple[list[np.ndarray], int]:
    """New rows as blocks for the core, with the columns that any of the refits reads."""
    reader = copy(fitted)
    reader._schema = copy(fitted._schema)
    reader._schema.__dict__.pop("read", None)
    reader._schema.tested = sorted({j for model in models for j in model.tested()})
    return reader._encode(X)


def _votes(fitted: Any, models: list[Any], blocks: list[np.ndarray], n: int) -> Any:
    """`Stability.votes` of n rows."""
    if fitted._task == "classification":
        counts = np.zeros((n, len(fitted.classes_) + 1), dtype=np.int64)
        for model in models:  # the last column, which is -1, counts trees that predict nothing
            counts[np.arange(n), np.asarray(model.predict(blocks, n, fitted.n_jobs))] += 1
        return counts[:, :-1] / len(models)
    mean, squares = np.zeros(n), np.zeros(n)
    for i, model in enumerate(models):
        change = fitted._predictions(model, blocks, n) - mean
        mean += change / (i + 1)
        squares += change * change * (i / (i + 1))
    return Bunch(mean=mean, std=np.sqrt(squares / (len(models) - 1 or np.nan)))


def _agreement(votes: Any, refits: int) -> float:
    """The mean over the rows of the chance that two refits predict the same class; for a number,
    the root of the mean variance of the predictions (`Stability.trees`).

    Args:
        votes: what `_votes` returns.
        refits: number of refits.
    """
    if isinstance(votes, Bunch):
        return float(np.sqrt((votes.std**2).mean()))
    counts = np.rint(votes * refits)
    counts = np.column_stack([counts, refits - counts.sum(axis=1)])
    pairs = (counts * (counts - 1)).sum(axis=1)
    return float(pairs.mean() / (refits * (refits - 1) or np.nan))


def _similarity(a: np.ndarray, b: np.ndarray) -> float:
    """Similarity I(A; B) / H(A, B) of two divisions of the rows, in [0, 1]; 1 where neither divides
    them.

    Args:
        a, b: leaf of each row in two trees, shape (n_rows,).
    """
    both = a.astype(np.int64) * (int(b.max()) + 1) + b
    counts = [np.unique(codes, return_counts=True)[1] / len(a) for codes in (a, b, both)]
    own, other, joint = (float(-(shares * np.log(shares)).sum()) for shares in counts)
    return 1.0 if joint <= 0 else (own + other - joint) / joint


def _similarities(
    models: list[Any], blocks: list[np.ndarray], n: int, seed: int, n_jobs: Any
) -> np.ndarray:
    """Similarity of the leaves of `PAIRS` pairs of refits, drawn by `seed`, shape (n_pairs,); NaN
    for one refit."""
    if len(models) < 2:
        return np.array([np.nan])
    random = np.random.default_rng([seed, len(models)])
    first = random.integers(len(models), size=PAIRS)
    second = (first + random.integers(1, len(models), size=PAIRS)) % len(models)
    used = np.unique(np.concatenate([first, second])).tolist()
    leaves = {i: np.asarray(models[i].apply(blocks, n, n_jobs)) for i in used}
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.array([_similarity(leaves[i], leaves[j]) for i, j in pairs])


def _no_nodes(fitted: Any, table: Table) -> str:
    """A sentence on why nodes cannot be searched one by one; empty where they can."""
    params, tree, why = fitted.get_params(deep=False), fitted.tree_, ""
    tested = np.unique(tree.feature[tree.missing_branch == -2]).tolist()
    if "min_impurity_decrease" not in params or params.get("evaluation", "local") != "local":
        why = "the whole tree decides about each split"
    elif is_honest(fitted):
        why = "other rows than theirs have chosen the tests"
    elif any(table.columns[j].n_missing for j in tested):
        way = in_text(argument("missing", "branch"))
        why = f"rows with missing values are in several nodes (they are in one with {way})"
    return f"Nodes are not searched one by one: {why}." if why else ""


@checked(
    repeats=whole_in(1),
    sample=choice("bootstrap", "subsample"),
    fraction=number_in(0.0, 1.0, above=True),
    nodes=choice(False, True),
    random_state=whole_in(0),
)
def stability(
    fitted: Any,
    X: Any,
    y: MaybeArray = None,
    *,
    repeats: int = 500,
    sample: str = "bootstrap",
    fraction: float = FRACTION,
    nodes: bool = False,
    groups: Any = None,
    sample_weight: MaybeArray = None,
    random_state: int = 0,
    n_jobs: Any = None,
    progress: Any = None,
) -> Stability:
    """Refit the tree on resampled rows and count what the refits have in common.

    A refit has the model's parameters, roles of columns, declared levels and classes; what growth
    learns from rows (bins, pruning, imputation) is learned again from the sample.

    Args:
        X, y: the training rows, as in `fit`.
        repeats: number of refits, at least 1.
        sample: ``"bootstrap"``: as many rows as there are rows of weight > 0, with replacement; how
            often a row is drawn multiplies its weight. ``"subsample"``: floor(fraction n) of them,
            without, for trees with ``selection="significance"``: copies of a row make p-values too
            small.
        fraction: share of the rows of a subsample, above 0 and at most 1.
        nodes: also resample the rows of each node and search it alone, `repeats` times, with the
            class weights and limits of the whole tree, except ``min_samples_split``, which the node
            has met; for subsamples, ``min_samples_leaf`` is reduced to its `fraction`.
        groups: one per row, or the name of a column: whole groups are drawn.
        sample_weight: weights of the rows, as in `fit`.
        random_state: seed of the draws, a whole number >= 0. A draw depends on it and the number of
            its refit alone.
        n_jobs: threads; the result does not depend on them.
        progress: True or ``"auto"`` (a bar), or a function ``(done, total)``.

    Returns:
        A `Stability`, which prints as text.

    Raises:
        ValueError: an argument outside its range, other columns than the model's, a sample without
            rows, or a search with a time limit, whose trees are not repeatable.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.load_iris()
        >>> found = fasttree.fit(table).stability(table, repeats=50)
        >>> print(found.root_sentence())
        Of 50 trees on resampled rows the first question is petal length (cm) in 49, \
petal width (cm) in 1.
    """
    check_is_fitted(fitted)
    if getattr(fitted, "time_limit", None) is not None:
        raise ValueError(
            f"{given('time_limit', shown(fitted.time_limit))}: a search that ends by the clock "
            f"cannot be repeated; set {option('node_budget')} in its place"
        )
    if sample == "bootstrap" and fraction != FRACTION:
        raise ValueError(
            f"{given('fraction', shown(fraction))} is of a subsample; leave it out, or set "
            f"{argument('sample', 'subsample')}"
        )
    X, y, labels = fitted._rows_and_groups(X, y, groups)
    with quiet():
        table, sample_weight, kept = fitted._table_with_target(X, y, sample_weight)
        # The Table carries the weights, so that parts of its rows have theirs.
        table = table.take(slice(None))
        table.sample_weight = sample_weights(table, sample_weight)
        rows = fitted._weigh(table, None, kept)
    table, schema = rows.table, fitted._schema
    names = [column.name for column in table.columns]
    if names != list(schema.names):
        raise ValueError(
            "X has other columns than the model was fitted on: "
            f"{', '.join(names[:5])}; the model has {', '.join(schema.names[:5])}"
        )
    codes = None if labels is None else rows.groups(labels)
    draws = Resamples(rows, sample, fraction, repeats, random_state, codes)
    models, draw = refit(fitted, draws, n_jobs=n_jobs, progress=progress)
    blocks, n = _encode_for(fitted, models, table)
    features, shares = _tested_columns(models, schema)
    trees = _sizes_and_agreement(fitted, models, blocks, n, seed=random_state, n_jobs=n_jobs)
    why_no_nodes = _no_nodes(fitted, table) if nodes else ""
    is_searched = nodes and not why_no_nodes
    return Stability(
        repeats=repeats,
        sample=sample,
        fraction=fraction,
        n_rows=n,
        features=features,
        trees=trees,
        nodes=dict(_searched_nodes(fitted, draws, n_jobs)) if is_searched else None,
        why_no_nodes=why_no_nodes,
        _models=models,
        _fitted=fitted,
        _draw=lambda i: rows.as_given(draw(i), 0),
        _asked=shares,
    )


def _tested_columns(models: list[Any], schema: Schema) -> tuple[Any, tuple[np.ndarray, np.ndarray]]:
    """Which columns the refits test.

    Returns:
        `Stability.features`, and `Stability._asked`.
    """
    tested = [model.arrays()["feature"] for model in models]
    n_columns = len(schema.names)
    uses = np.array([np.bincount(one[one >= 0], minlength=n_columns) for one in tested])
    roots = np.array([one[0] == np.arange(n_columns) for one in tested])
    shares = roots.mean(axis=0), (uses > 0).mean(axis=0)
    uses, roots = schema.by_given_column(uses), schema.by_given_column(roots)
    features = Bunch(
        names=list(schema.given_names),
        used=(uses > 0).mean(axis=0),
        root=roots.mean(axis=0),
        uses=uses.mean(axis=0),
    )
    return features, shares


def _sizes_and_agreement(
    fitted: Any, models: list[Any], blocks: list[np.ndarray], n: int, *, seed: int, n_jobs: Any
) -> Any:
    """`Stability.trees`: sizes of the refits, and how far their predictions and leaves agree.

    Args:
        fitted: the estimator.
        models: the refits.
        blocks, n: the training rows as blocks for the core, and their number.
        seed: seed for the draw of the pairs of refits that are compared.
        n_jobs: threads.
    """
    sizes = np.array([[leaves, depth] for _, leaves, _, depth in (one.shape for one in models)])
    leaves, depth = np.quantile(sizes, QUANTILES, axis=0, method="inverted_cdf").T
    similarities = _similarities(models, blocks, n, seed, n_jobs)
    return Bunch(
        leaves=leaves,
        depth=depth,
        agreement=_agreement(_votes(fitted, models, blocks, n), len(models)),
        similarity=float(similarities.mean()),
        similarity_quantiles=np.quantile(similarities, QUANTILES),
    )


def _of_one_split(fitted: Any, draws: Resamples, share: float) -> Any:
    """An estimator that searches one node alone, under the limits of the whole tree.

    Limits on branches are scaled to the rows of the node, and class weights are computed from all
    rows; limits that the node itself has met are dropped.

    Args:
        fitted: the tree.
        draws: the samples of the whole tree; of subsamples, branches hold a fraction of their rows.
        share: share of the node in the weight of all rows.
    """
    params, rows = fitted.get_params(deep=False), draws.rows
    changed: dict[str, Any] = {"max_depth": 1, "max_leaf_nodes": None, "pruning": None,
                               "ccp_alpha": 0.0, "min_samples_split": 2}  # fmt: skip
    least = params["min_samples_leaf"]
    if isinstance(least, float):
        least = math.ceil(least * len(rows.table))
    drawn = 1.0 if draws.sample == "bootstrap" else draws.fraction
    changed["min_samples_leaf"] = max(1, int(least * drawn))
    changed["min_impurity_decrease"] = params["min_impurity_decrease"] / share
    changed["min_weight_fraction_leaf"] = min(0.5, params["min_weight_fraction_leaf"] / share)
    if rows.class_weights is not None:
        factors = zip(rows.table.classes, rows.class_weights.tolist(), strict=True)
        changed |= {"class_weight": dict(factors), "priors": None}
    return clone(fitted).set_params(**{k: v for k, v in changed.items() if k in params})


def _searched_nodes(
    fitted: Any, draws: Resamples, n_jobs: Any
) -> Iterator[tuple[int, NodeStability]]:
    """For each inner node, what searches on resamples of its rows find."""
    tree, table, groups = fitted.tree_, draws.rows.table, draws.groups
    leaf = np.asarray(fitted.apply(table))
    ends, weight = tree.subtree_ends(), tree.weighted_n_node_samples
    for node in np.flatnonzero(tree.n_children > 0).tolist():
        inside = np.flatnonzero((leaf >= node) & (leaf < ends[node]))
        one = _of_one_split(fitted, draws, float(weight[node] / weight[0]))
        part = replace(
            draws,
            rows=one._weigh(table.take(inside), None),
            seed=draws.seed + node,
            groups=None if groups is None else groups[inside],
        )
        models, _ = refit(one, part, n_jobs=n_jobs, progress=None)
        yield node, _of_searches(models, node, tree, fitted._schema)


def _of_searches(models: list[Any], node: int, tree: Any, schema: Any) -> NodeStability:
    """The summary of the searches of a node.

    Args:
        models: the models of the searches, of one split each.
        node: the node of `tree`, the whole tree.
        schema: the columns of the tree.
    """
    j, n = int(tree.feature[node]), len(models)
    found = [TreeArrays(model.arrays()) for model in models]
    chosen = np.array([int(one.feature[0]) for one in found])
    same = [one for one, k in zip(found, chosen, strict=True) if k == j]
    shares = np.bincount(chosen[chosen >= 0], minlength=len(schema.names)) / n
    order = [k for k in np.argsort(-shares, kind="stable").tolist() if shares[k] and k != j]
    thresholds, division = None, None
    if schema.nominal[j]:
        own = _division(tree, node, k := len(schema.levels[j]))
        division = sum(_division(one, 0, k) == own for one in same) / n
    elif same and not tree.n_groups[node]:
        values = [float(one.threshold[0]) for one in same]
        thresholds = tuple(np.quantile(values, QUANTILES, method="inverted_cdf").tolist())
    return NodeStability(
        node=node,
        feature=schema.names[j],
        chosen=float(shares[j]),
        rivals={schema.names[k]: float(shares[k]) for k in order},
        none=float((chosen < 0).mean()),
        thresholds=thresholds,
        same_division=division,
    )
