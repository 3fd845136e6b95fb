"""Graphs as pictures: Graphviz's language, and an SVG with a layout of its own.

What
    Columns stand in layers, each below its parents; within a layer they follow the mean place of
    their parents. Arcs that pass a layer go round its columns. Colours follow the page: light or
    dark.
Complexity
    O(columns x arcs).
When not to use it
    For hundreds of columns: `dot` is read by programs that lay out large graphs.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from ..rendering.plain_text import one_line

__all__ = ["dot", "svg"]

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 8.0, 30.0, 28.0, 54.0, 14.0

Arc = tuple[str, str]


def dot(names: Sequence[str], arcs: Sequence[Arc], labels: Mapping[Arc, str]) -> str:
    """A digraph in Graphviz's language.

    >>> print(dot(["a", "b"], [("a", "b")], {("a", "b"): "0.9"}))
    digraph {
      node [shape=ellipse];
      "a";
      "b";
      "a" -> "b" [label="0.9"];
    }
    """
    lines = ["digraph {", "  node [shape=ellipse];"]
    lines += [f"  {_quoted(name)};" for name in names]
    for parent, child in arcs:
        label = labels.get((parent, child))
        tail = f" [label={_quoted(label)}]" if label is not None else ""
        lines.append(f"  {_quoted(parent)} -> {_quoted(child)}{tail};")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def layers(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Columns by layer, each below its parents.

    >>> layers([[], [0], [0, 1]])
    [[0], [1], [2]]
    """
    depth = [0] * len(parents)
    for _ in parents:
        for j, own in enumerate(parents):
            depth[j] = max([depth[i] + 1 for i in own], default=0)
    found: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for j, d in enumerate(depth):
        found[d].append(j)
    place = {j: float(at) for layer in found for at, j in enumerate(layer)}
    for layer in found[1:]:
        layer.sort(key=lambda j: (sum(place[i] for i in parents[j]) / len(parents[j]), j))
        place.update({j: float(at) for at, j in enumerate(layer)})
    return found


def svg(
    names: Sequence[str], parents: Sequence[Sequence[int]], weights: Mapping[Arc, float]
) -> str:
    """A picture; `weights` in [0, 1] are the opacities of arcs, 1 where none is given."""
    found = layers(parents)
    shown = [html.escape(one_line(name)) for name in names]
    width = [2 * WIDTH + 7.6 * len(name) for name in names]
    across = [sum(width[j] for j in layer) + GAP_X * (len(layer) - 1) for layer in found]
    whole = max(across)
    centre: dict[int, tuple[float, float]] = {}
    for depth, layer in enumerate(found):
        x = MARGIN + (whole - across[depth]) / 2
        for j in layer:
            centre[j] = (x + width[j] / 2, MARGIN + HEIGHT / 2 + depth * (HEIGHT + GAP_Y))
            x += width[j] + GAP_X
    shapes = []
    for j, own in enumerate(parents):
        for i in own:
            weight = min(max(float(weights.get((names[i], names[j]), 1.0)), 0.0), 1.0)
            shapes.append(_arc(centre[i], centre[j], weight, f"{shown[i]} -&gt; {shown[j]}"))
    for j, name in enumerate(shown):
        x, y = centre[j]
        shapes.append(
            f'<rect x="{x - width[j] / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{width[j]:.1f}" '
            f'height="{HEIGHT:.0f}" rx="15" fill="none" stroke="currentColor"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" fill="currentColor">'
            f"{name}</text>"
        )
    total_x = whole + 2 * MARGIN
    total_y = len(found) * HEIGHT + (len(found) - 1) * GAP_Y + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_x:.0f} {total_y:.0f}" '
        f'width="{total_x:.0f}" height="{total_y:.0f}" font-family="sans-serif" font-size="13" '
        'role="img"><defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" '
        'markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" '
        f'fill="currentColor"/></marker></defs>{"".join(shapes)}</svg>'
    )


def _arc(start: tuple[float, float], end: tuple[float, float], weight: float, title: str) -> str:
    (x1, y1), (x2, y2) = (start[0], start[1] + HEIGHT / 2), (end[0], end[1] - HEIGHT / 2)
    bend = (y2 - y1) / 2
    side = 0.0 if bend < GAP_Y else GAP_Y  # an arc that passes a layer bows to the side
    path = (
        f"M{x1:.1f} {y1:.1f}C{x1 + side:.1f} {y1 + bend:.1f} {x2 + side:.1f} {y2 - bend:.1f} "
        f"{x2:.1f} {y2:.1f}"
    )
    return (
        f'<path d="{path}" fill="none" stroke="currentColor" '
        f'stroke-width="{0.6 + 1.4 * weight:.2f}" '
        f'opacity="{0.15 + 0.85 * weight:.2f}" marker-end="url(#tip)">'
        f"<title>{title}</title></path>"
    )
