"""The fixed list of candidates of `advise`: it depends on the size and the columns of the data
only.

For classes Quinlan's C4.5 as J48 runs it comes first, then six criteria by three prunings, with a
branch for each level and with levels in two groups. Last come small trees that are not pruned. For
a number criteria on numbers take their place. `search` tries them in this order, so the end of the
list is what a time limit leaves out.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import presets

if TYPE_CHECKING:
    from ..table import Table


__all__ = ["Candidate", "candidates", "folds_for", "rows_compared"]

CRITERIA = ("info_gain", "gain_ratio", "gini", "mdl", "hellinger", "dkm")
PRUNINGS = ("error_based", "mdl", "pessimistic")
MAX_LEAVES = (4, 8, 16)
"""Sizes of the trees that are not pruned."""

ON_NUMBERS = ("squared_error", "absolute_error", "standard_deviation", "poisson")
"""Criteria on a number; the last one on numbers that are not negative."""
PRUNINGS_OF_NUMBERS = ("reduced_error", "m5")
MAX_LEAVES_ON_NUMBERS = (4, 8, 16, 32, 64)
"""A number takes more leaves than a class."""
MANY_CELLS = 2_000_000
"""Cells above which only every other criterion is tried."""
MOST_ROWS = 200_000
"""Rows that candidates are compared on, at most."""


@dataclass(frozen=True)
class Candidate:
    """A candidate: its name, and `params`, the parameters of the tree. A constant, which is no
    tree, has no criterion."""

    name: str
    criterion: str | None
    nominal_splits: str | None
    pruning: str | None
    params: dict[str, Any]


def candidates(table: Table) -> list[Candidate]:
    """The candidates for a Table, in the order of trying.

    Examples:
        >>> from fasttree import datasets
        >>> found = candidates(datasets.load_iris())
        >>> found[0].name, len(found)
        ('C4.5 (J48)', 22)
    """
    n_rows, n_features = table.shape
    is_number = table.task == "regression"
    criteria: tuple[str, ...] = CRITERIA
    if is_number:
        numbers = table.numbers
        takes_poisson = numbers.min() >= 0 and np.any(numbers > 0)
        criteria = ON_NUMBERS if takes_poisson else ON_NUMBERS[:-1]
    if n_rows * n_features > MANY_CELLS:
        criteria = criteria[::2]
    # Groups of levels differ from single levels where a column has more than two.
    has_groups = any(c.levels is not None and len(c.levels) > 2 for c in table.columns)
    splits = ("multiway", "subset") if has_groups else ("multiway",)
    min_leaf = max(2, min(50, n_rows // 2000), min(5, n_rows // 20) if is_number else 0)
    found = []
    if not is_number:
        c45 = dict(presets.C45)
        found.append(Candidate("C4.5 (J48)", "gain_ratio", "multiway", "error_based", c45))
    # Every criterion, pruned.
    prunings = PRUNINGS_OF_NUMBERS if is_number else PRUNINGS
    for pruning, nominal_splits, criterion in itertools.product(prunings, splits, criteria):
        params = {
            "criterion": criterion,
            "nominal_splits": nominal_splits,
            "pruning": pruning,
            "min_samples_leaf": min_leaf,
        }
        suffix = f", {nominal_splits}" if has_groups else ""
        name = f"{criterion} with {pruning.replace('_', '-')} pruning{suffix}"
        found.append(Candidate(name, criterion, nominal_splits, pruning, params))
    # Small trees, best first, not pruned.
    small = itertools.product(
        MAX_LEAVES_ON_NUMBERS if is_number else MAX_LEAVES,
        ON_NUMBERS[:2] if is_number else ("gini",),
    )
    for leaves, criterion in small:
        params = {
            "criterion": criterion,
            "nominal_splits": splits[-1],
            "max_leaf_nodes": leaves,
            "min_samples_leaf": min_leaf,
        }
        name = f"{criterion} with at most {leaves} leaves"
        found.append(Candidate(name, criterion, splits[-1], "none", params))
    return found


def folds_for(n_rows: int) -> str:
    """Folds of the cross-validation, as `cross_validate` names them, by the number of rows.

    Examples:
        >>> folds_for(150), folds_for(5000), folds_for(100_000)
        ('3x10', '1x10', '1x5')
    """
    if n_rows <= 1000:
        return "3x10"
    return "1x10" if n_rows <= 20_000 else "1x5"


def rows_compared(n_rows: int) -> int:
    """Number of rows that candidates are compared on; the recommended tree is fitted on all."""
    return min(n_rows, MOST_ROWS)
