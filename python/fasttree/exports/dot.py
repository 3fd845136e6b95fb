"""A fitted tree as Graphviz DOT text, in the design of the SVG picture.

Graphviz computes the layout; `drawing` says which nodes are shown and what is written on them.
Cards are HTML-like labels: feature, rows and score of an inner node, class and ``(rows/errors)`` of
a leaf, and a bar of the class shares. A legend names the classes. O(nodes).
"""

from __future__ import annotations

from typing import Any

from .drawing import Card, Drawing
from .palette import colour
from .words import condition, one_line, xml

__all__ = ["to_dot"]

BAR_WIDTH = 100
"""Width of a class bar, points."""

LEGEND_CLASSES = 24
"""Largest number of classes in the legend, which is one line."""


def _label(card: Card) -> str:
    """The card of a node as an HTML-like label: a table with the name, the numbers and the bar."""
    total = sum(bar.width for bar in card.bars)
    cells = "".join(
        f'<td bgcolor="{colour(bar.code)}" fixedsize="true" height="5" '
        f'width="{max(1, round(BAR_WIDTH * bar.width / total))}"></td>'
        for bar in card.bars
    )
    class_bar = (
        f'<tr><td><table border="0" cellborder="0" cellspacing="0" cellpadding="0"><tr>{cells}</tr>'
        "</table></td></tr>"
        if cells
        else ""
    )
    name = xml(card.name) or " "
    strong = f"<b>{name}</b>" if card.leaf or card.folded else name
    small = xml(card.small) + (f", score {xml(card.score)}" if card.score else "")
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
    model: Any, *, decimals: int = 6, max_depth: int | None = None, max_nodes: int | None = None
) -> str:
    """A fitted tree as Graphviz DOT text; draw it with ``dot -Tsvg``.

    Args:
        model: a fitted `FastTreeClassifier`.
        decimals: digits of numbers on the branches.
        max_depth: deepest level shown (the root is level 0); a deeper subtree is folded to one
            dashed node. None: no limit.
        max_nodes: largest number of nodes drawn, at least 1; nodes with the most rows are opened
            first, the others are folded. None draws all.

    Raises:
        ValueError: a negative `max_depth`, or `max_nodes` below 1.

    Examples:
        >>> import fasttree
        >>> text = to_dot(fasttree.fit(fasttree.datasets.load_weather()))
        >>> text.splitlines()[0], text.count("->")
        ('digraph tree {', 7)
    """
    drawing = Drawing(model, max_depth, max_nodes, True, decimals)
    reading = drawing.reading
    out = ["digraph tree {", "  rankdir=LR;"]
    out.append('  node [shape=plain, fontname="Helvetica", fontsize=11];')
    out.append('  edge [fontname="Helvetica", fontsize=9, color="#9aa5b4"];')
    # The legend is a node without edges.
    keys = "".join(
        f'<td bgcolor="{colour(code)}" width="10"> </td><td>{xml(label) or " "}</td>'
        for code, label in enumerate(reading.classes[:LEGEND_CLASSES])
    )
    n_more = len(reading.classes) - LEGEND_CLASSES
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
        for child, subset in zip(reading.children[node], reading.branch_sets(node), strict=True):
            if drawing.shown[child]:
                test = condition(feature, subset, decimals).removeprefix(feature.name).strip()
                out.append(f"  n{node} -> n{child} [label={_quoted(test)}];")
    out.append("}")
    return "\n".join(out) + "\n"
