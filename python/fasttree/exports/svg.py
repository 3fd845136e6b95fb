"""A fitted tree as one SVG file without scripts, fonts or external links.

What
    `drawing` computes the layout. An inner node shows its feature, its training rows and a bar of
    its class shares; a leaf shows its class, the share of the class in its rows, ``82 % of 160``,
    and the bar; a branch shows the values that it takes. A leaf of a regression tree shows its
    number, the standard deviation and the rows, ``± 1,900 (2,206 rows)``; the bar reaches from one
    standard deviation below the number to one above, on one scale for all nodes, and the number
    gives its colour. Long names are cut, and the tooltip has them in full with the counts of the
    classes. Colours are CSS variables (``--ft-ink``, ``--ft-paper``, ``--ft-card``, ``--ft-line``,
    ``--ft-soft``) with values for light and for dark pages; a page that embeds the picture may set
    its own.
Complexity
    O(nodes shown); no recursion.
When not to use it
    A picture of more than about two hundred leaves cannot be read: `max_nodes` folds the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._checks import maybe, number_in
from .._checks.plain_text import one_line
from .._checks.words import counted
from .drawing import FONT, MARGIN, PADDING, SMALL, Card, CardText, Drawing, Edge, LegendEntry
from .palette import DARK, DARK_VALUES, PALETTE, VALUES
from .words import text_width, xml

MAX_NODES = 200
"""Default of `max_nodes`: a binary tree of a hundred leaves has 199 nodes."""

HIGH = 400.0
"""Height of a picture, px, whose middle is not on the first screen of a page."""


def _dark(colours: Sequence[str], dark: Sequence[str]) -> str:
    """Rules that replace colours on dark pages.

    Args:
        colours: the colours of light pages.
        dark: the colour that replaces each.
    """
    pairs = zip(colours, dark, strict=True)
    fills = "".join(f'.ft-tree [fill="{one}"]{{fill:{other}}}\n' for one, other in pairs)
    return f"@media (prefers-color-scheme:dark){{\n{fills}}}\n"


STYLE = """\
.ft-tree{font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;
background:#ffffff}
.ft-tree .p{fill:#ffffff}
.ft-tree text{fill:#1d2430;font-size:12.5px}
.ft-tree .s{fill:#5a6677;font-size:11px}
.ft-tree .c{fill:#f4f6f9;stroke:#9aa5b4;stroke-width:1}
.ft-tree .f{stroke-dasharray:4 3}
.ft-tree .e{fill:none;stroke:#9aa5b4;stroke-width:1.2}
.ft-tree .t{font-weight:600}
@media print{.ft-tree{max-width:100%;height:auto;print-color-adjust:exact}}
@media (prefers-color-scheme:dark){.ft-tree{background:#14181f}
.ft-tree .p{fill:#14181f}
.ft-tree text{fill:#e8ecf2}
.ft-tree .s{fill:#a3aebd}
.ft-tree .c{fill:#232a35;stroke:#66717f}
.ft-tree .e{stroke:#66717f}}
""" + _dark(PALETTE, DARK)
"""Without variables: programs that are not browsers draw colours that they do not understand in
black."""


MARK = """\
.ft-tree .h{stroke:#111827;stroke-width:3.2}
@media (prefers-color-scheme:dark){.ft-tree .h{stroke:#F9FAFB}}
"""
"""The style of the highlighted path, in no colour of a class."""

TITLE, TITLE_HEIGHT = 15.0, 18.0
"""Size of the font of the title, and height of its line, px."""

TITLE_STYLE = f".ft-tree .b{{font-size:{TITLE:.0f}px;font-weight:600}}\n"


def _legend(entry: LegendEntry) -> str:
    """A square in a colour, and its meaning."""
    y = entry.y
    square = (
        f'<rect x="{entry.x:.0f}" y="{y - 5:.0f}" width="10" height="10" rx="2" '
        f'fill="{entry.fill}"/>'
    )
    text = f'<text class="s" x="{entry.text_x:.0f}" y="{y + 4:.0f}">{xml(entry.text)}</text>'
    return (square if entry.fill else "") + (text if entry.text else "")


def _edge(edge: Edge) -> str:
    """Line and text of a branch."""
    path = f"M{edge.x0:.1f} {edge.y0:.1f}H{edge.bend:.1f}V{edge.y1:.1f}H{edge.x1:.1f}"
    return (
        f'<path class="{"e h" if edge.marked else "e"}" d="{path}"/>'
        f'<text class="s" x="{edge.bend + 5:.1f}" y="{edge.y1 - 4:.1f}">{xml(edge.text)}</text>'
    )


def _text(text: CardText) -> str:
    """A text on a card, as an element whose class names its size and weight in the style sheet."""
    kind = "s" if text.size == SMALL else "t" if text.bold else ""
    style = f' class="{kind}"' if kind else ""
    anchor = ' text-anchor="end"' if text.right else ""
    return f'<text{style}{anchor} x="{text.x:.1f}" y="{text.y:.1f}">{xml(text.text)}</text>'


def _card(card: Card) -> str:
    """Box, texts and bar of a node."""
    x, y, room = card.x, card.y, card.width - 2 * PADDING
    kind = "c" + " f" * card.folded + " h" * card.marked
    out = [
        f'<g data-node="{card.node}"><title>{xml(card.tooltip)}</title>',
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" '
        f'width="{card.width:.1f}" height="{card.height:.0f}" rx="{9 if card.leaf else 4}"/>',
        *map(_text, card.texts()),
    ]
    # The bar, or an outline in a node without rows.
    top = y + card.height - 9
    if not card.bars:
        out.append(
            f'<rect class="c" x="{x + PADDING:.1f}" y="{top:.1f}" width="{room:.1f}" height="4"/>'
        )
    out += [
        f'<rect x="{bar.left:.2f}" y="{top:.1f}" width="{bar.width:.2f}" height="5" '
        f'fill="{bar.fill}"/>'
        for bar in card.bars
    ]
    out.append("</g>")
    return "".join(out)


def to_svg(
    model: Any,
    *,
    max_depth: int | None = None,
    max_nodes: int | None = MAX_NODES,
    empty: bool = False,
    decimals: int = 6,
    highlight: Any = None,
    show: Sequence[str] = (),
    title: str = "",
    fontsize: float | None = None,
) -> str:
    """A fitted tree as SVG text.

    Args:
        max_depth: deepest level shown (the root is level 0), at least 0; a deeper subtree is folded
            to one dashed card that states its number of leaves. None: no limit.
        max_nodes: largest number of nodes drawn, at least 1; nodes with the most rows are opened
            first, the others are folded. None draws all.
        empty: whether leaves that no training row reached are drawn.
        decimals: digits of numbers after the point (cards show four figures, or all
            before the point).
        highlight: one row, whose path is marked, as in `fasttree.plots.plot_tree`.
        show: contents that cards show beside features, answers and rows: ``"scores"`` of the
            splits, their ``"p_values"`` (of a tree grown with ``selection="significance"``),
            ``"node_ids"``, the numbers of the nodes as in ``tree_``, ``"counts"`` of the classes; a
            list of words, or a text with commas.
        title: a heading; none by default, as the legend names the target.
        fontsize: size of the names, px; all of the picture grows with it. None: 12.5.

    Returns:
        An ``<svg>`` element with ``viewBox``, ``width`` and ``height`` (px); an HTML page may embed
        it without changes.

    Raises:
        ValueError: a negative `max_depth`, `max_nodes` below 1, a `highlight` of several rows,
            a word in `show` that does not exist or has no meaning for the tree, or a `fontsize`
            that is not above 0.

    Examples:
        >>> import fasttree
        >>> picture = to_svg(fasttree.fit(fasttree.datasets.load_weather()))
        >>> picture.startswith("<svg"), picture.count("data-node")
        (True, 8)
    """
    drawing = Drawing(model, max_depth, max_nodes, empty, decimals, show=show, highlight=highlight)
    return _written(drawing, title, fontsize)


def svg_of_page(model: Any, max_nodes: int) -> str:
    """A fitted tree as SVG text for a page, whose root is seen without scrolling.

    The root stands at the left; or above its branches, which are indented, where the picture would
    be high.

    Args:
        model: the tree.
        max_nodes: largest number of nodes that are drawn.
    """
    drawing = Drawing(model, max_nodes=max_nodes)
    if drawing.height > HIGH:
        drawing = Drawing(model, max_nodes=max_nodes, indented=True)
    return _written(drawing)


def _written(drawing: Drawing, title: str = "", fontsize: float | None = None) -> str:
    """A layout as SVG text.

    Args:
        drawing: the layout.
        title: heading above the tree; empty: none.
        fontsize: size of the texts, px; None: as in the layout.
    """
    size = maybe(number_in(0.0, 1000.0, above=True))("fontsize", fontsize)
    # The heading stands above the origin of the drawing.
    heading = one_line(title)
    above = TITLE_HEIGHT if heading else 0.0
    wide = max(drawing.width, text_width(heading, TITLE) + 2 * MARGIN)
    scale = 1.0 if size is None else size / FONT
    width, height, top = f"{wide:.0f}", f"{drawing.height + above:.0f}", f"{0.0 - above:.0f}"
    is_number = drawing.reading.predicts_number
    label = (
        f"Decision tree for {drawing.reading.target}: {counted(drawing.leaves_below(0), 'leaf')}, "
        f"depth {drawing.reading.depth}"
    )
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ft-tree" role="img" viewBox="0 {top} '
        f'{width} {height}" width="{float(width) * scale:.0f}" '
        f'height="{float(height) * scale:.0f}" aria-label="{xml(label)}">',
        f"<style>{STYLE}{_dark(VALUES, DARK_VALUES) if is_number else ''}"
        f"{MARK if drawing.path else ''}{TITLE_STYLE if heading else ''}</style>",
        f'<rect class="p" y="{top}" width="{width}" height="{height}"/>',
        *([f'<text class="b" x="{MARGIN:.0f}" y="-2">{xml(heading)}</text>'] if heading else []),
        *map(_legend, drawing.legend()),
        *map(_edge, drawing.edges()),
        *map(_card, drawing.cards()),
        "</svg>",
    ]
    return "\n".join(out) + "\n"
