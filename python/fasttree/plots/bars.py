"""Bars side by side: tree sizes by data set and method, scores of features by criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .canvas import axes_of, colour, plain_frame

__all__ = ["criteria_bars", "grouped_bars", "tree_size_bars"]


def grouped_bars(
    values: Mapping[str, Sequence[float]],
    groups: Sequence[str],
    *,
    ylabel: str = "",
    title: str = "",
    legend: bool = True,
    rotate: float = 0.0,
    ax: Any = None,
) -> Any:
    """One bar a method within every group.

    Args:
        values: method -> one number a group.
        groups: names along the axis.
        ylabel, title, legend, rotate: how it looks; `rotate` turns the names (degrees).
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        ValueError: a method with another number of values than groups.
        ImportError: matplotlib is not installed.

    Examples:
        >>> ax = grouped_bars({"gini": [3, 5], "info_gain": [4, 4]}, ["iris", "wine"], ylabel="leaves")
        >>> len(ax.patches)
        4
    """
    for method, numbers in values.items():
        if len(numbers) != len(groups):
            raise ValueError(f"{method!r} has {len(numbers)} values for {len(groups)} groups")
    ax = axes_of(ax, width=min(14.0, max(6.0, 1.2 + 0.22 * len(groups) * (len(values) + 1))))
    places, width = np.arange(len(groups)), 0.82 / max(len(values), 1)
    for place, (method, numbers) in enumerate(values.items()):
        shift = (place - (len(values) - 1) / 2) * width
        ax.bar(
            places + shift, np.asarray(numbers, dtype=float), width * 0.92, label=method, color=colour(place)
        )
    ax.set_xticks(places, list(groups), rotation=rotate, ha="right" if rotate else "center")
    ax.set_ylabel(ylabel)
    ax.set_title(title, fontsize=11)
    ax.margins(x=0.02)
    plain_frame(ax)
    if legend:
        ax.legend(frameon=False, fontsize=9)
    return ax


def tree_size_bars(
    sizes: Any, *, metric: str = "leaves", log: bool = False, title: str = "", ax: Any = None
) -> Any:
    """Tree sizes by data set and method.

    Args:
        sizes: a `Comparison` (its mean `metric` is drawn), or a mapping data set -> method -> size.
        metric: "leaves", "nodes" or "depth".
        log: logarithmic axis, for sets of very different size.
        title, ax: as in `grouped_bars`.

    Examples:
        >>> ax = tree_size_bars({"iris": {"gini": 9, "info_gain": 9}, "wine": {"gini": 11, "info_gain": 8}})
        >>> ax.get_ylabel()
        'leaves'
    """
    if hasattr(sizes, "with_metric"):
        sized = sizes.with_metric(metric)
        groups, methods, means = sized.datasets, sized.methods, sized.means
        values = {method: means[:, j].tolist() for j, method in enumerate(methods)}
    else:
        groups = tuple(sizes)
        methods = tuple(next(iter(sizes.values())))
        values = {method: [float(sizes[group][method]) for group in groups] for method in methods}
    ax = grouped_bars(values, groups, ylabel=metric, title=title, rotate=30 if len(groups) > 4 else 0, ax=ax)
    if log:
        from matplotlib.ticker import ScalarFormatter

        ax.set_yscale("log")
        ax.set_ylim(bottom=1)
        ax.yaxis.set_major_formatter(ScalarFormatter())
    return ax


def criteria_bars(
    scores: Mapping[str, Sequence[float]],
    features: Sequence[str],
    *,
    largest: int = 15,
    title: str = "",
    ax: Any = None,
) -> Any:
    """What several criteria say of the features: bars as shares of each criterion's best score.

    Args:
        scores: criterion -> one score a feature (NaN: no split); larger is better.
        features: their names.
        largest: so many features are shown: those that some criterion puts highest.
        title, ax: as in `grouped_bars`.

    Examples:
        >>> ax = criteria_bars({"gini": [0.2, 0.1, 0.0]}, ["a", "b", "c"], largest=2)
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['a', 'b']
    """
    shares = {}
    for criterion, numbers in scores.items():
        array = np.nan_to_num(np.asarray(numbers, dtype=float), nan=0.0)
        low = min(0.0, float(array.min(initial=0.0)))
        span = float(array.max(initial=0.0)) - low
        shares[criterion] = (array - low) / span if span > 0 else np.zeros(len(array))
    best = np.max(list(shares.values()), axis=0)
    order = np.argsort(-best, kind="stable")[:largest]
    return grouped_bars(
        {criterion: array[order].tolist() for criterion, array in shares.items()},
        [str(features[j]) for j in order],
        ylabel="share of the criterion's best score",
        title=title,
        rotate=30,
        ax=ax,
    )
