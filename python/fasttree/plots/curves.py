"""Curves: ROC (Fawcett 2006), calibration (Murphy & Winkler 1977), cost (Drummond & Holte 2006),
learning, and information rewards (Hope & Korb 2004).

Each function draws a result of `fasttree.metrics` or `fasttree.model_selection`; nothing is
computed here. In ROC space, true positive rate over false positive rate, the diagonal is guessing
and the upper left corner a perfect classifier; `roc_graph` draws classifiers as points. O(points).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import checked, mapping, maybe, object_with, string
from .._checks.naming import shown_criterion
from ..exports.tables.table import scale_of
from ..metrics.cost_curves import is_pair
from ..metrics.roc import roc_convex_hull
from .canvas import (
    AXES,
    BESIDE,
    PALETTE,
    REFERENCE,
    Axes,
    axes_of,
    colour,
    curve,
    draw_legend,
    finish,
    marker,
    unit_square,
)

LOWEST_REWARD = -6.0
"""Lower end of the axis of rewards, bits: a wrong answer with certainty costs infinitely many."""


@checked(curves=mapping("a CalibrationCurve", lambda one: hasattr(one, "predicted")), ax=AXES)
def calibration_curves(
    curves: Mapping[str, Any], *, weights: bool = True, title: str = "", ax: Axes | None = None
) -> Axes:
    """Reliability diagrams: observed frequency over predicted probability.

    On the dashed line both are equal: a perfectly calibrated classifier.

    Args:
        curves: name -> `fasttree.metrics.CalibrationCurve`.
        weights: whether the area of a bin's dot grows with the number of its rows.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Examples:
        >>> from fasttree.metrics import calibration_curve
        >>> ax = calibration_curves(
        ...     {"model": calibration_curve([0, 1, 1, 1], [0.2, 0.2, 0.9, 0.9])}
        ... )
        >>> ax.get_xlabel()
        'predicted probability'
    """
    ax = axes_of(ax, width=4.8, height=4.8)
    unit_square(ax, title, "predicted probability", "observed frequency")
    for index, (name, calibration) in enumerate(curves.items()):
        curve(ax, index, calibration.predicted, calibration.observed, name, dots=not weights)
        if weights:
            # Areas in square points: 12 for an empty bin, 272 for a bin that holds all rows.
            share = np.asarray(calibration.weight, dtype=float) / np.sum(calibration.weight)
            ax.scatter(
                calibration.predicted,
                calibration.observed,
                s=12 + 260 * share,
                color=colour(index),
                alpha=0.65,
                zorder=4,
            )
    draw_legend(ax, loc="upper left")
    return ax


@checked(curves=mapping("a CostCurve", lambda one: hasattr(one, "probability_cost")), ax=AXES)
def cost_curves(curves: Mapping[str, Any], *, title: str = "", ax: Axes | None = None) -> Axes:
    """Cost curves: normalised expected cost over the probability cost PC(+).

    The dashed triangle is the cost of the better constant answer. The legend is beside the curves.

    Args:
        curves: name -> `fasttree.metrics.CostCurve`.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Examples:
        >>> from fasttree.metrics import cost_curve
        >>> ax = cost_curves({"model": cost_curve([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])})
        >>> ax.get_legend().get_texts()[0].get_text()
        'model (area 0.125)'
    """
    ax = axes_of(ax, width=7.4, height=4.2)
    constant = ax.plot([0, 0.5, 1], [0, 0.5, 0], **{**REFERENCE, "color": "#777777"})[0]
    for index, (name, costs) in enumerate(curves.items()):
        label = f"{name} (area {costs.area:.3f})"
        curve(ax, index, costs.probability_cost, costs.normalized_cost, label)
    # The constant answer has no label of its own, so that it comes last in the legend.
    handles, labels = ax.get_legend_handles_labels()
    legend = {
        "handles": [*handles, constant],
        "labels": [*labels, "one answer for all"],
        **BESIDE,
    }
    named: dict[str, Any] = {
        "xlabel": "probability cost PC(+)",
        "ylabel": "normalised expected cost",
    }
    return finish(ax, title, "both", legend=legend, xlim=(0, 1), ylim=(0, 0.52), **named)


@checked(
    result=object_with("a LearningCurve", "result", "train_sizes"), metric=maybe(string), ax=AXES
)
def learning_curves(
    result: Any,
    *,
    metric: str | None = None,
    log: bool = False,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Learning curves: mean of a metric over the number of training rows.

    The band around a curve is one standard deviation over the repetitions.

    Args:
        result: a `LearningCurve`.
        metric: one of its metrics; by default the first.
        log: whether the axis of rows is logarithmic.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        ValueError: a metric that was not computed.

    Examples:
        >>> from fasttree import datasets
        >>> from fasttree.model_selection import learning_curve
        >>> found = learning_curve(datasets.load_iris(), criterion=["gini"], n_repeats=3)
        >>> learning_curves(found).get_ylabel()
        'accuracy (%)'
    """
    chosen = metric or result.result.metrics[0]
    if chosen not in result.result.metrics:
        raise ValueError(
            f"metric={chosen!r} was not computed; there are {', '.join(result.result.metrics)}"
        )
    factor, _, label = scale_of(chosen)
    ax = axes_of(ax, width=6.0, height=4.2)
    records = [record for record in result.records() if record["metric"] == chosen]
    for index, method in enumerate(result.methods):
        points = [record for record in records if record["method"] == method]
        sizes = [point["n_train"] for point in points]
        mean = factor * np.array([point["mean"] for point in points])
        spread = factor * np.nan_to_num([point["sd"] for point in points])  # NaN: one repetition
        ax.fill_between(
            sizes, mean - spread, mean + spread, color=colour(index), alpha=0.13, linewidth=0
        )
        curve(ax, index, sizes, mean, method, dots=True)
    if log:
        ax.set_xscale("log")
    return finish(ax, title, "both", legend={}, xlabel="training rows", ylabel=label)


