"""Candidates of nodes under many criteria, for `Explorable.explore`.

What
    For the nodes with the most rows, every candidate split is scored by every criterion on the rows
    that reach the node; the best by each are kept.
Complexity
    One pass over the rows of a node for each criterion, by the core.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import criteria as registry
from ..criteria import Criterion, NamedCallable
from ..exports.explorer import ExplorerLimits, TreeData
from ..exports.explorer.trees import name_of, rounded
from ..table import Table
from .new_rows import prepared
from .parameters import config_of

__all__ = ["Rows", "candidates", "traced"]

Listed = tuple[list[str], list[Any], np.ndarray]
"""Candidates column by column: features, questions, scores."""

COPIED = (
    "nominal_splits",
    "threshold_search",
    "max_bins",
    "thresholds",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
)
"""Parameters of a tree that say which candidates there are."""


@dataclass
class Rows:
    """Labelled rows: as they were given, and as blocks for the core."""

    table: Table
    blocks: list[np.ndarray]
    weights: np.ndarray | None

    @property
    def weight(self) -> np.ndarray:
        """Weight of each row, shape (n_rows,)."""
        return np.ones(len(self.table)) if self.weights is None else self.weights


def candidates(
    trees: list[TreeData], rows: Rows, asked: Iterable[Any] | None, limits: ExplorerLimits
) -> tuple[list[dict[str, Any]], list[str]]:
    """Give the heaviest nodes of the trees their candidates; the criteria, and what was left
    out."""
    own = getattr(trees[0].model, "criterion", None)
    made = [] if own is None else [registry.make(own)]
    named: list[Any] = list(asked) if asked is not None else _of_tables()
    made += [one for one in map(registry.make, named) if one not in made]
    for tree in trees[1:]:
        made += [
            one
            for one in [registry.make(getattr(tree.model, "criterion", "info_gain"))]
            if one not in made
        ]
    made = [one for one in made if not isinstance(one, NamedCallable)]
    inner = [(tree, int(node)) for tree in trees for node in tree.inner()]
    inner.sort(key=lambda one: -float(one[0].reading.tree.weighted_n_node_samples[one[1]]))
    first = _first_difference(trees)
    inner.sort(key=lambda one: one not in first)
    listed = inner[: limits.candidate_nodes]
    said, most, left = [], 0, 0
    scorer = _Scorer(rows, made, limits)
    for tree, node in listed:
        found = scorer.scored(tree, node)
        if found is not None:
            tree.candidates[node] = found
            most = max(most, found["of"])
            left += found["of"] > len(found["feature"])
    if len(listed) < len(inner):
        said.append(f"candidates of {len(listed):,} of {len(inner):,} nodes")
    if left:
        said.append(
            f"of {left} nodes the best {limits.max_candidates} candidates (of up to {most:,})"
        )
    if len(scorer.taken) < len(rows.table):
        said.append(f"candidates scored on {len(scorer.taken):,} of {len(rows.table):,} rows")
    said += [f"{name} is not listed: {why}" for name, why in scorer.refused.items()]
    shown = [_criterion(one) for one in made]
    taken = [c for c, one in enumerate(shown) if one["name"] not in scorer.refused]
    for tree, node in listed:
        if node in tree.candidates:
            one = tree.candidates[node]
            one.update({key: [one[key][c] for c in taken] for key in ("scores", "best")})
    return [shown[c] for c in taken], said


def _first_difference(trees: list[TreeData]) -> list[tuple[TreeData, int]]:
    """The first nodes, level by level, at which the first two trees split differently."""
    if len(trees) < 2:
        return []
    one, two = trees[:2]
    queue = [(0, 0)]
    for i, j in queue:
        if not one.reading.n_children[i] or not two.reading.n_children[j]:
            if one.reading.n_children[i] or two.reading.n_children[j]:
                return [(one, i), (two, j)]
            continue
        if _own_split(one, i) != _own_split(two, j):
            return [(one, i), (two, j)]
        queue += zip(one.reading.children[i], two.reading.children[j], strict=False)
    return []


def _of_tables() -> list[str]:
    return [row["name"] for row in registry.list_criteria() if row["evidence"] == "table"]


def _criterion(one: Any) -> dict[str, Any]:
    """Name of a criterion, and whether its scores start at 0."""
    if isinstance(one, Criterion):
        plain = one == type(one)()
        name = one.name if plain else repr(one)
        return {"name": name_of(name), "zero": one.info["lowest"] == 0}
    return {"name": name_of(getattr(one, "name", None) or one.__name__), "zero": False}


class _Scorer:
    """Scores of the candidates of nodes by several criteria."""

    def __init__(self, rows: Rows, made: list[Any], limits: ExplorerLimits) -> None:
        n = len(rows.table)
        self.rows, self.limits, self.criteria = rows, limits, made
        count = min(n, limits.candidate_rows)
        self.taken = np.unique(np.linspace(0, n - 1, count).round().astype(int))
        self.refused: dict[str, str] = {}
        self._tables: dict[tuple[str, bool, float], Table] = {}

    def _table(self, model: Any, compares: bool) -> Table:
        """The rows as growth of a model saw them."""
        searched = not hasattr(model, "nominal_splits")  # minimal trees split into all branches
        cut_above = math.inf if searched else model._cut_above()
        key = (model._model.schema_json(), compares, cut_above)
        if key not in self._tables:
            self._tables[key] = prepared(
                model._schema, self.rows.table, cut_above=cut_above, bins=not compares
            )
        return self._tables[key]

    def scored(self, tree: TreeData, node: int) -> dict[str, Any] | None:
        """Candidates of a node: place of the feature, words, scores by criterion, the best place by
        each, and the tree's own."""
        model = tree.model
        reach = np.zeros(len(self.rows.table))
        reach[self.taken] = model._model.reach(self.rows.blocks, len(reach), node)[self.taken]
        if not reach.any():
            return None
        place = {name: j for j, name in enumerate(model._schema.names)}
        listed = [self._listed(model, reach, one) for one in self.criteria]
        keys, scores = _table_of(listed, place)
        return _arranged(tree, node, keys, scores, self.limits.max_candidates)

    def _listed(self, model: Any, reach: np.ndarray, one: Any) -> Listed:
        compares = registry.evidence_of(one) == "neighbours"
        table = self._table(model, compares)
        params = _plain_tree(model, one, compares)
        try:
            config, custom = config_of(params, table, self.rows.weights)
            fractional = isinstance(one, Criterion) and bool(one.info["fractional"])
            shared = model._is_shared() and fractional
            return _columns(
                model._candidates_of(
                    table, reach, self.rows.weights, config, custom, divides_rows=shared
                )
            )
        except ValueError as error:
            name = _criterion(one)["name"]
            if name in self.refused:
                return _columns(())
            self.refused[name] = str(error)
            return _columns(())


