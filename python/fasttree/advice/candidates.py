"""The fixed list of candidates of `advise`: it depends on the size and the columns of the data
only.

For classes Quinlan's C4.5 as J48 runs it comes first, then trees that are not pruned, as `fit`
grows them without parameters. Then come six criteria by three prunings, with a branch for each
level and with levels in two groups, and small trees that are not pruned; for a metric that looks at
classes otherwise than the accuracy does, small ones with weighted classes as well. Last comes CART,
pruned by cost complexity. For a number criteria on numbers take their place. `search` tries them in
this order, so a budget or a time limit leaves out the end of the list (`work_of` counts the work of
a candidate).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from .. import presets, pruning
from .._checks.words import counted
from ..estimators.automatic import share_missing

if TYPE_CHECKING:
    from ..table import Table


CRITERIA = ("info_gain", "gain_ratio", "gini", "mdl", "hellinger", "dkm")
PRUNINGS = ("error_based", "mdl", "pessimistic")
PRUNINGS_WITH_COSTS = ("reduced_error", "m_estimate")
"""Prunings that take a cost matrix into account."""
NOT_PRUNED = ("info_gain", "gini", "gain_ratio")
"""Criteria of the trees without pruning and of the trees pruned by cost complexity."""
ALPHA_RULES = ("min", "1se")
MAX_LEAVES = (4, 8, 16, 32, 64)
"""Sizes of the trees that are not pruned."""

ON_NUMBERS = ("squared_error", "absolute_error", "standard_deviation", "poisson")
"""Criteria on a number; the last one on numbers that are not negative."""
PRUNINGS_OF_NUMBERS = ("reduced_error", "m5")
MANY_CELLS = 2_000_000
"""Cells above which only every other criterion is tried."""

Work: TypeAlias = Literal["quick", "normal", "thorough"]
"""How many candidates `advise` tries, and on how many rows."""


@dataclass(frozen=True)
class Budget:
    """The work that a word of `Work` allows: a sum over all candidates and a number of rows."""

    units: float
    """Units of `work_of` that all candidates together may take."""
    rows: int
    """Rows that candidates are compared on, at most."""


WORK: dict[str, Budget] = {
    "quick": Budget(5e7, 10_000),
    "normal": Budget(5e8, 50_000),
    "thorough": Budget(2e10, 200_000),
}
"""The budget of each word: a normal one is spent in 10 to 30 seconds on one core of 2025."""
ROWS_OF_DEPTH = 400
"""Rows from which on the time of gain ratio grows with their square (measured on numeric
columns)."""

MANY_LEVELS = 10
"""Levels from which on the least absolute error takes five times the time of squared ones, not
two (measured; 46 levels take seven times)."""
LEVELS_PER_UNIT = 8
"""Levels that take the time of squared errors once more, where that is more (measured at 1,618)."""
SMALL_TREE_SHARE = 0.25
"""Share of the time of the least absolute error that a tree of few leaves takes."""


@dataclass(frozen=True)
class Candidate:
    """A candidate: its name, and `params`, the parameters of the tree. A constant is not a tree and
    has no criterion."""

    name: str
    criterion: str | None
    nominal_splits: str | None
    pruning: str | None
    params: dict[str, Any]


def candidates(
    table: Table,
    shared: dict[str, Any] | None = None,
    is_weighted: bool = False,
    max_leaf_nodes: int | None = None,
) -> list[Candidate]:
    """The candidates for a Table, in the order of trying.

    Args:
        table: the rows.
        shared: parameters that all trees have; with a `cost_matrix` only prunings that know costs
            are tried.
        is_weighted: whether trees of weighted classes are tried as well.
        max_leaf_nodes: most leaves of each tree; None: any number.

    Examples:
        >>> from fasttree import datasets
        >>> found = candidates(datasets.load_iris())
        >>> found[0].name, len(found)
        ('C4.5 (J48)', 33)
    """
    shared, n_rows = shared or {}, len(table)
    is_number = table.task == "regression"
    criteria, small_by = _criteria_of(table)
    # Groups of levels differ from single levels where a column has more than two.
    has_groups = any(c.levels is not None and len(c.levels) > 2 for c in table.columns)
    splits = ("multiway", "subset") if has_groups else ("multiway",)
    least = max(2, min(50, n_rows // 2000))
    min_leaf = max(least, min(5, n_rows // 20) if is_number else 0)
    has_costs = shared.get("cost_matrix") is not None
    limit = {} if max_leaf_nodes is None else {"max_leaf_nodes": max_leaf_nodes}
    found: list[Candidate] = []

    def add(name: str, pruned: str, /, **params: Any) -> None:
        kind = params.get("nominal_splits", "auto")
        params = {**limit, **params, **shared}
        found.append(Candidate(name, params["criterion"], kind, pruned, params))

    if not is_number:
        if not has_costs:
            add("C4.5 (J48)", "error_based", **presets.C45)
        for criterion in () if limit else NOT_PRUNED:
            add(f"{criterion} without pruning", "none", criterion=criterion)
    # Every criterion, pruned.
    prunings = PRUNINGS_WITH_COSTS if has_costs else PRUNINGS
    for method, nominal_splits, criterion in itertools.product(
        PRUNINGS_OF_NUMBERS if is_number else prunings, splits, criteria
    ):
        suffix = f", {nominal_splits}" if has_groups else ""
        add(
            f"{criterion} with {method.replace('_', '-')} pruning{suffix}",
            method,
            criterion=criterion,
            nominal_splits=nominal_splits,
            pruning=method,
            min_samples_leaf=min_leaf,
        )
    # Small trees, best first, not pruned; the classes as they are, alike, and halfway.
    sizes = sorted({min(size, max_leaf_nodes or size) for size in MAX_LEAVES})
    weights = {"": {}, **(_class_weights(table) if is_weighted else {})}
    for (suffix, more), leaves, criterion in itertools.product(weights.items(), sizes, small_by):
        add(
            f"{criterion} with at most {counted(leaves, 'leaf')}{suffix}",
            "none",
            criterion=criterion,
            nominal_splits=splits[-1],
            max_leaf_nodes=leaves,
            min_samples_leaf=min_leaf,
            **more,
        )
    # The most expensive candidates come last: each of their fits runs a cross-validation. It
    # estimates the cost of a leaf, so that leaves of two numbers may stay where they help.
    carts = small_by if is_number else NOT_PRUNED
    own = {"nominal_splits": splits[-1], "min_samples_leaf": least} if is_number else {}
    for criterion, rule in itertools.product(carts, ALPHA_RULES):
        add(
            f"{criterion} with cost-complexity pruning ({rule})",
            "cost_complexity",
            criterion=criterion,
            pruning=pruning.CostComplexity(ccp_alpha="cv", rule=rule),
            **own,
        )
    share_missing([one.params for one in found], table)
    return found


def _criteria_of(table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The criteria of the pruned trees, and the criteria of the small ones."""
    if table.exposure is not None:  # rates, which only this criterion weighs by exposure
        return ON_NUMBERS[-1:], ON_NUMBERS[-1:]
    criteria: tuple[str, ...] = CRITERIA
    small_by: tuple[str, ...] = ("gini",)
    if table.task == "regression":
        takes_poisson = table.numbers.min() >= 0 and np.any(table.numbers > 0)
        criteria, small_by = ON_NUMBERS if takes_poisson else ON_NUMBERS[:-1], ON_NUMBERS[:2]
    return criteria[:: 2 if math.prod(table.shape) > MANY_CELLS else 1], small_by


