"""The bound of the search, drawn from solved thresholds of a real data set.

What
    Along a column of wine, L(t) and R(t): the fewest errors of a tree of depth 1 left and right of
    threshold t. All are computed here; the search solves a few, and bounds say where between two of
    them the sum can still be below the best one known.
Complexity
    A search of depth 1 per threshold and side.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fasttree import datasets
from fasttree.estimators import OptimalTreeClassifier

__all__ = ["Solved", "draw_bound", "lower_bounds", "save_bound", "solve"]

COLUMN = "alcohol"

SOLVED_AT = (0.18, 0.5, 0.8)
"""Shares of the rows at the thresholds that are taken as solved."""


class Solved:
    """Errors by threshold of a column.

    Attributes:
        threshold: thresholds between different values, shape (n,).
        below: rows below each, shape (n,).
        left, right: fewest errors on both sides, shape (n,).
    """

    def __init__(self, threshold: Any, below: Any, left: Any, right: Any) -> None:
        self.threshold, self.below = np.array(threshold), np.array(below)
        self.left, self.right = np.array(left), np.array(right)


def solve(X: np.ndarray, y: np.ndarray, column: int, depth: int = 1) -> Solved:
    """Solve both sides of every threshold of a column.

    Examples:
        >>> found = solve(np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 1]), 0)
        >>> found.left.tolist(), found.right.tolist()
        ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    """

    def errors(rows: np.ndarray) -> float:
        if len(np.unique(y[rows])) < 2:
            return 0.0
        return OptimalTreeClassifier(max_depth=depth).fit(X[rows], y[rows]).training_errors_

    values = np.unique(X[:, column])
    thresholds = (values[1:] + values[:-1]) / 2
    sides = [X[:, column] <= t for t in thresholds]
    return Solved(
        thresholds,
        [side.sum() for side in sides],
        [errors(side) for side in sides],
        [errors(~side) for side in sides],
    )


def lower_bounds(found: Solved, solved: list[int]) -> np.ndarray:
    """What solved thresholds prove of the sum at all others, shape (n,).

    Fewer rows never cost more, and a row more costs at most 1.
    """
    P = found.below
    left, right = np.zeros(len(P)), np.zeros(len(P))
    for s in solved:
        after, before = s <= np.arange(len(P)), s >= np.arange(len(P))
        # More rows on the left than at s: at least its errors; fewer: one less per row at most.
        left = np.maximum(left, np.where(after, found.left[s], found.left[s] - (P[s] - P)))
        right = np.maximum(right, np.where(before, found.right[s], found.right[s] - (P - P[s])))
    return left + right


def draw_bound(found: Solved, name: str) -> Any:
    """The figure: above both sides, below the sum, its bound, and what is left to search."""
    from fasttree.plots.canvas import colour, new_figure, plain_frame

    solved = [int(np.searchsorted(found.below, share * found.below[-1])) for share in SOLVED_AT]
    total, bound = found.left + found.right, lower_bounds(found, solved)
    best = total[solved].min()
    figure, axes = new_figure(2, 1, width=7.6, height=6.4)
    upper, lower = axes
    for values, label, index in (
        (found.left, "L(t), left", 0),
        (found.right, "R(t), right", 1),
    ):
        upper.step(found.threshold, values, where="mid", color=colour(index), label=label)
        upper.scatter(found.threshold[solved], values[solved], color=colour(index), s=40, zorder=4)
    upper.set_ylabel("fewest errors of depth 1")
    upper.set_title("Solved thresholds (dots) bound all others", fontsize=11)
    upper.legend(frameon=False, fontsize=9)
    lower.step(found.threshold, total, where="mid", color=colour(2), label="L(t) + R(t)")
    lower.step(found.threshold, bound, where="mid", color="#333333", label="proven: at least this")
    lower.axhline(best, color="#999999", linestyle=(0, (4, 4)), linewidth=1.2)
    lower.annotate(
        f"best known: {best:g} errors",
        (found.threshold[-1], best),
        (0, 4),
        textcoords="offset points",
        ha="right",
        fontsize=9,
        color="#555555",
    )
    lower.scatter(found.threshold[solved], total[solved], color=colour(2), s=40, zorder=4)
    lower.fill_between(
        found.threshold,
        0,
        1,
        where=bound < best,
        step="mid",
        color="#dddddd",
        transform=lower.get_xaxis_transform(),
        zorder=0,
        label="still to be searched",
    )
    lower.set_ylim(bottom=0)
    lower.set_ylabel("errors")
    lower.set_xlabel(f"threshold of {name}")
    lower.legend(frameon=False, fontsize=9, loc="lower left")
    for ax in axes:
        plain_frame(ax)
    return figure


def save_bound(path: str | Path) -> None:
    """Solve, draw and write the picture."""
    from fasttree.plots.canvas import save_small

    table = datasets.load_wine()
    column = table.feature_names.index(COLUMN)
    save_small(draw_bound(solve(table.X, table.y_codes, column), COLUMN), path)
