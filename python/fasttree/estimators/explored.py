"""The method `explore` of trees and forests, which makes an interactive page.

What
    `explored` collects the document of the page: the trees; for given rows, a histogram of each
    node's feature by class, and in a tree for numbers the distribution of the target; and the
    scores of the candidates of nodes by several criteria (`explored_candidates`). The page itself
    is in `exports.explorer`, and `ExplorerLimits` bounds its size.
Decisions
    The caller gives the rows, as a fitted model does not keep its training rows. A criterion that
    does not support fractional instances scores rows with missing values on a branch of their own,
    weighted by their share.
Complexity
    O(rows) per node for histograms; one search of a node per criterion for candidates.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from .. import criteria as registry
from .._checks import object_with, shown
from .._checks.aliases import MaybeArray
from .._checks.data_warnings import warnings_about
from .._checks.naming import display_name, shown_criterion, splits_by_significance
from .._checks.words import counted
from ..exports.answers import Scale, figures
from ..exports.explorer import Exploration, ExplorerLimits, TreeData
from ..exports.explorer.trees import name_of, rounded
from ..exports.palette import VALUES
from ..exports.reading import Feature
from ..table import Table
from .candidates import divides_rows, rows_by_node
from .constraints import constraints_given
from .explored_candidates import Rows, candidates, traced
from .honest import known_intervals
from .idle import CONDITIONS, defaults_of, is_idle
from .labelled_rows import labelled
from .new_rows import encode_rows

MAX_LEVELS = 500
"""Largest number of levels of a feature whose names are kept."""

MAX_CUTS = 50
"""Largest number of thresholds drawn in a histogram."""

MAX_CLASSES = 12
"""Largest number of classes in a histogram; the classes with the most weight are shown."""

MAX_BARS = 24
"""Largest number of bars in the distribution of a numeric target."""


def explore(
    fitted: Any,
    X: Any = None,
    y: MaybeArray = None,
    *,
    beside: Any = None,
    criteria: Iterable[Any] | None = None,
    title: str = "",
    stability: Any = None,
    **limits: int,
) -> Exploration:
    """The tree as an interactive page.

    The page folds and searches the tree, follows a row, and lists the candidates of a node by
    every criterion. It needs no network and contains the rows that it shows (`max_rows`). It
    displays in a notebook; ``save(path)`` writes it to a file, ``open()`` opens a browser. A node
    has its p-value with ``selection="significance"``, a leaf its interval with `honest`.

    Args:
        X: rows, usually the training rows: a Table, an array or frame, or the name of a data
            set. None: the page has no histograms and no rows, and candidates only if the tree
            was fitted with ``trace="candidates"``.
        y: their labels or numbers, unless X has them.
        beside: a second tree on the page: a fitted model, or a criterion with which this model is
            fitted again on the rows; if this model is a tree by significance whose cuts no
            criterion chooses, the second tree is grown by the scores of the criterion, with the
            same limits.
        criteria: criteria that score the candidates, in addition to the tree's own; by default all
            criteria on tables, or for a regression tree all criteria on numbers.
        title: heading of the page.
        stability: the result of ``model.stability(X, y)``; the page then shows the share of each
            test.
        **limits: fields of `fasttree.exports.explorer.ExplorerLimits`:
            ``max_nodes``, ``max_rows``, ``max_candidates``, ``candidate_nodes``,
            ``candidate_rows``, ``max_histograms``, ``max_trees``, ``bins``.

    Raises:
        ValueError: `beside` is a criterion and there are no rows, a limit outside its domain,
            or a label that is not a class of the model.
        TypeError: a limit that does not exist.

    Examples:
        >>> import fasttree
        >>> model = fasttree.fit("weather")
        >>> page = model.explore("weather", beside="gain_ratio")
        >>> [tree["name"] for tree in page.document["trees"]]
        ['info_gain', 'gain_ratio']
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(fitted, "_model")
    models: list[tuple[str, Any]] = [(_name_of_model(fitted), fitted)]
    with warnings_about():
        if beside is not None:
            name, second = _second_model(fitted, beside, X, y)
            models.append((f"{name}, beside" if name == models[0][0] else name, second))
        asked = ExplorerLimits(**limits)
        options: dict[str, Any] = {"criteria": criteria, "title": title, "stability": stability}
        return explored(models, X, y, limits=asked, **options)


