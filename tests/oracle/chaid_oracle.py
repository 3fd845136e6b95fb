"""CHAID (Kass 1980) in plain Python, with SciPy's chi-squared distribution.

Slow truth of `merge_levels=True`: categories are sets of codes, every test sums its table anew from
the rows, and the ways to merge are counted by formulas in whole numbers. A category is a frozenset
of codes; `MISSING` is the code of rows without a value.

Sources: Kass, "An exploratory technique for investigating large quantities of categorical data",
Applied Statistics 29 (1980), 119-127, steps 1 to 5 and section 3 for the multipliers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from scipy import stats

MISSING = 10**6
"""Code of missing values, after all others."""


@dataclass
class Options:
    """The parameters, with fasttree's names."""

    alpha: float = 0.05
    alpha_merge: float = 0.05
    alpha_split: float | None = None
    adjust: str = "none"
    min_samples_split: int = 20
    min_samples_leaf: int = 7
    min_prob: float = 0.01
    split_tries: int = 2


@dataclass
class Node:
    """A node of the tree, with its tests: feature -> (statistic, log p, groups)."""

    rows: np.ndarray
    weight: float
    tests: dict
    feature: int = -1
    groups: tuple = ()
    children: tuple = ()


def pearson(x, y, w, groups) -> tuple[float, float]:
    """Pearson's statistic of groups of categories x classes, and log p."""
    inside = [np.isin(x, sorted(g)) for g in groups]
    classes = sorted(set(y[np.logical_or.reduce(inside)].tolist()))
    table = [[w[rows & (y == c)].sum() for c in classes] for rows in inside]
    table = np.array(table, dtype=float)
    if min(table.shape) < 2:
        return 0.0, 0.0
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    return statistic, float(stats.chi2.logsf(statistic, (len(groups) - 1) * (len(classes) - 1)))


def may_merge(a, b, order, present) -> bool:
    """Whether two groups of categories may become one."""
    if order == "nominal" or {MISSING} in (set(a), set(b)):
        return True
    known = [sorted(set(g) - {MISSING}) for g in (a, b)]
    low, high = sorted(known)
    between = [c for c in present if low[-1] < c < high[0]]
    return low[-1] < high[0] and not between


def divisions(group, order):
    """All ways to divide a group in two that the kind of the feature allows."""
    known, floats = sorted(set(group) - {MISSING}), MISSING in group
    if order == "nominal":
        first, *others = sorted(group)
        for size in range(len(others)):
            for chosen in combinations(others, size):
                one = frozenset((first, *chosen))
                yield one, frozenset(group) - one
        return
    for at in range(1, len(known)):
        low, high = frozenset(known[:at]), frozenset(known[at:])
        yield from ((low | {MISSING}, high), (low, high | {MISSING})) if floats else ((low, high),)
    if floats and known:
        yield frozenset(known), frozenset({MISSING})


def stirling(n: int, k: int) -> int:
    """Ways to divide n things into k groups."""
    terms = ((-1) ** i * math.comb(k, i) * (k - i) ** n for i in range(k + 1))
    return sum(terms) // math.factorial(k)


def ways(c: int, r: int, order: str) -> int:
    """Kass's multiplier: the number of ways to merge c categories into r groups."""
    if order == "nominal":
        return stirling(c, r)
    if order == "ordered":
        return math.comb(c - 1, r - 1)
    low = math.comb(c - 2, r - 2) if r >= 2 else 0
    return low + r * math.comb(c - 2, r - 1)


def merged(x, y, w, order: str, options: Options):
    """Groups of categories, Pearson's statistic of them, and log of the p-value times the number of
    ways; None where fewer than two categories occur.

    `order`: "nominal", "ordered"; missing values of an ordered feature float.
    """
    present = sorted(set(x.tolist()))
    if len(present) < 2:
        return None
    groups = [frozenset([c]) for c in present]
    closed = set()
    log_p_of_two = cache(lambda a, b: pearson(x, y, w, [a, b])[1])
    while True:
        while len(groups) > 1:
            pairs = [
                (log_p_of_two(a, b), a, b)
                for a, b in combinations(sorted(groups, key=min), 2)
                if may_merge(a, b, order, present)
            ]
            log_p, a, b = max(pairs, key=lambda pair: pair[0])
            if not log_p > math.log(options.alpha_merge):
                break
            groups = [g for g in groups if g not in (a, b)] + [a | b]
        if options.alpha_split is None:
            break
        for group in sorted(groups, key=min):
            if len(group) < 3 or group in closed:
                continue
            tests = [(*pearson(x, y, w, d), d) for d in divisions(group, order)]
            statistic, log_p, sides = max(tests, key=lambda test: test[0])
            if log_p < math.log(options.alpha_split):
                closed.add(group)
                groups = [g for g in groups if g != group] + list(sides)
                break
        else:
            break
    groups = sorted(groups, key=min)
    statistic, log_p = pearson(x, y, w, groups)
    floats = order == "ordered" and MISSING in present
    count = ways(len(present), len(groups), "floating" if floats else order)
    return groups, statistic, min(0.0, log_p + math.log(count))


def adjusted(log_p: float, m: int) -> float:
    """The logarithm of 1 - (1 - p)^m."""
    if log_p > -1e-15:
        return 0.0
    return (
        math.log(-math.expm1(m * math.log1p(-math.exp(log_p))))
        if log_p > -30
        else (log_p + math.log(m))
    )


def grow(X, y, orders, w=None, options: Options | None = None) -> Node:
    """The tree. X holds codes, NaN for missing values; `orders` one word per column."""
    options = options or Options()
    codes = np.where(np.isnan(X), MISSING, X).astype(int)
    w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    are_copies = bool(np.all(w == np.round(w)))
    root = Node(np.flatnonzero(w > 0), 0.0, {})
    waiting = [root]
    while waiting:
        node = waiting.pop()
        rows = node.rows
        node.weight = total = float(w[rows].sum())
        if total < options.min_samples_split or len(set(y[rows].tolist())) < 2:
            continue
        found = {}
        for j, order in enumerate(orders):
            weights = w[rows]
            if not are_copies:  # fractional: the effective sum
                weights = weights * total / (weights**2).sum()
            test = merged(codes[rows, j], y[rows], weights, order, options)
            if test is not None:
                found[j] = test
        m = len(found)
        node.tests = {
            j: (s, adjusted(p, m) if options.adjust == "bonferroni" else p, groups)
            for j, (groups, s, p) in found.items()
        }
        ranked = sorted(node.tests, key=lambda j: (node.tests[j][1], -node.tests[j][0]))
        least = max(options.min_samples_leaf, math.ceil(total * options.min_prob))
        for j in ranked[: options.split_tries]:
            if not node.tests[j][1] < math.log(options.alpha):
                break
            groups = node.tests[j][2]
            parts = [rows[np.isin(codes[rows, j], sorted(g))] for g in groups]
            if any(w[part].sum() < least for part in parts):
                continue
            node.feature, node.groups = j, tuple(groups)
            node.children = tuple(Node(part, 0.0, {}) for part in parts)
            waiting += node.children
            break
    return root
