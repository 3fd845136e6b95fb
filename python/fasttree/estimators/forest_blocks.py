"""A forest whose trees grow in blocks, on joblib's backend or on a Dask cluster.

What
    Tree t depends on the rows, the parameters and its own seed, so that blocks of trees are units
    of work that any process may do. The blocks are joined in the order of their trees; the forest
    has the bytes of one call into the core.
Complexity
    That of the forest. Each block sorts or bins the columns again, and its trees travel back as a
    model file.
When not to use it
    On one machine without other processes: one call into the core grows on all threads.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING, Any

from .. import _engine
from ..rendering.progress import Progress
from .backends import Backend

if TYPE_CHECKING:
    from ..table import Table


__all__ = ["grown_in_blocks"]

BLOCKS = 4
"""Blocks of trees for each worker."""


def _block(shared: tuple[Any, ...], trees: tuple[int, int]) -> tuple[_engine.Forest, int]:
    """The trees from the first on to the one before the last, and the number for their rows."""
    table, config, draws, words = shared
    bagging = {"trees": trees[1], "draws": draws, "first": trees[0]}
    forest = _engine.forest_fit(table, config, bagging, n_jobs=1, **words)
    assert forest.content is not None
    return forest, forest.content


def grown_in_blocks(
    backend: Backend,
    table: Table,
    config: dict[str, Any],
    bagging: dict[str, Any],
    *,
    before: tuple[_engine.Forest, int] | None,
    progress: Progress,
    **words: Any,
) -> tuple[_engine.Forest, int] | None:
    """All trees and the number for their rows, which `_engine.forest_fit` takes as `before`.

    Args:
        backend: where blocks grow.
        table, config, bagging, before, progress: as in `_engine.forest_fit`.
        words: sample_weight and custom, as there.
    """
    first, trees = 0 if before is None else len(before[0].seeds), bagging["trees"]
    count = min(trees - first, BLOCKS * backend.workers)
    if count < 1:
        return before
    ends = [first + (trees - first) * i // count for i in range(count + 1)]
    blocks = list(itertools.pairwise(ends))
    report, done = _engine.make_report(progress, "trees"), first
    found: dict[int, tuple[_engine.Forest, int]] = {}
    shared = {"rows": (table, config, bagging["draws"], words)}
    stream = backend.run(_block, [("rows", block) for block in blocks], shared)
    with contextlib.closing(stream):  # type: ignore[type-var]
        for place, forest in stream:
            found[place] = forest
            done += blocks[place][1] - blocks[place][0]
            if report is not None:
                report(done - first, trees - first)
    parts = [found[place] for place in range(count)]
    if before is not None and before[1] != parts[0][1]:
        return before  # of other rows: the core refuses them
    joined = _engine.core.forest_joined([f for f, _ in [*filter(None, [before]), *parts]])
    return joined, parts[0][1]
