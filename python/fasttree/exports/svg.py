"""A fitted tree as a picture in one SVG file: no script, no font, no link to anything outside.

What
    The design of `drawing`: an inner node shows the feature it asks for, its training rows, the
    score of its split and a bar of its class shares. A leaf its class, ``(rows/errors)`` and the
    same bar; a branch what it takes. Longer names are cut, the whole is in the tooltip with the
    counts of all classes. Colours are CSS variables (``--ft-ink``, ``--ft-paper``, ``--ft-card``,
    ``--ft-line``, ``--ft-soft``) with values for light and for dark pages; a page that embeds the
    picture may set its own.
Complexity
    O(nodes shown); no recursion.
When not to use it
    Above some two hundred leaves nothing can be read: what lies deeper is folded (`max_nodes`).
"""

from __future__ import annotations

from typing import Any

from .drawing import FONT, SMALL, Card, Drawing, Edge, Legend
from .palette import DARK, PALETTE, colour
from .words import fit_width, text_width, xml

__all__ = ["MAX_NODES", "STYLE", "to_svg"]

MAX_NODES = 200
"""Cards of a picture unless more are asked for; a binary tree of a hundred leaves has 199."""

_IN_THE_DARK = "".join(
    f'.ft-tree [fill="{light}"]{{fill:{dark}}}\n' for light, dark in zip(PALETTE, DARK, strict=True)
)

STYLE = (
    """\
.ft-tree{--ft-ink:#1d2430;--ft-paper:#ffffff;--ft-card:#f4f6f9;--ft-line:#9aa5b4;--ft-soft:#5a6677;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;
background:var(--ft-paper)}
@media (prefers-color-scheme:dark){.ft-tree{--ft-ink:#e8ecf2;--ft-paper:#14181f;
--ft-card:#232a35;--ft-line:#66717f;--ft-soft:#a3aebd}}
.ft-tree text{fill:var(--ft-ink);font-size:12.5px}
.ft-tree .s{fill:var(--ft-soft);font-size:11px}
.ft-tree .c{fill:var(--ft-card);stroke:var(--ft-line);stroke-width:1}
.ft-tree .f{stroke-dasharray:4 3}
.ft-tree .e{fill:none;stroke:var(--ft-line);stroke-width:1.2}
.ft-tree .t{font-weight:600}
"""
    f"@media (prefers-color-scheme:dark){{\n{_IN_THE_DARK}}}\n"
)


def _legend(one: Legend) -> str:
    if one.code is None:
        return f'<text class="s" x="{one.x:.0f}" y="{one.y + 4:.0f}">{xml(one.words)}</text>'
    return (
        f'<rect x="{one.x:.0f}" y="{one.y - 5:.0f}" width="10" height="10" rx="2" '
        f'fill="{colour(one.code)}"/>'
        f'<text class="s" x="{one.x + 14:.0f}" y="{one.y + 4:.0f}">{xml(one.words)}</text>'
    )


def _edge(one: Edge) -> str:
    """Line and words of a branch."""
    path = f"M{one.x0:.1f} {one.y0:.1f}H{one.bend:.1f}V{one.y1:.1f}H{one.x1:.1f}"
    return (
        f'<path class="e" d="{path}"/>'
        f'<text class="s" x="{one.bend + 5:.1f}" y="{one.y1 - 4:.1f}">{xml(one.words)}</text>'
    )


def _card(one: Card) -> str:
    """Box, name, numbers and class bar of a node."""
    x, y, wide, room = one.x, one.y, one.width, one.width - 20
    out = [f'<g data-node="{one.node}"><title>{xml(one.tooltip)}</title>']
    out.append(
        f'<rect class="c{" f" if one.folded else ""}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" '
        f'height="{one.height:.0f}" rx="{9 if one.leaf else 4}"/>'
    )
    end = f'text-anchor="end" x="{x + wide - 10:.1f}"'
    if one.leaf:
        said = fit_width(one.name, FONT, room - text_width(one.small, SMALL) - 10)
        out.append(f'<text class="t" x="{x + 10:.1f}" y="{y + 17:.1f}">{xml(said)}</text>')
        out.append(f'<text class="s" {end} y="{y + 17:.1f}">{xml(one.small)}</text>')
    else:
        strong = ' class="t"' if one.folded else ""
        said = fit_width(one.name, FONT, room)
        out.append(f'<text{strong} x="{x + 10:.1f}" y="{y + 16:.1f}">{xml(said)}</text>')
        taken = text_width(one.score, SMALL) + 10 if one.score else 0.0
        small = fit_width(one.small, SMALL, room - taken)
        out.append(f'<text class="s" x="{x + 10:.1f}" y="{y + 29:.1f}">{xml(small)}</text>')
        if one.score:
            out.append(f'<text class="s" {end} y="{y + 29:.1f}">{xml(one.score)}</text>')
    high = y + one.height - 9
    if not one.bars:
        out.append(
            f'<rect class="c" x="{x + 10:.1f}" y="{high:.1f}" width="{room:.1f}" height="4"/>'
        )
    out += [
        f'<rect x="{left:.2f}" y="{high:.1f}" width="{share:.2f}" height="5" '
        f'fill="{colour(code)}"/>'
        for code, left, share in one.bars
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
) -> str:
    """A fitted tree as SVG text.

    Args:
        model: a fitted `FastTreeClassifier`.
        max_depth: deepest level shown (the root is level 0), at least 0; what lies deeper is one
            dashed card that tells its leaves. None: no limit.
        max_nodes: largest number of nodes drawn; nodes with the most rows are opened first, the
            others are folded in the same way. None draws all.
        empty: also leaves that no training row reached.
        decimals: digits of numbers in tooltips (the picture itself shows at most four).

    Returns:
        An ``<svg>`` element with ``viewBox``, ``width`` and ``height`` (px); a page may embed it as
        it is.

    Raises:
        ValueError: a negative `max_depth`, or `max_nodes` below 1.

    Examples:
        >>> import fasttree
        >>> picture = to_svg(fasttree.fit(fasttree.datasets.load_weather()))
        >>> picture.startswith("<svg"), picture.count("data-node")
        (True, 8)
    """
    drawing = Drawing(model, max_depth, max_nodes, empty, decimals)
    width, height = f"{drawing.width:.0f}", f"{drawing.height:.0f}"
    what = (
        f"Decision tree for {drawing.reading.target}: {drawing.leaves_below(0)} leaves, depth "
        f"{drawing.reading.depth}"
    )
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ft-tree" role="img" viewBox="0 0 '
        f'{width} {height}" '
        f'width="{width}" height="{height}" aria-label="{xml(what)}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="var(--ft-paper)"/>',
        *map(_legend, drawing.legend()),
        *map(_edge, drawing.edges()),
        *map(_card, drawing.cards()),
        "</svg>",
    ]
    return "\n".join(out) + "\n"
