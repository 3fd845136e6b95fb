"""Charts as SVG text: curves (ROC, cost, calibration, learning), and Demsar's diagram of ranks.

Coordinates are whole pixels, and points on a straight line are left out, so that a curve takes a
few hundred bytes. Colours and dashes are the classes ``m0``, ``m1``, ... of the page's style sheet,
which has a light and a dark theme. Elements have no ids, so a page can hold any number of charts.
O(points). For print use `fasttree.plots`.

Demsar's diagram has mean ranks on a line, and bars over methods that do not differ by Nemenyi's
test, or over all where Iman & Davenport's does not reject. Every method has a line of text of its
own, left the better half, right the others. O(methods).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...exports.words import fit_width, text_width, xml

if TYPE_CHECKING:
    from ...model_selection.statistics.outcome import FriedmanResult

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
    """Round numbers that cover an interval.

    Args:
        low, high: the interval.
        count: number of steps that are aimed at.

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
    """Return SVG path data of whole-pixel points with relative steps. Points that lie on a straight
    line between their neighbours are left out, so that pages stay small.

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


SMALL, LINE, SCALE_WIDTH, LONGEST = 12.5, 22, 420, 260


def rank_note(result: FriedmanResult) -> str:
    """The note below `rank_svg`: methods under one bar do not differ significantly. Where the test
    shows no difference at all, one bar is over all methods."""
    if result.significant:
        return "Methods under one bar do not differ significantly (Nemenyi's test)."
    return (
        f"One bar is over all methods: {result.test}'s test shows no difference among them, so "
        "that pairs are not compared."
    )


def rank_svg(result: FriedmanResult) -> str:
    """Return the diagram of ranks of a `FriedmanResult` (Demsar 2006) as an SVG element: mean ranks
    on a scale, bars over groups that do not differ. It needs at least two methods."""
    # The scale of ranks is SCALE_WIDTH px wide, between margins for the longest name.
    k = len(result.names)
    ranks = np.asarray(result.mean_ranks)
    order = np.argsort(ranks, kind="stable").tolist()
    left = (k + 1) // 2
    names = [f"{fit_width(result.names[i], SMALL, LONGEST)} ({ranks[i]:.2f})" for i in range(k)]
    margin = 24 + max(text_width(one, SMALL) for one in names)
    x = {rank: margin + (rank - 1) / (k - 1) * SCALE_WIDTH for rank in range(1, k + 1)}
    positions = [float(margin + (r - 1) / (k - 1) * SCALE_WIDTH) for r in ranks]
    base = 62
    # Bars of groups are below the scale, names below the bars: half of them on each side.
    groups = result.groups
    first = base + 18 + 9 * len(groups)
    width, height = 2 * margin + SCALE_WIDTH, first + LINE * left
    end = margin + min(result.critical_difference, k - 1) / (k - 1) * SCALE_WIDTH
    arrow = "" if result.critical_difference <= k - 1 else " (longer than the scale)"
    # The scale with its ticks, and the critical difference above it.
    out = [
        f'<svg class="chart ranks" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" '
        f'height="{height:.0f}" aria-label="{xml(result.sentence)}">',
        f'<path class="frame" d="M{margin:.0f} {base}H{margin + SCALE_WIDTH:.0f}'
        + "".join(f"M{p:.1f} {base}v-7" for p in x.values())
        + f'M{margin:.0f} 22H{end:.1f}M{margin:.0f} 18v8M{end:.1f} 18v8"/>',
        f'<text class="axis" x="{margin:.0f}" y="13">{result.caption}{arrow}</text>',
        *(
            f'<text class="tick" x="{p:.1f}" y="{base - 11}" text-anchor="middle">{rank}</text>'
            for rank, p in x.items()
        ),
    ]
    # One line per method, from its mean rank to its name.
    for place, i in enumerate(order):
        on_left = place < left
        y = first + LINE * (place if on_left else k - 1 - place)
        stop = margin - 10 if on_left else margin + SCALE_WIDTH + 10
        out.append(
            f'<path class="line m{i % STYLES}" d="M{positions[i]:.1f} {base}V{y}H{stop:.0f}"/>'
        )
        anchor, shift = ("end", -5) if on_left else ("start", 5)
        out.append(
            f'<text class="name" x="{stop + shift:.0f}" y="{y + 4}" text-anchor="{anchor}">'
            f"<title>{xml(result.names[i])}</title>{xml(names[i])}</text>"
        )
    # One bar per group of methods that do not differ.
    for level, group in enumerate(groups):
        inside = [positions[result.names.index(name)] for name in group]
        y = base + 8 + 9 * level
        out.append(f'<path class="group" d="M{min(inside) - 4:.1f} {y}H{max(inside) + 4:.1f}"/>')
    return "".join(out) + "</svg>"
