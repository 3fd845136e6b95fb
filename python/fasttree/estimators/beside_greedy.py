"""`GreedyComparison`: what `OptimalTreeClassifier.compare_with_greedy` returns.

What
    `beside_greedy` grows a tree by each criterion within the limits of an optimal tree, and
    computes the objective of the optimal tree for each. `GreedyComparison` lists the differences.
Equation
    excess = (sum of loss over the leaves of the grown tree - the same sum over the leaves of the
    optimal tree) / n + leaf_penalty x (difference of leaves). For a criterion that is a sum over
    the leaves, minus its score on the table of leaves and classes is the mean loss up to a constant
    of the rows.
Complexity
    One growth per criterion.
When not to use it
    As a verdict on criteria for new rows: these are losses on the rows of the fit.

Examples:
    >>> import fasttree
    >>> model = fasttree.optimal_tree(fasttree.datasets.make_xor(), max_depth=2)
    >>> found = beside_greedy(model, fasttree.datasets.make_xor(), None, ["gini"])
    >>> found[0]["errors"], found.optimum
    (0.0, 0.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import criteria
from .._checks.naming import display_name
from ..exports.tables.html import bar
from ..exports.tables.listing import Records
from ..table import Column, Table
from .costs import costs_of
from .tree import FastTreeClassifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIVISIONS = {
    "ordered": "levels cut in their declared order",
    "one_vs_rest": "one level against the others",
    "subset": "levels divided in any way",
}
"""How a search divides the levels of a nominal column, by `nominal_splits`."""


def two_way_tests(model: Any) -> str:
    """A text on the tests that a search tried, if a nominal column has three or more levels; else
    "".

    In such a column the search divides the levels in two, while growth may make one branch per
    level, so a comparison of both must name the difference.
    """
    if not any(len(levels) > 2 for levels in model._schema.levels):
        return ""
    return f"two-way tests only, {DIVISIONS[getattr(model, 'nominal_splits', 'ordered')]}"


class GreedyComparison(Records):
    """Grown trees beside an optimal one: one dict per criterion, least loss first.

    Args:
        rows: dicts with ``criterion``; ``errors``, the weight of the misclassified rows; ``more``,
            how many more than the optimal tree has; ``loss``, the objective of the optimal tree,
            computed for the grown tree; ``excess``, how much ``loss`` is above the loss of the
            optimal tree; ``leaves``, the number of leaves.
        model: the optimal tree.

    Attributes:
        objective: what the optimal tree minimises: ``"error"``, ``"cost"`` or a criterion.
        optimum: its value, a mean per unit of weight.
        lower_bound: no tree within the limits has a smaller one.
        tests: a text on the tests of all these trees, where a nominal column has three or more
            levels (`fasttree.fit` may make one branch for each level); else empty.
    """

    def __init__(self, rows: Sequence[dict[str, Any]], model: Any) -> None:
        self.objective: str = objective_of(model)
        self.optimum: float = model.upper_bound_
        self.lower_bound: float = model.lower_bound_
        self.tests: str = two_way_tests(model)
        worst = max((row["excess"] for row in rows), default=0.0)
        by_errors = self.objective == "error"
        super().__init__(
            rows,
            {
                "criterion": "criterion",
                "errors": "errors",
                "more than optimal": "more",
                **({} if by_errors else {"loss": "loss", "excess": "excess"}),
                "": lambda row: bar(max(row["excess"], 0.0) / worst if worst > 0 else 0.0),
                "leaves": "leaves",
            },
            title=f"Greedy growth beside {model.training_errors_:g} errors"
            f"{'' if by_errors else f' and a loss of {self.optimum:.4g} ({self.objective})'}"
            f"{'' if model.proven_ else ', not proven to be the least'}",
            notes=[
                f"All trees: {self.tests}. A tree that fasttree.fit grows may have fewer errors: "
                "nominal_splits='auto' makes a branch of each level."
            ]
            if self.tests
            else (),
        )

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the loss of each grown tree beside the loss of the optimal tree.

        Args:
            ax: the axes to draw on; None makes a new figure.
            options: further arguments of `fasttree.plots.greedy_losses`.

        Returns:
            The axes of matplotlib.
        """
        from ..plots import greedy_losses

        return greedy_losses(self, ax=ax, **options)


def criteria_of_growth() -> list[str]:
    """Names of all criteria that score a table of branches and classes, in the order of the
    registry.

    A comparison grows one tree by each of them unless the caller names some. Criteria on pairs,
    neighbours or rows are left out: they do not score such a table.
    """
    rows = criteria.list_criteria(target="classes")
    return [c["name"] for c in rows if c["evidence"] == "table"]


def objective_of(model: Any) -> str:
    """Name of what an optimal tree minimises: its criterion, ``"cost"``, or the name of `loss`."""
    if model.loss is not None:
        return display_name(model.loss)
    if model.cost_matrix is not None:
        return "cost"
    if model.criterion in ("error", "matthews"):
        return str(model.criterion)
    made: Any = criteria.make(model.criterion)
    return str(made.name)


