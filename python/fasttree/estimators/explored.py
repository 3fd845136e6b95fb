"""`Explorable`: ``model.explore``, the fitted tree as a page that answers questions.

What
    The tree itself is read from the model. With rows, each node gets a histogram of its feature by
    class and the scores of its candidates by every criterion, computed by the core as growth
    computes them (`explain`). What is kept is bounded by `ExplorerLimits`.
Decisions
    Rows are those that the caller gives: a fitted model does not keep its training rows.
    Candidates by a criterion that knows no fractional instances are scored with rows of missing
    values on a branch of their own, weighted by their share.
Complexity
    O(rows) a node for histograms; for candidates one pass over the rows of a node and criterion.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .. import criteria as registry
from .._checks.aliases import MaybeArray
from ..datasets.inputs import given, loaded
from ..exports.explorer import Exploration, ExplorerLimits, TreeData
from ..exports.explorer.trees import name_of, rounded
from ..table import Table
from .explored_candidates import Rows, candidates, traced
from .new_rows import labelled, rows_for

__all__ = ["Explorable", "explored"]

MOST_LEVELS = 500
"""Levels of a feature whose names are kept."""


class Explorable:
    """The explorer of a tree or forest."""

    def explore(
        self,
        X: Any = None,
        y: MaybeArray = None,
        *,
        beside: Any = None,
        criteria: Iterable[Any] | None = None,
        title: str = "",
        **limits: int,
    ) -> Exploration:
        """The tree as an interactive page: fold, search, follow a row, and see every candidate of
        a node under every criterion.

        The page needs no network and holds the rows that it shows (`max_rows`). It shows itself in
        a notebook; ``save(path)`` writes it, ``open()`` opens a browser.

        Args:
            X, y: rows and labels, a Table, or the name of a data set: usually the training rows.
                Without them there are neither histograms nor rows, and candidates only where the
                tree was fitted with ``trace="candidates"``.
            beside: a second tree to show side by side: a fitted model, or a criterion by which this
                model is fitted again on the rows.
            criteria: criteria by which candidates are scored, beside the tree's own; default: all
                of the registry that look at tables.
            title: heading.
            **limits: what is kept, the fields of `fasttree.exports.explorer.ExplorerLimits`:
                ``max_nodes``, ``max_rows``, ``max_candidates``, ``candidate_nodes``,
                ``candidate_rows``, ``max_histograms``, ``max_trees``, ``bins``.

        Raises:
            ValueError: `beside` is a criterion and there are no rows, a limit outside its domain,
                or labels that are no classes of the model.
            TypeError: a limit that does not exist.

        Examples:
            >>> import fasttree
            >>> model = fasttree.fit("weather")
            >>> page = model.explore("weather", beside="gain_ratio")
            >>> [tree["name"] for tree in page.document["trees"]]
            ['info_gain', 'gain_ratio']
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "_model")
        models: list[tuple[str, Any]] = [(_called(self), self)]
        if beside is not None:
            models.append(_second(self, beside, X, y))
        return explored(
            models, X, y, criteria=criteria, title=title, limits=ExplorerLimits(**limits)
        )


def _called(model: Any) -> str:
    """What a tree is called: its criterion."""
    criterion = getattr(model, "criterion", None)
    if criterion is None:
        return type(model).__name__
    made = registry.make(criterion)
    name = getattr(made, "name", None) or getattr(made, "__name__", None)
    return str(name or type(made).__name__)


def _second(model: Any, beside: Any, X: Any, y: Any) -> tuple[str, Any]:
    """The tree that is shown beside a model."""
    if hasattr(beside, "_model") or hasattr(beside, "tree_"):
        return _called(beside), beside
    if X is None:
        raise ValueError(
            f"beside={beside!r} is a criterion: give the training rows, explore(X, y, beside=...), "
            "or a fitted model"
        )
    from sklearn.base import clone

    other = clone(model).set_params(criterion=beside)
    return _called(other), other.fit(*given(loaded(X), y))


def _rows(model: Any, X: Any, y: Any) -> Rows | None:
    if X is None:
        return None
    X, y = given(loaded(X), y)
    weights = X.sample_weight if isinstance(X, Table) else None
    table = labelled(model._schema, X, y)
    return Rows(table, rows_for(model._schema, table)[0], weights)


