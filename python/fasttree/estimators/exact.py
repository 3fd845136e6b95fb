"""Exact trees: the smallest consistent tree, and the optimal tree of limited depth.

What
    Both are found by search, not by greedy growth, and the search proves them.
    `minimal_tree` finds a consistent tree (right on every training row) with the fewest nodes. When
    a limit ends the search, it returns the best tree so far, with bounds on the size of the
    smallest one. Tests are ``x <= r``; the levels of a nominal column count as numbers in
    their declared order, so a test divides the order in two. `optimal_tree` finds the tree of a
    depth that is best under the error, costs, or a criterion that is a sum over the leaves, and
    proves it.
Source
    Spaeh & Kosub, "Global Evaluation for Decision Tree Learning": *consistent* and *minimal* of
    section 2.2, the distance of section 3.1. The problem is NP-complete (Hancock, Jiang, Li & Tromp
    1996). Optimal trees: Brita, van der Linden & Demirovic, "Optimal classification trees for
    continuous feature data using dynamic programming with branch-and-bound" (AAAI 2025).
Equation
    Let s(S) be the fewest splits of a consistent tree of the rows S. Then s(S) = 0 if S has one
    class, else min over tests of 1 + s(left) + s(right). S within T implies s(S) <= s(T). A tree of
    s splits has 2 s + 1 nodes. `optimal_tree`: min over trees of the sum over the leaves of
    loss(leaf) / n + leaf_penalty.
Complexity
    Exponential in the size of the tree, mild in the rows: along a feature the costs of both sides
    are monotone, so thresholds are bisected, not listed. Ten thousand rows of numbers take
    milliseconds to seconds at depth 3 and minutes at depth 4. The tables of solved row sets take at
    most 256 MB and are then emptied.
When not to use it
    `minimal_tree` on noisy rows: their consistent trees are large and say little, and the proof
    does not end. `optimal_tree` deeper than 4 on numbers: the search may not end, and then leaves a
    gap between the bounds.

Examples:
    >>> import fasttree
    >>> model = fasttree.minimal_tree(fasttree.datasets.make_monks(1))
    >>> model.n_nodes_, model.lower_bound_, model.proven_
    (15, 15, True)
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _checks as checks
from .. import _engine, criteria
from .._checks.aliases import CategoricalFeatures, ColumnUse, MaybeArray, Self
from .._checks.naming import display_name
from .._checks.progress import Progress, make_report
from .beside_greedy import GreedyComparison, beside_greedy, criteria_of_growth, two_way_tests
from .classifying import Classifier
from .constructors import with_parameters_of
from .costs import costs_of
from .first_tests import FirstTests, first_tests
from .leaf_losses import leaf_losses
from .parameters import refuse_unknown, stored_parameters
from .training_rows import TrainingRows
from .tree import FastTreeClassifier
from .tree_estimator import TreeEstimator

LIMITS: dict[str, checks.Check] = {
    "max_nodes": checks.maybe(checks.at_least(1)),
    "time_limit": checks.maybe(checks.at_least_zero),
    "node_budget": checks.maybe(checks.at_least(1)),
}
"""The parameters that limit a search, with their checks."""

OBJECTIVE: dict[str, checks.Check] = {
    "max_depth": checks.maybe(checks.at_least(0)),
    "lookahead": checks.maybe(checks.at_least(1)),
    "max_leaf_nodes": checks.maybe(checks.at_least(1)),
    "min_samples_leaf": checks.at_least(1),
    "leaf_penalty": checks.number_in(0.0, 1e9),
    "nominal_splits": checks.choice("ordered", "one_vs_rest", "subset"),
    "ties": checks.choice("first", "any"),
}
"""Further parameters of `OptimalTreeClassifier`, with their checks."""


class _Searched(TreeEstimator, Classifier):
    """Base class of the two exact trees, which predict, print and are saved as grown trees are."""

    # Parameters of a grown tree that predictions, plots and prunings read.
    criterion, evaluation, pruning, ccp_alpha = "info_gain", "local", None, 0.0
    handle_unknown, trace = "missing", "steps"
    missing: Any = "error"
    n_jobs: int | None = None

    def _checked(self, domains: Mapping[str, checks.Check]) -> dict[str, Any]:
        """The values of some parameters after their checks, by name.

        Raises:
            ValueError: a value outside its domain.
        """
        return {name: check(name, getattr(self, name)) for name, check in domains.items()}

    def _search(
        self, X: Any, y: MaybeArray, sample_weight: MaybeArray
    ) -> tuple[TrainingRows, dict[str, Any], dict[str, Any]]:
        """Prepare a search. Its time limit counts from this call.

        Returns:
            The rows, the limits of the search, and the other arguments of the core.
        """
        started = time.monotonic()
        limits = self._checked(LIMITS)
        rows = self._training_rows(X, y, sample_weight)
        dataset = _engine.dataset_of(rows.table)
        if limits["time_limit"] is not None:
            limits["time_limit"] = max(0.0, limits["time_limit"] + started - time.monotonic())
        params = {**self.get_params(deep=False), "learner": type(self).__name__}
        search = {
            "data": dataset,
            "parameters": stored_parameters(params, rows.table.file_cells),
            "sample_weight": _engine.as_weights(rows.weights),
            "progress": make_report(self.progress, "search"),
        }
        return rows, limits, search

    def _load_model(self, model: _engine.Model, classes: np.ndarray, has_names: bool) -> None:
        super()._load_model(model, classes, has_names)
        search = json.loads(model.parameters)["found"]
        self.lower_bound_ = search["lower_bound"]
        self.upper_bound_ = search.get("upper_bound", self.n_nodes_)
        self.proven_ = self.lower_bound_ == self.upper_bound_
        self.n_search_nodes_ = int(search["search_nodes"])
        self.training_errors_ = float(search["errors"])

    def _summary_line(self) -> str:
        tests = two_way_tests(self)
        return f"{super()._summary_line()}{f'; {tests}' if tests else ''}"

    def _as_grown(self) -> FastTreeClassifier:
        """The same tree in an estimator that has the parameters of growth."""
        grown = FastTreeClassifier(
            categorical_features=self.categorical_features, columns=self.columns
        )
        grown._set_model(self._model, self.classes_, self._schema.has_names)
        return grown


@dataclass(kw_only=True, eq=False, repr=False)
class MinimalTreeClassifier(_Searched):
    """The smallest tree that is right on every training row.

    Consistent trees fit noise as well; the estimator serves to measure how far greedy growth is
    from the smallest tree, not to predict noisy data.

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
        proven_: whether the bounds meet, so that the tree is minimal.
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

    max_nodes: int | None = None
    time_limit: float | None = None
    node_budget: int | None = None
    errors: str = "raise"
    categorical_features: CategoricalFeatures = "from_dtype"
    columns: ColumnUse = "auto"
    progress: Progress = None

    def fit(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> Self:
        """Search for the smallest consistent tree, and keep it in the estimator.

        The search may take very long. Where `time_limit` or `node_budget` ends it, the best tree so
        far is kept, and `proven_` is False.

        Args:
            X: rows, or a `Table` with its target (then y is None).
            y: labels, shape (n_rows,).
            sample_weight: weights >= 0, shape (n_rows,): rows of weight 0 are dropped; other
                weights matter only with ``errors="minimise"``.

        Returns:
            The estimator.
        """
        minimise = checks.one_of("errors", self.errors, ("raise", "minimise")) == "minimise"
        rows, limits, search = self._search(X, y, sample_weight)
        model = _engine.core.minimal_tree(limits=limits, minimise_errors=minimise, **search)
        return self._finish_fit(model, rows)


@dataclass(kw_only=True, eq=False, repr=False)
class OptimalTreeClassifier(_Searched):
    """The tree of least loss + leaf_penalty x leaves within limits of depth and size, proven.

    The objective is the sum over the leaves of loss(leaf) / n, plus ``leaf_penalty`` x leaves; n is
    the training weight. All tests have two branches (of nominal columns see `nominal_splits`):
    `fit` may make one branch per level, and so have fewer errors at the same depth. Tests on
    numbers are ``x <= t`` with t midway between neighbouring values of the node's rows. A
    row whose value is missing goes with the side that makes the loss smaller: both are tried, and
    the missing values alone on one side.

    Args:
        criterion: ``"error"`` (a leaf costs the weight of its misclassified rows), or a criterion,
            by name or as an object, that is a sum over leaves of n_leaf x impurity. These are
            ``"gini"``, ``"info_gain"``, ``"g_statistic"``, ``"laplace"``, ``"dkm"``, ``"mdl"``. For
            two classes also ``"f_measure"`` (or `FMeasure(beta=...)`) and ``"matthews"``: the tree
            whose predictions of the training rows have the greatest F of the second class, or the
            greatest Matthews correlation; the objective is 1 minus that, and `leaf_penalty`,
            `lookahead` and `cost_matrix` are refused with them. Other criteria are refused.
        max_depth: longest path in tests, >= 0; None is no limit.
        lookahead: None, or a depth >= 1 down to which the tree is optimal, as if it ended there;
            below it grows greedily to `max_depth`. Not with limits on leaves or nodes. Nothing is
            proven then.
        max_leaf_nodes: largest number of leaves, >= 1; None is no limit.
        max_nodes: largest number of nodes, >= 1; None is no limit.
        min_samples_leaf: fewest rows of a leaf, >= 1; a whole `sample_weight` is that many rows.
            Above 1 most thresholds are solved twice, and the search takes longer.
        leaf_penalty: penalty per leaf as a share of the rows, >= 0: what a leaf must save. This or
            one of the limits on depth, leaves and nodes must be given.
        nominal_splits: tests of nominal columns. ``"ordered"``: cuts of the declared order of the
            levels. ``"one_vs_rest"``: one level against the others. ``"subset"``: all divisions of
            at most 8 levels.
        cost_matrix: ``cost_matrix[i, j]`` >= 0 is the cost of predicting class j for a row of class
            i, at most 1e150, shape (n_classes, n_classes), diagonal 0. The loss is then the cost,
            and leaves predict the class of least cost; `criterion` must be ``"error"``.
        loss: a function in place of the criterion: of the counts of the classes in leaves, shape
            (n_leaves, 2), it returns what each leaf costs, shape (n_leaves,). Two classes, whole
            weights, at most 4,000,000 different leaves (2,000 rows of each class): it is asked for
            all of them once. Losses must be at least 0, and one row more, of either class, must not
            cost less. `criterion` must be ``"error"``; leaves predict their largest class.
        ties: of several optimal trees, ``"first"`` finds the one with the fewest leaves, then, from
            the root down, the lowest column and the lowest threshold. ``"any"`` finds any, in less
            time.
        time_limit: wall time of `fit` in seconds, >= 0; None is no limit. Rows are sorted and two
            greedy trees are grown in any case, which on large tables takes longer than a short
            limit. The only parameter that lets the answer depend on the machine.
        node_budget: search nodes, >= 1; None is no limit. The search then takes one thread. A tree
            is never worse than the tree of `max_depth` - 1 with half of the budget.
        memory_limit: bytes that the search may allocate; None is no limit. The search counts memory
            before it allocates it: by row and column, and with ``"one_vs_rest"`` by row and level.
        n_jobs: threads; None is one, -1 all cores. With ``ties="first"`` the tree does not depend
            on them.
        on_interrupt: what Ctrl-C does. ``"raise"``: a KeyboardInterrupt. ``"return"``: the search
            ends as at a time limit, with the best tree so far; pressed again, it raises.
        categorical_features, columns: as in `FastTreeClassifier`.
        progress: None, or a function (done, total) called every 50 ms: lower bound and upper bound
            of the objective, in thousandths of the latter.

    Attributes:
        lower_bound_: no tree within the limits has a smaller objective.
        upper_bound_: the objective of this tree.
        gap_: how far the tree can be from the optimum at most: 1 - lower / upper, 0 if proven.
        proven_: the bounds meet: the tree is optimal.
        n_search_nodes_: search nodes opened.
        training_errors_: weight of the misclassified training rows.
        classes_, tree_, trace_, ...: as in `FastTreeClassifier`; scores of splits are information
            gains in bits.

    Raises:
        ValueError: nothing that limits the tree, a criterion without a loss, too many levels or
            classes, a parameter outside its domain.
        MemoryError: the rows need more than `memory_limit`.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> model.training_errors_, model.proven_
        (6.0, True)
        >>> gini = OptimalTreeClassifier(criterion="gini", max_depth=3).fit(X, y)
        >>> gini.training_errors_, gini.gap_
        (1.0, 0.0)
    """

    missing = "branch"
    criterion: Any = "error"
    max_depth: int | None = None
    lookahead: int | None = None
    max_leaf_nodes: int | None = None
    max_nodes: int | None = None
    min_samples_leaf: int = 1
    leaf_penalty: float = 0.0
    nominal_splits: str = "ordered"
    cost_matrix: Any = None
    loss: Any = None
    ties: str = "first"
    time_limit: float | None = None
    node_budget: int | None = None
    memory_limit: int | None = None
    n_jobs: int | None = None
    on_interrupt: str = "raise"
    categorical_features: CategoricalFeatures = "from_dtype"
    columns: ColumnUse = "auto"
    progress: Progress = None

    def _search(
        self, X: Any, y: MaybeArray, sample_weight: MaybeArray
    ) -> tuple[TrainingRows, dict[str, Any], dict[str, Any]]:
        objective = _criterion(self.criterion, self.cost_matrix, self.loss)
        objective |= self._checked(OBJECTIVE)
        on_machine = self._checked(
            {"n_jobs": lambda _, n: checks.threads(n), "memory_limit": checks.memory_limit}
        )
        rows, limits, search = super()._search(X, y, sample_weight)
        # The cost of a leaf, where it does not come from the criterion.
        if self.loss is not None:
            objective["leaf_losses"] = leaf_losses(self.loss, rows.table, rows.weights)
        else:
            objective["cost_matrix"] = costs_of(self.cost_matrix, len(rows.table.classes))
        return rows, limits, {**search, "objective": objective, **on_machine}

    def fit(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> Self:
        """Search for the optimal tree within the limits, and keep it in the estimator.

        The time grows exponentially with the depth. Where `time_limit` or `node_budget` ends the
        search, the best tree so far is kept, and `gap_` is the distance of its objective to the
        bound that is proven.

        Args:
            X: rows, or a `Table` with its target (then y is None).
            y: labels, shape (n_rows,).
            sample_weight: weights >= 0, shape (n_rows,).

        Returns:
            The estimator.
        """
        returns = checks.one_of("on_interrupt", self.on_interrupt, ("raise", "return")) == "return"
        rows, limits, search = self._search(X, y, sample_weight)
        model = _engine.core.optimal_tree(limits=limits, returns=returns, **search)
        return self._finish_fit(model, rows)

    def near_optimal(
        self,
        X: Any,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
        *,
        within: float = 0.01,
        max_trees: int = 20,
    ) -> FirstTests:
        """What every feature can do as the first test, and how many first tests are nearly optimal:
        a first test is nearly optimal if some tree below it has an objective of at most the optimum
        + `within`.

        First tests are counted, not whole trees: below a first test there are many trees as good,
        and listing those is another search. It takes about as long as one proof per feature, more
        with a large `within`; time limits and budgets of the estimator do not hold, Ctrl-C ends it.

        Args:
            X, y, sample_weight: the rows of the fit.
            within: distance to the optimum, >= 0, in units of the objective (with
                ``criterion="error"``: a share of the rows).
            max_trees: trees that are kept for `FirstTests.explore`, >= 0: of the best first test of
                every feature, then of the other tests, by their objective.

        Returns:
            One dict per feature, best first: ``feature``, its name; ``objective``, the objective of
            the best tree with this feature in its first test (None: the feature cannot be tested);
            ``more``, how much more than the optimum; ``tests``, how many of its first tests come
            within; ``found``, these tests (if there are none, the best one), each a dict with
            ``threshold`` (numbers up to it go left) or ``levels`` (these go left), ``missing``
            ("left" or "right", None where no value is missing), ``objective`` and ``tree``, the
            place of its best tree in the attribute ``trees`` (None: it is not kept). The method
            ``explore`` shows these trees beside a list of their first tests.

        Raises:
            ValueError: `lookahead`, a criterion that is no sum over the leaves, a negative
                `within` or `max_trees`.

        Examples:
            >>> from sklearn.datasets import load_iris
            >>> X, y = load_iris(return_X_y=True)
            >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
            >>> roots = model.near_optimal(X, y, within=0.01)
            >>> [(row["feature"], round(150 * row["objective"]), row["tests"]) for row in roots]
            [('x2', 6, 17), ('x3', 6, 10), ('x0', 9, 0), ('x1', 21, 0)]
        """
        within = checks.number_in(0.0, 1e9)("within", within)
        most_trees = checks.check_integer("max_trees", max_trees, 0)
        rows, limits, search = self._search(X, y, sample_weight)
        limits.update(time_limit=None, node_budget=None)
        searched, models = _engine.core.near_optimal(
            limits=limits, within=within, most_trees=most_trees, **search
        )
        params = self.get_params(deep=False)
        trees = [OptimalTreeClassifier(**params)._finish_fit(model, rows) for model in models]
        return first_tests(rows.table, searched, within, trees)

    def compare_with_greedy(
        self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None, *, names: Any = None
    ) -> GreedyComparison:
        """What greedy growth loses against this tree: one grown tree per criterion, within the same
        limits, least loss first.

        Nominal columns are divided as this tree divides them, missing values are replaced by mean
        and mode, and nothing is pruned: with a `leaf_penalty` a grown tree pays for all its leaves.

        Args:
            X, y, sample_weight: the rows of the fit.
            names: criteria on tables of classes; None: all of the registry.

        Returns:
            One dict per criterion: ``criterion``; ``errors``, the weight of the misclassified rows;
            ``more``, how many more than this tree has; ``loss``, this tree's objective for the
            grown tree; ``excess``, how much ``loss`` is above the loss of this tree; ``leaves``,
            the number of leaves. Its method ``plot`` draws the excess
            (`fasttree.plots.greedy_losses`).

        Raises:
            ValueError: limits that leave room for one leaf only; an unknown criterion.

        Examples:
            >>> from sklearn.datasets import load_iris
            >>> X, y = load_iris(return_X_y=True)
            >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
            >>> found = model.compare_with_greedy(X, y, names=["gini", "chi2"])
            >>> [(row["criterion"], row["errors"], row["more"]) for row in found]
            [('gini', 6.0, 0.0), ('chi2', 6.0, 0.0)]
        """
        names = criteria_of_growth() if names is None else checks.as_list("names", names)
        rows = self._training_rows(X, y, sample_weight)
        return beside_greedy(self, rows.table, rows.weights, names)

    def _load_model(self, model: _engine.Model, classes: np.ndarray, has_names: bool) -> None:
        super()._load_model(model, classes, has_names)
        gap = 1.0 - self.lower_bound_ / self.upper_bound_ if self.upper_bound_ > 0 else 0.0
        self.gap_ = 0.0 if self.proven_ else gap


def _criterion(criterion: Any, cost_matrix: Any, loss: Any) -> dict[str, Any]:
    """Name and options of the criterion of an objective, as the core reads them.

    Raises:
        ValueError: two of criterion, costs and loss, or a criterion that is a function.
    """
    if loss is not None and (cost_matrix is not None or not _is_named(criterion, "error")):
        raise ValueError(
            f"loss={checks.shown(loss)} takes the place of criterion and cost_matrix: leave these "
            "out"
        )
    if _is_named(criterion, "error", "matthews"):
        return {"criterion": criterion}
    if cost_matrix is not None:
        raise ValueError(
            f"criterion={checks.shown(criterion)} with a cost_matrix: costs take the place of the "
            "criterion; leave it at 'error'"
        )
    made = criteria.make(criterion)
    if not isinstance(made, criteria.Criterion):
        raise ValueError(
            f"criterion={display_name(criterion)} is a function that scores splits, and the search "
            "sums losses of leaves: name 'error' or a criterion that is a sum over leaves (gini, "
            "info_gain, ...), give a function of leaves as loss=, or grow a tree by it with "
            "fasttree.fit"
        )
    return {"criterion": made.name, "criterion_options": made.options()}


def _is_named(criterion: Any, *names: str) -> bool:
    """Whether a criterion was given by one of these names."""
    return isinstance(criterion, str) and criterion in names


@with_parameters_of(MinimalTreeClassifier, ())
def minimal_tree(
    X: Any,
    y: MaybeArray = None,
    *,
    sample_weight: MaybeArray = None,
    **params: Any,
) -> MinimalTreeClassifier:
    """The smallest consistent tree: ``MinimalTreeClassifier(...).fit(X, y, sample_weight)``.

    Use the class if the estimator is needed before the fit, in a pipeline or a cross-validation.

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
    refuse_unknown(MinimalTreeClassifier, "error", params)
    return MinimalTreeClassifier(**params).fit(X, y, sample_weight)


@with_parameters_of(OptimalTreeClassifier, ())
def optimal_tree(
    X: Any,
    y: MaybeArray = None,
    *,
    sample_weight: MaybeArray = None,
    **params: Any,
) -> OptimalTreeClassifier:
    """The best tree of a depth: ``OptimalTreeClassifier(...).fit(X, y, sample_weight)``.

    Use the class if the estimator is needed before the fit, in a pipeline or a cross-validation.

    Args:
        X: rows, or a `Table` with its target (then y is None).
        y: labels, shape (n_rows,).
        criterion, max_depth, lookahead, max_leaf_nodes, max_nodes: see `OptimalTreeClassifier`.
        min_samples_leaf, leaf_penalty, nominal_splits: see `OptimalTreeClassifier`.
        cost_matrix, loss, ties, time_limit, node_budget, memory_limit: see `OptimalTreeClassifier`.
        n_jobs, on_interrupt, categorical_features, columns, progress: see `OptimalTreeClassifier`.
        sample_weight: weights >= 0, shape (n_rows,).

    Returns:
        A fitted `OptimalTreeClassifier`: it predicts, prints and is saved like any tree, and tells
        `lower_bound_`, `upper_bound_`, `gap_` and `proven_`.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.make_monks(1)
        >>> (
        ...     fasttree.optimal_tree(table, leaf_penalty=0.01).n_nodes_,
        ...     fasttree.optimal_tree(table, max_depth=1).n_nodes_,
        ... )
        (15, 3)
    """
    refuse_unknown(OptimalTreeClassifier, "error", params)
    return OptimalTreeClassifier(**params).fit(X, y, sample_weight)
