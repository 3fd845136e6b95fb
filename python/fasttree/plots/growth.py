"""The growth of a tree: its accuracy (of a number R2), and the distance of its partition to the
classes, per split.

The distances are in the trace of a fitted tree (``model.trace_``). Accuracies come from
``model.staged_score``, so rows that the tree was not fitted on can be drawn, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import checked, having
from .._checks.naming import shown_criterion
from .canvas import AXES, PALETTE, Axes, axes_of, draw_legend, finish


@checked(model=having("a fitted tree of fasttree", "trace_", "staged_score"), ax=AXES)
def growth_curve(
    model: Any,
    train: Any = None,
    test: Any = None,
    *,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the growth of a fitted tree over its number of leaves.

    The distance of the whole tree is drawn if the criterion has one; beside accuracies it gets its
    own axis on the right. Of a regressor R2 is drawn, and there is no distance.

    Args:
        model: a fitted `FastTreeClassifier` or `FastTreeRegressor`.
        train: a Table, or a pair (X, y), whose accuracy or R2 is drawn as a dashed line; None: no
            line.
        test: like `train`, drawn as a solid line.
        ax: axes to draw into; by default pyplot's current ones.
        title: title of the axes; by default the criterion and the evaluation.

    Returns:
        The axes of the accuracies.

    Raises:
        ValueError: a tree without a split, or neither rows nor a distance to draw.

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
    ax.locator_params("x", integer=True)
    leaves = np.array([1, *(step.leaves for step in steps)])
    # Accuracies, from the tree without a split to the full tree.
    of_classes = hasattr(model, "evaluation")
    score = "accuracy" if of_classes else "R2"
    for name, rows, style in ((f"training {score}", train, "--"), (f"test {score}", test, "-")):
        if rows is None:
            continue
        scores = model.staged_score(*rows) if isinstance(rows, tuple) else model.staged_score(rows)
        ax.plot(leaves, scores, style, color=PALETTE[0], label=name, drawstyle="steps-post")
    has_accuracy = bool(ax.lines)
    # Distances exist from the first split on.
    distances = [step.global_distance for step in steps]
    if not has_accuracy and None in distances:
        raise ValueError(
            f"criterion={model.criterion!r} has no distance of the whole tree: give rows as train= "
            "or test="
        )
    if all(d is not None for d in distances):
        right = ax.twinx() if has_accuracy else ax
        right.plot(
            leaves[1:],
            np.array(distances, dtype=float),
            color=PALETTE[1],
            label="distance of the whole tree",
            drawstyle="steps-post",
        )
        right.set_ylabel("distance to the classes", color=PALETTE[1])
        right.spines[["top"]].set_visible(False)
        if has_accuracy:  # one legend for both axes
            handles = [*ax.get_legend_handles_labels()[0], *right.get_legend_handles_labels()[0]]
            draw_legend(right, handles=handles, fontsize=8, loc="center right")
    elif has_accuracy:
        draw_legend(ax, fontsize=8)
    if has_accuracy:
        ax.set_ylabel(score)
    criterion = shown_criterion(model)
    if title is None:
        title = f"{criterion}, {model.evaluation} evaluation" if of_classes else criterion
    return finish(ax, title, size=10, xlabel="leaves")
