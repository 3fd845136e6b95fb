"""`PruneReport`: the changes that pruning made to a tree, a sequence of `Cut` objects.

It is the attribute ``prune_report_`` of a pruned tree. The core records the changes while it
prunes; this module names their fields and prints them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

from .._checks.plain_text import one_line
from .._checks.words import counted
from .base import Pruning


@dataclass(frozen=True)
class Cut:
    """One change that pruning made to a node.

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

    def __str__(self) -> str:
        done = {
            "leaf": "became a leaf",
            "raise": "was replaced by its heaviest branch",
            "join": "became one test with the one below it",
        }[self.action]
        named = (
            ("as a leaf", self.as_leaf),
            ("as it stood", self.as_tree),
            ("as that branch", self.as_branch),
        )
        costs = ", ".join(f"{value:.6g} {words}" for words, value in named if not math.isnan(value))
        size = (
            f"{one_line(self.feature)}; {counted(self.rows, 'row')}, {counted(self.leaves, 'leaf')}"
        )
        what = f"node {self.node} ({size}) {done}"
        return f"{what}: {costs}" if costs else what


class PruneReport(Sequence[Cut]):
    """The changes that pruning made, in order, a sequence of `Cut`; prints as text."""

    def __init__(
        self,
        records: Sequence[tuple[Any, ...]],
        names: Sequence[str],
        method: Pruning | None,
        merged: str | None,
    ) -> None:
        self._cuts = tuple(
            Cut(node, action, names[feature], *costs) for node, action, feature, *costs in records
        )
        self.method = method
        self.merge_redundant = merged

    @overload
    def __getitem__(self, index: int) -> Cut: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Cut]: ...
    def __getitem__(self, index: int | slice) -> Cut | Sequence[Cut]:
        return self._cuts[index]

    def __len__(self) -> int:
        return len(self._cuts)

    def to_frame(self) -> Any:
        """The changes as a pandas DataFrame, one row per change."""
        import pandas as pd

        return pd.DataFrame([vars(c) for c in self._cuts], columns=[f.name for f in fields(Cut)])

    def __str__(self) -> str:
        how = [repr(self.method)] if self.method is not None else []
        if self.merge_redundant is not None:
            how.append(f"merge_redundant={self.merge_redundant!r}")
        head = (
            f"{' and '.join(how) or 'no pruning'}: {len(self)} cut{'' if len(self) == 1 else 's'}"
        )
        if self.method is not None and len(self):
            head += f"; costs are {self.method.costs}"
            if self.method.costs == "impurity":
                head += "; 'as that branch': the ccp_alpha from which on the node is a leaf"
        return "\n".join([head, *(f"  {cut}" for cut in self._cuts)])

    def __repr__(self) -> str:
        return f"PruneReport of {len(self)} cuts"
