"""Heat map of a sweep: the mean of a metric at every setting, the best setting framed.

`Sweep.layout` decides which parameter runs along the columns. Numbers are written into the cells
where they fit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._checks import checked, maybe, object_with, shown, string
from ..exports.tables.table import scale_of
from .canvas import AXES, axes_of

CHARACTER = 0.075
"""Width of a character at the size of the tick labels (9 points), inches."""

FRAME = "#D55E00"
"""Colour of the frame of the best setting: it stands out from all colours of the map."""

MAX_NUMBERED = 200
"""Largest number of cells that get a number; in larger maps numbers hide the colours."""


@checked(sweep=object_with("a Sweep", "result", "layout"), metric=maybe(string), ax=AXES)
def accuracy_map(sweep: Any, metric: str | None = None, *, title: str = "", ax: Any = None) -> Any:
    """Mean of a metric at every setting of a `Sweep`, as a heat map.

    The best setting is framed, and its value is in the title.

    Args:
        sweep: the result of `fasttree.sweep`.
        metric: one of its metrics; by default the first.
        title: first line of the title; by default the data set and the metric.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        ValueError: a metric that was not computed.
        ImportError: matplotlib is not installed.

    Examples:
        >>> import fasttree
        >>> found = fasttree.sweep(
        ...     fasttree.datasets.make_monks(1),
        ...     alpha=[0.0, 1.0],
        ...     decay=["exponential", "power"],
        ...     cv="1x5",
        ... )
        >>> accuracy_map(found).get_xlabel()
        'alpha'
    """
    metric = sweep.result.metrics[0] if metric is None else metric
    if metric not in sweep.result.metrics:
        raise ValueError(
            f"metric={shown(metric)} is not known; there are {', '.join(sweep.result.metrics)}"
        )
    # The mean of each cell; NaN in combinations that the sweep does not hold.
    rows, columns, places, across = sweep.layout()
    factor, _, label = scale_of(metric)
    means = np.array([factor * sweep.result.mean(m, metric) for m in sweep.result.methods])
    values = np.where(places >= 0, means[places], np.nan)
    ax = axes_of(
        ax,
        width=2.4 + (0.62 if len(columns) <= 20 else 0.42) * len(columns),
        height=1.5 + 0.36 * len(rows),
    )
    from matplotlib.patches import Rectangle

    cell_width = ax.get_position().width * ax.figure.get_figwidth() / len(columns)  # inches
    image = ax.imshow(np.ma.masked_invalid(values), cmap="cividis", aspect="auto")

    def written(value: float) -> str:
        return f"{value:.1f}" if factor > 1 else f"{value:.3g}"

    # Numbers of up to four characters, in white on the dark half of the colour map.
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    if values.size <= MAX_NUMBERED and cell_width >= 4.5 * CHARACTER:
        for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
            ax.text(
                j,
                i,
                written(values[i, j]),
                ha="center",
                va="center",
                color="white" if values[i, j] < middle else "black",
                fontsize=8 if cell_width > 0.5 else 7,
            )
    # The frame around the best setting.
    greater_is_better = sweep.result.directions.get(metric, True)
    flat = np.nanargmax(values) if greater_is_better else np.nanargmin(values)
    i, j = np.unravel_index(flat, values.shape)
    corner = (float(j) - 0.5, float(i) - 0.5)
    ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=FRAME, linewidth=2.2))
    # Ticks name the values of the parameters; the y-label names the parameters that vary along the
    # rows.
    _name_columns(ax, columns, cell_width, across in ("alpha", "radius"))
    ax.set_yticks(range(len(rows)), rows, fontsize=9)
    ax.set_xlabel(across)
    varied = [name for name, settings in sweep.axes.items() if len(settings) > 1]
    own = "alpha" if across == "radius" else across
    ax.set_ylabel(", ".join(name for name in varied if name != own) or "criterion")
    ax.set_title(
        (title or f"{sweep.result.name or 'sweep'}: {label}")
        + f"\nframed: the best, {written(values[i, j])}",
        fontsize=10,
    )
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, fraction=0.05, pad=0.02).outline.set_visible(False)
    return ax


def _name_columns(ax: Any, columns: list[str], cell_width: float, numbers: bool) -> None:
    """Write tick labels under columns without overlap.

    Numbers are shortened, and some are left out if needed; other names are rotated.

    Args:
        ax: the axes.
        columns: the labels.
        cell_width: width of a column, inches.
        numbers: whether the labels are numbers.
    """
    if numbers:
        columns = _shortened(columns)
    needed = (max(map(len, columns)) + 1.5) * CHARACTER
    if numbers:
        step = math.ceil(needed / cell_width)
        ax.set_xticks(range(0, len(columns), step), columns[::step], fontsize=9)
    else:
        rotated = {"rotation": 30, "ha": "right"} if needed > cell_width else {}
        ax.set_xticks(range(len(columns)), columns, fontsize=9, **rotated)


def _shortened(numbers: list[str]) -> list[str]:
    """Numbers with three significant digits, or up to five if fewer do not distinguish them."""
    for digits in range(3, 6):
        short = [f"{float(n):.{digits}g}" if len(n) > 5 else n for n in numbers]
        if len(set(short)) == len(set(numbers)):
            return short
    return numbers
