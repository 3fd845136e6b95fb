"""The tree of an ONNX graph: nodes of the operator TreeEnsemble, all of them ``x <= t``.

What
    Every test becomes comparisons of one column with a threshold. A node of many branches becomes a
    balanced tree of them, so that two hundred values cost eight comparisons and no runtime sees a
    chain of equalities. A column holds a number, the code of a level, or the branch that a level
    takes where the levels of a branch are not neighbours (`Columns`). NaN is missing and follows
    ``nodes_missing_value_tracks_true`` to the branch that takes it. Thresholds of 32 bits are
    rounded down, so that every number of 32 bits falls on the side it falls on in the tree. Those
    of 64 bits become ranks (`Ensemble.ranked`), because not every runtime reads trees of 64 bits.
Complexity
    O(nodes + children) nodes; no recursion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from .reading import Reading

__all__ = ["Columns", "Ensemble", "floor32"]


def floor32(x: float) -> float:
    """The largest number of 32 bits that is not above `x`.

    Examples:
        >>> floor32(0.1) <= 0.1 < float(np.nextafter(np.float32(floor32(0.1)), np.float32(1)))
        True
    """
    with np.errstate(over="ignore"):
        near = np.float32(x)
    if float(near) > x:
        near = np.nextafter(near, np.float32(-np.inf))
    return float(near)


@dataclass
class Columns:
    """What the trees of a model read, in order of first use: (feature, None) for the column itself,
    or (feature, route), where ``route[code]`` is the branch of a level.
    """

    keys: list[tuple[int, tuple[int, ...] | None]] = field(default_factory=list)

    def place(self, feature: int, route: tuple[int, ...] | None) -> int:
        """Place of a column, which is added when it is new."""
        key = (feature, route)
        if key not in self._places:
            self._places[key] = len(self.keys)
            self.keys.append(key)
        return self._places[key]

    def __post_init__(self) -> None:
        self._places = {key: i for i, key in enumerate(self.keys)}


@dataclass
class Asked:
    """A test as a column and its cut points: branch ``order[i]`` takes the values up to
    ``cuts[i]``, the last one the rest."""

    column: int
    cuts: list[float]
    order: list[int]
    missing: int | None
    shares: list[float]


def asked(reading: Reading, node: int, columns: Columns) -> Asked:
    """The test of an inner node."""
    feature, parts = reading.feature[node], reading.parts(node)
    shares = [part.missing for part in parts]
    whole = [i for i, share in enumerate(shares) if share == 1]
    missing = whole[0] if whole else None
    levels = reading.features[feature].levels
    if levels is None:
        known = [i for i, p in enumerate(parts) if not p.lower > p.upper]
        return Asked(
            columns.place(feature, None),
            [parts[i].upper for i in known[:-1]],
            known,
            missing,
            shares,
        )
    branch = {code: i for i, part in enumerate(parts) for code in part.codes or ()}
    route = tuple(branch[code] for code in range(len(levels)))
    if all(a <= b for a, b in pairwise(route)):
        order = sorted(set(route))
        cuts = [route.index(b) - 0.5 for b in order[1:]]
        return Asked(columns.place(feature, None), cuts, order, missing, shares)
    order = sorted(set(route))
    return Asked(
        columns.place(feature, route), [b - 0.5 for b in order[1:]], order, missing, shares
    )


class Ensemble:
    """Attributes of a TreeEnsemble operator, filled tree by tree.

    Args:
        columns: what is read; filled as trees are added.
        single: thresholds of 32 bits.
    """

    def __init__(self, columns: Columns, single: bool) -> None:
        self.columns, self.single = columns, single
        self.top = float(np.finfo(np.float32 if single else np.float64).max)
        self.nodes: dict[str, list[Any]] = {
            name: []
            for name in (
                "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_modes", "nodes_values",
                "nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true",
            )
        }  # fmt: skip
        self.ends: list[tuple[int, int, int, int]] = []
        """(tree, node id, number of the leaf, node of the tree) of every end."""

    def _node(
        self,
        tree: int,
        number: int,
        mode: str,
        column: int = 0,
        *,
        value: float = 0.0,
        tracks: bool = False,
    ) -> int:
        columns = self.nodes
        columns["nodes_treeids"].append(tree)
        columns["nodes_nodeids"].append(number)
        columns["nodes_featureids"].append(column)
        columns["nodes_modes"].append(mode)
        columns["nodes_values"].append(floor32(value) if self.single else value)
        columns["nodes_truenodeids"].append(0)
        columns["nodes_falsenodeids"].append(0)
        columns["nodes_missing_value_tracks_true"].append(int(tracks))
        return len(columns["nodes_modes"]) - 1

    def add(self, reading: Reading, tree: int = 0) -> None:
        """Append a tree whose rows are nowhere divided."""
        leaf = {node: i for i, node in enumerate(reading.leaves)}
        number = 0
        # What is to be written: a node of the tree, or a range of the branches of one; and the
        # entry that points at it.
        work: list[tuple[int, Asked | None, int, int, int, str]] = [(0, None, 0, 0, -1, "")]
        while work:
            node, test, low, high, pointer, side = work.pop()
            if test is not None and high - low == 1:
                branch = test.order[low] if low < len(test.order) else test.missing
                assert branch is not None
                work.append((reading.children[node][branch], None, 0, 0, pointer, side))
                continue
            if pointer >= 0:
                self.nodes[side][pointer] = number
            if test is None and not reading.children[node]:
                self._node(tree, number, "LEAF")
                self.ends.append((tree, number, leaf[node], node))
                number += 1
                continue
            if test is None:
                test = asked(reading, node, self.columns)
                low, high = 0, len(test.order) + self._own(test)
                if high == 1:  # a test that tells nothing apart
                    work.append((node, test, 0, 1, pointer, side))
                    continue
            middle = low + (high - low) // 2
            cut = test.cuts[middle - 1] if middle - 1 < len(test.cuts) else self.top
            place = len(test.order) if self._own(test) else test.order.index(test.missing or 0)
            entry = self._node(
                tree, number, "BRANCH_LEQ", test.column, value=cut, tracks=place < middle
            )
            number += 1
            work.append((node, test, middle, high, entry, "nodes_falsenodeids"))
            work.append((node, test, low, middle, entry, "nodes_truenodeids"))

    @staticmethod
    def _own(test: Asked) -> bool:
        """True when missing values have a branch that no known value takes."""
        return test.missing is not None and test.missing not in test.order

    def ranked(self) -> tuple[np.ndarray, np.ndarray]:
        """Turn every threshold into its rank among those of its column; returns (columns,
        thresholds) of all ranks, ascending.

        ``x <= t[k]`` is ``rank(x) <= k + 1/2``, where rank counts the thresholds of the column
        below x: small integers, exact in 32 bits.
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


def bounds(test: Asked) -> list[tuple[float, float]]:
    """The interval ``(low, high]`` of the column's values of each branch, empty (inf, -inf) where
    only missing values go."""
    edges = [-math.inf, *test.cuts, math.inf]
    found = {b: (edges[i], edges[i + 1]) for i, b in enumerate(test.order)}
    return [found.get(b, (math.inf, -math.inf)) for b in range(len(test.shares))]
