"""What pruning did to a tree: `PruneReport`, a sequence of `Cut` objects."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

from ..rendering.plain_text import one_line
from .base import Pruning


@dataclass(frozen=True)
class Cut:
    """One thing that pruning did.

    Attributes:
        node: number of the node in the tree before pruning.
        action: ``"leaf"`` (became one), ``"raise"`` (its heaviest branch took its place),
            ``"join"`` (became one test with the one below).
        feature: what the node asked for before.
        rows, leaves: training rows and leaves of the node before pruning.
        as_leaf, as_tree: cost as a leaf and as it stood, in the units of the method; NaN where
            nothing was weighed.
        as_branch: cost as its heaviest branch; in cost-complexity pruning the price of the link;
            NaN where not weighed.
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
        size = f"{one_line(self.feature)}; {self.rows} rows, {self.leaves} leaves"
        what = f"node {self.node} ({size}) {done}"
        return f"{what}: {costs}" if costs else what


class PruneReport(Sequence[Cut]):
    """What pruning did to a tree, in the order in which it was done; ``print(report)`` reads
    well."""

    def __init__(
        self,
        parts: Sequence[tuple[Any, ...]],
        names: Sequence[str],
        method: Pruning | None,
        merged: str | None,
    ) -> None:
        self._cuts = tuple(Cut(p[0], p[1], names[p[2]], *p[3:]) for p in parts)
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

    def __iter__(self) -> Iterator[Cut]:
        return iter(self._cuts)

    def to_frame(self) -> Any:
        """One row a cut, as a pandas DataFrame."""
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
            words = self.method.costs
            head += f"; costs are {words}" + (
                ", 'that branch' the price of the link" if words == "impurity" else ""
            )
        return "\n".join([head, *(f"  {cut}" for cut in self._cuts)])

    def __repr__(self) -> str:
        return f"PruneReport of {len(self)} cuts"
