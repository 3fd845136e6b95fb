"""Calls of the core that score features and count pairs of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._checks.aliases import MaybeArray
from .._checks.progress import Progress, make_report
from .encoding import as_rows, as_weights, dataset_of

if TYPE_CHECKING:
    from ..table import Table


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
