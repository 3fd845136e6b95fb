"""A fitted tree as a picture in one SVG file: no script, no font, no link to anything outside.

What
    The tree grows from left to right, so that names are read where they stand and a hundred leaves
    make a long page instead of a wide one. An inner node shows the feature it asks for, its
    training rows, and a bar of its class shares; a leaf its class, ``(rows/errors)`` and the same
    bar; a branch what it takes. Longer names are cut, the whole is in the tooltip with the counts
    of all classes. Colours are CSS variables (``--ft-ink``, ``--ft-paper``, ``--ft-card``,
    ``--ft-line``, ``--ft-soft``) with values for light and for dark pages; a page that embeds the
    picture may set its own.
Complexity
    O(nodes shown); no recursion.
When not to use it
    Above some two hundred leaves nothing can be read: `max_depth` folds what lies deeper.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .palette import colour
from .reading import Reading, number
from .words import brief, condition, fit_width, text_width, xml

__all__ = ["to_svg"]

FONT, SMALL = 12.5, 11.0
CARD, LEAF, GAP, MARGIN, LEGEND = 42.0, 32.0, 10.0, 14.0, 26.0
NARROWEST, WIDEST, LONGEST = 88.0, 190.0, 170.0

STYLE = """\
.ft-tree{--ft-ink:#1d2430;--ft-paper:#ffffff;--ft-card:#f4f6f9;--ft-line:#9aa5b4;--ft-soft:#5a6677;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;background:var(--ft-paper)}
@media (prefers-color-scheme:dark){.ft-tree{--ft-ink:#e8ecf2;--ft-paper:#14181f;--ft-card:#232a35;--ft-line:#66717f;--ft-soft:#a3aebd}}
.ft-tree text{fill:var(--ft-ink);font-size:12.5px}
.ft-tree .s{fill:var(--ft-soft);font-size:11px}
.ft-tree .c{fill:var(--ft-card);stroke:var(--ft-line);stroke-width:1}
.ft-tree .f{stroke-dasharray:4 3}
.ft-tree .e{fill:none;stroke:var(--ft-line);stroke-width:1.2}
.ft-tree .t{font-weight:600}
"""


def _shown(reading: Reading, max_depth: int | None, empty: bool) -> tuple[np.ndarray, np.ndarray]:
    """Which nodes are shown, and which of them as ends."""
    tree = reading.tree
    shown = np.ones(tree.node_count, dtype=bool) if max_depth is None else tree.depth <= max_depth
    if not empty:
        reached = tree.weighted_n_node_samples > 0
        reached[0] = True
        shown &= reached
    ends = shown & (
        (tree.n_children == 0) | (False if max_depth is None else tree.depth == max_depth)
    )
    return shown, ends


def _rows(reading: Reading, shown: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, float]:
    """Height (middle) of every shown node, and that of the picture."""
    height = np.full(len(shown), np.nan)
    y = MARGIN + LEGEND
    for node in np.flatnonzero(ends).tolist():
        box = LEAF if reading.n_children[node] == 0 else CARD
        height[node] = y + box / 2
        y += box + GAP
    for node in np.flatnonzero(shown & ~ends)[::-1].tolist():
        below = [height[c] for c in reading.children[node] if shown[c]]
        # All branches hidden cannot be: somebody reached the node.
        height[node] = (below[0] + below[-1]) / 2
    return height, max(y - GAP + MARGIN, CARD + 2 * MARGIN + LEGEND)


class _Drawing:
    """Places and texts of one picture."""

    def __init__(self, reading: Reading, max_depth: int | None, empty: bool, decimals: int) -> None:
        self.reading, self.decimals = reading, decimals
        tree = reading.tree
        self.shown, self.ends = _shown(reading, max_depth, empty)
        self.middle, self.height = _rows(reading, self.shown, self.ends)
        self.counts, self.weight = tree.value, tree.weighted_n_node_samples
        self.below = tree.subtree_ends()
        self.branch: dict[int, tuple[str, str]] = {}
        for child, feature, part in reading.branches():
            if self.shown[child] and not self.ends[tree.parent[child]]:
                asked = reading.features[feature]
                self.branch[child] = (
                    brief(asked, part, min(decimals, 4)),
                    condition(asked, part, decimals, missing=True),
                )
        self.title = {node: self._title(node) for node in np.flatnonzero(self.shown).tolist()}
        depth = tree.depth
        levels = int(depth[self.shown].max()) + 1
        width, gap = np.full(levels, NARROWEST), np.full(levels, 44.0)
        for node, (said, small) in self.title.items():
            d = depth[node]
            need = (
                20
                + text_width(said, FONT)
                + (14 + text_width(small, SMALL) if self.ends[node] else 0.0)
            )
            need = max(need, 20 + text_width(small, SMALL))
            width[d] = min(WIDEST, max(width[d], need))
            if node in self.branch:
                label = fit_width(self.branch[node][0], SMALL, LONGEST)
                gap[d] = max(gap[d], 26 + text_width(label, SMALL))
        gap[0] = 0.0
        self.left = MARGIN + np.cumsum(gap) + np.concatenate(([0.0], np.cumsum(width)[:-1]))
        self.box = width
        self.width = max(float(self.left[-1] + width[-1]) + MARGIN, 260.0)

    def _title(self, node: int) -> tuple[str, str]:
        """Name and small print of a node's card."""
        reading = self.reading
        rows = number(float(self.weight[node]), 2)
        if reading.n_children[node] and not self.ends[node]:
            return reading.features[reading.feature[node]].name, f"{rows} rows"
        label = reading.label[node]
        said = "unclassified" if label < 0 else str(reading.classes[label])
        right = 0.0 if label < 0 else float(self.counts[node, label])
        wrong = float(self.weight[node]) - right
        small = f"{rows}/{number(wrong, 2)}" if wrong > 1e-9 * max(1.0, right) else rows
        if reading.n_children[node]:
            leaves = sum(1 for n in reading.n_children[node : int(self.below[node])] if n == 0)
            small = f"{small}, {leaves} leaves"
        return said, f"({small})"

    def legend(self) -> list[str]:
        """A line of classes and colours."""
        out, x, y = [], MARGIN, MARGIN + 6
        room = self.width - MARGIN
        classes = self.reading.classes
        for code, label in enumerate(classes):
            said = fit_width(str(label), SMALL, 120)
            wide = 26 + text_width(said, SMALL)
            if x + wide > room - (60 if code + 1 < len(classes) else 0) and code:
                out.append(
                    f'<text class="s" x="{x:.0f}" y="{y + 4:.0f}">… {len(classes) - code} more</text>'
                )
                break
            out.append(
                f'<rect x="{x:.0f}" y="{y - 5:.0f}" width="10" height="10" rx="2" fill="{colour(code)}"/>'
                f'<text class="s" x="{x + 14:.0f}" y="{y + 4:.0f}">{xml(said)}</text>'
            )
            x += wide
        return out

    def edge(self, node: int) -> str:
        """Line and words of the branch that leads to a node."""
        parent = int(self.reading.tree.parent[node])
        d = int(self.reading.tree.depth[node])
        x0 = self.left[d - 1] + self.box[d - 1]
        x1, y0, y1 = self.left[d], self.middle[parent], self.middle[node]
        bend = x0 + 14
        said, _ = self.branch[node]
        path = f"M{x0:.1f} {y0:.1f}H{bend:.1f}V{y1:.1f}H{x1:.1f}"
        return (
            f'<path class="e" d="{path}"/>'
            f'<text class="s" x="{bend + 5:.1f}" y="{y1 - 4:.1f}">{xml(fit_width(said, SMALL, LONGEST))}</text>'
        )

    def card(self, node: int) -> str:
        """Box, name, numbers and class bar of a node."""
        reading = self.reading
        d = int(reading.tree.depth[node])
        end = bool(self.ends[node])
        leaf = reading.n_children[node] == 0
        high = LEAF if leaf else CARD
        x, y, wide = float(self.left[d]), float(self.middle[node]) - high / 2, float(self.box[d])
        name, small = self.title[node]
        out = [f'<g data-node="{node}"><title>{xml(self._tooltip(node))}</title>']
        fold = "" if leaf or not end else " f"
        out.append(
            f'<rect class="c{fold}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.0f}" rx="{9 if leaf else 4}"/>'
        )
        room = wide - 20
        if leaf:
            taken = text_width(small, SMALL) + 10
            said = fit_width(name, FONT, room - taken)
            out.append(f'<text class="t" x="{x + 10:.1f}" y="{y + 17:.1f}">{xml(said)}</text>')
            out.append(
                f'<text class="s" text-anchor="end" x="{x + wide - 10:.1f}" y="{y + 17:.1f}">{xml(small)}</text>'
            )
        else:
            strong = ' class="t"' if end else ""
            out.append(
                f'<text{strong} x="{x + 10:.1f}" y="{y + 16:.1f}">{xml(fit_width(name, FONT, room))}</text>'
            )
            out.append(
                f'<text class="s" x="{x + 10:.1f}" y="{y + 29:.1f}">{xml(fit_width(small, SMALL, room))}</text>'
            )
        out.append(self._bar(node, x + 10, y + high - 9, room))
        out.append("</g>")
        return "".join(out)

    def _bar(self, node: int, x: float, y: float, wide: float) -> str:
        """Class shares side by side."""
        total = float(self.weight[node])
        if total <= 0:
            return f'<rect class="c" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="4"/>'
        out = []
        for code in np.flatnonzero(self.counts[node] > 0).tolist():
            share = wide * float(self.counts[node, code]) / total
            out.append(
                f'<rect x="{x:.2f}" y="{y:.1f}" width="{share:.2f}" height="5" fill="{colour(code)}"/>'
            )
            x += share
        return "".join(out)

    def _tooltip(self, node: int) -> str:
        said = [f"node {node}"]
        if node in self.branch:
            said.append(self.branch[node][1])
        counts = self.counts[node]
        for code in np.argsort(-counts, kind="stable")[:12].tolist():
            if counts[code] > 0:
                said.append(f"{self.reading.classes[code]}: {number(float(counts[code]), 4)}")
        return "; ".join(said)


def to_svg(
    model: Any, *, max_depth: int | None = None, empty: bool = False, decimals: int = 6
) -> str:
    """A fitted tree as SVG text.

    Args:
        model: a fitted `FastTreeClassifier`.
        max_depth: deepest level shown (the root is level 0), at least 0; what lies deeper is one
        dashed card that tells its
            leaves. None shows all.
        empty: also leaves that no training row reached.
        decimals: digits of numbers in tooltips (the picture itself shows at most four).

    Returns:
        An ``<svg>`` element with ``viewBox``, ``width`` and ``height`` (px); a page may embed it as
        it is.

    Raises:
        ValueError: a negative `max_depth`.

    Examples:
        >>> import fasttree
        >>> picture = to_svg(fasttree.fit(fasttree.datasets.load_weather()))
        >>> picture.startswith("<svg"), picture.count("data-node")
        (True, 8)
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth={max_depth} must be 0 or more, or None")
    reading = Reading(model)
    drawing = _Drawing(reading, max_depth, empty, decimals)
    nodes = np.flatnonzero(drawing.shown).tolist()
    width, height = f"{drawing.width:.0f}", f"{drawing.height:.0f}"
    leaves = sum(1 for n in reading.n_children if n == 0)
    what = f"Decision tree for {reading.target}: {leaves} leaves, depth {reading.depth}"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ft-tree" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" aria-label="{xml(what)}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="var(--ft-paper)"/>',
        *drawing.legend(),
        *(drawing.edge(node) for node in nodes if node in drawing.branch),
        *(drawing.card(node) for node in nodes),
        "</svg>",
    ]
    return "\n".join(out) + "\n"
