"""Measures of predicted numbers: R2, RMSE, mean and median absolute error, pinball loss, Poisson
deviance.

    R2       = 1 - sum w (y - p)^2 / sum w (y - m)^2, m the weighted mean of y
    RMSE     = sqrt(sum w (y - p)^2 / W)
    MAE      = sum w |y - p| / W
    median   = the weighted median of |y - p|
    pinball  = sum w max(q (y - p), (q - 1)(y - p)) / W           (Koenker & Bassett 1978)
    Poisson  = 2 sum w (y log(y / p) - y + p) / W                 (McCullagh & Nelder 1989)

with observed y, predicted p, weights w of sum W. The values equal scikit-learn's, whose calls cost
as much as a small fit. A function is written once, on checked arrays: so it scores the folds of a
cross-validation, and `of_numbers` puts checks that name the row before its public form. O(rows),
the median O(rows log(rows)) with weights. Not for classes: see `error_rates` and `probability`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from .._checks import number_array, number_in, refuse_masked, refuse_where, row_weights
from .._checks.aliases import MaybeArray
from .labels import average, check_lengths
from .metric import Metric, metric_of

between_0_and_1 = number_in(0.0, 1.0, above=True, below=True)


def finite_numbers(what: str, values: Any) -> np.ndarray:
    """Return values as finite float64 numbers, shape (n,); a column of shape (n, 1) is taken, too.

    Raises ValueError naming the first row that is missing or infinite.

    >>> finite_numbers("y_true", [1, 2.5])
    array([1. , 2.5])
    """
    refuse_masked(what, values)
    numbers = number_array(what, values)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise ValueError(
            f"{what} must be one-dimensional, got shape {numbers.shape}; pass one number per row"
        )
    refuse_where(
        ~np.isfinite(numbers),
        lambda row: (
            f"{what}: row {row} is {numbers[row]}; give a finite number, or leave the row out"
        ),
    )
    return numbers


def number_pair(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return observed and predicted numbers as float64 arrays, shape (n,). ValueError for values
    that are not finite numbers, for lengths that differ and for no rows."""
    truth, predicted = finite_numbers("y_true", y_true), finite_numbers("y_pred", y_pred)
    check_lengths("y_pred", len(truth), len(predicted))
    return truth, predicted


METRICS: list[Metric] = []
F = TypeVar("F", bound=Callable[..., float])


