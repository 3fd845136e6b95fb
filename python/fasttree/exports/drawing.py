"""A fitted tree laid out for a picture: the one design that SVG, matplotlib and DOT share.

What
    The tree grows from left to right, so that names are read where they stand and a hundred leaves
    make a long page instead of a wide one. `Drawing` says which nodes are shown, where their cards
    stand (px, y downwards), what is written on them, and the bars of class shares. A node beyond
    `max_depth`, or one whose branches would not fit into `max_nodes`, is one folded card that tells
    its leaves; the nodes with the most rows are opened first.
Complexity
    O(nodes) to read the tree, O(nodes shown log) to lay it out; no recursion.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import maybe, whole
from .reading import Reading, number
from .words import brief, condition, fit_width, text_width

__all__ = ["FONT", "LONGEST", "SMALL", "Card", "Drawing", "Edge", "Legend"]

FONT, SMALL = 12.5, 11.0
CARD, LEAF, GAP, MARGIN, LEGEND = 42.0, 32.0, 10.0, 14.0, 26.0
NARROWEST, WIDEST, LONGEST = 88.0, 190.0, 170.0


@dataclass(frozen=True, slots=True)
class Card:
    """A node: its box, what is written on it (`score` is empty on leaves and folded nodes), and
    the class shares as (class code, x, width)."""

    node: int
    x: float
    y: float
    width: float
    height: float
    leaf: bool
    folded: bool
    name: str
    small: str
    score: str
    tooltip: str
    bars: list[tuple[int, float, float]]


@dataclass(frozen=True, slots=True)
class Edge:
    """A branch: from (x0, y0) by a bend to (x1, y1), and its words."""

    x0: float
    y0: float
    bend: float
    x1: float
    y1: float
    words: str


@dataclass(frozen=True, slots=True)
class Legend:
    """A class and its place in the legend; `code` is None for "… n more"."""

    x: float
    y: float
    code: int | None
    words: str


def _counted(value: float, what: str) -> str:
    return f"{number(value, 2)} {what}"


class Drawing:
    """Places and texts of one picture.

    Args:
        model: a fitted tree.
        max_depth: deepest level shown (the root is level 0), at least 0; None: no limit.
        max_nodes: largest number of cards, at least 1; None: no limit.
        empty: also branches that no training row reached.
        decimals: digits of numbers in tooltips (cards show at most four).

    Raises:
        ValueError: a limit outside its domain.
    """

    def __init__(
        self,
        model: Any,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        empty: bool = False,
        decimals: int = 6,
    ) -> None:
        max_depth = maybe(whole(0))("max_depth", max_depth)
        max_nodes = maybe(whole(1))("max_nodes", max_nodes)
        self.reading = reading = Reading(model)
        self.decimals = decimals
        self.tree = tree = reading.tree
        self.counts, self.weight = tree.value, tree.weighted_n_node_samples
        self._below = tree.subtree_ends()
        self._leaves_before = np.concatenate(([0], np.cumsum(tree.n_children == 0)))
        self._hidden: dict[int, tuple[int, float]] = {}
        self.shown, self.ends = self._opened(max_depth, max_nodes, empty)
        self.nodes: list[int] = np.flatnonzero(self.shown).tolist()
        self._branch = self._branches()
        self._title = {node: self._titled(node) for node in self.nodes}
        self._middle, self.height = self._rows()
        self._columns()

    def _opened(
        self, max_depth: int | None, max_nodes: int | None, empty: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which nodes are shown, and which of them as ends."""
        tree = self.tree
        reached = np.ones(tree.node_count, dtype=bool) if empty else self.weight > 0
        reached[0] = True
        deep = tree.n_children == 0
        if max_depth is not None:
            deep = deep | (tree.depth >= max_depth)
        most = tree.node_count if max_nodes is None else max_nodes
        if most >= int(reached.sum()):
            shown = reached if max_depth is None else reached & (tree.depth <= max_depth)
            return shown, shown & deep
        shown = np.zeros(tree.node_count, dtype=bool)
        shown[0], count = True, 1
        heap = [(-float(self.weight[0]), 0)]
        closed = deep.copy()
        while heap:
            _, node = heapq.heappop(heap)
            if deep[node]:
                continue
            children = [c for c in self.reading.children[node] if reached[c]]
            if count + len(children) > most:
                if node:
                    closed[node] = True
                    continue
                # The root alone must not be the whole picture: its heaviest branches are shown.
                children = sorted(children, key=lambda c: (-self.weight[c], c))
                rest = children[most - 1 :]
                children = children[: most - 1]
                self._hidden[0] = (len(rest), float(self.weight[rest].sum()))
                closed[0] = not children
            for child in children:
                shown[child] = True
                heapq.heappush(heap, (-float(self.weight[child]), child))
            count += len(children)
        return shown, shown & closed

    def _branches(self) -> dict[int, tuple[str, str]]:
        """Words of the branch that leads to each shown node: short, and in full."""
        found = {}
        reading = self.reading
        for node in np.flatnonzero(self.shown & ~self.ends).tolist():
            asked = reading.features[reading.feature[node]]
            for child, part in zip(reading.children[node], reading.parts(node), strict=True):
                if self.shown[child]:
                    short = (brief(asked, part, d) for d in (4, 5, 6) if d <= max(4, self.decimals))
                    found[child] = (
                        min(short, key=len),
                        condition(asked, part, self.decimals, missing=True),
                    )
        return found

    def leaves_below(self, node: int) -> int:
        """Leaves of the subtree of a node."""
        return int(self._leaves_before[self._below[node]] - self._leaves_before[node])

    def _titled(self, node: int) -> tuple[str, str, str]:
        """Name, small print and score of a node's card."""
        reading = self.reading
        if reading.n_children[node] and not self.ends[node]:
            small = _counted(float(self.weight[node]), "rows")
            if node in self._hidden:
                count, hidden = self._hidden[node]
                small += f", {count} branches not shown ({_counted(hidden, 'rows')})"
            name = reading.features[reading.feature[node]].name
            return name, small, f"{float(self.tree.score[node]):.3g}"
        rows = number(float(self.weight[node]), 2)
        label = reading.label[node]
        said = "unclassified" if label < 0 else str(reading.classes[label])
        right = 0.0 if label < 0 else float(self.counts[node, label])
        wrong = float(self.weight[node]) - right
        small = f"{rows}/{number(wrong, 2)}" if wrong > 1e-9 * max(1.0, right) else rows
        if reading.n_children[node]:
            small = f"{small}, {self.leaves_below(node)} leaves"
        return said, f"({small})", ""

    def _rows(self) -> tuple[np.ndarray, float]:
        """Height (middle) of every shown node, and that of the picture."""
        height = np.full(len(self.shown), np.nan)
        y = MARGIN + LEGEND
        for node in np.flatnonzero(self.ends).tolist():
            box = LEAF if self.reading.n_children[node] == 0 else CARD
            height[node] = y + box / 2
            y += box + GAP
        for node in np.flatnonzero(self.shown & ~self.ends)[::-1].tolist():
            below = [height[c] for c in self.reading.children[node] if self.shown[c]]
            # All branches hidden cannot be: somebody reached the node.
            height[node] = (below[0] + below[-1]) / 2
        return height, max(y - GAP + MARGIN, CARD + 2 * MARGIN + LEGEND)

    def _columns(self) -> None:
        """Left edge and width of the cards of each level, and the width of the picture."""
        depth = self.tree.depth
        levels = int(depth[self.shown].max()) + 1
        width, gap = np.full(levels, NARROWEST), np.full(levels, 44.0)
        for node, (said, small, score) in self._title.items():
            d = depth[node]
            beside = (14 + text_width(small, SMALL)) if self.ends[node] else 0.0
            under = text_width(small, SMALL) + (14 + text_width(score, SMALL) if score else 0.0)
            need = max(20 + text_width(said, FONT) + beside, 20 + under)
            width[d] = min(WIDEST, max(width[d], need))
            if node in self._branch:
                label = fit_width(self._branch[node][0], SMALL, LONGEST)
                gap[d] = max(gap[d], 26 + text_width(label, SMALL))
        gap[0] = 0.0
        if self._hidden:
            width[0] = max(width[0], 20 + text_width(self._title[0][1] + "0.000", SMALL))
        self._left = MARGIN + np.cumsum(gap) + np.concatenate(([0.0], np.cumsum(width)[:-1]))
        self._box = width
        self.width = max(float(self._left[-1] + width[-1]) + MARGIN, 260.0)

    # -- what is drawn ----------------------------------------------------------------------------

    def legend(self) -> list[Legend]:
        """The classes in one line; those without room are counted."""
        out, x, y = [], MARGIN, MARGIN + 6
        room = self.width - MARGIN
        classes = self.reading.classes
        for code, label in enumerate(classes):
            said = fit_width(str(label), SMALL, 120)
            wide = 26 + text_width(said, SMALL)
            if x + wide > room - (60 if code + 1 < len(classes) else 0) and code:
                out.append(Legend(x, y, None, f"… {len(classes) - code} more"))
                break
            out.append(Legend(x, y, code, said))
            x += wide
        return out

    def edges(self) -> Iterator[Edge]:
        """The branches that are shown."""
        for node in self.nodes:
            if node not in self._branch:
                continue
            parent, d = int(self.tree.parent[node]), int(self.tree.depth[node])
            x0 = float(self._left[d - 1] + self._box[d - 1])
            words = fit_width(self._branch[node][0], SMALL, LONGEST)
            yield Edge(
                x0,
                float(self._middle[parent]),
                x0 + 14,
                float(self._left[d]),
                float(self._middle[node]),
                words,
            )

    def cards(self) -> Iterator[Card]:
        """The nodes that are shown, in pre-order."""
        for node in self.nodes:
            d = int(self.tree.depth[node])
            leaf = self.reading.n_children[node] == 0
            high = LEAF if leaf else CARD
            x, wide = float(self._left[d]), float(self._box[d])
            folded = not leaf and bool(self.ends[node])
            name, small, score = self._title[node]
            y = float(self._middle[node]) - high / 2
            bars = self._bars(node, x + 10, wide - 20)
            tip = self._tooltip(node)
            yield Card(node, x, y, wide, high, leaf, folded, name, small, score, tip, bars)

    def _bars(self, node: int, x: float, wide: float) -> list[tuple[int, float, float]]:
        """Class shares side by side; none where no row came."""
        total = float(self.weight[node])
        out = []
        for code in np.flatnonzero(self.counts[node] > 0).tolist() if total > 0 else ():
            share = wide * float(self.counts[node, code]) / total
            out.append((code, x, share))
            x += share
        return out

    def _tooltip(self, node: int) -> str:
        said = [f"node {node}"]
        if node in self._branch:
            said.append(self._branch[node][1])
        counts = self.counts[node]
        for code in np.argsort(-counts, kind="stable")[:12].tolist():
            if counts[code] > 0:
                said.append(f"{self.reading.classes[code]}: {number(float(counts[code]), 4)}")
        return "; ".join(said)
