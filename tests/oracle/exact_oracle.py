"""Smallest and cheapest trees by trying every tree: plain recursion over sets of rows, written from
the definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

Rows = frozenset[int]


def divisions(columns: Sequence[Sequence[float]], rows: Rows) -> list[tuple[Rows, Rows]]:
    """Both sides of every test ``x <= r`` that divides the rows."""
    found = []
    for column in columns:
        for r in sorted({column[i] for i in rows})[:-1]:
            left = frozenset(i for i in rows if column[i] <= r)
            found.append((left, rows - left))
    return found


def best_tree(
    columns: Sequence[Sequence[float]], leaf: Callable[[Rows], float], split: float, depth: int
) -> float:
    """Least cost of a tree: `leaf` of its leaves' rows (inf where a leaf may not hold them),
    `split` for each test."""

    @cache
    def cost(rows: Rows, depth: int) -> float:
        best = leaf(rows)
        if depth > 0:
            for left, right in divisions(columns, rows):
                best = min(best, split + cost(left, depth - 1) + cost(right, depth - 1))
        return best

    return cost(frozenset(range(len(columns[0]))), depth)


def minimal_tree_size(columns: Sequence[Sequence[float]], y: Sequence[int]) -> int:
    """Nodes of the smallest consistent tree (infinitely many when equal rows differ in class)."""

    def leaf(rows: Rows) -> float:
        return 1.0 if len({y[i] for i in rows}) == 1 else float("inf")

    return int(best_tree(columns, leaf, 1.0, len(y)))
