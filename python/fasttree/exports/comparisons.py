"""A tree with many branches per test as a binary tree of comparisons ``x <= cut``.

What
    scikit-learn's trees and ONNX's TreeEnsemble operators compare one column with one number in
    each node. `comparisons` writes a test with many branches as several such nodes: two hundred
    branches as a balanced tree, eight comparisons deep, or a few of them as a chain. A branch that
    takes only missing values comes last, after a cut at infinity.
Complexity
    O(nodes + branches) nodes; no recursion.
When not to use it
    For languages with an ``if`` of several branches: `rules` and the code exports keep tests whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .reading import Reading


@dataclass
class ColumnTest:
    """A test as cut points of a column.

    Attributes:
        column: index of the column.
        cuts: cut points, ascending.
        order: branch ``order[i]`` takes the values up to ``cuts[i]``, the last one the rest.
        missing: branch that takes missing values; None if they are divided.
        shares: share of a missing value that each branch takes; empty if they are not used.
    """

    column: int
    cuts: list[float]
    order: list[int]
    missing: int | None
    shares: list[float]


class Comparison(NamedTuple):
    """A node of the binary tree: a comparison, or a leaf.

    Attributes:
        parent: number of the parent, -1 of the root; nodes are numbered in their order.
        is_right: whether it is the right child of its parent.
        node: the node of the tree to which it belongs.
        children: the children of `node` between which it and the comparisons below it choose; None
            where these are all.
        column, cut: ``column <= cut`` goes left; None of a leaf, which has no column.
        missing_left: whether missing values go left.
    """

    parent: int
    is_right: bool
    node: int
    children: list[int] | None
    column: int | None
    cut: float
    missing_left: bool


def comparisons(
    reading: Reading, test_of: Callable[[int], ColumnTest], chain: int = 0
) -> Iterator[Comparison]:
    """The nodes of the binary tree in pre-order, left before right.

    Args:
        reading: the tree.
        test_of: the test of an inner node, by its number.
        chain: largest number of branches of a test that becomes a chain, which takes off the first
            branch at each step; other tests become a balanced tree.
    """
    number = 0
    # What is still to be written: a node of the tree (no test), or the branches order[low:high] of
    # its test; and its place in the binary tree.
    work: list[tuple[int, ColumnTest | None, int, int, int, bool]] = [(0, None, 0, 0, -1, False)]
    while work:
        node, test, low, high, parent, is_right = work.pop()
        children = reading.children[node]
        if test is None and not children:
            yield Comparison(parent, is_right, node, None, None, 0.0, False)
            number += 1
            continue
        below = None if test is None else [children[branch] for branch in test.order[low:high]]
        if test is None:
            test = _with_missing_branch(test_of(node))
            low, high = 0, len(test.order)
        if high - low == 1:
            work.append((children[test.order[low]], None, 0, 0, parent, is_right))
            continue
        middle = low + 1 if len(test.order) <= chain else (low + high) // 2
        missing_left = test.order.index(test.missing or 0) < middle
        cut = test.cuts[middle - 1]
        yield Comparison(parent, is_right, node, below, test.column, cut, missing_left)
        work.append((node, test, middle, high, number, True))
        work.append((node, test, low, middle, number, False))
        number += 1


def _with_missing_branch(test: ColumnTest) -> ColumnTest:
    """The test with the branch that only missing values take, if it has one, after all others."""
    if test.missing is None or test.missing in test.order:
        return test
    cuts = [*test.cuts, *[math.inf] * bool(test.order)]
    return ColumnTest(test.column, cuts, [*test.order, test.missing], test.missing, test.shares)
