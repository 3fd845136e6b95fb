"""Slow truth about growth in parts: rows as (row, weight), everything counted anew at each node,
formulas as they are printed.

A fitted tree is checked rather than grown a second time (two candidates may differ by rounding
only): ``check(arrays, X, y, w, ...)`` sends the rows down by itself, C4.5's way, compares the
counts of every node, and the chosen split of every node with all candidates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Part = tuple[int, float]


def entropy(counts: Sequence[float]) -> float:
    n = sum(counts)
    return -sum(c / n * math.log2(c / n) for c in counts if c > 0) if n > 0 else 0.0


def gini(counts: Sequence[float]) -> float:
    n = sum(counts)
    return 1.0 - sum((c / n) ** 2 for c in counts) if n > 0 else 0.0


def score(name: str, table: list[list[float]]) -> float:
    """Of a table branch x class of known rows."""
    sizes = [sum(branch) for branch in table]
    n = sum(sizes)
    impurity = gini if name == "gini" else entropy
    before = impurity([sum(column) for column in zip(*table, strict=True)])
    gain = before - sum(
        size / n * impurity(branch) for size, branch in zip(sizes, table, strict=True)
    )
    return gain / entropy(sizes) if name == "gain_ratio" else gain


class Rows:
    """Codes (numbers, or codes of nominal features; NaN is missing), classes, weights; levels 0 for
    a numeric feature."""

    def __init__(
        self, X: np.ndarray, y: Sequence[int], w: Sequence[float], levels: Sequence[int]
    ) -> None:
        self.X, self.y, self.w, self.levels = X, list(y), list(w), list(levels)
        self.k = max(self.y) + 1

    def table(self, parts: list[Part], branch: dict[int, int], branches: int) -> list[list[float]]:
        table = [[0.0] * self.k for _ in range(branches)]
        for row, weight in parts:
            if row in branch:
                table[branch[row]][self.y[row]] += weight
        return table

    def branch(
        self, feature: int, threshold: float, parts: list[Part]
    ) -> tuple[dict[int, int], int]:
        """Branch of every row with a value, and how many branches there are."""
        known = [row for row, _ in parts if not math.isnan(self.X[row, feature])]
        if self.levels[feature]:
            return {row: int(self.X[row, feature]) for row in known}, self.levels[feature]
        return {row: int(self.X[row, feature] > threshold) for row in known}, 2

    def candidates(
        self, parts: list[Part], name: str, least: float
    ) -> list[tuple[int, float, float]]:
        """(feature, threshold or NaN, score) of every valid split, scaled by the known share."""
        found = []
        whole = sum(weight for _, weight in parts)
        for feature, levels in enumerate(self.levels):
            values = sorted(
                {self.X[row, feature] for row, _ in parts if not math.isnan(self.X[row, feature])}
            )
            cuts = (
                [math.nan]
                if levels
                else [a / 2 + b / 2 for a, b in zip(values, values[1:], strict=False)]
            )
            for cut in cuts:
                branch, branches = self.branch(feature, cut, parts)
                table = self.table(parts, branch, branches)
                sizes = [sum(b) for b in table]
                filled = [s for s in sizes if s > 0]
                if len(filled) >= 2 and min(filled) >= least - 1e-9:
                    found.append((feature, cut, score(name, table) * sum(sizes) / whole))
        return found

    def divide(self, parts: list[Part], feature: int, threshold: float) -> list[list[Part]]:
        """Parts of the branches; a row without a value is in all that hold more than a millionth of
        the known weight."""
        branch, branches = self.branch(feature, threshold, parts)
        known = [sum(w for row, w in parts if branch.get(row) == b) for b in range(branches)]
        shares = [k / sum(known) for k in known]
        return [
            [
                (row, w if row in branch else w * shares[b])
                for row, w in parts
                if (branch[row] == b if row in branch else shares[b] > 1e-6)
            ]
            for b in range(branches)
        ]


def check(arrays: Any, rows: Rows, name: str, least: float = 1.0, split: float = 2.0) -> int:
    """Compare every node of a tree grown without other limits; returns the number of inner
    nodes."""
    inner = 0
    stack: list[tuple[int, list[Part]]] = [(0, [(r, w) for r, w in enumerate(rows.w) if w > 0])]
    while stack:
        node, parts = stack.pop()
        counts = [sum(w for r, w in parts if rows.y[r] == c) for c in range(rows.k)]
        np.testing.assert_allclose(arrays.value[node], counts, rtol=0, atol=1e-8)
        whole = all(w == int(w) for w in rows.w)
        assert arrays.n_node_samples[node] == sum(rows.w[r] if whole else 1 for r, _ in parts)
        weight = sum(counts)
        if parts:
            assert counts[arrays.label[node]] >= max(counts) - 1e-8
        candidates = rows.candidates(parts, name, least) if parts else []
        pure = sum(c > 1e-9 * weight for c in counts) < 2
        if arrays.n_children[node] == 0:
            assert pure or weight < max(split, 2 * least) - 1e-7 or not candidates
            continue
        inner += 1
        assert arrays.missing_branch[node] == -2
        best = max(s for _, _, s in candidates)
        feature, threshold = int(arrays.feature[node]), float(arrays.threshold[node])
        own = [
            (i, s)
            for i, (f, t, s) in enumerate(candidates)
            if f == feature
            and (math.isnan(t) or math.isclose(t, threshold, rel_tol=0, abs_tol=1e-12))
        ]
        assert len(own) == 1
        place, value = own[0]
        assert math.isclose(value, best, rel_tol=0, abs_tol=1e-9)
        assert math.isclose(arrays.score[node], value, rel_tol=0, abs_tol=1e-9)
        assert all(s < best + 1e-9 for _, _, s in candidates[:place])
        children = rows.divide(parts, feature, threshold)
        stack += list(zip(arrays.children_of(node).tolist(), children, strict=True))
    return inner


def probabilities(arrays: Any, rows: Rows, x: np.ndarray) -> np.ndarray:
    """Class shares of one row: the mixture of the leaves its parts end in; an empty leaf speaks as
    its parent."""
    total = np.zeros(rows.k)
    stack = [(0, 1.0)]
    while stack:
        node, part = stack.pop()
        children = arrays.children_of(node)
        if len(children) == 0:
            while arrays.value[node].sum() == 0:
                node = int(arrays.parent[node])
            total += part * arrays.value[node] / arrays.value[node].sum()
            continue
        value = x[int(arrays.feature[node])]
        if math.isnan(value) or (
            rows.levels[int(arrays.feature[node])] and int(value) >= len(children)
        ):
            weights = arrays.value[children].sum(axis=1)
            stack += [
                (int(c), part * w / weights.sum())
                for c, w in zip(children, weights, strict=True)
                if w > 0
            ]
        elif rows.levels[int(arrays.feature[node])]:
            stack.append((int(children[int(value)]), part))
        else:
            stack.append((int(children[int(value > arrays.threshold[node])]), part))
    return total
