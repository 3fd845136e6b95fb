"""Manhattan plot: one value per genetic variant over its position in the genome.

The chromosomes are laid side by side. Points are rasterised, so that a PDF or SVG of a million
variants stays small. O(n log n) for n variants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .canvas import Axes, axes_of, colour, finish

Box = tuple[float, float, float, float]
"""Left, lower, right and upper end, points."""

SIZE = 8.0
"""Size of names, points."""

WIDTH = 0.6
"""Width of a character as a share of its size."""

STEPS = (3, 12, -9, 21, -18, 30, -27, 39, -36, 48, -45, 57)
"""Heights above a point at which its name is tried, points."""


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
        names: names of the variants, written beside the marked points.
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
    if threshold is not None:
        ax.axhline(threshold, color="#555555", linestyle=(0, (5, 3)), linewidth=1)
    middles = starts + widths / 2
    ax.margins(x=0.01, y=0.08)
    finish(ax, title, xlabel="chromosome", ylabel=ylabel)
    ax.set_xticks(middles, _spaced(ax, middles, order), fontsize=SIZE)
    if names is not None:
        _name(ax, x[best], heights[best], [str(names[variant]) for variant in best.tolist()])
    return ax


def _points(ax: Any) -> tuple[float, float]:
    """Points per unit of x and of y, in the axes as they are laid out now."""
    position, figure = ax.get_position(), ax.figure
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    across = 72 * position.width * figure.get_figwidth() / (right - left)
    return across, 72 * position.height * figure.get_figheight() / (high - low)


def _spaced(ax: Any, middles: np.ndarray, order: list[str]) -> list[str]:
    """The chromosomes under their middles; the text of one that would touch another is empty.

    Args:
        ax: the axes, with their final limits.
        middles: the middle of each chromosome, in data coordinates, ascending.
        order: names of the chromosomes.
    """
    across, _ = _points(ax)
    labels, end = [], -np.inf
    for middle, name in zip((middles * across).tolist(), order, strict=True):
        half_width = WIDTH * SIZE * len(name) / 2
        fits = middle - half_width > end + 1
        labels.append(name if fits else "")
        end = middle + half_width if fits else end
    return labels


def _name(ax: Any, x: np.ndarray, y: np.ndarray, names: list[str]) -> None:
    """Write names beside points, the highest first, none over another; a line leads to a name that
    is not at its point.

    Args:
        ax: the axes, with their final limits.
        x, y: the points, in data coordinates.
        names: the name of each point.
    """
    across, up = _points(ax)
    left, right = (limit * across for limit in ax.get_xlim())
    low, top = (limit * up for limit in ax.get_ylim())
    placed: list[Box] = []
    for place in np.argsort(-y, kind="stable").tolist():
        at, height, width = x[place] * across, y[place] * up, WIDTH * SIZE * len(names[place])

        def box(dx: float, dy: float, at: float = at, up: float = height, w: float = width) -> Box:
            start = at + dx if dx > 0 else at + dx - w
            return start, up + dy, start + w, up + dy + SIZE + 1

        sides = (-3, 3) if at > (left + right) / 2 else (3, -3)
        room = (left, low, right, top + SIZE)
        offsets = [(dx * far, step) for far in (1, 4) for step in STEPS for dx in sides]
        free = (one for one in offsets if _is_free(box(*one), placed, room))
        dx, dy = next(free, offsets[0])
        placed.append(box(dx, dy))
        far = abs(dy) > SIZE or abs(dx) > 3
        ax.annotate(
            names[place],
            (x[place], y[place]),
            xytext=(dx, dy),
            textcoords="offset points",
            ha="left" if dx > 0 else "right",
            fontsize=SIZE,
            arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": "#555555"} if far else None,
        )


def _is_free(box: Box, placed: list[Box], room: Box) -> bool:
    """Whether a box lies within a room and meets none of the boxes that are placed.

    Args:
        box: the box.
        placed: the boxes that are placed already.
        room: the box that it must lie in.
    """
    inside = box[0] >= room[0] and box[1] >= room[1] and box[2] <= room[2] and box[3] <= room[3]
    return inside and not any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
        for other in placed
    )
