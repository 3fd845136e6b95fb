"""A comparison over data sets in one picture: means as dots, and mean ranks with Nemenyi's critical
difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import checked, having
from .canvas import AXES, axes_of, colour, marker, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

__all__ = ["criteria_dots", "rank_diagram"]

PERCENT = ("accuracy", "error_rate", "balanced_accuracy", "unclassified")


@checked(comparison=having("a Comparison", "means", "methods", "datasets"), ax=AXES)
def criteria_dots(comparison: Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Mean of every method on every data set of a `Comparison`, a line a data set, best sets on
    top.

    The baseline is a vertical line; a filled dot is significantly different from it, a hollow one
    is not.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from fasttree.model_selection import compare
        >>> found = compare({"iris": load_iris(return_X_y=True)}, ["gini", "info_gain"], cv="2x3")
        >>> criteria_dots(found).get_xlabel()
        'accuracy (%)'
    """
    n_sets, n_methods = comparison.means.shape
    ax = axes_of(ax, width=7.5, height=1.6 + 0.24 * n_sets)
    factor = 100.0 if comparison.metric in PERCENT else 1.0
    means = factor * comparison.means
    base = comparison.methods.index(comparison.baseline)
    order = np.argsort(means[:, base], kind="stable")
    if not comparison.greater_is_better:
        order = order[::-1]
    rows = np.arange(n_sets)
    ax.hlines(
        rows,
        means[order].min(axis=1),
        means[order].max(axis=1),
        color="#cccccc",
        linewidth=2,
        zorder=1,
    )
    marks = comparison.marks[order]
    ax.vlines(
        means[order, base], rows - 0.34, rows + 0.34, color=colour(base), linewidth=2.4, zorder=4
    )
    for place in range(n_methods):
        if place == base:
            continue
        different = marks[:, place] != ""
        values = means[order, place]
        ax.scatter(
            values,
            rows,
            s=34,
            marker=marker(place),
            facecolor=np.where(different, colour(place), "none"),
            edgecolor=colour(place),
            linewidth=1.2,
            zorder=3,
        )
    ax.set_yticks(rows, [comparison.datasets[i] for i in order], fontsize=9)
    ax.set_ylim(-0.7, n_sets - 0.3)
    ax.set_xlabel(f"{comparison.metric} (%)" if factor == 100.0 else comparison.metric)
    ax.set_title(
        title or f"Filled: significantly different from {comparison.baseline}; hollow: not",
        fontsize=10,
    )
    plain_frame(ax, "x")
    ax.legend(
        handles=_method_marks(ax, comparison.methods, base),
        frameon=False,
        fontsize=9,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
    )
    return ax


def _method_marks(ax: Axes, methods: Sequence[str], base: int) -> list[PathCollection]:
    """One mark per method, for the legend; the one at `base` is the vertical line."""
    return [
        ax.scatter(
            [],
            [],
            s=90 if place == base else 34,
            marker="|" if place == base else marker(place),
            color=colour(place),
            linewidth=2.4 if place == base else 1.2,
            label=f"{method} (baseline)" if place == base else method,
        )
        for place, method in enumerate(methods)
    ]


@checked(ax=AXES)
def rank_diagram(result: Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Demsar's diagram of a `FriedmanResult`, or of a `Comparison`: mean ranks on a line, bars over
    methods that do not differ (Nemenyi).

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
    having("a FriedmanResult or a Comparison", "mean_ranks", "names")("result", result)
    n_methods = len(result.names)
    left = (n_methods + 1) // 2
    ax = axes_of(ax, width=7.5, height=1.6 + 0.28 * left + 0.14 * len(result.groups))
    ranks = np.asarray(result.mean_ranks)
    order = np.argsort(ranks, kind="stable")
    ax.hlines(0, 1, n_methods, color="black", linewidth=1.2)
    for rank in range(1, n_methods + 1):
        ax.vlines(rank, 0, 0.12, color="black", linewidth=1.2)
        ax.text(rank, 0.2, str(rank), ha="center", va="bottom", fontsize=9)
    top = 1.0
    ax.plot(
        [1, 1 + result.critical_difference],
        [top, top],
        color="black",
        linewidth=2,
        marker="|",
        markersize=8,
    )
    ax.text(
        1 + result.critical_difference / 2,
        top + 0.1,
        f"CD = {result.critical_difference:.2f}",
        ha="center",
        fontsize=9,
    )
    depth = -0.35 - 0.22 * len(result.groups)
    for place, i in enumerate(order):
        on_left = place < left
        row = place if on_left else n_methods - 1 - place
        y = depth - 0.42 * row
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
    for level, group in enumerate(result.groups):
        inside = [ranks[result.names.index(name)] for name in group]
        y = -0.18 - 0.2 * level
        ax.plot(
            [min(inside) - 0.03, max(inside) + 0.03],
            [y, y],
            color="black",
            linewidth=3.5,
            solid_capstyle="round",
        )
    ax.set_xlim(-0.2, n_methods + 1.2)
    ax.set_ylim(depth - 0.42 * left, 1.5)
    ax.set_title(title, fontsize=11)
    ax.set_axis_off()
    return ax
