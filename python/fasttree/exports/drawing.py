"""The layout of a fitted tree as a picture, shared by the SVG, matplotlib and DOT exports.

What
    The tree grows from left to right, so that names are horizontal and a hundred leaves make a
    long page instead of a wide one. `Drawing` decides which nodes are shown, where their cards are
    (px, y downwards), what is written on them (more with `SHOW`), and their bars: class shares, or
    of a number one bar around it on a scale that all cards share (`Answers.bar`). A node at
    `max_depth`, or one whose branches would exceed `max_nodes`, is one folded card that states its
    number of leaves. Nodes with the most rows are opened first.
Complexity
    O(nodes) to read the tree, O(s log s) to lay out s shown nodes; no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import as_list, check_whole, maybe, one_of, shown, whole_in
from .._checks.words import counted, given, p_value_text
from .answers import Share, figures, share_scale
from .reading import Reading
from .words import MAX_LEVELS, condition, fit_counts, fit_width, short_branch_text, text_width

# All sizes are in px.
FONT, SMALL = 12.5, 11.0
"""Sizes of the fonts of names, and of numbers and branches."""

CARD_HEIGHT, LEAF_HEIGHT, LINE_HEIGHT, GAP = 42.0, 32.0, 13.0, 10.0
"""Heights of inner or folded nodes, of leaves and of a further line, and the gap between two."""

SHOW = ("scores", "node_ids", "counts", "p_values")
"""Contents that cards show on request: the scores of splits, the numbers of nodes, the rows of each
class, and the p-values of the features of splits."""

CARD_WIDTH_MIN, CARD_WIDTH_MAX, LEAF_WIDTH_MAX = 88.0, 260.0, 400.0
BRANCH_WIDTH_MAX, TARGET_WIDTH_MAX = 220.0, 120.0
"""Limits of the widths of cards, also with answers, of the texts of branches and the legend, and of
the target in it; longer names are cut."""

MARGIN, LEGEND_HEIGHT, PADDING = 14.0, 26.0, 10
"""Space around the picture, for the legend, and between the edge of a card and its text."""


@dataclass(frozen=True, slots=True)
class CardText:
    """A text on a card: its baseline is at `y`, its left end (`right`: its right end) at `x`."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """The card of a node.

    Attributes:
        node: number of the node.
        x, y: upper left corner.
        width, height: size.
        leaf: whether the node is a leaf.
        folded: whether the node has branches that are not shown.
        name: the tested feature, or the class or number.
        small: number of rows; in a leaf the share of its class among them, or the standard
            deviation of its number.
        score: score of the split and p-value of its feature, as far as they are shown; empty for
            leaves and folded nodes.
        counts: rows of each class ("yes: 12"), if they are shown.
        tooltip: the branch that leads to the node, and the facts about its rows.
        bars: the bar in px, from left to right; none in a node without rows.
        marked: whether the node is on the highlighted path.
    """

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
    counts: list[str]
    tooltip: str
    bars: list[Share]
    marked: bool = False

    def texts(self) -> list[CardText]:
        """The texts of the card, cut to its width; a leaf has one line, other nodes have two, and
        the counts are a further line."""
        left, right = self.x + PADDING, self.x + self.width - PADDING
        room = self.width - 2 * PADDING
        if self.leaf:
            name = fit_width(self.name, FONT, room - text_width(self.small, SMALL) - PADDING)
            texts = [
                CardText(left, self.y + 17, name, FONT, bold=True),
                CardText(right, self.y + 17, self.small, SMALL, right=True),
            ]
            return texts + self._counts(17 + LINE_HEIGHT)
        score_width = text_width(self.score, SMALL) + PADDING if self.score else 0.0
        small = fit_width(self.small, SMALL, room - score_width)
        texts = [
            CardText(left, self.y + 16, fit_width(self.name, FONT, room), FONT, bold=self.folded),
            CardText(left, self.y + 29, small, SMALL),
        ]
        if self.score:
            texts.append(CardText(right, self.y + 29, self.score, SMALL, right=True))
        return texts + self._counts(29 + LINE_HEIGHT)

    def _counts(self, y: float) -> list[CardText]:
        """The line of the counts, `y` px below the upper edge."""
        counts = fit_counts(self.counts, SMALL, self.width - 2 * PADDING)
        return [CardText(self.x + PADDING, self.y + y, counts, SMALL)] if counts else []


@dataclass(frozen=True, slots=True)
class Edge:
    """A branch: a line from (x0, y0) by a vertical part at x = `bend` to (x1, y1), with a text;
    `marked`: on the highlighted path."""

    x0: float
    y0: float
    bend: float
    x1: float
    y1: float
    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A colour, its text and their place in the legend; `fill` is None for a text alone."""

    x: float
    y: float
    fill: str | None
    text: str

    @property
    def text_x(self) -> float:
        """Left end of the text, in pixels: right of the coloured square, if the entry has one."""
        return self.x + (4 if self.fill is None else 14)


