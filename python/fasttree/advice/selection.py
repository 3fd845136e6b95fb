"""The choice among candidates, and the accuracy to expect of it.

What
    The rule is Breiman's (1984): the smallest tree whose accuracy is within one standard error,
    ``sqrt(p (1 - p) / n)``, of the best. The accuracy of the best of many candidates is biased
    upwards (Varma & Simon 2006), so the choice itself is cross-validated: the rule chooses by the
    out-of-fold predictions of nine tenths of the rows, and the accuracy of its choice is measured
    on the last tenth. `advise` calls this; no tree is fitted again.
Complexity
    O(divisions x rows x candidates).
"""

from __future__ import annotations

import numpy as np

__all__ = ["ROUNDING", "choose", "corrected_accuracy", "standard_error"]

ROUNDING = 1e-12
"""Tolerance of comparisons of accuracies, which are sums in floating point."""


def standard_error(accuracy: float, n_rows: float) -> float:
    """Binomial standard error of an accuracy on `n_rows` rows."""
    return float(np.sqrt(max(accuracy * (1.0 - accuracy), 0.0) / n_rows))


def choose(accuracy: np.ndarray, leaves: np.ndarray, n_rows: float) -> int:
    """Index of the smallest tree within one standard error of the best accuracy.

    Among equal sizes it is the more accurate one, then the earlier one.

    Examples:
        >>> choose(np.array([0.80, 0.79, 0.60]), np.array([20.0, 5.0, 1.0]), 100)
        1
    """
    best = float(accuracy.max())
    limit = best - standard_error(best, n_rows)
    within = np.flatnonzero(accuracy >= limit - ROUNDING)
    order = np.lexsort((within, -accuracy[within], leaves[within]))
    return int(within[order[0]])


def corrected_accuracy(
    right: np.ndarray, leaves: np.ndarray, seed: int, divisions: int = 20
) -> tuple[float, float]:
    """Accuracy of the choice on rows that took no part in it, and its standard error.

    The standard error is Nadeau & Bengio's (2003) for cross-validation, the binomial one times
    ``sqrt(1 + k / (k - 1))`` with k folds. The predictions of overlapping training sets are not
    independent, and the binomial error alone is a third too small.

    Args:
        right: share of repetitions in which a row's out-of-fold prediction is right, shape (n_rows,
            n_candidates).
        leaves: sizes of the candidates, shape (n_candidates,).
        seed: seed of the divisions into tenths.
        divisions: number of random divisions into tenths.

    Examples:
        >>> right = np.random.default_rng(0).random((400, 20)) < 0.5  # 20 candidates that guess
        >>> best = right.mean(axis=0).max()
        >>> found, error = corrected_accuracy(right.astype(float), np.ones(20), 0)
        >>> bool(best > 0.53), bool(abs(found - 0.5) < 2 * error)
        (True, True)
    """
    rng = np.random.default_rng(seed)
    n = len(right)
    total, sums = 0.0, right.sum(axis=0)
    for _ in range(divisions):
        for tenth in np.array_split(rng.permutation(n), min(10, n)):
            # Choose by the other nine tenths, and judge the choice by this one.
            own = right[tenth].sum(axis=0)
            n_others = n - len(tenth)
            chosen = choose((sums - own) / n_others, leaves, n_others)
            total += float(own[chosen])
    expected = total / (divisions * n)
    folds = max(2, min(10, n))
    return expected, standard_error(expected, n) * float(np.sqrt(1.0 + folds / (folds - 1)))
