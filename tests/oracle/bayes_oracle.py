"""Slow truth for the Bayesian classifiers: the formulas in plain Python, row by row.

Naive Bayes with normal densities and smoothed shares; Chow-Liu trees (Friedman, Geiger & Goldszmidt
1997) and SuperParent (Keogh & Pazzani 1999) for TAN; AODE (Webb, Boughton & Wang 2005). Rows are
lists of codes (None = missing), `copies` turns integer weights into rows, so nothing here knows of
weights. Probabilities are multiplied, not their logarithms added.
"""

from __future__ import annotations

import itertools
import math


def copies(rows, weights):
    """Each row as often as its weight says."""
    return [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]


def count(X, y, c=None, **cells):
    """Rows of class c (None: any) whose feature j has the value given as xj=... ("known": any but
    missing)."""
    n = 0
    for row, label in zip(X, y, strict=True):
        if c is not None and label != c:
            continue
        wanted = ((row[int(name[1:])], value) for name, value in cells.items())
        n += all(cell is not None and (value == "known" or cell == value) for cell, value in wanted)
    return n


def share(n, total, values, alpha, rule="laplace"):
    """(n + s) / (total + s values)."""
    s = alpha if rule == "laplace" else alpha / values
    return (n + s) / (total + s * values)


def value_given(X, y, j, x, c, arities, alpha, rule, parent=None, a=None):
    """P(x_j = x | c [, x_parent = a])."""
    given = {} if parent is None else {f"x{parent}": a}
    n = count(X, y, c, **given, **{f"x{j}": x})
    total = count(X, y, c, **given, **{f"x{j}": "known"})
    return share(n, total, arities[j], alpha, rule)


def normalised(joint):
    """Shares of the sum."""
    return [p / sum(joint) for p in joint]


def naive_bayes(X, y, k, arities, row, alpha=1.0, rule="laplace", prior_alpha=0.0):
    """Class probabilities of a row of codes; the prior is the share of the class, smoothed by
    prior_alpha."""
    joint = []
    for c in range(k):
        p = (
            share(count(X, y, c), len(y), k, prior_alpha, rule)
            if prior_alpha
            else count(X, y, c) / len(y)
        )
        for j, x in enumerate(row):
            if x is not None:
                p *= value_given(X, y, j, x, c, arities, alpha, rule)
        joint.append(p)
    return normalised(joint)


def gaussian_parameters(values, y, k):
    """Mean and population variance of the known values of each class."""
    out = []
    for c in range(k):
        own = [v for v, label in zip(values, y, strict=True) if label == c and not math.isnan(v)]
        mean = math.fsum(own) / len(own)
        out.append((mean, math.fsum((v - mean) ** 2 for v in own) / len(own)))
    return out


def aode(X, y, k, arities, row, limit=1, alpha=1.0, rule="laplace"):
    """Class probabilities of a row of codes."""
    parents = [
        i for i, x in enumerate(row) if x is not None and count(X, y, **{f"x{i}": x}) >= limit
    ]
    if not parents:
        return naive_bayes(X, y, k, arities, row, alpha, rule, prior_alpha=alpha)
    joint = [0.0] * k
    for i, c in itertools.product(parents, range(k)):
        a = row[i]
        known = count(X, y, **{f"x{i}": "known"})
        p = share(count(X, y, c, **{f"x{i}": a}), known, k * arities[i], alpha, rule)
        for j, x in enumerate(row):
            if j != i and x is not None:
                p *= value_given(X, y, j, x, c, arities, alpha, rule, i, a)
        joint[c] += p
    return normalised(joint)


def conditional_mutual_information(X, y, k, arities, i, j):
    """I(X_i; X_j | C) in nats over the rows in which both are known."""
    both = [
        (r[i], r[j], c) for r, c in zip(X, y, strict=True) if r[i] is not None and r[j] is not None
    ]
    n, total = len(both), 0.0
    for a, b, c in itertools.product(range(arities[i]), range(arities[j]), range(k)):
        n_abc = both.count((a, b, c))
        n_c = sum(r[2] == c for r in both)
        n_ac = sum(r[0] == a and r[2] == c for r in both)
        n_bc = sum(r[1] == b and r[2] == c for r in both)
        if n_abc:
            total += n_abc / n * math.log(n_abc * n_c / (n_ac * n_bc))
    return total


def best_tree_weight(weights, p):
    """Weight of the best spanning tree, by trying all of them (weights by pair)."""
    best = -math.inf
    for edges in itertools.combinations(itertools.combinations(range(p), 2), p - 1):
        group = list(range(p))
        for i, j in edges:
            group = [group[i] if g == group[j] else g for g in group]
        if len(set(group)) == 1:
            best = max(best, sum(weights[e] for e in edges))
    return best


def tan(X, y, k, arities, parents, row, alpha=0.5, rule="laplace"):
    """Class probabilities of a row of codes; missing cells are summed out by listing all
    completions."""
    joint = [0.0] * k
    choices = [range(v) if x is None else [x] for x, v in zip(row, arities, strict=True)]
    for full, c in itertools.product(itertools.product(*choices), range(k)):
        p = share(count(X, y, c), len(y), k, alpha, rule)
        for j, x in enumerate(full):
            parent = parents[j]
            a = None if parent is None else full[parent]
            p *= value_given(X, y, j, x, c, arities, alpha, rule, parent, a)
        joint[c] += p
    return normalised(joint)


def leave_one_out(X, y, k, arities, parents, alpha=0.5):
    """Rows that TAN predicts correctly when they are left out of its counts (no missing cells)."""
    right = 0
    for r in range(len(y)):
        others, labels = X[:r] + X[r + 1 :], y[:r] + y[r + 1 :]
        scores = []
        for c in range(k):
            # Not a product: scores are compared to the last bit, and the search adds logarithms.
            score = math.log(share(count(others, labels, c), len(labels) + 1, k, alpha))
            for j, x in enumerate(X[r]):
                parent = parents[j]
                a = None if parent is None else X[r][parent]
                score += math.log(
                    value_given(others, labels, j, x, c, arities, alpha, "laplace", parent, a)
                )
            scores.append(score)
        right += scores.index(max(scores)) == y[r]
    return right


def super_parent(X, y, k, arities, alpha=0.5):
    """Parents found by SuperParent."""
    p = len(arities)
    parents = [None] * p
    current = leave_one_out(X, y, k, arities, parents, alpha)

    def above(feature):
        found = []
        while feature is not None:
            found.append(feature)
            feature = parents[feature]
        return found

    def changed(parent, children):
        return [parent if j in children else old for j, old in enumerate(parents)]

    while True:
        orphans = {
            i: [j for j in range(p) if parents[j] is None and j not in above(i)] for i in range(p)
        }
        supers = [(i, changed(i, orphans[i])) for i in range(p) if orphans[i]]
        if not supers:
            return parents
        scores = [leave_one_out(X, y, k, arities, s, alpha) for _, s in supers]
        parent = supers[scores.index(max(scores))][0]
        arcs = [changed(parent, [j]) for j in orphans[parent]]
        scores = [leave_one_out(X, y, k, arities, s, alpha) for s in arcs]
        if max(scores) <= current:
            return parents
        current = max(scores)
        parents = arcs[scores.index(current)]
