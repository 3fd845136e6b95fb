"""Scores by neighbours on a cluster: ReliefF, RReliefF, SURF, MultiSURF and variants, to the bit.

What
    A unit of work finds the neighbours of a share of the rows among all rows, and sums their
    contributions to each feature. Rows are in groups whose size depends on the data only, and the
    sums of the groups are added in order, as in one process. The mean distance that SURF needs, and
    RReliefF's mean difference in the target, are computed likewise in a pass before.
    `score_features` of `pairs` calls this.
Complexity
    O(t^2 n) bit operations over all workers, for t rows and n features. A unit returns 8 bytes x
    groups x (n + 1).
When not to use it
    If the codes of all rows do not fit a worker: each worker holds them all, one byte per nominal
    cell and eight per number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _engine, criteria
from .._checks.aliases import MaybeArray
from ..estimators import FastTreeClassifier, FastTreeRegressor
from ..estimators.backends import DaskBackend
from ..estimators.parameters import made_of
from ..feature_selection.features import prepared

WITH_MEAN = ("surf", "surf_star", "rrelieff")
"""Criteria that need a mean over all pairs, or over all neighbours, first."""
SHARES = 4
"""Shares of the rows for each worker."""

Total = tuple[int, float] | None
"""Sum of all distances, or of all differences in a target: in whole steps of nominal features, and
in fractions of numeric ones."""


def _share(shared: tuple[Any, ...], asked: tuple[tuple[int, int], Total]) -> Any:
    """The result of a unit for one share of the rows.

    Without a total it is the sums of distances, else the contributions of the share's groups to the
    scores: to all features, then to each, shape (n_groups, 1 + n_features).
    """
    table, weights, config = shared
    sample_weight = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    return _engine.dataset_of(table).neighbour_share(config, *asked, sample_weight, 1)


def neighbour_scores(
    X: Any,
    y: Any,
    *,
    criterion: Any,
    sample_weight: MaybeArray,
    params: dict[str, Any],
    backend: DaskBackend,
    n_shares: int | None,
) -> np.ndarray:
    """One score per feature by a criterion on neighbours, that of `fasttree.score_features`.

    Args:
        X, y, criterion, sample_weight, params: as in `fasttree.score_features`.
        backend: the cluster.
        n_shares: number of units of work; None: `SHARES` per worker.

    Raises:
        ValueError: what `fasttree.score_features` raises, or `n_shares` that is not within 1 and
            the number of rows.
    """
    on_number = criteria.is_on_number(criteria.make(criterion))
    kind: Any = FastTreeRegressor if on_number else FastTreeClassifier
    estimator = made_of(kind, criterion, params)
    table, weights, config, _ = prepared(estimator, X, y, sample_weight)
    if n_shares is None:
        n_shares = max(1, min(SHARES * backend.workers, len(table)))
    if not 1 <= n_shares <= len(table):
        raise ValueError(f"n_blocks={n_shares} must be between 1 and {len(table)}, the rows")
    shared = {"rows": (table, weights, config)}

    def of_all(total: Total) -> list[Any]:
        """The results of all shares, in order."""
        units = [("rows", ((number, n_shares), total)) for number in range(n_shares)]
        shares = dict(backend.run(_share, units, shared))
        return [shares[number] for number in range(n_shares)]

    # The sum of distances, for criteria that compare with their mean; then the contributions.
    steps, real = 0, 0.0
    if config["criterion"] in WITH_MEAN:
        for sums, _ in of_all(None):
            for whole, rest in sums:
                steps, real = steps + whole, real + rest
    groups = np.concatenate([shares for _, shares in of_all((steps, real))])
    if not len(groups):
        return np.full(groups.shape[1] - 1, np.nan)
    # Sums in floating point depend on the order: this is that of one process.
    scores = np.zeros(groups.shape[1] - 1)
    for group in groups:
        scores = (scores + group[0]) + group[1:]
    return _engine.core.rounded_scores(scores)