def _name_of_model(model: Any) -> str:
    """The name of a model on the page: its criterion or its test, or else its class."""
    if getattr(model, "criterion", None) is None:
        return type(model).__name__
    if splits_by_significance(model):
        return shown_criterion(model)
    if registry.is_of_trees(model.criterion):
        return str(model.criterion)
    return registry.name_of(model.criterion) or display_name(model.criterion)


def _second_model(model: Any, beside: Any, X: Any, y: Any) -> tuple[str, Any]:
    """The model that the argument `beside` stands for.

    Args:
        model: the first model.
        beside: a fitted model, or a criterion, by which `model` is fitted again.
        X, y: the rows for that fit.

    Returns:
        Name and model.
    """
    if hasattr(beside, "_model") or hasattr(beside, "tree_"):
        return _name_of_model(beside), beside
    if X is None:
        raise ValueError(
            f"beside={shown(beside)} is a criterion: give the training rows, explore(X, y, "
            "beside=...), or a fitted model"
        )
    from sklearn.base import clone

    other = clone(model).set_params(criterion=beside)
    if splits_by_significance(other) and other.cut != "criterion":  # no criterion would act
        kind: Any = type(other)
        usual = defaults_of(kind)
        other.set_params(selection=usual["selection"])
        for name in filter(partial(is_idle, other), CONDITIONS):
            other.set_params(**{name: usual[name]})
    return _name_of_model(other), other.fit(*model._resolve_names(X, y))


def _rows(model: Any, X: Any, y: Any) -> Rows | None:
    """The rows that `explore` was given, with the levels and classes of the model; None without
    rows."""
    if X is None:
        return None
    X, y = model._resolve_names(X, y)
    weights = X.sample_weight if isinstance(X, Table) else None
    table = labelled(model._schema, X, y)
    return Rows(table, encode_rows(model._schema, table)[0], weights)


