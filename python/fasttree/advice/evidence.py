"""Whether any column tells something about the target: a permutation test of the best score.

What
    The score of each column at the root is compared with its scores under permutations of the
    target, in standard deviations; the largest over the columns is the statistic (Westfall & Young
    1993, single-step max-T), so that many columns do not make chance look like a find.
Complexity
    100 passes over at most 2,000 rows.
When not to use it
    Where rows depend on each other (groups), which a permutation ignores.
"""

from __future__ import annotations

import numpy as np

from ..feature_selection.features import score_features
from ..table import Table

__all__ = ["is_associated"]

PERMUTATIONS = 99
MOST_ROWS = 2_000
LEVEL = 0.03
"""Level of the test."""


def is_associated(table: Table, seed: int) -> bool:
    """Whether the best column splits better than by chance, at the level of 3 %.

    Args:
        table: rows with their target.
        seed: of the permutations, and of the rows that are tested if there are many.

    Examples:
        >>> from fasttree import datasets
        >>> is_associated(datasets.load_iris(), 0)
        True
    """
    rng = np.random.default_rng(seed)
    if len(table) > MOST_ROWS:
        table = table.take(rng.permutation(len(table))[:MOST_ROWS])
    criterion = "squared_error" if table.task == "regression" else "info_gain"
    orders = [np.arange(len(table)), *(rng.permutation(len(table)) for _ in range(PERMUTATIONS))]
    scores = np.nan_to_num(
        [
            score_features(
                Table.from_columns(
                    table.columns, target=table.take(order).target_column, task=table.task
                ),
                criterion=criterion,
            )
            for order in orders
        ]
    )
    spread = scores.std(axis=0)
    known = spread > 0
    if not known.any():
        return False
    best = ((scores - scores.mean(axis=0))[:, known] / spread[known]).max(axis=1)
    # A permutation that ties with the order of the rows counts as at least as good.
    return float(np.mean(best >= best[0] - 1e-12)) <= LEVEL
