"""A fitted tree drawn with matplotlib, in the design of the SVG picture.

The layout is `fasttree.exports.drawing`'s: left to right, cards with class bars, rows and scores, a
legend of the classes; nodes beyond `max_nodes` are folded. PNG and PDF:
``ax.figure.savefig(path)``. O(nodes shown).
"""

from __future__ import annotations

from typing import Any

from .._checks import checked, having, maybe, number_in
from ..exports.drawing import FONT, SMALL, Card, Drawing
from ..exports.words import fit_width, one_line, text_width
from .canvas import AXES, axes_of, colour

__all__ = ["plot_tree"]

INK, SOFT, LINE, CARD = "#1d2430", "#5a6677", "#9aa5b4", "#f4f6f9"
PER_INCH = 100.0
"""Units of the layout in an inch of a new figure."""


class _Canvas:
    """Texts and boxes in the units of the layout."""

    def __init__(self, ax: Any, scale: float) -> None:
        self.ax, self.scale = ax, scale

    def text(self, x: float, y: float, words: str, size: float, **options: Any) -> None:
        """Words with their base line at y."""
        self.ax.text(
            x,
            y,
            one_line(words),
            parse_math=False,
            fontsize=size * self.scale,
            va="baseline",
            **{"color": INK, "ha": "left", **options},
        )

    def box(self, x: float, y: float, width: float, height: float, **options: Any) -> None:
        """A rectangle without rounded corners."""
        from matplotlib.patches import Rectangle

        self.ax.add_patch(Rectangle((x, y), width, height, **options))

    def card(self, one: Card) -> None:
        """Box, name, numbers and class bar of a node."""
        from matplotlib.patches import FancyBboxPatch

        rounding = 9 if one.leaf else 4
        self.ax.add_patch(
            FancyBboxPatch(
                (one.x, one.y),
                one.width,
                one.height,
                boxstyle=f"round,pad=0,rounding_size={rounding}",
                facecolor=CARD,
                edgecolor=LINE,
                linewidth=1.4 * self.scale,
                linestyle=(0, (4, 3)) if one.folded else "-",
                zorder=2,
            )
        )
        room, right = one.width - 20, one.x + one.width - 10
        strong = {"fontweight": "bold"} if one.leaf or one.folded else {}
        if one.leaf:
            said = fit_width(one.name, FONT, room - text_width(one.small, SMALL) - 10)
            self.text(one.x + 10, one.y + 17, said, FONT, **strong)
            self.text(right, one.y + 17, one.small, SMALL, color=SOFT, ha="right")
        else:
            taken = text_width(one.score, SMALL) + 10 if one.score else 0.0
            self.text(one.x + 10, one.y + 16, fit_width(one.name, FONT, room), FONT, **strong)
            small = fit_width(one.small, SMALL, room - taken)
            self.text(one.x + 10, one.y + 29, small, SMALL, color=SOFT)
            if one.score:
                self.text(right, one.y + 29, one.score, SMALL, color=SOFT, ha="right")
        for code, left, share in one.bars:
            self.box(
                left,
                one.y + one.height - 9,
                share,
                5,
                facecolor=colour(code),
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
    ax: Any = None,
) -> Any:
    """Draw a fitted tree.

    Args:
        model: a fitted `FastTreeClassifier`.
        max_depth: deepest level shown (the root is level 0); None: no limit.
        max_nodes: largest number of nodes drawn; those with the most rows are opened first, the
            others folded. None draws all.
        empty: also leaves that no training row reached.
        fontsize: of names, in points; by default what fits the axes (9 in a figure of its own).
        title: above the tree.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Examples:
        >>> import fasttree
        >>> ax = plot_tree(fasttree.fit(fasttree.datasets.load_weather()))
        >>> len(ax.texts) > 5
        True
    """
    drawing = Drawing(model, max_depth, max_nodes, empty)
    ax = axes_of(
        ax, width=drawing.width / PER_INCH, height=drawing.height / PER_INCH + 0.4 * bool(title)
    )
    place, figure = ax.get_position(), ax.figure
    inches = (place.width * figure.get_figwidth(), place.height * figure.get_figheight())
    if len(figure.axes) == 1:  # axes off: the whole figure is ours, whatever the margins were
        inches = (0.98 * figure.get_figwidth(), 0.98 * figure.get_figheight())
        if figure.get_layout_engine() is None:
            ax.set_position((0.01, 0.01, 0.98, 0.92 if title else 0.98))
    scale = min(inches[0] / drawing.width, inches[1] / drawing.height) * 72.0
    canvas = _Canvas(ax, scale if fontsize is None else fontsize / FONT)
    for one in drawing.legend():
        if one.code is not None:
            canvas.box(one.x, one.y - 5, 10, 10, facecolor=colour(one.code), linewidth=0)
        canvas.text(one.x + 14 * (one.code is not None), one.y + 4, one.words, SMALL, color=SOFT)
    for edge in drawing.edges():
        xs, ys = (edge.x0, edge.bend, edge.bend, edge.x1), (edge.y0, edge.y0, edge.y1, edge.y1)
        ax.plot(xs, ys, color=LINE, linewidth=1.2 * canvas.scale, zorder=1)
        canvas.text(edge.bend + 5, edge.y1 - 4, edge.words, SMALL, color=SOFT)
    for card in drawing.cards():
        canvas.card(card)
    ax.set_xlim(0, drawing.width)
    ax.set_ylim(drawing.height, 0)
    ax.set_aspect("equal")
    if title:
        ax.set_title(title, fontsize=11)
    ax.set_axis_off()
    return ax
