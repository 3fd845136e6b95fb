"""Figures 4 to 8 of Späh & Kosub (2022) from the results of `repeats`.

There is one panel per data set, distance or stopping rule. Global growth is red, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...exports.palette import PALETTE
from .repeats import Curves, Growth, Sizes, evaluation_of, interval, method_name

COLOURS = dict(zip(("local", "global", "glocal"), PALETTE, strict=False))
"""Colour of each evaluation (the paper's global curves are red)."""
BAND: Any = {"alpha": 0.2, "linewidth": 0}
"""Style of the area around a curve."""


def draw_learning_curves(
    results: Mapping[str, Curves], shares: Sequence[float], measures: Mapping[str, str]
) -> Any:
    """Figure 4: accuracy (left axis, solid) and nodes (right axis, dashed) by training share; rows
    are data sets.

    Args:
        results: the learning curves, by data set.
        shares: the training sizes as shares of the rows.
        measures: labels of the distances, by name.
    """
    from ...plots.canvas import new_figure, plain_frame

    figure, axes = new_figure(
        len(results),
        len(measures),
        width=3.1 * len(measures) + 0.6,
        height=2.3 * len(results) + 0.6,
    )
    for row, (dataset, curves) in enumerate(results.items()):
        # Panels of a data set have common axes: accuracy left, nodes right.
        most = max(values.mean(axis=1).max() for values in curves.nodes.values())
        least = min(values.mean(axis=1).min() for values in curves.accuracy.values())
        for column, (measure, title) in enumerate(measures.items()):
            ax = axes[row * len(measures) + column]
            other = ax.twinx()
            for evaluation in ("local", "global"):
                name, colour = method_name(measure, evaluation), COLOURS[evaluation]
                accuracy, nodes = curves.accuracy[name], curves.nodes[name]
                for axis, values, style in ((ax, accuracy, "-"), (other, nodes, "--")):
                    middle, half = values.mean(axis=1), interval(values)
                    axis.plot(shares, middle, style, color=colour, linewidth=1.4, label=evaluation)
                    axis.fill_between(shares, middle - half, middle + half, color=colour, **BAND)
            ax.set_ylim(least - 0.03, 1.01)
            other.set_ylim(0, 1.08 * most)
            other.tick_params(labelsize=7, length=2, labelright=column == len(measures) - 1)
            plain_frame(ax)
            other.spines[["top", "left"]].set_visible(False)
            ax.tick_params(labelsize=7, labelleft=column == 0)
            if row == 0:
                ax.set_title(title, fontsize=10)
            if column == 0:
                ax.set_ylabel(f"{dataset}\naccuracy", fontsize=8)
            if column == len(measures) - 1:
                other.set_ylabel("nodes (dashed)", fontsize=8)
            if row == len(results) - 1:
                ax.set_xlabel("share of the training part", fontsize=8)
    axes[0].legend(fontsize=7, loc="lower right", frameon=False)
    return figure


def draw_tree_sizes(sizes: Sizes, measures: Mapping[str, str]) -> Any:
    """Figure 5: mean nodes by the size of the generating tree; the black line is that size.

    A band is a standard deviation, not below what the protocol admits.

    Args:
        sizes: the sizes of the trees.
        measures: labels of the distances, by name.
    """
    from ...plots.canvas import new_figure, plain_frame

    figure, axes = new_figure(2, (len(measures) + 1) // 2, width=9.6, height=5.6)
    x = sizes.generating
    for place, (measure, title) in enumerate(measures.items()):
        ax = axes[place]
        for evaluation in ("local", "global"):
            values = sizes.nodes[method_name(measure, evaluation)]
            middle, sd = values.mean(axis=1), values.std(axis=1, ddof=1)
            ax.plot(x, middle, color=COLOURS[evaluation], label=evaluation)
            least = np.maximum(middle - sd, x)
            ax.fill_between(x, least, middle + sd, color=COLOURS[evaluation], **BAND)
        ax.plot(x, x, color="black", linewidth=1.0, label="generating tree")
        ax.set_yscale("log")
        ax.set_yticks([3, 10, 30, 100, 300], ["3", "10", "30", "100", "300"])
        ax.set_ylim(2.5, 500)
        ax.set_title(title, fontsize=10)
        plain_frame(ax)
        if place % 3 == 0:
            ax.set_ylabel("nodes")
        if place >= 3:
            ax.set_xlabel("nodes of the generating tree")
    axes[0].legend(fontsize=8, frameon=False, loc="upper left")
    return figure


def draw_redundant_splits(sizes: Sizes, measures: Mapping[str, str], few: float) -> Any:
    """Figure 6 (c) as measured: mean redundant splits of the trees of figure 5, 95 % intervals.

    Args:
        sizes: the sizes of the trees.
        measures: labels of the distances, by name.
        few: number of redundant splits below which a distance is called efficient; a line.
    """
    from ...plots.canvas import new_figure, plain_frame

    figure, (ax,) = new_figure(1, 1, width=7.2, height=3.6)
    for shift, evaluation in ((-0.12, "local"), (0.12, "global")):
        counts = [sizes.redundant[method_name(measure, evaluation)].ravel() for measure in measures]
        middle = np.array([values.mean() for values in counts])
        half = np.array([interval(values) for values in counts])
        ax.errorbar(
            np.arange(len(middle)) + shift,
            middle,
            yerr=[np.minimum(half, middle), half],
            fmt="o" if evaluation == "local" else "s",
            capsize=3,
            color=COLOURS[evaluation],
            label=evaluation,
        )
    ax.axhline(few, color="black", linewidth=1.0, linestyle=":")
    right = {"ha": "right", "va": "top", "transform": ax.get_yaxis_transform()}
    ax.text(0.99, few / 1.2, "efficient", fontsize=8, **right)
    ax.set_yscale("symlog", linthresh=0.01)
    ax.set_ylim(-0.002, 300)
    ax.set_yticks([0, 0.01, 0.1, 1, 10, 100], ["0", "0.01", "0.1", "1", "10", "100"])
    ax.set_xticks(range(len(measures)), list(measures.values()), fontsize=8)
    ax.set_ylabel("redundant splits per tree")
    plain_frame(ax)
    ax.legend(fontsize=8, frameon=False, loc="upper center")
    return figure


def draw_growth(panels: Mapping[str, Growth]) -> Any:
    """Figures 7 and 8: train (dashed) and test (solid) accuracy by step; opacity is the share of
    unfinished trees.

    The tick marks the step at which most trees have ended; the number beside it is the mean test
    accuracy at the end.
    """
    from matplotlib.collections import LineCollection

    from ...plots.canvas import new_figure, plain_frame

    lines = (len(panels) + 1) // 2
    figure, axes = new_figure(lines, 2, width=9.4, height=3.4 * lines)
    for ax, (title, growth) in zip(axes, panels.items(), strict=False):
        # Each curve is 120 segments, whose opacity is the share of trees that still grow.
        longest = 1
        for name in growth.test:
            colour = COLOURS[evaluation_of(name)]
            shown = growth.unfinished[name]
            # steps that at most one tree in a hundred makes are left out
            last = max(2, int(np.count_nonzero(shown > 0.01)) + 1)
            longest = max(longest, last)
            for values, every in ((growth.train[name], 2), (growth.test[name], 1)):
                x = np.linspace(0, min(last, len(values) - 1), 121)
                points = np.column_stack([x, np.interp(x, np.arange(len(values)), values)])
                segments = np.stack([points[:-1], points[1:]], axis=1)[::every]
                alpha = np.clip(np.interp(x[:-1:every], np.arange(len(shown)), shown), 0.12, 1.0)
                style = {"colors": colour, "alpha": alpha, "linewidths": 1.6}
                ax.add_collection(LineCollection(list(segments), **style))
            half = int(np.argmax(shown < 0.5))
            at = growth.test[name][min(half, len(growth.test[name]) - 1)]
            ax.plot([half], [at], marker="|", markersize=13, markeredgewidth=2, color=colour)
            label = f"{evaluation_of(name)}: {growth.final[name].mean():.3f} at the end"
            ax.plot([], [], color=colour, label=label)
        ax.set_xlim(0, longest)
        ax.set_ylim(0.3, 1.02)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("splits")
        ax.set_ylabel("accuracy")
        plain_frame(ax)
        ax.legend(fontsize=8, frameon=False, loc="lower right")
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    return figure
