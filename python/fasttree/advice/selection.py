"""The choice among candidates, and the accuracy or error to expect of it.

What
    The rule is Breiman's (1984): the smallest tree whose quality is within one standard error of
    the best; it must also be within a fixed price, since one standard error of few rows is large.
    Quality is the accuracy, or for a number the negative mean absolute error. The quality of the
    best of many candidates is biased upwards (Varma & Simon 2006), so the choice itself is
    cross-validated: the rule chooses by the out-of-fold predictions of nine tenths of the rows, and
    its choice is measured on the last tenth. Where the choice among trees of at most half as many
    leaves is as good by this measure, within one standard error and the price, these are enough
    (`small_choice`). `advise` calls this; no tree is fitted again.
Complexity
    O(divisions x rows x candidates).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

CLEARLY = 2.5
"""Standard errors of the difference by which a tree is clearly better than a constant."""

FEW, MANY = 16, 32
"""Leaves of a tree that a reader takes in, and of one that is offered together with such a tree."""

ROUNDING = 1e-12
"""Tolerance of comparisons of qualities, as a share of them; they are sums in floating point."""

Prefer: TypeAlias = Literal["small", "accurate"]
"""The smallest tree within one standard error of the best, or the best."""

PREFERENCES = ("small", "accurate")
"""The words of `Prefer`."""


def standard_error(mean: float, square: float, n_rows: float) -> float:
    """Standard error of a mean over `n_rows` rows, from the mean of squares.

    A right answer is 1 and a wrong one 0, so that an accuracy is its own mean of squares, and this
    is the binomial ``sqrt(p (1 - p) / n)``.

    Examples:
        >>> standard_error(0.9, 0.9, 100).__round__(3), standard_error(-3.0, 13.0, 100)
        (0.03, 0.2)
    """
    return float(np.sqrt(max(square - mean * mean, 0.0) / n_rows))


def good_enough(
    quality: np.ndarray,
    n_rows: float,
    squares: np.ndarray | None = None,
    *,
    prefer: Prefer = "small",
    price: float = math.inf,
    share: float = math.inf,
) -> np.ndarray:
    """Which candidates are within one standard error, `price` and `share` of the best, or as good
    as it.

    Args:
        quality, n_rows, squares: as in `choose`.
        prefer: ``"small"``, or ``"accurate"`` without regard to size.
        price: quality that a smaller tree may cost, at most.
        share: the same as a share of the best quality.
    """
    squares = quality if squares is None else squares
    best = int(quality.argmax())
    error = standard_error(float(quality[best]), float(squares[best]), n_rows)
    slack = min(price, share * abs(quality[best]), error) if prefer == "small" else 0.0
    return np.asarray(quality >= quality[best] - slack - ROUNDING * abs(quality[best]))


def beats(quality: np.ndarray, constant: np.ndarray, n_rows: float) -> bool:
    """Whether a tree is better than a constant by 2.5 standard errors of the difference.

    One standard error would let the best of 30 candidates win over the constant on noise in every
    other run.

    Args:
        quality, constant: of the same rows or folds, any shape.
        n_rows: number of different rows or folds.

    Examples:
        >>> tree = np.array([1.0, 1.0, 1.0, 0.0] * 10)
        >>> beats(tree, 1 - tree, 40), beats(tree, np.array([1.0, 1.0, 0.0, 0.0] * 10), 40)
        (True, True)
        >>> beats(tree[:8], np.array([1.0, 1.0, 0.0, 0.0] * 2), 8)
        False
    """
    gain = quality - constant
    mean = float(gain.mean())
    return mean > CLEARLY * standard_error(mean, float((gain * gain).mean()), n_rows)


def choose(
    quality: np.ndarray,
    leaves: np.ndarray,
    n_rows: float,
    squares: np.ndarray | None = None,
    **rule: Any,
) -> int:
    """Index of the smallest tree within one standard error of the best quality, or of the best.

    Among equal sizes it is the better one, then the earlier one.

    Args:
        quality: accuracies, or negative errors, shape (n_candidates,).
        leaves: sizes, shape (n_candidates,).
        n_rows: rows that the qualities are means over.
        squares: means of the squares; None: the qualities are accuracies.
        rule: `prefer`, `price` and `share`, as in `good_enough`.

    Examples:
        >>> choose(np.array([0.80, 0.79, 0.60]), np.array([20.0, 5.0, 1.0]), 100)
        1
        >>> choose(np.array([0.80, 0.79, 0.60]), np.array([20.0, 5.0, 1.0]), 100, prefer="accurate")
        0
    """
    within = np.flatnonzero(good_enough(quality, n_rows, squares, **rule))
    order = np.lexsort((within, -quality[within], leaves[within]))
    return int(within[order[0]])


def corrected_accuracy(
    right: np.ndarray,
    leaves: np.ndarray,
    seed: int,
    divisions: int = 20,
    *,
    squares: np.ndarray | None = None,
    **rule: Any,
) -> tuple[float, float]:
    """Quality of the choice on rows that took no part in it, and its standard error.

    The standard error is Nadeau & Bengio's (2003) for cross-validation: the error of a mean over
    independent rows times ``sqrt(1 + k / (k - 1))`` with k folds. The predictions of overlapping
    training sets are not independent, and the error alone is a third too small.

    Args:
        right: share of repetitions in which a row's out-of-fold prediction is right, or its
            negative error, shape (n_rows, n_candidates).
        leaves: sizes of the candidates, shape (n_candidates,).
        seed: seed of the divisions into tenths.
        divisions: number of random divisions into tenths.
        squares: squares of the errors, shape (n_rows, n_candidates); None: `right` are shares.
        rule: `prefer`, `price` and `share`, as in `choose`.

    Examples:
        >>> right = np.random.default_rng(0).random((400, 20)) < 0.5  # 20 candidates that guess
        >>> best = right.mean(axis=0).max()
        >>> found, error = corrected_accuracy(right.astype(float), np.ones(20), 0)
        >>> bool(best > 0.53), bool(abs(found - 0.5) < 2 * error)
        (True, True)
    """
    rng = np.random.default_rng(seed)
    squares = right if squares is None else squares
    n = len(right)
    if n < 2:
        raise ValueError(
            "cv: a choice is judged on rows that took no part in it, and the folds test one row, "
            "or with a metric or groups are one: give more folds"
        )
    totals, sums = np.zeros(2), np.array([right.sum(axis=0), squares.sum(axis=0)])
    for _ in range(divisions):
        for tenth in np.array_split(rng.permutation(n), min(10, n)):
            # Choose by the other nine tenths, and judge the choice by this one.
            own = np.array([right[tenth].sum(axis=0), squares[tenth].sum(axis=0)])
            n_others = n - len(tenth)
            mean, square = (sums - own) / n_others
            totals += own[:, choose(mean, leaves, n_others, square, **rule)]
    expected, square = (totals / (divisions * n)).tolist()
    folds = max(2, min(10, n))
    return expected, standard_error(expected, square, n) * float(np.sqrt(1.0 + folds / (folds - 1)))


def small_choice(
    allowed: np.ndarray,
    leaves: np.ndarray,
    judged: Callable[[np.ndarray], tuple[int, float, float]],
    *,
    price: float = math.inf,
    share: float = math.inf,
) -> tuple[int, float, float]:
    """The choice among candidates, its quality on other rows, and the standard error of this.

    A large tree gives way where the choice among trees of at most half as many leaves is as good
    on rows that took no part in either choice: within one standard error, `price` and `share`.
    Without these limits 2 leaves took the place of 10 that were 2 points better on held-out rows
    (titanic), and 8 of 40 that were 6 points better (primary-tumor).

    Args:
        allowed: indices of the candidates.
        leaves: size of each candidate, shape (n_candidates,).
        judged: the choice among some of them, its corrected quality and standard error.
        price: quality that a smaller tree may cost, at most.
        share: the same as a share of the quality of the first choice.

    Examples:
        >>> announced = {3: (2, 0.893, 0.01), 2: (1, 0.889, 0.01), 1: (0, 0.6, 0.01)}
        >>> leaves = np.array([1.0, 4.0, 52.0])
        >>> small_choice(np.arange(3), leaves, lambda some: announced[len(some)])
        (1, 0.889, 0.01)
        >>> small_choice(np.arange(3), leaves, lambda some: announced[len(some)], price=0.002)
        (2, 0.893, 0.01)
    """
    found = judged(allowed)
    least = found[1] - min(price, share * abs(found[1]), found[2])
    while True:
        allowed = allowed[leaves[allowed] <= leaves[found[0]] / 2]
        small = judged(allowed) if len(allowed) else found
        if small[1] < least or leaves[small[0]] in (1.0, leaves[found[0]]):
            return found
        found = small