def _class_weights(table: Table) -> dict[str, dict[str, Any]]:
    """Parameters of trees of weighted classes, by the end of the names of these candidates."""
    counts = np.bincount(table.y_codes, minlength=len(table.classes))
    halfway = counts / len(table) / 2 + (counts > 0) / np.count_nonzero(counts) / 2
    priors = dict(zip(table.classes, halfway.tolist(), strict=True))
    return {
        ", balanced classes": {"class_weight": "balanced"},
        ", priors halfway to equal ones": {"priors": priors},
    }


def work_of(candidate: Candidate, table: Table, n_folds: int) -> float:
    """Units of work of a cross-validation: fits x rows x features x classes.

    A tree whose cost of a leaf is found by cross-validation is fitted once more per inner fold;
    gain ratio without C4.5's guard splits single rows off, so that its trees are as deep; the
    least absolute error sorts the numbers of each side, and of each order of levels. The count
    depends on the data alone, so the same candidates are tried on every machine.

    Examples:
        >>> from fasttree import datasets
        >>> table = datasets.load_iris()
        >>> work_of(candidates(table)[0], table, 30)
        54000.0
    """
    params, (n_rows, n_features) = candidate.params, table.shape
    n_classes = len(table.classes) if table.task == "classification" else 1
    units = float(n_folds * n_rows * n_features * max(1, n_classes))
    method = params.get("pruning")
    if getattr(method, "ccp_alpha", None) == "cv":
        units *= 1 + getattr(method, "folds", 0)
    if candidate.criterion == "gain_ratio" and not presets.C45.items() <= params.items():
        units *= max(1.0, n_rows / ROWS_OF_DEPTH)
    if candidate.criterion == "absolute_error":
        most = max((len(column.levels or ()) for column in table.columns), default=0)
        if candidate.nominal_splits == "subset" and most >= MANY_LEVELS:
            share = SMALL_TREE_SHARE if "max_leaf_nodes" in params else 1.0
            units *= max(5.0, share * most / LEVELS_PER_UNIT)
        else:
            units *= 2
    return units


def folds_for(n_rows: int) -> str:
    """Folds of the cross-validation, as `cross_validate` names them, by the number of rows.

    Examples:
        >>> folds_for(150), folds_for(5000), folds_for(100_000)
        ('3x10', '1x10', '1x5')
    """
    if n_rows <= 1000:
        return "3x10"
    return "1x10" if n_rows <= 20_000 else "1x5"


def rows_compared(n_rows: int, work: Work = "normal") -> int:
    """Number of rows that candidates are compared on; the recommended tree is fitted on all. It is
    `n_rows` where the limit of `work` is not reached (10,000, 50,000 or 200,000 rows)."""
    return min(n_rows, WORK[work].rows)
