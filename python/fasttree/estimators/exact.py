"""Trees that are proven: the smallest consistent tree, the cheapest tree of limited depth; by
search instead of growth.

What
    `minimal_tree` finds a consistent tree (right on every training row) with the fewest nodes. When
    a limit ends the search, it gives the best one so far with bounds that say how far it can be
    from the smallest. Tests are ``x <= r``; the levels of a nominal column count as numbers in
    their declared order, so a test divides the order in two. `optimal_tree` minimises the share of
    misclassified rows plus a price a leaf, over trees of limited depth or size.
Source
    Spaeh & Kosub, "Global Evaluation for Decision Tree Learning": *consistent* and *minimal* of
    section 2.2, the distance of section 3.1. The problem is NP-complete (Hancock, Jiang, Li & Tromp
    1996). Optimal trees: Lin et al., "Generalized and scalable optimal sparse decision trees"
    (2020); Demirovic et al., "MurTree" (2022).
Equation
    Let s(S) be the fewest splits of a consistent tree of the rows S. Then s(S) = 0 if S has one
    class, else min over tests of 1 + s(left) + s(right). S within T implies s(S) <= s(T). A tree of
    s splits has 2 s + 1 nodes. `optimal_tree`: min over trees of errors / n + leaf_penalty x
    leaves.
Complexity
    Exponential in the size of the tree, mild in the rows: along a feature the costs of both sides
    are monotone, so thresholds are bisected, not listed. The table of solved row sets takes at most
    256 MB and is then emptied.
When not to use it
    `minimal_tree` on noisy rows: a consistent tree of those is large and says little, and its proof
    does not end. `optimal_tree` deeper than 2 on columns of hundreds of distinct numbers: bin them
    first, or be content with a gap.

Examples
--------
>>> import fasttree
>>> model = fasttree.minimal_tree(fasttree.datasets.make_monks(1))
>>> model.n_nodes_, model.lower_bound_, model.proven_
(15, 15, True)
"""

from __future__ import annotations

import json
import math
import time
from typing import Any

import numpy as np

from .. import _engine
from .._checks import as_float, integer, one_of, real, shown
from .._checks.aliases import CategoricalFeatures, ColumnUse, MaybeArray
from ..rendering.listing import Records
from ..rendering.progress import Progress
from .base import read_back
from .tree import FastTreeClassifier

__all__ = [
    "MinimalTreeClassifier",
    "OptimalTreeClassifier",
    "minimal_tree",
    "optimal_tree",
    "restored",
]


def _limit(name: str, value: Any, low: int) -> int | None:
    return None if value is None else integer(name, value, low)


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    seconds = as_float(value)
    if seconds is None or not 0 <= seconds < math.inf:
        raise ValueError(f"time_limit={shown(value)} must be None or a number of seconds >= 0")
    return seconds


class _Searched(FastTreeClassifier):
    """What searched trees share: they predict, print, explain and are kept like grown ones."""

    criterion, evaluation, pruning, ccp_alpha, merge_redundant = (
        "info_gain",
        "local",
        None,
        0.0,
        None,
    )
    handle_unknown, missing, class_weight, n_jobs, trace = "missing", "error", None, None, "steps"

    max_nodes: int | None
    time_limit: float | None
    node_budget: int | None

    def _limits(self) -> dict[str, Any]:
        return {
            "max_nodes": _limit("max_nodes", self.max_nodes, 1),
            "time_limit": _seconds(self.time_limit),
            "node_budget": _limit("node_budget", self.node_budget, 1),
        }

    def _searchable(
        self, X: Any, y: MaybeArray, sample_weight: MaybeArray
    ) -> tuple[dict[str, Any], Any, Any]:
        """Limits, encoded rows and weights of a search, whose time began with the call."""
        started = time.monotonic()
        limits = self._limits()
        rows = self._training_rows(X, y, sample_weight)
        table, weights = rows.table, rows.weights
        _engine.dataset_of(table)
        if limits["time_limit"] is not None:
            limits["time_limit"] = max(0.0, limits["time_limit"] + started - time.monotonic())
        return limits, table, weights

    def _finish(self, model: _engine.Model, classes: np.ndarray, has_names: bool) -> None:
        self._candidates = {}
        self._adopt(model, classes, has_names)
        found = json.loads(model.parameters)["found"]
        self.lower_bound_ = found["lower_bound"]
        self.upper_bound_ = found.get("upper_bound", self.n_nodes_)
        self.proven_ = self.lower_bound_ == self.upper_bound_
        self.n_search_nodes_ = int(found["search_nodes"])
        self.training_errors_ = float(found["errors"])

    def _grown(self) -> FastTreeClassifier:
        """The same tree in an estimator that has the parameters of growth."""
        grown = FastTreeClassifier(
            categorical_features=self.categorical_features, columns=self.columns
        )
        grown._candidates = {}
        grown._adopt(self._model, self.classes_, self._schema.has_names)
        return grown

    def prune(self, *args: Any, **options: Any) -> Any:
        """A pruned tree, as a `FastTreeClassifier`; see `FastTreeClassifier.prune`."""
        return self._grown().prune(*args, **options)

    def explain(
        self,
        node: int = 0,
        X: Any = None,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
    ) -> Records:
        """Information gain of all candidate splits of a node; see `FastTreeClassifier.explain`."""
        return self._grown().explain(node, X, y, sample_weight)

    def cost_complexity_pruning_path(
        self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None
    ) -> Any:
        """Not of searched trees.

        Raises:
            ValueError: always; the path belongs to a tree that is grown.
        """
        raise ValueError(
            "cost_complexity_pruning_path grows a tree: ask FastTreeClassifier(...) for it, or "
            "prune this one"
        )


