"""Bootstrap samples of rows that lie in partitions: those that one machine draws.

What
    On one machine rows are sorted by a hash of their content, and a tree draws numbers of copies in
    that order. Here each partition sends its hashes, range by range, to tasks that put them in
    order and tell every row how many copies lie below it. A partition then finds by itself how
    often each tree draws its rows.
Complexity
    Eight bytes per row are sent once; a tree draws all its numbers in each partition, about 5 ns
    each.
When not to use it
    Without bootstrap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _engine
from ..estimators.batches.passes import Encoded
from .partitions import aligned

__all__ = ["drawn", "places_of"]

ROWS = 1 << 22
"""Rows that one task puts in order."""

core = _engine.core
Sorted = tuple[np.ndarray, np.ndarray, np.ndarray]


def sorted_hashes(part: Encoded, copies_at: int | None) -> Sorted:
    """Hashes of a partition in ascending order, their rows, and the copies of each."""
    assert part.hashes is not None
    order = np.argsort(part.hashes, kind="stable")
    copies = np.ones(len(order), dtype=np.uint32)
    if copies_at is not None:
        own = np.ascontiguousarray(part.records[:, copies_at : copies_at + 4])
        copies = own.view(np.uint32).ravel()[order]
    return part.hashes[order], order, copies


def _piece(ranges: int, number: int, own: Sorted) -> tuple[np.ndarray, np.ndarray]:
    """Hashes of one of the ranges, and their copies."""
    step = (1 << 64) // ranges
    low = np.searchsorted(own[0], np.uint64(number * step)) if number else 0
    last = number + 1 == ranges
    high = len(own[0]) if last else np.searchsorted(own[0], np.uint64((number + 1) * step))
    return own[0][low:high], own[2][low:high]


def _in_order(pieces: list[tuple[np.ndarray, np.ndarray]]) -> tuple[list[np.ndarray], int]:
    """Copies below each row of each partition within a range, and the copies of the range."""
    hashes = np.concatenate([h for h, _ in pieces])
    copies = np.concatenate([c for _, c in pieces]).astype(np.uint64)
    order = np.argsort(hashes, kind="stable")
    below = np.empty(len(order), dtype=np.uint64)
    ends = np.cumsum(copies[order], dtype=np.uint64)
    below[order] = ends - copies[order]
    ends_of = np.cumsum([len(h) for h, _ in pieces])
    return np.split(below, ends_of[:-1]), int(ends[-1]) if len(ends) else 0


def _total(ordered: tuple[list[np.ndarray], int]) -> int:
    return ordered[1]


def _of_part(number: int, ordered: tuple[list[np.ndarray], int]) -> np.ndarray:
    return ordered[0][number]


def _together(firsts: list[np.ndarray], offsets: list[int], own: Sorted) -> Any:
    """Places of a partition's rows in the multiset, ascending; the rows; their copies."""
    moved = [f + np.uint64(o) for f, o in zip(firsts, offsets, strict=True)]
    return np.concatenate(moved), own[1], own[2]


def places_of(client: Any, parts: list[Any], rows: int, copies_at: int | None) -> list[Any]:
    """Futures of the places of each partition's rows in the multiset."""
    own = [client.submit(sorted_hashes, part, copies_at, pure=False) for part in parts]
    ranges = max(1, -(-rows // ROWS))
    ordered = [
        client.submit(
            _in_order, [client.submit(_piece, ranges, r, o, pure=False) for o in own], pure=False
        )
        for r in range(ranges)
    ]
    totals = client.gather([client.submit(_total, o, pure=False) for o in ordered])
    offsets = [0, *np.cumsum(totals).tolist()][:ranges]
    places = []
    for i, mine in enumerate(own):
        firsts = [client.submit(_of_part, i, o, pure=False) for o in ordered]
        places.append(client.submit(_together, firsts, offsets, mine, pure=False))
    return places


def drawn(
    facts: Any, total: int, draw: tuple[int, int], place: Any, part: Encoded
) -> tuple[np.ndarray, list[int]]:
    """The rows of a partition that a tree draws (by its seed, so many), with their copies, and the
    weight of each class."""
    firsts, order, copies = aligned(place)
    times = np.empty(len(order), dtype=np.uint32)
    times[order] = core.bag_times(firsts, copies, total, *draw)
    return core.drawn_rows(aligned(facts), part.records, times)
