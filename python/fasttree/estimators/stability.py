"""How sure a tree is: the same tree refitted on resampled rows.

What
    ``model.stability(X, y)`` grows the model's tree again on bootstrap samples or subsamples of its
    rows and counts what the refits ask: per feature, per node, per tree and per row.
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

import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from .. import _engine, criteria
from .._checks import checked, choice, number_in, shown, whole
from .._checks.aliases import MaybeArray
from .._checks.naming import is_by_test
from .._checks.plain_text import one_line
from .._checks.progress import counter
from .._checks.speech import given, option
from .._checks.words import counted
from ..exports.tables.text import columns_text
from ..table import Table
from ..table.data_checks.warned import quiet
from .honest import is_honest
from .parameters import config_of, copies_of
from .training_rows import TrainingRows, own_weights

__all__ = ["NodeStability", "Stability", "sample_for", "stability"]

QUANTILES = (0.05, 0.5, 0.95)
"""Of leaves, depth and thresholds."""
PAIRS = 200
"""Pairs of refits whose leaves are compared."""
SHOWN = 10
"""Features that the text lists."""


def sample_for(model: Any) -> str:
    """The sample to refit a model on where the user names none.

    Subsamples where tests of independence choose the splits: a test counts copies of a row as rows
    of their own, and finds what is not there.
    """
    return "subsample" if is_by_test(model) else "bootstrap"


class NodeStability(NamedTuple):
    """What the searches of one node on resamples of its own rows have found.

    Attributes:
        node: its number.
        feature: name of the column that it tests.
        chosen: share of the searches that choose this column.
        rivals: the other columns with their shares, largest first.
        none: share of the searches that find no split.
        thresholds: quantiles .05, .5 and .95 of the threshold where the column is the same; None
            of a nominal column.
        same_division: share of the searches that divide the levels in the same way; None of a
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
    """What refits of a tree have in common.

    Attributes:
        repeats, sample, fraction: as given.
        n_rows: rows of the training set.
        features: Bunch of names, and per column of the model the share of refits that test it
            anywhere (`used`), at the root (`root`), and the mean number of tests (`uses`), each of
            shape (n_features,).
        trees: Bunch of the quantiles .05, .5 and .95 of `leaves` and `depth`; `agreement`, of
            classes the chance that two refits predict the same class for a row, the mean over the
            rows, of a number the root of the mean variance of the predictions, in units of the
            target (NaN of one refit); `similarity` and `similarity_quantiles` of the leaves of two
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

    def multiplicities(self, i: int) -> np.ndarray:
        """How often refit i was given each row, shape (n_rows,): a fit on the rows with these as
        weights (times their own) grows its tree."""
        return self._draw(range(self.repeats)[i])

    def thresholds(self, column: str) -> Any:
        """Every test of a column in the refits.

        Args:
            column: a column of the model; of a date its parts.

        Returns:
            Bunch of arrays of equal length: `depth` of the test and number of the `refit`, and
            `threshold` of a number, or `levels`: the names that go to the first branch, as a tuple
            (empty of a test with a branch per level).

        Raises:
            ValueError: no column of the model.
        """
        schema = self._fitted._schema
        if column not in schema.names:
            raise ValueError(
                f"column={column!r} is no column of the model; there are {', '.join(schema.names)}"
            )
        j = schema.names.index(column)
        found: dict[str, list[Any]] = {"depth": [], "refit": [], "threshold": [], "levels": []}
        for refit, arrays in enumerate(self._arrays()):
            nodes = np.flatnonzero(arrays["feature"] == j)
            found["depth"] += arrays["depth"][nodes].tolist()
            found["refit"] += [refit] * len(nodes)
            found["threshold"] += arrays["threshold"][nodes].tolist()
            found["levels"] += [_levels(arrays, node, schema.levels[j]) for node in nodes.tolist()]
        what = "levels" if schema.nominal[j] else "threshold"
        values: Any = found[what]
        if what == "threshold":
            values = np.array(values, dtype=np.float64)
        return Bunch(
            depth=np.array(found["depth"], dtype=np.int64),
            refit=np.array(found["refit"], dtype=np.int64),
            **{what: values},
        )

    def votes(self, X: Any) -> Any:
        """Predictions of all refits.

        Returns:
            Of classes the share of refits that say each, shape (n_rows, n_classes); where a tree
            predicts nothing, a row sums to less than 1. Of a number a Bunch of `mean` and `std`
            (divisor repeats - 1), shape (n_rows,) each.
        """
        blocks, n = _blocks(self._fitted, self._models, X)
        return _votes(self._models, self._fitted, blocks, n).shares()

    def _arrays(self) -> Iterator[dict[str, np.ndarray]]:
        return (model.arrays() for model in self._models)

    def root_sentence(self) -> str:
        """What the refits ask first, in one sentence."""
        shares = self.features.root
        first = [j for j in np.argsort(-shares, kind="stable").tolist() if shares[j] > 0][:3]
        names = [one_line(self.features.names[j]) for j in first]
        counts = [self._of_refits(shares[j]) for j in first]
        asked = [f"{name} in {count}" for name, count in zip(names, counts, strict=True)]
        none = 1.0 - float(shares.sum())
        if none * self.repeats > 0.5:
            asked.append(f"nothing in {self._of_refits(none)}")
        return f"Of {counted(self.repeats, 'tree')} on resampled rows the first question is " + (
            ", ".join(asked) + "."
        )

    def _of_refits(self, share: float) -> str:
        return f"{round(share * self.repeats)}"

    def _samples(self) -> str:
        if self.sample == "bootstrap":
            return "bootstrap samples"
        return f"subsamples of {100 * self.fraction:.3g} %"

    def caution(self) -> list[str]:
        """Whether the samples suit the tree: a line if they do not."""
        if self.sample == "subsample" or not is_by_test(self._fitted):
            return []
        return [
            "Copies of a row make p-values too small, and the refits split too often: use "
            'sample="subsample".'
        ]

    def to_text(self) -> str:
        """The counts as text."""
        names, used = list(map(one_line, self.features.names)), self.features.used
        order = np.argsort(-(used + self.features.uses / 1e6), kind="stable").tolist()
        body = [
            (names[j], f"{100 * used[j]:.0f} %", f"{100 * self.features.root[j]:.0f} %",
             f"{self.features.uses[j]:.2f}")
            for j in order[:SHOWN] if used[j] > 0
        ]  # fmt: skip
        table = columns_text(("feature", "used", "first", "tests"), body, [False, *[True] * 3])
        more = int((used > 0).sum()) - len(body)
        never = int((used == 0).sum())
        trees = self.trees
        low, middle, high = trees.leaves
        lines = [
            f"{counted(self.repeats, 'refit')} on {self._samples()} of "
            f"{counted(self.n_rows, 'row')}",
            *self.caution(),
            self.root_sentence(),
            "",
            *table,
            *([f"... {counted(more, 'more feature')}"] if more > 0 else []),
            *([f"Never asked: {counted(never, 'feature')}"] if never else []),
            "",
            f"Leaves {middle:g} ({low:g} to {high:g} in nine of ten refits), depth "
            f"{trees.depth[1]:g} ({trees.depth[0]:g} to {trees.depth[2]:g})",
        ]
        if self._fitted._task == "regression":
            lines.append(f"Predictions for a row differ by {trees.agreement:.4g} (standard "
                         "deviation over refits)")  # fmt: skip
        else:
            lines.append(f"Two refits predict the same class in {100 * trees.agreement:.1f} %")
        lines.append(
            f"Their leaves are alike by {trees.similarity:.2f} (0: unrelated, 1: the same division)"
        )
        if self.nodes is not None:
            lines += ["", "Each node searched again on resamples of its own rows, which is "
                      "conditional on the way to it:"]  # fmt: skip
            lines += [_node_line(one) for one in self.nodes.values()]
        elif self.why_no_nodes:
            lines += ["", self.why_no_nodes]
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """The counts in plain Python values, for JSON; without the refits."""
        rows = zip(*(self.features[k] for k in ("names", "used", "root", "uses")), strict=True)
        return {
            "repeats": self.repeats,
            "sample": self.sample,
            "features": [
                {"feature": n, "used": float(u), "root": float(r), "uses": float(t)}
                for n, u, r, t in rows
            ],
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
        """Shares of refits per feature; see `fasttree.plots.stability_bars`. Returns the axes."""
        from ..plots import stability_bars

        return stability_bars(self, ax=ax)

    def legend(self) -> list[str]:
        """What the shares behind the tests of a text mean."""
        if self.nodes is not None:
            said = ["Percentages: searches of the node that choose the feature of its test."]
            return said + self.caution()
        return [
            "Percentages: refits that ask the feature of the test, of the root as the first, of",
            "other nodes anywhere.",
            *self.caution(),
        ]

    def share_of(self, node: int) -> str:
        """The share of a node's test, as the text of a tree shows it."""
        if self.nodes is not None:
            return f"{100 * self.nodes[node].chosen:.0f} %"
        j = int(self._fitted.tree_.feature[node])
        shares = self.features.root if node == 0 else self.features.used
        return f"{100 * shares[self._place(j)]:.0f} %"

    def sentence_of(self, node: int) -> str:
        """The share of a node's test, in a sentence."""
        if self.nodes is not None:
            return (
                f"Of {counted(self.repeats, 'search')} of this node on resamples of its rows "
                f"{self.share_of(node)} choose this column."
            )
        place = "somewhere" if node else "first"
        refits = counted(self.repeats, "tree")
        return f"Of {refits} on resampled rows {self.share_of(node)} ask this column {place}."

    def _place(self, j: int) -> int:
        """The given column of a column of the model."""
        schema = self._fitted._schema
        part = schema.date_parts.get(schema.names[j])
        return j if part is None else self.features.names.index(part[0])


