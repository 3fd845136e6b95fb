"""Partitions of Dask collections and row groups of Parquet, and tasks on them.

What
    `partitions_of` turns a Dask DataFrame, a Dask Array or a Parquet path into partitions, which
    workers read, and a `Reader` for them. `compute_parts` runs a function on each partition,
    `tree_sum` joins the results by tasks of Dask. `fitting` and `growth` call these.
Complexity
    Only the names and schemas of files are read here.
When not to use it
    For rows of one machine: `fasttree.fit` accepts batches.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from .._checks import import_optional, shown
from .._checks.aliases import MaybeArray
from ..estimators.batches.fitting import Columns
from ..estimators.batches.reading import Reader, Rows, join_results, result_of_part
from ..estimators.batches.sources import numeric_columns, parquet_dataset

JOINED_PER_TASK = 8
"""Results that one task joins."""
MEMORY_FACTOR = 3
"""Memory that a worker needs for a partition, as a multiple of its size."""


@dataclass(frozen=True)
class Partitions:
    """Partitions that workers read, and the columns that need not be read to describe them. Nothing
    is read when the object is made; `compute_parts` runs a function on each part."""

    parts: Sequence[Any]
    """Delayed objects of Dask."""
    reader: Reader
    lean: Sequence[Any] = ()
    """The partitions without the columns that need not be read to describe them; empty: all
    need."""
    columns: Columns = field(default_factory=lambda: Columns((), ()))


def aligned(value: Any) -> Any:
    """Arrays, alone or in lists and tuples, with names or without, as the core needs them:
    contiguous and aligned, which arrays received from another process may not be."""
    if isinstance(value, np.ndarray):
        return np.require(value, None, ["C", "A"])
    if isinstance(value, tuple | list):
        return getattr(value, "_make", type(value))(aligned(v) for v in value)
    return value


def client_of(client: Any) -> Any:
    """The client given, or the one that is connected.

    The functions of this package call it before they start work on the cluster.

    Raises:
        ModuleNotFoundError: Dask is not installed.
        ValueError: no client is connected.
    """
    needs = "fasttree.distributed needs Dask: pip install 'fasttree[distributed]'"
    dask = import_optional("distributed", needs)
    if client is not None:
        return client
    try:
        return dask.get_client()
    except ValueError:
        raise ValueError(
            "no Dask client is connected: make one, client = distributed.Client(address) or "
            "Client() for this machine, or pass client="
        ) from None


def least_memory(client: Any) -> int | None:
    """The smallest memory limit of the workers in bytes; None if no worker has a limit. The
    scheduler is asked for all workers that are known at this moment."""
    # Client.scheduler_info may return what a periodic update fetched meanwhile: no workers.
    identity = client.sync(client.scheduler.identity, n_workers=-1)
    limits = [worker["memory_limit"] for worker in identity["workers"].values()]
    return min((limit for limit in limits if limit), default=None)


def too_large(what: str, limit: int | None) -> MemoryError:
    """The MemoryError for a partition that a worker cannot hold, to be raised by the caller.

    `what` says what happened, and `limit` is the memory limit of a worker in bytes, None if it is
    not known. The remedies are smaller partitions, fewer threads or more memory.
    """
    of = "its memory limit" if limit is None else f"its memory limit, {limit / 2**20:,.0f} MiB"
    return MemoryError(
        f"{what}, and a worker has to hold a partition about three times within {of}: make "
        "partitions smaller (repartition, rechunk, row_group_size when Parquet is written), give "
        "workers fewer threads, or more memory"
    )


def partitions_of(
    data: Any, y: Any, sample_weight: MaybeArray, like: Reader, limit: int | None = None
) -> Partitions:
    """The parts of a Dask collection or of Parquet, and a reader of them, which is the reader
    `like` with the names of the columns of labels and weights. `limit` is the memory of a worker in
    bytes.

    Raises:
        TypeError: something else.
        ValueError: labels or weights that do not go with the rows.
        MemoryError: a row group of Parquet or a chunk of an array that no worker can hold.
    """
    if isinstance(data, (str, os.PathLike)):
        target, weights = _named(y, sample_weight, "a Parquet path")
        return _of_parquet(data, replace(like, target=target, weights=weights), limit)
    if hasattr(data, "dask") and hasattr(data, "map_partitions") and hasattr(data, "columns"):
        parts = data.to_delayed()
        if isinstance(y, str) and (sample_weight is None or isinstance(sample_weight, str)):
            for name in (y, sample_weight):
                if name is not None and name not in data.columns:
                    raise ValueError(
                        f"the Dask DataFrame has no column {name!r}; there are "
                        f"{', '.join(str(c) for c in list(data.columns)[:20])}"
                    )
            return Partitions(parts, replace(like, target=y, weights=sample_weight))
        return _beside(parts, y, sample_weight, like)
    if hasattr(data, "dask") and hasattr(data, "rechunk") and getattr(data, "ndim", 0) == 2:
        whole = data.rechunk({1: -1}) if data.numblocks[1] > 1 else data
        size = np.nanmax(whole.chunks[0]) * whole.shape[1] * whole.dtype.itemsize
        if limit is not None and MEMORY_FACTOR * size > limit:
            raise too_large(f"a chunk of the array takes {size / 2**20:,.0f} MiB", limit)
        return _beside(whole.to_delayed().ravel(), y, sample_weight, like)
    raise TypeError(
        f"data is a {type(data).__name__}: a Dask DataFrame, a Dask Array of two dimensions or a "
        "Parquet path is taken; fasttree.fit takes what is in memory"
    )


def _named(y: Any, sample_weight: MaybeArray, what: str) -> tuple[str, str | None]:
    """Names of the columns of labels and weights; ValueError for anything else."""
    if not isinstance(y, str) or not isinstance(sample_weight, str | None):
        raise ValueError(f"of {what} y and sample_weight are names of columns; y={shown(y)}")
    return y, sample_weight


def _beside(parts: Sequence[Any], y: Any, weights: Any, reader: Reader) -> Partitions:
    """Partitions of rows whose labels and weights are collections of their own."""
    from dask.delayed import delayed

    beside = []
    for name, collection in (("y", y), ("sample_weight", weights)):
        if collection is None and name == "sample_weight":
            beside.append([None] * len(parts))
            continue
        if not hasattr(collection, "to_delayed"):
            raise ValueError(
                f"{name} must be a Dask collection with the partitions of the rows, or the name of "
                f"a column of a Dask DataFrame; got {type(collection).__name__}"
            )
        pieces = collection.to_delayed()
        pieces = list(pieces.ravel() if hasattr(pieces, "ravel") else pieces)
        if len(pieces) != len(parts):
            raise ValueError(
                f"{name} has {len(pieces)} partitions, the rows have {len(parts)}: repartition or "
                "rechunk one like the other"
            )
        beside.append(pieces)
    joined = [delayed(tuple)(three) for three in zip(parts, *beside, strict=True)]
    return Partitions(joined, reader)


def _of_parquet(path: Any, reader: Reader, limit: int | None) -> Partitions:
    """Row groups of Parquet as partitions."""
    from dask.delayed import delayed

    groups: list[tuple[str, list[int]]] = []
    schemas = []
    for fragment in parquet_dataset(path).get_fragments():
        schemas.append(fragment.physical_schema)
        for part in fragment.split_by_row_group():
            size = sum(group.total_byte_size for group in part.row_groups)
            if limit is not None and MEMORY_FACTOR * size > limit:
                raise too_large(
                    f"a row group of {part.path!r} takes {size / 2**20:,.0f} MiB", limit
                )
            groups.append((part.path, [g.id for g in part.row_groups]))
    if not groups:
        raise ValueError(f"{str(path)!r} holds no rows")
    # Where the schema shows which columns are numbers, a description need not read these.
    read = delayed(_read)
    parts = [read(*group) for group in groups]
    names = schemas[0].names
    same = all(schema.names == names for schema in schemas) and len(set(names)) == len(names)
    if not same or reader.target not in names:
        return Partitions(parts, reader)
    numbers = set.intersection(*(set(numeric_columns(schema)) for schema in schemas))
    columns = Columns.of(names, numbers, reader)
    wanted = [name for name in names if name not in columns.spared]
    return Partitions(parts, reader, [read(*group, wanted) for group in groups], columns)


def _read(path: str, groups: list[int], columns: list[str] | None = None) -> Any:
    """Row groups of a file as an Arrow table."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        return file.read_row_groups(groups, columns=columns, use_threads=False)


