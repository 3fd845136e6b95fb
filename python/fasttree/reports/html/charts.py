"""Line charts as SVG text: ROC, cost and calibration curves, learning curves.

Coordinates are whole pixels, and points on a straight line are left out, so that a curve takes a
few hundred bytes. Colours and dashes are the classes ``m0``, ``m1``, ... of the page's style sheet,
which has a light and a dark theme. Elements have no ids, so a page can hold any number of charts.
O(points). For print use `fasttree.plots`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...exports.words import xml

WIDTH, HEIGHT = 268, 246
"""Default size of a chart, px."""

LEFT, RIGHT, TOP, BOTTOM = 50, 8, 10, 38
"""Margins for ticks and labels, px."""

STYLES = 8
"""Number of colours and dashes in the style sheet."""


@dataclass(frozen=True)
class Series:
    """A curve.

    Attributes:
        name: text of the tooltip.
        place: index of the method, for colour and dashes.
        x, y: its points.
        dots: whether the points are marked.
    """

    name: str
    place: int
    x: Any
    y: Any
    dots: bool = False


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return round numbers that cover an interval.

    >>> nice_ticks(0, 1), nice_ticks(3, 17)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5.0, 10.0, 15.0, 20.0])
    """
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return [low, low + 1.0]
    raw = span / count
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= raw * 0.999)
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def path_of(points: Sequence[tuple[int, int]]) -> str:
    """Return path data of whole-pixel points, without those that lie on a straight line.

    >>> path_of([(0, 0), (0, 5), (0, 9), (4, 9)])
    'M0 0v9h4'
    """
    kept: list[tuple[int, int]] = []
    for x, y in points:
        while kept and kept[-1] == (x, y):
            kept.pop()
        while len(kept) > 1:
            (x0, y0), (x1, y1) = kept[-2], kept[-1]
            forward = (x1 - x0) * (x - x1) + (y1 - y0) * (y - y1) >= 0
            if (x1 - x0) * (y - y0) != (y1 - y0) * (x - x0) or not forward:
                break
            kept.pop()
        kept.append((x, y))
    if not kept:
        return ""
    out = [f"M{kept[0][0]} {kept[0][1]}"]
    for (x0, y0), (x1, y1) in pairwise(kept):
        dx, dy = x1 - x0, y1 - y0
        out.append(f"v{dy}" if dx == 0 else f"h{dx}" if dy == 0 else f"l{dx} {dy}")
    return "".join(out)


def line_chart(
    series: Sequence[Series],
    *,
    xlabel: str,
    ylabel: str,
    title: str,
    x_ticks: Sequence[float] = (0, 0.25, 0.5, 0.75, 1),
    y_ticks: Sequence[float] = (0, 0.25, 0.5, 0.75, 1),
    diagonal: bool = False,
    width: int = WIDTH,
    height: int = HEIGHT,
) -> str:
    """Return an SVG element with one curve per series; points that are not finite are left out.

    Args:
        series: the curves.
        xlabel, ylabel: labels of the axes.
        title: text for screen readers.
        x_ticks, y_ticks: ticks, ascending; the axes go from the first to the last.
        diagonal: whether to draw the line from the lower left to the upper right corner.
        width, height: size, px.
    """
    x0, x1 = float(x_ticks[0]), float(x_ticks[-1])
    y0, y1 = float(y_ticks[0]), float(y_ticks[-1])
    inner_w, inner_h = width - LEFT - RIGHT, height - TOP - BOTTOM

    def place(x: Any, y: Any) -> list[tuple[int, int]]:
        """Pixels of points."""
        xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        finite = np.isfinite(xs) & np.isfinite(ys)
        px = np.rint(LEFT + (xs[finite] - x0) / (x1 - x0) * inner_w).astype(int)
        py = np.rint(TOP + (1 - (ys[finite] - y0) / (y1 - y0)) * inner_h).astype(int)
        return list(zip(px.tolist(), py.tolist(), strict=True))

    # Grid lines, then the numbers at the ticks and the labels of the axes.
    floor, right = TOP + inner_h, LEFT + inner_w
    grid = "".join(f"M{LEFT} {py}H{right}" for _, py in place([x0] * len(y_ticks), y_ticks))
    grid += "".join(f"M{px} {TOP}V{floor}" for px, _ in place(x_ticks, [y0] * len(x_ticks)))
    out = [
        f'<svg class="chart" role="img" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" '
        f'aria-label="{xml(title)}"><path class="grid" d="{grid}"/>'
    ]
    for value, (px, _) in zip(x_ticks, place(x_ticks, [y0] * len(x_ticks)), strict=True):
        # A long number at the right end would leave the picture, so it ends there.
        inside = px + 3 * len(f"{value:g}") <= width
        x, anchor = (px, "middle") if inside else (width, "end")
        out.append(
            f'<text class="tick" x="{x}" y="{floor + 14}" text-anchor="{anchor}">{value:g}</text>'
        )
    for value, (_, py) in zip(y_ticks, place([x0] * len(y_ticks), y_ticks), strict=True):
        out.append(
            f'<text class="tick" x="{LEFT - 5}" y="{py + 4}" text-anchor="end">{value:g}</text>'
        )
    middle = TOP + inner_h // 2
    out.append(
        f'<text class="axis" x="{LEFT + inner_w // 2}" y="{height - 7}" '
        f'text-anchor="middle">{xml(xlabel)}</text>'
        f'<text class="axis" x="11" y="{middle}" text-anchor="middle" transform="rotate(-90 11 '
        f'{middle})">'
        f"{xml(ylabel)}</text>"
    )
    if diagonal:
        out.append(f'<path class="diagonal" d="M{LEFT} {floor}L{right} {TOP}"/>')
    # The curves, with their names as tooltips.
    for one in series:
        points = place(one.x, one.y)
        style = f"m{one.place % STYLES}"
        label = f"<title>{xml(one.name)}</title>"
        if points:
            out.append(f'<path class="line {style}" d="{path_of(points)}">{label}</path>')
        if one.dots:
            dots = "".join(f"M{px} {py}h0" for px, py in points)
            out.append(f'<path class="dots {style}" d="{dots}">{label}</path>')
    return "".join(out) + "</svg>"
