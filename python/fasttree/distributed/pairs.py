"""Counts, scores and estimates of pairs and neighbours of rows on a cluster, with the results of
one process.

What
    Rows are divided into blocks. A unit of work counts the pairs of two blocks, in both orders, or
    the pairs within one block. Counts are whole numbers, so their sums equal the counts of one pass
    over all rows to the bit, in any order, and so do scores, which are contractions of the sums.
    Estimates divide the subsets of features, or the pairs of blocks of a sample, among the workers.
    For scores by neighbours (ReliefF, RReliefF, SURF, MultiSURF and variants) a unit finds the
    neighbours of a share of the rows among all rows, and sums their contributions to each feature.
    The size of a group of rows depends on the data only, and the sums of the groups are added in
    order, as in one process. The mean distance that SURF needs, and RReliefF's mean difference in
    the target, are computed likewise in a pass before.
Complexity
    O(t^2 n) bit operations over all workers, for t rows and n features. A worker holds the codes of
    all rows (one byte per cell, four of a column with more than 256 values, eight of a number); a
    unit returns counts of 32 bytes x values x classes x (n + 1), of neighbours 8 bytes x groups x
    (n + 1).
When not to use it
    If one process takes seconds, or if the codes of all rows do not fit a worker.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from .. import _engine, criteria
from .._checks import checked, one_value, shown
from .._checks.aliases import CategoricalFeatures, MaybeArray, Seed
from ..datasets.inputs import table_of
from ..estimators import FastTreeClassifier, FastTreeRegressor
from ..estimators.backends import DaskBackend
from ..estimators.parameters import made_of
from ..feature_selection.estimates import Budget, FeatureEstimates, Job
from ..feature_selection.features import prepared
from ..feature_selection.pair_metrics import metric_of
from ..feature_selection.pairs import PairCounts, binned, whole_copies
from ..feature_selection.streaming import PAIRS_UP_TO
from ..table import Column, Table
from .partitions import client_of

SMALLEST = 1024
"""Smallest number of rows of a block, if there are several blocks."""
MOST_WEIGHT = 3_037_000_499
"""Largest total weight: its square fits the signed 64-bit counters."""


def _without_missing(table: Table) -> Table:
    """A Table of nominal columns whose levels are numbers, with missing cells as one more level: so
    the counts of all parts of the rows have the same shape."""
    columns = []
    for column in table.columns:
        n, codes = len(column.levels or ()), column.values
        if column.n_missing:
            codes, n = np.where(codes < 0, n, codes), n + 1
        codes = codes.astype(np.uint8 if n <= 256 else np.int32)
        columns.append(Column(column.name, "nominal", codes, tuple(range(n))))
    return Table.from_columns(columns, table.target_column)


def _count(shared: tuple[Table, np.ndarray | None], blocks: tuple[slice, slice]) -> Any:
    """Counts of the pairs within one block of rows, or between two in both orders."""
    table, copies = shared
    first, second = blocks
    if first == second:
        part_copies = None if copies is None else copies[first]
        return _engine.pair_counts(table.take(first), sample_weight=part_copies, n_jobs=1)
    rows, others = (np.arange(block.start, block.stop) for block in blocks)
    return _engine.pair_counts(table, rows, others, sample_weight=copies, n_jobs=1)


def _blocks_for(n_rows: int, workers: int) -> int:
    """Number of blocks whose pairs are about 16 per worker.

    >>> _blocks_for(200_000, 2), _blocks_for(200_000, 100), _blocks_for(3000, 100)
    (8, 57, 2)
    """
    return max(1, min(math.ceil(math.sqrt(32 * workers)), n_rows // SMALLEST))


def _here(data: Any) -> Any:
    """The data in this process; a Dask collection is computed, because rows are few compared with
    pairs."""
    return data.compute() if hasattr(data, "__dask_graph__") else data


def pair_counts(
    X: Any,
    y: MaybeArray = None,
    *,
    sample_weight: MaybeArray = None,
    discretize: Any = "auto",
    categorical_features: CategoricalFeatures = "from_dtype",
    client: Any = None,
    n_blocks: int | None = None,
) -> PairCounts:
    """Count all ordered pairs of rows on the workers of a cluster.

    The counts are whole numbers, so they do not depend on the number of blocks or workers. All rows
    are sent to every worker as codes.

    Args:
        X, y, sample_weight, discretize, categorical_features: as in `fasttree.pair_counts`; Dask
            collections are computed and encoded in this process.
        client: a ``distributed.Client``; None takes the connected one.
        n_blocks: blocks of rows; default: by the number of workers. The counts do not depend on it.

    Returns:
        `PairCounts`, equal to the result of `fasttree.pair_counts` to the bit.

    Raises:
        ValueError: what `fasttree.pair_counts` raises, or `n_blocks` that is not within 1 and the
            number of rows.

    Examples:
        >>> import distributed, fasttree
        >>> table = fasttree.datasets.load_weather()
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     counts = fasttree.distributed.pair_counts(table, client=client, n_blocks=3)
        >>> counts == fasttree.pair_counts(table)
        True
    """
    # Codes of all rows.
    table = table_of(_here(X), _here(y), categorical_features=categorical_features)
    copies = whole_copies(table, _here(sample_weight))
    table = binned(table, discretize, copies)
    total = len(table) if copies is None else int(copies.sum())
    if total > MOST_WEIGHT:
        raise ValueError(f"a total weight of {total}; pairs are counted up to {MOST_WEIGHT} rows")
    backend = DaskBackend(client_of(client))
    if n_blocks is None:
        n_blocks = _blocks_for(len(table), backend.workers)
    if not 1 <= n_blocks <= len(table):
        raise ValueError(f"n_blocks={n_blocks} must be between 1 and {len(table)}, the rows")
    # Pairs of different blocks take twice as long as those within one: they come first.
    ends = np.linspace(0, len(table), n_blocks + 1).astype(int).tolist()
    blocks = [slice(*bounds) for bounds in pairwise(ends)]
    pairs = [*combinations(blocks, 2), *((block, block) for block in blocks)]
    shared = {"rows": (_without_missing(table), copies)}
    core: Any = None
    for _, counts in backend.run(_count, [("rows", pair) for pair in pairs], shared):
        core = counts if core is None else core.plus(counts)
    levels = [tuple(column.levels or ()) for column in table.columns]
    return PairCounts(core, table.feature_names, levels, table.classes, total)


def score_features(
    X: Any,
    y: MaybeArray = None,
    *,
    criterion: Any = "pi",
    sample_weight: MaybeArray = None,
    discretize: Any = "auto",
    categorical_features: CategoricalFeatures = "from_dtype",
    client: Any = None,
    n_blocks: int | None = None,
) -> np.ndarray:
    """One score per feature by a criterion on pairs or neighbours, on the workers of a cluster.

    Args:
        criterion: ``"pi"``, ``"contextual_merit"``, ``"relief"``, a criterion on neighbours
            (``"relieff"``, ``"surf"``, ``"multisurf"``, ..., and for numbers ``"rrelieff"``), or
            an object of these.
        X, y, categorical_features, client: as in `pair_counts`.
        sample_weight: copies of rows; of neighbours also importances, as in
            `fasttree.score_features`.
        discretize: as in `pair_counts`; neighbours compare numbers as numbers.
        n_blocks: blocks of rows; of criteria on neighbours, shares of rows whose neighbours a unit
            finds. Default: by the number of workers. The scores do not depend on it.

    Returns:
        Scores, larger is better, shape (n_features,); NaN for a feature of one value. Up to 64
        columns they equal the scores of `fasttree.score_features` to the bit. For more columns that
        function sums in fixed point by default, and equals this one with ``precision="exact"``.

    Raises:
        ValueError: another criterion, and what `pair_counts` raises.

    Examples:
        >>> import distributed, fasttree
        >>> table = fasttree.datasets.make_xor()
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     fasttree.distributed.score_features(table, client=client).round(6).tolist()
        [1.00092, 1.00092, 0.001201]
    """
    made = criteria.make(criterion)
    evidence = criteria.evidence_of(made)
    if evidence == "neighbours":
        return neighbour_scores(
            _here(X),
            _here(y),
            criterion=made,
            sample_weight=_here(sample_weight),
            params={"categorical_features": categorical_features},
            backend=DaskBackend(client_of(client)),
            n_shares=n_blocks,
        )
    if evidence != "pairs" or not isinstance(made, criteria.Criterion):
        raise ValueError(
            f"criterion={shown(criterion)}: clusters score by criteria on pairs ('pi', "
            "'contextual_merit', 'relief') and on neighbours ('relieff', 'surf', 'multisurf', "
            "...); fasttree.score_features serves all criteria in one process"
        )
    # Pairs are counted once, and a score is a contraction of the counts.
    metric = metric_of(made)
    counts = pair_counts(
        X,
        y,
        sample_weight=sample_weight,
        discretize=discretize,
        categorical_features=categorical_features,
        client=client,
        n_blocks=n_blocks,
    )
    names = ("theta", "alpha", "decay", "at_zero")
    scores = np.array(counts.score(metric.name, **{name: getattr(metric, name) for name in names}))
    for k, table in enumerate(counts.tables):
        if (table.sum(axis=1) > 0).sum() < 2:
            scores[k] = np.nan
    return scores


@dataclass
class _ClusterJob(Job):
    """A job of estimation whose counts are made by the workers."""

    backend: DaskBackend = field(kw_only=True)

    def agreement(self, subsets: list[tuple[int, ...]]) -> np.ndarray:
        """Ordered pairs that agree on subsets of features, shape (subsets, features, 4)."""
        shared = (self.table, self.weights, self.metric.shares)
        parts = self.in_slices(_agreement, len(subsets), lambda part: subsets[part], shared)
        return np.concatenate(parts)

    def in_slices(self, ask: Any, total: int, asked: Any, shared: tuple[Any, ...]) -> list[Any]:
        """The results of ``ask(shared, asked(slice))``, about four slices of a total per worker."""
        size = max(1, math.ceil(total / (4 * self.backend.workers)))
        slices = (slice(part, min(part + size, total)) for part in range(0, total, size))
        units = [("rows", asked(part)) for part in slices]
        results = dict(self.backend.run(ask, units, {"rows": shared}))
        return [results[place] for place in range(len(units))]

    def exact(self) -> np.ndarray:
        """The scores from all pairs."""
        if self.table.n_features > PAIRS_UP_TO:
            return super().exact()
        how = {"sample_weight": self.weights, "discretize": None, "client": self.backend.client}
        return score_features(self.table, criterion=self.criterion, **how)

    def block_pairs(self, blocks: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Sums over the pairs of blocks of rows, and over all self-pairs."""
        pairs = len(blocks) * (len(blocks) + 1) // 2
        shared = (self.table, self.weights, self.metric, blocks)
        parts = self.in_slices(_block_pairs, pairs, lambda part: (part.start, part.stop), shared)
        return np.concatenate([sums for sums, _ in parts]), parts[0][1]


