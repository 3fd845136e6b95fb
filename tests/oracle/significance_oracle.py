"""Conditional inference trees (Hothorn, Hornik & Zeileis 2006) in plain NumPy and SciPy.

Slow truth of `selection="significance"`: full covariance matrices and their pseudo-inverses,
all divisions of levels, one node after the other. `node_tests` gives statistic and logarithm of
the adjusted p-value of each feature; `grow` gives the nodes of the tree in pre-order.

Sources: Strasser & Weber (1999) for the conditional moments; Hothorn, Hornik & Zeileis,
"Unbiased recursive partitioning: a conditional inference framework" (2006); partykit 1.2 for the
details (constant features, p-values that underflow, features without an allowed cut, weights).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats

TOLERANCE = math.sqrt(np.finfo(float).eps)
#: Two values of log(1 - p) that differ by less are tied: p underflows.
TIED = math.sqrt(np.finfo(float).tiny)


@dataclass
class Options:
    """The parameters, with fasttree's names."""

    test: str = "quadratic"
    alpha: float = 0.05
    adjust: str = "bonferroni"
    cut_test: str = "quadratic"
    min_samples_split: int = 20
    min_samples_leaf: int = 7
    min_prob: float = 0.01
    split_tries: int = 2
    max_depth: float = math.inf


@dataclass
class Node:
    """A node of the tree, with its test if one was made."""

    depth: int
    weight: float
    rows: np.ndarray
    statistics: np.ndarray
    log_p: np.ndarray
    chosen: int = -1
    feature: int = -1
    threshold: float = math.nan
    left_levels: frozenset = frozenset()


def influence(y: np.ndarray, is_class: bool) -> np.ndarray:
    """h(y): the number, one indicator for two classes, else one for each class."""
    if not is_class:
        return np.asarray(y, float)[:, None]
    classes = int(np.max(y)) + 1
    if classes <= 2:
        return (np.asarray(y) == 1).astype(float)[:, None]
    return (np.asarray(y)[:, None] == np.arange(classes)).astype(float)


def scores(x: np.ndarray, nominal: bool) -> np.ndarray:
    """g(x): the number, or the indicators of the levels that occur."""
    if not nominal:
        return np.asarray(x, float)[:, None]
    return (np.asarray(x)[:, None] == np.unique(x)).astype(float)


def effective(w: np.ndarray) -> np.ndarray:
    """Whole weights as they are; fractional ones scaled to the sum (sum w)^2 / sum w^2."""
    if np.all(w == np.round(w)):
        return w
    return w * w.sum() / (w**2).sum()


