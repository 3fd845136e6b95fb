"""Growth of a forest in blocks of trees, on joblib's backend or on a Dask cluster.

What
    A tree depends on the rows, the parameters and its own seed only, so blocks of trees are units
    of work for any process. The blocks are joined in the order of their trees; the forest is
    bit-identical to one grown in one call of the core.
Complexity
    The work of growing the forest; in addition, each block sorts or bins the columns again, and its
    trees are sent back as a model file.
When not to use it
    On one machine without other processes: one call into the core grows on all threads.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

from .. import _engine
from .._checks.progress import Progress
from ..table import Table
from .backends import Backend

BLOCKS = 4
"""Blocks of trees per worker: enough to balance workers, as trees differ in size."""


def _block(shared: tuple[Any, ...], trees: tuple[int, int]) -> tuple[_engine.Forest, int]:
    """The trees from ``trees[0]`` to before ``trees[1]``, and the hash of their rows."""
    table, config, draws, options = shared
    bagging = {"trees": trees[1], "draws": draws, "first": trees[0]}
    forest = _engine.forest_fit(table, config, bagging, n_jobs=1, **options)
    assert forest.content is not None
    return forest, forest.content


def grown_in_blocks(
    backend: Backend,
    *,
    table: Table,
    config: dict[str, Any],
    bagging: dict[str, Any],
    before: tuple[_engine.Forest, int] | None,
    progress: Progress,
    **options: Any,
) -> tuple[_engine.Forest, int] | None:
    """Grow the trees of a forest that `before` lacks.

    Returns:
        All trees and the hash of their rows, as `_engine.forest_fit` takes them in `before`.

    Args:
        backend: where blocks grow.
        table, config, bagging, before, progress: as in `_engine.forest_fit`.
        options: `sample_weight` and `custom`, as in `_engine.forest_fit`.
    """
    # Trees `first` to `trees` are to be grown, in blocks of about the same size.
    first, trees = 0 if before is None else len(before[0].seeds), bagging["trees"]
    count = min(trees - first, BLOCKS * backend.workers)
    if count < 1:
        return before
    ends = [first + (trees - first) * i // count for i in range(count + 1)]
    blocks = list(itertools.pairwise(ends))
    report, done = _engine.make_report(progress, "trees"), first
    grown: dict[int, tuple[_engine.Forest, int]] = {}
    shared = {"rows": (table, config, bagging["draws"], options)}
    stream = backend.run(_block, [("rows", block) for block in blocks], shared)
    with contextlib.closing(stream):  # type: ignore[type-var]
        for index, block in stream:
            grown[index] = block
            done += blocks[index][1] - blocks[index][0]
            if report is not None:
                report(done - first, trees - first)
    in_order = [grown[index] for index in range(count)]
    rows_hash = in_order[0][1]
    if before is not None and before[1] != rows_hash:
        return before  # of other rows: the core refuses them
    all_blocks = in_order if before is None else [before, *in_order]
    return _engine.core.forest_joined([forest for forest, _ in all_blocks]), rows_hash
