"""A fitted tree drawn with matplotlib, in the design of the SVG export.

`fasttree.exports.drawing` computes the layout: from left to right, one card per node with bars,
rows and answers, and a legend of the colours. Nodes beyond `max_nodes` are folded. Trees in one
figure have one layout: the same scale, places of the levels and depth. Adding a tree therefore
redraws the earlier ones. ``ax.figure.savefig(path)`` writes PNG or PDF. O(nodes shown).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from .._checks import checked, maybe, number_in, object_with
from .._checks.plain_text import one_line
from ..exports.drawing import FONT, SMALL, Card, Drawing
from .canvas import AXES, axes_of, font_size

INK = "#1d2430"
SOFT_INK = "#5a6677"
LINE = "#9aa5b4"
CARD = "#f4f6f9"
MARK, MARK_WIDTH = "#111827", 2.8
"""Colour of the highlighted path, and its lines as multiples of the usual width."""

READABLE, READABLE_BESIDE = 6.0, 5.0
"""Smallest size of names, points, for which a tree is drawn whole, alone and beside others, where a
folded node would hide what is compared."""

COMFORTABLE, ENLARGED = 8.0, 1.2
"""Size of names, points, below which nodes stand one below the other if names are larger then by
this factor."""

NAMES, TITLE = 0.864, 1.1
"""Sizes of the names in a new figure and of the title, as shares of matplotlib's ``font.size``."""