class MinimalTreeClassifier(_Searched):
    """The smallest tree that is right on every training row.

    Args:
        max_nodes: trees of more nodes are not searched for. When there is none, the best tree known
            is kept and `lower_bound_` exceeds `max_nodes`.
        time_limit: wall time of `fit` in seconds, >= 0, kept within half a second; None is no
            limit. The only parameter that lets the answer depend on the machine.
        node_budget: search nodes (row sets looked at with a budget of splits), >= 1; None is no
            limit.
        errors: what is done with rows that agree on every feature but not on the class.
            ``"raise"``: an error naming two of them. ``"minimise"``: the weight of misclassified
            rows is made as small as any tree can, then the nodes.
        categorical_features, columns: as in `FastTreeClassifier`.
        progress: None, or a function (done, total) called every 50 ms: splits proven too few,
            splits of the first tree.

    Attributes:
        lower_bound_: no consistent tree has fewer nodes.
        upper_bound_: nodes of this tree (`n_nodes_`).
        proven_: the bounds meet: the tree is minimal.
        n_search_nodes_: search nodes opened.
        training_errors_: weight of the training rows that every tree gets wrong (0 with
            ``errors="raise"``).
        classes_, tree_, trace_, ...: as in `FastTreeClassifier`; scores of splits are information
            gains in bits.

    Raises:
        ValueError: missing values (column and row are named), contradictory rows, more than 65,535
            distinct rows or 64 classes, a limit outside its domain.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = MinimalTreeClassifier(errors="minimise").fit(X, y)
        >>> model.proven_, model.n_nodes_ == model.lower_bound_
        (True, True)
    """

    def __init__(
        self,
        *,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        node_budget: int | None = None,
        errors: str = "raise",
        categorical_features: CategoricalFeatures = "from_dtype",
        columns: ColumnUse = "auto",
        progress: Progress = None,
    ) -> None:
        self.max_nodes = max_nodes
        self.time_limit = time_limit
        self.node_budget = node_budget
        self.errors = errors
        self.categorical_features = categorical_features
        self.columns = columns
        self.progress = progress

    def fit(
        self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None
    ) -> MinimalTreeClassifier:
        """Search.

        Args:
            X: rows, or a `Table` with its target (then y is None).
            y: labels, shape (n_rows,).
            sample_weight: weights >= 0, shape (n_rows,): rows of weight 0 are dropped; other
                weights matter only with ``errors="minimise"``.

        Returns:
            The estimator.
        """
        minimise = one_of("errors", self.errors, ("raise", "minimise")) == "minimise"
        limits, table, weights = self._searchable(X, y, sample_weight)
        model = _engine.minimal_tree(
            table,
            limits,
            minimise,
            _parameters(self),
            sample_weight=weights,
            progress=self.progress,
        )
        self._finish(model, table.class_values, table.has_feature_names)
        self._remember_rounding(table)
        return self


class OptimalTreeClassifier(_Searched):
    """The tree of least errors / n + leaf_penalty x leaves within limits of depth and size.

    Args:
        max_depth: longest path in tests, >= 0; None is no limit.
        leaf_penalty: penalty per leaf as a share of the rows, >= 0: errors that a leaf must save.
        max_nodes: largest number of nodes; None is no limit. One of these three must limit the
            tree.
        time_limit: wall time of `fit` in seconds, >= 0, kept within half a second; None is no
            limit. The only parameter that lets the answer depend on the machine.
        node_budget: search nodes (row sets looked at), >= 1; None is no limit.
        categorical_features: as in `FastTreeClassifier`; levels count as numbers in their declared
            order.
        columns: as in `FastTreeClassifier`.
        progress: None, or a function (done, total) called every 50 ms: tests of the root.

    Attributes:
        lower_bound_: no tree within the limits has a smaller objective.
        upper_bound_: the objective of this tree.
        proven_: the bounds meet: the tree is optimal.
        n_search_nodes_: search nodes opened.
        training_errors_: misclassified training rows (copies by weight).
        classes_, tree_, trace_, ...: as in `FastTreeClassifier`; scores of splits are information
            gains in bits.

    Raises:
        ValueError: missing values (column and row are named), weights that are not whole numbers,
            nothing that limits the tree, a parameter outside its domain.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> model.training_errors_, model.proven_
        (6.0, True)
    """

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        leaf_penalty: float = 0.0,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        node_budget: int | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        columns: ColumnUse = "auto",
        progress: Progress = None,
    ) -> None:
        self.max_depth = max_depth
        self.leaf_penalty = leaf_penalty
        self.max_nodes = max_nodes
        self.time_limit = time_limit
        self.node_budget = node_budget
        self.categorical_features = categorical_features
        self.columns = columns
        self.progress = progress

    def fit(
        self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None
    ) -> OptimalTreeClassifier:
        """Search.

        Args:
            X: rows, or a `Table` with its target (then y is None).
            y: labels, shape (n_rows,).
            sample_weight: whole numbers >= 0, shape (n_rows,): copies of the rows.

        Returns:
            The estimator.
        """
        objective = {
            "max_depth": _limit("max_depth", self.max_depth, 0),
            "leaf_penalty": real("leaf_penalty", self.leaf_penalty, 0.0, 1e9),
        }
        limits, table, weights = self._searchable(X, y, sample_weight)
        model = _engine.optimal_tree(
            table,
            objective,
            limits,
            _parameters(self),
            sample_weight=weights,
            progress=self.progress,
        )
        self._finish(model, table.class_values, table.has_feature_names)
        self._remember_rounding(table)
        return self


