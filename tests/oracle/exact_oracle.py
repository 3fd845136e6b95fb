"""Smallest and cheapest trees by trying every tree: plain recursion over sets of rows, written from
the definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

Rows = frozenset[int]


def divisions(columns: Sequence[Sequence[float]], rows: Rows) -> list[tuple[Rows, Rows]]:
    """Both sides of every test ``x <= r`` that divides the rows; missing values (NaN) are on the
    left of all of them or on the right of all of them."""
    found = []
    for column in columns:
        missing = frozenset(i for i in rows if column[i] != column[i])
        for r in sorted({column[i] for i in rows - missing}):
            low = frozenset(i for i in rows if column[i] <= r)
            sides = {low, low | missing} - {rows}
            found.extend((left, rows - left) for left in sides)
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


def wrong_by_class(
    columns: Sequence[Sequence[float]],
    counts: Callable[[Rows], tuple[float, float]],
    is_allowed: Callable[[Rows], bool],
    depth: int,
) -> set[tuple[float, float]]:
    """(false positives, false negatives) of every tree of two classes, from the weights of both
    classes in the rows of a leaf."""

    @cache
    def found(rows: Rows, depth: int) -> frozenset[tuple[float, float]]:
        negative, positive = counts(rows)
        pairs = {(0.0, positive), (negative, 0.0)} if is_allowed(rows) else set()
        for left, right in divisions(columns, rows) if depth > 0 else ():
            rights = found(right, depth - 1)
            pairs |= {(a + c, b + d) for a, b in found(left, depth - 1) for c, d in rights}
        return frozenset(pairs)

    return set(found(frozenset(range(len(columns[0]))), depth))


def minimal_tree_size(columns: Sequence[Sequence[float]], y: Sequence[int]) -> int:
    """Nodes of the smallest consistent tree (infinitely many when equal rows differ in class)."""

    def leaf(rows: Rows) -> float:
        return 1.0 if len({y[i] for i in rows}) == 1 else float("inf")

    return int(best_tree(columns, leaf, 1.0, len(y)))
