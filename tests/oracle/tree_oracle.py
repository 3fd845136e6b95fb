"""Slow truth about local growth: every candidate of every node, written down and compared one by
one.

``grow(columns, y, n_classes, evaluate, ...)`` returns the nodes of the finished tree in pre-order.
A column is ``("numeric", values)`` (floats, NaN = missing) or ``("nominal", codes, n_levels)`` (-1
= missing). ``evaluate`` maps a list of tables (lists of branches, branches lists of class sums) to
a list of ``(score, distance)``; growth itself knows no formula, so the same code grows a tree for
any criterion.

Nothing is shared with the Rust core: rows are lists of numbers, a split filters them, nothing is
sorted once and for all, nothing is skipped, nothing is subtracted, and each leaf is looked at anew.

Sources: Quinlan 1986 (multiway splits, majority, the parent's class in an empty branch), Breiman et
al. 1984 (thresholds halfway between two values; best-first growth by the weighted
decrease of the impurity, as scikit-learn's ``max_leaf_nodes``), Spaeh & Kosub 2022 (best-first
growth by distance), Weka's Id3 (``empty_branch="unclassified"``), Stadler (first row of a
threshold's value), Chen, Wu & Cai 2013 (guard).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Table = list[list[float]]
Evaluate = Callable[[list[Table]], list[tuple[float, float]]]


@dataclass
class Node:
    """A node: its rows, and how it was split."""

    rows: list[int]
    depth: int
    born: int
    parent: Node | None = None
    branch: int = 0
    counts: list[float] = field(default_factory=list)
    label: int = -1
    feature: int = -2
    threshold: float = math.nan
    levels: tuple[int, ...] = ()
    children: list[Node] = field(default_factory=list)
    missing_branch: int = -1
    score: float = 0.0
    distance: float = 0.0
    step: int = -1


@dataclass
class Candidate:
    """A split that a node could have."""

    feature: int
    threshold: float | None
    branches: list[list[int]]
    has_missing_branch: bool
    first_row: int
    levels: tuple[int, ...] = ()
    score: float = 0.0
    distance: float = 0.0
    improvement: float = 0.0


def midpoint(lo: float, hi: float) -> float:
    """Halfway, or the lower value where rounding leaves the interval ``[lo, hi)``."""
    t = lo / 2 + hi / 2
    return lo if t < lo or t >= hi else t


@dataclass
class Grower:
    """What growth is told; names and defaults are those of `FastTreeClassifier`."""

    columns: Sequence[tuple[Any, ...]]
    y: Sequence[int]
    n_classes: int
    evaluate: Evaluate
    weights: Sequence[float] | None = None
    copies: bool = True
    gains: Callable[[list[Table]], list[float]] | None = None
    guard: str | None = None
    ties: str = "first"
    thresholds: str = "midpoint"
    nominal_splits: str = "multiway"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    leaf_order: str = "improvement"
    min_impurity_decrease: float = 0.0
    extensive: bool = False
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_score: float | None = None
    needs_gain: bool = False
    no_distance_decay: bool | str = False
    empty_branch: str = "parent"

    def weight(self, row: int) -> float:
        return 1.0 if self.weights is None else self.weights[row]

    def sums(self, rows: Sequence[int]) -> list[float]:
        """Class sums, exact until the last step."""
        if self.weights is None:
            classes = [self.y[row] for row in rows]
            return [float(classes.count(c)) for c in range(self.n_classes)]
        weights: list[list[float]] = [[] for _ in range(self.n_classes)]
        for row in rows:
            weights[self.y[row]].append(self.weight(row))
        return [math.fsum(x) for x in weights]

    def size(self, rows: Sequence[int]) -> float:
        """Rows, where an integer weight is that many copies."""
        return sum(self.weight(r) for r in rows) if self.copies else len(rows)

    def table(self, candidate: Candidate) -> Table:
        return [self.sums(branch) for branch in candidate.branches]

    # -- candidates -------------------------------------------------------------------------------

    def splits_of(self, feature: int, rows: list[int]) -> list[Candidate]:
        kind, values = self.columns[feature][:2]
        if kind == "nominal":
            levels = self.columns[feature][2]
            branches = [[r for r in rows if values[r] == v] for v in range(levels)]
            gone = [r for r in rows if values[r] < 0]
            if self.nominal_splits != "multiway":
                return self.divisions_of(feature, branches, gone)
            return [Candidate(feature, None, branches + ([gone] if gone else []), bool(gone), 0)]
        known = [r for r in rows if not math.isnan(values[r])]
        gone = [r for r in rows if math.isnan(values[r])]
        distinct = sorted({values[r] for r in known})
        out = []
        if len(distinct) == 1 and gone:  # one value against none
            out.append(Candidate(feature, distinct[0], [known, [], gone], True, min(known)))
        for lo, hi in zip(distinct, distinct[1:]):
            branches = [[r for r in known if values[r] <= lo], [r for r in known if values[r] > lo]]
            t = lo if self.thresholds == "value" else midpoint(lo, hi)
            first = min(r for r in known if values[r] == lo)
            out.append(
                Candidate(feature, t, branches + ([gone] if gone else []), bool(gone), first)
            )
        return out

    def divisions_of(
        self, feature: int, by_level: list[list[int]], gone: list[int]
    ) -> list[Candidate]:
        """Every division in two of the levels that occur (the lowest one first), or each against
        the rest."""
        occurring = [v for v, branch in enumerate(by_level) if branch]
        if self.nominal_splits == "one_vs_rest":
            sides = [(v,) for v in (occurring if len(occurring) > 2 else occurring[:1])]
        else:
            masks = range(2 ** max(len(occurring) - 1, 0) - 1)
            sides = [
                (occurring[0], *(v for i, v in enumerate(occurring[1:]) if mask >> i & 1))
                for mask in masks
            ]
        out = []
        for side in sides if len(occurring) > 1 else []:
            here = [r for v in side for r in by_level[v]]
            there = [r for v in occurring if v not in side for r in by_level[v]]
            listed = set(side)
            if self.nominal_splits == "subset" and sum(self.sums(here)) >= sum(self.sums(there)):
                listed |= set(range(len(by_level))) - set(occurring)
            branches = [sorted(here), sorted(there), *([gone] if gone else [])]
            out.append(Candidate(feature, None, branches, bool(gone), 0, tuple(sorted(listed))))
        return out

    @cached_property
    def least_weight(self) -> float:
        total = sum(self.weight(r) for r in range(len(self.y)))
        return self.min_weight_fraction_leaf * total

    def is_valid(self, candidate: Candidate) -> bool:
        filled = [b for b in candidate.branches if b]
        least = self.least_weight
        return (
            len(filled) >= 2
            and all(self.size(b) >= self.min_samples_leaf for b in filled)
            and all(sum(self.weight(r) for r in b) >= least for b in filled)
        )

    def candidates(self, rows: list[int]) -> list[Candidate]:
        """All valid splits in feature and threshold order, scored."""
        found = [
            c for f in range(len(self.columns)) for c in self.splits_of(f, rows) if self.is_valid(c)
        ]
        for c, (score, distance) in zip(
            found, self.evaluate([self.table(c) for c in found]), strict=True
        ):
            c.score, c.distance = score, distance
        return found

    def choose(self, rows: list[int]) -> Candidate | None:
        found = self.candidates(rows)
        if not found:
            return None
        best: list[tuple[float, list[Candidate]]] = []
        for feature in sorted({c.feature for c in found}):
            mine = [c for c in found if c.feature == feature]
            top = max(c.score for c in mine)
            best.append((top, [c for c in mine if c.score == top]))
        if self.guard is not None and self.gains is not None:
            gains = self.gains([self.table(tied[0]) for _, tied in best])
            mean = sum(gains) / len(gains)
            bound = {
                "average": mean,
                "j48": mean - 1e-3,
                "chen2013": sum(gains) / (len(self.columns) + 1.0),
            }[self.guard]
            best = [
                (0.0 if g < bound else top, tied)
                for g, (top, tied) in zip(gains, best, strict=True)
            ]
        top = max(score for score, _ in best)
        tied = next(tied for score, tied in best if score == top)
        if self.ties == "row":
            chosen = min(tied, key=lambda c: c.first_row)
        elif self.ties == "even":
            chosen = max(tied, key=lambda c: min(sum(sums) for sums in self.table(c)[:2]))
        else:
            chosen = tied[0]
        chosen.score = top
        if self.min_score is not None and top < self.min_score:
            return None
        gains_nothing = self.needs_gain and top <= self.evaluate([[self.sums(rows)]])[0][0]
        if gains_nothing and self.min_score is None:
            return None
        if self.no_distance_decay:
            before = self.evaluate([[self.sums(rows)]])[0][1]
            if chosen.distance > before or (
                self.no_distance_decay == "strict" and chosen.distance == before
            ):
                return None
        chosen.improvement = self.improvement(rows, chosen)
        whole = sum(self.weight(r) for r in range(len(self.y)))
        if self.min_impurity_decrease > 0 and (
            chosen.improvement / whole + sys.float_info.epsilon < self.min_impurity_decrease
        ):
            return None
        return chosen

    def improvement(self, rows: list[int], c: Candidate) -> float:
        """Weight of the node times what its score gains over the same rows in one branch; without
        the weight where scores grow with the rows."""
        gained = c.score - self.evaluate([[self.sums(rows)]])[0][0]
        return gained if self.extensive else sum(self.sums(rows)) * gained

    # -- growth -----------------------------------------------------------------------------------

    def is_finished(self, node: Node) -> bool:
        size = self.size(node.rows)
        return (
            size < self.min_samples_split
            or size < 2 * self.min_samples_leaf
            or (self.max_depth is not None and node.depth >= self.max_depth)
            or sum(c > 0 for c in node.counts) < 2
        )

    def split(self, node: Node, c: Candidate, born: int, step: int) -> None:
        node.feature, node.score, node.distance, node.step = c.feature, c.score, c.distance, step
        node.threshold = math.nan if c.threshold is None else c.threshold
        node.levels = c.levels
        for branch, rows in enumerate(c.branches):
            child = Node(rows, node.depth + 1, born + branch, node, branch, self.sums(rows))
            if rows:
                child.label = child.counts.index(max(child.counts))
            elif self.empty_branch == "parent":
                child.label = node.label
            node.children.append(child)
        weights = [sum(child.counts) for child in node.children]
        node.missing_branch = (
            len(weights) - 1 if c.has_missing_branch else weights.index(max(weights))
        )

    def grow(self) -> list[Node]:
        """The finished tree in pre-order; rows of weight 0 are left out."""
        rows = [r for r in range(len(self.y)) if self.weight(r) > 0]
        root = Node(rows, 0, 0, counts=self.sums(rows))
        root.label = root.counts.index(max(root.counts))
        born, leaves, step = 1, 1, 0
        refused: set[int] = set()
        while True:
            open_leaves = [
                (c.distance if self.leaf_order == "distance" else -c.improvement, n.born, n, c)
                for n in preorder(root)
                if not n.children and n.born not in refused and not self.is_finished(n)
                for c in [self.looked_at(n)]
                if c is not None
            ]
            if not open_leaves:
                break
            if self.max_leaf_nodes is None:
                _, _, node, c = open_leaves[0]
            else:
                _, _, node, c = min(open_leaves, key=lambda o: o[:2])
                if leaves + len(c.branches) - 1 > self.max_leaf_nodes:
                    refused.add(node.born)
                    continue
            self.split(node, c, born, step)
            born += len(c.branches)
            leaves += len(c.branches) - 1
            step += 1
        return preorder(root)

    def looked_at(self, node: Node) -> Candidate | None:
        """The choice of a node (kept, because it depends on its rows alone)."""
        if not hasattr(node, "choice"):
            node.choice = self.choose(node.rows)  # type: ignore[attr-defined]
        return node.choice  # type: ignore[attr-defined]


def preorder(root: Node) -> list[Node]:
    """Nodes with children in branch order, without recursion."""
    out, stack = [], [root]
    while stack:
        node = stack.pop()
        out.append(node)
        stack.extend(reversed(node.children))
    return out


def grow(
    columns: Sequence[tuple[Any, ...]],
    y: Sequence[int],
    n_classes: int,
    evaluate: Evaluate,
    **how: Any,
) -> list[Node]:
    """The nodes of a tree in pre-order; see the module's text."""
    return Grower(columns, y, n_classes, evaluate, **how).grow()


def leaf_of(nodes: list[Node], columns: Sequence[tuple[Any, ...]], row: int) -> int:
    """Number (in pre-order) of the leaf that a row of the given columns reaches."""
    number = {id(n): i for i, n in enumerate(nodes)}
    node = nodes[0]
    while node.children:
        value = columns[node.feature][1][row]
        if node.levels:
            branch = node.missing_branch if value < 0 else int(value not in node.levels)
        elif columns[node.feature][0] == "nominal":
            branch = value if 0 <= value < len(node.children) else node.missing_branch
        elif math.isnan(value):
            branch = node.missing_branch
        else:
            branch = 0 if value <= node.threshold else 1
        node = node.children[branch]
    return number[id(node)]
