"""Slow truth about global and glocal growth: algorithm 3 of Spaeh & Kosub, written down as it is
printed.

``grow(columns, y, n_classes, evaluate, measure, ...)`` returns the nodes of the finished tree in
pre-order and the distance of the whole tree after each step. Columns and ``evaluate`` (score and
distance of tables "branch x class") are those of ``tree_oracle``; ``measure`` maps a list of tables
"predicted label x true class" of *all* rows to a list of distances. In every step every impure
leaf, every valid split and every admitted labelling is tried, and each table is counted from all
rows anew. Nothing is kept from one step to the next but the tree.

Ties: smaller distance on the leaf's own table, then the leaf created first, feature, threshold
(``ties="row"``: first row of its value), label pair. The root's rows count as predicted 0.

Source: Spaeh & Kosub, *Global Evaluation for Decision Tree Learning* (2022), sections 1.3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from tree_oracle import Candidate, Evaluate, Grower, Node, Table, preorder

Measure = Callable[[list[Table]], list[float]]


@dataclass
class GlobalGrower(Grower):
    """What growth is told; names are those of `FastTreeClassifier`."""

    measure: Measure = lambda tables: []
    evaluation: str = "global"
    labels: str = "majority"

    def majority(self, rows: list[int], otherwise: int) -> int:
        sums = self.sums(rows)
        return sums.index(max(sums)) if rows else otherwise

    def labellings(self, node: Node, c: Candidate) -> list[tuple[int, ...]]:
        if self.labels == "majority":
            return [tuple(self.majority(b, self.majority(node.rows, 0)) for b in c.branches)]
        assert len(c.branches) == 2
        pairs = product(range(self.n_classes), repeat=2)
        return [p for p in pairs if self.labels == "all" or p[0] != p[1]]

    def whole(self, parts: Sequence[tuple[list[int], int]]) -> Table:
        """The table "label x class" of leaves given as (rows, label)."""
        members: list[list[int]] = [[] for _ in range(self.n_classes)]
        for rows, label in parts:
            members[label] += rows
        return [self.sums(rows) for rows in members]

    def order(self, node: Node, c: Candidate) -> tuple[float, ...]:
        place = (
            c.first_row
            if self.ties == "row"
            else (-math.inf if c.threshold is None else c.threshold)
        )
        return (node.born, c.feature, place)

    def grow_globally(self) -> tuple[list[Node], list[float]]:
        """The finished tree in pre-order, and its distance after each step."""
        rows = [r for r in range(len(self.y)) if self.weight(r) > 0]
        root = Node(rows, 0, 0, counts=self.sums(rows))
        root.label = root.counts.index(max(root.counts))
        predicted = {0: 0}  # of node by birth
        current = self.measure([self.whole([(rows, 0)])])[0]
        born, leaves, distances = 1, 1, []
        limit = math.inf if self.max_leaf_nodes is None else self.max_leaf_nodes
        while leaves < limit:
            tips = [n for n in preorder(root) if not n.children]
            tried, tables = [], []
            for node in tips:
                if self.is_finished(node):
                    continue
                others = [(n.rows, predicted[n.born]) for n in tips if n is not node]
                for c in self.candidates(node.rows):
                    if leaves + len(c.branches) - 1 > limit:
                        continue
                    for labels in self.labellings(node, c):
                        tried.append((node, c, labels))
                        tables.append(self.whole([*others, *zip(c.branches, labels, strict=True)]))
            if not tried:
                break
            found = self.measure(tables)
            best = min(
                range(len(tried)),
                key=lambda i: (
                    found[i],
                    tried[i][1].distance,
                    *self.order(*tried[i][:2]),
                    tried[i][2],
                ),
            )
            node, c, labels = tried[best]
            after = found[best]
            if self.evaluation == "glocal" and not after < current:
                local = self.local_step(tips, limit - leaves + 1)
                if local is None:
                    break
                node, c = local
                labels = tuple(self.majority(b, self.majority(node.rows, 0)) for b in c.branches)
                others = [(n.rows, predicted[n.born]) for n in tips if n is not node]
                after = self.measure(
                    [self.whole([*others, *zip(c.branches, labels, strict=True)])]
                )[0]
            elif self.evaluation == "global":
                stops = {False: False, True: after > current, "strict": after >= current}
                if stops[self.no_distance_decay]:
                    break
            self.split(node, c, born, len(distances))
            for child, label in zip(node.children, labels, strict=True):
                predicted[child.born] = label
                if child.rows or self.empty_branch == "parent":
                    child.label = label
            born += len(c.branches)
            leaves += len(c.branches) - 1
            current = after
            distances.append(after)
        return preorder(root), distances

    def local_step(self, tips: list[Node], branches: float) -> tuple[Node, Candidate] | None:
        """The split that best-first local growth would make."""
        chosen = [(n, self.choose(n.rows)) for n in tips if not self.is_finished(n)]
        fitting = [(n, c) for n, c in chosen if c is not None and len(c.branches) <= branches]
        return min(fitting, key=lambda x: (x[1].distance, x[0].born), default=None)


def grow(
    columns: Sequence[tuple[Any, ...]],
    y: Sequence[int],
    n_classes: int,
    evaluate: Evaluate,
    measure: Measure,
    **how: Any,
) -> tuple[list[Node], list[float]]:
    """The nodes of a tree in pre-order, and the global distance after each step; see the module's
    text."""
    return GlobalGrower(columns, y, n_classes, evaluate, measure=measure, **how).grow_globally()
