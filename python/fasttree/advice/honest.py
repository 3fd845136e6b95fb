"""The choice among candidates, and what accuracy to expect of it.

The rule is Breiman's (1984): the smallest tree whose accuracy is within one standard error,
``sqrt(p (1 - p) / n)``, of the best.  The accuracy of the best of many is flattered by the choice
(Varma & Simon 2006), so the choice itself is cross-validated. The rule chooses by the out-of-fold
answers of nine tenths of the rows, and what it chose is judged by those of the last tenth.  No tree
is fitted again.
"""

from __future__ import annotations

import numpy as np

__all__ = ["choose", "corrected_accuracy", "standard_error"]


def standard_error(accuracy: float, n_rows: float) -> float:
    """Standard error of a share of right answers among `n_rows`."""
    return float(np.sqrt(max(accuracy * (1.0 - accuracy), 0.0) / n_rows))


def choose(accuracy: np.ndarray, leaves: np.ndarray, n_rows: float) -> int:
    """Place of the smallest tree within one standard error of the best accuracy; among equal sizes
    the more accurate, then the earlier.

    Examples:
        >>> choose(np.array([0.80, 0.79, 0.60]), np.array([20.0, 5.0, 1.0]), 100)
        1
    """
    best = float(accuracy.max())
    limit = best - standard_error(best, n_rows)
    near = np.flatnonzero(accuracy >= limit - 1e-12)
    order = np.lexsort((near, -accuracy[near], leaves[near]))
    return int(near[order[0]])


def corrected_accuracy(
    right: np.ndarray, leaves: np.ndarray, seed: int, divisions: int = 20
) -> tuple[float, float]:
    """Accuracy of the choice on rows that took no part in it, and its standard error.

    The standard error is Nadeau & Bengio's (2003) for cross-validation, the binomial one times
    ``sqrt(1 + k / (k - 1))`` with k folds. The answers of overlapping training sets are not
    independent, and the binomial error alone is a third too small.

    Args:
        right: share of repetitions in which a row's out-of-fold answer is right, shape (n_rows,
            n_candidates).
        leaves: sizes of the candidates, shape (n_candidates,).
        seed: of the divisions into tenths.
        divisions: how many.

    Examples:
        >>> right = np.random.default_rng(0).random((400, 20)) < 0.5   # twenty coins
        >>> best = right.mean(axis=0).max()
        >>> found, error = corrected_accuracy(right.astype(float), np.ones(20), 0)
        >>> bool(best > 0.53), bool(abs(found - 0.5) < 2 * error)
        (True, True)
    """
    rng = np.random.default_rng(seed)
    n = len(right)
    total, sums = 0.0, right.sum(axis=0)
    for _ in range(divisions):
        for part in np.array_split(rng.permutation(n), min(10, n)):
            own = right[part].sum(axis=0)
            others = n - len(part)
            place = choose((sums - own) / others, leaves, others)
            total += float(own[place])
    expected = total / (divisions * n)
    folds = max(2, min(10, n))
    return expected, standard_error(expected, n) * float(np.sqrt(1.0 + folds / (folds - 1)))
