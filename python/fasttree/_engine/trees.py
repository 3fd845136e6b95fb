"""Calls of the core that grow, prune, explain and cross-validate trees and forests, score features
and count pairs of rows.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._checks.aliases import MaybeArray
from .._checks.progress import Progress, make_report
from .._core import Forest, Model
from .encoding import as_rows, as_weights, dataset_of, readable

if TYPE_CHECKING:
    from ..table import Table


def model_from_bytes(data: bytes) -> Model:
    """A model of the core from the bytes of a model file of a tree.

    Pickles name this function. The core validates everything before use: versions, checksum and
    each node.

    Raises:
        ValueError: truncated, damaged, or not a tree.
    """
    return Model.from_bytes(data)


def forest_from_bytes(data: bytes) -> Forest:
    """A forest of the core from the bytes of a model file; validated as in `model_from_bytes`.

    Raises:
        ValueError: truncated, damaged, or not a forest.
    """
    return Forest.from_bytes(data)


def fit(
    table: Table,
    config: dict[str, Any],
    *,
    rows: Any = None,
    sample_weight: MaybeArray = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    leaves: tuple[Table, MaybeArray] | None = None,
) -> Model:
    """Fit one model on rows of a Table.

    Args:
        table: the rows; its columns are encoded for the core at the first call.
        config: the configuration of the core, from `config_of`.
        rows: positions of the training rows; None: all.
        sample_weight: weights of all rows of the Table, shape (n_rows,), or None.
        custom: a user's function as criterion, which is called once per node.
        n_jobs: threads, as in scikit-learn; the model does not depend on them.
        progress: True, "auto" or a function (done, total).
        leaves: rows and their weights that nodes count instead of the rows that chose the tests,
            for honest trees.
    """
    data, report = dataset_of(table, n_jobs), make_report(progress, "growing")
    chosen, weights = as_rows(rows), as_weights(sample_weight)
    kept = (None, None) if leaves is None else (dataset_of(leaves[0], n_jobs), leaves[1])
    return _core.tree_fit(
        data, config, chosen, weights, custom, n_jobs, report, kept[0], as_weights(kept[1])
    )


def forest_fit(
    table: Table,
    config: dict[str, Any],
    bagging: dict[str, Any],
    *,
    out_of_bag: bool = False,
    before: tuple[Forest, int] | None = None,
    sample_weight: MaybeArray = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Forest:
    """Grow a forest.

    `out_of_bag` keeps the votes of the trees on the rows outside their samples; `before` is the
    forest of the first trees, with the hash of its rows.
    """
    data = dataset_of(table, n_jobs)
    weights, report = as_weights(sample_weight), make_report(progress, "trees")
    return _core.forest_fit(
        data, config, bagging, out_of_bag, weights, custom, n_jobs, report, before
    )


def cross_validate(
    table: Table,
    configs: Sequence[dict[str, Any]],
    folds: Sequence[tuple[Any, Any]],
    *,
    sample_weight: MaybeArray = None,
    proba: bool = False,
    n_jobs: int | None = None,
    progress: Progress = None,
    memory_limit: int | None = None,
) -> dict[str, np.ndarray]:
    """Fit every configuration on the training rows of every fold, and count its test rows.

    Columns are encoded and sorted once for all fits. See `_core.Dataset.cross_validate` for the
    arrays that are returned.

    Args:
        folds: (training rows, test rows) of each fold, as positions.
        proba: whether class probabilities of the test rows are returned, too.
        memory_limit: bytes that the fits may take together; None: no limit.
    """
    pairs = [(readable(train, np.int64), readable(test, np.int64)) for train, test in folds]
    data = dataset_of(table, n_jobs)
    weights, report = as_weights(sample_weight), make_report(progress, "fits")
    return data.cross_validate(configs, pairs, weights, proba, n_jobs, report, memory_limit)


copyreg.pickle(Model, lambda model: (model_from_bytes, (model.to_bytes(),)))
copyreg.pickle(Forest, lambda forest: (forest_from_bytes, (forest.to_bytes(),)))


def pair_counts(
    table: Table,
    rows: Any = None,
    others: Any = None,
    *,
    sample_weight: MaybeArray = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    memory_limit: int | None = None,
) -> _core.PairCounts:
    """Counts of ordered pairs of rows of a Table of nominal features.

    Pairs are from `rows` (None: all) to all rows, or, with `others`, both ways between `rows` and
    `others`. Weights are copies of rows.
    """
    data, report = dataset_of(table, n_jobs), make_report(progress, "pairs")
    how = (as_weights(sample_weight), n_jobs, report)
    if others is not None:
        return _core.pair_counts_across(data, rows, others, *how)
    return _core.pair_counts(data, as_rows(rows), *how, memory_limit)


def agreement_counts(
    table: Table,
    subsets: Sequence[Sequence[int]],
    shares: bool,
    *,
    sample_weight: MaybeArray = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> np.ndarray:
    """Ordered pairs that agree on subsets of features, shape (n_subsets, n_features, 4).

    `shares`: a pair counts with the share of its value in the rows.
    """
    features = np.array([k for subset in subsets for k in subset], dtype=np.uint32)
    ends = np.cumsum([len(subset) for subset in subsets], dtype=np.int64)
    weights = as_weights(sample_weight)
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
    sample_weight: MaybeArray = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    asked: tuple[int, int] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Sums over pairs of different rows, by pair of blocks of rows.

    Args:
        table: the rows.
        blocks: row numbers of each block.
        metric: name of the criterion.
        setting: theta, alpha, decay, at_zero.
        sample_weight, n_jobs, progress: as in `score_features`.
        asked: range of pairs of blocks to compute (first, end); None: all.

    Returns:
        Sums (n_pairs_of_blocks, n_features), and sums over all self-pairs (n_features,).
    """
    rows = np.concatenate(blocks).astype(np.int64)
    ends = np.cumsum([len(block) for block in blocks], dtype=np.int64)
    data, weights = dataset_of(table, n_jobs), as_weights(sample_weight)
    report = make_report(progress, "work")
    return _core.pair_block_scores(
        data, rows, ends, metric, *setting, weights, n_jobs, report, asked
    )
