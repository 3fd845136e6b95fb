"""Bars of what greedy growth loses against an optimal tree, by criterion.

One bar per criterion, least loss on top, from the optimum to the loss of the grown tree. Where the
optimum is not proven, a grey band shows between which bounds it lies. O(criteria).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import checked, having
from .canvas import AXES, Axes, axes_of, colour, finish


@checked(
    comparison=having("what compare_with_greedy returns", "optimum", "lower_bound", "tests"),
    ax=AXES,
)
def greedy_losses(comparison: Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Excess loss of greedily grown trees over an optimal tree, one bar per criterion.

    The excess is in per cent of the training weight for errors, else in units of the objective. A
    criterion that reaches the loss of the optimal tree has a diamond on the line of 0 instead of a
    bar. Beside each bar stands the number of leaves.

    Args:
        comparison: what `OptimalTreeClassifier.compare_with_greedy` returns.
        title: title of the axes; by default it names the optimum, and of nominal columns the tests.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        TypeError: `comparison` is something else.
        ImportError: matplotlib is not installed.

    Examples:
        >>> import fasttree
        >>> model = fasttree.optimal_tree("monks-1", max_depth=3)
        >>> found = model.compare_with_greedy("monks-1", names=["gini", "chi2"])
        >>> ax = greedy_losses(found)
        >>> [round(float(bar.get_width()), 2) for bar in ax.patches]
        [5.56, 5.56]
    """
    by_errors = comparison.objective == "error"
    unit = 100.0 if by_errors else 1.0
    excess = unit * np.array([row["excess"] for row in comparison])
    places = np.arange(len(excess))
    ax = axes_of(ax, height=max(2.2, 1.2 + 0.24 * len(excess)))
    ax.barh(places, excess, 0.72, color=colour(0))
    reached = places[excess == 0.0]
    ax.scatter(
        np.zeros(len(reached)), reached, s=42, marker="D", color=colour(1), zorder=4, clip_on=False
    )
    ax.axvline(0.0, color="#333333", linewidth=1.0)
    unproven = unit * max(comparison.optimum - comparison.lower_bound, 0.0)
    if unproven > 0.0:
        ax.axvspan(-unproven, 0.0, color="#dddddd", zorder=0)
    for place, row in zip(places, comparison, strict=True):
        ax.annotate(
            f"{row['leaves']} leaves",
            (max(excess[place], 0.0), place),
            (8, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color="#555555",
        )
    ax.set_yticks(places, [str(row["criterion"]) for row in comparison], fontsize=9)
    ax.set_ylim(len(excess) - 0.4, -0.6)
    # A sixth of the width is room for the words beside the longest bar.
    longest = max(float(excess.max(initial=0.0)), 0.01 * unit)
    ax.set_xlim(right=longest + 0.17 * (longest + unproven))
    measured = "errors, % of the training weight" if by_errors else f"loss ({comparison.objective})"
    label = (
        f"{measured}, more than the optimal tree"
        if unproven == 0.0
        else f"{measured}, more than the best tree known\ngrey: where the optimum may lie"
    )
    best = f"{unit * comparison.optimum:.3g}{' % errors' if by_errors else ''}"
    above = "the optimum" if unproven == 0.0 else "the best tree known"
    tests = f"\n{comparison.tests}" if comparison.tests else ""
    title = title or f"Greedy growth above {above} ({best}){tests}"
    return finish(ax, title, "x", xlabel=label)
