"""A sweep in one picture: the accuracy of every setting as a heat map, the best one framed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .canvas import axes_of

__all__ = ["accuracy_map"]

PERCENT = ("accuracy", "error_rate", "balanced_accuracy", "unclassified")


def accuracy_map(sweep: Any, metric: str | None = None, *, title: str = "", ax: Any = None) -> Any:
    """Mean of every setting of a `Sweep` as a colour, with the number in it; the best of all is framed.

    Args:
        sweep: what `fasttree.sweep` returned.
        metric: by default the first that was asked for.
        title: above the map.
        ax: axes to draw into; a new figure without.

    Examples:
        >>> import fasttree
        >>> found = fasttree.sweep(fasttree.datasets.make_monks(1), alpha=[0.0, 1.0], decay=["exponential", "power"], cv="1x5")
        >>> accuracy_map(found).get_xlabel()
        'alpha'
    """
    metric = sweep.result.metrics[0] if metric is None else metric
    rows, columns, places, across = sweep.layout()
    factor = 100.0 if metric in PERCENT else 1.0
    means = np.array([factor * sweep.result.mean(m, metric) for m in sweep.result.methods])
    values = np.where(places >= 0, means[places], np.nan)
    size = {"width": 2.4 + 0.62 * len(columns), "height": 1.5 + 0.36 * len(rows)}
    ax = axes_of(ax, **size)
    image = ax.imshow(np.ma.masked_invalid(values), cmap="cividis", aspect="auto")
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    if values.size <= 200:
        for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
            ink = "white" if values[i, j] < middle else "black"
            ax.text(
                j,
                i,
                f"{values[i, j]:.1f}" if factor > 1 else f"{values[i, j]:.3g}",
                ha="center",
                va="center",
                color=ink,
                fontsize=8,
            )
    better = sweep.result.directions.get(metric, True)
    flat = np.nanargmax(values) if better else np.nanargmin(values)
    i, j = np.unravel_index(flat, values.shape)
    ax.add_patch(_frame(i, j))
    ax.set_xticks(range(len(columns)), columns, fontsize=9)
    ax.set_yticks(range(len(rows)), rows, fontsize=9)
    ax.set_xlabel(across)
    ax.set_title(
        title or f"{sweep.result.name or 'sweep'}: {metric}{' (%)' if factor > 1 else ''}", fontsize=10
    )
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, fraction=0.05, pad=0.02).outline.set_visible(False)
    return ax


def _frame(i: Any, j: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((float(j) - 0.5, float(i) - 0.5), 1, 1, fill=False, edgecolor="#D55E00", linewidth=2.2)
