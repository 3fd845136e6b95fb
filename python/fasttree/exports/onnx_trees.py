"""The trees of an ONNX graph: nodes of the TreeEnsemble operators, all of the form ``x <= t``.

What
    Every test becomes comparisons of one column with thresholds (`comparisons`). A column holds a
    number, the code of a level, or, if the levels of a branch are not consecutive, the branch that
    a level takes (`Columns`). NaN is missing and follows ``nodes_missing_value_tracks_true`` to the
    branch that takes it. 32-bit thresholds are rounded down, so that every 32-bit number goes to
    the side to which the tree sends it. 64-bit thresholds become ranks (`Ensemble.ranked`), as not
    every runtime reads 64-bit trees.
Complexity
    O(nodes + children) nodes; no recursion.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np

from .comparisons import ColumnTest, comparisons
from .reading import Reading


def floor32(x: float) -> float:
    """The largest 32-bit number that is not above `x`.

    Examples:
        >>> floor32(0.1) <= 0.1 < float(np.nextafter(np.float32(floor32(0.1)), np.float32(1)))
        True
    """
    with np.errstate(over="ignore"):
        near = np.float32(x)
    if float(near) > x:
        near = np.nextafter(near, np.float32(-np.inf))
    return float(near)


class Columns(dict[tuple[int, tuple[int, ...] | None], int]):
    """The columns that the trees of a model read, in order of first use, with their indices.

    A key is (feature, None) for the values or codes of a feature, or (feature, route) for the
    branch ``route[code]`` that each of its levels takes.
    """

    def index_of(self, feature: int, route: tuple[int, ...] | None) -> int:
        """Index of a column; a new one is added.

        Args:
            feature: number of the feature.
            route: branch of each level, if the column has these in place of codes; None: it has
                codes or numbers.
        """
        return self.setdefault((feature, route), len(self))


def column_test(reading: Reading, node: int, columns: Columns) -> ColumnTest:
    """The test of an inner node as comparisons with a column of numbers.

    Args:
        reading: the tree.
        node: number of the node.
        columns: the columns of the graph; the one that is tested is added.
    """
    feature, subsets = reading.feature[node], reading.branch_sets(node)
    shares = [subset.missing for subset in subsets]
    missing = shares.index(1) if 1 in shares else None
    if reading.features[feature].levels is None:
        order = [i for i, subset in enumerate(subsets) if not subset.lower > subset.upper]
        cuts = [subsets[i].upper for i in order[:-1]]
        return ColumnTest(columns.index_of(feature, None), cuts, order, missing, shares)
    route = tuple(reading.branch_of_levels(node))
    order = sorted(set(route))
    if all(a <= b for a, b in pairwise(route)):  # each branch takes consecutive codes
        cuts = [route.index(b) - 0.5 for b in order[1:]]
        return ColumnTest(columns.index_of(feature, None), cuts, order, missing, shares)
    cuts = [b - 0.5 for b in order[1:]]
    return ColumnTest(columns.index_of(feature, route), cuts, order, missing, shares)


class Ensemble:
    """Attributes of a TreeEnsemble operator, filled tree by tree.

    Args:
        columns: the columns that the trees read; extended as trees are added.
        single: thresholds have 32 bits.

    Attributes:
        nodes: the attributes, one list each with one entry per node.
        ends: (tree, node id, number of the leaf) of every leaf.
    """

    def __init__(self, columns: Columns, single: bool) -> None:
        self.columns, self.single = columns, single
        self.top = float(np.finfo(np.float32 if single else np.float64).max)
        self.nodes: defaultdict[str, list[Any]] = defaultdict(list)
        self.ends: list[tuple[int, int, int]] = []

    def add(self, reading: Reading, tree: int = 0) -> None:
        """Append a tree, for rows that are not divided.

        Args:
            reading: the tree.
            tree: its number in the ensemble.
        """
        first = len(self.nodes["nodes_modes"])
        tests = comparisons(reading, lambda node: column_test(reading, node, self.columns))
        for number, test in enumerate(tests):
            is_leaf, cut = test.column is None, min(test.cut, self.top)
            attributes = {
                "treeids": tree,
                "nodeids": number,
                "featureids": test.column or 0,
                "modes": "LEAF" if is_leaf else "BRANCH_LEQ",
                "values": floor32(cut) if self.single else cut,
                "truenodeids": 0,
                "falsenodeids": 0,
                "missing_value_tracks_true": int(test.missing_left),
            }
            for name, value in attributes.items():
                self.nodes[f"nodes_{name}"].append(value)
            if is_leaf:
                self.ends.append((tree, number, reading.leaf_numbers[test.node]))
            if test.parent >= 0:
                side = "nodes_falsenodeids" if test.is_right else "nodes_truenodeids"
                self.nodes[side][first + test.parent] = number

    def ranked(self) -> tuple[np.ndarray, np.ndarray]:
        """Replace every threshold by its rank among the thresholds of its column.

        ``x <= t[k]`` becomes ``rank(x) <= k + 1/2``, where ``rank(x)`` is the number of thresholds
        of the column below x: a small integer, exact in 32 bits.

        Returns:
            Columns and thresholds of all ranks, ascending.
        """
        branch = np.array([mode != "LEAF" for mode in self.nodes["nodes_modes"]])
        pairs = np.array(
            [self.nodes["nodes_featureids"], self.nodes["nodes_values"]], dtype=np.float64
        ).T[branch]
        distinct, place = np.unique(pairs, axis=0, return_inverse=True)
        columns, thresholds = distinct[:, 0].astype(np.int64), distinct[:, 1]
        rank = np.arange(len(columns)) - np.searchsorted(columns, columns)
        values = np.zeros(len(branch))
        values[branch] = rank[place.ravel()] + 0.5
        self.nodes["nodes_values"] = values.tolist()
        return columns, thresholds


def intervals(test: ColumnTest) -> list[tuple[float, float]]:
    """Ends (low, high] of the values that each branch takes, by branch; (inf, -inf) for a branch
    that takes no value. The outer ends are infinite."""
    edges = [-math.inf, *test.cuts, math.inf]
    bounds = {b: (edges[i], edges[i + 1]) for i, b in enumerate(test.order)}
    return [bounds.get(b, (math.inf, -math.inf)) for b in range(len(test.shares))]
