"""Whether any column is informative about the target: a permutation test of the best score, and
small trees scored by another metric.

What
    The score of each column at the root is compared with its scores under permutations of the
    target, in standard deviations; the largest over the columns is the statistic (Westfall & Young
    1993, single-step max-T), so that a chance result among many columns is not taken for an effect.
    Where a constant is as good by the metric of the choice, the AUC or R2 of small trees may be
    better than the constant's (Nadeau & Bengio's corrected resampled t test).
Complexity
    100 passes over at most 2,000 rows; a cross-validation of three small trees.
When not to use it
    Where rows depend on each other (groups), which a permutation ignores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.words import argument, in_text
from ..feature_selection.features import score_features
from ..model_selection import cross_validate
from ..table import Table

PERMUTATIONS = 99
MOST_ROWS = 2_000
LEVEL = 0.03
"""Level of the test."""


def is_associated(table: Table, seed: int) -> bool:
    """Whether the best column splits better than by chance, at the level of 3 %. At most
    `MOST_ROWS` rows are tested, with `PERMUTATIONS` permutations; False where no column has a score
    that varies.

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
    targets = (table.take(order).target_column for order in orders)
    tables = (Table.from_columns(table.columns, target=y, task=table.task) for y in targets)
    scores = np.nan_to_num([score_features(one, criterion=criterion) for one in tables])
    spread = scores.std(axis=0)
    known = spread > 0
    if not known.any():
        return False
    best = ((scores - scores.mean(axis=0))[:, known] / spread[known]).max(axis=1)
    # A permutation that ties with the order of the rows counts as at least as good.
    return float(np.mean(best >= best[0] - 1e-12)) <= LEVEL


def better_by_other_metric(
    table: Table, trees: dict[str, Any], metric: str, *, is_informative: bool, **options: Any
) -> list[str]:
    """A sentence on the best tree by another metric; an empty list where no tree is better than the
    constant by the corrected resampled t test.

    Args:
        table: rows with their target.
        trees: the constant by its name, then trees.
        metric: larger is better.
        is_informative: whether some column tells something about the target (`is_associated`);
            False: the level of 5 % holds for all trees together, not for each.
        options: keywords of `cross_validate`.
    """
    found = cross_validate(table, estimators=trees, scoring=(metric,), **options)
    tests = found.against_first()
    level = 0.05 if is_informative else 0.05 / max(1, len(tests))
    better = [test for test in tests if test.statistic < 0 and test.p_value <= level]
    if not better:
        return []
    names = min(better, key=lambda test: test.mean_difference).names
    constant, tree = (f"{found.mean(name, metric):.2f}" for name in names)
    use = argument("scoring", metric)
    return [
        f"The columns do tell something about {table.target!r}: by {metric}, {names[1]} has about "
        f"{tree}, {names[0]} {constant} (out of fold, larger is better); to choose by it: "
        f"{in_text(use)}."
    ]
