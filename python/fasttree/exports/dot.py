"""A fitted tree as Graphviz DOT text, in the design of the SVG picture.

Graphviz computes the layout; `drawing` decides which nodes are shown and writes their texts. Cards
are HTML-like labels: feature and rows of an inner node, class, share and rows of a leaf (of a
number its standard deviation and rows), and the bar. A legend tells what the colours mean.
O(nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._checks.plain_text import one_line
from .answers import Share
from .drawing import PADDING, Card, Drawing
from .words import condition, xml

BAR_WIDTH = 100
"""Width of a bar, points."""

LEGEND_ENTRIES = 25
"""Largest number of texts in the legend, the target and its colours, which is one line."""


def _label(card: Card) -> str:
    """The card of a node as an HTML-like label: a table with the name, the numbers and the bar."""
    # A cell per part of the bar, and one without a colour for a gap before or after a part.
    cells, total, end, room = "", 0, card.x + PADDING, card.width - 2 * PADDING
    for fill, x, width in [*card.bars, *([Share("", end + room, 0.0)] if card.bars else [])]:
        for of_cell, wide in (("", x - end), (fill, width)):
            if wide > 1e-6 * room:
                shade = f'bgcolor="{of_cell}" ' if of_cell else ""
                pixels = max(1, round(BAR_WIDTH * wide / room))
                total += pixels
                cells += f'<td {shade}fixedsize="true" height="5" width="{pixels}"></td>'
        end = x + width
    class_bar = (
        '<tr><td><table border="0" cellborder="0" cellspacing="0" cellpadding="0" '
        # Without a size of its own, the bar has gaps where the texts of the card are wider.
        f'fixedsize="true" width="{total}" height="5"><tr>{cells}</tr></table></td></tr>'
        if cells
        else ""
    )
    name = xml(card.name) or " "
    strong = f"<b>{name}</b>" if card.leaf or card.folded else name
    small = xml(", ".join(filter(None, (card.small, card.score, *card.counts))))
    style = ' style="rounded"' if card.leaf else ' style="dashed"' if card.folded else ""
    return (
        f'<<table border="1"{style} cellborder="0" cellspacing="0" cellpadding="2" '
        f'color="#9aa5b4" bgcolor="#f4f6f9"><tr><td>{strong}</td></tr>'
        f'<tr><td><font point-size="9" color="#5a6677">{small}</font></td></tr>{class_bar}</table>>'
    )


def _quoted(text: object) -> str:
    """A quoted DOT string."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def to_dot(
    model: Any,
    decimals: int = 6,
    max_depth: int | None = None,
    max_nodes: int | None = None,
    *,
    show: Sequence[str] = (),
) -> str:
    """A fitted tree as Graphviz DOT text; draw it with ``dot -Tsvg``.

    Args:
        decimals: digits of numbers after the point.
        max_depth: deepest level shown (the root is level 0); a deeper subtree is folded to one
            dashed node. None: no limit.
        max_nodes: largest number of nodes drawn, at least 1; nodes with the most rows are opened
            first, the others are folded. None draws all.
        show: contents that nodes show beside features, answers and rows, as in `to_svg`.

    Raises:
        ValueError: a negative `max_depth`, `max_nodes` below 1, or another word in `show`.

    Examples:
        >>> import fasttree
        >>> text = to_dot(fasttree.fit(fasttree.datasets.load_weather()))
        >>> text.splitlines()[0], text.count("->")
        ('digraph tree {', 7)
    """
    drawing = Drawing(model, max_depth, max_nodes, True, decimals, show=show)
    reading = drawing.reading
    out = ["digraph tree {", "  rankdir=LR;"]
    out.append('  node [shape=plain, fontname="Helvetica", fontsize=11];')
    out.append('  edge [fontname="Helvetica", fontsize=9, color="#9aa5b4"];')
    # The legend is a node without edges.
    meanings = drawing.meanings
    keys = "".join(
        (f'<td bgcolor="{fill}" width="10"> </td>' if fill else "")
        + (f"<td>{xml(text) or ' '}</td>" if text or reading.classes else "")
        for fill, text in meanings[:LEGEND_ENTRIES]
    )
    n_more = len(meanings) - LEGEND_ENTRIES
    more = f"<td>… {n_more} more</td>" if n_more > 0 else ""
    out.append(
        f'  legend [label=<<table border="0" cellborder="0"><tr>{keys}{more}</tr></table>>];'
    )
    out += [
        f"  n{card.node} [label={_label(card)}, tooltip={_quoted(card.tooltip)}];"
        for card in drawing.cards()
    ]
    for node in drawing.nodes:
        if drawing.ends[node]:
            continue
        feature = reading.features[reading.feature[node]]
        for child, subset in zip(reading.children[node], reading.shown_sets(node), strict=True):
            if drawing.shown[child]:
                test = condition(feature, subset, decimals).removeprefix(feature.name).strip()
                out.append(f"  n{node} -> n{child} [label={_quoted(test)}];")
    out.append("}")
    return "\n".join(out) + "\n"
