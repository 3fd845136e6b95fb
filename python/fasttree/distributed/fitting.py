"""Trees and forests on Dask collections.

What
    `fit` and `fit_forest` return the model of one machine: the bytes of ``fasttree.fit(...,
    threshold_search="histogram")`` on all rows, for any partition and order of the rows and any
    number of workers. Workers bin their partitions, which are not moved.
Complexity
    Three passes over the partitions (two more where missing cells are replaced, or a column has
    many equal values), then `fasttree.distributed.growth`.
Memory
    A worker holds one byte per cell of its partitions (two for more than 256 codes), twice while
    rows are divided; the client holds the tree and the histograms of a round.
When not to use it
    If the rows fit one machine, where growth is faster.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np

from .. import _engine, estimators
from .._checks.aliases import MaybeArray, Task
from ..estimators.backends import closed_client_error, ready_client
from ..estimators.batches import fitting as batches
from ..estimators.batches import passes
from ..estimators.batches.coding import Coding
from ..estimators.batches.part_facts import PartFacts, facts_of_rows, merge_facts
from ..estimators.batches.passes import Encoded
from ..estimators.idle import defaults_of
from ..estimators.parameters import made_of
from ..estimators.tree import task_named
from . import partitions
from .bootstrap import drawn_records, places_of
from .growth import grown_tree, one_group

TREES_AT_A_TIME = 4
"""Trees of a forest that grow at one time."""

core = _engine.core


@dataclass(frozen=True)
class CodedParts:
    """Partitions whose rows are codes, on the workers of a cluster. All passes over the cells are
    done; growth reads the codes alone. The object holds futures, and the codes stay on the
    workers."""

    client: Any
    parts: list[Any]
    """Futures of `Encoded`."""
    facts: batches.Facts
    """What the core needs to know of all rows."""
    lean: Any
    """Future of the facts without cut points, for workers."""


def fit(
    data: Any,
    y: Any,
    *,
    sample_weight: MaybeArray = None,
    client: Any = None,
    criterion: Any = None,
    task: Task | None = None,
    **params: Any,
) -> estimators.FastTreeClassifier | estimators.FastTreeRegressor:
    """Fit a tree on the partitions of a Dask collection.

    Cells stay on the workers; histograms and small nodes are sent. The tree does not depend on the
    partition of the rows or the number of workers.

    Args:
        data: a Dask DataFrame, a Dask Array of shape (n_rows, n_features), or the path of a Parquet
            file or folder, whose row groups are the partitions.
        y: the name of the column that holds the labels or numbers; or a Dask Series or Array of
            them with the partitions of `data`.
        sample_weight: None, the name of a column, or a Dask collection as `y`: whole numbers >= 0,
            copies of rows.
        client: a ``distributed.Client``; None takes the connected one.
        criterion: None: ``"info_gain"`` of classes, ``"squared_error"`` of a number.
        task: ``"classification"`` or ``"regression"``; None: regression where the criterion is one
            on numbers.
        params: parameters of `fasttree.FastTreeClassifier` or `fasttree.FastTreeRegressor`;
            ``threshold_search`` is ``"histogram"``.

    Returns:
        The fitted tree, with the bytes of a fit on one machine.

    Raises:
        ValueError: what cannot be done on partitions, by name, before rows are read; data outside
            their domain, with the partition.
        MemoryError: a partition that no worker can hold.
        TypeError: `data` is no Dask collection and no path; columns that are neither numbers nor
            labels.

    Examples:
        >>> import dask.array as da, distributed, fasttree
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0, 0, 1, 1], chunks=2)
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     print(fasttree.distributed.fit(X, y, client=client).to_text().strip())
        x0 <= 1.5: 0 (2)
        x0 > 1.5: 1 (2)
    """
    estimator = _made(
        estimators.FastTreeClassifier, estimators.FastTreeRegressor, criterion, task, params
    )
    return fit_estimator(estimator, data, y, sample_weight, client)


def _made(
    classifier: Any, regressor: Any, criterion: Any, task: Task | None, params: dict[str, Any]
) -> Any:
    """The estimator of the task, on histograms."""
    kind = regressor if task_named(task, criterion, params) == "regression" else classifier
    params.setdefault("threshold_search", "histogram")
    return made_of(kind, criterion or defaults_of(kind)["criterion"], params)


def fit_forest(
    data: Any,
    y: Any,
    *,
    sample_weight: MaybeArray = None,
    client: Any = None,
    criterion: Any = None,
    task: Task | None = None,
    **params: Any,
) -> estimators.FastForestClassifier | estimators.FastForestRegressor:
    """Fit a forest on the partitions of a Dask collection.

    Samples are those that one machine draws: which rows are drawn depends on content and weight of
    the rows, not on where they lie.

    Args:
        data, y, sample_weight, client, criterion, task: as in `fit`.
        params: parameters of `fasttree.FastForestClassifier` or `fasttree.FastForestRegressor`;
            ``threshold_search`` is ``"histogram"``.

    Returns:
        The fitted forest, with the bytes of a fit on one machine.

    Raises:
        ValueError, TypeError: as `fit`.

    Examples:
        >>> import dask.array as da, distributed, fasttree
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0, 0, 1, 1], chunks=2)
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     forest = fasttree.distributed.fit_forest(
        ...         X, y, client=client, n_estimators=3, random_state=1
        ...     )
        >>> forest.predict([[0.0], [3.0]]).tolist()
        [0, 1]
    """
    estimator = _made(
        estimators.FastForestClassifier, estimators.FastForestRegressor, criterion, task, params
    )
    return fit_estimator(estimator, data, y, sample_weight, client)


def fit_estimator(estimator: Any, data: Any, y: Any, sample_weight: MaybeArray, client: Any) -> Any:
    """Fit a tree or forest, in place, on the partitions of a Dask collection, and return it.

    Args:
        estimator: a tree or forest with its parameters.
        data, y, sample_weight, client: as in `fit`.

    Raises:
        MemoryError: workers died of a partition again and again.
        RuntimeError: the client was closed during the fit.
        ValueError, TypeError: as in `fit`.
    """
    client = partitions.client_of(client)
    from distributed import KilledWorker

    batches.check_arguments(estimator, y, sample_weight, frames=False)
    ready_client(client)
    with closed_client_error(client):
        limit = partitions.least_memory(client)
        source = partitions.partitions_of(
            data, y, sample_weight, batches.reader_for(estimator), limit
        )
        try:
            return _fitted(estimator, client, source, y)
        except KilledWorker as error:
            raise partitions.too_large(
                f"workers died of one task again and again ({error})", limit
            ) from error


def _fitted(estimator: Any, client: Any, source: partitions.Partitions, y: Any) -> Any:
    """Describe the columns, encode the partitions, grow the model, and fit the estimator to it."""
    facts = _described(client, source)
    config, bagging = batches.plan_of(estimator, facts)
    target = source.reader.target or _name_of(y, source.reader.task)
    batches.check_plan(config, facts, target, bagging is not None)
    coding = Coding(facts, target, (None,) * len(facts.names))
    is_drawn = bagging is not None and bagging["draws"] is not None
    rows = _coded(client, source, coding, config, is_drawn)
    if bagging is not None:
        model = _forest(rows, config, bagging)
    else:
        states = partitions.submit_each(client, _whole, rows.parts)
        rows.parts.clear()  # the first states hold the same codes
        model = grown_tree(client, (rows.facts, rows.lean), states, config)
    return batches.finished(estimator, model, facts)


def _name_of(y: Any, task: Task) -> str:
    """Name of a collection of labels or numbers; without a name, the one that a `Table` gives to
    its target."""
    name = None if hasattr(y, "chunks") else getattr(y, "name", None)
    return name if isinstance(name, str) and name else ("y" if task == "regression" else "class")


def _described(client: Any, source: partitions.Partitions) -> PartFacts:
    """Kinds, levels and classes of all partitions together."""
    parts = partitions.compute_parts(
        client, source.lean or source.parts, source.reader, facts_of_rows
    )
    facts: PartFacts | None = partitions.tree_sum(client, merge_facts, parts).result()
    if facts is None:
        raise ValueError("the partitions hold no rows with a positive weight")
    return source.columns.completed(facts.without_unused_classes())


def _coded(
    client: Any, source: partitions.Partitions, coding: Coding, config: dict[str, Any], hashed: bool
) -> CodedParts:
    """Encode all partitions on the workers; `hashed` is for bootstrap samples."""
    parts, reader = source.parts, source.reader

    def run(function: Any, join: Any) -> Any:
        results = partitions.compute_parts(client, parts, reader, function)
        whole = partitions.tree_sum(client, join, results)
        results.clear()
        return whole.result()

    coding = passes.complete_coding(coding, config, run)
    # The codes; partitions without rows are left out.
    encoded = partitions.compute_parts(
        client, parts, reader, partial(passes.encode_part, coding, hashed)
    )
    has_rows = client.gather(partitions.submit_each(client, bool, encoded))
    encoded = [part for part, has in zip(encoded, has_rows, strict=True) if has]
    meanings = partitions.submit_each(client, attrgetter("features", "sums"), encoded)
    features, sums = partitions.aligned(
        partitions.tree_sum(client, _merge_meanings, meanings).result()
    )
    facts = batches.facts_of(coding, features, sums)
    lean = client.submit(
        partitions.aligned, batches.facts_of(replace(coding, cuts=()), features, sums), pure=False
    )
    return CodedParts(client, encoded, facts, lean)


def _whole(part: Encoded) -> Any:
    return one_group(part.records)


def _merge_meanings(a: Any, b: Any) -> Any:
    """The features and sums of two sets of partitions."""
    return passes.merge_features(a[0], b[0]), passes.merge_sums(a[1], b[1])


def _forest(rows: CodedParts, config: dict[str, Any], bagging: dict[str, Any]) -> Any:
    """Grow a forest; a model of the core."""
    client, draws = rows.client, bagging["draws"]
    seeds = core.forest_seeds(config["seed"], bagging["trees"])
    # Bootstrap needs the position of every row in the order that samples are drawn from.
    places: list[Any] = []
    if draws is not None:
        copies_at = core.record_sizes(rows.facts)[2]
        places = places_of(client, rows.parts, rows.facts.n_rows, copies_at)

    def tree(seed: int) -> Any:
        if draws is None:
            states = partitions.submit_each(client, _whole, rows.parts)
            return grown_tree(client, (rows.facts, rows.lean), states, config, seed)
        # The sample of each partition, its sums, and the tree on it.
        samples = [
            client.submit(
                drawn_records, rows.lean, rows.facts.n_rows, (seed, draws), place, part, pure=False
            )
            for place, part in zip(places, rows.parts, strict=True)
        ]
        parts = partitions.submit_each(client, itemgetter(1), samples)
        sums = partitions.tree_sum(client, passes.merge_sums, parts).result()
        states = partitions.submit_each(client, _sample_state, samples)
        samples.clear()
        copies = sum(sums) if rows.facts.target_range is None else sums[0]
        sample_facts = _drawn_facts(rows.facts, sums, copies)
        lean = client.submit(_drawn_facts, rows.lean, sums, copies, pure=False)
        return grown_tree(client, (sample_facts, lean), states, config, seed)

    with ThreadPoolExecutor(TREES_AT_A_TIME) as threads:
        trees = list(threads.map(tree, seeds))
    return core.forest_of_trees(rows.facts, config, trees)


def _drawn_facts(facts: batches.Facts, sums: list[int], copies: int) -> batches.Facts:
    """The facts of a bootstrap sample."""
    return facts._replace(weighted=True, sums=sums, n_rows=copies)


def _sample_state(sample: tuple[np.ndarray, list[int]]) -> Any:
    """The records of a sample, as one group."""
    return one_group(sample[0])
