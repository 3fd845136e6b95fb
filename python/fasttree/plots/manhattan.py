"""Manhattan plot: one value per genetic variant over its position in the genome.

The chromosomes are laid side by side. Points are rasterised, so that a PDF or SVG of a million
variants stays small. O(n log n) for n variants.
"""

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
    top: int | Sequence[int] | np.ndarray = 0,
    threshold: float | None = None,
    ylabel: str = "score",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Values of variants along the genome, chromosomes in alternating colours.

    Args:
        values: one number per variant: a score, or ``-log10`` of a p-value. NaN is left out.
        chromosomes: chromosome of each variant. Numbered chromosomes come first, in the order of
            their numbers, the others follow in the order of their names.
        positions: position of each variant on its chromosome, base pairs. A chromosome is as wide
            as its largest position.
        names: names of the variants, written beside those that are marked.
        top: how many of the largest values are marked, or the numbers of the marked variants.
        threshold: height of a dashed line, such as ``-log10(0.05)`` of adjusted p-values; None: no
            line.
        ylabel: label of the y-axis.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

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
    base_pairs = np.asarray(positions, dtype=float)
    labels = [str(c) for c in np.asarray(chromosomes, dtype=object).tolist()]
    if not len(heights) == len(base_pairs) == len(labels):
        raise ValueError(
            f"{len(heights)} values, {len(labels)} chromosomes and {len(base_pairs)} positions"
        )
    if not np.isfinite(heights).any():
        raise ValueError("no variant has a value")
    ax = axes_of(ax, width=10.0, height=4.0)
    # Chromosomes side by side, with a gap of 1 % of the genome between two.
    order = sorted(set(labels), key=lambda c: (not c.isdigit(), int(c) if c.isdigit() else 0, c))
    index_of = {label: index for index, label in enumerate(order)}
    chromosome = np.array([index_of[label] for label in labels])
    widths = np.array([max(base_pairs[chromosome == k].max(), 1.0) for k in range(len(order))])
    gap = 0.01 * widths.sum()
    starts = np.concatenate([[0.0], np.cumsum(widths[:-1] + gap)])
    x = starts[chromosome] + base_pairs
    # One call per colour: even and odd chromosomes.
    for parity in (0, 1):
        drawn = (chromosome % 2 == parity) & np.isfinite(heights)
        ax.scatter(
            x[drawn],
            heights[drawn],
            s=6,
            color=colour(parity),
            linewidths=0,
            rasterized=True,
            zorder=2,
        )
    # The marked values, with their names, which stay within the axes.
    if isinstance(top, (int, np.integer)):
        largest = np.where(np.isfinite(heights), heights, -np.inf)
        best = np.argsort(-largest, kind="stable")[:top]
    else:
        best = np.asarray(top, dtype=np.int64)
    ax.scatter(x[best], heights[best], s=22, color=colour(2), linewidths=0, zorder=3)
    if names is not None:
        middle = starts[-1] / 2 + widths[-1] / 2
        for variant in best.tolist():
            to_left = x[variant] > middle
            ax.annotate(
                str(names[variant]),
                (x[variant], heights[variant]),
                xytext=(-3 if to_left else 3, 3),
                textcoords="offset points",
                ha="right" if to_left else "left",
                fontsize=8,
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