def _levels(arrays: dict[str, np.ndarray], node: int, levels: Sequence[Any]) -> tuple[Any, ...]:
    """Names of the levels that go to the first child of a subset node."""
    first = int(arrays["first_level"][node])
    codes = arrays["levels"][first : first + int(arrays["n_levels"][node])]
    return tuple(levels[code] for code in codes.tolist())


def _node_line(one: NodeStability) -> str:
    """What is known of a node, in a line."""
    line = f"node {one.node}: {one_line(one.feature)} {100 * one.chosen:.0f} %"
    if one.thresholds is not None:
        low, _, high = one.thresholds
        line += f", threshold {low:.6g} to {high:.6g}"
    if one.same_division is not None:
        line += f", the same division {100 * one.same_division:.0f} %"
    rivals = [
        f"{one_line(name)} {100 * share:.0f} %" for name, share in list(one.rivals.items())[:3]
    ]
    line += f"; else {', '.join(rivals)}" if rivals else ""
    return line + (f"; no split {100 * one.none:.0f} %" if one.none > 0 else "")


class _Votes:
    """Sums over the predictions of refits for n rows."""

    def __init__(self, n_classes: int, n: int) -> None:
        self.n_refits, self.n_classes = 0, n_classes
        # of classes the last column counts trees that predict nothing
        self.counts = np.zeros((n, n_classes + 1), dtype=np.int64)
        self.mean, self.squares = np.zeros(n), np.zeros(n)

    def add(self, answers: np.ndarray) -> None:
        """Count the answers of a refit: codes of classes, or numbers."""
        self.n_refits += 1
        if self.n_classes:
            self.counts[np.arange(len(answers)), answers] += 1  # -1 is the last column
            return
        change = answers - self.mean
        self.mean += change / self.n_refits
        self.squares += change * (answers - self.mean)

    def variance(self) -> np.ndarray:
        """Of the numbers of each row."""
        if self.n_refits < 2:
            return np.full(len(self.mean), np.nan)
        return self.squares / (self.n_refits - 1)

    def agreement(self) -> float:
        """See `Stability`."""
        refits = self.n_refits
        if refits < 2:
            return float("nan")
        if not self.n_classes:
            return float(np.sqrt(self.variance().mean()))
        pairs = (self.counts * (self.counts - 1)).sum(axis=1)
        return float(pairs.mean() / (refits * (refits - 1)))

    def shares(self) -> Any:
        """See `Stability.votes`."""
        if self.n_classes:
            return self.counts[:, :-1] / self.n_refits
        return Bunch(mean=self.mean, std=np.sqrt(self.variance()))