def of_numbers(doc: str, source: str, **facts: Any) -> Callable[[F], F]:
    """Turn a function of checked arrays into a metric of numbers, with checks before it.

    Args:
        doc, source, **facts: of the `Metric`, which is added to `METRICS`.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def public(
            y_true: ArrayLike,
            y_pred: ArrayLike,
            *,
            sample_weight: MaybeArray = None,
            **options: Any,
        ) -> float:
            truth, predicted = number_pair(y_true, y_pred)
            weights = row_weights(sample_weight, len(truth))
            return function(truth, predicted, sample_weight=weights, **options)

        shared = {"needs": "numbers", "better": False, "maximum": math.inf, **facts}
        METRICS.append(metric_of(public, doc, source, from_rows=function, **shared))
        return cast(F, public)

    return decorate


def _gaps(y_true: ArrayLike, y_pred: ArrayLike) -> np.ndarray:
    return np.asarray(y_true) - np.asarray(y_pred)


@of_numbers(
    "share of the variance that the predictions explain; 0: as good as the mean",
    "Wright 1921",
    better=True,
    minimum=-math.inf,
    maximum=1.0,
    aliases=("r2",),
)
def r2_score(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None) -> float:
    """Return R2, the coefficient of determination: 1 is perfect, 0 as good as always saying the
    mean of `y_true`, and there is no lower bound.

    For a constant `y_true` it is 1 where all predictions are right, else 0; for a single row NaN.

    >>> r2_score([1.0, 2.0, 3.0], [1.0, 2.0, 2.0])
    0.5
    """
    y, gaps = np.asarray(y_true), _gaps(y_true, y_pred)
    if len(y) < 2:
        return math.nan
    weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
    left = (weights * gaps**2).sum()
    whole = (weights * (y - np.average(y, weights=weights)) ** 2).sum()
    return float(1.0 - left / whole) if whole > 0 else float(left == 0)


@of_numbers(
    "root of the mean squared error, in the target's units", "Gauss 1809", aliases=("rmse",)
)
def root_mean_squared_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None
) -> float:
    """Return the root of the mean squared error, in the units of `y_true`, 0 or more. Large errors
    weigh more than in the mean absolute error; the mean of `y_true` is the best constant.

    >>> root_mean_squared_error([0.0, 0.0], [1.0, 7.0])
    5.0
    """
    return math.sqrt(average(_gaps(y_true, y_pred) ** 2, sample_weight))


@of_numbers("mean of the absolute errors, in the target's units", "Laplace 1774", aliases=("mae",))
def mean_absolute_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None
) -> float:
    """Return the mean absolute error, in the units of `y_true`, 0 or more. The median of `y_true`
    is the best constant.

    >>> mean_absolute_error([0.0, 0.0], [1.0, -7.0])
    4.0
    """
    return average(np.abs(_gaps(y_true, y_pred)), sample_weight)


@of_numbers(
    "median of the absolute errors, in the target's units", "Gauss 1816", aliases=("medae",)
)
def median_absolute_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None
) -> float:
    """Return the median of the absolute errors, in the units of `y_true`, 0 or more: large errors
    of fewer than half of the rows do not change it.

    >>> median_absolute_error([0.0, 0.0, 0.0], [1.0, -2.0, 90.0])
    2.0
    """
    if sample_weight is None:
        return float(np.median(np.abs(_gaps(y_true, y_pred))))
    from sklearn import metrics

    return float(metrics.median_absolute_error(y_true, y_pred, sample_weight=sample_weight))


@of_numbers(
    "mean loss of a predicted quantile, in the target's units",
    "Koenker & Bassett 1978",
    aliases=("pinball_loss", "pinball"),
)
def mean_pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    quantile: float = 0.5,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the mean pinball loss of predicted quantiles, in the units of `y_true`, 0 or more.

    `quantile`, above 0 and below 1, is the one that is predicted (scikit-learn's `alpha`): a
    prediction that is too low by 1 costs `quantile`, one that is too high by 1 costs 1 -
    `quantile`. With 0.5 it is half of the mean absolute error.

    >>> mean_pinball_loss([1.0, 1.0], [0.0, 2.0], quantile=0.75)
    0.5
    """
    share = between_0_and_1("quantile", quantile)
    gaps = _gaps(y_true, y_pred)
    return average(np.maximum(share * gaps, (share - 1.0) * gaps), sample_weight)


@of_numbers(
    "mean deviance (twice the half deviance) of predicted counts or rates",
    "McCullagh & Nelder 1989",
    aliases=("poisson_deviance",),
)
def mean_poisson_deviance(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None
) -> float:
    """Return the mean Poisson deviance of predicted counts or rates, 0 or more.

    It is the full deviance, twice the impurity of ``criterion="poisson"``, as in scikit-learn. A
    prediction of 0 is right for a row of 0 and costs +inf for any other (scikit-learn refuses it).

    Raises ValueError naming the row of a negative number.

    >>> round(mean_poisson_deviance([1.0, 0.0], [1.0, 2.0]), 12), mean_poisson_deviance([1], [0])
    (2.0, inf)
    """
    from scipy.special import xlogy

    y, predicted = np.asarray(y_true), np.asarray(y_pred)
    for what, values in (("y_true", y), ("y_pred", predicted)):
        bad = np.flatnonzero(values < 0)
        if len(bad):
            raise ValueError(
                f"mean_poisson_deviance: {what} of row {int(bad[0])} is {values[bad[0]]:g}; counts "
                "and rates are not negative"
            )
    with np.errstate(divide="ignore", invalid="ignore"):
        log = xlogy(y, np.where(y > 0, y / predicted, 1.0))
    return average(2.0 * (log - y + predicted), sample_weight)
