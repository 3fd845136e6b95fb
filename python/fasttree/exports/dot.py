"""A fitted tree in the language of Graphviz, in the design of the SVG picture.

Cards are HTML-like labels: the feature, rows and score of an inner node, class and
``(rows/errors)`` of a leaf. A bar holds the class shares in the colours of all pictures. A legend
names the classes. O(nodes).
"""

from __future__ import annotations

from typing import Any

from .drawing import Card, Drawing
from .palette import colour
from .words import condition, one_line, xml

__all__ = ["to_dot"]

BAR = 100
"""Width of a class bar, points."""


def _label(card: Card) -> str:
    room = sum(share for _, _, share in card.bars)
    cells = "".join(
        f'<td bgcolor="{colour(code)}" fixedsize="true" height="5" '
        f'width="{max(1, round(BAR * share / room))}"></td>'
        for code, _, share in card.bars
    )
    bar = (
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
        f'<tr><td><font point-size="9" color="#5a6677">{small}</font></td></tr>{bar}</table>>'
    )


def _quoted(text: object) -> str:
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def to_dot(
    model: Any, *, decimals: int = 6, max_depth: int | None = None, max_nodes: int | None = None
) -> str:
    """A fitted tree as Graphviz DOT text; draw it with ``dot -Tsvg``.

    Args:
        model: a fitted `FastTreeClassifier`.
        decimals: digits of numbers on the branches.
        max_depth: deepest level shown; what lies deeper is one dashed node. None: no limit.
        max_nodes: largest number of nodes, those with the most rows first; None: all.

    Examples:
        >>> import fasttree
        >>> text = to_dot(fasttree.fit(fasttree.datasets.load_weather()))
        >>> text.splitlines()[0], text.count("->")
        ('digraph tree {', 7)
    """
    drawing = Drawing(model, max_depth, max_nodes, True, decimals)
    reading, tree = drawing.reading, drawing.tree
    out = ["digraph tree {", "  rankdir=LR;"]
    out.append('  node [shape=plain, fontname="Helvetica", fontsize=11];')
    out.append('  edge [fontname="Helvetica", fontsize=9, color="#9aa5b4"];')
    keys = "".join(
        f'<td bgcolor="{colour(code)}" width="10"> </td><td>{xml(label) or " "}</td>'
        for code, label in enumerate(reading.classes[:24])
    )
    more = f"<td>… {len(reading.classes) - 24} more</td>" if len(reading.classes) > 24 else ""
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
        asked = reading.features[int(tree.feature[node])]
        for child, part in zip(reading.children[node], reading.parts(node), strict=True):
            if drawing.shown[child]:
                said = condition(asked, part, decimals).removeprefix(asked.name).strip()
                out.append(f"  n{node} -> n{child} [label={_quoted(said)}];")
    out.append("}")
    return "\n".join(out) + "\n"
