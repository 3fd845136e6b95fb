"""A fitted tree drawn with matplotlib, in the design of the SVG export.

The layout is that of `fasttree.exports.drawing`: from left to right, one card per node with bars,
rows and scores, and a legend of the colours. Nodes beyond `max_nodes` are folded.
``ax.figure.savefig(path)`` writes PNG or PDF. O(nodes shown).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .._checks import checked, having, maybe, number_in
from ..exports.drawing import FONT, SMALL, Card, Drawing
from ..exports.words import one_line
from .canvas import AXES, axes_of

__all__ = ["plot_tree"]

INK = "#1d2430"
SOFT_INK = "#5a6677"
LINE = "#9aa5b4"
CARD = "#f4f6f9"
MARK, MARK_WIDTH = "#111827", 2.8
"""Colour of the highlighted path, and its lines as multiples of the usual width."""

READABLE = 6.0
"""Smallest size of names, points, for which a tree is drawn whole."""

PIXELS_PER_INCH = 100.0
"""Pixels of the layout per inch of a new figure."""


class _Canvas:
    """Draws texts, boxes and cards, given in pixels of the layout, into axes.

    `scale` is the number of points per pixel: matplotlib sizes text and lines in points.
    """

    def __init__(self, ax: Any, scale: float) -> None:
        self.ax, self.scale = ax, scale

    def text(self, x: float, y: float, text: str, size: float, **options: Any) -> None:
        """Draw a text with its baseline at `y`."""
        self.ax.text(
            x,
            y,
            one_line(text),
            parse_math=False,
            fontsize=size * self.scale,
            va="baseline",
            **{"color": INK, "ha": "left", **options},
        )

    def box(self, x: float, y: float, width: float, height: float, **options: Any) -> None:
        """Draw a filled rectangle with its upper left corner at (`x`, `y`)."""
        from matplotlib.patches import Rectangle

        self.ax.add_patch(Rectangle((x, y), width, height, **options))

    def card(self, card: Card) -> None:
        """Draw the box, name, numbers and bar of a node."""
        from matplotlib.patches import FancyBboxPatch

        # The box: leaves are rounder, folded nodes dashed.
        rounding = 9 if card.leaf else 4
        self.ax.add_patch(
            FancyBboxPatch(
                (card.x, card.y),
                card.width,
                card.height,
                boxstyle=f"round,pad=0,rounding_size={rounding}",
                facecolor=CARD,
                edgecolor=MARK if card.marked else LINE,
                linewidth=1.4 * self.scale * (MARK_WIDTH if card.marked else 1.0),
                linestyle=(0, (4, 3)) if card.folded else "-",
                zorder=2,
            )
        )
        for text in card.texts():
            self.text(
                text.x,
                text.y,
                text.text,
                text.size,
                color=SOFT_INK if text.size == SMALL else INK,
                ha="right" if text.right else "left",
                **({"fontweight": "bold"} if text.bold else {}),
            )
        # The bar, 5 px high, near the lower edge.
        for bar in card.bars:
            self.box(
                bar.x,
                card.y + card.height - 9,
                bar.width,
                5,
                facecolor=bar.fill,
                zorder=3,
                linewidth=0,
            )


@checked(
    fontsize=maybe(number_in(0.0, 1000.0, above=True)),
    model=having("a fitted tree", "_model", "tree_"),
    ax=AXES,
)
def plot_tree(
    model: Any,
    *,
    max_depth: int | None = None,
    max_nodes: int | None = 120,
    empty: bool = False,
    fontsize: float | None = None,
    title: str = "",
    highlight: Any = None,
    ax: Any = None,
) -> Any:
    """Draw a fitted tree.

    Args:
        model: a fitted tree.
        max_depth: deepest level shown (the root is level 0), at least 0; deeper ones are folded.
            None: as many levels as the axes hold with names of 6 points; all of them where
            `fontsize` or `highlight` is given, or `max_nodes` is None. Where a tree with levels
            side by side would be too small, its nodes stand one below the other.
        max_nodes: largest number of nodes drawn, at least 1; nodes with the most rows are opened
            first, the others are folded. None draws all.
        empty: whether leaves that no training row reached are drawn.
        fontsize: size of the names, points; by default what fits the axes (9 in a new figure). A
            new figure is as large as it needs; in given axes no text is larger than its box.
        title: title of the axes.
        highlight: one row, whose path is drawn in black: a mapping or a frame of one row with
            column names, or a list of cells in column order.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes, switched off.

    Raises:
        ValueError: an argument outside its range, or a `highlight` of several rows.
        ImportError: matplotlib is not installed.

    Examples:
        >>> import fasttree
        >>> ax = plot_tree(fasttree.fit(fasttree.datasets.load_weather()))
        >>> len(ax.texts) > 5
        True
    """
    draw = partial(Drawing, model, max_nodes=max_nodes, empty=empty, highlight=highlight)
    drawing = draw(max_depth)
    # A new figure is as large as the texts need.
    inch = PIXELS_PER_INCH if fontsize is None else 0.96 * 72.0 * FONT / fontsize
    ax = axes_of(ax, width=drawing.width / inch, height=drawing.height / inch + 0.4 * bool(title))
    # Points per pixel, from the size of the axes in inches. Axes that are alone in their figure
    # fill it: they are switched off, so they need no margins for ticks.
    position, figure = ax.get_position(), ax.figure
    width, height = position.width * figure.get_figwidth(), position.height * figure.get_figheight()
    if len(figure.axes) == 1:
        width, height = 0.98 * figure.get_figwidth(), 0.98 * figure.get_figheight()
        if figure.get_layout_engine() is None:
            ax.set_position((0.01, 0.01, 0.98, 0.92 if title else 0.98))

    def fitting(one: Drawing) -> float:
        """Points per pixel of a drawing that fills the axes."""
        return min(width / one.width, height / one.height) * 72.0

    if fitting(drawing) * FONT < (READABLE if fontsize is None else fontsize):
        ways = (draw, partial(draw, indented=True))
        wholes = [way(max_depth) for way in ways]
        if fontsize is max_depth is highlight is None and max_nodes is not None:
            pairs = zip(ways, wholes, strict=True)
            wholes = [_readable(way, whole, fitting) for way, whole in pairs]
            drawing = max(wholes, key=lambda one: (len(one.nodes), fitting(one)))
        else:
            drawing = max(wholes, key=fitting)
    scale = fitting(drawing)
    canvas = _Canvas(ax, scale if fontsize is None else min(scale, fontsize / FONT))
    # The legend: squares of 10 px, and what they mean.
    for entry in drawing.legend():
        if entry.fill is not None:
            canvas.box(entry.x, entry.y - 5, 10, 10, facecolor=entry.fill, linewidth=0)
        if entry.text:
            canvas.text(entry.text_x, entry.y + 4, entry.text, SMALL, color=SOFT_INK)
    # The branches: horizontal, vertical, horizontal, with the test above the last part.
    for edge in drawing.edges():
        xs, ys = (edge.x0, edge.bend, edge.bend, edge.x1), (edge.y0, edge.y0, edge.y1, edge.y1)
        colour, times = (MARK, MARK_WIDTH) if edge.marked else (LINE, 1.0)
        line = {"color": colour, "linewidth": 1.2 * times * canvas.scale}
        ax.plot(xs, ys, zorder=1.5 if edge.marked else 1, **line)
        canvas.text(edge.bend + 5, edge.y1 - 4, edge.text, SMALL, color=SOFT_INK)
    for card in drawing.cards():
        canvas.card(card)
    ax.set_xlim(0, drawing.width)
    ax.set_ylim(drawing.height, 0)
    ax.set_aspect("equal")
    if title:
        ax.set_title(title, fontsize=11)
    ax.set_axis_off()
    return ax


def _readable(
    draw: Callable[[int], Drawing], whole: Drawing, fitting: Callable[[Drawing], float]
) -> Drawing:
    """The drawing of the most levels whose names are readable; the root's split in any case.

    Args:
        draw: makes the drawing of some levels.
        whole: that of all levels.
        fitting: points per pixel of a drawing in the axes.
    """
    shown, hidden = 1, int(whole.tree.depth[whole.shown].max())  # numbers of levels
    if hidden <= shown or fitting(whole) * FONT >= READABLE:
        return whole
    found = draw(shown)
    while hidden - shown > 1:
        middle = (shown + hidden) // 2
        one = draw(middle)
        if fitting(one) * FONT >= READABLE:
            shown, found = middle, one
        else:
            hidden = middle
    return found
