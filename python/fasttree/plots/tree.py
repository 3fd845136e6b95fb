"""A fitted tree as boxes and lines, top down.

Leaves are spread evenly from left to right, every inner node stands over the middle of its
children; no recursion, so any depth can be drawn (but above some fifty leaves `to_text` is easier
to read). O(nodes).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exports.reading import Reading
from ..exports.words import brief, fit_width, one_line
from .canvas import axes_of, colour

__all__ = ["plot_tree"]


def _layout(tree: Any, max_depth: int | None, empty: bool) -> tuple[np.ndarray, np.ndarray]:
    """Places of the shown nodes (x; NaN when hidden) and whether each is drawn as an end."""
    shown = np.ones(tree.node_count, dtype=bool) if max_depth is None else tree.depth <= max_depth
    if not empty:
        shown &= tree.n_node_samples > 0
    end = shown & (
        (tree.n_children == 0) | (False if max_depth is None else tree.depth == max_depth)
    )
    x = np.full(tree.node_count, np.nan)
    x[end] = np.arange(int(end.sum()))
    for node in np.flatnonzero(shown & ~end)[::-1].tolist():
        x[node] = np.nanmean(x[tree.children_of(node)])
    return x, end


def plot_tree(
    model: Any,
    *,
    max_depth: int | None = 3,
    empty: bool = False,
    fontsize: float = 8.0,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw a fitted tree.

    Args:
        model: a fitted `FastTreeClassifier`.
        max_depth: deepest level shown (the root is level 0); None shows all.
        empty: also leaves that no training row reached.
        fontsize, title, ax: how and where it is drawn.

    Returns:
        The axes.

    Examples:
        >>> import fasttree
        >>> ax = plot_tree(fasttree.fit(fasttree.datasets.load_weather()))
        >>> len(ax.texts) > 5
        True
    """
    tree = model.tree_
    x, end = _layout(tree, max_depth, empty)
    shown = np.flatnonzero(~np.isnan(x))
    levels = int(tree.depth[shown].max()) + 1
    ax = axes_of(
        ax, width=min(40.0, max(4.0, 1.15 * int(end.sum()))), height=max(2.0, 1.2 * levels)
    )
    reading = Reading(model)
    said = {child: brief(reading.features[f], part, 2) for child, f, part in reading.branches()}
    for node in shown.tolist():
        y = -float(tree.depth[node])
        inner = not end[node]
        if inner:
            name = one_line(reading.features[tree.feature[node]].name)
            for child in reading.children[node]:
                if np.isnan(x[child]):
                    continue
                ax.plot([x[node], x[child]], [y, y - 1], color="#aaaaaa", linewidth=1, zorder=1)
                middle = 0.62
                ax.text(
                    x[node] + middle * (x[child] - x[node]),
                    y - middle,
                    fit_width(one_line(said[child]), 1.0, 16.0),
                    parse_math=False,
                    ha="center",
                    va="center",
                    fontsize=fontsize - 1,
                    color="#333333",
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                    zorder=2,
                )
            text, face = name, "#f2f2f2"
        else:
            label = int(tree.label[node])
            what = "none" if label < 0 else one_line(model.classes_[label])
            if tree.n_children[node]:
                what = "..."
            text = f"{what}\n{int(tree.n_node_samples[node])}"
            face = colour(label) + "40" if label >= 0 else "white"
        ax.text(
            x[node],
            y,
            text,
            parse_math=False,
            ha="center",
            va="center",
            fontsize=fontsize,
            zorder=3,
            bbox={"facecolor": "white", "edgecolor": "none", "boxstyle": "round,pad=0.35"},
        )
        ax.text(
            x[node],
            y,
            text,
            parse_math=False,
            ha="center",
            va="center",
            fontsize=fontsize,
            zorder=4,
            bbox={
                "facecolor": face,
                "edgecolor": "#888888",
                "boxstyle": "round,pad=0.35",
                "linewidth": 0.8,
            },
        )
    ax.set_xlim(-0.6, float(np.nanmax(x)) + 0.6)
    ax.set_ylim(-levels + 0.6, 0.3)
    ax.set_title(title, fontsize=11)
    ax.set_axis_off()
    return ax
