"""The parameters `cost_matrix` and `priors`: checked costs, and priors as class weights.

What
    `costs_of` checks a cost matrix, `prior_factors` turns priors into weights of the classes.
Source and equation
    A row of class c weighs ``prior_c / (n_c / n)`` (altered priors; Breiman, Friedman, Olshen &
    Stone 1984, section 4.4).
Complexity
    One pass over the labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks import check_share, number_array, shown

MOST_COST = 1e150
"""The largest cost, so that sums of costs times weights stay finite."""


def costs_of(value: Any, n_classes: int) -> list[list[float]] | None:
    """A cost matrix as lists, with a row per true class and a column per predicted one; None if
    there is no matrix.

    Raises:
        ValueError: another shape, a diagonal that is not 0, a cost outside 0 to `MOST_COST`.
    """
    if value is None:
        return None
    costs = number_array("cost_matrix", value)
    if costs.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost_matrix has shape {costs.shape}, expected {(n_classes, n_classes)}: true class "
            "by predicted class, in the order of classes_"
        )
    for (i, j), cost in np.ndenumerate(costs):
        if i == j and cost != 0:
            raise ValueError(
                f"cost_matrix[{i}, {j}] = {cost:g} must be 0: there the class is right"
            )
        if not 0 <= cost <= MOST_COST:
            raise ValueError(
                f"cost_matrix[{i}, {j}] = {cost:g} must be a number from 0 to {MOST_COST:g}; "
                "divide all costs by a constant"
            )
    return costs.tolist()


def class_sums(codes: np.ndarray, weights: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Weight of each class, float64, shape (n_classes,).

    Fractional weights are summed exactly and rounded once (`math.fsum`), so the sums are the same
    in any order of the rows. A class without rows has 0. `codes` are class codes >= 0, and
    `weights` None counts rows.
    """
    if weights is None or np.all(weights == np.floor(weights)):
        return np.bincount(codes, weights=weights, minlength=n_classes).astype(np.float64)
    return np.array([math.fsum(weights[codes == c].tolist()) for c in range(n_classes)])


def prior_factors(priors: Any, classes: Sequence[Any], sums: np.ndarray) -> np.ndarray:
    """Factor of each class, shape (n_classes,): its prior divided by its share of the weight.

    Args:
        priors: ``"equal"``, a dict by label, or shares in the order of the classes. All must be
            positive and sum to 1; the shares of classes without rows are distributed over the
            others.
        classes: the labels.
        sums: weight of the rows of each class, shape (n_classes,).

    Raises:
        ValueError: priors that are not positive, do not sum to 1 or name other classes.
    """
    shares = _shares(priors, classes)
    if not np.all(shares > 0):
        raise ValueError(f"priors={shown(priors)}: every share must be > 0")
    if abs(shares.sum() - 1) > 1e-8:
        raise ValueError(f"priors={shown(priors)} must sum to 1, not to {shares.sum():.10g}")
    # Factors that give the classes that occur these shares, and keep the total weight.
    occurring = sums > 0
    factors = np.ones(len(classes))
    total = math.fsum(sums.tolist())
    factors[occurring] = shares[occurring] / shares[occurring].sum() * total / sums[occurring]
    return factors


def _shares(priors: Any, classes: Sequence[Any]) -> np.ndarray:
    """Priors as given, in the order of the classes, shape (n_classes,)."""
    n, expected = len(classes), "None, 'equal', a dict or a list of shares"
    if isinstance(priors, str):
        if priors != "equal":
            raise ValueError(f"priors={shown(priors)} is not known; use {expected}")
        return np.full(n, 1.0 / n)
    if isinstance(priors, dict):
        unknown = [k for k in priors if k not in classes]
        lacking = [c for c in classes if c not in priors]
        if unknown or lacking:
            what, which = ("names no class", unknown) if unknown else ("lacks the class", lacking)
            raise ValueError(
                f"priors {what}: {', '.join(map(repr, which))}; the classes are {list(classes)!r}"
            )
        return np.array([check_share(f"priors[{shown(c)}]", priors[c]) for c in classes])
    shares = number_array("priors", priors)
    if shares.shape != (n,):
        raise ValueError(
            f"priors has shape {shares.shape}, expected ({n},): one share per class, in the order "
            "of classes_"
        )
    return shares
