"""`TreeData`: one tree as plain lists for the page of the explorer.

What
    Nodes are kept in pre-order. If there are more than `ExplorerLimits.max_nodes`, those with the
    most rows are kept, and a node whose branches are left out states how many nodes are below it.
    The branch to a node is written with all digits of its ends, so that the page sends a row to the
    leaf to which `predict` sends it.
Complexity
    O(nodes), or O(nodes log nodes) if nodes are left out; no recursion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..._checks import check_integer
from ..._checks.plain_text import one_line
from ..._checks.words import p_value_text
from ..reading import Feature, Reading, ValueSet
from ..words import SIGNS, branch_text, respelled

MAX_CHARACTERS = 160
"""Largest length of a name or of the text of a branch."""

MAX_CLASSES = 12
"""Largest number of classes of a node whose counts are kept; the others are summed."""


@dataclass(frozen=True)
class ExplorerLimits:
    """Limits of the content of a page, which bound its size; the page states the parts that are
    left out.

    Attributes:
        max_nodes: largest number of nodes in all trees, those with the most rows first; at least 1.
        max_rows: largest number of rows that can be followed, evenly spaced; 0: none.
        max_candidates: largest number of candidates per node, the best by every criterion first; at
            least 1. The best of each feature by each criterion is kept beyond it, of as many
            features at most.
        candidate_nodes: largest number of nodes with candidates, those with the most rows first; 0:
            none.
        candidate_rows: largest number of rows on which candidates are scored, evenly spaced; at
            least 2.
        max_histograms: largest number of nodes with a histogram, those with the most rows first.
        max_trees: largest number of trees of a forest; at least 1.
        bins: number of bars per histogram; at least 2.
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
        least = {"max_rows": 0, "candidate_nodes": 0, "max_histograms": 0}
        least |= {"bins": 2, "candidate_rows": 2}
        for limit in fields(self):
            check_integer(limit.name, getattr(self, limit.name), least.get(limit.name, 1))


def rounded(value: float, digits: int = 6) -> float | int | None:
    """A number with few significant digits.

    Args:
        value: the number.
        digits: number of significant digits.

    Returns:
        The number, an int if it is whole; None if it is not finite, for which JSON has no number.

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
    """A name on one line, cut to `MAX_CHARACTERS` with an ellipsis at the end. Long names would
    make up most of the page's data."""
    plain = one_line(text)
    return plain if len(plain) <= MAX_CHARACTERS else plain[: MAX_CHARACTERS - 1] + "\u2026"