def moments(g: np.ndarray, h: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The linear statistic less its expectation, and its covariance."""
    total = w.sum()
    # Shifting g and h by constants changes neither the difference nor the covariance.
    g = g - (w @ g) / total
    h = h - (w @ h) / total
    v = (h * w[:, None]).T @ h / total
    a = (g * w[:, None]).T @ g * total / (total - 1)
    return ((g * w[:, None]).T @ h).T.ravel(), np.kron(v, a)


def statistic(g, h, w, test: str) -> tuple[float, float] | None:
    """Statistic and log p of one feature; None where it has no variance."""
    if w.sum() <= 1 or np.all(g == g[0]) or np.all(h == h[0]):
        return None
    d, sigma = moments(g, h, w)
    if test == "quadratic":
        values, vectors = np.linalg.eigh(sigma)
        kept = values > TOLERANCE * values.max()
        c = float((((vectors.T @ d) ** 2)[kept] / values[kept]).sum())
        return c, float(stats.chi2.logsf(c, kept.sum()))
    deviation = np.sqrt(np.diag(sigma))
    some = deviation > 0
    c = float(np.max(np.abs(d[some]) / deviation[some]))
    if some.sum() == 1:
        return c, float(math.log(2) + stats.norm.logsf(c))
    deviation = deviation[some]
    correlation = sigma[np.ix_(some, some)] / np.outer(deviation, deviation)
    return c, min(0.0, log_outside(correlation, c))


def log_outside(correlation: np.ndarray, c: float) -> float:
    """The logarithm of the probability that some normal component exceeds c in size.

    Importance sampling of the union of half-spaces (Owen, Maximov & Chertkov 2019): a component is
    drawn and put beyond c, and the others follow; the mean of 1 / (components beyond c) times the
    sum of the tails is unbiased, with a small relative error however small the probability.
    """
    rng, m, n = np.random.default_rng(7), len(correlation), 40_000
    values, vectors = np.linalg.eigh(correlation)
    z = rng.normal(size=(n, m)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    drawn = rng.integers(m, size=n)
    beyond = stats.norm.isf(rng.random(n) * stats.norm.sf(c))
    z += correlation[drawn] * (beyond - z[np.arange(n), drawn])[:, None]
    counts = np.maximum(1, (np.abs(z) > c).sum(axis=1))
    return float(math.log(2 * m) + stats.norm.logsf(c) + math.log(np.mean(1 / counts)))


def adjusted(log_p: float, m: int) -> float:
    """The logarithm of 1 - (1 - p)^m."""
    if log_p >= 0:
        return 0.0
    if log_p < -700:
        return log_p + math.log(m)
    log_rest = math.log(-math.expm1(log_p)) if log_p > -0.7 else math.log1p(-math.exp(log_p))
    return math.log(-math.expm1(m * log_rest))


def node_tests(X, nominal, h, w, options: Options) -> tuple[np.ndarray, np.ndarray]:
    """Statistic and log of the adjusted p-value of each feature; NaN where no test is made."""
    found = np.full((len(nominal), 2), np.nan)
    for j, is_nominal in enumerate(nominal):
        known = ~np.isnan(X[:, j]) & (w > 0)
        if known.sum() < 2:
            continue
        weights = effective(w[known])
        made = statistic(scores(X[known, j], is_nominal), h[known], weights, options.test)
        if made is not None:
            found[j] = made
    m = int(np.sum(~np.isnan(found[:, 0])))
    if options.adjust == "bonferroni":
        found[:, 1] = [p if math.isnan(p) else adjusted(p, m) for p in found[:, 1]]
    return found[:, 0], found[:, 1]


def ranking(statistics: np.ndarray, log_p: np.ndarray) -> list[int]:
    """Tested features, the most significant first; p that underflow by the statistic."""
    tested = [j for j in range(len(log_p)) if not math.isnan(log_p[j])]
    key = {j: -math.exp(log_p[j]) for j in tested}
    if not tested:
        return []
    top = max(key.values())
    tied = [j for j in tested if abs(key[j] - top) < TIED]
    return sorted(tested, key=lambda j: (j not in tied, -statistics[j] if j in tied else log_p[j]))


def best_cut(x, nominal, h, w, least: float, options: Options):
    """The threshold, or the levels of the left side, that maximise the two-sample statistic, with
    at least a weight on both sides."""
    total = w.sum()
    values = np.unique(x)
    if nominal:
        first, others = values[0], values[1:]
        sides = [
            frozenset((first, *chosen))
            for size in range(len(others))
            for chosen in combinations(others, size)
        ]
    else:
        sides = list(values[:-1])
    mean = (w @ h) / total
    v = ((h - mean) * w[:, None]).T @ (h - mean) / total
    if options.cut_test == "quadratic":
        inverse = np.linalg.pinv(v, rcond=TOLERANCE, hermitian=True)
    best, found = -math.inf, None
    for side in sides:
        left = np.isin(x, list(side)) if nominal else x <= side
        in_left = w[left].sum()
        if in_left < least or total - in_left < least:
            continue
        d = w[left] @ (h[left] - mean)
        scale = in_left * (total - in_left)
        if options.cut_test == "quadratic":
            c = d @ inverse @ d / scale
        else:
            some = np.diag(v) > 0
            c = np.max(np.abs(d[some]) / np.sqrt(np.diag(v)[some] * scale))
        if c > best * (1 + 1e-12) or found is None:
            best, found = c, side
    return found


def grow(X, y, nominal, w=None, *, is_class: bool, options: Options) -> list[Node]:
    """The tree, its nodes in pre-order."""
    X = np.asarray(X, float)
    w = np.ones(len(X)) if w is None else np.asarray(w, float)
    h = influence(y, is_class)
    nodes: list[Node] = []
    waiting = [(np.flatnonzero(w > 0), 0)]
    while waiting:
        rows, depth = waiting.pop()
        none = np.full(X.shape[1], np.nan)
        node = Node(depth, float(w[rows].sum()), rows, none, none)
        nodes.append(node)
        if node.weight < options.min_samples_split or depth >= options.max_depth:
            continue
        node.statistics, node.log_p = node_tests(X[rows], nominal, h[rows], w[rows], options)
        order = ranking(node.statistics, node.log_p)
        node.chosen = order[0] if order else -1
        least = max(options.min_samples_leaf, math.ceil(node.weight * options.min_prob))
        for j in order[: options.split_tries]:
            if not math.exp(node.log_p[j]) < options.alpha:
                break
            x = X[rows, j]
            known = ~np.isnan(x)
            side = best_cut(x[known], nominal[j], h[rows][known], w[rows][known], least, options)
            if side is None:
                continue
            node.feature = node.chosen = j
            if nominal[j]:
                node.left_levels, left = side, np.isin(x, list(side))
            else:
                node.threshold, left = float(side), x <= side
            in_left = w[rows][known & left].sum()
            if in_left > w[rows][known & ~left].sum():
                left = left | ~known
            waiting += [(rows[~left], depth + 1), (rows[left], depth + 1)]
            break
    return nodes
