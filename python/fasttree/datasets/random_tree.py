"""Random decision trees and samples labelled by them.

What
    `make_random_tree` grows a binary tree on [0, 1]^d by splitting a random leaf at a random
    threshold inside the leaf's own box, labels the leaves, and labels uniform rows with it. Spaeh &
    Kosub's experiment on tree size (their figure 5) draws such problems; the generating tree is
    returned, as arrays in pre-order.
Decisions
    The two leaves of one parent never share a label, as such a split would be superfluous. Splits
    keep `margin` of the box's width away from its edges, so that every leaf has a volume.
Complexity
    O(nodes) to grow, O(rows x depth) to label. No recursion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._checks import check_whole, generator_of, number_in
from .._checks.aliases import Seed
from ..table import Table


@dataclass(frozen=True, slots=True, eq=False)
class GeneratingTree:
    """A binary tree as arrays in pre-order.

    Attributes:
        feature: tested feature of each node, -1 at a leaf.
        threshold: rows with ``x[feature] <= threshold`` go left; NaN at a leaf.
        left, right: children of each node, -1 at a leaf.
        label: class of each leaf, -1 inside.

    Examples:
        >>> table, tree = make_random_tree(100, n_leaves=3, random_state=0)
        >>> bool((tree.predict(table.X) == table.y).all()), tree.n_nodes
        (True, 5)
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    label: np.ndarray

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature < 0))

    def apply(self, X: np.ndarray) -> np.ndarray:
        """The leaf (node number) of each row of X, shape (n, n_features)."""
        X = np.asarray(X, dtype=np.float64)
        node = np.zeros(len(X), dtype=np.int64)
        while True:
            rows = np.flatnonzero(self.feature[node] >= 0)
            if not rows.size:
                return node
            at = node[rows]
            left = X[rows, self.feature[at]] <= self.threshold[at]
            node[rows] = np.where(left, self.left[at], self.right[at])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class of each row of X."""
        return self.label[self.apply(X)]

    def to_text(self) -> str:
        """The tree, one node per line, indented by depth.

        Examples:
            >>> print(
            ...     make_random_tree(10, n_leaves=2, random_state=3)[1]
            ...     .to_text()
            ...     .splitlines()[1][:7]
            ... )
              class
        """
        lines: list[str] = []
        stack = [(0, 0)]
        while stack:
            node, depth = stack.pop()
            pad = "  " * depth
            if self.feature[node] < 0:
                lines.append(f"{pad}class {self.label[node]}")
                continue
            lines.append(f"{pad}x{self.feature[node] + 1} <= {self.threshold[node]:.6g}")
            stack += [(int(self.right[node]), depth + 1), (int(self.left[node]), depth + 1)]
        return "\n".join(lines)


def make_random_tree(
    n_rows: int = 500,
    n_features: int = 6,
    n_leaves: int = 8,
    n_classes: int = 4,
    *,
    margin: float = 0.1,
    random_state: Seed = None,
) -> tuple[Table, GeneratingTree]:
    """Uniform rows in [0, 1]^n_features labelled by a random tree.

    Args:
        n_rows: rows of the sample.
        n_features: features, named x1, x2, ...
        n_leaves: leaves of the tree (it has 2 n_leaves - 1 nodes).
        n_classes: declared classes 0 ... n_classes - 1 (at least 2).
        margin: share of a leaf's width kept free of thresholds at either side, in [0, 0.5).
        random_state: seed or Generator.

    Returns:
        The Table and the `GeneratingTree`, consistent with every row.

    Examples:
        >>> table, tree = make_random_tree(500, n_leaves=12, random_state=0)
        >>> table.shape, tree.n_nodes, table.classes
        ((500, 6), 23, (0, 1, 2, 3))
    """
    n_rows = check_whole("n_rows", n_rows, 1)
    n_features = check_whole("n_features", n_features, 1)
    n_leaves = check_whole("n_leaves", n_leaves, 1)
    n_classes = check_whole("n_classes", n_classes, 2)
    margin = number_in(0.0, 0.5, below=True)("margin", margin)
    rng = generator_of(random_state)
    tree = _in_pre_order(_grow(n_features, n_leaves, n_classes, margin, rng))
    X = rng.random((n_rows, n_features))
    table = Table(
        X,
        tree.predict(X),
        feature_names=[f"x{j + 1}" for j in range(n_features)],
        levels={"class": range(n_classes)},
        name="random-tree",
    )
    return table, tree


class _Node(NamedTuple):
    """A node while the tree grows, with the fields of `GeneratingTree`; a leaf unless it has a
    feature."""

    feature: int = -1
    threshold: float = math.nan
    left: int = -1
    right: int = -1
    label: int = -1


def _grow(
    n_features: int, n_leaves: int, n_classes: int, margin: float, rng: np.random.Generator
) -> list[_Node]:
    """The nodes in the order in which they were made."""
    nodes = [_Node(label=int(rng.integers(n_classes)))]
    boxes = {0: (np.zeros(n_features), np.ones(n_features))}  # lower and upper corner of each leaf
    for _ in range(n_leaves - 1):
        # Split a random leaf at a random place of its box.
        number = list(boxes)[rng.integers(len(boxes))]
        low, high = boxes.pop(number)
        j = int(rng.integers(n_features))
        threshold = float(low[j] + (high[j] - low[j]) * rng.uniform(margin, 1.0 - margin))
        # The labels of the two new leaves differ.
        left_label = int(rng.integers(n_classes))
        right_label = int((left_label + rng.integers(1, n_classes)) % n_classes)
        left, right = len(nodes), len(nodes) + 1
        nodes[number] = _Node(j, threshold, left, right)
        nodes += [_Node(label=left_label), _Node(label=right_label)]
        boxes[left], boxes[right] = (low.copy(), high.copy()), (low.copy(), high.copy())
        boxes[left][1][j] = boxes[right][0][j] = threshold
    return nodes


def _in_pre_order(nodes: list[_Node]) -> GeneratingTree:
    """The tree as arrays, its nodes numbered in pre-order."""
    order: list[int] = []
    stack = [0]
    while stack:
        number = stack.pop()
        order.append(number)
        if nodes[number].feature >= 0:
            stack += [nodes[number].right, nodes[number].left]
    # Children of leaves are -1, which reads the last of the new numbers.
    new_number = np.full(len(nodes) + 1, -1)
    new_number[order] = np.arange(len(nodes))
    feature, threshold, left, right, label = (np.array(c)[order] for c in zip(*nodes, strict=True))
    return GeneratingTree(feature, threshold, new_number[left], new_number[right], label)
