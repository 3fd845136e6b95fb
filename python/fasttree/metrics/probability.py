"""Scores of class probabilities: log loss and the Brier score; and Laplace's smoothed leaf scores.

    log loss = - mean log p'_true            (nats unless `base=`)
    Brier    = mean sum_c (p'_c - [c true])^2                                        (Brier 1950: 0
    to 2) Laplace  = (n_c + 1) / (n + k)

A certain wrong prediction has log loss +inf and keeps it unless `clip=`.  O(n k).  Neither log loss
nor Brier measures gain over the class prior: for that see `information`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._checks import as_float, check_whole, checked, number_array, number_in, row_weights, shown
from .._checks.aliases import ClassLabels, MaybeArray
from .labels import average, encode_proba
from .metric import metric_of


def clip_proba(proba: np.ndarray, clip: float | None) -> np.ndarray:
    """Return probabilities limited to [clip, 1 - clip], not renormalised, so that logarithms are
    finite; None changes nothing. ValueError unless 0 <= clip < 0.5."""
    if clip is None:
        return proba
    least = number_in(0.0, 0.5, below=True)("clip", clip)
    return np.clip(proba, least, 1.0 - least)


def log_unit(base: float | None) -> float:
    """Return ln(base), the divisor that turns nats into logarithms of that base; 1 for None,
    natural logarithms. ValueError unless base is positive, finite and not 1."""
    if base is None:
        return 1.0
    unit = as_float(base)
    if unit is None or not (unit > 0 and unit != 1 and math.isfinite(unit)):
        raise ValueError(f"base={shown(base)} must be positive, finite and not 1")
    return math.log(unit)


@checked(counts=number_array)
def laplace_scores(counts: Any, *, axis: int = -1) -> np.ndarray:
    """Return (n_c + 1) / (n + k) along `axis`: smoothed class scores of leaves, each in (0, 1) and
    summing to 1.

    Raises ValueError for negative counts.

    >>> laplace_scores([3, 0])
    array([0.8, 0.2])
    """
    if counts.ndim == 0 or not (counts >= 0).all():
        raise ValueError("counts must be an array of numbers that are not negative, one a class")
    axis = check_whole("axis", axis, -counts.ndim, counts.ndim - 1)
    return (counts + 1.0) / (counts.sum(axis=axis, keepdims=True) + counts.shape[axis])


def log_loss_per_row(
    codes: np.ndarray,
    proba: np.ndarray,
    prior: Any = None,
    *,
    base: float | None = None,
    clip: float | None = None,
) -> np.ndarray:
    """Minus the log of the probability given to the true class, shape (n,), in the unit of `base`.
    It is infinite for probability 0 unless `clip` bounds probabilities; `prior` is not read."""
    chosen = clip_proba(proba, clip)[np.arange(len(codes)), codes]
    with np.errstate(divide="ignore"):
        return -np.log(chosen) / log_unit(base)


def brier_per_row(codes: np.ndarray, proba: np.ndarray, prior: Any = None) -> np.ndarray:
    """Squared distance of the probabilities from the certain truth, shape (n,), from 0 (certain and
    right) to 2; `prior` is not read."""
    chosen = proba[np.arange(len(codes)), codes]
    return (proba**2).sum(axis=1) - chosen**2 + (1.0 - chosen) ** 2


def log_loss(
    y_true: ArrayLike,
    proba: Any,
    *,
    classes: ClassLabels | None = None,
    base: float | None = None,
    clip: float | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the mean of -log p'(true class), 0 to +inf; `proba` (n, k) in the order of `classes`.

    Natural logs unless `base`; a certain wrong row makes it +inf unless `clip` (probabilities are
    then kept within [clip, 1 - clip]).

    >>> log_loss([0, 1], [[0.5, 0.5], [0.75, 0.25]], base=2)
    1.5
    """
    codes, checked, _ = encode_proba(y_true, proba, classes)
    return average(
        log_loss_per_row(codes, checked, base=base, clip=clip),
        row_weights(sample_weight, len(codes)),
    )


def brier_score(
    y_true: ArrayLike,
    proba: Any,
    *,
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return Brier's score, 0 (perfect) to 2: the sum over classes, as Brier defined it, for any
    number of classes.

    >>> brier_score([0, 1], [[1.0, 0.0], [0.5, 0.5]])
    0.25
    """
    codes, checked, _ = encode_proba(y_true, proba, classes)
    return average(brier_per_row(codes, checked), row_weights(sample_weight, len(codes)))


METRICS = (
    metric_of(
        log_loss,
        "mean of minus the log (nats) of the true class's probability",
        "Good 1952",
        needs="proba",
        better=False,
        maximum=math.inf,
        per_row=log_loss_per_row,
    ),
    metric_of(
        brier_score,
        "mean squared distance of the probabilities from the truth, summed over classes",
        "Brier 1950",
        needs="proba",
        better=False,
        maximum=2.0,
        aliases=("brier",),
        per_row=brier_per_row,
    ),
)