def _agreement(shared: tuple[Any, ...], subsets: list[tuple[int, ...]]) -> np.ndarray:
    """Counts of agreement of some subsets, on a worker."""
    table, weights, shares = shared
    return _engine.agreement_counts(table, subsets, shares, sample_weight=weights, n_jobs=1)


def _block_pairs(shared: tuple[Any, ...], asked: tuple[int, int]) -> Any:
    """Sums of some pairs of blocks, on a worker."""
    table, weights, metric, blocks = shared
    how = {"sample_weight": weights, "n_jobs": 1, "asked": asked}
    return _engine.pair_block_scores(table, blocks, metric.name, metric.setting, **how)


@checked(method=one_value)
def estimate_features(
    X: Any,
    y: MaybeArray = None,
    *,
    criterion: Any = "pi",
    method: str | None = None,
    n_subsets: int | None = None,
    sample: int | None = None,
    z: float | None = None,
    max_subsets: int | None = None,
    max_sample: int | None = None,
    sample_weight: MaybeArray = None,
    discretize: Any = "auto",
    categorical_features: CategoricalFeatures = "from_dtype",
    random_state: Seed = 0,
    client: Any = None,
) -> FeatureEstimates:
    """Estimate scores of a criterion on pairs, on the workers of a cluster.

    The draws depend on `random_state` alone, not on the workers.

    Args:
        X, y, criterion, method, n_subsets, sample, z: as in `fasttree.estimate_features`.
        max_subsets, max_sample, sample_weight, discretize, categorical_features: as there.
        random_state: seed of the draws.
        client: a ``distributed.Client``; None takes the connected one.

    Returns:
        `FeatureEstimates`, equal to the estimates of one process to the bit. A worker holds all
        rows.

    Raises:
        ValueError: what `fasttree.estimate_features` raises.

    Examples:
        >>> import distributed, fasttree
        >>> table = fasttree.datasets.make_parity(2, 8, 500, random_state=0)
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     found = fasttree.distributed.estimate_features(table, client=client)
        >>> found.scores.tolist() == fasttree.estimate_features(table).scores.tolist()
        True
    """
    budget = Budget(method, n_subsets, sample, z, max_subsets, max_sample)
    job = _ClusterJob.of(
        _here(X),
        _here(y),
        criterion,
        budget,
        random_state,
        sample_weight=_here(sample_weight),
        discretize=discretize,
        categorical_features=categorical_features,
        backend=DaskBackend(client_of(client)),
    )
    return job.estimate()


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
    """One score per feature by a criterion on neighbours, equal to `fasttree.score_features`.

    `score_features` calls it for these criteria. A unit of work is a share of the rows, not a pair
    of blocks.

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
    # Sums in floating point depend on the order: one process adds in the same order.
    scores = np.zeros(groups.shape[1] - 1)
    for group in groups:
        scores = (scores + group[0]) + group[1:]
    return _engine.core.rounded_scores(scores)