def _trees(models: Sequence[tuple[str, Any]], limits: ExplorerLimits) -> tuple[list[TreeData], int]:
    """The trees of the page, at most `limits.max_trees` of each forest, and the number of all
    trees of the models."""
    kept: list[tuple[str, Any]] = []
    n_trees = 0
    for name, model in models:
        if not hasattr(model, "estimators_"):
            kept.append((name, model))
            n_trees += 1
            continue
        forest = model.estimators_
        n_trees += len(forest)
        for t in range(min(len(forest), limits.max_trees)):
            kept.append((f"{name}, tree {t + 1}", forest[t]))
    most = max(1, limits.max_nodes // len(kept))
    trees = [TreeData(model, name, most) for name, model in kept]
    for tree in trees:
        tree.intervals = known_intervals(tree.model)
    return trees, n_trees


def explored(
    models: Sequence[tuple[str, Any]],
    X: Any = None,
    y: MaybeArray = None,
    *,
    criteria: Iterable[Any] | None = None,
    title: str = "",
    limits: ExplorerLimits,
    stability: Any = None,
    roots: dict[str, Any] | None = None,
) -> Exploration:
    """The page of several fitted models; see `explore`.

    The first model gives the columns, the classes and the candidates of the page; the others are
    drawn beside it. `explore` calls it with one or two models, `FirstTests.explore` and reports
    with several.

    Args:
        models: (name, model) of each, with the same columns and classes.
        X, y, criteria, title: as in `explore`.
        limits: limits of the content.
        stability: the `Stability` of the first model, as in `explore`.
        roots: what the page lists of the first tests of the models: ``within``, the distance to
            the optimum; ``of``, how many first tests there are; by model ``objective``, ``more``
            (than the optimum) and ``tests`` (of the same feature, within the distance). None: no
            list.

    Raises:
        ValueError: models of different columns or classes, or as in `explore`.
    """
    first = models[0][1]
    for name, model in models[1:]:
        same = model._schema.names == first._schema.names
        if not same or list(model._schema.classes) != list(first._schema.classes):
            raise ValueError(f"{name} has other columns or classes than {models[0][0]}")
    rows = _rows(first, X, y)
    # The trees. `notes` state what is left out.
    trees, n_trees = _trees(models, limits)
    if stability is not None:
        object_with("what stability(X, y) of this tree found", "sentence_of")(
            "stability", stability
        )
        if hasattr(first, "estimators_"):
            raise ValueError("stability is known of single trees, not of a forest: leave it out")
        trees[0].stability = stability
    notes = [f"{len(trees)} of {counted(n_trees, 'tree')}"] if len(trees) < n_trees else []
    notes += stability.caution() if stability is not None else []
    nodes, kept = sum(t.reading.tree.node_count for t in trees), sum(len(t.kept) for t in trees)
    if kept < nodes:
        notes.append(f"{kept:,} of {counted(nodes, 'node')}, those with the most rows")
    # What needs rows: histograms and candidates.
    listed: list[dict[str, Any]] = []
    scale = _shared_scale(trees)
    if rows is not None:
        notes += _add_histograms(trees, rows, scale, limits)
        listed, more = candidates(trees, rows, criteria, limits)
        notes += more
        notes += _constrained(models)
    else:
        listed = traced(trees, limits)
        notes.append("no rows were given: no histograms and no rows to follow")
    # The page knows only features that occur, by their index among these.
    used = sorted(
        set().union(*(t.features() for t in trees))
        | {f for t in trees for c in t.candidates.values() for f in c["feature"]}
    )
    index = {f: i for i, f in enumerate(used)}
    for tree in trees:
        for of_node in tree.candidates.values():
            of_node["feature"] = [index[f] for f in of_node["feature"]]
    stored, note = _rows_to_follow(rows, used, limits)
    return Exploration(
        {
            "title": name_of(title or _title(models)),
            "classes": [name_of(c) for c in trees[0].reading.classes] or _parts(scale),
            "number": None if scale is None else {"edges": scale.edges},
            "target": name_of(trees[0].reading.target),
            "features": [_feature(trees[0].reading.features[f], rows, f) for f in used],
            "criteria": listed,
            "rows": stored,
            "forest": n_trees > len(models),
            "roots": roots,
            "trees": [tree.document(index) for tree in trees],
            "kept": [*notes, *note],
        }
    )


def _constrained(models: Sequence[tuple[str, Any]]) -> list[str]:
    """A sentence for each model that was grown under constraints: its candidates include splits
    that these forbid."""
    constraints = (
        (name, constraints_given(model.get_params(deep=False))) for name, model in models
    )
    return [
        f"{name}: candidates include splits that {' and '.join(given)} may forbid"
        for name, given in constraints
        if given
    ]


def _title(models: Sequence[tuple[str, Any]]) -> str:
    """The default heading: ``Trees for species by gini and info_gain``."""
    schema = json.loads(models[0][1]._model.schema_json())
    names = " and ".join(name for name, _ in models)
    noun = "Forest" if hasattr(models[0][1], "estimators_") else "Tree"
    return f"{noun if len(models) == 1 else f'{noun}s'} for {schema['target']} by {names}"


def _feature(feature: Feature, rows: Rows | None, index: int) -> dict[str, Any]:
    """A feature as plain values: name, levels or range, and imputed value.

    Args:
        feature: the feature.
        rows: the rows of the page, or None.
        index: number of its column.
    """
    levels = feature.levels
    document: dict[str, Any] = {"name": name_of(feature.name), "levels": None}
    if levels is not None:
        document["levels"] = [name_of(level) for level in levels[:MAX_LEVELS]]
    elif rows is not None:
        values = np.asarray(rows.table.columns[index].values, dtype=np.float64)
        values = values[np.isfinite(values)]
        if values.size:
            document["range"] = [rounded(values.min()), rounded(values.max())]
    if feature.fill is not None:
        document["fill"] = feature.fill
    return document


def _rows_to_follow(
    rows: Rows | None, used: list[int], limits: ExplorerLimits
) -> tuple[dict[str, Any] | None, list[str]]:
    """The rows that can be followed on the page, and a note if some are left out.

    Args:
        rows: all rows, or None.
        used: numbers of the features of the page.
        limits: limits of the page.

    Returns:
        The rows as plain values by column: numbers with all digits, codes of levels, None for
        missing values. None without rows.
    """
    if rows is None or limits.max_rows == 0:
        return None, []
    n = len(rows.table)
    kept = np.unique(np.linspace(0, n - 1, min(n, limits.max_rows)).round().astype(int))
    columns = []
    for f in used:
        column = rows.table.columns[f]
        values, missing = np.asarray(column.values)[kept], column.is_missing[kept]
        columns.append([None if m else v for v, m in zip(values.tolist(), missing, strict=True)])
    note = [f"{len(kept):,} of {counted(n, 'row')}, evenly spaced"] if len(kept) < n else []
    label = _target(rows)[kept].tolist()
    return {"of": n, "row": kept.tolist(), "label": label, "columns": columns}, note


# -- a numeric target -----------------------------------------------------------------------------


def _target(rows: Rows) -> np.ndarray:
    """Codes of the classes of rows, or their numbers."""
    table = rows.table
    return np.asarray(table.numbers if table.task == "regression" else table.y_codes)


def _shared_scale(trees: list[TreeData]) -> Scale | None:
    """One scale for the numbers of all trees, which is set on each; None for classes."""
    scales = [tree.scale for tree in trees if tree.scale is not None]
    if not scales:
        return None
    shared = Scale(min(s.low for s in scales), max(s.high for s in scales))
    for tree in trees:
        tree.scale = shared
    return shared


def _parts(scale: Scale | None) -> list[str]:
    """The parts of a scale in words, which a page shows in place of classes; empty for classes."""
    if scale is None:
        return []
    if not scale.high > scale.low:
        return [figures(scale.low)] * len(VALUES)
    ends = [figures(edge) for edge in scale.edges]
    inner = [f"{low} to {high}" for low, high in pairwise(ends)]
    return [f"up to {ends[0]}", *inner, f"above {ends[-1]}"]


def _coded(rows: Rows, scale: Scale | None) -> tuple[np.ndarray, int]:
    """Codes of the classes of rows, or of the parts of the scale of their numbers, and how many
    codes there are."""
    target = _target(rows)
    if scale is None:
        return target, len(rows.table.classes)
    return scale.steps(target), len(VALUES)


def _spread_of(
    numbers: np.ndarray, codes: np.ndarray, n_codes: int
) -> Callable[[np.ndarray, np.ndarray], dict[str, Any]]:
    """A function of rows and their weights that gives the distribution of their numbers.

    Args:
        numbers: the target of all rows, shape (n_rows,).
        codes: the part of the scale of each, shape (n_rows,).
        n_codes: number of parts.
    """
    low, high = float(numbers.min()), float(numbers.max())
    bars = MAX_BARS if high > low else 1
    width = (high / bars - low / bars) or 1.0
    bar_of = np.minimum(((numbers - low) / width).astype(np.int64), bars - 1)

    def spread(reached: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
        here = numbers[reached]
        by_code = np.bincount(codes[reached], weight, n_codes)
        return {
            "counts": [v for c in np.flatnonzero(by_code) for v in (int(c), rounded(by_code[c]))],
            "spread": {
                "range": [rounded(low), rounded(high)],
                "bars": [rounded(v) for v in np.bincount(bar_of[reached], weight, bars)],
                "box": [rounded(v) for v in np.quantile(here, (0, 0.25, 0.5, 0.75, 1))],
            },
        }

    return spread


# -- histograms -----------------------------------------------------------------------------------


def _rows_of_nodes(tree: TreeData, rows: Rows) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """A function that gives the rows that reach a node, ascending, and their weights there."""
    model, n, weight = tree.model, len(rows.table), rows.weight
    is_divided = divides_rows(model) and any(column.n_missing for column in rows.table.columns)
    leaves, ends = model._model.apply(rows.blocks, n), tree.reading.tree.subtree_ends()
    rows_of = rows_by_node(leaves, ends)

    def reaching(node: int) -> tuple[np.ndarray, np.ndarray]:
        if not is_divided:
            reached = np.sort(rows_of(node))
            return reached, weight[reached]
        fraction = model._model.reach(rows.blocks, n, node)
        reached = np.flatnonzero(fraction)
        return reached, fraction[reached] * weight[reached]

    return reaching


def _add_histograms(
    trees: list[TreeData], rows: Rows, scale: Scale | None, limits: ExplorerLimits
) -> list[str]:
    """Add histograms to the nodes with the most rows, and distributions of a number.

    Returns:
        Notes on the nodes without a histogram.
    """
    codes, n_codes = _coded(rows, scale)
    spread = None if scale is None else _spread_of(_target(rows), codes, n_codes)
    per_tree = max(1, limits.max_histograms // len(trees)) if limits.max_histograms else 0
    for tree in trees:
        rows_of = _rows_of_nodes(tree, rows)
        for node in tree.inner()[:per_tree].tolist():
            reached, weight = rows_of(node)
            if len(reached):
                tree.histograms[node] = _histogram(
                    tree,
                    node,
                    rows.table,
                    rows=reached,
                    codes=codes[reached],
                    n_codes=n_codes,
                    weight=weight,
                    bins=limits.bins,
                )
        if spread is None:
            continue
        for node in tree.heaviest(tree.kept)[:per_tree].tolist():
            reached, weight = rows_of(node)
            if len(reached):
                tree.spreads[node] = spread(reached, weight)
    notes = _left_out("histograms", [len(tree.inner()) for tree in trees], per_tree)
    if spread is None:
        return notes
    return _left_out("numbers", [len(tree.kept) for tree in trees], per_tree) + notes


def _left_out(what: str, n_nodes: list[int], per_tree: int) -> list[str]:
    """A note if some nodes of the trees are left out."""
    kept, total = sum(min(per_tree, n) for n in n_nodes), sum(n_nodes)
    return [f"{what} of {kept:,} of {counted(total, 'node')}"] if kept < total else []


def _histogram(
    tree: TreeData,
    node: int,
    table: Table,
    *,
    rows: np.ndarray,
    codes: np.ndarray,
    n_codes: int,
    weight: np.ndarray,
    bins: int,
) -> dict[str, Any]:
    """Weights of the rows of a node by class, or part of the scale, and by bin or level of the
    tested feature.

    Args:
        tree, node: the node.
        table: all rows.
        rows, codes, weight: the rows of the node, their classes and weights, (n_here,) each.
        n_codes: number of classes.
        bins: largest number of bars.
    """
    f = tree.reading.feature[node]
    values = np.asarray(table.columns[f].values)[rows]
    missing = table.columns[f].is_missing[rows]
    present_cells, feature = values[~missing], tree.reading.features[f]
    if feature.levels is None:
        threshold = float(tree.reading.tree.threshold[node])
        cuts = feature.cuts or () if np.isnan(threshold) else (threshold,)
        bar_of, bins, document = _bins_of(present_cells, cuts, bins)
    else:
        bar_of, bins, document = _bars_of(
            present_cells, weight[~missing], len(feature.levels), bins
        )
    # Weights by bar and class, and the weights of missing values.
    counts = np.bincount(
        bar_of * n_codes + codes[~missing], weight[~missing], max(bins, 1) * n_codes
    ).reshape(-1, n_codes)
    of_missing = np.bincount(codes[missing], weight[missing], n_codes)
    by_weight = np.argsort(-(counts.sum(axis=0) + of_missing), kind="stable")[:MAX_CLASSES]
    present = [c for c in by_weight.tolist() if counts[:, c].any() or of_missing[c] > 0]
    if tree.scale is not None:  # the parts of a scale have an order
        present.sort()
    document["classes"] = present
    document["counts"] = [[rounded(v) for v in counts[:, c].tolist()] for c in present]
    if missing.any():
        document["missing"] = [rounded(of_missing[c]) for c in present]
    return document


def _bins_of(
    numbers: np.ndarray, cuts: Iterable[float], bins: int
) -> tuple[np.ndarray, int, dict[str, Any]]:
    """Bins of equal width for numbers; one bin if all are equal.

    Returns:
        The bin of each number, the number of bins, and as plain values their range and the cuts in
        it.
    """
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
    width = (high - low) / bins
    document = {
        "range": [rounded(low), rounded(high)],
        "cuts": [rounded(c) for c in cuts if low <= c <= high][:MAX_CUTS],
    }
    if not width > 0:
        return np.zeros(len(numbers), dtype=np.int64), 1, document
    return np.minimum(((numbers - low) / width).astype(np.int64), bins - 1), bins, document


def _bars_of(
    codes: np.ndarray, weight: np.ndarray, n_levels: int, most: int
) -> tuple[np.ndarray, int, dict[str, Any]]:
    """Bars for levels: one for each of the levels with the most weight, and if there are more than
    `most` levels, a last bar for all others.

    Returns:
        The bar of each code, the number of bars, and as plain values the levels that have one.
    """
    sums = np.bincount(codes, weight, n_levels)
    order = np.argsort(-sums, kind="stable")
    order = order[sums[order] > 0]
    n_bars = min(len(order), most)
    named = np.sort(order if len(order) <= most else order[: most - 1])
    bar_of_level = np.full(n_levels, len(named))
    bar_of_level[named] = np.arange(len(named))
    return bar_of_level[codes], n_bars, {"levels": named.tolist()}
