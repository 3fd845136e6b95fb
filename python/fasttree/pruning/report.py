"""`PruneReport`: the changes that pruning made to a tree, a sequence of `Cut` objects.

It is the attribute ``prune_report_`` of a pruned tree. The core records the changes while it
prunes; this module names their fields and prints them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._checks.plain_text import one_line
from .._checks.words import counted
from ..exports.tables.listing import Listed
from .base import Pruning


@dataclass(frozen=True)
class Cut:
    """One change that pruning made to a node.

    It prints as a sentence with the action, the feature and the costs that were compared.

    Attributes:
        node: number of the node in the tree before pruning.
        action: ``"leaf"`` (it became a leaf), ``"raise"`` (it was replaced by its heaviest branch),
            ``"join"`` (it was joined with the test below).
        feature: the feature that the node tested.
        rows, leaves: training rows and leaves of the node before pruning.
        as_leaf, as_tree: cost as a leaf and as the subtree, in the units of the method; NaN if the
            method compares no costs.
        as_branch: cost as its heaviest branch; in cost-complexity pruning the complexity parameter
            at which the node is pruned; NaN if it was not computed.
    """

    node: int
    action: str
    feature: str
    rows: int
    leaves: int
    as_leaf: float
    as_tree: float
    as_branch: float
    _branch: ClassVar[str] = "{:.6g} as that branch"

    def __str__(self) -> str:
        done = {
            "leaf": "became a leaf",
            "raise": "was replaced by its heaviest branch",
            "join": "became one test with the one below it",
        }[self.action]
        named = (
            ("{:.6g} as a leaf", self.as_leaf),
            ("{:.6g} as it stood", self.as_tree),
            (self._branch, self.as_branch),
        )
        costs = ", ".join(words.format(value) for words, value in named if not math.isnan(value))
        size = (
            f"{one_line(self.feature)}; {counted(self.rows, 'row')}, {counted(self.leaves, 'leaf')}"
        )
        what = f"node {self.node} ({size}) {done}"
        return f"{what}: {costs}" if costs else what


class _PricedCut(Cut):
    """A cut of cost-complexity pruning."""

    _branch = "a leaf from ccp_alpha {:.6g} on"


class PruneReport(Listed[Cut]):
    """The changes that pruning made, a sequence of `Cut` in the order in which they were made.

    It is empty if nothing was cut. It prints as text, and displays in a notebook as a table.
    """

    of = Cut

    def __init__(
        self,
        records: Sequence[tuple[Any, ...]],
        names: Sequence[str],
        method: Pruning | None,
        merged: str | None,
    ) -> None:
        priced = method is not None and method.costs == "impurity"
        self.headings = {"as_branch": "ccp_alpha"} if priced else {}
        kind = _PricedCut if priced else Cut
        super().__init__(
            kind(node, action, names[feature], *costs) for node, action, feature, *costs in records
        )
        self.method = method
        self.merge_redundant = merged

    def _title(self) -> str:
        how = [str(self.method)] if self.method is not None else []
        if self.merge_redundant is not None:
            how.append(f"merge_redundant={self.merge_redundant!r}")
        head = (
            f"{' and '.join(how) or 'no pruning'}: {len(self)} cut{'' if len(self) == 1 else 's'}"
        )
        if self.method is not None and len(self):
            head += f"; costs are {self.method.costs}"
        return head

    def __str__(self) -> str:
        return "\n".join([self._title(), *(f"  {cut}" for cut in self)])