def _blocks(fitted: Any, models: list[Any], X: Any) -> tuple[list[np.ndarray], int]:
    """New rows as the core takes them, with all columns that the refits read."""
    reader = copy(fitted)
    reader._schema = copy(fitted._schema)
    reader._schema.__dict__.pop("read", None)
    reader._schema.tested = sorted({j for model in models for j in model.tested()})
    return reader._blocks(X)


def _votes(models: list[Any], fitted: Any, blocks: list[np.ndarray], n: int) -> _Votes:
    found = _Votes(len(getattr(fitted, "classes_", ())), n)
    for model in models:
        if found.n_classes:
            found.add(np.asarray(model.predict(blocks, n, fitted.n_jobs)))
        else:
            found.add(fitted._answers(model, blocks, n))
    return found


def _likeness(a: np.ndarray, b: np.ndarray) -> float:
    """I(A; B) / H(A, B) of two divisions of the rows; 1 where both are one part."""
    n = len(a)

    def entropy(codes: np.ndarray) -> float:
        counts = np.unique(codes, return_counts=True)[1] / n
        return float(-(counts * np.log(counts)).sum())

    joint = entropy(a.astype(np.int64) * (int(b.max()) + 1) + b)
    return 1.0 if joint <= 0 else (entropy(a) + entropy(b) - joint) / joint


