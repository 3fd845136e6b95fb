"""A sweep in one picture: the accuracy of every setting as a heat map, the best one framed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._checks import checked, having, maybe, string
from .canvas import AXES, axes_of

__all__ = ["accuracy_map"]

CHARACTER = 0.075
"""Width of a character of the names, inches."""

FRAME = "#D55E00"
"""Colour of the frame of the best setting."""

PERCENT = ("accuracy", "error_rate", "balanced_accuracy", "unclassified")


@checked(sweep=having("a Sweep", "result", "layout"), metric=maybe(string), ax=AXES)
def accuracy_map(sweep: Any, metric: str | None = None, *, title: str = "", ax: Any = None) -> Any:
    """Mean of every setting of a `Sweep` as a colour, with the number in it; the best of all is
    framed, and its value written above.

    Args:
        sweep: what `fasttree.sweep` returned.
        metric: by default the first that was asked for.
        title: above the map.
        ax: axes to draw into; a new figure without.

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
            f"metric={metric!r} is not known; there are {', '.join(sweep.result.metrics)}"
        )
    rows, columns, places, across = sweep.layout()
    factor = 100.0 if metric in PERCENT else 1.0
    means = np.array([factor * sweep.result.mean(m, metric) for m in sweep.result.methods])
    values = np.where(places >= 0, means[places], np.nan)
    size = {
        "width": 2.4 + (0.62 if len(columns) <= 20 else 0.42) * len(columns),
        "height": 1.5 + 0.36 * len(rows),
    }
    ax = axes_of(ax, **size)
    cell = ax.get_position().width * ax.figure.get_figwidth() / len(columns)
    image = ax.imshow(np.ma.masked_invalid(values), cmap="cividis", aspect="auto")
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    if values.size <= 200 and cell >= 4.5 * CHARACTER:
        for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
            ink = "white" if values[i, j] < middle else "black"
            ax.text(
                j,
                i,
                f"{values[i, j]:.1f}" if factor > 1 else f"{values[i, j]:.3g}",
                ha="center",
                va="center",
                color=ink,
                fontsize=8 if cell > 0.5 else 7,
            )
    better = sweep.result.directions.get(metric, True)
    flat = np.nanargmax(values) if better else np.nanargmin(values)
    i, j = np.unravel_index(flat, values.shape)
    ax.add_patch(_frame(i, j))
    _name_columns(ax, columns, cell, across in ("alpha", "radius"))
    ax.set_yticks(range(len(rows)), rows, fontsize=9)
    ax.set_xlabel(across)
    named = [name for name, values_of in sweep.axes.items() if len(values_of) > 1]
    own = "alpha" if across == "radius" else across
    ax.set_ylabel(", ".join(name for name in named if name != own) or "criterion")
    best = f"{values[i, j]:.1f}" if factor > 1 else f"{values[i, j]:.3g}"
    ax.set_title(
        (title or f"{sweep.result.name or 'sweep'}: {metric}{' (%)' if factor > 1 else ''}")
        + f"\nframed: the best, {best}",
        fontsize=10,
    )
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, fraction=0.05, pad=0.02).outline.set_visible(False)
    return ax


def _name_columns(ax: Any, columns: list[str], cell: float, numbers: bool) -> None:
    """Names under columns of a width (inches): numbers are shortened and left out where they would
    touch, words turned."""
    if numbers:
        columns = _shortened(columns)
    fit = max(map(len, columns)) + 1.5
    if numbers:
        step = math.ceil(fit * CHARACTER / cell)
        ax.set_xticks(range(0, len(columns), step), columns[::step], fontsize=9)
    else:
        turned = {"rotation": 30, "ha": "right"} if fit * CHARACTER > cell else {}
        ax.set_xticks(range(len(columns)), columns, fontsize=9, **turned)


def _shortened(numbers: list[str]) -> list[str]:
    """Numbers with three digits, or as many as tell them apart."""
    for digits in range(3, 6):
        short = [f"{float(n):.{digits}g}" if len(n) > 5 else n for n in numbers]
        if len(set(short)) == len(set(numbers)):
            return short
    return numbers


def _frame(i: Any, j: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(
        (float(j) - 0.5, float(i) - 0.5), 1, 1, fill=False, edgecolor=FRAME, linewidth=2.2
    )