@checked(curves=object_with("RewardCurves", "confidence", "rewards", "prior"), ax=AXES)
def reward_curves(curves: Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Information rewards over the confidence in the true class; a dotted line marks the prior.

    Args:
        curves: `fasttree.metrics.RewardCurves`, the result of `fasttree.metrics.reward_curves`.
        title: title of the axes; by default the prior.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Examples:
        >>> from fasttree import metrics
        >>> ax = reward_curves(metrics.reward_curves((0.1, 0.45, 0.45)))
        >>> len(ax.get_legend().get_texts())
        3
    """
    ax = axes_of(ax, width=5.6, height=4.4)
    ax.axhline(0.0, **{**REFERENCE, "linestyle": "-"})
    ax.axvline(float(curves.prior[curves.true_class]), **{**REFERENCE, "linestyle": ":"})
    for index, (name, values) in enumerate(curves.rewards.items()):
        curve(ax, index, curves.confidence, values, name.replace("_", " "))
    finite = np.concatenate([values[np.isfinite(values)] for values in curves.rewards.values()])
    ax.set_ylim(max(float(finite.min()), LOWEST_REWARD) - 0.1, float(finite.max()) + 0.2)
    prior = ", ".join(f"{p:.3g}" for p in curves.prior)
    return finish(
        ax,
        title or f"prior ({prior})",
        "both",
        legend={"loc": "lower right"},
        xlim=(0, 1),
        xlabel="confidence in the true class",
        ylabel="reward (bits)",
    )


RATES = ("false positive rate", "true positive rate")
"""Labels of the axes."""


@checked(points=mapping("a pair (false, true positive rate)", is_pair), ax=AXES)
def roc_graph(
    points: Mapping[str, tuple[float, float]], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Classifiers as points (false positive rate, true positive rate); the dashed line is guessing.

    Args:
        points: name -> (false positive rate, true positive rate), each from 0 to 1.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Examples:
        >>> ax = roc_graph({"gini": (0.1, 0.8), "info_gain": (0.05, 0.7)})
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['gini', 'info_gain']
    """
    ax = axes_of(ax, width=4.8, height=4.8)
    unit_square(ax, title, *RATES)
    for index, (name, (fpr, tpr)) in enumerate(points.items()):
        ax.scatter(
            [fpr],
            [tpr],
            s=64,
            marker=marker(index),
            label=name,
            zorder=3,
            facecolor=colour(index) + "90",  # hexadecimal opacity, so that overlaps are seen
            edgecolor=colour(index),
        )
    draw_legend(ax, loc="lower right")
    return ax


@checked(curves=mapping("a RocCurve or a pair (fpr, tpr)", is_pair), ax=AXES)
def roc_curves(
    curves: Mapping[str, Any], *, hull: bool = False, title: str = "", ax: Axes | None = None
) -> Axes:
    """ROC curves with the area under each (trapezoidal rule).

    Args:
        curves: name -> `fasttree.metrics.RocCurve`, or a pair of arrays (false positive rates, true
            positive rates), both ascending.
        hull: whether to draw the convex hull of all curves. A classifier below it is optimal for
            no combination of costs and class frequencies.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Examples:
        >>> ax = roc_curves({"gini": ([0.0, 0.5, 1.0], [0.0, 0.8, 1.0])})
        >>> ax.get_legend().get_texts()[0].get_text()
        'gini (AUC 0.650)'
    """
    ax = axes_of(ax, width=4.8, height=4.8)
    unit_square(ax, title, *RATES)
    for index, (name, rates) in enumerate(curves.items()):
        fpr, tpr = np.asarray(rates[0], dtype=float), np.asarray(rates[1], dtype=float)
        area = float(((fpr[1:] - fpr[:-1]) * (tpr[1:] + tpr[:-1])).sum() / 2)
        curve(ax, index, fpr, tpr, f"{name} (AUC {area:.3f})")
    if hull:
        ax.plot(
            *roc_convex_hull(*curves.values()),
            color="#777777",
            linewidth=1,
            label="convex hull",
            zorder=2,
        )
    draw_legend(ax, loc="lower right")
    return ax


@checked(model=object_with("a fitted tree of fasttree", "trace_", "staged_score"), ax=AXES)
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
    own axis on the right. For a regressor R2 is drawn, and there is no distance.

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