def _similarities(
    models: list[Any], blocks: list[np.ndarray], n: int, seed: int, n_jobs: Any
) -> np.ndarray:
    """Of the leaves of seeded pairs of refits; NaN of one refit."""
    if len(models) < 2:
        return np.array([np.nan])
    random = np.random.default_rng([seed, len(models)])
    first = random.integers(len(models), size=PAIRS)
    second = (first + random.integers(1, len(models), size=PAIRS)) % len(models)
    used = np.unique(np.concatenate([first, second])).tolist()
    leaves = {i: np.asarray(models[i].apply(blocks, n, n_jobs)) for i in used}
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.array([_likeness(leaves[i], leaves[j]) for i, j in pairs])


class _Resamples:
    """Draws of rows, or of whole groups, each from the seed and the number of its refit.

    Attributes:
        n_rows: number of the rows.
        groups: the group of each row; None where rows are drawn.
    """

    def __init__(
        self, rows: TrainingRows, sample: str, fraction: float, groups: np.ndarray | None, seed: int
    ) -> None:
        self.n_rows, self.groups = len(rows.table), groups
        self._drawable, self._seed = rows.drawable, seed
        drawn = self._drawable if groups is None else groups[self._drawable]
        units, self._unit_of = np.unique(drawn, return_inverse=True)
        self._n_units = len(units)
        self._n_kept = None if sample == "bootstrap" else int(fraction * len(units))
        if self._n_kept == 0:
            raise ValueError(f"fraction={fraction} of {len(units)} rows or groups leaves none")

    def draw(self, i: int) -> np.ndarray:
        """How often each row is in sample i, shape (n_rows,)."""
        random, n = np.random.default_rng([self._seed, i]), self._n_units
        if self._n_kept is None:
            drawn = random.integers(n, size=n)
        else:
            drawn = random.permutation(n)[: self._n_kept]
        found = np.zeros(self.n_rows, dtype=np.int64)
        found[self._drawable] = np.bincount(drawn, minlength=n)[self._unit_of]
        return found