class TreeData:
    """A fitted tree as the page of the explorer shows it.

    Args:
        model: a fitted tree.
        name: name of the tree on the page.
        most: largest number of nodes kept.

    Attributes:
        kept: numbers of the nodes that are kept, ascending, shape (n_kept,).
        reading: the tree as exporters read it.
        histograms, candidates: plain values by node number, filled by ``model.explore``.
        spreads: of a number, the numbers of the rows of nodes, filled by ``model.explore``.
        scale: of a number, the scale of the page; None of classes.
        stability, intervals: how often refits of the tree agree with it, and the intervals of its
            leaves, filled by ``model.explore`` where they are known.
    """

    def __init__(self, model: Any, name: str, most: int) -> None:
        self.name, self.model = name, model
        self.reading = Reading(model)
        self.kept = np.flatnonzero(self.reading.heaviest(most))
        self.histograms: dict[int, dict[str, Any]] = {}
        self.candidates: dict[int, dict[str, Any]] = {}
        self.spreads: dict[int, dict[str, Any]] = {}
        self.scale = self.reading.answers.scale
        self.stability: Any = None
        self.intervals: Any = None

    def inner(self) -> np.ndarray:
        """Numbers of the kept nodes that have branches, nodes with the most training rows first."""
        return self.heaviest(self.kept[self.reading.tree.n_children[self.kept] > 0])

    def heaviest(self, nodes: np.ndarray) -> np.ndarray:
        """The given node numbers sorted by the weight of their training rows, largest first. Equal
        weights keep their order."""
        weight = self.reading.tree.weighted_n_node_samples
        return nodes[np.argsort(-weight[nodes], kind="stable")]

    def features(self) -> set[int]:
        """Column numbers of the features that kept nodes test; empty for a single leaf."""
        tested = self.reading.tree.feature[self.kept]
        return {int(f) for f in tested[tested >= 0]}

    def document(self, place: dict[int, int]) -> dict[str, Any]:
        """The kept nodes of the tree as plain lists in pre-order, for the page's JSON. `place` maps
        a feature's column number to its index in the page's list."""
        reading, tree, kept = self.reading, self.reading.tree, self.kept
        index = {int(node): i for i, node in enumerate(kept)}
        # The branch to each node, as a text and as a set of values.
        texts: list[str] = [""] * len(index)
        subsets: list[Any] = [None] * len(index)
        for node in kept.tolist():
            children = reading.children[node]
            if not children:
                continue
            feature = reading.features[reading.feature[node]]
            for child, subset in zip(children, reading.shown_sets(node), strict=True):
                if child in index:
                    texts[index[child]] = _branch_text(feature, subset)
                    subsets[index[child]] = _plain(subset)
        # Inner nodes whose branches are left out state the number of nodes below.
        inner = tree.n_children[kept] > 0
        below = tree.subtree_ends()[kept] - kept - 1
        opened = np.isin(kept, tree.parent[kept[1:]]) if len(kept) > 1 else np.zeros(1, dtype=bool)
        return {
            "name": name_of(self.name),
            "nodes": tree.node_count,
            "leaves": tree.n_leaves,
            "depth": tree.max_depth,
            "id": None if len(kept) == tree.node_count else kept.tolist(),
            "parent": [index.get(p, -1) for p in tree.parent[kept].tolist()],
            "feature": [place.get(f, -1) for f in tree.feature[kept].tolist()],
            "words": texts,
            "part": subsets,
            "weight": [rounded(w) for w in tree.weighted_n_node_samples[kept].tolist()],
            **self._answers(kept, np.flatnonzero(~inner).tolist()),
            "score": [rounded(s, 4) for s in np.where(inner, tree.score[kept], np.nan).tolist()],
            "notes": {
                str(i): notes
                for i, node in enumerate(kept.tolist())
                if (notes := list(self._notes(node)))
            },
            "hidden": {str(i): int(below[i]) for i in np.flatnonzero(inner & ~opened).tolist()},
            "histograms": {str(index[n]): h for n, h in self.histograms.items()},
            "candidates": {str(index[n]): c for n, c in self.candidates.items()},
        }

    def _notes(self, node: int) -> Iterator[str]:
        """Further facts about a node, one sentence each."""
        tree = self.reading.tree
        if tree.n_children[node]:
            if not math.isnan(p := float(tree.p_value[node])):
                said = p_value_text(p, " = ")
                yield f"Test of independence: p{said}, statistic {tree.statistic[node]:.4g}."
            if self.stability is not None:
                yield self.stability.sentence_of(node)
            return
        if tree.weighted_n_node_samples[node] == 0:
            yield "No training row comes here."
        elif ended := self.model._ended_by(node):
            yield f"A leaf: {ended}."
        if self.intervals is not None:
            title = self.intervals.title
            yield f"{title[:1].upper()}{title[1:]}: {self.intervals.said(node)}."

    def _answers(self, kept: np.ndarray, leaves: list[int]) -> dict[str, Any]:
        """The answers of the nodes and their rows, by the name of the list on the page.

        Args:
            kept: numbers of the nodes that the page has.
            leaves: positions of leaves in `kept`.
        """
        reading, tree = self.reading, self.reading.tree
        if self.scale is None:
            return {
                "label": tree.label[kept].tolist(),
                "counts": [_counts(row) for row in tree.value[kept]],
                "chance": _probabilities(reading, kept, leaves),
            }
        steps = self.scale.steps(tree.value[kept]).tolist()
        weights = tree.weighted_n_node_samples[kept].tolist()
        alone = [[step, rounded(w)] for step, w in zip(steps, weights, strict=True)]
        return {
            "label": steps,
            "value": tree.value[kept].tolist(),
            "impurity": [rounded(v) for v in tree.impurity[kept].tolist()],
            "deviation": [rounded(v) for v in np.sqrt(tree.variance[kept]).tolist()],
            "counts": [
                self.spreads[node]["counts"] if node in self.spreads else own
                for node, own in zip(kept.tolist(), alone, strict=True)
            ],
            "spreads": {
                str(i): self.spreads[node]["spread"]
                for i, node in enumerate(kept.tolist())
                if node in self.spreads
            },
            "chance": {},
        }


def _branch_text(feature: Feature, subset: ValueSet) -> str:
    """A branch without its feature: ``≤ 2.45``, ``= rainy``.

    Args:
        feature: the feature that is tested.
        subset: the values that the branch takes.
    """
    return name_of(respelled(branch_text(feature, subset, 4), SIGNS))


def _plain(subset: ValueSet) -> list[Any]:
    """[lower, upper, missing] of numbers, [codes, missing] of levels; open ends are None."""
    missing = float(subset.missing)
    if subset.codes is not None:
        return [sorted(subset.codes), missing]
    if subset.lower > subset.upper:
        return [[], missing]
    ends = (subset.lower, subset.upper)
    return [*(None if math.isinf(end) else end for end in ends), missing]


def _descending(row: np.ndarray) -> list[int]:
    """Codes of the classes with a value above 0, the largest value first."""
    return [code for code in np.argsort(-row, kind="stable").tolist() if row[code] > 0]


def _counts(row: np.ndarray) -> list[Any]:
    """Class code, weight, class code, weight, ... largest first; the code -1 is all others."""
    order = _descending(row)
    shown, rest = order[:MAX_CLASSES], order[MAX_CLASSES:]
    flat: list[Any] = []
    for code in shown:
        flat += [code, rounded(row[code])]
    return [*flat, -1, rounded(float(row[rest].sum()))] if rest else flat


def _probabilities(
    reading: Reading, kept: np.ndarray, leaves: Sequence[int]
) -> dict[str, list[Any]]:
    """Class code, probability, ... of the leaves whose probabilities are not their class shares.

    These are smoothed or empty leaves.

    Args:
        reading: the tree.
        kept: numbers of the nodes that the page has.
        leaves: positions of leaves in `kept`.

    Returns:
        The codes and probabilities of each such leaf, by its position in `kept` as a text.
    """
    shares: dict[str, list[Any]] = {}
    if not leaves:
        return shares
    for leaf, row in zip(leaves, reading.probabilities(kept[leaves].tolist()), strict=True):
        counts = reading.tree.value[kept[leaf]]
        total = counts.sum()
        if total > 0 and np.allclose(counts / total, row, rtol=1e-9, atol=1e-12):
            continue
        largest = _descending(row)[:MAX_CLASSES]
        shares[str(leaf)] = [v for code in largest for v in (code, rounded(row[code], 6))]
    return shares
