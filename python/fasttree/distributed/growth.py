"""Growth of one tree on partitions: histograms are summed by tasks, splits are chosen once.

What
    In a round the histograms of the open nodes are counted in every partition and summed, the
    client splits the nodes by the core's code for local growth, and every partition divides its
    rows. The rows of a small node are sent to one worker, which grows its whole subtree.
Complexity
    A round counts each open row once and sends a histogram (bins x features x classes x 4 bytes;
    for a regression bins x features x 40 bytes) for each counted node: all children of a split
    except the largest, whose histogram is the difference.
When not to use it
    On one machine, where growth needs no messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import _engine
from ..estimators.batches.fitting import Facts
from .partitions import aligned, submit_each, tree_sum

SMALL_BYTES = 1 << 20
"""Bytes of rows up to which a node is grown on one worker."""
BUCKET_BYTES = 1 << 24
"""Bytes of rows of the small nodes that one task grows."""
ROUND_BYTES = 1 << 25
"""Bytes of the histograms of a round, at most."""

core = _engine.core
State = tuple[np.ndarray, np.ndarray]
"""Records of a partition, grouped by open node, and the first record of each group (and the
end)."""


def one_group(records: np.ndarray) -> State:
    """The rows of a partition as one group, which is the state in which growth starts. A state has
    the records, and the positions at which its groups begin, with the number of rows at the end."""
    return records, np.array([0, len(records)], dtype=np.int64)


def _count(facts: Facts, groups: list[int], state: State) -> np.ndarray:
    """Histograms of some groups of a partition."""
    records, starts = aligned(state)
    return core.count_groups(aligned(facts), records, starts, groups)


def _added(number: bool, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return core.add_counts(number, aligned(a), aligned(b))


def _divide(facts: Facts, routes: Any, state: State) -> State:
    """The groups of a partition after the splits of a round."""
    records, starts = aligned(state)
    return core.divide_groups(aligned(facts), records, starts, aligned(routes))


def _rows_of_groups(facts: Facts, groups: list[int], state: State) -> State:
    """Some groups of a partition."""
    records, starts = aligned(state)
    return core.rows_of_groups(aligned(facts), records, starts, groups)


def _grow(
    facts: Facts,
    config: dict[str, Any],
    seed: int | None,
    nodes: list[tuple[int, int]],
    parts: list[State],
) -> list[Any]:
    """Subtrees of some nodes, from their rows in all partitions."""
    # Rows of a node lie one after the other, partition by partition.
    groups = range(len(nodes))
    pieces = [r[s[g] : s[g + 1]] for g in groups for r, s in parts]
    sizes = [sum(int(s[g + 1] - s[g]) for _, s in parts) for g in groups]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = np.concatenate(pieces)
    return core.grow_groups(aligned(facts), config, seed, rows, starts, nodes)


def grown_tree(
    client: Any,
    known: tuple[Facts, Any],
    states: list[Any],
    config: dict[str, Any],
    seed: int | None = None,
) -> Any:
    """Grow a tree; a model of the core.

    Args:
        client: a client of Dask.
        known: facts on all rows, and for the workers a future of facts without cut points.
        states: futures of `State`; the list is emptied, so that the workers can free each state
            once it has been divided.
        config: the core's configuration.
        seed: seed of a tree of a forest; None for a single tree.
    """
    facts, lean = known
    first, states = states, [*states]
    first.clear()
    del first
    growth = core.SpreadGrowth(facts, config, seed)
    row_bytes, n_words, _ = core.record_sizes(facts)
    small_rows = max(SMALL_BYTES // row_bytes, 1)
    max_families = max(ROUND_BYTES // (4 * n_words), 1)
    number = facts.target_range is not None
    below: list[tuple[list[int], Any]] = []
    while not growth.is_done():
        # Small nodes (group, node, rows, key, depth) leave the rounds: tasks grow their subtrees.
        for bucket in _buckets(growth.small(small_rows), max(BUCKET_BYTES // row_bytes, 1)):
            groups = [node[0] for node in bucket]
            rows = submit_each(client, _rows_of_groups, states, lean, groups)
            keys = [node[3:] for node in bucket]
            grown = client.submit(_grow, lean, config, seed, keys, rows, pure=False)
            rows.clear()
            below.append(([node[1] for node in bucket], grown))
        if growth.is_done():
            break
        # Histograms of the others, their splits, and the division of the rows.
        wanted = growth.wanted(max_families).tolist()
        counts = np.empty(0, np.uint32)
        if wanted:
            parts = (client.submit(_count, lean, wanted, s, pure=False) for s in states)
            counts = aligned(tree_sum(client, partial(_added, number), parts).result())
        routes = growth.choose(counts)
        if growth.is_done():
            break
        states = submit_each(client, _divide, states, lean, routes)
    for nodes, future in below:
        for node, packed in zip(nodes, future.result(), strict=True):
            growth.graft(node, *packed)
    return growth.finish()


def _buckets(nodes: Sequence[Any], rows: int) -> list[list[Any]]:
    """Small nodes in groups for one task; `rows` is the most rows of a group of several nodes."""
    buckets: list[list[Any]] = []
    room = 0
    for node in nodes:
        if not buckets or node[2] > room:
            buckets.append([])
            room = rows
        buckets[-1].append(node)
        room -= node[2]
    return buckets
