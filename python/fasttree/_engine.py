"""Calls of the Rust core: the only module that imports ``fasttree._core``, but for its version.

What
    Tables are encoded here, once each, and the handle is kept in the Table; configurations travel
    as JSON. Models pickle as the bytes of a model file.
Complexity
    Encoding is one pass over the cells (about 10 ns a number when thresholds are searched, 1 ns a
    code).
When not to use it
    From outside the package: names and signatures may change.
"""

from __future__ import annotations

import copyreg
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._checks import threads
from ._core import (
    ArffReader,
    BayesModel,
    DelimitedReader,
    FileFault,
    Forest,
    InternalError,
    Model,
)
from .rendering.progress import make_report

if TYPE_CHECKING:
    from .table import Column, Table

__all__ = [
    "ArffReader",
    "BayesModel",
    "DelimitedReader",
    "FileFault",
    "Forest",
    "InternalError",
    "Model",
    "agreement_counts",
    "bag_counts",
    "bayes_fit",
    "bayes_model_from_bytes",
    "bin_cuts",
    "blocks_of",
    "core",
    "core_version",
    "criteria_registry",
    "cross_validate",
    "dataset_of",
    "exercise",
    "explain",
    "fit",
    "fixed_matrices",
    "float32_conflicts",
    "forest_fit",
    "forest_from_bytes",
    "genotype_scores",
    "genotype_tests",
    "label_of",
    "make_report",
    "minimal_tree",
    "model_from_bytes",
    "network_counts",
    "network_exact",
    "network_exact_memory",
    "network_search",
    "network_tables_cost",
    "optimal_tree",
    "pair_block_scores",
    "pair_counts",
    "permutation_losses",
    "plain",
    "prune",
    "schema_text",
    "score_features",
    "score_tables",
    "simd_level",
]

Progress = Any


def core_version() -> str:
    """Version of the compiled core."""
    return str(_core.__version__)


def model_from_bytes(data: bytes) -> Model:
    """A core model from the bytes of a model file."""
    return Model.from_bytes(data)


def forest_from_bytes(data: bytes) -> Forest:
    """A forest of the core from the bytes of a model file."""
    return Forest.from_bytes(data)


def bayes_model_from_bytes(data: bytes) -> BayesModel:
    """A Bayesian classifier's core model from its bytes."""
    return BayesModel.from_bytes(data)


copyreg.pickle(Model, lambda model: (model_from_bytes, (model.to_bytes(),)))
copyreg.pickle(Forest, lambda forest: (forest_from_bytes, (forest.to_bytes(),)))
copyreg.pickle(_core.PairCounts, lambda c: (_core.PairCounts.from_parts, tuple(c.parts())))
copyreg.pickle(BayesModel, lambda model: (bayes_model_from_bytes, (model.to_bytes(),)))


def plain(label: Any) -> bool | int | float | str:
    """A label as JSON knows it: bool, int, float or str (NumPy scalars unwrapped, anything else by
    ``str``)."""
    if isinstance(label, np.generic):
        label = label.item()
    return label if isinstance(label, bool | int | float | str) else str(label)


def label_of(value: bool | int | float | str) -> bool | int | float | str:
    """A label from JSON; the inverse of `plain` for JSON's own types."""
    return value


def schema_json(table: Table) -> str:
    """Names, kinds, declared levels and classes of a Table as the core reads them."""
    block = table.block
    if block is not None and block.dtype.kind == "f":
        features: list[dict[str, Any]] = [
            {"name": n, "kind": "numeric"} for n in table.feature_names
        ]
    else:
        features = [
            {"name": c.name, "kind": "numeric"}
            if c.kind == "numeric"
            else {"name": c.name, "kind": "nominal", "levels": [plain(v) for v in c.levels or ()]}
            for c in table.columns
        ]
    return schema_text(features, table.classes, table.target or "class")


def schema_text(features: list[dict[str, Any]], classes: Sequence[Any], target: str) -> str:
    """The same of features as dicts."""
    labels = [plain(c) for c in classes]
    return json.dumps({"features": features, "classes": labels, "target": target})


def blocks_of(columns: Sequence[Column]) -> list[np.ndarray]:
    """Columns as 2-D arrays in feature order, as the core takes them."""
    return [_block(c.values, c.kind == "numeric") for c in columns]


