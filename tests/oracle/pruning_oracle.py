"""Slow truth about pruning: trees as nested objects, rows as lists of numbers, everything counted
anew at each question.

``tree_of(tree_, X, y)`` builds the nodes from the read-only arrays of a fitted model and sends the
rows down by itself; every method returns a new nested tree, and ``shape_of`` makes it comparable.
Nothing is shared with the core.

Sources: Quinlan 1987 (pessimistic, reduced error), Quinlan 1993 chapter 4 with J48's margins
(error-based), Breiman et al. 1984 chapter 3 (cost complexity), Cestnik & Bratko 1991 (m-estimate),
Quinlan & Rivest 1989 (description length), Quinlan 1992 with Wang & Witten 1997 (M5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np


@dataclass
class Node:
    """A node: class sums, label, and what it asks."""

    counts: list[float]
    label: int
    rows: list[int] = field(default_factory=list)
    feature: int = -2
    threshold: float = math.nan
    missing_branch: int = -1
    children: list[Node] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return sum(self.counts)

    def errors(self, counts: Sequence[float] | None = None) -> float:
        counts = self.counts if counts is None else counts
        return sum(n for c, n in enumerate(counts) if c != self.label)

    def leaves(self) -> list[Node]:
        return (
            [leaf for child in self.children for leaf in child.leaves()]
            if self.children
            else [self]
        )

    def branch(self, x: Sequence[float]) -> int:
        """The branch a row takes."""
        v = x[self.feature]
        if math.isnan(v):
            return self.missing_branch
        if not math.isnan(self.threshold):
            return 0 if v <= self.threshold else 1
        return int(v) if int(v) < len(self.children) else self.missing_branch

    def copy(self) -> Node:
        return Node(
            list(self.counts), self.label, list(self.rows), self.feature, self.threshold,
            self.missing_branch,
            [c.copy() for c in self.children],
        )  # fmt: skip

    def cut(self) -> Node:
        return Node(list(self.counts), self.label, list(self.rows))


def tree_of(
    arrays: Any,
    X: np.ndarray,
    y: Sequence[int],
    weights: Sequence[float] | None = None,
    node: int = 0,
) -> Node:
    """Nested nodes with the rows that reach them (X: numbers, or codes of nominal columns; NaN is
    missing)."""

    def build(i: int) -> Node:
        made = Node(arrays.value[i].tolist(), int(arrays.label[i]))
        if arrays.n_children[i]:
            made.feature, made.threshold = int(arrays.feature[i]), float(arrays.threshold[i])
            made.missing_branch = int(arrays.missing_branch[i])
            made.children = [build(int(c)) for c in arrays.children_of(i)]
        return made

    root = build(node)
    pour(root, X, range(len(X)))
    return root


def pour(node: Node, X: np.ndarray, rows: Sequence[int]) -> None:
    """Send rows down, in place; only ``rows`` of the nodes change."""
    node.rows = list(rows)
    parts: list[list[int]] = [[] for _ in node.children]
    for r in node.rows if node.children else []:
        parts[node.branch(X[r])].append(r)
    for child, part in zip(node.children, parts, strict=True):
        pour(child, X, part)


def recount(node: Node, y: Sequence[int], weights: Sequence[float], parent: int = -1) -> None:
    """Class sums and labels from the rows, in place; an empty leaf takes its parent's label unless
    it has none."""
    for c in range(len(node.counts)):
        node.counts[c] = sum(weights[r] for r in node.rows if y[r] == c)
    if node.rows:
        node.label = int(np.argmax(node.counts))
    elif node.label >= 0:
        node.label = parent
    for child in node.children:
        recount(child, y, weights, node.label)


def shape_of(node: Node) -> Any:
    """Nested tuples: two trees are equal when these are."""
    threshold = None if math.isnan(node.threshold) else node.threshold
    counts = tuple(round(c, 9) for c in node.counts)
    return (
        node.feature,
        threshold,
        node.label,
        counts,
        len(node.rows),
        tuple(shape_of(c) for c in node.children),
    )


def pessimistic(node: Node) -> Node:
    """Top-down, once."""
    if not node.children:
        return node.copy()
    leaves = node.leaves()
    big = sum(leaf.errors() for leaf in leaves) + sum(1 for leaf in leaves if leaf.weight > 0) / 2
    n = node.weight
    standard = math.sqrt(big * max(n - big, 0.0) / n)
    if node.errors() + 0.5 <= big + standard:
        return node.cut()
    new = node.copy()
    new.children = [pessimistic(c) for c in node.children]
    return new


def bottom_up(
    node: Node, price: Callable[[Node], float], whole: Callable[[Node, list[float]], float]
) -> tuple[Node, float]:
    """A leaf where `price` of a node is at most `whole` of its branches' prices."""
    if not node.children:
        return node.copy(), price(node)
    pruned = [bottom_up(c, price, whole) for c in node.children]
    leaf, tree = price(node), whole(node, [p for _, p in pruned])
    if leaf <= tree + 1e-12:
        return node.cut(), leaf
    new = node.copy()
    new.children = [c for c, _ in pruned]
    return new, tree


