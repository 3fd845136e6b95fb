"""Slow truth for growth on histograms: every split of a tree, judged by exact fractions.

The checker walks a fitted tree and looks at each node with the rows that arrive there. A split must
be a cut between two occupied bins of its feature, its threshold must lie midway between the highest
value on its left and the lowest on its right, and no admissible cut of any feature may have a
smaller weighted Gini impurity (compared as fractions, so that no rounding decides). A leaf must be
pure or without an admissible cut. O(nodes x rows x features), in plain Python.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from typing import Any


def impurity(sides: list[Counter]) -> Fraction:
    """Weighted Gini impurity of the sides, times the weight of all."""
    total = Fraction(0)
    for side in sides:
        n = sum(side.values())
        total += n - Fraction(sum(c * c for c in side.values()), n)
    return total


def cuts_of(rows: list[int], x: list[float], edges: list[float]) -> list[tuple[list[int], float]]:
    """Rows on the left and threshold of each cut between occupied bins."""
    bins: dict[int, list[int]] = {}
    for row in rows:
        bins.setdefault(bisect_left(edges, x[row]), []).append(row)
    found, left = [], []
    order = sorted(bins)
    for here, after in zip(order, order[1:], strict=False):
        left = left + bins[here]
        low = max(x[r] for r in bins[here])
        high = min(x[r] for r in bins[after])
        found.append((left, (low, high)))
    return found


def check_tree(
    tree: Any, X: Any, y: Any, edges: list[list[float]], weights: Any = None, least: int = 1
) -> int:
    """Assert that a tree (``tree_`` arrays) is one that the rule allows; returns its splits.

    `X` (n_rows, n_features), `edges` the ascending cuts of each feature, `weights` whole numbers,
    `least` the smallest branch. Thresholds are checked against the training values of the bins.
    """
    columns = [[float(v) for v in column] for column in zip(*X, strict=True)]
    weights = [1] * len(y) if weights is None else [int(w) for w in weights]
    highest: list[dict[int, float]] = []
    lowest: list[dict[int, float]] = []
    for column, own in zip(columns, edges, strict=True):
        top: dict[int, float] = {}
        bottom: dict[int, float] = {}
        for row, value in enumerate(column):
            if weights[row]:
                b = bisect_left(own, value)
                top[b] = max(value, top.get(b, value))
                bottom[b] = min(value, bottom.get(b, value))
        highest.append(top)
        lowest.append(bottom)

    def counted(rows: list[int]) -> Counter:
        found: Counter = Counter()
        for row in rows:
            found[y[row]] += weights[row]
        return found

    splits = 0
    stack = [(0, [r for r in range(len(y)) if weights[r]])]
    while stack:
        node, rows = stack.pop()
        here = counted(rows)
        best = None
        for feature, column in enumerate(columns):
            for left, _ in cuts_of(rows, column, edges[feature]):
                chosen = set(left)
                sides = [counted(left), counted([r for r in rows if r not in chosen])]
                if min(sum(s.values()) for s in sides) >= least:
                    loss = impurity(sides)
                    best = loss if best is None or loss < best else best
        if tree.n_children[node] == 0:
            small = sum(here.values()) < max(2, 2 * least)
            assert len(here) < 2 or small or best is None, f"leaf {node} could be split"
            continue
        splits += 1
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        column = columns[feature]
        left = [r for r in rows if column[r] <= threshold]
        right = [r for r in rows if column[r] > threshold]
        assert left and right
        assert impurity([counted(left), counted(right)]) == best, f"node {node} is not best"
        own = edges[feature]
        a = highest[feature][max(bisect_left(own, column[r]) for r in left)]
        b = lowest[feature][min(bisect_left(own, column[r]) for r in right)]
        middle = a / 2 + b / 2
        assert threshold == (middle if a <= middle < b else a), (threshold, a, b)
        children = children_of(tree, node)
        stack += [(children[0], left), (children[1], right)]
    return splits


def children_of(tree: Any, node: int) -> list[int]:
    """Children of a node from the parents."""
    return [i for i, p in enumerate(tree.parent) if p == node]
