"""The Relief family written from the definitions: loops over rows and features, nothing shared with
the library.

Columns are lists; None is a missing cell. Nominal columns hold anything that compares, numeric ones
floats, or `Fraction`s: then all distances are exact, and equal ones are equal. A row of weight w
stands for w rows. A target may be a number: then a missing cell may stand for any known one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any


def total(terms: Iterable[Any]) -> Any:
    """The sum, exact where all terms are fractions."""
    found = list(terms)
    exact = all(isinstance(x, (Fraction, int)) for x in found)
    return sum(found, Fraction(0)) if exact else math.fsum(found)


class Rows:
    """All pairwise differences, by definition."""

    def __init__(
        self,
        columns: Sequence[Sequence[Any]],
        y: Sequence[Any],
        weights: Sequence[int] | None = None,
        is_number: bool = False,
    ):
        self.is_number = is_number
        which = [i for i in range(len(y)) for _ in range(1 if weights is None else weights[i])]
        self.columns = [[column[i] for i in which] for column in columns]
        self.y = [y[i] for i in which]
        self.n = len(which)
        self.diffs = [self._column(column) for column in self.columns]
        self.distance = [
            [total(d[i][j] for d in self.diffs) for j in range(self.n)] for i in range(self.n)
        ]

    def _column(self, column: list[Any]) -> list[list[float]]:
        known = [x for x in column if x is not None]
        numeric = all(isinstance(x, (float, Fraction)) for x in known)
        spread = (max(known) - min(known)) if numeric and known else 0.0

        def between(a: Any, b: Any) -> float:
            if numeric:
                return abs(a - b) / spread if spread > 0 else Fraction(0)
            return Fraction(a != b)

        def stands_for(i: int) -> list[Any]:
            if column[i] is not None:
                return [column[i]]
            own = [
                x
                for x, c in zip(column, self.y, strict=True)
                if x is not None and (self.is_number or c == self.y[i])
            ]
            return own or known

        drawn = [stands_for(i) for i in range(self.n)]
        out = []
        for a in drawn:
            row = []
            for b in drawn:
                pairs = len(a) * len(b)
                row.append(total(between(x, z) for x in a for z in b) / pairs if pairs else 0)
            out.append(row)
        return out


def _ranked(
    rows: Rows, i: int, among: list[int], k: int, ties: str, rank: float | None
) -> dict[int, float]:
    among = sorted(among, key=lambda j: (rows.distance[i][j], j))
    own = [
        (1.0 if rank is None else math.exp(-(((r + 1) / rank) ** 2))) if r < k else 0.0
        for r in range(len(among))
    ]
    if ties == "first":
        return {j: w for j, w in zip(among, own, strict=True) if w > 0}
    weights = {}
    for j in among:
        tied = [
            r for r, other in enumerate(among) if rows.distance[i][other] == rows.distance[i][j]
        ]
        weights[j] = sum(own[r] for r in tied) / len(tied)
    return {j: w for j, w in weights.items() if w > 0}


def _contribution(
    rows: Rows, i: int, near: dict[int, float], agree: bool, multiclass: str
) -> list[float]:
    classes = sorted(set(rows.y))
    size = {c: sum(v == c for v in rows.y) for c in classes}
    mass = {c: sum(w for j, w in near.items() if rows.y[j] == c) for c in classes}
    misses = sum(w for c, w in mass.items() if c != rows.y[i])
    scores = []
    for diff in rows.diffs:
        score = 0.0
        for c in classes:
            if mass[c] == 0:
                continue
            mean = (
                sum(
                    w * (1 - diff[i][j] if agree else diff[i][j])
                    for j, w in near.items()
                    if rows.y[j] == c
                )
                / mass[c]
            )
            if c == rows.y[i]:
                score -= mean
            elif multiclass == "prior":
                score += mean * size[c] / (rows.n - size[rows.y[i]])
            else:
                score += mean * (mass[c] / misses) ** 2 * (len(classes) - 1)
        scores.append(score / rows.n)
    return scores


def _rrelieff(rows: Rows, k: int, ties: str, rank: float | None) -> list[float]:
    """Robnik-Sikonja & Kononenko (2003), figure 3; a term without a denominator is 0."""
    spread = max(rows.y) - min(rows.y)
    differ = 0.0
    by_feature, both = [0.0] * len(rows.diffs), [0.0] * len(rows.diffs)
    for i in range(rows.n):
        near = _ranked(rows, i, [j for j in range(rows.n) if j != i], k, ties, rank)
        for j, weight in near.items():
            d = weight / sum(near.values())
            y = abs(rows.y[i] - rows.y[j]) / spread if spread else 0.0
            differ += y * d
            for f, diff in enumerate(rows.diffs):
                by_feature[f] += float(diff[i][j]) * d
                both[f] += float(diff[i][j]) * y * d
    agree = rows.n - differ
    return [
        (b / differ if differ else 0.0) - ((a - b) / agree if agree else 0.0)
        for a, b in zip(by_feature, both, strict=True)
    ]


def scores(
    rows: Rows,
    name: str,
    k: int = 10,
    neighbour_ties: str = "share",
    multiclass: str = "prior",
    rank: float | None = None,
) -> list[float]:
    """Scores of all columns under a criterion of the family."""
    n = rows.n
    if name == "rrelieff":
        return _rrelieff(rows, k, neighbour_ties, rank)
    sums = [0.0] * len(rows.columns)

    def add(part: list[float], sign: float = 1.0) -> None:
        for f, value in enumerate(part):
            sums[f] += sign * float(value)

    everything = total(rows.distance[i][j] for i in range(n) for j in range(n) if i != j)
    mean = everything / (n * n if multiclass == "rebate" else n * (n - 1))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        d = rows.distance[i]
        if name == "relieff":
            near: dict[int, float] = {}
            for c in set(rows.y):
                near |= _ranked(
                    rows, i, [j for j in others if rows.y[j] == c], k, neighbour_ties, rank
                )
            add(_contribution(rows, i, near, False, multiclass))
        elif name == "k_nearest_merit":
            misses = [j for j in others if rows.y[j] != rows.y[i]]
            for j, w in _ranked(rows, i, misses, k, neighbour_ties, None).items():
                if d[j] > 0:
                    add([w * diff[i][j] / d[j] ** 2 for diff in rows.diffs])
        elif name in ("surf", "surf_star"):
            add(_contribution(rows, i, {j: 1.0 for j in others if d[j] < mean}, False, multiclass))
            if name == "surf_star":
                far = {j: 1.0 for j in others if d[j] > mean}
                add(_contribution(rows, i, far, False, multiclass), -1.0)
        else:
            centre = total(d[j] for j in others) / len(others)
            variance = total((d[j] - centre) ** 2 for j in others) / len(others)

            def beyond(gap: Any, variance: Any = variance) -> bool:
                # more than half a deviation, without a root
                return bool(gap > 0 and 4 * gap * gap > variance)

            near = {j: 1.0 for j in others if beyond(centre - d[j])}
            add(_contribution(rows, i, near, False, multiclass))
            if name == "multisurf_star":
                far = {j: 1.0 for j in others if beyond(d[j] - centre)}
                add(_contribution(rows, i, far, True, multiclass))
    return sums
