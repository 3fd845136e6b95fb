"""P-values of variants written from the definitions: loops over permutations and pairs of samples,
nothing shared with the library.

Genotypes are a list of rows of 0, 1, 2 and None; a missing one is the most frequent of its variant
(of equally frequent ones that with most copies).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import neighbours_oracle  # loaded before, by the tests' tools


def imputed(rows: Sequence[Sequence[Any]]) -> list[list[int]]:
    """The rows with every missing genotype replaced."""
    columns = []
    for column in zip(*rows, strict=True):
        modes = [(sum(x == g for x in column), g) for g in (0, 1, 2)]
        mode = max(modes)[1]
        columns.append([mode if x is None else x for x in column])
    return [list(row) for row in zip(*columns, strict=True)]


def scores(rows: Sequence[Sequence[int]], y: Sequence[Any], name: str) -> list[float]:
    """Scores of all variants; constant ones 0."""
    columns = [[str(x) for x in column] for column in zip(*rows, strict=True)]
    return neighbours_oracle.scores(neighbours_oracle.Rows(columns, y), name)


def p_values(
    rows: Sequence[Sequence[int]], y: Sequence[Any], name: str, permuted: Sequence[Sequence[Any]]
) -> tuple[list[float], list[float]]:
    """Each variant's p-value, and the one adjusted by the largest score of each permutation."""
    near = 1e-9  # of the same pairs in another order
    own = scores(rows, y, name)
    under = [scores(rows, labels, name) for labels in permuted]
    varies = [len(set(column)) > 1 for column in zip(*rows, strict=True)]
    largest = [max(s for s, v in zip(one, varies, strict=True) if v) for one in under]
    every = len(permuted) + 1
    single = [(1 + sum(one[k] >= s - near for one in under)) / every for k, s in enumerate(own)]
    family = [(1 + sum(most >= s - near for most in largest)) / every for s in own]
    return single, family


def stir(rows: Sequence[Sequence[int]], y: Sequence[Any], name: str) -> list[float]:
    """STIR's t of each variant: near misses against near hits, all ordered pairs."""
    t = len(rows)
    d = [[sum(a != b for a, b in zip(r, s, strict=True)) for s in rows] for r in rows]
    every = [d[i][j] for i in range(t) for j in range(t) if i != j]
    found = []
    pairs = []
    for i in range(t):
        others = [d[i][j] for j in range(t) if j != i]
        mean = sum(others) / len(others)
        spread = math.sqrt(sum((x - mean) ** 2 for x in others) / len(others))
        bound = mean - spread / 2 if name == "multisurf" else sum(every) / len(every)
        pairs += [(i, j) for j in range(t) if j != i and d[i][j] < bound - 1e-9]
    for k in range(len(rows[0])):
        kinds = {True: [], False: []}
        for i, j in pairs:
            kinds[y[i] == y[j]].append(float(rows[i][k] != rows[j][k]))
        hits, misses = kinds[True], kinds[False]

        def mean(x):
            return sum(x) / len(x)

        def squares(x):
            return sum((v - mean(x)) ** 2 for v in x)

        pooled = (squares(hits) + squares(misses)) / (len(hits) + len(misses) - 2)
        error = math.sqrt(pooled) * math.sqrt(1 / len(hits) + 1 / len(misses))
        gap = mean(misses) - mean(hits)
        found.append(gap / error if error else math.copysign(math.inf, gap) if gap else 0.0)
    return found