def _shares_columns(fitted: Any, rows: TrainingRows) -> bool:
    """Whether trees of a forest are refits of this one to the bit: growth learns nothing from the
    rows but the tree, and nothing is random."""
    weights, params = rows.weights, fitted.get_params(deep=False)
    is_grown = "splitter" in params and fitted._task == "classification"
    if not is_grown or rows.class_weights is not None:
        return False
    usual = {"threshold_search": "exact", "splitter": "best", "max_features": None,
             "cost_matrix": None, "pruning": None}  # fmt: skip
    return (
        all(params[name] == value for name, value in usual.items())
        and not (params["ccp_alpha"] or params["merge_redundant"])
        and params["missing"] != "mode"
        and params["ties"] != "random"
        and isinstance(criteria.make(fitted.criterion), criteria.Criterion)
        and criteria.evidence_of(criteria.make(fitted.criterion)) == "table"
        and params["discretize"] in (None, "auto")
        and not params["honest"]
        and (weights is None or _are_copies_without_shares(weights, params))
    )


def _are_copies_without_shares(weights: np.ndarray, params: dict[str, Any]) -> bool:
    """Whether weights are whole, and no limit is a share of the copies, which differ by sample."""
    shares = (params["min_samples_split"], params["min_samples_leaf"])
    return (
        bool(np.all(weights == np.floor(weights)))
        and not any(isinstance(share, float) for share in shares)
        and not params["min_weight_fraction_leaf"]
    )


def _as_forest(
    fitted: Any, rows: TrainingRows, repeats: int, seed: int, *, n_jobs: Any, progress: Any
) -> tuple[list[Any], Callable[[int], np.ndarray]]:
    """Refits as the trees of a forest, and their draws on the rows of the fit."""
    table, weights = rows.table, rows.weights
    n = len(table) if weights is None else int(np.count_nonzero(weights))
    copies = copies_of(len(table), rows.copies)[0]
    params = {**fitted.get_params(deep=False), "random_state": seed, "trace": None}
    config, _ = config_of(params, table, rows.copies, sampled=float(copies))
    config.update(seed=seed, parameters="{}")
    model = _engine.forest_fit(
        table,
        config,
        {"trees": repeats, "draws": n},
        n_jobs=n_jobs,
        progress=progress,
        sample_weight=weights,
    )

    def draw(i: int) -> np.ndarray:
        data, own = _engine.dataset_of(table, n_jobs), _engine.as_weights(weights)
        counts = _engine.core.bag_counts(data, config, n, [model.seeds[i]], own, n_jobs)
        return np.asarray(counts[0])

    return [model.tree(t, "{}") for t in range(repeats)], draw


