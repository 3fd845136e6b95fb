"""Manhattan plot: a number for each variant at its place on the chromosomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .canvas import axes_of, colour, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["manhattan"]


def manhattan(
    values: Sequence[float] | np.ndarray,
    chromosomes: Sequence[Any],
    positions: Sequence[int],
    *,
    names: Sequence[str] | None = None,
    top: int = 0,
    threshold: float | None = None,
    ylabel: str = "score",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Values of variants along the genome, chromosomes in alternating colours.

    Args:
        values: a number for each variant; NaN is left out. Scores, or ``-log10`` of p-values.
        chromosomes, positions: where each variant lies. Chromosomes come in the order of their
            numbers, others after them in the order of their names; each is as wide as its largest
            position.
        names: what to write beside the `top` largest values.
        top: how many are marked and named.
        threshold: where a dashed line is drawn.
        ylabel, title: how it looks.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        ValueError: sequences of different lengths, or no value.
        ImportError: matplotlib is not installed.

    Examples:
        >>> ax = manhattan(
        ...     [0.1, 0.3, 0.2], ["1", "1", "2"], [100, 900, 50], names=["a", "b", "c"], top=1
        ... )
        >>> [label.get_text() for label in ax.get_xticklabels()], [t.get_text() for t in ax.texts]
        (['1', '2'], ['b'])
    """
    heights = np.asarray(values, dtype=float)
    places = np.asarray(positions, dtype=float)
    labels = [str(c) for c in np.asarray(chromosomes, dtype=object).tolist()]
    if not len(heights) == len(places) == len(labels):
        raise ValueError(
            f"{len(heights)} values, {len(labels)} chromosomes and {len(places)} positions"
        )
    if not np.isfinite(heights).any():
        raise ValueError("no variant has a value")
    ax = axes_of(ax, width=10.0, height=4.0)
    order = sorted(set(labels), key=lambda c: (not c.isdigit(), int(c) if c.isdigit() else 0, c))
    number = {c: k for k, c in enumerate(order)}
    of = np.array([number[c] for c in labels])
    widths = np.array([max(places[of == k].max(), 1.0) for k in range(len(order))])
    gap = 0.01 * widths.sum()
    starts = np.concatenate([[0.0], np.cumsum(widths[:-1] + gap)])
    x = starts[of] + places
    for parity in (0, 1):
        some = (of % 2 == parity) & np.isfinite(heights)
        ax.scatter(
            x[some],
            heights[some],
            s=6,
            color=colour(parity),
            linewidths=0,
            rasterized=True,
            zorder=2,
        )
    best = np.argsort(-np.where(np.isfinite(heights), heights, -np.inf), kind="stable")[:top]
    ax.scatter(x[best], heights[best], s=22, color=colour(2), linewidths=0, zorder=3)
    for v, name in [] if names is None else [(v, names[v]) for v in best.tolist()]:
        ax.annotate(
            str(name), (x[v], heights[v]), xytext=(3, 3), textcoords="offset points", fontsize=8
        )
    if threshold is not None:
        ax.axhline(threshold, color="#555555", linestyle=(0, (5, 3)), linewidth=1)
    ax.set_xticks(starts + widths / 2, order, fontsize=8)
    ax.set_xlabel("chromosome")
    ax.set_ylabel(ylabel)
    ax.set_title(title, fontsize=11)
    ax.margins(x=0.01, y=0.08)
    plain_frame(ax)
    return ax
