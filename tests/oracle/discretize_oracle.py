"""Slow truth for cut points: the formulas in plain Python, one row at a time.

Equal width and equal frequency as Weka documents its unsupervised Discretize, MDLP from Fayyad &
Irani, IJCAI
1993. `copies` turns integer weights into rows, so nothing here knows of weights.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction


def known(values):
    """The values that are not missing, ascending."""
    return sorted(v for v in values if not math.isnan(v))


def copies(rows, weights):
    """Each row as often as its weight says."""
    return [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]


def equal_width(values, n_bins):
    """min + i * ((max - min) / n_bins), in this order of operations."""
    values = known(values)
    if not values or values[0] == values[-1]:
        return []
    width = (values[-1] - values[0]) / n_bins
    return [values[0] + i * width for i in range(1, n_bins)]


def equal_frequency(values, n_bins):
    """Close a bin where its count is nearest to the average of what is left; the later boundary on
    a tie."""
    values, cuts = known(values), []
    for bins in range(n_bins, 1, -1):
        aim = Fraction(len(values), bins)
        ends = [e for e in range(1, len(values)) if values[e - 1] < values[e]]
        if not ends:
            break
        beyond = [e for e in ends if e >= aim]
        short = [e for e in ends if e < aim]
        candidates = ([beyond[0]] if beyond else []) + ([short[-1]] if short else [])
        end = min(candidates, key=lambda e: abs(e - aim))
        cuts.append((values[end - 1] + values[end]) / 2)
        values = values[end:]
    return cuts


def log2(x):
    """ln x / ln 2."""
    return math.log(x) / math.log(2)


def entropy(labels):
    """Entropy in bits of a list of labels."""
    counts = Counter(labels)
    return -sum(counts[c] * log2(counts[c]) for c in sorted(counts)) / len(labels) + log2(
        len(labels)
    )


def mdlp(values, labels):
    """Fayyad & Irani's recursion, every entropy from scratch."""
    rows = sorted((v, c) for v, c in zip(values, labels, strict=True) if not math.isnan(v))
    return _mdlp([v for v, _ in rows], [c for _, c in rows])


def _mdlp(values, labels):
    n = len(values)
    if n < 2:
        return []
    whole, best = entropy(labels), None
    for at in range(1, n):
        if values[at - 1] < values[at]:
            below, above = entropy(labels[:at]), entropy(labels[at:])
            information = (at * below + (n - at) * above) / n
            if information < (whole if best is None else best[0]):
                best = (information, at, below, above)
    if best is None:
        return []
    information, at, below, above = best
    k, k1, k2 = len(set(labels)), len(set(labels[:at])), len(set(labels[at:]))
    delta = log2(3**k - 2) - (k * whole - k1 * below - k2 * above)
    if whole - information <= (log2(n - 1) + delta) / n:
        return []
    cut = (values[at - 1] + values[at]) / 2
    return [*_mdlp(values[:at], labels[:at]), cut, *_mdlp(values[at:], labels[at:])]


def bin_of(value, cuts):
    """Index of the interval (lo, hi] that holds the value."""
    return sum(cut < value for cut in cuts)
