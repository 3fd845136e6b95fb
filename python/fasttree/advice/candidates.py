"""The fixed list of candidates: what is tried depends on the data's size and kinds, on nothing
else.

Quinlan's C4.5 as J48 runs it comes first, then six criteria by three prunings, with a branch for
each level and with levels in two groups. Last come small trees that are not pruned.  The order is
that of trying: if time runs out, the end of the list is not tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import presets

if TYPE_CHECKING:
    from ..table import Table


__all__ = ["Candidate", "candidates", "folds_for", "rows_compared"]

CRITERIA = ("info_gain", "gain_ratio", "gini", "mdl", "hellinger", "dkm")
PRUNINGS = ("error_based", "mdl", "pessimistic")
SMALL = (4, 8, 16)
LARGE = 2_000_000
"""Cells above which half of the criteria are tried."""
COMPARED = 200_000
"""Most rows that candidates are compared on."""


@dataclass(frozen=True)
class Candidate:
    """A setting that is tried: its name and the parameters of `FastTreeClassifier`."""

    name: str
    criterion: str
    nominal_splits: str
    pruning: str
    params: dict[str, Any]


def candidates(table: Table) -> list[Candidate]:
    """The candidates for a Table, in the order of trying.

    Examples:
        >>> from fasttree import datasets
        >>> found = candidates(datasets.load_iris())
        >>> found[0].name, len(found)
        ('C4.5 (J48)', 22)
    """
    n, p = table.shape
    criteria = CRITERIA if n * p <= LARGE else CRITERIA[::2]
    several = any(c.levels is not None and len(c.levels) > 2 for c in table.columns)
    splits = ("multiway", "subset") if several else ("multiway",)
    least = max(2, min(50, n // 2000))
    found = [Candidate("C4.5 (J48)", "gain_ratio", "multiway", "error_based", dict(presets.C45))]
    for pruning in PRUNINGS:
        for how in splits:
            for criterion in criteria:
                params = {
                    "criterion": criterion,
                    "nominal_splits": how,
                    "pruning": pruning,
                    "min_samples_leaf": least,
                }
                words = f", {how}" if several else ""
                name = f"{criterion} with {pruning.replace('_', '-')} pruning{words}"
                found.append(Candidate(name, criterion, how, pruning, params))
    for leaves in SMALL:
        params = {
            "criterion": "gini",
            "nominal_splits": splits[-1],
            "max_leaf_nodes": leaves,
            "min_samples_leaf": least,
        }
        found.append(
            Candidate(f"gini with at most {leaves} leaves", "gini", splits[-1], "none", params)
        )
    return found


def folds_for(n_rows: int) -> str:
    """Folds of the cross-validation by the number of rows.

    Examples:
        >>> folds_for(150), folds_for(5000), folds_for(100_000)
        ('3x10', '1x10', '1x5')
    """
    if n_rows <= 1000:
        return "3x10"
    return "1x10" if n_rows <= 20_000 else "1x5"


def rows_compared(n_rows: int) -> int:
    """How many rows candidates are compared on; the recommended tree is fitted on all."""
    return min(n_rows, COMPARED)
