"""Quantile regression forests in fractions, row by row: slow truth for `predict_quantiles`.

Sources
    Meinshausen, "Quantile regression forests", Journal of Machine Learning Research 7 (2006),
    equations 4 to 7. There a tree's rows are those of its sample, with repetitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np


def weights(
    leaves: np.ndarray, own: Sequence[int], sampled: np.ndarray, parents: Sequence[np.ndarray]
) -> list[Fraction]:
    """w_i(x) of each training row.

    Args:
        leaves: leaf of each training row in each tree, shape (n_rows, n_trees).
        own: leaf of the new row in each tree.
        sampled: weight of each training row in each tree, shape (n_trees, n_rows).
        parents: parent of each node of each tree; a leaf without rows takes those below the
            nearest node above it that has some.
    """
    n_rows, n_trees = leaves.shape
    total = [Fraction(0)] * n_rows
    for t in range(n_trees):
        node, held = own[t], []
        while not held:
            held = [
                i for i in range(n_rows) if sampled[t][i] and node in line(leaves[i, t], parents[t])
            ]
            node = parents[t][node]
        whole = sum(Fraction(float(sampled[t][i])) for i in held)
        for i in held:
            total[i] += Fraction(float(sampled[t][i])) / whole / n_trees
    return total


def line(node: int, parents: np.ndarray) -> list[int]:
    """A node and all above it."""
    found = [node]
    while parents[found[-1]] >= 0:
        found.append(parents[found[-1]])
    return found


def quantile(targets: np.ndarray, weights: Sequence[Fraction], q: str) -> float:
    """inf{y : F(y) >= q} of the distribution of weighted targets; of q = 0 the smallest."""
    total = Fraction(0)
    for i in np.argsort(targets, kind="stable"):
        total += weights[i]
        if weights[i] and total >= Fraction(q):
            return float(targets[i])
    raise AssertionError("the weights sum to less than 1")
