"""Grouped bar charts: tree sizes by data set and method, feature scores by criterion.

`grouped_bars` draws any numbers; `tree_size_bars` and `criteria_bars` prepare theirs and call it.
With more than about 30 groups the bars become too thin to read: use `criteria_dots` for data sets,
or a smaller `largest` for features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._checks import as_list, checked, mapping, number_array, number_in, shown, string, whole_in
from .._checks.words import counted
from .canvas import AXES, BESIDE, REFERENCE, Axes, axes_of, colour, draw_legend, finish

HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "++++")
"""Patterns of the bars of methods, which tell them apart without colour."""

GROUP_SHARE = 0.82
"""Share of the distance between two groups that their bars fill; the rest is the gap."""

BAR_SHARE = 0.92
"""Share of its slot that a bar fills, so that neighbours do not touch."""


@checked(
    values=mapping("a list of numbers", np.iterable),
    groups=as_list,
    rotate=number_in(-360.0, 360.0),
    ax=AXES,
)
def grouped_bars(
    values: Mapping[str, Sequence[float]],
    groups: Sequence[str],
    *,
    ylabel: str = "",
    title: str = "",
    legend: bool = True,
    rotate: float = 0.0,
    ax: Axes | None = None,
) -> Axes:
    """One bar per method within every group.

    Args:
        values: method -> heights, one number per group.
        groups: names of the groups along the x-axis.
        ylabel: label of the y-axis.
        title: title of the axes.
        legend: whether the methods are named in a legend.
        rotate: angle of the group names, degrees.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        ValueError: the number of values of a method is not the number of groups.
        ImportError: matplotlib is not installed.

    Examples:
        >>> ax = grouped_bars(
        ...     {"gini": [3, 5], "info_gain": [4, 4]}, ["iris", "wine"], ylabel="leaves"
        ... )
        >>> len(ax.patches)
        4
    """
    for method, numbers in values.items():
        if len(numbers) != len(groups):
            raise ValueError(
                f"groups has {counted(len(groups), 'name')}, and {method!r} "
                f"{counted(len(numbers), 'value')}"
            )
    # A new figure gets 0.22 inches per bar and per gap, within the height of a screen.
    ax = axes_of(ax, width=min(14.0, max(6.0, 1.2 + 0.22 * len(groups) * (len(values) + 1))))
    centres, slot = np.arange(len(groups)), GROUP_SHARE / max(len(values), 1)
    for index, (method, numbers) in enumerate(values.items()):
        # The slots of a group are symmetric about its centre.
        shift = (index - (len(values) - 1) / 2) * slot
        ax.bar(
            centres + shift,
            np.asarray(numbers, dtype=float),
            slot * BAR_SHARE,
            label=method,
            color=colour(index),
            hatch=HATCHES[index % len(HATCHES)],
            edgecolor="white",
            linewidth=0.4,
        )
    ax.set_xticks(centres, list(groups), rotation=rotate, ha="right" if rotate else "center")
    ax.margins(x=0.02)
    return finish(ax, title, legend=BESIDE if legend else None, ylabel=ylabel)


def _sizes(name: str, value: Any) -> Any:
    """Check the argument `sizes`: a `Comparison`, or a mapping data set -> method -> size.

    Args:
        name: name of the argument.
        value: its value.

    Raises:
        TypeError: any other value.
    """
    if hasattr(value, "with_metric"):
        return value
    if not (isinstance(value, Mapping) and len(value)):
        raise TypeError(f"{name}={shown(value)} must be a Comparison, or a dict of dicts of sizes")
    return mapping("a dict of sizes by method", lambda one: isinstance(one, Mapping))(name, value)


@checked(sizes=_sizes, metric=string, ax=AXES)
def tree_size_bars(
    sizes: Any,
    *,
    metric: str = "leaves",
    log: bool = False,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Tree sizes by data set and method, one group of bars per data set.

    Args:
        sizes: a `Comparison` (its mean `metric` is drawn), or a mapping data set -> method -> size.
        metric: "leaves", "nodes" or "depth"; the label of the y-axis.
        log: whether the y-axis is logarithmic, for trees of very different sizes.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        TypeError: `sizes` is neither a `Comparison` nor a mapping of mappings.
        ImportError: matplotlib is not installed.

    Examples:
        >>> ax = tree_size_bars(
        ...     {"iris": {"gini": 9, "info_gain": 9}, "wine": {"gini": 11, "info_gain": 8}}
        ... )
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
    ax = grouped_bars(
        values, groups, ylabel=metric, title=title, rotate=30 if len(groups) > 4 else 0, ax=ax
    )
    if log:
        from matplotlib.ticker import ScalarFormatter

        ax.set_yscale("log")
        ax.set_ylim(bottom=1)
        ax.yaxis.set_major_formatter(ScalarFormatter())
    return ax


PAGE_WIDTH = 7.2
"""Width of a figure that fits a printed page, inches."""

LOWEST = -1.5
"""Lower end of the axis of `criteria_bars`; a bar that goes further is cut and labelled."""


def _shares_of_best(
    scores: Mapping[str, Sequence[float]], n_features: int, noise: Mapping[str, float]
) -> dict[str, np.ndarray]:
    """The scores of each criterion divided by its level of noise, if any, else by its best score.

    If no score is above 0, they are divided by the absolute value of the lowest one, and the name
    of the criterion says so. NaN becomes 0.

    Args:
        scores: the scores by criterion, one per feature each.
        n_features: number of features.
        noise: the level of noise of some criteria.

    Raises:
        ValueError: another number of scores than of features.
    """
    shares = {}
    for criterion, numbers in scores.items():
        array = number_array(f"scores[{criterion!r}]", numbers)
        if len(array) != n_features:
            raise ValueError(
                f"features has {counted(n_features, 'name')}, and scores[{criterion!r}] "
                f"{counted(len(array), 'number')}"
            )
        known = ~np.isnan(array)
        if criterion in noise:
            shares[criterion] = np.nan_to_num(array / noise[criterion], nan=0.0)
            continue
        highest = float(np.max(array, initial=0.0, where=known))
        lowest = float(np.min(array, initial=0.0, where=known))
        if highest == 0 > lowest:
            criterion = f"{criterion} (no score above 0: shares of the lowest)"
        shares[criterion] = np.nan_to_num(array / (highest or -lowest or 1.0), nan=0.0)
    return shares


def _cut_low_bars(ax: Any) -> None:
    """Cut bars that go below `LOWEST` and write their height at the cut; draw the line of 0."""
    lowest = min((bar.get_height() for bar in ax.patches), default=0.0)
    if lowest < 0:
        ax.axhline(0.0, color="#333333", linewidth=0.8)
    if lowest >= LOWEST:
        return
    highest = max(bar.get_height() for bar in ax.patches)
    ax.set_ylim(LOWEST, 1.08 if highest > 0 else 0.05)
    for bar in ax.patches:
        if bar.get_height() < LOWEST:
            ax.text(
                bar.get_x() + bar.get_width() / 2,
                LOWEST + 0.05,
                f"{bar.get_height():.3g}",
                ha="center",
                va="bottom",
                fontsize=8,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
            )


@checked(
    scores=mapping("a list of scores", np.iterable), features=as_list, largest=whole_in(1), ax=AXES
)
def criteria_bars(
    scores: Mapping[str, Sequence[float]],
    features: Sequence[str],
    *,
    largest: int = 15,
    noise: Mapping[str, float] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Feature scores of several criteria, each divided by the best score of its criterion.

    The best feature of a criterion has a bar of height 1. Negative scores go down from 0; a bar
    below -1.5 is cut there and its height is written at the cut. If a criterion has no score above
    0, its bars are shares of its lowest score, and the legend says so.

    Args:
        scores: criterion -> scores, one per feature; larger is better. NaN (no split) has no bar.
        features: names of the features.
        largest: number of features shown, at least 1: the features with the highest share of the
            best score by any criterion.
        noise: criterion -> a score above 0 that features without information reach, such as the
            largest score after the classes were shuffled. Bars are multiples of it, and a line
            marks 1: the best of a criterion that finds nothing is not as high as one that finds
            something. None: shares of the best score.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        ValueError: no criterion, a criterion without its noise, or the number of scores is not the
            number of features.
        ImportError: matplotlib is not installed.

    Examples:
        >>> ax = criteria_bars(
        ...     {"gini": [0.2, 0.1, 0.0], "multisurf": [0.1, -0.05, 0.0]},
        ...     ["a", "b", "c"],
        ...     largest=2,
        ... )
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['a', 'b']
        >>> [float(bar.get_height()) for bar in ax.patches]
        [1.0, 0.5, 1.0, -0.5]
    """
    if not scores:
        raise ValueError("scores is empty; give the scores of at least one criterion")
    noise = None if noise is None else mapping("numbers")("noise", noise)
    if noise is not None and not all(noise.get(criterion, 0.0) > 0 for criterion in scores):
        raise ValueError("noise needs a number above 0 for each criterion of scores")
    shares = _shares_of_best(scores, len(features), noise or {})
    # Features are ordered by the best share that any criterion gives them.
    best = np.max(list(shares.values()), axis=0)
    order = np.argsort(-best, kind="stable")[:largest]
    # A line of the legend holds about 90 characters; 4 per entry are for its key and the gap.
    longest = min(36, max(map(len, shares), default=1))
    columns = max(1, min(4, len(shares), int(90 / (4 + longest))))
    lines = -(-len(shares) // columns)
    ax = axes_of(ax, width=PAGE_WIDTH, height=3.6 + 0.2 * lines)
    ax = grouped_bars(
        {criterion: array[order].tolist() for criterion, array in shares.items()},
        [str(features[j]) for j in order],
        ylabel="share of the criterion's best score" if noise is None else "multiple of noise",
        legend=False,
        rotate=30,
        ax=ax,
    )
    _cut_low_bars(ax)
    if noise is not None:
        ax.axhline(1.0, **REFERENCE)
    # The legend stands above the axes: bars go both ways, so no place inside is free.
    draw_legend(
        ax,
        fontsize=8.5,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        columnspacing=1.2,
        handlelength=1.2,
    )
    ax.set_title(title, fontsize=11, pad=12 + 14 * lines)
    return ax
