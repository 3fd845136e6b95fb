"""Expected cost of predictions under a cost matrix, and the decision that minimises it.

    expected cost = sum_ij n_ij C[i, j] / n
    decision(x)   = argmin_j sum_i p(i | x) C[i, j]     (Elkan 2001)

C[i, j] is the cost of predicting j when the truth is i.

O(n k^2) at most.  The decision is only as good as the probabilities: check calibration first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._checks import number_array
from .._checks.aliases import ClassLabels, MaybeArray
from .confusion import confusion_matrix
from .labels import check_proba, known_classes
from .metric import metric_of


def check_cost_matrix(cost_matrix: Any, n_classes: int) -> np.ndarray:
    """Return costs as float64 (k, k + 1); without the last column, leaving a row unclassified costs
    its row's maximum.

    None is the zero-one cost, under which an unclassified row costs 1.
    """
    if cost_matrix is None:
        costs = 1.0 - np.eye(n_classes)
        return np.column_stack([costs, np.ones(n_classes)])
    costs = number_array("cost_matrix", cost_matrix)
    if costs.shape not in ((n_classes, n_classes), (n_classes, n_classes + 1)):
        raise ValueError(
            f"cost_matrix has shape {costs.shape}, expected ({n_classes}, {n_classes}): true class "
            f"by predicted class (or {n_classes + 1} columns, the last for unclassified rows)"
        )
    if not np.isfinite(costs).all():
        raise ValueError("cost_matrix holds a value that is not finite")
    return np.column_stack([costs, costs.max(axis=1)]) if costs.shape[1] == n_classes else costs


def costs_in_words(cost_matrix: Any, classes: Sequence[Any], most: int = 6) -> str:
    """The meaning of a cost matrix in a phrase: its largest costs, at most `most`.

    Examples:
        >>> costs_in_words([[0, 1], [10, 0]], ["no", "yes"])
        "a 'yes' called 'no' costs 10, a 'no' called 'yes' 1"
    """
    costs = check_cost_matrix(cost_matrix, len(classes))[:, : len(classes)]
    pairs = [(i, j) for i, j in np.ndindex(*costs.shape) if i != j]
    if len({float(costs[pair]) for pair in pairs}) == 1 and len(pairs) > 2:
        return f"every error costs {costs[pairs[0]]:g}"
    pairs.sort(key=lambda pair: -costs[pair])
    named = [
        f"a {classes[i]!r} called {classes[j]!r}{'' if place else ' costs'} {costs[i, j]:g}"
        for place, (i, j) in enumerate(pairs[:most])
    ]
    others = len(pairs) - most
    return ", ".join([*named, *([f"{others} other errors less"] if others > 0 else [])])


def expected_cost_from_confusion(counts: np.ndarray, *, cost_matrix: Any = None) -> np.ndarray:
    """Mean cost per row of confusion counts (..., k, k + 1), in the unit of the matrix. The last
    column of a matrix (k, k + 1) is the cost of no prediction."""
    costs = check_cost_matrix(cost_matrix, counts.shape[-2])
    return (counts * costs).sum(axis=(-2, -1)) / counts.sum(axis=(-2, -1))


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_matrix: Any = None,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the mean cost of the predictions; rows of `cost_matrix` are true classes, columns
    predictions.

    Without a matrix every error costs 1, so the value is the error rate.

    >>> expected_cost(["no", "yes"], ["yes", "yes"], cost_matrix=[[0, 4], [1, 0]])
    2.0
    """
    counts = confusion_matrix(y_true, y_pred, classes=classes, sample_weight=sample_weight)
    return float(expected_cost_from_confusion(counts, cost_matrix=cost_matrix))


def cost_optimal_decision(
    proba: Any, cost_matrix: Any, *, classes: ClassLabels | None = None
) -> np.ndarray:
    """Return the class (code, or label when `classes` are given) of least expected cost for every
    row, shape (n,).

    `proba` (n, k); ties go to the first class.

    >>> cost_optimal_decision([[0.8, 0.2], [0.6, 0.4]], [[0, 1], [2, 0]], classes=["no", "yes"])
    array(['no', 'yes'], dtype='<U3')
    """
    given = number_array("proba", proba)
    if given.ndim != 2:
        raise ValueError(
            f"proba has shape {given.shape}; it needs one row a case and one column a class"
        )
    checked = check_proba(given, len(given), given.shape[1])
    costs = check_cost_matrix(cost_matrix, given.shape[1])[:, :-1]
    codes = (checked @ costs).argmin(axis=1)
    if classes is None:
        return codes
    labels = known_classes(classes)
    if len(labels) != given.shape[1]:
        raise ValueError(f"there are {len(labels)} classes but proba has {given.shape[1]} columns")
    return np.asarray(labels)[codes]


METRICS = (
    metric_of(
        expected_cost,
        "mean cost under a cost matrix (the error rate without one)",
        "Elkan 2001",
        better=False,
        minimum=-math.inf,
        maximum=math.inf,
        aliases=("cost",),
        from_confusion=expected_cost_from_confusion,
    ),
)