def _as_fits(
    fitted: Any, rows: TrainingRows, draws: _Resamples, repeats: int, *, n_jobs: Any, progress: Any
) -> list[Any]:
    """Refits as fits of their own, on as many copies of each row as were drawn."""
    step, models = counter(progress, "refits", repeats), []
    for i in range(repeats):
        drawn = np.repeat(np.arange(draws.n_rows), draws.draw(i))
        again = clone(fitted)
        words = {"n_jobs": n_jobs, "progress": None, "trace": None}
        again.set_params(**{k: v for k, v in words.items() if k in again._get_param_names()})
        with quiet(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            groups = {}
            if getattr(again, "honest", None):  # copies of a row must not grow a tree and judge it
                groups["groups"] = drawn if draws.groups is None else draws.groups[drawn]
            again.fit(rows.table.take(drawn), **groups)
        models.append(again._model)
        step()
    return models


def _refits(
    fitted: Any,
    rows: TrainingRows,
    groups: np.ndarray | None,
    *,
    sample: str,
    fraction: float,
    repeats: int,
    random_state: int,
    **words: Any,
) -> tuple[list[Any], Callable[[int], np.ndarray]]:
    """Models of the refits, and the draws of their rows."""
    draws = _Resamples(rows, sample, fraction, groups, random_state)
    if sample == "bootstrap" and groups is None and _shares_columns(fitted, rows):
        return _as_forest(fitted, rows, repeats, random_state, **words)
    return _as_fits(fitted, rows, draws, repeats, **words), draws.draw


def _counts(models: list[Any], schema: Any) -> tuple[Any, Any]:
    """Counts of features, and sizes of the refits."""
    n = len(schema.names)
    uses, roots = np.zeros((len(models), n)), np.zeros((len(models), n))
    sizes = np.empty((len(models), 2))
    for i, model in enumerate(models):
        feature = model.arrays()["feature"]
        uses[i] = np.bincount(feature[feature >= 0], minlength=n)
        if feature[0] >= 0:
            roots[i, feature[0]] = 1.0
        _, sizes[i, 0], _, sizes[i, 1] = model.shape
    uses, roots = schema.by_given_column(uses), schema.by_given_column(roots)
    features = Bunch(
        names=list(schema.given_names),
        used=(uses > 0).mean(axis=0),
        root=roots.mean(axis=0),
        uses=uses.mean(axis=0),
    )
    return features, np.quantile(sizes, QUANTILES, axis=0, method="inverted_cdf").T


def _no_nodes(fitted: Any, table: Table) -> str:
    """Why nodes cannot be searched one by one; empty: they can."""
    params = fitted.get_params(deep=False)
    grows = "min_impurity_decrease" in params
    if not grows or params.get("evaluation", "local") != "local":
        return "Nodes are not searched one by one: the whole tree decides about each split."
    if is_honest(fitted):
        return "Nodes are not searched one by one: other rows than theirs have chosen the tests."
    tree = fitted.tree_
    tested = np.unique(tree.feature[tree.missing_branch == -2]).tolist()
    if any(table.columns[j].n_missing for j in tested):
        return "Nodes are not searched one by one: rows with missing values are in several nodes."
    return ""


@checked(
    repeats=whole(1),
    sample=choice("bootstrap", "subsample"),
    fraction=number_in(0.0, 1.0, above=True),
    random_state=whole(0),
)
def stability(
    fitted: Any,
    X: Any,
    y: MaybeArray = None,
    *,
    repeats: int = 500,
    sample: str = "bootstrap",
    fraction: float = 0.632,
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
        nodes: also resample the rows of each node and search it alone, `repeats` times.
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
    X, y, labels = fitted._rows_and_groups(X, y, groups)
    with quiet():
        table, sample_weight, kept = fitted._labelled_table(X, y, sample_weight)
        # The Table carries the weights, so that parts of its rows have theirs.
        table = table.take(slice(None))
        table.sample_weight = own_weights(table, sample_weight)
        rows = fitted._weighted(table, None, kept)
    table = rows.table
    names = [column.name for column in table.columns]
    if names != list(fitted._schema.names):
        raise ValueError(
            "X has other columns than the model was fitted on: "
            f"{', '.join(names[:5])}; the model has {', '.join(fitted._schema.names[:5])}"
        )
    codes = None if labels is None else rows.groups(labels)
    options: dict[str, Any] = {"sample": sample, "fraction": fraction, "repeats": repeats,
                               "n_jobs": n_jobs}  # fmt: skip
    models, draw = _refits(
        fitted, rows, codes, random_state=random_state, progress=progress, **options
    )
    blocks, n = _blocks(fitted, models, table)
    features, (leaves, depth) = _counts(models, fitted._schema)
    likeness = _similarities(models, blocks, n, random_state, n_jobs)
    trees = Bunch(
        leaves=leaves,
        depth=depth,
        agreement=_votes(models, fitted, blocks, n).agreement(),
        similarity=float(likeness.mean()),
        similarity_quantiles=np.quantile(likeness, QUANTILES),
    )
    why = _no_nodes(fitted, table) if nodes else ""
    searched = None
    if nodes and not why:
        searched = dict(_searched_nodes(fitted, rows, codes, random_state, options))
    return Stability(
        repeats,
        sample,
        fraction,
        len(table),
        features,
        trees,
        searched,
        why,
        models,
        fitted,
        lambda i: rows.as_given(draw(i), 0),
    )


def _of_one_split(fitted: Any, n_rows: int, weight: float, total: float) -> Any:
    """The estimator that searches one node alone, with limits in rows of the whole tree."""
    again = clone(fitted)
    params = again.get_params(deep=False)
    changed: dict[str, Any] = {"max_depth": 1, "max_leaf_nodes": None, "pruning": None,
                               "ccp_alpha": 0.0}  # fmt: skip
    for name in ("min_samples_split", "min_samples_leaf"):
        if isinstance(params[name], float):
            changed[name] = max(
                1 + (name == "min_samples_split"), int(-(-params[name] * n_rows // 1))
            )
    changed["min_impurity_decrease"] = params["min_impurity_decrease"] * total / weight
    changed["min_weight_fraction_leaf"] = min(
        0.5, params["min_weight_fraction_leaf"] * total / weight
    )
    return again.set_params(**{k: v for k, v in changed.items() if k in params})


def _searched_nodes(
    fitted: Any,
    rows: TrainingRows,
    groups: np.ndarray | None,
    random_state: int,
    options: dict[str, Any],
) -> Iterator[tuple[int, NodeStability]]:
    """Each test of the tree, searched on resamples of its node's rows."""
    tree, table = fitted.tree_, rows.table
    leaf = np.asarray(fitted.apply(table))
    ends, weight = tree.subtree_ends(), tree.weighted_n_node_samples
    for node in np.flatnonzero(tree.n_children > 0).tolist():
        inside = np.flatnonzero((leaf >= node) & (leaf < ends[node]))
        one = _of_one_split(fitted, len(table), float(weight[node]), float(weight[0]))
        part = one._weighted(table.take(inside), None)
        codes = None if groups is None else groups[inside]
        models, _ = _refits(
            one, part, codes, random_state=random_state + node, progress=None, **options
        )
        yield node, _of_searches(models, node, tree, fitted._schema)


def _of_searches(models: list[Any], node: int, tree: Any, schema: Any) -> NodeStability:
    """What the searches of a node have found."""
    j, n = int(tree.feature[node]), len(models)
    found = [model.arrays() for model in models]
    chosen = np.array([int(arrays["feature"][0]) for arrays in found])
    same = [arrays for arrays, c in zip(found, chosen, strict=True) if c == j]
    counts = np.bincount(chosen[chosen >= 0], minlength=len(schema.names))
    rivals = {
        schema.names[k]: float(counts[k] / n)
        for k in np.argsort(-counts, kind="stable").tolist()
        if counts[k] and k != j
    }
    thresholds, division = None, None
    if tree.n_groups[node]:  # no division in two
        pass
    elif schema.nominal[j]:
        levels, first = schema.levels[j], tuple(tree.levels_of(node).tolist())
        whole = frozenset(range(len(levels)))
        own = {frozenset(first), whole - frozenset(first)}
        alike = [
            {d, whole - d} == own
            for arrays in same
            for d in [frozenset(levels.index(x) for x in _levels(arrays, 0, levels))]
        ]
        division = float(sum(alike) / n)
    elif same:
        values = [float(arrays["threshold"][0]) for arrays in same]
        low, middle, high = np.quantile(values, QUANTILES, method="inverted_cdf").tolist()
        thresholds = (low, middle, high)
    none = float((chosen < 0).mean())
    return NodeStability(
        node, schema.names[j], float(counts[j] / n), rivals, none, thresholds, division
    )
