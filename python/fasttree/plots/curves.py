"""Curves: calibration (Murphy & Winkler 1977), costs (Drummond & Holte 2006), learning, and what
rewards pay (Hope & Korb 2004).

Each takes what `fasttree.metrics` or `fasttree.model_selection` computed; nothing is computed here.
O(points).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import checked, having, mapping, maybe, string
from .canvas import AXES, axes_of, colour, curve, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["calibration_curves", "cost_curves", "learning_curves", "reward_curves"]

SHARES = ("accuracy", "error_rate", "balanced_accuracy", "unclassified_rate")


@checked(curves=mapping("a CalibrationCurve", lambda one: hasattr(one, "predicted")), ax=AXES)
def calibration_curves(
    curves: Mapping[str, Any], *, weights: bool = True, title: str = "", ax: Axes | None = None
) -> Axes:
    """Reliability diagrams: observed frequency over predicted probability; on the dashed line they
    are equal.

    Args:
        curves: name -> `fasttree.metrics.CalibrationCurve`.
        weights: draw the dots of a bin larger the more rows it holds.
        title, ax: how and where it is drawn.

    Examples:
        >>> from fasttree.metrics import calibration_curve
        >>> ax = calibration_curves(
        ...     {"model": calibration_curve([0, 1, 1, 1], [0.2, 0.2, 0.9, 0.9])}
        ... )
        >>> ax.get_xlabel()
        'predicted probability'
    """
    ax = axes_of(ax, width=4.8, height=4.8)
    ax.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle=(0, (4, 4)), zorder=1)
    for place, (name, one) in enumerate(curves.items()):
        curve(ax, place, one.predicted, one.observed, name, dots=not weights)
        if weights:
            share = np.asarray(one.weight, dtype=float) / np.sum(one.weight)
            ax.scatter(
                one.predicted,
                one.observed,
                s=12 + 260 * share,
                color=colour(place),
                alpha=0.65,
                zorder=4,
            )
    ax.set(
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
        xlabel="predicted probability",
        ylabel="observed frequency",
    )
    ax.set_aspect("equal")
    ax.set_title(title, fontsize=11)
    plain_frame(ax, "both")
    ax.legend(frameon=False, loc="upper left", fontsize=9)
    return ax


@checked(curves=mapping("a CostCurve", lambda one: hasattr(one, "probability_cost")), ax=AXES)
def cost_curves(curves: Mapping[str, Any], *, title: str = "", ax: Axes | None = None) -> Axes:
    """Normalised expected cost over the probability cost; the dashed triangle is the better
    constant answer. The legend stands beside the curves.

    Args:
        curves: name -> `fasttree.metrics.CostCurve`.
        title, ax: how and where it is drawn.

    Examples:
        >>> from fasttree.metrics import cost_curve
        >>> ax = cost_curves({"model": cost_curve([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])})
        >>> ax.get_legend().get_texts()[0].get_text()
        'model (area 0.125)'
    """
    ax = axes_of(ax, width=7.4, height=4.2)
    constant = ax.plot(
        [0, 0.5, 1], [0, 0.5, 0], color="#777777", linewidth=1, linestyle=(0, (4, 4)), zorder=1
    )[0]
    for place, (name, one) in enumerate(curves.items()):
        curve(ax, place, one.probability_cost, one.normalized_cost, f"{name} (area {one.area:.3f})")
    ax.set(
        xlim=(0, 1),
        ylim=(0, 0.52),
        xlabel="probability cost PC(+)",
        ylabel="normalised expected cost",
    )
    ax.set_title(title, fontsize=11)
    plain_frame(ax, "both")
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(
        [*handles, constant],
        [*labels, "one answer for all"],
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        fontsize=9,
    )
    return ax


@checked(result=having("a LearningCurve", "result", "train_sizes"), metric=maybe(string), ax=AXES)
def learning_curves(
    result: Any,
    *,
    metric: str | None = None,
    log: bool = False,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Mean of a metric over the number of training rows, with one standard deviation over the
    repetitions.

    Args:
        result: a `LearningCurve`.
        metric: one of its metrics; default: the first.
        log: logarithmic axis of rows.
        title, ax: how and where it is drawn.

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
    factor = 100.0 if chosen in SHARES else 1.0
    ax = axes_of(ax, width=6.0, height=4.2)
    rows = [row for row in result.records() if row["metric"] == chosen]
    for place, method in enumerate(result.methods):
        mine = [row for row in rows if row["method"] == method]
        sizes = [row["n_train"] for row in mine]
        mean = factor * np.array([row["mean"] for row in mine])
        spread = factor * np.nan_to_num([row["sd"] for row in mine])
        ax.fill_between(
            sizes, mean - spread, mean + spread, color=colour(place), alpha=0.13, linewidth=0
        )
        curve(ax, place, sizes, mean, method, dots=True)
    if log:
        ax.set_xscale("log")
    ax.set(xlabel="training rows", ylabel=f"{chosen} (%)" if factor == 100.0 else chosen)
    ax.set_title(title, fontsize=11)
    plain_frame(ax, "both")
    ax.legend(frameon=False, fontsize=9)
    return ax


@checked(curves=having("RewardCurves", "confidence", "rewards", "prior"), ax=AXES)
def reward_curves(curves: Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """What information rewards pay for a confidence in the true class; a dotted line marks the
    prior.

    Args:
        curves: `fasttree.metrics.RewardCurves`, as `fasttree.metrics.reward_curves` computes them.
        title, ax: how and where it is drawn.

    Examples:
        >>> from fasttree import metrics
        >>> ax = reward_curves(metrics.reward_curves((0.1, 0.45, 0.45)))
        >>> len(ax.get_legend().get_texts())
        3
    """
    ax = axes_of(ax, width=5.6, height=4.4)
    ax.axhline(0.0, color="#999999", linewidth=1, zorder=1)
    ax.axvline(
        float(curves.prior[curves.true_class]),
        color="#999999",
        linewidth=1,
        linestyle=":",
        zorder=1,
    )
    for place, (name, values) in enumerate(curves.rewards.items()):
        curve(ax, place, curves.confidence, values, name.replace("_", " "))
    ax.set(xlim=(0, 1), xlabel="confidence in the true class", ylabel="reward (bits)")
    every = np.concatenate([values[np.isfinite(values)] for values in curves.rewards.values()])
    ax.set_ylim(max(float(every.min()), -6.0) - 0.1, float(every.max()) + 0.2)
    shown = ", ".join(f"{p:.3g}" for p in curves.prior)
    ax.set_title(title or f"prior ({shown})", fontsize=11)
    plain_frame(ax, "both")
    ax.legend(frameon=False, loc="lower right", fontsize=9)
    return ax