def _path(model: Any, row: Any) -> list[int]:
    """Numbers of the nodes that the highlighted row goes through.

    Args:
        model: the tree.
        row: the row, as the user gives it.

    Raises:
        ValueError: a row that the model does not take.
    """
    try:
        nodes: list[int] = model._path_of(row, "it must be")
    except (TypeError, ValueError, OSError) as error:
        raise ValueError(f"highlight={shown(row)}: {error}") from error
    return nodes


class Drawing:
    """Positions and texts of one picture.

    Args:
        model: a fitted tree.
        max_depth: deepest level shown (the root is level 0), at least 0; None: no limit.
        max_nodes: largest number of cards, at least 1; None: no limit.
        empty: whether branches that no training row reached are shown.
        decimals: digits of numbers after the point (cards show four figures, or all
            before the point).
        show: words of `SHOW`, as a list or with commas.
        highlight: one row, whose path is marked and opened first; None: no path.
        indented: nodes stand one below the other, each level further to the right, which is
            narrow and high; else levels stand side by side.

    Attributes:
        reading: the tree as exporters read it.
        tree: its arrays (`TreeArrays`).
        path: numbers of the nodes on the highlighted path.
        shown: whether each node is shown, bool (n_nodes,).
        ends: whether each node is shown without branches, as a leaf or folded, bool (n_nodes,).
        nodes: numbers of the shown nodes, ascending.
        width, height: size of the picture.

    Raises:
        ValueError: a limit outside its domain, a word that is not in `SHOW`, ``"counts"`` of a
            tree that predicts a number, or ``"p_values"`` of a tree without tests.
    """

    def __init__(
        self,
        model: Any,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        empty: bool = False,
        decimals: int = 6,
        *,
        show: Sequence[str] = (),
        highlight: Any = None,
        indented: bool = False,
    ) -> None:
        self.indented = indented
        words = as_list("show", show.split(",") if isinstance(show, str) else show)
        words = [word.strip() if isinstance(word, str) else word for word in words]
        self._show = frozenset(one_of("show", word, SHOW) for word in words)
        max_depth = maybe(whole_in(0))("max_depth", max_depth)
        max_nodes = maybe(whole_in(1))("max_nodes", max_nodes)
        self.reading = reading = Reading(model)
        if "counts" in self._show and reading.predicts_number:
            asked = given("show", "'counts'")
            raise ValueError(f"{asked}: the tree predicts a number and counts no classes")
        if "p_values" in self._show:
            reading.refuse_untested(given("show", "'p_values'"))
        self.decimals = check_whole("decimals", decimals, 0, 1000)
        self.tree = tree = reading.tree
        self.weight = tree.weighted_n_node_samples
        self._subtree_end = tree.subtree_ends()
        self._leaves_before = np.concatenate(([0], np.cumsum(tree.n_children == 0)))
        self.path = frozenset(() if highlight is None else _path(model, highlight))
        self._hidden_branches: list[int] = []  # of the root, where its branches exceed max_nodes
        self.shown, self.ends = self._select(max_depth, max_nodes, empty)
        self.nodes: list[int] = np.flatnonzero(self.shown).tolist()
        self._branch_texts = self._write_branches()
        self._card_texts = {node: self._write_card(node) for node in self.nodes}
        self._middle, self.height = self._place_rows()
        self._columns = self._measure_columns()
        self._place_columns()

    def _select(
        self, max_depth: int | None, max_nodes: int | None, empty: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nodes of the picture: the attributes `shown` and `ends`.

        Args:
            max_depth: deepest level that is shown; None: no limit.
            max_nodes: largest number of nodes that are shown; None: no limit.
            empty: whether nodes without rows are shown.
        """
        tree, children = self.tree, self.reading.children[0]
        among = np.ones(tree.node_count, dtype=bool) if empty else self.weight > 0
        among[0] = True
        if max_depth is not None:
            among &= tree.depth <= max_depth
        most = tree.node_count if max_nodes is None else max_nodes
        shown = self.reading.heaviest(most, among, self.path)
        if not shown[1:].any():
            # The root alone would be an empty picture: show its branches with the most rows.
            heaviest = sorted((c for c in children if among[c]), key=lambda c: -self.weight[c])
            self._hidden_branches = heaviest[most - 1 :]
            shown[heaviest[: most - 1]] = True
        ends = shown.copy()
        ends[tree.parent[np.flatnonzero(shown)[1:]]] = False
        return shown, ends

    def _write_branches(self) -> dict[int, tuple[str, str]]:
        """Texts of the branch that leads to each shown node: (on the edge, in the tooltip)."""
        texts = {}
        reading = self.reading
        for node in np.flatnonzero(self.shown & ~self.ends).tolist():
            feature = reading.features[reading.feature[node]]
            subsets = reading.shown_sets(node)
            for child, subset in zip(reading.children[node], subsets, strict=True):
                if self.shown[child]:
                    short = short_branch_text(feature, subset, self.decimals)
                    levels = MAX_LEVELS  # as many levels as fit
                    while text_width(short, SMALL) > BRANCH_WIDTH_MAX and levels > 2:
                        levels -= 1
                        short = short_branch_text(feature, subset, self.decimals, levels)
                    full = condition(feature, subset, self.decimals, missing=True, max_levels=None)
                    texts[child] = short, full
        return texts

    def leaves_below(self, node: int) -> int:
        """Number of leaves in the subtree of a node, of the whole tree and not only of the nodes
        shown; 1 for a leaf. O(1), from sums over the pre-order."""
        return int(self._leaves_before[self._subtree_end[node]] - self._leaves_before[node])

    def _write_card(self, node: int) -> tuple[str, str, str, list[str]]:
        """The texts `name`, `small`, `score` and `counts` of a card: of an inner node its feature,
        its rows and the facts about its split that are shown; of a leaf or folded node its answer
        and rows."""
        reading, answers, score = self.reading, self.reading.answers, ""
        if reading.n_children[node] and not self.ends[node]:
            name = reading.features[reading.feature[node]].name
            small = answers.amount(float(self.weight[node]))
            if node == 0 and self._hidden_branches:
                hidden = answers.amount(float(self.weight[self._hidden_branches].sum()))
                branches = counted(len(self._hidden_branches), "branch")
                small += f", {branches} not shown ({hidden})"
            figure = figures(float(self.tree.score[node]), 3, grouped=True)
            p = p_value_text(self.tree.p_value[node], "=")
            said = {"scores": f"score {figure}", "p_values": f"p{p}"}
            score = ", ".join(text for word, text in said.items() if word in self._show)
        else:
            name, small = answers.on_card(node, self.decimals)
            if reading.n_children[node]:
                small = f"{small}, {counted(self.leaves_below(node), 'leaf')}"
        number = f"#{node} " if "node_ids" in self._show else ""
        counts = answers.held(node) if "counts" in self._show else []
        return number + name, small, score, counts

    def _height(self, node: int) -> float:
        """Height of the card of a node."""
        height = LEAF_HEIGHT if self.reading.n_children[node] == 0 else CARD_HEIGHT
        return height + LINE_HEIGHT * ("counts" in self._show)

    def _place_rows(self) -> tuple[np.ndarray, float]:
        """y of the middle of every shown node, NaN elsewhere, and the height of the picture."""
        middle = np.full(len(self.shown), np.nan)
        y = MARGIN + LEGEND_HEIGHT
        # Ends, or all nodes, from above to below, in pre-order.
        for node in np.flatnonzero(self.shown if self.indented else self.ends).tolist():
            height = self._height(node)
            middle[node] = y + height / 2
            y += height + GAP
        # Other nodes halfway between their outer children, which come later in pre-order. At least
        # one child is shown: a node with rows has a child with rows.
        inner = self.shown & ~self.ends & (not self.indented)
        for node in np.flatnonzero(inner)[::-1].tolist():
            below = [middle[c] for c in self.reading.children[node] if self.shown[c]]
            middle[node] = (below[0] + below[-1]) / 2
        return middle, max(y - GAP + MARGIN, self._height(0) + 2 * MARGIN + LEGEND_HEIGHT)

    def _measure_columns(self) -> np.ndarray:
        """The gap before each level, and the width of its cards, shape (2, n_levels)."""
        depth = self.tree.depth
        n_levels = int(depth[self.shown].max()) + 1
        width, gap = np.full(n_levels, CARD_WIDTH_MIN), np.full(n_levels, 44.0)
        # A level is as wide as its longest texts need, and the gap before it as its branches need.
        for node, (name, small, score, counts) in self._card_texts.items():
            level = depth[node]
            beside = (14 + text_width(small, SMALL)) if self.ends[node] else 1.0
            below = text_width(small, SMALL) + (14 + text_width(score, SMALL) if score else 0.0)
            below = (
                max(below, text_width(", ".join(counts), SMALL)) + 1.0
            )  # so that rounding cuts nothing
            needed = 2 * PADDING + max(text_width(name, FONT) + beside, below)
            most = LEAF_WIDTH_MAX if self.ends[node] or counts else CARD_WIDTH_MAX
            width[level] = max(width[level], min(most, needed))
            if node in self._branch_texts:
                branch = fit_width(self._branch_texts[node][0], SMALL, BRANCH_WIDTH_MAX)
                gap[level] = max(gap[level], 26 + text_width(branch, SMALL))
        gap[0] = 0.0
        if self._hidden_branches:  # the root states them in full
            _, small, score, _ = self._card_texts[0]
            width[0] = max(width[0], 20 + text_width(f"{small}   {score}", SMALL))
        return np.array((gap, width))

    def _place_columns(self) -> None:
        """Set left edge and width of the cards of each level, and the width of the picture."""
        gap, self._width = self._columns
        before = np.concatenate(([0.0], np.cumsum(self._width)[:-1])) * (not self.indented)
        self._left = MARGIN + np.cumsum(gap) + before
        self.width = max(float((self._left + self._width).max()) + MARGIN, 260.0)

    @staticmethod
    def align(drawings: Sequence[Drawing]) -> None:
        """Lay out drawings that stand beside each other, in place: each level gets the same
        horizontal position in all of them, and the numbers of a target get one scale."""
        for target in {one.reading.target for one in drawings}:
            share_scale([d.reading.answers for d in drawings if d.reading.target == target])
        n_levels = max(one._columns.shape[1] for one in drawings)
        missing = [n_levels - one._columns.shape[1] for one in drawings]
        columns = [
            np.pad(one._columns, ((0, 0), (0, n))) for one, n in zip(drawings, missing, strict=True)
        ]
        for one in drawings:
            one._columns = np.max(columns, axis=0)
            one._place_columns()

    # -- what is drawn ----------------------------------------------------------------------------

    @property
    def meanings(self) -> list[tuple[str | None, str]]:
        """The name of the target, then the colours with their meanings, as (colour, text); None: a
        text without a colour."""
        target = fit_width(self.reading.target, SMALL, TARGET_WIDTH_MAX)
        return [(None, f"{target}:"), *self.reading.answers.legend()]

    def legend(self) -> list[LegendEntry]:
        """The target and the colours in one line; the last entry counts the colours that do not
        fit."""
        entries, x, y = [], MARGIN, MARGIN + 6
        room = self.width - MARGIN
        meanings = self.meanings
        for place, (fill, meaning) in enumerate(meanings):
            text = fit_width(meaning, SMALL, BRANCH_WIDTH_MAX)
            width = (14 if fill else 0) + (12 + text_width(text, SMALL) if text else -2)
            # 60 px are kept for "… n more".
            if x + width > room - (60 if place + 1 < len(meanings) else 0) and place:
                entries.append(LegendEntry(x, y, None, f"… {len(meanings) - place} more"))
                break
            entries.append(LegendEntry(x, y, fill, text))
            x += width
        return entries

    def edges(self) -> Iterator[Edge]:
        """Yield the branches that are shown, by the node that they lead to, in pre-order.
        Coordinates are pixels."""
        for node, (text, _) in sorted(self._branch_texts.items()):
            parent, level = int(self.tree.parent[node]), int(self.tree.depth[node])
            x0 = float(self._left[level - 1] + self._width[level - 1])
            y0, bend = float(self._middle[parent]), x0 + 14
            if self.indented:  # from the lower edge of the node above
                x0 = bend = float(self._left[level - 1]) + 10
                y0 += self._height(parent) / 2
            yield Edge(
                x0,
                y0,
                bend,
                float(self._left[level]),
                float(self._middle[node]),
                fit_width(text, SMALL, BRANCH_WIDTH_MAX),
                node in self.path,
            )

    def cards(self) -> Iterator[Card]:
        """Yield the nodes that are shown, in pre-order, as cards with their texts. Coordinates are
        pixels; `x` and `y` are the upper left corner."""
        for node in self.nodes:
            level = int(self.tree.depth[node])
            leaf = self.reading.n_children[node] == 0
            height = self._height(node)
            x, width = float(self._left[level]), float(self._width[level])
            room = width - 2 * PADDING
            name, small, score, counts = self._card_texts[node]
            yield Card(
                node=node,
                x=x,
                y=float(self._middle[node]) - height / 2,
                width=width,
                height=height,
                leaf=leaf,
                folded=not leaf and bool(self.ends[node]),
                name=name,
                small=small,
                score=score,
                counts=counts,
                tooltip=self._tooltip(node),
                bars=[
                    Share(fill, x + PADDING + room * left, room * share)
                    for fill, left, share in self.reading.answers.bar(node)
                ],
                marked=node in self.path,
            )

    def _tooltip(self, node: int) -> str:
        """Number and branch of a node, and the facts about its rows."""
        lines = [f"node {node}"]
        if node in self._branch_texts:
            lines.append(self._branch_texts[node][1])
        return "; ".join([*lines, *self.reading.answers.held(node)])
