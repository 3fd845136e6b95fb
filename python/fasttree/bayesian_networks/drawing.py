"""Graphs as pictures: Graphviz's language, and an SVG with a layered layout.

What
    Columns are drawn in layers, each below its parents, and within a layer in the order of the mean
    positions of their parents. Arcs that cross a layer are bent around its columns. The SVG takes
    its colour from the page. `BayesianNetwork.to_dot` and `to_svg` call this.
Complexity
    O(columns x arcs).
When not to use it
    SVG for hundreds of columns: Graphviz lays out the output of `dot`.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from .._checks.plain_text import one_line

PADDING, CHARACTER, HEIGHT = 8.0, 7.6, 30.0
"""Pixels beside a name, of a character at 13 px, and of a column's box."""
GAP_X, GAP_Y, MARGIN = 28.0, 54.0, 14.0
"""Pixels between boxes, between layers, and around the picture."""

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
    """A string of Graphviz's language."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def layers(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Columns by layer, each in the layer after the deepest of its parents.

    >>> layers([[], [0], [0, 1]])
    [[0], [1], [2]]
    """
    # Depths settle after at most as many rounds as there are columns.
    depth = [0] * len(parents)
    for _ in parents:
        for j, parents_of in enumerate(parents):
            depth[j] = max([depth[i] + 1 for i in parents_of], default=0)
    by_depth: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for j, d in enumerate(depth):
        by_depth[d].append(j)
    # Within a layer, columns are sorted by the mean position of their parents.
    place = {j: float(position) for layer in by_depth for position, j in enumerate(layer)}
    for layer in by_depth[1:]:
        layer.sort(key=lambda j: (sum(place[i] for i in parents[j]) / len(parents[j]), j))
        place.update({j: float(position) for position, j in enumerate(layer)})
    return by_depth


def svg(
    names: Sequence[str], parents: Sequence[Sequence[int]], weights: Mapping[Arc, float]
) -> str:
    """An SVG picture; `weights` in [0, 1] are the opacities of arcs, by default 1."""
    # The centre of each box: layers from top to bottom, each centred.
    by_depth = layers(parents)
    shown = [html.escape(one_line(name)) for name in names]
    width = [2 * PADDING + CHARACTER * len(name) for name in names]
    layer_width = [sum(width[j] for j in layer) + GAP_X * (len(layer) - 1) for layer in by_depth]
    widest = max(layer_width)
    centre: dict[int, tuple[float, float]] = {}
    for depth, layer in enumerate(by_depth):
        x = MARGIN + (widest - layer_width[depth]) / 2
        for j in layer:
            centre[j] = (x + width[j] / 2, MARGIN + HEIGHT / 2 + depth * (HEIGHT + GAP_Y))
            x += width[j] + GAP_X
    # Arcs first, then boxes with their names over them.
    shapes = []
    for j, parents_of in enumerate(parents):
        for i in parents_of:
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
    total_x = widest + 2 * MARGIN
    total_y = len(by_depth) * HEIGHT + (len(by_depth) - 1) * GAP_Y + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_x:.0f} {total_y:.0f}" '
        f'width="{total_x:.0f}" height="{total_y:.0f}" font-family="sans-serif" font-size="13" '
        'role="img"><defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" '
        'markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" '
        f'fill="currentColor"/></marker></defs>{"".join(shapes)}</svg>'
    )


def _arc(start: tuple[float, float], end: tuple[float, float], weight: float, title: str) -> str:
    """A curve between two boxes, given by their centres (x, y)."""
    (x1, y1), (x2, y2) = (start[0], start[1] + HEIGHT / 2), (end[0], end[1] - HEIGHT / 2)
    bend = (y2 - y1) / 2
    side = 0.0 if bend < GAP_Y else GAP_Y  # an arc across a layer is bent to the side
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
