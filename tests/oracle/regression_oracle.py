"""Slow truth about trees for a number: rows as (row, weight), every sum taken anew at each node,
criteria as they are defined.

A fitted tree is checked rather than grown a second time, because two candidates may differ by
rounding only: `check` sends the rows down by itself, compares weights, values and impurities of
every node, the chosen split of every inner node with all candidates, and finds in every leaf why it
is one. `predictions` sends new rows down.

A column is ``("numeric", values)`` (NaN = missing) or ``("nominal", codes, n_levels)`` (-1 =
missing). Weights are fractions, so that limits, and the place where a cumulated weight meets its
share, are exact.

Definitions: squared error, Breiman et al. 1984; absolute error around the weighted median; pinball
loss around the weighted q-quantile (both: the midpoint of two numbers where the cumulated weight
meets its share exactly); half the mean Poisson deviance, a split that leaves a branch with mean 0
is none; standard deviation, Quinlan 1992, and the fifth root of the variance where each branch
holds more than a fifth of the rows, rounded down, as Weka's M5P. Fractional instances: Quinlan
1993. Levels are divided in two by the order of their means for squared error (Fisher 1958) and
Poisson deviance, as rpart does, and in all ways for the others; without a limit all ways give
squared error no better split.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

WeightedRow = tuple[int, Fraction]
Numbers = list[tuple[float, Fraction]]

CLOSE = 1e-9
LEAST_SHARE = Fraction(1, 10**6)


# -- impurities of some numbers with weights ------------------------------------------------------


def weight_of(numbers: Iterable[tuple[Any, Fraction]]) -> Fraction:
    return sum((w for _, w in numbers), Fraction(0))


def mean(numbers: Numbers) -> float:
    total = float(weight_of(numbers))
    return math.fsum(float(w) * y for y, w in numbers) / total


def variance(numbers: Numbers) -> float:
    if len({y for y, _ in numbers}) == 1:
        return 0.0  # a root makes much of a mean that is off by its last bit
    total, m = float(weight_of(numbers)), mean(numbers)
    return math.fsum(float(w) * (y - m) ** 2 for y, w in numbers) / total


def quantile(numbers: Numbers, q: Fraction) -> float:
    """The first number up to which the weight reaches its share, or the midpoint of it and the next
    one where it meets the share."""
    ordered = sorted((y, w) for y, w in numbers if w > 0)
    wanted, below = q * weight_of(ordered), Fraction(0)
    for i, (y, w) in enumerate(ordered):
        below += w
        if below == wanted and i + 1 < len(ordered):
            return (y + ordered[i + 1][0]) / 2
        if below >= wanted:
            return y
    raise AssertionError("no numbers")


@dataclass(frozen=True)
class Criterion:
    """A criterion by its name, with its option."""

    name: str
    q: Fraction = Fraction(1, 2)
    variant: str = "quinlan"

    def value(self, numbers: Numbers) -> float:
        if self.name in ("absolute_error", "quantile"):
            return quantile(numbers, self.q)
        return mean(numbers)

    def impurity(self, numbers: Numbers) -> float:
        total = float(weight_of(numbers))
        if self.name in ("absolute_error", "quantile"):
            m, q = self.value(numbers), float(self.q)
            scale = 2.0 if self.name == "absolute_error" else 1.0
            losses = (float(w) * max(q * (y - m), (q - 1) * (y - m)) for y, w in numbers)
            return scale * math.fsum(losses) / total
        if self.name == "poisson":
            m = mean(numbers)
            terms = (float(w) * ((y * math.log(y / m) if y else 0.0) - y + m) for y, w in numbers)
            return math.fsum(terms) / total
        if self.name == "standard_deviation":
            return variance(numbers) ** (0.2 if self.variant == "weka" else 0.5)
        return variance(numbers)

    @property
    def orders_levels(self) -> bool:
        return self.name in ("squared_error", "poisson")

    def is_allowed(self, node: Numbers, branches: list[Numbers]) -> bool:
        if self.name == "poisson":
            return all(mean(branch) > 0 for branch in branches)
        if self.variant == "weka":
            least = weight_of(node) // 5
            return all(weight_of(branch) > least for branch in branches)
        return True

    def score(self, node: Numbers, branches: list[Numbers]) -> float:
        """Impurity before less the weighted impurity after; of branches with rows."""
        total = weight_of(node)
        after = (float(weight_of(b) / total) * self.impurity(b) for b in branches)
        return self.impurity(node) - math.fsum(after)


# -- candidates -----------------------------------------------------------------------------------


@dataclass
class Candidate:
    """A split that a node could have: its known rows by branch."""

    feature: int
    threshold: float
    levels: frozenset[int] | None
    branches: list[list[WeightedRow]]
    score: float = 0.0


@dataclass
class Rows:
    """The rows of a training set, and what limits growth; `copies`: a weight of N is N copies."""

    columns: Sequence[tuple[Any, ...]]
    y: Sequence[float]
    weights: Sequence[Fraction]
    copies: bool = True
    missing: str = "branch"
    nominal_splits: str = "multiway"
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    max_depth: int | None = None

    @property
    def is_limited(self) -> bool:
        return self.min_samples_leaf > 1 or self.min_weight_fraction_leaf > 0

    def all(self) -> list[WeightedRow]:
        return [(row, w) for row, w in enumerate(self.weights) if w > 0]

    def numbers(self, weighted_rows: list[WeightedRow]) -> Numbers:
        return [(self.y[row], w) for row, w in weighted_rows]

    def size(self, weighted_rows: list[WeightedRow]) -> Fraction:
        return weight_of(weighted_rows) if self.copies else Fraction(len(weighted_rows))

    def is_missing(self, feature: int, row: int) -> bool:
        value = self.columns[feature][1][row]
        return value < 0 if self.columns[feature][0] == "nominal" else math.isnan(value)

    def is_large_enough(self, branches: list[list[WeightedRow]]) -> bool:
        """Two branches with rows, and none of those with rows below a limit. Parts of rows add up
        to rows within rounding."""
        filled = [b for b in branches if b]
        slack = Fraction(1) - (Fraction(1, 10**9) if self.missing == "fractional" else 0)
        # The share as it is written: 0.1 of 20 rows is 2.
        least = Fraction(self.min_weight_fraction_leaf * float(sum(self.weights)))
        return (
            len(filled) >= 2
            and all(self.size(b) >= self.min_samples_leaf * slack for b in filled)
            and all(weight_of(b) >= least * slack for b in filled)
        )

    def divisions(
        self, feature: int, known: list[WeightedRow], by_means: bool
    ) -> list[tuple[float, Any, Any]]:
        """(threshold, levels of the first branch, branch of each row) of each way to divide the
        known rows."""
        values = self.columns[feature][1]
        if self.columns[feature][0] == "numeric":
            distinct = sorted({values[row] for row, _ in known})
            cuts = [lo / 2 + hi / 2 for lo, hi in pairwise(distinct)]
            cuts = distinct if len(distinct) == 1 else cuts  # one value against none
            return [(t, None, lambda row, t=t: int(values[row] > t)) for t in cuts]
        if self.nominal_splits == "multiway":
            return [(math.nan, None, lambda row: values[row])]
        occurring = sorted({values[row] for row, _ in known})
        first, rest = occurring[:1], occurring[1:]
        if not rest:
            return []
        if self.nominal_splits == "one_vs_rest":
            sides = [{v} for v in (occurring if len(rest) > 1 else first)]
        elif by_means:
            sides = self.cuts_of_means(values, known)
        else:
            chosen = range(2 ** len(rest) - 1)
            sides = [{*first, *(v for i, v in enumerate(rest) if s >> i & 1)} for s in chosen]
        return [(math.nan, s, lambda row, s=s: int(values[row] not in s)) for s in sides]

    def cuts_of_means(self, values: Sequence[int], known: list[WeightedRow]) -> list[set[int]]:
        """The sides with the lowest level, of the cuts of the levels' order by their means, in the
        order of all divisions."""
        occurring = sorted({values[row] for row, _ in known})

        def exact_mean(level: int) -> Fraction:
            own = [(Fraction(self.y[row]), w) for row, w in known if values[row] == level]
            return sum((y * w for y, w in own), Fraction(0)) / weight_of(own)

        order = sorted(occurring, key=lambda level: (exact_mean(level), level))
        cuts = [set(order[:i]) for i in range(1, len(order))]
        sides = [c if occurring[0] in c else {*occurring} - c for c in cuts]
        return sorted(sides, key=lambda side: sum(1 << v for v in side))

    def candidates(
        self, weighted_rows: list[WeightedRow], criterion: Criterion, *, every: bool = False
    ) -> list[Candidate]:
        """All valid splits in feature and threshold order, with their scores; `every`: all
        divisions of levels in two, whatever the criterion is."""
        found = []
        node = self.numbers(weighted_rows)
        for feature, column in enumerate(self.columns):
            known = [(row, w) for row, w in weighted_rows if not self.is_missing(feature, row)]
            without_value = [(row, w) for row, w in weighted_rows if self.is_missing(feature, row)]
            multiway = column[0] == "nominal" and self.nominal_splits == "multiway"
            by_means = criterion.orders_levels and not every
            for threshold, levels, branch_of in self.divisions(feature, known, by_means):
                branches: list[list[WeightedRow]] = [
                    [] for _ in range(column[2] if multiway else 2)
                ]
                for row, w in known:
                    branches[branch_of(row)].append((row, w))
                before, share = node, 1.0
                if self.missing == "fractional":
                    before = self.numbers(known)
                    share = float(weight_of(known) / weight_of(weighted_rows))
                elif without_value:
                    branches.append(without_value)
                if not self.is_large_enough(branches):
                    continue
                filled = [self.numbers(b) for b in branches if b]
                if criterion.is_allowed(before, filled):
                    score = share * criterion.score(before, filled)
                    side = None if levels is None else frozenset(levels)
                    found.append(Candidate(feature, threshold, side, branches, score))
        return found

    def divide(
        self, weighted_rows: list[WeightedRow], candidate: Candidate
    ) -> list[list[WeightedRow]]:
        """The rows of each branch; where missing values take several, each takes its share of the
        known weight."""
        if self.missing != "fractional":
            return candidate.branches
        without_value = [
            (row, w) for row, w in weighted_rows if self.is_missing(candidate.feature, row)
        ]
        known = [weight_of(branch) for branch in candidate.branches]
        shares = [k / sum(known) for k in known]
        return [
            [*branch, *((row, w * share) for row, w in without_value if share > LEAST_SHARE)]
            for branch, share in zip(candidate.branches, shares, strict=True)
        ]

    def missing_branch(self, candidate: Candidate) -> int:
        """Where later rows without a value go: -2 where every branch takes a part of them."""
        if self.missing == "fractional":
            return -2
        last = candidate.branches[-1]
        if last and self.is_missing(candidate.feature, last[0][0]):
            return len(candidate.branches) - 1
        weights = [weight_of(branch) for branch in candidate.branches]
        return weights.index(max(weights))

    def is_finished(self, weighted_rows: list[WeightedRow], depth: int) -> bool:
        """Whether a node is a leaf whatever its candidates are."""
        size = self.size(weighted_rows)
        if self.missing == "fractional" and self.copies:
            size = Fraction(math.floor(size + Fraction(1, 10**6)))
        return (
            size < max(self.min_samples_split, 2 * self.min_samples_leaf)
            or (self.max_depth is not None and depth >= self.max_depth)
            or len({self.y[row] for row, _ in weighted_rows}) < 2
        )


def is_near(a: float, b: float, scale: float) -> bool:
    return abs(a - b) <= CLOSE * max(abs(a), abs(b)) + 1e-12 * scale


def matches(arrays: Any, node: int, rows: Rows, candidate: Candidate) -> bool:
    """Whether a node has the division of its known rows that a candidate has."""
    if arrays.feature[node] != candidate.feature:
        return False
    if candidate.levels is not None:
        occurring = {
            rows.columns[candidate.feature][1][r] for b in candidate.branches for r, _ in b
        }
        return set(arrays.levels_of(node).tolist()) & occurring == candidate.levels
    if math.isnan(candidate.threshold):
        return True
    return math.isclose(arrays.threshold[node], candidate.threshold, rel_tol=1e-12, abs_tol=1e-12)


def check(arrays: Any, rows: Rows, criterion: Criterion) -> int:
    """Compare every node of a tree; returns the number of inner nodes."""
    scale = max(abs(y) for y in rows.y) or 1.0
    least = criterion.impurity(rows.numbers(rows.all())) or scale
    inner = 0
    stack: list[tuple[int, list[WeightedRow], int]] = [(0, rows.all(), 0)]
    while stack:
        node, weighted_rows, depth = stack.pop()
        weight = float(weight_of(weighted_rows))
        assert math.isclose(
            arrays.weighted_n_node_samples[node], weight, rel_tol=1e-9, abs_tol=1e-9
        )
        counted = sum(rows.weights[row] if rows.copies else 1 for row, _ in weighted_rows)
        assert arrays.n_node_samples[node] == counted, (node, counted)
        assert arrays.depth[node] == depth
        numbers = rows.numbers(weighted_rows)
        if weighted_rows:
            assert is_near(arrays.value[node], criterion.value(numbers), scale), (
                node,
                arrays.value[node],
                criterion.value(numbers),
            )
            assert is_near(arrays.impurity[node], criterion.impurity(numbers), least), (
                node,
                arrays.impurity[node],
                criterion.impurity(numbers),
            )
            assert is_near(arrays.variance[node], variance(numbers), scale * scale)
        else:
            assert arrays.value[node] == arrays.value[arrays.parent[node]]
        if not weighted_rows or rows.is_finished(weighted_rows, depth):
            assert arrays.n_children[node] == 0, node
            continue
        candidates = rows.candidates(weighted_rows, criterion)
        if arrays.n_children[node] == 0:
            assert not candidates, (node, candidates)
            continue
        inner += 1
        own = [c for c in candidates if matches(arrays, node, rows, c)]
        assert len(own) == 1, (node, len(own))
        best = max(c.score for c in candidates)
        if criterion.name == "squared_error" and not rows.is_limited:
            every = rows.candidates(weighted_rows, criterion, every=True)
            assert is_near(best, max(c.score for c in every), least), (node, best)
        assert is_near(own[0].score, best, least), (node, own[0].score, best)
        assert is_near(arrays.score[node], own[0].score, least), (node, arrays.score[node], own)
        # Of candidates that divide the rows alike the first is taken.
        for earlier in candidates[: candidates.index(own[0])]:
            assert partition(earlier) != partition(own[0]), (node, earlier.feature)
        branches = rows.divide(weighted_rows, own[0])
        children = arrays.children_of(node).tolist()
        assert arrays.missing_branch[node] == rows.missing_branch(own[0])
        stack += [(c, b, depth + 1) for c, b in zip(children, branches, strict=True)]
    return inner


def partition(candidate: Candidate) -> set[frozenset[int]]:
    return {frozenset(row for row, _ in branch) for branch in candidate.branches if branch}


def predictions(arrays: Any, rows: Rows, columns: Sequence[tuple[Any, ...]]) -> list[float]:
    """What a fitted tree says of rows: the mean of the leaves that their parts end in."""
    return [
        _prediction(arrays, rows, [c[1][i] for c in columns]) for i in range(len(columns[0][1]))
    ]


def _prediction(arrays: Any, rows: Rows, cells: list[float]) -> float:
    total, stack = 0.0, [(0, 1.0)]
    while stack:
        node, part = stack.pop()
        children = arrays.children_of(node)
        if len(children) == 0:
            total += part * arrays.value[node]
            continue
        feature = int(arrays.feature[node])
        cell, nominal = cells[feature], rows.columns[feature][0] == "nominal"
        if cell < 0 if nominal else math.isnan(cell):
            own = int(arrays.missing_branch[node])
            if own >= 0:
                stack.append((int(children[own]), part))
                continue
            weights = arrays.weighted_n_node_samples[children]
            shares = weights / weights.sum()
            stack += [(int(c), part * s) for c, s in zip(children, shares, strict=True) if s > 0]
        elif nominal and arrays.n_levels[node]:
            stack.append((int(children[int(cell not in arrays.levels_of(node))]), part))
        else:
            branch = int(cell) if nominal else int(cell > arrays.threshold[node])
            stack.append((int(children[branch]), part))
    return total


def filled(
    columns: Sequence[tuple[Any, ...]], weights: Sequence[Fraction]
) -> list[tuple[Any, ...]]:
    """The columns with the weighted mean, or the most frequent level (the first of equal ones), in
    the place of missing cells."""
    out: list[tuple[Any, ...]] = []
    for kind, values, *levels in columns:
        if kind == "numeric":
            known = [(Fraction(v), w) for v, w in zip(values, weights, strict=True) if v == v]
            total = weight_of(known)
            fill = float(sum(v * w for v, w in known) / total) if total else math.nan
            out.append((kind, [fill if math.isnan(v) else v for v in values]))
        else:
            sums = [
                sum(w for v, w in zip(values, weights, strict=True) if v == level)
                for level in range(levels[0])
            ]
            mode = int(np.argmax([float(s) for s in sums]))
            out.append((kind, [mode if v < 0 else v for v in values], *levels))
    return out