class _Canvas:
    """Draws texts, boxes and cards, given in pixels of the layout, into axes.

    `scale` is the number of points per pixel: matplotlib sizes text and lines in points.
    """

    def __init__(self, ax: Any, scale: float) -> None:
        self.ax, self.scale = ax, scale
        self.artists: list[Any] = []

    def text(self, x: float, y: float, text: str, size: float, **options: Any) -> None:
        """Draw a text.

        Args:
            x, y: left end of its baseline, unless `options` say otherwise.
            text: the text; it is written on one line.
            size: size of the font, px of the drawing.
            **options: options of matplotlib's text.
        """
        style = {"color": INK, "ha": "left", "fontsize": size * self.scale, **options}
        self.artists.append(self.ax.text(x, y, one_line(text), parse_math=False, **style))

    def box(self, x: float, y: float, width: float, height: float, **options: Any) -> None:
        """Draw a filled rectangle.

        Args:
            x, y: its upper left corner.
            width, height: its size.
            **options: options of matplotlib's rectangle.
        """
        from matplotlib.patches import Rectangle

        self.artists.append(self.ax.add_patch(Rectangle((x, y), width, height, **options)))

    def card(self, card: Card) -> None:
        """Draw the box, name, numbers and bar of a node."""
        from matplotlib.patches import FancyBboxPatch

        # The box: leaves are rounder, folded nodes dashed.
        rounding = 9 if card.leaf else 4
        box = FancyBboxPatch(
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
        self.artists.append(self.ax.add_patch(box))
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
        y = card.y + card.height - 9  # of the bar, 5 px high, near the lower edge
        for bar in card.bars:
            self.box(bar.left, y, bar.width, 5, facecolor=bar.fill, zorder=3, linewidth=0)

    def drawing(self, drawing: Drawing) -> None:
        """Draw the legend, the branches and the cards of a tree."""
        # The legend: squares of 10 px, and their meanings.
        for entry in drawing.legend():
            if entry.fill is not None:
                self.box(entry.x, entry.y - 5, 10, 10, facecolor=entry.fill, linewidth=0)
            if entry.text:
                self.text(entry.text_x, entry.y + 4, entry.text, SMALL, color=SOFT_INK)
        # The branches: horizontal, vertical, horizontal, with the test above the last part.
        for edge in drawing.edges():
            xs, ys = (edge.x0, edge.bend, edge.bend, edge.x1), (edge.y0, edge.y0, edge.y1, edge.y1)
            colour, times = (MARK, MARK_WIDTH) if edge.marked else (LINE, 1.0)
            line = {"color": colour, "linewidth": 1.2 * times * self.scale}
            self.artists += self.ax.plot(xs, ys, zorder=1.5 if edge.marked else 1, **line)
            self.text(edge.bend + 5, edge.y1 - 4, edge.text, SMALL, color=SOFT_INK)
        for card in drawing.cards():
            self.card(card)


class _Tree(NamedTuple):
    """A tree in axes: the function that makes its drawing, the depth and size asked for, and its
    artists.

    `automatic`: whether only as many levels are drawn as can be read.
    """

    draw: Callable[..., Drawing]
    max_depth: int | None
    fontsize: float | None
    automatic: bool
    artists: list[Any]


@checked(
    fontsize=maybe(number_in(0.0, 1000.0, above=True)),
    model=object_with("a fitted tree", "_model", "tree_"),
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
    show: Sequence[str] = (),
    decimals: int = 6,
    ax: Any = None,
) -> Any:
    """Draw a fitted tree.

    Args:
        model: a fitted tree.
        max_depth: deepest level shown (the root is level 0), at least 0; deeper ones are folded.
            None: as many levels as the axes hold with names of 6 points (of 5 beside other trees in
            one figure, which all have one scale and layout); all of them where `highlight` is
            given, or `max_nodes` is None. Where names beside each other would be small, the nodes
            stand one below the other if that enlarges the names.
        max_nodes: largest number of nodes drawn, at least 1; nodes with the most rows are opened
            first, the others are folded. None draws all.
        empty: whether leaves that no training row reached are drawn.
        fontsize: size of the names, points; by default what fits the axes (9 in a new figure, or
            in proportion to matplotlib's ``font.size``). A new figure is as large as it needs; in
            given axes no text is larger than its box.
        title: title of the axes.
        highlight: one row, whose path is drawn in black: a mapping or a frame of one row with
            column names, or a list of cells in column order.
        show: what cards show beside features, answers and rows: ``"scores"`` of the splits, their
            ``"p_values"`` (of a tree grown with ``selection="significance"``), ``"node_ids"``, the
            numbers of the nodes as in ``tree_``, ``"counts"`` of the classes; a list of words, or
            a text with commas.
        decimals: digits of numbers after the point (cards show four figures, or all
            before the point).
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes, switched off.

    Raises:
        ValueError: an argument outside its range, a `highlight` of several rows, or another word in
            `show`.
        ImportError: matplotlib is not installed.

    Examples:
        >>> import fasttree
        >>> ax = plot_tree(fasttree.fit(fasttree.datasets.load_weather()))
        >>> len(ax.texts) > 5
        True
    """
    draw = partial(
        Drawing,
        model,
        max_nodes=max_nodes,
        empty=empty,
        decimals=decimals,
        show=show,
        highlight=highlight,
    )
    drawing = draw(max_depth)
    # A new figure is as large as the texts need.
    base = font_size()
    inch = 0.96 * 72.0 * FONT / (fontsize or NAMES * base)
    above = TITLE * max(base, fontsize or 0.0)  # size of the title
    room = 2.5 * above / 72.0 if title else 0.0
    ax = axes_of(ax, width=drawing.width / inch, height=drawing.height / inch + room)
    automatic = max_depth is highlight is None and max_nodes is not None
    artists = ax._fasttree_tree.artists if _is_drawn(ax) else []
    ax._fasttree_tree = _Tree(draw, max_depth, fontsize, automatic, artists)
    if title:
        ax.set_title(title, fontsize=above)
    ax.set_axis_off()
    figure = ax.figure.figure  # also the whole figure of a subfigure
    if len(figure.axes) == 1 and figure.get_layout_engine() is None:
        # Alone in its figure it needs no margins for ticks.
        ax.set_position((0.01, 0.01, 0.98, 0.98 - _title_height(ax)))
    _draw_together([one for one in figure.axes if one is ax or _is_drawn(one)])
    return ax


def _title_height(ax: Any) -> float:
    """Height of the title of axes and of the space around it, as a share of the figure."""
    size = 2.0 * ax.title.get_fontsize() if ax.get_title() else 0.0
    return float(min(size / 72.0 * ax.figure.dpi / ax.figure.bbox.height, 0.5))


def _is_drawn(ax: Any) -> bool:
    """Whether the axes hold a tree that was not cleared away."""
    tree = getattr(ax, "_fasttree_tree", None)
    return tree is not None and tree.artists[0].axes is ax


def _draw_together(axes: Sequence[Any]) -> None:
    """Draw the trees of axes of one figure in one layout."""
    trees: list[_Tree] = [ax._fasttree_tree for ax in axes]
    for ax, tree in zip(axes, trees, strict=True):
        while tree.artists:
            tree.artists.pop().remove()
        ax.set_aspect("auto")
    # A layout engine determines the room that the axes will have.
    figure = axes[0].figure.figure
    engine, alone = figure.get_layout_engine(), len(figure.axes) == 1
    if engine is not None and not alone:
        engine.execute(figure)
    rooms = []  # width and height of the axes, inches
    for ax in axes:
        _, _, width, height = ax.get_position(original=True).bounds
        if alone:
            width, height = 0.98, 0.98 - _title_height(ax)
        rooms.append(ax.figure.bbox.size * (width, height) / figure.dpi)

    def drawn(depth: int | None = None, indented: bool = False) -> list[Drawing]:
        """The layouts of all trees.

        Args:
            depth: levels of the trees that choose their depth; None: the usual ones.
            indented: whether branches are indented below their node.
        """
        drawings = [
            tree.draw(depth if tree.automatic else tree.max_depth, indented=indented)
            for tree in trees
        ]
        Drawing.align(drawings)
        return drawings

    def fitting(drawings: Sequence[Drawing]) -> float:
        """Points per pixel at which all drawings fit their axes."""
        pairs = zip(rooms, drawings, strict=True)
        return min(min(w / one.width, h / one.height) for (w, h), one in pairs) * 72.0

    def size(drawings: Sequence[Drawing]) -> tuple[int, float]:
        scale = fitting(drawings) * (1.0 if drawings[0].indented else ENLARGED)
        return sum(len(one.nodes) for one in drawings), scale

    drawings, least = drawn(), READABLE if len(trees) == 1 else READABLE_BESIDE
    least = min([least, *(tree.fontsize for tree in trees if tree.fontsize)])
    if fitting(drawings) * FONT < max(tree.fontsize or COMFORTABLE for tree in trees):
        ways = (drawn, partial(drawn, indented=True))
        least = least if any(tree.automatic for tree in trees) else 0.0
        drawings = max((_readable(way, fitting, least) for way in ways), key=size)
    scale = fitting(drawings)
    for ax, tree, (width, height), drawing in zip(axes, trees, rooms, drawings, strict=True):
        canvas = _Canvas(ax, scale if tree.fontsize is None else min(scale, tree.fontsize / FONT))
        canvas.drawing(drawing)
        tree.artists.extend(canvas.artists)
        # Beside other trees the free room of the axes lies beside and below the tree; a tree alone
        # has it on all sides.
        wide, high = drawing.width, drawing.height
        if len(trees) > 1:
            wide, high = max(wide, width * 72.0 / scale), max(high, height * 72.0 / scale)
        ax.set_xlim((drawing.width - wide) / 2, (drawing.width + wide) / 2)
        ax.set_ylim(high, 0)
        ax.set_aspect("equal")


def _readable(
    draw: Callable[..., list[Drawing]],
    fitting: Callable[[Sequence[Drawing]], float],
    least: float,
) -> list[Drawing]:
    """The drawings of the most levels whose names are readable; the root's split in any case.

    Args:
        draw: makes the drawings of some levels, or of all.
        fitting: points per pixel of drawings in their axes.
        least: smallest size of names, points, that is readable.
    """

    def is_small(drawings: Sequence[Drawing]) -> bool:
        return fitting(drawings) * FONT < least

    whole = draw()
    deepest = max(int(one.tree.depth[one.shown].max()) for one in whole)
    if deepest <= 1 or not is_small(whole):
        return whole
    more = bisect_left(range(2, deepest), True, key=lambda depth: is_small(draw(depth)))
    return draw(1 + more)
