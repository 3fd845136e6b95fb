"""`TreeData`: one tree as plain lists, in the order and with the words that the page shows.

What
    Nodes are kept in pre-order. Beyond `ExplorerLimits.max_nodes` those with the most rows are
    kept, and a node whose branches are left out tells how many nodes lie below. The branch that
    leads to a node is a `Part`, so that the page sends a row to its leaf as `predict` does:
    thresholds are written with all digits.
Complexity
    O(nodes log nodes) where nodes are left out, O(nodes) else; no recursion.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..._checks import integer
from ..reading import Feature, Part, Reading
from ..words import one_line, sides

__all__ = ["ExplorerLimits", "TreeData", "name_of", "rounded"]

LONGEST = 160
"""Characters of a name or a branch's words that are kept."""

CLASSES = 12
"""Classes of a node whose counts are kept; the others are one sum."""


@dataclass(frozen=True)
class ExplorerLimits:
    """What a page keeps, so that its size is bounded; the page says what it left out.

    Attributes:
        max_nodes: nodes of all trees together, those with the most rows first; at least 1.
        max_rows: stored rows that can be followed, evenly spaced; 0 keeps none.
        max_candidates: candidates of a node, the best by every criterion first; at least 1.
        candidate_nodes: nodes whose candidates are listed, those with the most rows first; 0: none.
        candidate_rows: rows from which candidates are scored, evenly spaced; at least 2.
        max_histograms: nodes with a histogram, those with the most rows first.
        max_trees: trees of a forest; at least 1.
        bins: bars of a histogram; at least 2.
    """

    max_nodes: int = 10_000
    max_rows: int = 200
    max_candidates: int = 120
    candidate_nodes: int = 40
    candidate_rows: int = 5_000
    max_histograms: int = 3_000
    max_trees: int = 20
    bins: int = 16

    def __post_init__(self) -> None:
        least = {"max_rows": 0, "candidate_nodes": 0, "max_histograms": 0, "bins": 2}
        least["candidate_rows"] = 2
        for one in fields(self):
            integer(one.name, getattr(self, one.name), least.get(one.name, 1))


def rounded(value: float, digits: int = 6) -> float | int | None:
    """A number with so many significant digits, whole numbers as such; None if not finite.

    Examples:
        >>> rounded(2.0), rounded(1 / 3), rounded(math.nan)
        (2, 0.333333, None)
    """
    value = float(value)
    if not math.isfinite(value):
        return None
    if value.is_integer() and abs(value) < 1e15:
        return int(value)
    return float(f"{value:.{digits}g}")


def name_of(text: object) -> str:
    """A name in one line, cut where it is very long."""
    plain = one_line(text)
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "\u2026"


def _end(value: float) -> float | None:
    return None if math.isinf(value) else value


def _share(part: Part) -> float:
    return float(part.missing)


