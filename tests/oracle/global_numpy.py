"""Algorithm 3 of Spaeh & Kosub in plain NumPy, for numeric columns and majority labels: what a few
lines cost.

`grow` looks at every impure leaf, feature and threshold anew in every step; the thresholds of one
column are scored together. Nothing is cached and no formula is special, so it is the bar for speed
(``benches/global_side_by_side.py``), and a second opinion on trees.

Source: Spaeh & Kosub, *Global Evaluation for Decision Tree Learning* (2022), algorithm 3. O(steps x
leaves x features x rows x classes).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Measure = Callable[[np.ndarray], np.ndarray]


def gini(tables: np.ndarray) -> np.ndarray:
    """Weighted Gini impurity of each row of tables (m, branches, classes), shape (m,)."""
    sizes = tables.sum(axis=2)
    squares = (tables**2).sum(axis=2) / np.maximum(sizes, 1)
    return 1 - squares.sum(axis=1) / sizes.sum(axis=1)


def info_gain(tables: np.ndarray) -> np.ndarray:
    """Entropy of the classes given the branch, in bits, shape (m,)."""
    sizes = tables.sum(axis=2)
    logs = np.where(tables > 0, tables * np.log2(np.maximum(tables, 1)), 0).sum(axis=(1, 2))
    of_sizes = np.where(sizes > 0, sizes * np.log2(np.maximum(sizes, 1)), 0).sum(axis=1)
    return (of_sizes - logs) / sizes.sum(axis=1)


def grow(
    X: np.ndarray, y: np.ndarray, measure: Measure, max_leaves: int | None = None, digits: int = 12
) -> list[float]:
    """The distance of the whole tree after each step.

    Args:
        X: numbers, shape (rows, features).
        y: class codes from 0, shape (rows,).
        measure: distances of tables (m, branches, classes), shape (m,).
        max_leaves: where to stop.
        digits: distances equal to so many digits are ties: smaller local distance, then the leaf
        created first, feature, threshold.
    """
    k = int(y.max()) + 1
    hot = np.eye(k)[y]
    leaves = [np.arange(len(y))]
    labels = [0]
    whole = np.zeros((k, k))
    whole[0] = hot.sum(axis=0)
    distances: list[float] = []
    while max_leaves is None or len(leaves) < max_leaves:
        best: tuple[float, ...] = ()
        chosen = None
        for at, rows in enumerate(leaves):
            own = hot[rows].sum(axis=0)
            if np.count_nonzero(own) < 2:
                continue
            rest = whole.copy()
            rest[labels[at]] -= own
            for feature in range(X.shape[1]):
                order = rows[np.argsort(X[rows, feature], kind="stable")]
                values = X[order, feature]
                cuts = np.flatnonzero(values[1:] > values[:-1])
                if len(cuts) == 0:
                    continue
                left = np.cumsum(hot[order], axis=0)[cuts]
                right = own - left
                to_left, to_right = left.argmax(axis=1), right.argmax(axis=1)
                tables = np.repeat(rest[None], len(cuts), axis=0)
                places = np.arange(len(cuts))
                tables[places, to_left] += left
                tables[places, to_right] += right
                outer = np.round(measure(tables), digits)
                inner = np.round(measure(np.stack([left, right], axis=1)), digits)
                first = np.lexsort((places, inner, outer))[0]
                key = (outer[first], inner[first])
                if chosen is None or key < best:
                    best = key
                    chosen = (
                        at,
                        order[: cuts[first] + 1],
                        order[cuts[first] + 1 :],
                        to_left[first],
                        to_right[first],
                    )
        if chosen is None:
            break
        at, a, b, low, high = chosen
        own = hot[leaves[at]].sum(axis=0)
        whole[labels[at]] -= own
        whole[low] += hot[a].sum(axis=0)
        whole[high] += hot[b].sum(axis=0)
        # The leaf created first is the one whose place comes first: a split leaf's place is its
        # children's no longer.
        del leaves[at], labels[at]
        leaves += [a, b]
        labels += [int(low), int(high)]
        distances.append(float(measure(whole[None])[0]))
    return distances
