"""`Explained`: why a tree splits as it does, and why a row gets its class.

What
    `explain` lists the scores of all candidates of a node, from the trace or from given rows;
    `decision_rule` says the path of a row in words.
When not to use it
    Alone: it is a part of `FastTreeClassifier`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine, criteria
from .._checks.aliases import MaybeArray
from ..rendering.html import bar
from ..rendering.listing import Records
from ..table import Table
from .keywords import NominalSplits, ThresholdSearch
from .new_rows import prepared, rows_for
from .parameters import config_of
from .training_rows import TrainingRows

__all__ = ["Explained"]

# As split/subset.rs: where each column decides, columns of more levels are divided in two.
MULTIWAY_UP_TO = 32


SORTED_AT_ONCE = 200_000
"""Rows that are sorted in one piece."""


def _candidate_words(row: dict[str, Any]) -> str:
    """A candidate in words."""
    if row["threshold"] is not None:
        return f"{row['feature']} <= {row['threshold']:g}"
    if row["levels"] is not None:
        return f"{row['feature']} in {{{', '.join(map(str, row['levels']))}}}"
    return str(row["feature"])


def best_first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows by falling score, equal ones in their order.

    Millions of rows are divided first: one sort of all of them would not answer Ctrl-C.

    Examples:
        >>> [r["score"] for r in best_first([{"score": 1.0}, {"score": 3.0}, {"score": 2.0}])]
        [3.0, 2.0, 1.0]
    """
    drawn = sorted(-row["score"] for row in rows[:: max(1, len(rows) // 4096)])
    bounds = drawn[64::64] if len(rows) > SORTED_AT_ONCE else []
    parts: list[list[dict[str, Any]]] = [[] for _ in range(len(bounds) + 1)]
    for row in rows:
        parts[bisect_left(bounds, -row["score"])].append(row)
    for part in parts:
        part.sort(key=lambda row: -row["score"])
    return [row for part in parts for row in part]


def _one_row(row: Any) -> Any:
    """A row as rows."""
    if isinstance(row, Mapping):
        return {k: [v] if np.ndim(v) == 0 else v for k, v in row.items()}
    if hasattr(row, "to_frame") and hasattr(row, "index") and np.ndim(row) == 1:  # a pandas row
        return {str(k): [v] for k, v in row.items()}
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row.reshape(1, -1)
    if isinstance(row, (list, tuple)) and (not row or np.ndim(row[0]) == 0):
        return [list(row)]
    return row


class Explained:
    """Candidates of nodes and paths of rows."""

    _model: Any
    _schema: Any
    _candidates: dict[int, tuple[tuple[str, Any, float], ...]]
    criterion: Any
    nominal_splits: NominalSplits
    threshold_search: ThresholdSearch
    tree_: Any
    _blocks: Callable[[Any], tuple[list[np.ndarray], int]]
    get_params: Callable[..., dict[str, Any]]
    predict: Callable[[Any], np.ndarray]

    def _all_candidates(
        self, rows: TrainingRows, config: dict[str, Any], custom: Any
    ) -> dict[int, tuple[tuple[str, Any, float], ...]]:
        """Candidates of every inner node. `config` holds the class weights; `custom` is a user's
        criterion."""
        table, weights = rows.table, rows.weights
        inner = np.flatnonzero(self.tree_.n_children > 0).tolist()
        blocks, n = rows_for(self._schema, table)
        prepared_table = self._prepared(table)
        if self._is_shared():
            parts = ((node, self._model.reach(blocks, n, node)) for node in inner)
            return {
                node: tuple(self._candidates_of(prepared_table, p, weights, config, custom))
                for node, p in parts
            }
        leaves, ends = self._model.apply(blocks, n), self.tree_.subtree_ends()
        order = np.argsort(leaves, kind="stable")
        first, last = np.searchsorted(leaves[order], np.array([np.arange(len(ends)), ends]))
        found = {}
        for node in inner:
            part = np.zeros(n)
            part[order[first[node] : last[node]]] = 1.0
            found[node] = tuple(self._candidates_of(prepared_table, part, weights, config, custom))
        return found

    def _is_shared(self) -> bool:
        """Whether missing values take all branches, in parts."""
        return bool(np.any(self.tree_.missing_branch == -2))

    def _candidates_of(
        self,
        table: Table,
        part: np.ndarray,
        weights: np.ndarray | None,
        config: dict[str, Any],
        custom: Any,
        *,
        shared: bool | None = None,
    ) -> list[tuple[str, Any, float]]:
        """Candidates (feature, threshold or levels, score) of a node; `part` (n_rows,) of each row
        of a prepared Table reaches it. `shared`: missing values take all branches; as in the tree
        where it is not given."""
        if not self._compares_numbers():
            config = {**config, "discretize": None}
        if shared is None:
            shared = self._is_shared()
        config = {**config, "missing": "fractional" if shared else "branch"}
        if any(cuts is not None for cuts in self._schema.cuts):
            config.update(thresholds="value", threshold_search="exact")
        least = config["min_weight_fraction_leaf"]
        rows = np.flatnonzero(part)
        whole = np.ones(len(table)) if weights is None else weights
        importances = whole
        if config.get("class_weight") is not None:
            importances = whole * np.array(config["class_weight"])[table.y_codes]
        here = float((importances * part).sum())
        if least > 0:
            # The share is one of the whole training weight (rounding must not shut out a branch of
            # just that weight).
            least *= float(importances.sum()) / here * (1 - 1e-12)
        if np.any((part > 0) & (part < 1)):
            # A branch must hold rows, counted in parts.
            least = max(least, config["min_samples_leaf"] / here * (1 - 1e-9))
            config["min_samples_leaf"] = 1
            weights = whole * part
        if least > 0.5:
            return []
        config["min_weight_fraction_leaf"] = least
        listed = _engine.explain(table, config, rows=rows, sample_weight=weights, custom=custom)
        schema = self._schema
        return [
            (schema.names[f], t if codes is None else tuple(schema.levels[f][c] for c in codes), s)
            for f, t, codes, s in listed
        ]

    def _prepared(self, X: Any, y: MaybeArray = None) -> Table:
        """Labelled rows as growth saw them."""
        bins = not self._compares_numbers()
        return prepared(self._schema, X, y, cut_above=self._cut_above(), bins=bins)

    def _cut_above(self) -> float:
        """The number of bins above which a number is split at a cut, and not into its bins."""
        if self.threshold_search == "histogram" or self.nominal_splits in ("subset", "one_vs_rest"):
            return 0
        divides = criteria.evidence_of(self.criterion) == "table" and not getattr(
            self.criterion, "mdl_penalty", False
        )
        return MULTIWAY_UP_TO if self.nominal_splits == "auto" and divides else math.inf

    def _compares_numbers(self) -> bool:
        """Whether numbers are scored as numbers though they are split by bins."""
        return criteria.evidence_of(self.criterion) == "neighbours"

    def explain(self, node: int = 0, X: Any = None, y: MaybeArray = None) -> Records:
        """Scores of all candidate splits of a node, best first.

        Args:
            node: node number (`tree_`); 0 is the root.
            X, y: rows and labels that are sent down to the node; without them the trace must hold
                candidates.

        Returns:
            Rows (dicts, shown as a table) with feature, threshold (None for a nominal feature),
            levels (those on the first branch of a subset split, of each feature the best one; else
            None), score, chosen (it is the split of the tree).

        Raises:
            ValueError: no rows given and no candidates kept, or no row reaches the node.
        """
        check_is_fitted(self)
        tree = self.tree_
        if not 0 <= node < tree.node_count:
            raise ValueError(
                f"node={node} does not exist; the tree has nodes 0 to {tree.node_count - 1}"
            )
        if X is None:
            if node not in self._candidates:
                raise ValueError(
                    f"node {node} has no candidates in the trace: give X and y, or fit with "
                    "trace='candidates'"
                    if tree.n_children[node]
                    else f"node {node} is a leaf: give X and y to see the splits it could have"
                )
            found = list(self._candidates[node])
        else:
            blocks, n = self._blocks(X)
            table = self._prepared(X, y)
            weights = X.sample_weight if isinstance(X, Table) else None
            config, custom = config_of(self.get_params(deep=False), table, weights)
            part = self._model.reach(blocks, n, node)
            if not part.any():
                raise ValueError(f"none of the {n} rows reaches node {node}")
            found = self._candidates_of(table, part, weights, config, custom)
        feature, threshold = tree.feature[node], tree.threshold[node]
        name = self._schema.names[feature] if tree.n_children[node] else None
        listed = tuple(self._schema.levels[feature][code] for code in tree.levels_of(node)) or None
        own: Any = listed if np.isnan(threshold) else float(threshold)
        if self.threshold_search == "histogram" and not np.isnan(threshold):
            own = _nearest_cut(found, name, float(threshold), float(tree.score[node]))
        rows_out: list[dict[str, Any]] = [
            {
                "feature": f,
                "threshold": None if isinstance(t, tuple) else t,
                "levels": t if isinstance(t, tuple) else None,
                "score": s,
                "chosen": f == name and t == own,
            }
            for f, t, s in found
        ]
        rows_out = best_first(rows_out)
        top = rows_out[0]["score"] if rows_out else 0.0
        return Records(
            rows_out,
            {
                "candidate": _candidate_words,
                "score": "score",
                "": lambda r: bar(r["score"] / top if top > 0 else 0.0),
                "chosen": lambda r: "chosen" if r["chosen"] else "",
            },
            title=f"Candidates of node {node} by {self.criterion!r}, best first",
            left=("",),
        )

    def decision_rule(self, row: Any) -> str:
        """Why a row gets its class, in words: the conditions that it meets, and what the leaf
        holds.

        Args:
            row: one row: a mapping or a frame of one row by column names, or a list of cells in
                column order.

        Raises:
            ValueError: more than one row, or a row of another width.

        Examples:
            >>> import fasttree
            >>> model = fasttree.fit("weather")
            >>> day = {
            ...     "outlook": "rainy",
            ...     "temperature": "mild",
            ...     "humidity": "high",
            ...     "windy": "TRUE",
            ... }
            >>> print(model.decision_rule(day))
            no, because
              outlook = rainy  (of 14 rows, 5 come here)
              windy = TRUE  (of 5 rows, 2 come here)
            Leaf 6: 2 of 2 training rows are no.
        """
        from ..exports.reading import Reading, number
        from ..exports.words import condition

        X = _one_row(row)
        blocks, n = self._blocks(X)
        if n != 1:
            raise ValueError(f"decision_rule explains one row, got {n}; pass X[i:i+1]")
        tree, reading = self.tree_, Reading(self)
        indptr, nodes = self._model.decision_path(blocks, n)
        path = np.asarray(nodes)[indptr[0] : indptr[1]].tolist()
        lines = []
        parts = {
            child: (reading.features[reading.feature[parent]], subset)
            for parent in path
            if reading.children[parent]
            for child, subset in zip(
                reading.children[parent], reading.branch_sets(parent), strict=True
            )
        }
        weight = tree.weighted_n_node_samples
        for node in path[1:]:
            feature, part = parts[node]
            parent = int(tree.parent[node])
            lines.append(
                f"  {condition(feature, part, 6)}  (of {number(float(weight[parent]), 2)} rows, "
                f"{number(float(weight[node]), 2)} come here)"
            )
        answer = self.predict(X)[0]
        ends = [node for node in path if tree.n_children[node] == 0]
        said = "no class" if answer is None else str(answer)
        head = f"{said}, because" if lines else f"{said}: the tree is one leaf"
        if len(ends) > 1:
            tail = (
                f"A value is missing: {len(ends)} leaves answer together, weighted by their rows."
            )
        else:
            leaf = ends[0]
            label = int(tree.label[leaf])
            right = 0.0 if label < 0 else float(tree.value[leaf, label])
            tail = (
                f"Leaf {leaf}: {number(right, 2)} of {number(float(weight[leaf]), 2)} training "
                f"rows "
                f"are {said}."
            )
        return "\n".join([head, *lines, tail])


def _nearest_cut(
    found: list[tuple[str, Any, float]], name: str | None, threshold: float, score: float
) -> Any:
    """The candidate that a threshold between two bins stands for. Of the cuts next to it, the one
    with the score of the split; the threshold itself where there is none."""
    cuts = [(t, s) for f, t, s in found if f == name and not isinstance(t, tuple)]
    below = [c for c in cuts if c[0] < threshold]
    above = [c for c in cuts if c[0] >= threshold]
    beside = ([max(below)] if below else []) + ([min(above)] if above else [])
    return min(beside, key=lambda c: abs(c[1] - score))[0] if beside else threshold
