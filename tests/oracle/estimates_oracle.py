"""Scores under ``2^(-alpha D)`` as averages over all feature subsets, straight from the definition:
every subset with its probability, every pair.

Written without the shortcuts of the package: a pair counts for a subset when both rows have the
same values on it, and nothing is said of distances anywhere.
"""

from __future__ import annotations

import itertools

from pairs_oracle import SIGNS


def scores(columns, y, weights, metric, alpha, theta=(1, 1, 1, 1)):
    """Score of every feature; `columns` are lists of codes, `weights` copies of rows."""
    n, rows, total = len(columns), range(len(y)), sum(weights)
    keep = 1 - 2.0**-alpha
    share = [
        {v: sum(weights[i] for i in rows if column[i] == v) / total for v in set(column)}
        for column in columns
    ]
    out = [0.0] * n
    for size in range(n + 1):
        for subset in itertools.combinations(range(n), size):
            probability = keep**size * (1 - keep) ** (n - size)
            for i in rows:
                for j in rows:
                    if any(columns[f][i] != columns[f][j] for f in subset):
                        continue
                    for k in range(n):
                        case = 2 * (columns[k][i] != columns[k][j]) + (y[i] != y[j])
                        factor = SIGNS[metric][case] * theta[case] * weights[i] * weights[j]
                        out[k] += (
                            probability
                            * factor
                            * (share[k][columns[k][i]] if metric == "pi" else 1)
                        )
    return out
