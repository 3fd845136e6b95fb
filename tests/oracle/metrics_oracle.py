"""Metrics, folds and rank tests written out naively, straight from their definitions.

Plain Python, no NumPy in the arithmetic; O(n^2) where the definition is.  Nothing here is imported
by the package.
"""

from __future__ import annotations

import math


def f_beta(tp: float, fp: float, fn: float, beta: float) -> float:
    """The weighted harmonic mean of precision and recall, spelled out."""
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    if precision == 0 or recall == 0:
        return 0.0
    return (1 + beta**2) / (1 / precision + beta**2 / recall)


def mann_whitney(
    is_positive: list[bool], scores: list[float], weights: list[float] | None = None
) -> float:
    """P(positive > negative) + P(equal)/2 over all pairs."""
    weights = weights or [1.0] * len(scores)
    won = total = 0.0
    for i, positive in enumerate(is_positive):
        for j, other in enumerate(is_positive):
            if positive and not other:
                pair = weights[i] * weights[j]
                total += pair
                won += pair * (
                    1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0
                )
    return won / total


def _log(x: float, base: float) -> float:
    return -math.inf if x == 0 else math.log(x) / math.log(base)


def good(true: int, row: list[float], base: float = 2.0) -> float:
    """log(2p') if the predicted class is right, else log(2(1 - p'))."""
    predicted = 0 if row[0] >= row[1] else 1
    p = row[predicted]
    return _log(2 * p, base) if predicted == true else _log(2 * (1 - p), base)


def kononenko_bratko(true: int, row: list[float], prior: list[float], base: float = 2.0) -> float:
    """Information score of the true class."""
    given, before = row[true], prior[true]
    if given >= before:
        return _log(given, base) - _log(before, base)
    return _log(1 - before, base) - _log(1 - given, base)


def reward_2002(true: int, row: list[float], prior: list[float]) -> float:
    """Mean over classes of 1 - log p'/log p, complements for the classes that are not true."""
    total = 0.0
    for i, (given, before) in enumerate(zip(row, prior, strict=True)):
        if i == true:
            total += 1 - _log(given, 2) / _log(before, 2)
        else:
            total += 1 - _log(1 - given, 2) / _log(1 - before, 2)
    return total / len(row)


def bayesian(true: int, row: list[float], prior: list[float], base: float = 2.0) -> float:
    """Mean over classes of log(p'/p), complements for the classes that are not true."""
    total = 0.0
    for i, (given, before) in enumerate(zip(row, prior, strict=True)):
        total += _log(given / before, base) if i == true else _log((1 - given) / (1 - before), base)
    return total / len(row)


def kullback_leibler(true: list[float], pred: list[float], base: float = 2.0) -> float:
    """sum P log(P/P')."""
    total = 0.0
    for p, q in zip(true, pred, strict=True):
        if p > 0:
            total += math.inf if q == 0 else p * _log(p / q, base)
    return total


class JavaRandom:
    """java.util.Random as its documentation states it, one draw at a time."""

    def __init__(self, seed: int) -> None:
        self.seed = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def next(self, bits: int) -> int:
        """The top `bits` bits of the next state, as a signed 32-bit integer."""
        self.seed = (self.seed * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        value = self.seed >> (48 - bits)
        return value - (1 << 32) if value >= 1 << 31 else value

    def next_int(self, n: int) -> int:
        """nextInt(n)."""
        if n & -n == n:
            return (n * self.next(31)) >> 31
        while True:
            bits = self.next(31)
            value = bits % n
            if bits - value + (n - 1) <= (1 << 31) - 1:
                return value


def weka_folds(labels: list[object], n_folds: int, seed: int) -> list[list[int]]:
    """Test rows of every fold: randomize, group by class with swaps, stride, cut."""
    random = JavaRandom(seed)
    rows = list(range(len(labels)))
    for j in range(len(rows) - 1, 0, -1):
        other = random.next_int(j + 1)
        rows[j], rows[other] = rows[other], rows[j]
    index = 1
    while index < len(rows):
        first = rows[index - 1]
        for j in range(index, len(rows)):
            if labels[rows[j]] == labels[first]:
                rows[index], rows[j] = rows[j], rows[index]
                index += 1
        index += 1
    dealt = []
    for start in range(n_folds):
        j = start
        while j < len(rows):
            dealt.append(rows[j])
            j += n_folds
    folds, at = [], 0
    for fold in range(n_folds):
        size = len(rows) // n_folds + (1 if fold < len(rows) % n_folds else 0)
        folds.append(dealt[at : at + size])
        at += size
    return folds