def compute_parts(
    client: Any, parts: Sequence[Any], reader: Reader, function: Callable[[Rows], Any]
) -> list[Any]:
    """Futures of ``function(rows)`` for the rows of each part, in the order of the parts.

    The workers read the parts, and the rows stay there. A part without rows of weight > 0 has the
    result None. Errors name the number of the partition.
    """
    from dask.delayed import delayed

    asked = delayed(partial(result_of_part, reader, function), pure=False)
    lazy = [asked(part, f"partition {i}") for i, part in enumerate(parts)]
    return client.compute(lazy)


def submit_each(
    client: Any, ask: Callable[..., Any], parts: Iterable[Any], *words: Any
) -> list[Any]:
    """Futures of ``ask(*words, part)`` for each future of a part, in the same order. Dask runs each
    task where its part lies, so only results are sent."""
    return [client.submit(ask, *words, part, pure=False) for part in parts]


def tree_sum(client: Any, join: Callable[[Any, Any], Any], parts: Iterable[Any]) -> Any:
    """A future of all parts joined by ``join(a, b)``, in a tree; a part may be None.

    Tasks that join have priority, and a part is freed when it has been joined. So workers hold few
    parts at a time if `parts` is a generator that submits them.
    """
    while True:
        left, joined = iter(parts), []
        while group := list(islice(left, JOINED_PER_TASK)):
            if len(group) > 1:
                group = [client.submit(join_results, join, group, pure=False, priority=1)]
            joined += group
        if len(joined) == 1:
            return joined[0]
        parts = joined