def _plain_tree(model: Any, criterion: Any, compares: bool) -> dict[str, Any]:
    """Parameters of a tree that has the candidates of a model, by another criterion."""
    params = {**model._defaults(), "criterion": criterion, "missing": "branch"}
    own = {"nominal_splits": "multiway", **model.get_params(deep=False)}
    params.update({name: own[name] for name in COPIED if name in own})
    if not compares:
        params["discretize"] = None
    elif "discretize" in own:
        params.update(discretize=own["discretize"], n_bins=own["n_bins"])
    return params


def _columns(listed: Sequence[tuple[str, Any, float]]) -> Listed:
    """Candidates column by column: features, questions, scores."""
    scores = np.array([one[2] for one in listed], dtype=np.float64)
    return [one[0] for one in listed], [one[1] for one in listed], scores


def _table_of(
    listed: list[Listed], place: dict[str, int]
) -> tuple[list[tuple[int, Any]], np.ndarray]:
    """Candidates (feature, question) and their scores by criterion, shape (criteria, candidates);
    NaN where a criterion has no such candidate."""
    known = [one for one in listed if len(one[0])]
    if not known:
        return [], np.zeros((len(listed), 0))
    names, asked, _ = known[0]
    if all(one[0] == names and one[1] == asked for one in known):
        keys = [(place[name], t) for name, t in zip(names, asked, strict=True)]
        empty = np.full(len(keys), np.nan)
        return keys, np.array([one[2] if len(one[0]) else empty for one in listed])
    found: dict[tuple[int, Any], dict[int, float]] = {}
    for c, one in enumerate(listed):
        for name, t, score in zip(*one, strict=True):
            found.setdefault((place[name], t), {})[c] = score
    scores = np.full((len(listed), len(found)), np.nan)
    for j, row in enumerate(found.values()):
        for c, score in row.items():
            scores[c, j] = score
    return list(found), scores


def _arranged(
    tree: TreeData, node: int, keys: list[tuple[int, Any]], scores: np.ndarray, most: int
) -> dict[str, Any] | None:
    """The best candidates by every criterion, in the order of features and thresholds."""
    if not keys:
        return None
    worst = np.where(np.isfinite(scores), scores, -np.inf)
    best = [int(row.argmax()) if np.isfinite(row).any() else -1 for row in worst]
    taken = np.arange(len(keys))
    if len(keys) > most:
        order = np.argsort(-worst, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(len(keys))[None, :], axis=1)
        taken = np.sort(np.argsort(ranks.min(axis=0), kind="stable")[:most])
    at = {int(j): i for i, j in enumerate(taken)}
    chosen = _own_split(tree, node)
    own = next((i for i, j in enumerate(taken.tolist()) if keys[j] == chosen), -1)
    return {
        "of": len(keys),
        "feature": [keys[j][0] for j in taken.tolist()],
        "words": [_question(keys[j][1]) for j in taken.tolist()],
        "scores": [[rounded(v, 5) for v in row[taken].tolist()] for row in scores],
        "best": [at.get(j, -1) for j in best],
        "chosen": own,
    }


def _question(asked: Any) -> str:
    """A candidate without its feature."""
    if asked is None:
        return ""
    if isinstance(asked, tuple):
        names = ", ".join(str(level) for level in asked)
        return name_of(f"= {names}" if len(asked) == 1 else f"in {{{names}}}")
    return f"\u2264 {asked:.6g}"


def _own_split(tree: TreeData, node: int) -> tuple[int, Any]:
    """Feature and question of a node, as candidates name them."""
    arrays, schema = tree.reading.tree, tree.model._schema
    feature, threshold = int(arrays.feature[node]), float(arrays.threshold[node])
    listed = tuple(schema.levels[feature][code] for code in arrays.levels_of(node)) or None
    return feature, listed if np.isnan(threshold) else threshold


def traced(trees: list[TreeData], limits: ExplorerLimits) -> list[dict[str, Any]]:
    """Candidates that growth kept (``trace="candidates"``), where no rows are given."""
    model = trees[0].model
    traced = getattr(model, "_candidates", None)
    if not traced:
        return []
    place = {name: j for j, name in enumerate(model._schema.names)}
    for node in trees[0].inner()[: limits.candidate_nodes].tolist():
        keys, scores = _table_of([_columns(traced.get(node, ()))], place)
        one = _arranged(trees[0], node, keys, scores, limits.max_candidates)
        if one is not None:
            trees[0].candidates[node] = one
    return [_criterion(registry.make(model.criterion))]
