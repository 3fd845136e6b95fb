"""The parameter `loss` of `OptimalTreeClassifier`: a function of leaves as a table of its values.

What
    The search asks for the loss of millions of leaves on several threads, and calls no Python. With
    two classes and whole weights there are at most (n_0 + 1)(n_1 + 1) different leaves, so the
    function is called for all of them once, before the search.
Equation
    The bounds of the search need of a loss L(i, j) of i rows of the first class and j of the second
    that L >= 0 and that one more row never costs less: L(i, j) <= L(i + 1, j), L(i, j + 1). Then
    the best tree of some rows costs no more than the best tree of more rows. The largest step
    between neighbours bounds how much one more row can cost.
Complexity
    O(n_0 n_1) time and memory, 8 bytes per leaf.
When not to use it
    For losses that a cost matrix or a criterion can express: these have no limit of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._checks import shown
from .._checks.naming import display_name
from .._checks.words import counted
from ..table import Table

MOST_LEAVES = 4_000_000
"""Largest number of different leaves, which 2,000 rows of each class reach."""
LINES_PER_CALL = 64
"""Lines of the table, each a number of rows of the first class, in one call of the function."""
ROUNDING = 1e-9
"""Share of the largest loss by which a loss may fall as rows are added: rounded sums do."""


def leaf_losses(
    loss: Callable[[np.ndarray], Any], table: Table, weights: np.ndarray | None
) -> list[float]:
    """The loss of each leaf that rows of a Table can form.

    The function is called with `LINES_PER_CALL` lines of the table at a time, so its own arrays
    stay small.

    Args:
        loss: a function of counts, shape (n_leaves, 2), that returns losses >= 0, (n_leaves,).
        table: rows with a target of two classes.
        weights: whole weights, shape (n_rows,); None: all 1.

    Returns:
        The losses of leaves with i rows of the first class and j of the second, by i, then j.

    Raises:
        ValueError: another number of classes, weights that are not whole, too many different
            leaves, or losses that are negative, not finite, or fall as rows are added.

    Examples:
        >>> table = Table([[0.0], [1.0], [2.0]], ["p", "q", "q"])
        >>> leaf_losses(lambda counts: counts.min(axis=1), table, None)
        [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    """
    name = f"loss={display_name(loss)}"
    if not callable(loss):
        raise ValueError(f"loss={shown(loss)} must be None or a function of counts (n_leaves, 2)")
    n_first, n_second = _class_totals(name, table, weights)
    losses = np.empty((n_first + 1, n_second + 1))
    for start in range(0, n_first + 1, LINES_PER_CALL):
        stop = min(start + LINES_PER_CALL, n_first + 1)
        counts = np.mgrid[start:stop, 0 : n_second + 1].reshape(2, -1).T.astype(float)
        returned = np.asarray(loss(counts))
        if returned.shape != (len(counts),) or returned.dtype.kind not in "biuf":
            raise ValueError(
                f"{name} returned {shown(returned)} for counts of shape {counts.shape}: it must "
                f"return {counted(len(counts), 'number')}, shape ({len(counts)},)"
            )
        losses[start:stop] = returned.reshape(stop - start, -1)
    return _without_rounding(name, losses).ravel().tolist()


def _class_totals(name: str, table: Table, weights: np.ndarray | None) -> tuple[int, int]:
    """The weight of the rows of each of the two classes.

    Args:
        name: the argument, for errors.
        table: rows with a target.
        weights: weights, shape (n_rows,); None: all 1.

    Raises:
        ValueError: another number of classes, weights that are not whole, or too many leaves.
    """
    if len(table.classes) != 2:
        raise ValueError(
            f"{name}: a function is asked for every leaf that can occur, which is possible for two "
            f"classes; the target has {len(table.classes)}: give a cost_matrix or a criterion"
        )
    totals = np.bincount(table.y_codes, weights, minlength=2)
    if weights is not None and np.any(np.mod(weights, 1) != 0):
        raise ValueError(
            f"{name}: a function is asked for every leaf that can occur, and there are too many "
            "with weights that are not whole: give whole weights, a cost_matrix or a criterion"
        )
    n_first, n_second = (int(total) for total in totals)
    if (n_first + 1) * (n_second + 1) > MOST_LEAVES:
        raise ValueError(
            f"{name}: rows of weight {n_first:,} and {n_second:,} make more than {MOST_LEAVES:,} "
            "different leaves, which is as many as a function is asked for: give fewer rows, a "
            "cost_matrix or a criterion"
        )
    return n_first, n_second


def _without_rounding(name: str, losses: np.ndarray) -> np.ndarray:
    """The losses, each raised to the largest loss of a leaf with fewer rows: where rounding lets a
    loss fall by `ROUNDING` of the largest loss, they do not fall.

    Args:
        name: the argument, for errors.
        losses: by the number of rows of the first class, then of the second.

    Raises:
        ValueError: a loss that is negative or not finite, or falls by more than rounding explains.
    """
    _refuse_losses(
        name, losses, ~(np.isfinite(losses) & (losses >= 0)), "losses are finite and at least 0"
    )
    rising = np.maximum.accumulate(np.maximum.accumulate(losses, axis=0), axis=1)
    falls = rising - losses > ROUNDING * losses.max()
    _refuse_losses(name, losses, falls, "one row more must not cost less")
    return rising


def _refuse_losses(name: str, losses: np.ndarray, is_wrong: np.ndarray, rule: str) -> None:
    """Refuse losses; the error names the first one.

    Args:
        name: the argument, for the error.
        losses: by the number of rows of the first class, then of the second.
        is_wrong: whether each loss is refused, of the same shape.
        rule: the rule that losses must obey, in words.
    """
    if is_wrong.any():
        i, j = np.argwhere(is_wrong)[0]
        raise ValueError(f"{name} returned {losses[i, j]:.6g} for counts [{i}, {j}]: {rule}")