class TreeData:
    """A fitted tree, ready for the page.

    Args:
        model: a fitted tree.
        name: what the page calls it.
        most: largest number of nodes kept.

    Attributes:
        kept: numbers of the nodes that are kept, ascending, shape (n_kept,).
        reading: the tree as exporters read it.
    """

    def __init__(self, model: Any, name: str, most: int) -> None:
        self.name, self.model = name, model
        self.reading = Reading(model)
        self.kept = self._kept(most)
        self.histograms: dict[int, dict[str, Any]] = {}
        self.candidates: dict[int, dict[str, Any]] = {}

    def _kept(self, most: int) -> np.ndarray:
        tree = self.reading.tree
        if tree.node_count <= most:
            return np.arange(tree.node_count)
        weight = tree.weighted_n_node_samples
        kept, heap = [0], [(-float(weight[0]), 0)]
        while heap:
            _, node = heapq.heappop(heap)
            children = self.reading.children[node]
            if len(kept) + len(children) > most:
                continue
            kept.extend(children)
            for child in children:
                heapq.heappush(heap, (-float(weight[child]), child))
        return np.array(sorted(kept))

    def inner(self) -> np.ndarray:
        """Kept nodes with branches, those with the most rows first."""
        tree = self.reading.tree
        nodes = self.kept[tree.n_children[self.kept] > 0]
        return nodes[np.argsort(-tree.weighted_n_node_samples[nodes], kind="stable")]

    def features(self) -> set[int]:
        """Features that kept nodes ask for."""
        asked = self.reading.tree.feature[self.kept]
        return {int(f) for f in asked[asked >= 0]}

    def document(self, place: dict[int, int]) -> dict[str, Any]:
        """The tree as plain values; `place` maps a feature to its place in the page's list."""
        reading, tree = self.reading, self.reading.tree
        at = {int(node): i for i, node in enumerate(self.kept)}
        words: list[str] = [""] * len(at)
        parts: list[Any] = [None] * len(at)
        for node in self.kept.tolist():
            children = reading.children[node]
            if not children:
                continue
            asked = reading.features[reading.feature[node]]
            for child, part in zip(children, reading.parts(node), strict=True):
                if child in at:
                    words[at[child]] = _words(asked, part)
                    parts[at[child]] = _part(part)
        kept = self.kept
        inner = tree.n_children[kept] > 0
        below = tree.subtree_ends()[kept] - kept - 1
        open_ = np.isin(kept, tree.parent[kept[1:]]) if len(kept) > 1 else np.zeros(1, dtype=bool)
        leaves = np.flatnonzero(~inner)
        chances = reading.probabilities(kept[leaves].tolist()) if len(leaves) else np.zeros((0, 1))
        return {
            "name": name_of(self.name),
            "nodes": tree.node_count,
            "leaves": tree.n_leaves,
            "depth": tree.max_depth,
            "id": None if len(kept) == tree.node_count else kept.tolist(),
            "parent": [at.get(p, -1) for p in tree.parent[kept].tolist()],
            "feature": [
                place[f] if i else -1
                for f, i in zip(tree.feature[kept].tolist(), inner.tolist(), strict=True)
            ],
            "words": words,
            "part": parts,
            "label": tree.label[kept].tolist(),
            "weight": [rounded(w) for w in tree.weighted_n_node_samples[kept].tolist()],
            "counts": [_counts(row) for row in tree.value[kept]],
            "score": [
                rounded(s, 4) if i else None
                for s, i in zip(tree.score[kept].tolist(), inner.tolist(), strict=True)
            ],
            "hidden": {str(i): int(below[i]) for i in np.flatnonzero(inner & ~open_).tolist()},
            "chance": _chances(leaves.tolist(), chances, tree, kept),
            "histograms": {str(at[n]): h for n, h in self.histograms.items()},
            "candidates": {str(at[n]): c for n, c in self.candidates.items()},
        }


def _words(feature: Feature, part: Part) -> str:
    """A branch without its feature: ``≤ 2.45``, ``= rainy``."""
    said = sides(feature, part, 4)
    for plain, sign in (("<= ", "\u2264 "), ("!= ", "\u2260 ")):
        if said.startswith(plain):
            said = sign + said[len(plain) :]
    return name_of(said)


def _part(part: Part) -> list[Any]:
    """[lower, upper, missing] of numbers, [codes, missing] of levels; open ends are None."""
    if part.codes is not None:
        return [sorted(part.codes), _share(part)]
    if part.lower > part.upper:
        return [[], _share(part)]
    return [_end(part.lower), _end(part.upper), _share(part)]


def _counts(row: np.ndarray) -> list[Any]:
    """Class code, weight, class code, weight, ... largest first; the rest is code -1."""
    order = [c for c in np.argsort(-row, kind="stable").tolist() if row[c] > 0]
    shown, rest = order[:CLASSES], order[CLASSES:]
    flat: list[Any] = []
    for code in shown:
        flat += [code, rounded(row[code])]
    return [*flat, -1, rounded(float(row[rest].sum()))] if rest else flat


def _chances(
    leaves: Sequence[int], chances: np.ndarray, tree: Any, kept: np.ndarray
) -> dict[str, list[Any]]:
    """Probabilities of the leaves where they are not the class shares (smoothed or empty ones)."""
    found = {}
    for place, row in zip(leaves, chances, strict=True):
        counts = tree.value[kept[place]]
        whole = counts.sum()
        if whole > 0 and np.allclose(counts / whole, row, rtol=1e-9, atol=1e-12):
            continue
        best = [c for c in np.argsort(-row, kind="stable").tolist() if row[c] > 0][:CLASSES]
        found[str(place)] = [v for c in best for v in (c, rounded(row[c], 6))]
    return found
