"""A fitted tree as read-only arrays, and its splits in the order of growth.

What
    `TreeArrays` is the attribute ``tree_`` of a tree. Its arrays have scikit-learn's names where
    the meaning is the same; children are listed in branch order, because a node may have many.
    `Trace`, the attribute ``trace_``, lists the splits in the order in which they were made.
Complexity
    O(nodes).
When not to use it
    To read a tree with names and units: `to_text` and `to_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._checks.words import counted
from ..exports.tables.listing import Listed
from ..exports.tables.text import columns_text
from .schema import Schema

SHOWN_NODES = 10
"""Largest number of nodes that `repr` lists."""


def _shortened(values: list[Any]) -> str:
    """The first four values of a list, as text."""
    shown = ", ".join(f"{v:g}" for v in values[:4])
    return f"[{shown}{', ...' if len(values) > 4 else ''}]"


def impurities(counts: np.ndarray, criterion: str) -> np.ndarray:
    """Gini index, or entropy in bits, of class counts of shape (n_nodes, n_classes); the result has
    the shape (n_nodes,), with 0 for a node without rows.

    Examples:
        >>> impurities(np.array([[2.0, 2.0], [3.0, 0.0]]), "gini").tolist()
        [0.5, 0.0]
        >>> impurities(np.array([[2.0, 2.0], [3.0, 0.0]]), "entropy").tolist()
        [1.0, 0.0]
    """
    total = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    if criterion == "entropy":
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        return np.asarray(0.0 - (shares * logs).sum(axis=1))
    return np.asarray(np.where(total[:, 0] > 0, 1.0 - (shares**2).sum(axis=1), 0.0))


class TreeArrays:
    """Nodes of a tree in pre-order, as read-only arrays of length `node_count`.

    Attributes:
        node_count, max_depth, n_leaves: sizes.
        parent: parent of each node, -1 for the root.
        feature: feature that the node tests, -2 in a leaf.
        threshold: of numbers, as text shows it; NaN in other nodes.
        reach: ``x <= reach`` goes to the first child, all other numbers to the second. Equal to the
            threshold, save with ``thresholds="training_value"``, where numbers that exceed it by
            less than 1e-6 count as equal (J48).
        n_levels, first_level, levels: in a subset node i (n_levels[i] > 0) the declared levels with
            the codes ``levels[first_level[i]:][:n_levels[i]]`` (ascending) go to the first child,
            all other declared ones to the second; a third child takes missing values where the node
            had any. See `levels_of`.
        n_groups, first_group, groups: where levels or bins were merged (`merge_levels`) the
            level or bin with the code c goes to child ``groups[first_group[i]:][c]``; n_groups[i]
            is their number, 0 in other nodes. See `groups_of`.
        n_children, first_child, children: children of node i are
            ``children[first_child[i]:][:n_children[i]]``.
        children_left, children_right: first and second child, -1 in a leaf.
        missing_branch: branch that rows with a missing value take, -1 in a leaf; -2: every branch
            takes a part of them, by its share of the training weight (``missing="fractional"``).
        value: class counts (rows or weight), shape (node_count, n_classes); of a regression tree
            the number that the node predicts, shape (node_count,).
        impurity: of classes as scikit-learn has it: the entropy in bits with ``"info_gain"``
            (``"entropy"``), and with ``"gini"`` and every other criterion the Gini impurity. In a
            regression tree it is the criterion's own impurity, or the variance if the criterion has
            none.
        variance: of a regression tree, around the mean of the node's rows.
        n_node_samples, weighted_n_node_samples: training rows, each counted as the limits
            ``min_samples_*`` count it (a whole weight is that many copies), and their weight. With
            `honest` they are the rows kept for the leaves, and so are the rows of `value` and
            `variance`.
        label: predicted class code, -1 where nothing is predicted.
        score, distance, step: of the split; step is the order of growth, -1 in a leaf.
        statistic, p_value: with ``selection="significance"`` the test of the feature that is split,
            or of the most significant one of a leaf; the p-value is adjusted (`adjust`). NaN where
            no test was made: in pure nodes, in nodes that a limit makes leaves, and with
            ``selection="score"``.
        depth, branch: level of the node, and which branch of its parent it is.
    """

    def __init__(self, arrays: dict[str, np.ndarray], criterion: str = "") -> None:
        self._counts = counts = arrays["counts"]
        self._criterion = criterion
        arrays = {
            **arrays,
            "value": arrays.get("outcome", counts),
            "weighted_n_node_samples": counts.sum(axis=1),
        }
        for name, array in arrays.items():
            array.setflags(write=False)
            if name not in ("counts", "outcome"):
                setattr(self, name, array)
        self.node_count = len(self.parent)
        self.max_depth = int(self.depth.max())
        self.n_leaves = int((self.n_children == 0).sum())

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> np.ndarray: ...

    @cached_property
    def impurity(self) -> np.ndarray:
        """Impurity of the training rows of each node, shape (node_count,).

        As in scikit-learn, the impurity is the one of the criterion where this is ``"gini"``,
        ``"info_gain"`` (entropy in bits), ``"squared_error"`` (the variance) or another criterion
        of numbers with an impurity of its own. For every other criterion it is the Gini impurity of
        the class weights, and of numbers the variance.

        Examples:
            >>> import fasttree
            >>> fasttree.fit("weather", criterion="gini").tree_.impurity.round(3).tolist()
            [0.459, 0.48, 0.0, 0.0, 0.0, 0.48, 0.0, 0.0]
            >>> float(fasttree.fit("weather", criterion="entropy").tree_.impurity[0].round(3))
            0.94
        """
        # The core has computed the impurities of a regression tree; __init__ has set them.
        name = "entropy" if self._criterion == "info_gain" else "gini"
        impurity = impurities(self._counts, name)
        impurity.setflags(write=False)
        return impurity

    def __repr__(self) -> str:
        """Sizes, and the first nodes as a table."""
        leaves = f"{self.n_leaves} {'leaf' if self.n_leaves == 1 else 'leaves'}"
        head = f"TreeArrays: {counted(self.node_count, 'node')}, {leaves}, depth {self.max_depth}"
        names = ("node", "feature", "threshold", "children", "missing", "samples", "value")
        body = [self._cells(node) for node in range(min(self.node_count, SHOWN_NODES))]
        names_line, _, *lines = columns_text(names, body, [True] * len(names))
        more = self.node_count - SHOWN_NODES
        return "\n".join([head, names_line, *lines, *([f"... {more} more"] if more > 0 else [])])

    def _cells(self, node: int) -> tuple[str, ...]:
        """A node as a row of the table."""
        inner, threshold = bool(self.n_children[node]), self.threshold[node]
        test = "-" if np.isnan(threshold) else f"{threshold:.6g}"
        missing, listed = int(self.missing_branch[node]), self.n_levels[node] + self.n_groups[node]
        return (
            str(node),
            str(self.feature[node]) if inner else "leaf",
            counted(listed, "level") if listed else test,
            _shortened(self.children_of(node).tolist()) if inner else "-",
            {-2: "all", -1: "-"}.get(missing, str(missing)),
            str(self.n_node_samples[node]),
            _shortened([float(f"{v:.6g}") for v in np.atleast_1d(self.value[node]).tolist()]),
        )

    def children_of(self, node: int) -> np.ndarray:
        """Node numbers of the children of a node, in branch order; empty for a leaf. The result is
        a view into `children`, shape (n_children[node],)."""
        first = self.first_child[node]
        return self.children[first : first + self.n_children[node]]

    def levels_of(self, node: int) -> np.ndarray:
        """Codes of the levels that a subset node sends to its first child, ascending.

        The result is a view into `levels`; it is empty for nodes of any other kind, and a subset
        node has at least one code. All other declared levels go to the second child.
        """
        first = self.first_level[node]
        return self.levels[first : first + self.n_levels[node]]

    def groups_of(self, node: int) -> np.ndarray:
        """Branch of each level or bin, by code, at a node whose levels were merged
        (`merge_levels`).

        The result is a view into `groups`; entry c is the branch, counted from 0, of the level or
        bin with the code c. It is empty for all other nodes.
        """
        first = self.first_group[node]
        return self.groups[first : first + self.n_groups[node]]

    def subtree_ends(self) -> np.ndarray:
        """One past the last node below each node: in pre-order a subtree is a range."""
        ends = np.arange(1, self.node_count + 1)
        for node in np.flatnonzero(self.n_children > 0)[::-1].tolist():
            ends[node] = ends[self.children_of(node)[-1]]
        return ends

    def _child(self, which: int) -> np.ndarray:
        """Child number `which` of each node, -1 where it has fewer children."""
        out = np.full(self.node_count, -1)
        inner = self.n_children > which
        out[inner] = self.children[self.first_child[inner] + which]
        return out

    @property
    def children_left(self) -> np.ndarray:
        """First child of each node, -1 in a leaf, shape (node_count,). The name is scikit-learn's;
        for a threshold the first child takes the numbers up to it."""
        return self._child(0)

    @property
    def children_right(self) -> np.ndarray:
        """Second child of each node, -1 in a leaf, shape (node_count,). The name is scikit-learn's;
        a node may have further children, which only `children_of` lists."""
        return self._child(1)


@dataclass(frozen=True)
class Step:
    """One split of the growth: the leaf that was split, its test and score, and the size of the
    tree afterwards.

    Attributes:
        step, node: number of the split (0 first), node that was split.
        feature, threshold: the test; threshold is None for a nominal feature.
        score, distance: of the split on the table of its own leaf.
        global_distance: distance of the whole tree to the classes after the split, by the table of
            predicted label x class; None when the criterion is a function that was not saved with
            the model.
        nodes, leaves: size of the tree after the split.
        candidates: with ``trace="candidates"``, (feature, test, score) of every split that the leaf
            could have had. The test is a threshold, the levels of the first branch of a subset
            split, or None for a multiway split; subset splits are the best one of each feature.
        levels: levels on the first branch of a subset split, else None.
        branches: the values that each branch of a split by bins or merged levels takes, as text;
            else None.
    """

    step: int
    node: int
    feature: str
    threshold: float | None
    score: float
    distance: float
    nodes: int
    leaves: int
    global_distance: float | None = None
    candidates: tuple[tuple[str, Any, float], ...] | None = None
    levels: tuple[Any, ...] | None = None
    branches: tuple[str, ...] | None = None


class Trace(Listed[Step]):
    """The splits of a tree in the order in which they were made, a sequence of `Step`.

    Its length is the number of splits, so a tree of one leaf has an empty trace. It prints as a
    table, and in a notebook displays as one; candidates are kept in the steps but not shown.
    """

    of = Step
    hidden = ("candidates",)
    shown: ClassVar[Any] = {
        "threshold": lambda row: None if row["threshold"] is None else f"{row['threshold']:.10g}",
        "branches": lambda row: row["branches"] and "; ".join(row["branches"]),
    }

    def __init__(
        self,
        tree: TreeArrays,
        schema: Schema,
        order: np.ndarray,
        candidates: dict[int, Any],
        *,
        distances: np.ndarray | None,
        branches: Mapping[int, tuple[str, ...]],
    ) -> None:
        steps = []
        nodes = leaves = 1
        for step, node in enumerate(order.tolist()):
            nodes += int(tree.n_children[node])
            leaves += int(tree.n_children[node]) - 1
            threshold = float(tree.threshold[node])
            feature = tree.feature[node]
            steps.append(
                Step(
                    step=step,
                    node=node,
                    feature=schema.names[feature],
                    threshold=None if np.isnan(threshold) else threshold,
                    score=float(tree.score[node]),
                    distance=float(tree.distance[node]),
                    nodes=nodes,
                    leaves=leaves,
                    global_distance=None if distances is None else float(distances[step]),
                    candidates=tuple(candidates[node]) if node in candidates else None,
                    levels=tuple(schema.levels[feature][code] for code in tree.levels_of(node))
                    or None,
                    branches=branches.get(node),
                )
            )
        super().__init__(steps)
        self._scale = 1.0 if schema.classes else 0.0

    def _rows(self) -> list[dict[str, Any]]:
        # Numbers that are rounding errors beside the largest one are shown as 0.
        rows, names = super()._rows(), ("score", "distance", "global_distance")
        sizes = [abs(row[name] or 0.0) for row in rows for name in names]
        least = 1e-12 * max([self._scale, *filter(np.isfinite, sizes)])
        for row in rows:
            row |= {n: 0.0 for n in names if row[n] is not None and abs(row[n]) < least}
        return rows

    def _title(self) -> str:
        return f"{counted(len(self), 'split')}, in the order in which they were made"
