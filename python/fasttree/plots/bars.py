"""Bars side by side: tree sizes by data set and method, scores of features by criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import checked, listing, mapping, number_array, number_in, shown, string, whole
from .canvas import AXES, axes_of, colour, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["criteria_bars", "grouped_bars", "tree_size_bars"]


@checked(
    values=mapping("a list of numbers", np.iterable),
    groups=listing,
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
        >>> ax = grouped_bars(
        ...     {"gini": [3, 5], "info_gain": [4, 4]}, ["iris", "wine"], ylabel="leaves"
        ... )
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
            places + shift,
            np.asarray(numbers, dtype=float),
            width * 0.92,
            label=method,
            color=colour(place),
        )
    ax.set_xticks(places, list(groups), rotation=rotate, ha="right" if rotate else "center")
    ax.set_ylabel(ylabel)
    ax.set_title(title, fontsize=11)
    ax.margins(x=0.02)
    plain_frame(ax)
    if legend:
        ax.legend(frameon=False, fontsize=9)
    return ax


def _sizes(name: str, value: Any) -> Any:
    """A `Comparison`, or data set -> method -> size."""
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
    """Tree sizes by data set and method.

    Args:
        sizes: a `Comparison` (its mean `metric` is drawn), or a mapping data set -> method -> size.
        metric: "leaves", "nodes" or "depth".
        log: logarithmic axis, for sets of very different size.
        title, ax: as in `grouped_bars`.

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


PAGE = 7.2
"""Width of a picture that fits a page, inches."""

LOWEST = -1.5
"""Where bars of criteria end; a longer one has its length written to it."""


def _shares_of_best(
    scores: Mapping[str, Sequence[float]], n_features: int
) -> dict[str, np.ndarray]:
    """Scores divided by each criterion's best, or by its lowest where none is above 0."""
    shares = {}
    for criterion, numbers in scores.items():
        array = number_array(f"scores[{criterion!r}]", numbers)
        if len(array) != n_features:
            raise ValueError(
                f"scores[{criterion!r}] has {len(array)} numbers for {n_features} features"
            )
        highest, lowest = (
            float(f(array, initial=0.0, where=~np.isnan(array))) for f in (np.max, np.min)
        )
        if highest == 0 > lowest:
            criterion = f"{criterion} (no score above 0: shares of the lowest)"
        shares[criterion] = np.nan_to_num(array / (highest or -lowest or 1.0), nan=0.0)
    return shares


def _end_low_bars(ax: Any) -> None:
    """Draw a line at 0 where bars go down, and end those that are too long with their length."""
    heights = [bar.get_height() for bar in ax.patches]
    if min(heights, default=0.0) < 0:
        ax.axhline(0.0, color="#333333", linewidth=0.8)
    if min(heights, default=0.0) < LOWEST:
        ax.set_ylim(LOWEST, 1.08 if max(heights) > 0 else 0.05)
    for bar in ax.patches:
        if bar.get_height() < LOWEST:
            middle = bar.get_x() + bar.get_width() / 2
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
            ax.text(
                middle,
                LOWEST + 0.05,
                f"{bar.get_height():.3g}",
                ha="center",
                va="bottom",
                fontsize=8,
                bbox=box,
            )


@checked(
    scores=mapping("a list of scores", np.iterable), features=listing, largest=whole(1), ax=AXES
)
def criteria_bars(
    scores: Mapping[str, Sequence[float]],
    features: Sequence[str],
    *,
    largest: int = 15,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """What several criteria say of the features: each score divided by the criterion's best score.

    The best feature has a bar of 1, a score of 0 none, and negative scores go down from 0 (to -1.5;
    where one goes on, its length is written to it). A criterion without a score above 0 has bars
    that are shares of its lowest score, downwards, and the legend says so.

    The picture is as wide as a page; the legend above it has as many columns as fit.

    Args:
        scores: criterion -> one score per feature (NaN, no split: no bar); larger is better.
        features: their names.
        largest: so many features are shown: those that some criterion puts highest.
        title, ax: as in `grouped_bars`.

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
    shares = _shares_of_best(scores, len(features))
    best = np.max(list(shares.values()), axis=0)
    order = np.argsort(-best, kind="stable")[:largest]
    columns = max(1, min(4, len(shares), int(90 / (4 + max(map(len, shares), default=1)))))
    lines = -(-len(shares) // columns)
    ax = axes_of(ax, width=PAGE, height=3.6 + 0.2 * lines)
    ax = grouped_bars(
        {criterion: array[order].tolist() for criterion, array in shares.items()},
        [str(features[j]) for j in order],
        ylabel="share of the criterion's best score",
        legend=False,
        rotate=30,
        ax=ax,
    )
    _end_low_bars(ax)
    # above the axes, where no bar can be: bars go both ways
    ax.legend(
        frameon=False,
        fontsize=8.5,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        columnspacing=1.2,
        handlelength=1.2,
    )
    ax.set_title(title, fontsize=11, pad=12 + 14 * lines)
    return ax
