"""The parts that the Python and C exports share: nested conditions, or tables and a loop.

What
    A shallow tree becomes nested ifs, which people can read. A deep or very wide one becomes tables
    and a loop over them, as compilers fail on about a hundred nested blocks. Where missing values
    go down several branches, the ifs answer the rows that are not divided and the loop the others.
    It sums as the core does: weights are multiplied from the root, leaves are added in pre-order.
Complexity
    O(nodes) text; no recursion here or in the program that is written.
When not to use it
    For a batch of rows where fasttree is installed: `predict` is faster than any export.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from .answers import Label
from .reading import Reading, ValueSet

NESTED = 60
"""Largest depth of nested blocks (each else-if counts as one) for which ifs are written."""

ALL_BRANCHES = -2
"""Entry of the table `missing` where a missing value takes all branches."""


class Language(ABC):
    """The syntax that `nested_conditions` needs of a programming language.

    In all texts ``x3`` is the value of feature 3, which the written function reads at its start.

    Attributes:
        never: condition that no value meets.
        always: condition that every value meets.
        between: template of a condition: `x` is above `low`, and at most `high`.
        or_missing: template of a condition: `x` is missing, or the condition `inside` holds.
        negated: template of the negation of the condition `test`.
        if_line: template of the line that opens the first block of a chain under a condition.
        else_if_line: template of the line that opens a further block under a condition.
        else_line: line that opens the last block of a chain.
        end_line: line that closes a chain of blocks; empty if the language needs none.
        return_divided: statement that returns the mark of a row that goes down several branches.
    """

    never: str
    always: str
    between: str
    or_missing: str
    negated: str
    if_line: str
    else_if_line: str
    else_line: str
    end_line: str
    return_divided: str

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    @abstractmethod
    def answer(self, leaf: int, label: Label | None) -> str:
        """The statement that returns the number of a leaf, and its prediction in a comment.

        Args:
            leaf: number of the leaf.
            label: the prediction of the leaf; None: no comment.
        """

    @abstractmethod
    def levels(self, x: str, feature: int, codes: Sequence[int], missing: bool) -> str:
        """A condition that some values of a nominal feature meet.

        Args:
            x: the expression of the value.
            feature: number of the feature.
            codes: codes of the levels that meet the condition, in ascending order.
            missing: whether a missing value meets it.
        """

    def test(self, feature: int, subset: ValueSet, missing: bool) -> str:
        """A condition that the values of a set meet.

        Args:
            feature: number of the feature.
            subset: the set: levels, or an interval.
            missing: whether a missing value meets the condition.
        """
        x = f"x{feature}"
        if subset.codes is not None:
            return self.levels(x, feature, sorted(subset.codes), missing)
        if subset.empty:
            return f"{x} != {x}" if missing else self.never
        has_lower, has_upper = math.isfinite(subset.lower), math.isfinite(subset.upper)
        if not has_lower and not has_upper:
            return self.always if missing else f"{x} == {x}"
        if has_lower and has_upper:
            inside = self.between.format(x=x, low=subset.lower, high=subset.upper)
            return self.or_missing.format(x=x, inside=inside) if missing else inside
        if missing:  # comparisons with NaN are false, so their negation is true
            test = f"{x} > {subset.upper!r}" if has_upper else f"{x} <= {subset.lower!r}"
            return self.negated.format(test=test)
        return f"{x} <= {subset.upper!r}" if has_upper else f"{x} > {subset.lower!r}"


def fits_nesting(reading: Reading) -> bool:
    """Whether the tree is shallow enough for nested ifs: no node lies in more than `NESTED` blocks,
    where each else-if counts as one. Parsers and compilers limit nested blocks; deeper trees are
    written as arrays and a loop."""
    # Blocks that enclose each node: as for its parent, its own, and one for each else-if before it.
    blocks = [0] * len(reading.children)
    for node, children in enumerate(reading.children):
        for branch, child in enumerate(children):
            blocks[child] = blocks[node] + 1 + branch
            if blocks[child] > NESTED:
                return False
    return True


def nested_conditions(reading: Reading, language: Language, indent: int) -> Iterator[str]:
    """Yield the tree as nested conditions, line by line.

    Args:
        reading: the tree.
        language: writes the conditions and statements.
        indent: level of indentation of the outermost lines, four spaces each.
    """
    leaf_numbers = reading.leaf_numbers
    # What is still to be written: (level, line), or (level, node) for a whole subtree.
    work: list[tuple[int, int | str]] = [(0, 0)]
    while work:
        level, item = work.pop()
        space = "    " * (indent + level)
        if isinstance(item, str):
            yield space + item
            continue
        children = reading.children[item]
        if not children:
            yield space + language.answer(leaf_numbers[item], reading.answers.of(item))
            continue
        # One block per branch. The last one needs no condition, unless rows may be divided: then
        # these are what remains.
        feature, subsets = reading.feature[item], reading.branch_sets(item)
        divides = any(0 < subset.missing < 1 for subset in subsets)
        chain: list[tuple[int, int | str]] = []
        for branch, (child, subset) in enumerate(zip(children, subsets, strict=True)):
            if branch == len(children) - 1 and not divides:
                chain.append((level, language.else_line))
            else:
                condition = language.test(feature, subset, subset.missing == 1)
                line = language.else_if_line if branch else language.if_line
                chain.append((level, line.format(condition)))
            chain.append((level + 1, child))
        if divides:
            chain += [(level, language.else_line), (level + 1, language.return_divided)]
        if language.end_line:
            chain.append((level, language.end_line))
        work += reversed(chain)


TABLES = (
    "feature", "first", "start", "length", "missing", "child", "share", "leaf", "cut", "route",
)  # fmt: skip
"""Names of the lists of `tree_tables`."""


def tree_tables(reading: Reading) -> dict[str, list[Any]]:
    """The tree as flat lists by name, over which the written program loops.

    Args:
        reading: the tree.

    Returns:
        feature: feature tested by each node, -1 in a leaf.
        first: index of the first child of each node in `child`; one entry more than nodes.
        start, length: where each node's entries are: cut points of a numeric test in `cut` (the
            branch is the number of cuts below the value), or branches by level code in `route`.
        missing: branch of a missing value; `ALL_BRANCHES`: all, each by its share.
        child: children of all nodes, in branch order.
        share: share of a divided row that each entry of `child` takes.
        leaf: number of the leaf, -1 in an inner node.
        cut: cut points of all numeric tests.
        route: branch of each level of all nominal tests.
    """
    columns: dict[str, list[Any]] = {name: [] for name in TABLES}
    columns["first"].append(0)
    leaf_numbers = reading.leaf_numbers
    for node, children in enumerate(reading.children):
        columns["leaf"].append(leaf_numbers.get(node, -1))
        columns["child"] += children
        columns["first"].append(len(columns["child"]))
        if not children:
            for name in ("feature", "start", "length", "missing"):
                columns[name].append(-1)
            continue
        feature, subsets = reading.feature[node], reading.branch_sets(node)
        columns["feature"].append(feature)
        # Missing values: one branch takes them as a whole, or all of them a share.
        columns["share"] += [subset.missing for subset in subsets]
        takes_all = [i for i, subset in enumerate(subsets) if subset.missing == 1]
        columns["missing"].append(takes_all[0] if takes_all else ALL_BRANCHES)
        # Known values: cut points, or a branch per level.
        if reading.features[feature].levels is None:
            uppers = [s.upper for s in subsets if not s.lower > s.upper]
            cuts = [upper for upper in uppers if math.isfinite(upper)]
            columns["start"].append(len(columns["cut"]))
            columns["length"].append(len(cuts))
            columns["cut"] += cuts
        else:
            route = reading.branch_of_levels(node)
            columns["start"].append(len(columns["route"]))
            columns["length"].append(len(route))
            columns["route"] += route
    return columns
