"""Plots of a comparison over data sets: means as dots, and mean ranks with the critical difference.

`criteria_dots` shows the means of a `Comparison`, `rank_diagram` the critical difference diagram of
Demsar (2006). All numbers come from `fasttree.model_selection`; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks import checked, object_with
from ..exports.tables.table import scale_of
from .canvas import AXES, BESIDE, Axes, axes_of, colour, finish, marker


@checked(comparison=object_with("a Comparison", "means", "methods", "datasets"), ax=AXES)
def criteria_dots(comparison: Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Means of a `Comparison`: one row per data set, one mark per method.

    Data sets are ordered by the mean of the baseline, the best one on top. The baseline is a
    vertical line. A dot is filled if its method differs significantly from the baseline, else
    hollow.

    Args:
        comparison: a `Comparison`.
        title: title of the axes; by default it explains the dots.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        TypeError: `comparison` is not a `Comparison`.
        ImportError: matplotlib is not installed.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from fasttree.model_selection import compare
        >>> found = compare({"iris": load_iris(return_X_y=True)}, ["gini", "info_gain"], cv="2x3")
        >>> criteria_dots(found).get_xlabel()
        'accuracy (%)'
    """
    n_sets, n_methods = comparison.means.shape
    ax = axes_of(ax, width=7.5, height=1.6 + 0.24 * n_sets)
    factor, _, label = scale_of(comparison.metric)
    means = factor * comparison.means
    base = comparison.methods.index(comparison.baseline)
    # Rows are numbered from below, so the best data set comes last.
    order = np.argsort(means[:, base], kind="stable")
    if not comparison.greater_is_better:
        order = order[::-1]
    rows = np.arange(n_sets)
    # A grey line joins the worst and the best method of a data set.
    ax.hlines(
        rows,
        means[order].min(axis=1),
        means[order].max(axis=1),
        color="#cccccc",
        linewidth=2,
        zorder=1,
    )
    # The baseline is a vertical line, the other methods are dots.
    ax.vlines(
        means[order, base], rows - 0.34, rows + 0.34, color=colour(base), linewidth=2.4, zorder=4
    )
    for method in range(n_methods):
        if method == base:
            continue
        significant = comparison.marks[order, method] != ""
        ax.scatter(
            means[order, method],
            rows,
            s=34,
            marker=marker(method),
            facecolor=np.where(significant, colour(method), "none"),
            edgecolor=colour(method),
            linewidth=1.2,
            zorder=3,
        )
    ax.set_yticks(rows, [comparison.datasets[i] for i in order], fontsize=9)
    ax.set_ylim(-0.7, n_sets - 0.3)
    title = title or f"Filled: significantly different from {comparison.baseline}; hollow: not"
    legend = {"handles": _legend_handles(ax, comparison.methods, base), **BESIDE}
    return finish(ax, title, "x", size=10, legend=legend, xlabel=label)


def _legend_handles(ax: Axes, methods: Sequence[str], baseline: int) -> list[Any]:
    """One mark per method for the legend.

    Args:
        ax: the axes.
        methods: names of the methods.
        baseline: position of the method that others are compared with, which is drawn with another
            mark.
    """
    return [
        ax.scatter(
            [],
            [],
            s=90 if index == baseline else 34,
            marker="|" if index == baseline else marker(index),
            color=colour(index),
            linewidth=2.4 if index == baseline else 1.2,
            label=f"{method} (baseline)" if index == baseline else method,
        )
        for index, method in enumerate(methods)
    ]


@checked(ax=AXES)
def rank_diagram(result: Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Critical difference diagram: mean ranks on a line, bars below groups that do not differ.

    Methods in a group do not differ significantly by Nemenyi's test; CD is its critical difference.
    Where Iman & Davenport's test does not reject, all are one group, and the diagram says so.

    Args:
        result: a `FriedmanResult`, or a `Comparison`, whose Friedman test is computed.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes, switched off.

    Raises:
        TypeError: `result` is neither.
        ImportError: matplotlib is not installed.

    References:
        Demsar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.

    Examples:
        >>> from fasttree.model_selection import friedman_nemenyi
        >>> ax = rank_diagram(
        ...     friedman_nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2]], names=["a", "b", "c"])
        ... )
        >>> ax.axison
        False
    """
    if hasattr(result, "friedman"):
        result = result.friedman()
    object_with("a FriedmanResult or a Comparison", "mean_ranks", "names")("result", result)
    n_methods = len(result.names)
    n_left = (n_methods + 1) // 2  # methods named on the left; the others are on the right
    ax = axes_of(ax, width=7.5, height=1.6 + 0.28 * n_left + 0.14 * len(result.groups))
    # The scale of ranks, with a tick at every whole rank.
    ax.hlines(0, 1, n_methods, color="black", linewidth=1.2)
    for rank in range(1, n_methods + 1):
        ax.vlines(rank, 0, 0.12, color="black", linewidth=1.2)
        ax.text(rank, 0.2, str(rank), ha="center", va="bottom", fontsize=9)
    # The critical difference, as a length above the scale.
    ax.plot(
        [1, 1 + result.critical_difference],
        [1.0, 1.0],
        color="black",
        linewidth=2,
        marker="|",
        markersize=8,
    )
    ax.text(1, 1.1, result.caption, fontsize=9)
    # One line per method, from its mean rank down and outwards to its name. The names start below
    # the bars of the groups; best ranks are on the left, from above, worst on the right.
    ranks = np.asarray(result.mean_ranks)
    first_y = -0.35 - 0.22 * len(result.groups)
    for position, i in enumerate(np.argsort(ranks, kind="stable")):
        on_left = position < n_left
        y = first_y - 0.42 * (position if on_left else n_methods - 1 - position)
        x = 0.82 if on_left else n_methods + 0.18
        ax.plot([ranks[i], ranks[i], x], [0, y, y], color=colour(int(i)), linewidth=1.4)
        ax.text(
            x + (-0.05 if on_left else 0.05),
            y,
            f"{result.names[i]} ({ranks[i]:.2f})",
            ha="right" if on_left else "left",
            va="center",
            fontsize=9,
        )
    # One bar per group of methods that do not differ.
    for level, group in enumerate(result.groups):
        group_ranks = [ranks[result.names.index(name)] for name in group]
        y = -0.18 - 0.2 * level
        ax.plot(
            [min(group_ranks) - 0.03, max(group_ranks) + 0.03],
            [y, y],
            color="black",
            linewidth=3.5,
            solid_capstyle="round",
        )
    ax.set_xlim(-0.2, n_methods + 1.2)
    ax.set_ylim(first_y - 0.42 * n_left, 1.5)
    ax.set_title(title, fontsize=11)
    ax.set_axis_off()
    return ax