def _trees(models: Sequence[tuple[str, Any]], limits: ExplorerLimits) -> tuple[list[TreeData], int]:
    """Trees of all models, and how many trees there are."""
    found: list[tuple[str, Any]] = []
    whole = 0
    for name, model in models:
        if not hasattr(model, "estimators_"):
            found.append((name, model))
            whole += 1
            continue
        forest = model.estimators_
        whole += len(forest)
        for t in range(min(len(forest), limits.max_trees)):
            found.append((f"{name}, tree {t + 1}", forest[t]))
    most = max(1, limits.max_nodes // len(found))
    return [TreeData(model, name, most) for name, model in found], whole


def explored(
    models: Sequence[tuple[str, Any]],
    X: Any = None,
    y: MaybeArray = None,
    *,
    criteria: Iterable[Any] | None = None,
    title: str = "",
    limits: ExplorerLimits | None = None,
) -> Exploration:
    """The page of several fitted models, (name, model) each; see `Explorable.explore`.

    Raises:
        ValueError: models of different columns or classes, or as in `Explorable.explore`.
    """
    limits = limits or ExplorerLimits()
    first = models[0][1]
    for name, model in models[1:]:
        same = model._schema.names == first._schema.names
        if not same or list(model.classes_) != list(first.classes_):
            raise ValueError(f"{name} has other columns or classes than {models[0][0]}")
    rows = _rows(first, X, y)
    trees, whole = _trees(models, limits)
    said = [f"{len(trees)} of {whole} trees"] if len(trees) < whole else []
    nodes, kept = sum(t.reading.tree.node_count for t in trees), sum(len(t.kept) for t in trees)
    said += [f"{kept:,} of {nodes:,} nodes, those with the most rows"] if kept < nodes else []
    shown: list[dict[str, Any]] = []
    if rows is not None:
        said += _histograms(trees, rows, limits)
        shown, more = candidates(trees, rows, criteria, limits)
        said += more
    else:
        shown = traced(trees, limits)
        said.append("no rows were given: no histograms and no rows to follow")
    used = sorted(
        set().union(*(t.features() for t in trees))
        | {f for t in trees for c in t.candidates.values() for f in c["feature"]}
    )
    place = {f: i for i, f in enumerate(used)}
    for tree in trees:
        for one in tree.candidates.values():
            one["feature"] = [place[f] for f in one["feature"]]
    stored, told = _stored(rows, used, limits)
    document = {
        "title": name_of(title or _title(models)),
        "classes": [name_of(c) for c in trees[0].reading.classes],
        "target": name_of(trees[0].reading.target),
        "features": [_feature(trees[0].reading.features[f], rows, f) for f in used],
        "criteria": shown,
        "rows": stored,
        "forest": whole > len(models),
        "trees": [tree.document(place) for tree in trees],
        "kept": [*said, *told],
    }
    return Exploration(document)


def _title(models: Sequence[tuple[str, Any]]) -> str:
    schema = json.loads(models[0][1]._model.schema_json())
    words = " and ".join(name for name, _ in models)
    kind = "Forest" if hasattr(models[0][1], "estimators_") else "Tree"
    many = kind if len(models) == 1 else f"{kind}s"
    return f"{many} for {schema['target']} by {words}"


def _feature(feature: Any, rows: Rows | None, place: int) -> dict[str, Any]:
    levels = feature.levels
    found: dict[str, Any] = {"name": name_of(feature.name), "levels": None}
    if levels is not None:
        found["levels"] = [name_of(level) for level in levels[:MOST_LEVELS]]
    elif rows is not None:
        values = np.asarray(rows.table.columns[place].values, dtype=np.float64)
        values = values[np.isfinite(values)]
        if values.size:
            found["range"] = [rounded(values.min()), rounded(values.max())]
    if feature.fill is not None:
        found["fill"] = feature.fill
    return found


def _stored(
    rows: Rows | None, used: list[int], limits: ExplorerLimits
) -> tuple[dict[str, Any] | None, list[str]]:
    """Rows that can be followed, column by column: numbers with all digits, codes of levels, None
    where a value is missing."""
    if rows is None or limits.max_rows == 0:
        return None, []
    n = len(rows.table)
    take = np.unique(np.linspace(0, n - 1, min(n, limits.max_rows)).round().astype(int))
    columns = []
    for f in used:
        column = rows.table.columns[f]
        values = np.asarray(column.values)[take]
        gone = np.isnan(values) if column.kind == "numeric" else values < 0
        columns.append([None if g else v for v, g in zip(values.tolist(), gone, strict=True)])
    told = [f"{len(take):,} of {n:,} rows, evenly spaced"] if len(take) < n else []
    label = np.asarray(rows.table.y_codes)[take].tolist()
    return {"of": n, "row": take.tolist(), "label": label, "columns": columns}, told


# -- histograms -----------------------------------------------------------------------------------


def _reached(tree: TreeData, rows: Rows) -> Any:
    """A function that gives (rows, parts) of a node."""
    model, n = tree.model, len(rows.table)
    weight = rows.weight
    if model._is_shared() and any(column.n_missing for column in rows.table.columns):

        def of_parts(node: int) -> tuple[np.ndarray, np.ndarray]:
            part = model._model.reach(rows.blocks, n, node)
            here = np.flatnonzero(part)
            return here, part[here] * weight[here]

        return of_parts
    leaves = model._model.apply(rows.blocks, n)
    ends = tree.reading.tree.subtree_ends()
    order = np.argsort(leaves, kind="stable")
    first, last = np.searchsorted(leaves[order], np.array([np.arange(len(ends)), ends]))

    def of_range(node: int) -> tuple[np.ndarray, np.ndarray]:
        here = np.sort(order[first[node] : last[node]])
        return here, weight[here]

    return of_range


def _histograms(trees: list[TreeData], rows: Rows, limits: ExplorerLimits) -> list[str]:
    """Give each tree the histograms of its heaviest nodes."""
    kept = whole = 0
    share = max(1, limits.max_histograms // len(trees)) if limits.max_histograms else 0
    codes = np.asarray(rows.table.y_codes)
    for tree in trees:
        reached, inner = _reached(tree, rows), tree.inner()
        whole += len(inner)
        kept += min(share, len(inner))
        for node in inner[:share].tolist():
            here, weight = reached(node)
            if len(here):
                tree.histograms[node] = _histogram(
                    tree,
                    node,
                    rows.table,
                    here=here,
                    codes=codes[here],
                    weight=weight,
                    bins=limits.bins,
                )
    return [f"histograms of {kept:,} of {whole:,} nodes"] if kept < whole else []


def _histogram(
    tree: TreeData,
    node: int,
    table: Table,
    *,
    here: np.ndarray,
    codes: np.ndarray,
    weight: np.ndarray,
    bins: int,
) -> dict[str, Any]:
    """Weights of the rows of a node by value of its feature and class."""
    f, n_classes = tree.reading.feature[node], len(tree.reading.classes)
    column, feature = table.columns[f], tree.reading.features[f]
    values = np.asarray(column.values)[here]
    gone = np.isnan(values) if column.kind == "numeric" else values < 0
    known = values[~gone]
    found: dict[str, Any] = {}
    if feature.levels is None:
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        width = (high - low) / bins
        place = np.zeros(len(known), dtype=np.int64)
        if width > 0:
            place = np.minimum(((known - low) / width).astype(np.int64), bins - 1)
        else:
            bins = 1
        cuts = [tree.reading.tree.threshold[node]]
        if np.isnan(cuts[0]):
            cuts = list(feature.cuts or ())
        found["range"] = [rounded(low), rounded(high)]
        found["cuts"] = [rounded(c) for c in cuts if low <= c <= high][:50]
    else:
        sums = np.bincount(known, weight[~gone], len(feature.levels))
        order = np.argsort(-sums, kind="stable")
        order = order[sums[order] > 0]
        if len(order) > bins:
            order = np.concatenate((order[: bins - 1], [-1]))
        named = np.sort(order[order >= 0])
        lookup = np.full(len(feature.levels), len(named))
        lookup[named] = np.arange(len(named))
        place, bins = lookup[known], len(order)
        found["levels"] = named.tolist()
    table_of = np.bincount(
        place * n_classes + codes[~gone], weight[~gone], max(bins, 1) * n_classes
    ).reshape(-1, n_classes)
    missing = np.bincount(codes[gone], weight[gone], n_classes)
    order_of_classes = np.argsort(-(table_of.sum(axis=0) + missing), kind="stable")[:12]
    present = [c for c in order_of_classes.tolist() if table_of[:, c].any() or missing[c] > 0]
    found["classes"] = present
    found["counts"] = [[rounded(v) for v in table_of[:, c].tolist()] for c in present]
    if gone.any():
        found["missing"] = [rounded(missing[c]) for c in present]
    return found