def m_estimate(root: Node, m: float) -> Node:
    """Expected error."""

    def price(node: Node) -> float:
        if node.weight == 0:
            return 0.0
        prior = root.counts[node.label] / root.weight
        return 1 - (node.counts[node.label] + m * prior) / (node.weight + m)

    def whole(node: Node, prices: list[float]) -> float:
        return sum(c.weight * p for c, p in zip(node.children, prices, strict=True)) / node.weight

    return bottom_up(root, price, whole)[0]


def mdl(root: Node, n_features: int) -> Node:
    """Bits."""
    k = sum(1 for c in root.counts if c > 0)

    def log2_factorial(x: float) -> float:
        return math.lgamma(x + 1) / math.log(2)

    def price(node: Node) -> float:
        n = node.weight
        if n == 0:
            return 1.0
        which = log2_factorial(n) - sum(map(log2_factorial, node.counts))
        return 1 + which + log2_factorial(n + k - 1) - log2_factorial(k - 1) - log2_factorial(n)

    def whole(node: Node, prices: list[float]) -> float:
        places = 1 if math.isnan(node.threshold) else max(node.weight - 1, 1)
        return 1 + math.log2(n_features) + math.log2(places) + sum(prices)

    return bottom_up(root, price, whole)[0]


def reduced_error(root: Node, X: np.ndarray, y: Sequence[int], weights: Sequence[float]) -> Node:
    """Errors on held-out rows."""
    held = root.copy()
    pour(held, X, range(len(X)))
    sums = {}

    def pair(node: Node, judge: Node) -> None:
        counts = [sum(weights[r] for r in judge.rows if y[r] == c) for c in range(len(node.counts))]
        sums[id(node)] = counts
        for a, b in zip(node.children, judge.children, strict=True):
            pair(a, b)

    pair(root, held)
    return bottom_up(root, lambda n: n.errors(sums[id(n)]), lambda _, p: sum(p))[0]


def added_errors(n: float, e: float, cf: float) -> float:
    """C4.5's additional errors."""
    if e < 1:
        base = n * (1 - cf ** (1 / n))
        return base if e == 0 else base + e * (added_errors(n, 1.0, cf) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    z = NormalDist().inv_cdf(1 - cf)
    f = (e + 0.5) / n
    return (
        n
        * (f + z * z / (2 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n)))
        / (1 + z * z / n)
        - e
    )


def error_based(
    root: Node,
    X: np.ndarray,
    y: Sequence[int],
    weights: Sequence[float],
    confidence: float,
    subtree_raising: bool,
) -> Node:
    """C4.5's pruning with J48's margins, written down by recursion."""

    def charge(counts: Sequence[float], errors: float) -> float:
        n = sum(counts)
        return 0.0 if n < 1e-6 else errors + added_errors(n, errors, confidence)

    def sums(rows: Sequence[int]) -> list[float]:
        return [sum(weights[r] for r in rows if y[r] == c) for c in range(len(root.counts))]

    def collapse(node: Node) -> Node:
        if (
            not node.children
            or sum(leaf.errors() for leaf in node.leaves()) >= node.errors() - 1e-3
        ):
            return node.cut()
        new = node.copy()
        new.children = [collapse(c) for c in node.children]
        return new

    def estimate(node: Node) -> float:
        return sum(charge(leaf.counts, leaf.errors()) for leaf in node.leaves())

    def estimate_with(node: Node, rows: Sequence[int]) -> float:
        poured = node.copy()
        pour(poured, X, rows)
        total = 0.0
        for leaf in poured.leaves():
            counts = sums(leaf.rows)
            total += charge(counts, sum(counts) - max(counts))
        return total

    def prune(node: Node) -> Node:
        if not node.children:
            return node.cut()
        new = node.copy()
        new.children = [prune(c) for c in node.children]
        heaviest = max(reversed(new.children), key=lambda c: c.weight)  # the last of equals
        branch = estimate_with(heaviest, node.rows) if subtree_raising else math.inf
        leaf, tree = charge(node.counts, node.errors()), estimate(new)
        if leaf <= tree + 0.1 + 1e-6 and leaf <= branch + 0.1 + 1e-6:
            return node.cut()
        if branch <= tree + 0.1 + 1e-6:
            raised = heaviest.copy()
            pour(raised, X, node.rows)
            recount(raised, y, weights, node.label)
            return prune(raised)
        return new

    return prune(collapse(root))


