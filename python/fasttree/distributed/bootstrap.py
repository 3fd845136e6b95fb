"""Bootstrap samples of partitioned rows, equal to the samples on one machine.

What
    On one machine rows are sorted by a hash of their content and by their weight, and a tree draws
    positions in that order. Here each partition sends hashes and weights, range by range, to tasks
    that sort them and return the position of every row. Each partition then computes which of its
    rows a tree draws. `fitting` calls this for forests with bootstrap.
Complexity
    Twelve bytes per row are sent once; for each tree every partition draws all positions, about
    5 ns each.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from .. import _engine
from ..estimators.batches.passes import Encoded
from .partitions import aligned, submit_each

ROWS_PER_TASK = 1 << 22
"""Rows that one task sorts."""

core = _engine.core


class SortedHashes(NamedTuple):
    """The rows of a partition in the order of their hashes, and of their copies where hashes are
    equal.

    Attributes:
        hashes: hash of the content of each row, ascending, shape (n_rows,).
        rows: position of each row in the partition, shape (n_rows,).
        copies: number of copies of each row, uint32, shape (n_rows,).
    """

    hashes: np.ndarray
    rows: np.ndarray
    copies: np.ndarray


def sorted_hashes(part: Encoded, copies_at: int | None) -> SortedHashes:
    """Sort the rows of a partition by hash and copies.

    `copies_at` is the byte of a record at which its four bytes of copies begin; None means that
    each row is one copy. The order does not depend on where a row lies, so that a sample is the
    same for any partition.
    """
    assert part.hashes is not None
    copies = np.ones(len(part.hashes), dtype=np.uint32)
    if copies_at is not None:
        copies_bytes = np.ascontiguousarray(part.records[:, copies_at : copies_at + 4])
        copies = copies_bytes.view(np.uint32).ravel()
    order = np.lexsort((copies, part.hashes))
    return SortedHashes(part.hashes[order], order, copies[order])


def _in_range(n_ranges: int, number: int, part: SortedHashes) -> tuple[np.ndarray, np.ndarray]:
    """(hashes, copies) of a partition's rows in one of `n_ranges` equal ranges of hashes."""
    step = (1 << 64) // n_ranges
    low = np.searchsorted(part.hashes, np.uint64(number * step)) if number else 0
    is_last = number + 1 == n_ranges
    end = len(part.hashes)
    high = end if is_last else np.searchsorted(part.hashes, np.uint64((number + 1) * step))
    return part.hashes[low:high], part.copies[low:high]


def _positions(pieces: list[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
    """Positions of the rows of each partition in a range, from their (hashes, copies)."""
    hashes, copies = (np.concatenate(column) for column in zip(*pieces, strict=True))
    order = np.lexsort((copies, hashes))
    place = np.empty(len(order), dtype=np.uint64)
    place[order] = np.arange(len(order), dtype=np.uint64)
    return np.split(place, np.cumsum([len(hashes_of) for hashes_of, _ in pieces])[:-1])


def _n_rows(positions: list[np.ndarray]) -> int:
    return sum(map(len, positions))


def _all_ranges(places: list[np.ndarray], offsets: list[int], part: SortedHashes) -> Any:
    """(positions among all rows, ascending; rows) of a partition."""
    moved = [place + np.uint64(offset) for place, offset in zip(places, offsets, strict=True)]
    return np.concatenate(moved), part.rows


def places_of(client: Any, parts: list[Any], rows: int, copies_at: int | None) -> list[Any]:
    """Futures of the positions of each partition's rows among all rows.

    A row's position among all rows, sorted by hash and copies, decides whether a tree draws it.
    Twelve bytes per row are sent between workers.

    Args:
        client: a client of Dask.
        parts: futures of `Encoded`.
        rows: number of rows of all partitions.
        copies_at: byte of a record where its copies begin; None: each row is one copy.
    """
    sorted_parts = [client.submit(sorted_hashes, part, copies_at, pure=False) for part in parts]
    # One task sorts each range of hashes, of all partitions.
    n_ranges = max(1, -(-rows // ROWS_PER_TASK))
    by_range = []
    for number in range(n_ranges):
        pieces = submit_each(client, _in_range, sorted_parts, n_ranges, number)
        by_range.append(client.submit(_positions, pieces, pure=False))
    # Positions of a range begin after the rows of the ranges before.
    totals = client.gather(submit_each(client, _n_rows, by_range))
    offsets = [0, *np.cumsum(totals).tolist()][:n_ranges]
    places = []
    for i, mine in enumerate(sorted_parts):
        own_places = submit_each(client, itemgetter(i), by_range)
        places.append(client.submit(_all_ranges, own_places, offsets, mine, pure=False))
    return places


def drawn_records(
    facts: Any, n_rows: int, draw: tuple[int, int], place: Any, part: Encoded
) -> tuple[np.ndarray, list[int]]:
    """The records that a tree draws from a partition, with their copies times the draws, and their
    sums.

    Args:
        facts: the facts about all rows that the core needs.
        n_rows: rows of all partitions.
        draw: seed of the tree, and number of draws.
        place: an element of `places_of`.
        part: the partition.
    """
    places, order = aligned(place)
    times = np.empty(len(order), dtype=np.uint32)
    times[order] = core.bag_times(places, n_rows, *draw)
    return core.drawn_rows(aligned(facts), part.records, times)
