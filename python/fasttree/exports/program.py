"""What Python and C programs of a tree have in common: nested conditions, or tables and a loop.

What
    A shallow tree becomes nested ifs, which people read. A deep or very wide one (compilers give up
    on some hundred nested blocks) becomes tables and a loop over them. Where missing values go down
    several branches, the nested form answers rows that are nowhere divided, and the loop the
    others. The sums are those of the core: weights are multiplied from the root, leaves added in
    pre-order.
Complexity
    O(nodes) text; no recursion here or in what is written.
When not to use it
    For a batch of rows where fasttree is installed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from .reading import Part, Reading

__all__ = ["NESTED", "Tables", "Tongue", "fits_nesting", "nested", "tables"]

NESTED = 60
"""Nested blocks (each else-if counts as one) up to which a tree is written as ifs."""

ALL = -2


class Tongue(Protocol):
    """How a programming language says the few things that a tree needs."""

    closing: str | None
    otherwise: str

    def test(self, feature: int, part: Part, missing: bool) -> str:
        """A condition; `missing`: rows without a value meet it."""

    def start(self, word: str, said: str) -> str:
        """The line that opens a block: `word` is "if" or "elif"."""

    def answer(self, leaf: int) -> str:
        """Return the leaf of that number."""

    def divided(self) -> str:
        """Return that the row goes down several branches."""


def fits_nesting(reading: Reading) -> bool:
    """True when the tree is shallow enough for nested ifs."""
    deep = [0] * len(reading.children)
    for node, kids in enumerate(reading.children):
        for place, child in enumerate(kids):
            deep[child] = deep[node] + 1 + place
            if deep[child] > NESTED:
                return False
    return True


def nested(reading: Reading, tongue: Tongue, indent: int) -> Iterator[str]:
    """The tree as nested conditions, line by line."""
    number = {node: i for i, node in enumerate(reading.leaves)}
    work: list[tuple[int, int | str]] = [(0, 0)]
    while work:
        level, what = work.pop()
        space = "    " * (indent + level)
        if isinstance(what, str):
            yield space + what
            continue
        kids = reading.children[what]
        if not kids:
            yield space + tongue.answer(number[what])
            continue
        feature, parts = reading.feature[what], reading.parts(what)
        divides = any(0 < p.missing < 1 for p in parts)
        later: list[tuple[int, int | str]] = []
        for place, (child, part) in enumerate(zip(kids, parts, strict=True)):
            if place == len(kids) - 1 and not divides:
                later.append((level, tongue.otherwise))
            else:
                said = tongue.test(feature, part, part.missing == 1)
                later.append((level, tongue.start("elif" if place else "if", said)))
            later.append((level + 1, child))
        if divides:
            later += [(level, tongue.otherwise), (level + 1, tongue.divided())]
        if tongue.closing:
            later.append((level, tongue.closing))
        work += reversed(later)


@dataclass
class Tables:
    """A tree as columns of numbers.

    Attributes:
        feature: column asked for, -1 in a leaf.
        first: index of the first child in `child`; one entry more than nodes.
        start, length: cut points of a numeric test in `cut` (its branch is the number of cuts below
            the value), or branches by level code in `route`.
        missing: branch of a missing value, -2: all, each by its share.
        child, share: children of all nodes and their shares of divided rows.
        leaf: number of the leaf, -1 in an inner node.
    """

    feature: list[int]
    first: list[int]
    start: list[int]
    length: list[int]
    missing: list[int]
    child: list[int]
    share: list[float]
    leaf: list[int]
    cut: list[float]
    route: list[int]


def tables(reading: Reading) -> Tables:
    """The tree as columns."""
    found = Tables([], [0], [], [], [], [], [], [], [], [])
    number = {node: i for i, node in enumerate(reading.leaves)}
    for node, kids in enumerate(reading.children):
        found.leaf.append(number.get(node, -1))
        found.child += kids
        found.first.append(len(found.child))
        if not kids:
            for column in (found.feature, found.start, found.length, found.missing):
                column.append(-1)
            continue
        feature, parts = reading.feature[node], reading.parts(node)
        found.feature.append(feature)
        found.share += [p.missing for p in parts]
        whole = [i for i, p in enumerate(parts) if p.missing == 1]
        found.missing.append(whole[0] if whole else ALL)
        levels = reading.features[feature].levels
        if levels is None:
            cuts = [p.upper for p in parts if not p.lower > p.upper and math.isfinite(p.upper)]
            found.start.append(len(found.cut))
            found.length.append(len(cuts))
            found.cut += cuts
        else:
            branch = {code: i for i, p in enumerate(parts) for code in p.codes or ()}
            found.start.append(len(found.route))
            found.length.append(len(levels))
            found.route += [branch[code] for code in range(len(levels))]
    return found