def _mean_loss(model: Any, n_classes: int) -> Callable[[np.ndarray], float]:
    """The mean loss that an optimal tree minimises, as a function of the leaves.

    Args:
        model: the optimal tree.
        n_classes: number of classes.

    Returns:
        A function of the weight by leaf and class, shape (n_leaves, n_classes), which gives the
        objective without the penalty per leaf, up to a constant that depends on the rows alone.
    """
    if model.loss is not None:
        return lambda leaves: float(np.sum(model.loss(leaves)) / leaves.sum())
    costs = costs_of(model.cost_matrix, n_classes)
    if costs is not None:
        return lambda leaves: float((leaves @ np.array(costs)).min(axis=1).sum() / leaves.sum())
    if objective_of(model) == "error":
        return lambda leaves: float(1.0 - leaves.max(axis=1).sum() / leaves.sum())
    made: Any = criteria.make(model.criterion)
    extensive = made.info["extensive"]
    return lambda leaves: float(-made.score(leaves) / (leaves.sum() if extensive else 1.0))


def _leaf_counts(model: Any) -> np.ndarray:
    """Weight by leaf and class, shape (n_leaves, n_classes)."""
    return np.asarray(model.tree_.value, dtype=float)[model.tree_.n_children == 0]


def codes_as_numbers(table: Table) -> Table:
    """The Table with each nominal column replaced by the numbers of its levels, in declared order.

    A tree that is grown on it cuts the order of the levels at a threshold, as an optimal tree with
    ``nominal_splits="ordered"`` does. A missing level becomes NaN.
    """
    return table.with_columns(
        Column(c.name, "numeric", c.numbers()) if c.kind == "nominal" else c for c in table.columns
    )


def _limits(model: Any) -> dict[str, Any]:
    """The limits of an optimal tree as parameters of a grown tree.

    Raises:
        ValueError: they leave room for one leaf only.
    """
    leaves = [model.max_leaf_nodes]
    leaves.append(None if model.max_nodes is None else (model.max_nodes + 1) // 2)
    most_leaves = [most for most in leaves if most is not None]
    limits = {"max_depth": model.max_depth, "max_leaf_nodes": min(most_leaves, default=None)}
    if limits["max_depth"] == 0 or limits["max_leaf_nodes"] == 1:
        raise ValueError(
            "compare_with_greedy: the limits leave room for one leaf only, so nothing can be "
            "grown; allow max_depth >= 1 and max_leaf_nodes >= 2"
        )
    return {**limits, "min_samples_leaf": model.min_samples_leaf}


def beside_greedy(
    model: Any, table: Table, weights: np.ndarray | None, names: Sequence[Any]
) -> GreedyComparison:
    """Grow a tree by each criterion within the limits of `model` and compare the objectives.

    Args:
        model: a fitted `OptimalTreeClassifier`.
        table: the rows of its fit, with their target.
        weights: weights >= 0, shape (n_rows,); None: all 1.
        names: criteria on tables of classes.

    Returns:
        The comparison.
    """
    if objective_of(model) in ("f_measure", "matthews"):
        raise ValueError(
            f"compare_with_greedy: criterion={objective_of(model)!r} is no sum over the leaves, so "
            "grown trees have no such objective; compare predictions by fasttree.metrics"
        )
    # To be comparable, trees grow with the tests of the search: nominal columns are divided in the
    # same way, and a row with a missing value goes to one of two sides.
    if model.nominal_splits == "ordered":
        table = codes_as_numbers(table)
    splits: Any = "auto" if model.nominal_splits == "ordered" else model.nominal_splits
    limits = _limits(model)
    loss = _mean_loss(model, len(table.classes))
    best, best_leaves = loss(_leaf_counts(model)), model.get_n_leaves()
    each = np.ones(len(table)) if weights is None else weights
    rows = []
    for name in names:
        tree = FastTreeClassifier(
            criterion=name,
            **limits,
            nominal_splits=splits,
            missing="mode",
            cost_matrix=model.cost_matrix,
            min_score=-math.inf,
            trace=None,
        ).fit(table, None, weights)
        leaves = int(tree.get_n_leaves())
        excess = loss(_leaf_counts(tree)) - best + model.leaf_penalty * (leaves - best_leaves)
        excess = 0.0 if abs(excess) < 1e-12 else excess  # the same leaves, in another order
        errors = float(each[tree.predict(table) != table.y].sum())
        rows.append(
            {
                "criterion": name,
                "errors": errors,
                "more": errors - model.training_errors_,
                "loss": model.upper_bound_ + excess,
                "excess": excess,
                "leaves": leaves,
            }
        )
    rows.sort(key=lambda row: (row["excess"], row["errors"]))
    return GreedyComparison(rows, model)