def _parameters(estimator: _Searched) -> str:
    kept = {k: v for k, v in estimator.get_params(deep=False).items() if k != "progress"}
    return json.dumps({"learner": type(estimator).__name__, **kept}, sort_keys=True, default=_plain)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else repr(value)


def minimal_tree(
    X: Any,
    y: MaybeArray = None,
    *,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    node_budget: int | None = None,
    errors: str = "raise",
    sample_weight: MaybeArray = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    columns: ColumnUse = "auto",
    progress: Progress = None,
) -> MinimalTreeClassifier:
    """The smallest consistent tree: ``MinimalTreeClassifier(...).fit(X, y, sample_weight)``.

    Args:
        X: rows, or a `Table` with its target (then y is None).
        y: labels, shape (n_rows,).
        max_nodes, time_limit, node_budget, errors, categorical_features, columns, progress: see
            `MinimalTreeClassifier`.
        sample_weight: weights >= 0, shape (n_rows,).

    Returns:
        A fitted `MinimalTreeClassifier`: it predicts, prints and is saved like any tree, and tells
        `lower_bound_`, `upper_bound_` and `proven_`.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.make_xor()
        >>> model = fasttree.minimal_tree(table)
        >>> model.n_nodes_, model.proven_, float(model.score(table))
        (7, True, 1.0)
    """
    estimator = MinimalTreeClassifier(
        max_nodes=max_nodes,
        time_limit=time_limit,
        node_budget=node_budget,
        errors=errors,
        categorical_features=categorical_features,
        columns=columns,
        progress=progress,
    )
    return estimator.fit(X, y, sample_weight)


def optimal_tree(
    X: Any,
    y: MaybeArray = None,
    *,
    max_depth: int | None = None,
    leaf_penalty: float = 0.0,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    node_budget: int | None = None,
    sample_weight: MaybeArray = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    columns: ColumnUse = "auto",
    progress: Progress = None,
) -> OptimalTreeClassifier:
    """The cheapest tree: ``OptimalTreeClassifier(...).fit(X, y, sample_weight)``.

    Args:
        X: rows, or a `Table` with its target (then y is None).
        y: labels, shape (n_rows,).
        max_depth, leaf_penalty, max_nodes, time_limit, node_budget: see `OptimalTreeClassifier`.
        categorical_features, columns, progress: see `OptimalTreeClassifier`.
        sample_weight: whole numbers >= 0, shape (n_rows,).

    Returns:
        A fitted `OptimalTreeClassifier`: it predicts, prints and is saved like any tree, and tells
        `lower_bound_`, `upper_bound_` and `proven_`.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.make_monks(1)
        >>> (
        ...     fasttree.optimal_tree(table, leaf_penalty=0.01).n_nodes_,
        ...     fasttree.optimal_tree(table, max_depth=1).n_nodes_,
        ... )
        (15, 3)
    """
    estimator = OptimalTreeClassifier(
        max_depth=max_depth,
        leaf_penalty=leaf_penalty,
        max_nodes=max_nodes,
        time_limit=time_limit,
        node_budget=node_budget,
        categorical_features=categorical_features,
        columns=columns,
        progress=progress,
    )
    return estimator.fit(X, y, sample_weight)


def restored(model: _engine.Model) -> MinimalTreeClassifier | OptimalTreeClassifier:
    """The estimator of a model file that a search has written.

    Raises:
        ValueError: parameters that no search has written.
    """
    try:
        params: dict[str, Any] = json.loads(model.parameters)
        known = {kind.__name__: kind for kind in (MinimalTreeClassifier, OptimalTreeClassifier)}
        estimator, classes, has_names = read_back(known[params["learner"]], model)
        estimator._finish(model, classes, has_names)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"not a valid fasttree model: its parameters cannot be read ({error})"
        ) from error
    return estimator