def gini(counts: Sequence[float]) -> float:
    """Gini impurity, 0 without rows."""
    n = sum(counts)
    return 1 - sum((c / n) ** 2 for c in counts) if n else 0.0


def cost_complexity(
    root: Node, ccp_alpha: float = math.inf
) -> tuple[Node, list[float], list[float]]:
    """Weakest link after weakest link while it costs at most `ccp_alpha`: tree, alphas,
    impurities."""
    tree, total = root.copy(), root.weight

    def cost(node: Node) -> float:
        return node.weight / total * gini(node.counts)

    def inner(node: Node) -> list[Node]:
        return [node, *(i for c in node.children for i in inner(c))] if node.children else []

    def worth(node: Node) -> float:
        leaves = [leaf for leaf in node.leaves() if leaf.weight > 0]
        return (cost(node) - sum(map(cost, leaves))) / max(len(leaves) - 1, 1)

    alphas, impurities = [0.0], [sum(map(cost, tree.leaves()))]
    while tree.children:
        weakest = min(inner(tree), key=worth)
        if worth(weakest) > ccp_alpha:
            break
        alphas.append(worth(weakest))
        weakest.children, weakest.feature, weakest.threshold, weakest.missing_branch = (
            [],
            -2,
            math.nan,
            -1,
        )
        impurities.append(sum(map(cost, tree.leaves())))
    return tree, alphas, impurities


@dataclass
class NumberNode:
    """A node of a tree of a numeric target, with the numbers and weights of its training rows."""

    value: float
    numbers: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    children: list[NumberNode] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return sum(self.weights)


def number_tree_of(
    arrays: Any, passed: Any, y: Sequence[float], weights: Sequence[float], node: int = 0
) -> NumberNode:
    """Nested nodes from the arrays of a fitted regressor and the rows that pass each node, shape
    (rows, nodes)."""
    rows = [r for r in range(len(y)) if passed[r, node]]
    children = [
        number_tree_of(arrays, passed, y, weights, int(c))
        for c in (arrays.children_of(node) if arrays.n_children[node] else [])
    ]
    return NumberNode(
        float(arrays.value[node]), [y[r] for r in rows], [weights[r] for r in rows], children
    )


def m5(node: NumberNode) -> tuple[NumberNode, float]:
    """M5: Quinlan (1992), in the form of Wang & Witten (1997); also the estimated error."""
    n = node.weight
    mean = (
        sum(w * abs(y - node.value) for y, w in zip(node.numbers, node.weights, strict=True)) / n
        if n
        else 0.0
    )
    as_leaf = mean * (n + 1) / (n - 1) if n > 1 else mean
    if not node.children:
        return node, as_leaf
    kept = [m5(child) for child in node.children]
    as_tree = sum(child.weight * error for child, error in kept) / n
    if n > 1 and as_leaf <= as_tree + 1e-12 * n:
        return NumberNode(node.value, node.numbers, node.weights), as_leaf
    children = [child for child, _ in kept]
    return NumberNode(node.value, node.numbers, node.weights, children), as_tree


def number_shape_of(node: NumberNode) -> Any:
    """Nested tuples of the values and weights of nodes."""
    inside = tuple(number_shape_of(child) for child in node.children)
    return (round(node.value, 9), round(node.weight, 9), inside)
