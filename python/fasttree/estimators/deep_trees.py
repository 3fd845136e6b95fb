"""Warnings about degenerate trees: very deep ones, and ones with far fewer leaves than allowed.

What
    A tree of more than `DEEP` levels has split off a few rows at a time: because the criterion
    prefers such splits, or because a column has a different value in nearly every row.
    `warn_of_depth` says which, and what helps. `warn_of_few_leaves` warns where `max_leaf_nodes`
    left no room for splits of many branches. A fit calls both.
Complexity
    O(nodes); `warn_of_few_leaves` grows up to four small trees where it finds a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from .._checks.data_warnings import is_quiet, quiet, warn_caller
from .._checks.words import argument, in_text
from ..table import Table

DEEP = 200
"""Largest number of levels that a tree may have without a warning."""

FEW = 0.02
"""A split whose smaller side has at most this share of the rows has split off a few rows."""


def warn_of_depth(
    tree: Any, names: list[str], criterion: Any, table: Table | None = None, ties: str = "first"
) -> None:
    """Warn once of a tree with more than `DEEP` levels.

    Args:
        tree: the arrays of a fitted tree.
        names: names of the features.
        criterion: the criterion by which the tree was grown, as given.
        table: the training rows, where they are at hand.
        ties: the tie rule that the tree was grown by.
    """
    if tree.max_depth <= DEEP or is_quiet():
        return
    parent, rows = np.asarray(tree.parent), np.asarray(tree.n_node_samples)
    node, path = int(np.argmax(tree.depth)), []
    while node > 0:
        path.append((int(parent[node]), node))
        node = int(parent[node])
    n_off = sum(rows[above] - rows[below] <= max(1, FEW * rows[above]) for above, below in path)
    n_tests = np.bincount([int(tree.feature[above]) for above, _ in path], minlength=len(names))
    feature = int(n_tests.argmax())
    name, share = names[feature], n_tests[feature] / len(path)
    limits = "max_depth or min_samples_leaf"
    # By the others that split off a few rows at a time, such splits score above even ones.
    if ties != "even" and getattr(criterion, "name", criterion) == "accuracy":
        limits = f"ties='even', {limits}"
    if table is not None and share > 0.5 and _is_identifier(table, feature):
        cause = (
            f"column {name!r}, which {n_tests[feature]} of them ask, has a value of its own for "
            "nearly every row, as an identifier has"
        )
        remedy = f"leave {name!r} out if it is one, or set {limits}"
    else:
        shown = criterion if isinstance(criterion, str) else repr(criterion)
        cause = f"criterion={shown!r} prefers such splits here"
        remedy = f"set {limits}, or take another criterion"
    warn_caller(
        f"the tree has {tree.max_depth} levels: {n_off} of the {len(path)} splits above its "
        f"deepest leaf split off {FEW:.0%} of the rows of their node or fewer; {cause}; {remedy}",
        UserWarning,
    )


def warn_of_few_leaves(
    tree: Any, fitted: Callable[[Any], Any], table: Table, n_leaves: int, depth: int
) -> None:
    """Warn of a tree with one leaf, or at most half of `max_leaf_nodes`, because a split has more
    branches than there is room for. The warning names a remedy that was tried and gives more
    leaves.

    Args:
        tree: the fitted estimator.
        fitted: a function that fits an estimator to the rows of the tree.
        table: these rows.
        n_leaves: number of leaves of the tree.
        depth: depth of the tree.
    """
    most = getattr(tree, "max_leaf_nodes", None)
    if most is None or is_quiet():
        return
    widest = max((len(column.levels or ()) for column in table.columns), default=0)
    if n_leaves > 1 and (2 * n_leaves > most or n_leaves - 1 + widest <= most):
        return
    deepest = min(depth + 1, tree.max_depth or depth + 1)
    stump = clone(tree).set_params(max_depth=deepest, progress=None)
    with quiet():
        wider = fitted(clone(stump).set_params(max_leaf_nodes=2**31))
        n_branches = int(np.max(wider.tree_.n_children))
        needed = n_leaves - 1 + n_branches
        if needed <= most:
            return
        bins = [("n_bins", n) for n in (most, most - 1) if n > 1]
        for change in [("nominal_splits", "subset"), *bins]:
            try:
                if fitted(clone(stump).set_params(**dict([change]))).get_n_leaves() > n_leaves:
                    remedy = f"set {in_text(argument(*change))}, or allow"
                    break
            except ValueError:  # what the criterion does not take
                continue
        else:
            remedy = "allow"
    warn_caller(
        f"the tree {'is one leaf' if n_leaves == 1 else f'has {n_leaves} leaves'}: "
        f"{in_text(argument('max_leaf_nodes', most))}, and {'the best' if n_leaves == 1 else 'a'} "
        f"split has {n_branches} branches, one per level or bin; {remedy} {needed} leaves"
    )


def _is_identifier(table: Table, feature: int) -> bool:
    """Whether at least nine in ten known values of a column are different."""
    values = np.asarray(table.columns[feature].values)
    present = values[values >= 0] if values.dtype.kind == "i" else values[~np.isnan(values)]
    return len(present) > 0 and len(np.unique(present)) >= 0.9 * len(present)
