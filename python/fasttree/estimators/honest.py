"""Honest trees, and confidence intervals for the predictions of leaves.

What
    In an honest tree some rows choose the tests and others are counted in the leaves: with
    ``honest=0.5`` half of the rows are kept for the leaves (`split_rows`).
    ``model.leaf_intervals()`` gives a confidence interval for what each leaf predicts.
Source and equation
    Athey & Imbens, "Recursive partitioning for heterogeneous causal effects", PNAS 113 (2016), for
    honesty. Shares of classes: Clopper & Pearson (1934), the Beta quantiles B(a/2; x, n - x + 1)
    and B(1 - a/2; x + 1, n - x), a = 1 - level, x of n rows. A mean m with the variance v (divisor
    n): m +- t(1 - a/2; n - 1) sqrt(v / (n - 1)). The q-quantile: the order statistics whose ranks
    are the a/2 and 1 - a/2 quantiles of the binomial distribution of n and q, the upper one plus 1.
    Weights that are no copies of rows: n = (sum w)^2 / sum w^2 (Kish 1965). In a leaf that holds
    parts f of rows, n = sum w f / max w, at most (sum w f)^2 / sum (w f)^2.
Complexity
    One walk of the kept rows down the tree; O(nodes x classes) for the intervals.
When not to use it
    For the most accurate tree: it grows on fewer rows. For an interval of a row's number and not of
    the mean of its leaf: `calibrate` and `predict_interval`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import criteria
from .._checks import checked, choice, number_in, shown
from .._checks.data_warnings import warn_caller
from .._checks.plain_text import one_line
from .._checks.words import counted
from ..datasets.inputs import resolve_names
from ..exports.answers import figures
from ..table.named_columns import pop_if_named
from ..table.sources import to_list
from .declaration import check
from .parameters import restored_parameters, seed_of
from .training_rows import TrainingRows

LEAST_ROWS = 10
"""Rows of weight > 0 from which on some can be kept for the leaves."""
DRAW = 1
"""Added to the seed, so that the draw is independent of the other random choices of a fit."""
SLACK = 1e-9
"""Relative error by which rounding may change a sum of weights."""


def with_groups(fitted: Any, X: Any, y: Any, groups: Any) -> tuple[Any, Any, list[Any]]:
    """Rows and target in place of names, and the group of each row.

    Args:
        fitted: the estimator, which must have `honest`.
        X, y: as in `fit`.
        groups: one per row, or the name of a column, which is taken out of X.
    """
    if check("honest", fitted.honest) is None:
        raise ValueError(
            "groups: only rows for honest leaves are drawn by groups; set honest=True, or leave "
            "groups out"
        )
    X, y = resolve_names(X, y, fitted._task, as_given=fitted._as_given)
    X, found = pop_if_named(X, groups, "groups")
    return X, y, to_list(found)


def split_rows(
    fitted: Any, rows: TrainingRows, groups: list[Any] | None = None
) -> tuple[TrainingRows, TrainingRows | None]:
    """Divide the rows of a fit into rows that grow the tree and rows that are kept for its leaves.

    Args:
        fitted: the estimator; `honest` and `random_state` say how many rows are kept, and which.
        rows: all rows of the fit.
        groups: the group of each given row; whole groups are drawn.

    Returns:
        The rows that grow the tree, and the rows for the leaves, which are None without `honest`.

    Raises:
        ValueError: too few rows or groups, or a parameter that does not go with honest leaves.
    """
    share = check("honest", getattr(fitted, "honest", None))
    if share is None:
        return rows, None
    drawable, name = rows.drawable, f"honest={shown(fitted.honest)}"
    if fitted.missing == "fractional":
        raise ValueError(
            f"{name} with missing='fractional': parts of rows are no observations; set "
            "missing='branch' or 'mode'"
        )
    if fitted.monotonic_cst is not None:
        raise ValueError(
            f"{name} with monotonic_cst: the rows of the leaves may contradict it; leave one out"
        )
    if len(drawable) < LEAST_ROWS:
        raise ValueError(
            f"{name}: {counted(len(drawable), 'row')} of weight > 0 are too few to keep some for "
            f"the leaves; give at least {LEAST_ROWS}, or leave honest out"
        )
    unit_of = drawable if groups is None else rows.groups(groups)[drawable]
    units = np.unique(unit_of)
    if len(units) < 2:
        raise ValueError(f"{name}: one group cannot be divided; give rows of several groups")
    random = np.random.default_rng([seed_of(fitted.random_state), DRAW])
    n_kept = min(max(round(share * len(units)), 1), len(units) - 1)
    is_kept = np.isin(unit_of, units[random.permutation(len(units))[:n_kept]])
    return rows.take(drawable[~is_kept]), rows.take(drawable[is_kept])


def leaf_weights(fitted: Any, rows: TrainingRows) -> tuple[float, np.ndarray | None]:
    """The facts about weights that `leaf_intervals` needs.

    They are computed at the end of a fit, because the model itself keeps only sums of weights.

    Args:
        fitted: the tree.
        rows: the rows that are counted in its nodes.

    Returns:
        The largest weight of a row; and for an honest tree with weights, the sum of the squared
        weights in each node, shape (n_nodes,), else None.
    """
    weights = rows.importances
    if weights is None or not is_honest(fitted):
        return 1.0 if weights is None else float(weights.max()), None
    squares = np.bincount(fitted.apply(rows.table), weights**2, minlength=fitted.n_nodes_)
    ends = fitted.tree_.subtree_ends().tolist()
    below = [squares[node:end].sum() for node, end in enumerate(ends)]
    return float(weights.max()), np.array(below)


def is_honest(fitted: Any) -> bool:
    """Whether a fitted tree is honest: no row in its leaves has chosen a test."""
    return restored_parameters(fitted._model.parameters).get("honest") is not None


@dataclass(frozen=True, repr=False)
class LeafIntervals:
    """Confidence intervals for the predictions of leaves, each on its own, not simultaneous.

    Attributes:
        low, high: ends of the intervals: for the share of each class, shape (n_nodes, n_classes);
            for a number, shape (n_nodes,). NaN at inner nodes.
        level: the chance of each interval to hold the true value.
        n: rows of each node as its interval counts them, shape (n_nodes,).
        notes: sentences on the limits of these intervals.
    """

    low: np.ndarray
    high: np.ndarray
    level: float
    n: np.ndarray
    notes: tuple[str, ...]
    _label: np.ndarray
    _classes: tuple[Any, ...]
    _is_empty: np.ndarray

    def said(self, node: int) -> str:
        """The interval of a leaf as text, such as "0.832 to 1". For classes it is the interval of
        the share of the predicted class. A leaf without rows has the interval of a node above, and
        the text says so."""
        at = node if self.low.ndim == 1 else (node, max(int(self._label[node]), 0))
        ends = f"{figures(float(self.low[at]), 3)} to {figures(float(self.high[at]), 3)}"
        return f"{ends} of a node above" if self._is_empty[node] else ends

    @property
    def title(self) -> str:
        """The level of the intervals and the quantity that they are for, as a heading without a
        full stop: the predicted number, or the share of the predicted class."""
        of = "prediction" if self.low.ndim == 1 else "share of the predicted class"
        return f"interval of level {self.level:g} for the {of}"

    def legend(self) -> list[str]:
        """The lines below a tree whose text has intervals in brackets: what the brackets mean, and
        the notes, such as the warning that intervals of a tree that is not honest are too
        narrow."""
        return [f"In brackets: the {self.title}.", *self.notes]

    def to_text(self) -> str:
        """The intervals as text: a heading, a line per leaf and the notes.

        The line of a leaf has its node number, the class whose share it gives (none for a number),
        the ends of the interval and the number of rows n that it is based on. Inner nodes are left
        out.
        """
        leaves = np.flatnonzero(~np.isnan(self.low.reshape(len(self.low), -1)[:, 0])).tolist()
        names = [f", {one_line(name)}" for name in self._classes] or [""]
        lines = [
            f"leaf {i}{names[max(int(self._label[i]), 0)]}: {self.said(i)} "
            f"(n = {figures(float(self.n[i]))})"
            for i in leaves
        ]
        return "\n".join([f"Intervals of level {self.level:g}", *lines, *self.notes]) + "\n"

    __str__ = to_text

    def __repr__(self) -> str:
        return f"LeafIntervals(level={self.level:g}, {counted(len(self.low), 'node')})"


@checked(level=number_in(0.0, 1.0, above=True, below=True), weights=choice("copies", "sampling"))
def leaf_intervals(fitted: Any, level: float = 0.95, weights: str = "copies") -> LeafIntervals:
    """An interval for what each leaf predicts, from the rows in it.

    In a tree with ``honest`` the rows of a leaf are a sample of its region, and an interval holds
    the true share, mean or quantile of the region with a chance of `level`: Clopper-Pearson for the
    share of each class, Student's t for a mean (of numbers that are about normal, or many), order
    statistics for a median or quantile. A leaf without rows has the interval of the node that it
    predicts as. With ``missing="fractional"`` a part of a row counts as that part of a row: n is
    the weight of the leaf, divided by the largest weight of a row.

    Args:
        level: the chance of each interval, above 0 and below 1.
        weights: ``"copies"``: a whole weight is that many rows. ``"sampling"``: weights say how
            rows were sampled, and n = (sum w)^2 / sum w^2 rows count, as always with fractional
            weights and class weights.

    Returns:
        `LeafIntervals` with ``low`` and ``high``, which prints as text;
        ``model.to_text(intervals=...)`` shows it in the tree.

    Raises:
        ValueError: an argument outside its domain; or weights or targets of rows are needed that
            the model does not hold: a model file has neither, and a tree that is not honest keeps
            no weights.

    Examples:
        >>> import fasttree
        >>> tree = fasttree.fit("iris", max_depth=1, honest=True, random_state=0)
        >>> print(tree.to_text(intervals=tree.leaf_intervals()), end="")
        petal length (cm) <= 2.6: setosa (20) [0.832 to 1]
        petal length (cm) > 2.6: versicolor (55/27) [0.371 to 0.646]
        In brackets: the interval of level 0.95 for the share of the predicted class.
    """
    check_is_fitted(fitted)
    tree, notes = fitted.tree_, []
    n = _effective_rows(fitted, weights)
    if not is_honest(fitted):
        why = (
            "the rows in the leaves have chosen the tests, so what they say is too good and the "
            "intervals are too narrow"
        )
        warn_caller(f"{why}: fit with honest=True", UserWarning)
        notes.append(f"Not honest: {why}.")
    squares, total = fitted._leaf_squares, tree.weighted_n_node_samples
    if n is total and squares is not None and squares[0] > total[0]:
        notes.append(
            f"n = {figures(float(n[0]))} counts the copies that weights stand for: of survey "
            "weights the intervals are too narrow; take weights='sampling'."
        )
    shape = tree.value.shape
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    leaves = np.flatnonzero(tree.n_children == 0)
    # A leaf without rows answers as the nearest node above that has some, or not at all.
    answering = np.arange(tree.node_count)
    for node in np.flatnonzero((total == 0) & (tree.label >= 0)).tolist():
        answering[node] = answering[tree.parent[node]]
    answers, n = answering[leaves], n.copy()
    n[leaves] = n[answers]
    tail = (1.0 - level) / 2
    if fitted._task == "classification":
        ends = _clopper_pearson(tree.value[answers], n[answers], tail)
    elif criteria.evidence_of(measure := criteria.make(fitted.criterion)) == "order":
        ends = _order_statistics(fitted, answers, n, getattr(measure, "q", 0.5), tail)
    else:
        ends = _student(tree.value[answers], tree.variance[answers], n[answers], tail)
    low[leaves], high[leaves] = ends
    known = (tree.label, fitted._schema.classes, total == 0)
    return LeafIntervals(low, high, level, n, tuple(notes), *known)


def known_intervals(fitted: Any) -> LeafIntervals | None:
    """The intervals of an honest tree, for pages that show them where they can be computed.

    None for a tree that is not honest, and for one from a model file that does not hold the weights
    or targets of its rows; `leaf_intervals` would be too narrow for the first and raises for the
    second.
    """
    if not is_honest(fitted):
        return None
    try:
        return leaf_intervals(fitted)
    except ValueError:  # of a model file
        return None


def _effective_rows(fitted: Any, weights: str) -> np.ndarray:
    """The effective number of rows in each node, shape (n_nodes,).

    Args:
        fitted: the tree.
        weights: ``"copies"`` or ``"sampling"``, as in `leaf_intervals`.

    Raises:
        ValueError: the weights of the rows are not known.
    """
    tree, largest, squares = fitted.tree_, fitted._largest_weight, fitted._leaf_squares
    total = tree.weighted_n_node_samples
    if weights == "copies" and np.array_equal(tree.n_node_samples, total):
        return total
    if squares is not None:
        return np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    if largest == 1.0 or (largest is not None and np.any(tree.missing_branch == -2)):
        return total / largest  # a part f of a row counts f at most
    raise ValueError(
        f"leaf_intervals(weights={weights!r}) needs the squared weights of the rows in the "
        "leaves, which a fit with honest= keeps and a model file does not: fit with "
        "honest=True, and pickle the estimator"
    )


def _clopper_pearson(
    counts: np.ndarray, n: np.ndarray, tail: float
) -> tuple[np.ndarray, np.ndarray]:
    """Clopper-Pearson intervals for the shares of the classes.

    Args:
        counts: weight by leaf and class, shape (n_leaves, n_classes).
        n: effective number of rows of each leaf, shape (n_leaves,).
        tail: probability beyond each end.

    Returns:
        Lower and upper ends, shape (n_leaves, n_classes) each.
    """
    from scipy.stats import beta

    total = counts.sum(axis=1)
    x = counts * np.divide(n, total, out=np.zeros_like(total), where=total > 0)[:, None]
    n = np.broadcast_to(n[:, None], x.shape)
    with np.errstate(invalid="ignore"):  # at the ends, where quantiles are not needed
        low, high = beta.ppf(tail, x, n - x + 1), beta.ppf(1 - tail, x + 1, n - x)
    return np.where(x > 0, low, 0.0), np.where(x < n * (1 - SLACK), high, 1.0)


def _student(
    mean: np.ndarray, variance: np.ndarray, n: np.ndarray, tail: float
) -> tuple[np.ndarray, np.ndarray]:
    """Student's t intervals for means, infinite for leaves of one row.

    Args:
        mean, variance, n: mean, variance and rows of each leaf, shape (n_leaves,); the variance has
            the divisor n.
        tail: probability beyond each end.
    """
    from scipy.stats import t

    degrees, far = np.maximum(n - 1, SLACK), n <= 1 + SLACK
    half = np.where(far, np.inf, t.ppf(1 - tail, degrees) * np.sqrt(variance / degrees))
    return mean - half, mean + half


def _order_statistics(
    fitted: Any, nodes: np.ndarray, n: np.ndarray, q: float, tail: float
) -> tuple[np.ndarray, np.ndarray]:
    """Order statistics as intervals for quantiles; an end for which there are too few rows is
    infinite.

    Args:
        fitted: the tree, which knows its training targets.
        nodes: the nodes, shape (n_leaves,).
        n: effective number of rows of all nodes, shape (n_nodes,).
        q: the quantile, in [0, 1].
        tail: probability beyond each end.
    """
    from scipy.stats import binom

    targets, subtree_ends = fitted._targets_by_leaf(), fitted.tree_.subtree_ends()
    low, high = np.full(len(nodes), -np.inf), np.full(len(nodes), np.inf)
    for i, node in enumerate(nodes.tolist()):
        held = targets.held[node : subtree_ends[node]]
        order = np.argsort(held.indices, kind="stable")
        numbers, reached = targets.targets[held.indices[order]], np.cumsum(held.data[order])
        rows = int(n[node] * (1 + SLACK))
        ranks = binom.ppf(tail, rows, q), binom.ppf(1 - tail, rows, q) + 1
        for found, rank in zip((low, high), ranks, strict=True):
            if 1 <= rank <= rows:
                least = reached[-1] * (rank / rows) * (1 - SLACK)
                found[i] = numbers[np.searchsorted(reached, least)]
    return low, high
