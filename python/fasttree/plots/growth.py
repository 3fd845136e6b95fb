"""A tree while it grows: distance of the whole tree to the classes, and accuracy, after every
split.

The trace of a fitted tree tells the distances; accuracies come from `staged_score`, so any rows can
be asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import checked, having
from .canvas import AXES, PALETTE, axes_of, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["growth_curve"]


@checked(model=having("a fitted FastTreeClassifier", "trace_", "staged_score"), ax=AXES)
def growth_curve(
    model: Any,
    train: Any = None,
    test: Any = None,
    *,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the growth of a fitted tree against its number of leaves; returns the axes.

    Args:
        model: a fitted `FastTreeClassifier`.
        train, test: Tables, or pairs (X, y), whose accuracy is drawn after 0, 1, 2, ... splits
            (left axis).
        ax: axes to draw into; a new figure by default. The distance of the whole tree, where the
            criterion has one, gets an axis of its own at the right.
        title: by default the criterion and the evaluation.

    Raises:
        ValueError: a tree without a split.

    Examples:
        >>> import fasttree
        >>> iris = fasttree.datasets.load_iris()
        >>> model = fasttree.fit(iris, criterion="gini", evaluation="global")
        >>> ax = growth_curve(model, iris)
        >>> len(ax.lines[0].get_xdata()) == model.get_n_leaves()
        True
    """
    steps = model.trace_
    if len(steps) == 0:
        raise ValueError("the tree has no split, so there is no growth to draw")
    ax = axes_of(ax)
    leaves = np.array([1, *(step.leaves for step in steps)])
    styles = (("training accuracy", train, "--"), ("test accuracy", test, "-"))
    for name, rows, style in styles:
        if rows is None:
            continue
        scores = model.staged_score(*rows) if isinstance(rows, tuple) else model.staged_score(rows)
        ax.plot(leaves, scores, style, color=PALETTE[0], label=name, drawstyle="steps-post")
    drawn = bool(ax.lines)
    distances = [step.global_distance for step in steps]
    if all(d is not None for d in distances):
        other = ax.twinx() if drawn else ax
        other.plot(
            leaves[1:],
            np.array(distances, dtype=float),
            color=PALETTE[1],
            label="distance of the whole tree",
            drawstyle="steps-post",
        )
        other.set_ylabel("distance to the classes", color=PALETTE[1])
        other.spines[["top"]].set_visible(False)
        if drawn:
            handles = [*ax.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
            other.legend(handles=handles, fontsize=8, frameon=False, loc="center right")
    if drawn:
        ax.set_ylabel("accuracy")
    ax.set_xlabel("leaves")
    criterion = (
        model.criterion if isinstance(model.criterion, str) else type(model.criterion).__name__
    )
    ax.set_title(
        f"{criterion}, {model.evaluation} evaluation" if title is None else title, fontsize=10
    )
    plain_frame(ax)
    return ax