def _block(values: np.ndarray, numeric: bool) -> np.ndarray:
    if values.ndim == 1:
        values = values[:, None]
    if numeric:
        return values if values.dtype in (np.float64, np.float32) else values.astype(np.float64)
    return values if values.dtype in (np.int32, np.uint8) else values.astype(np.int32)


def dataset_of(table: Table, n_jobs: int | None = None) -> _core.Dataset:
    """The encoded rows of a Table (made on first use and kept there); refuses an `n_jobs` that
    means nothing."""
    threads(n_jobs)
    if table._encoded is None:
        codes = table.y_codes
        if len(table.classes) > 65_535:
            raise ValueError(f"{len(table.classes)} classes: at most 65,535 are supported")
        block = table.block
        blocks = (
            [_block(block, block.dtype.kind == "f")]
            if block is not None
            else blocks_of(table.columns)
        )
        table._encoded = _core.Dataset(schema_json(table), codes.astype(np.uint16), blocks, n_jobs)
    dataset: _core.Dataset = table._encoded
    return dataset


def _rows(rows: Any) -> np.ndarray | None:
    return None if rows is None else np.ascontiguousarray(rows, dtype=np.int64)


def _weights(weights: Any) -> np.ndarray | None:
    return None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)


def fit(
    table: Table,
    config: dict[str, Any],
    *,
    rows: Any = None,
    sample_weight: Any = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Model:
    """Fit one model; `custom` is a user's criterion."""
    binned = config.get("threshold_search") == "histogram" and custom is None and rows is None
    if binned and table._encoded is None and table.block is not None:
        model = _fit_numbers(table, config, sample_weight, n_jobs, progress)
        if model is not None:
            return model
    data = dataset_of(table, n_jobs)
    return data.fit(
        json.dumps(config),
        _rows(rows),
        _weights(sample_weight),
        custom,
        n_jobs,
        make_report(progress, "growing"),
    )


def _fit_numbers(
    table: Table, config: dict[str, Any], weights: Any, n_jobs: int | None, progress: Progress
) -> Model | None:
    """Grow on a block of numbers without an encoded copy of it; None where that does not serve."""
    block = table.block
    if block is None or block.dtype.kind != "f" or len(table.classes) > 255:
        return None
    threads(n_jobs)
    return _core.fit_numbers(
        schema_json(table),
        table.y_codes.astype(np.uint16),
        _block(block, True),
        json.dumps(config),
        _weights(weights),
        n_jobs,
        make_report(progress, "growing"),
    )


def forest_fit(
    table: Table,
    config: dict[str, Any],
    bagging: dict[str, Any],
    *,
    out_of_bag: bool = False,
    before: tuple[Forest, int] | None = None,
    sample_weight: Any = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Forest:
    """Grow a forest; `out_of_bag` keeps the votes of the trees on the rows that they did not see,
    `before` are its first trees with the number for their rows."""
    data, texts = dataset_of(table, n_jobs), (json.dumps(config), json.dumps(bagging))
    weights, report = _weights(sample_weight), make_report(progress, "trees")
    return _core.forest_fit(data, *texts, out_of_bag, weights, custom, n_jobs, report, before)


def bag_counts(
    table: Table,
    config: dict[str, Any],
    draws: int,
    seeds: Sequence[int],
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """How often the sample of each tree, named by its seed, holds each row, shape (n_trees,
    n_rows)."""
    data = dataset_of(table, n_jobs)
    return _core.bag_counts(data, json.dumps(config), draws, seeds, _weights(sample_weight), n_jobs)


def permutation_losses(
    forest: Forest,
    table: Table,
    config: dict[str, Any],
    draws: int,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> np.ndarray:
    """Loss of accuracy out of the bag when one feature is shuffled, shape (n_trees, n_features)."""
    data, weights = dataset_of(table, n_jobs), _weights(sample_weight)
    return _core.permutation_losses(
        forest, data, json.dumps(config), draws, weights, n_jobs, make_report(progress, "trees")
    )


def float32_conflicts(table: Table, model: Model | Forest) -> list[tuple[int, float, float]]:
    """(feature, value, threshold) of training values that rounding to float32 moves over a
    threshold; none are known of rows that were not encoded (histograms of a block of numbers)."""
    if table._encoded is None:
        return []
    return _core.float32_conflicts(table._encoded, model)


def prune(
    model: Model,
    config: dict[str, Any],
    parameters: str,
    table: Table | None = None,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Model:
    """A model with its tree pruned by ``config["pruning"]`` and ``config["merge_redundant"]``."""
    method, merged = (
        None if config[k] is None else json.dumps(config[k]) for k in ("pruning", "merge_redundant")
    )
    data = None if table is None else dataset_of(table, n_jobs)
    costs = json.dumps(config.get("cost_matrix"))
    return model.prune(parameters, method, merged, data, _weights(sample_weight), n_jobs, costs)


def cost_complexity_path(
    model: Model, impurity: str, costs: list[list[float]] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Alphas and impurities (expected costs, with a matrix) of minimal cost-complexity pruning,
    each (n_trees,)."""
    return model.cost_complexity_path(impurity, json.dumps(costs))


def score_features(
    table: Table,
    config: dict[str, Any],
    *,
    rows: Any = None,
    sample_weight: Any = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> np.ndarray:
    """One score a feature, NaN where the feature allows no split."""
    data, weights = dataset_of(table, n_jobs), _weights(sample_weight)
    return data.score_features(
        json.dumps(config), _rows(rows), weights, custom, n_jobs, make_report(progress, "scoring")
    )


def explain(
    table: Table,
    config: dict[str, Any],
    *,
    rows: Any = None,
    sample_weight: Any = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
) -> list[tuple[int, float | None, list[int] | None, float]]:
    """All candidate splits of some rows: (feature, threshold or None, codes on the first branch or
    None, score)."""
    data = dataset_of(table, n_jobs)
    return data.explain(json.dumps(config), _rows(rows), _weights(sample_weight), custom, n_jobs)


def cross_validate(
    table: Table,
    configs: Sequence[dict[str, Any]],
    folds: Sequence[tuple[Any, Any]],
    *,
    sample_weight: Any = None,
    proba: bool = False,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> dict[str, np.ndarray]:
    """Every configuration on every fold; see `_core.Dataset.cross_validate` for the arrays."""
    pairs = [
        (np.ascontiguousarray(train, dtype=np.int64), np.ascontiguousarray(test, dtype=np.int64))
        for train, test in folds
    ]
    data = dataset_of(table, n_jobs)
    texts = [json.dumps(c) for c in configs]
    return data.cross_validate(
        texts, pairs, _weights(sample_weight), proba, n_jobs, make_report(progress, "fits")
    )


def pair_counts(
    table: Table,
    rows: Any = None,
    others: Any = None,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> _core.PairCounts:
    """Counts of ordered pairs of a Table of nominal features, from `rows` to all rows, or both ways
    between `rows` and `others`; weights are copies of rows."""
    data, report = dataset_of(table, n_jobs), make_report(progress, "pairs")
    how = (_weights(sample_weight), n_jobs, report)
    if others is not None:
        return _core.pair_counts_across(data, rows, others, *how)
    return _core.pair_counts(data, _rows(rows), *how)


def agreement_counts(
    table: Table,
    subsets: Sequence[Sequence[int]],
    shares: bool,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> np.ndarray:
    """Ordered pairs that agree on subsets of features, shape (subsets, features, 4); `shares`: each
    value's with its share of the rows."""
    features = np.array([k for subset in subsets for k in subset], dtype=np.uint32)
    ends = np.cumsum([len(subset) for subset in subsets], dtype=np.int64)
    weights = _weights(sample_weight)
    return _core.agreement_counts(
        dataset_of(table, n_jobs),
        features,
        ends,
        shares,
        weights,
        n_jobs,
        make_report(progress, "work"),
    )


def pair_block_scores(
    table: Table,
    blocks: Sequence[np.ndarray],
    metric: str,
    setting: tuple[tuple[float, float, float, float], float, str, float],
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    asked: tuple[int, int] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the pairs of different rows by pair of blocks (pairs of blocks, features), and over
    all self-pairs (features,). `setting`: theta, alpha, decay, at_zero. `asked`: the first of the
    pairs of blocks, and the one after the last."""
    rows = np.concatenate(blocks).astype(np.int64)
    ends = np.cumsum([len(block) for block in blocks], dtype=np.int64)
    data, weights = dataset_of(table, n_jobs), _weights(sample_weight)
    report = make_report(progress, "work")
    return _core.pair_block_scores(
        data, rows, ends, metric, *setting, weights, n_jobs, report, asked
    )


def fixed_matrices(
    table: Table,
    setting: tuple[tuple[float, float, float, float], float, str, float],
    rows: Any = None,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> list[np.ndarray]:
    """R of every feature under one setting (theta, alpha, decay, at_zero), pairs weighed in fixed
    point; weights are copies of rows."""
    weights = _weights(sample_weight)
    return _core.fixed_matrices(
        dataset_of(table, n_jobs),
        *setting,
        _rows(rows),
        weights,
        n_jobs,
        make_report(progress, "work"),
    )


def stream_scores(
    codes: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    criterion: str,
    options: dict[str, Any],
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> np.ndarray:
    """One score a column of a C-contiguous uint8 array, read where it lies."""
    threads(n_jobs)
    weights = _weights(sample_weight)
    return _core.stream_scores(
        codes,
        classes,
        n_classes,
        criterion,
        json.dumps(options),
        weights,
        n_jobs,
        make_report(progress, "work"),
    )


def bayes_fit(
    table: Table, config: dict[str, Any], *, sample_weight: Any = None, n_jobs: int | None = None
) -> BayesModel:
    """Fit naive Bayes, TAN or AODE."""
    data = dataset_of(table, n_jobs)
    return _core.bayes_fit(data, json.dumps(config), _weights(sample_weight), n_jobs)


def network_tables_cost(
    table: Table, config: dict[str, Any], parents: list[list[int]], *, sample_weight: Any = None
) -> tuple[list[float], list[float]]:
    """(message length, likelihood) of each column's table given its parents, the class last."""
    data = dataset_of(table)
    return _core.network_tables_cost(data, json.dumps(config), parents, _weights(sample_weight))


def network_counts(
    table: Table, config: dict[str, Any], parents: list[list[int]], *, sample_weight: Any = None
) -> tuple[list[np.ndarray], list[int | None]]:
    """Counts of (configuration of the parents, value), flat, and what replaces missing cells."""
    data = dataset_of(table)
    return _core.network_counts(data, json.dumps(config), parents, _weights(sample_weight))


def network_search(
    table: Table,
    config: dict[str, Any],
    search: dict[str, Any],
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> tuple[dict[str, Any], np.ndarray]:
    """What a search found, and the sampled arc probabilities before cleaning."""
    data, texts = dataset_of(table, n_jobs), (json.dumps(config), json.dumps(search))
    text, arcs = _core.network_search(data, *texts, _weights(sample_weight), n_jobs, progress)
    return json.loads(text), arcs


def network_exact_memory(table: Table, config: dict[str, Any]) -> int:
    """Bytes that `network_exact` holds at most."""
    return _core.network_exact_memory(dataset_of(table), json.dumps(config))


def network_exact(
    table: Table,
    config: dict[str, Any],
    max_memory: int,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> tuple[float, np.ndarray, list[list[int]], list[int]]:
    """(log evidence, arc probabilities, best parents, best order) over all ordered networks."""
    data, text = dataset_of(table, n_jobs), json.dumps(config)
    return _core.network_exact(data, text, max_memory, _weights(sample_weight), n_jobs, progress)


def minimal_tree(
    table: Table,
    limits: dict[str, Any],
    minimise_errors: bool,
    parameters: str,
    *,
    sample_weight: Any = None,
    progress: Progress = None,
) -> Model:
    """The smallest consistent tree; its parameters hold what was found."""
    data = dataset_of(table)
    return _core.minimal_tree(
        data,
        json.dumps(limits),
        minimise_errors,
        parameters,
        _weights(sample_weight),
        make_report(progress, "search"),
    )


def optimal_tree(
    table: Table,
    objective: dict[str, Any],
    limits: dict[str, Any],
    parameters: str,
    *,
    sample_weight: Any = None,
    progress: Progress = None,
) -> Model:
    """The tree of least errors + penalty x leaves; its parameters hold what was found."""
    data, words = dataset_of(table), (json.dumps(objective), json.dumps(limits))
    return _core.optimal_tree(
        data, *words, parameters, _weights(sample_weight), make_report(progress, "work")
    )


def criteria_registry() -> list[dict[str, Any]]:
    """The registry of criteria as the core declares it."""
    registry: list[dict[str, Any]] = json.loads(_core.criteria_json())
    return registry


core = _core  # the functions on rows in batches and partitions are called as they are
score_tables = _core.score_tables
genotype_scores = _core.genotype_scores
genotype_tests = _core.genotype_tests
bin_cuts = _core.bin_cuts
exercise = _core.exercise
simd_level = _core.simd_level
