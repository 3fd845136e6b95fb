"""Measures of predicted numbers: R2, RMSE, mean and median absolute error, pinball loss, Poisson
deviance.

    R2       = 1 - sum w (y - p)^2 / sum w (y - m)^2, m the weighted mean of y
    RMSE     = sqrt(sum w (y - p)^2 / W)
    MAE      = sum w |y - p| / W
    median   = the weighted median of |y - p|
    pinball  = sum w max(q (y - p), (q - 1)(y - p)) / W           (Koenker & Bassett 1978)
    Poisson  = 2 sum w (y log(y / p) - y + p) / W                 (McCullagh & Nelder 1989)

with observed y, predicted p, weights w of sum W.  The functions are those of scikit-learn, after
checks that name the row.  Each has an array form without weights, which scores the folds of a
cross-validation: a call of scikit-learn's costs as much as a small fit.  O(rows), the median O(rows
log(rows)) with weights.  Not for classes: see `error_rates` and `probability`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._checks import number_array, number_in, row_weights
from .._checks.aliases import MaybeArray
from .._checks.masks import refuse_masked
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
    found = number_array(what, values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise ValueError(
            f"{what} must be one-dimensional, got shape {found.shape}; pass one number per row"
        )
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise ValueError(
            f"{what}: row {int(bad[0])} is {found[bad[0]]}; give a finite number, or leave the row "
            "out"
        )
    return found


def number_pair(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return observed and predicted numbers, checked, of one length."""
    truth, predicted = finite_numbers("y_true", y_true), finite_numbers("y_pred", y_pred)
    check_lengths("y_pred", len(truth), len(predicted))
    return truth, predicted


def _by_scikit_learn(
    name: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: MaybeArray, **options: Any
) -> float:
    """The value of scikit-learn's function of that name on checked numbers."""
    from sklearn import metrics

    truth, predicted = number_pair(y_true, y_pred)
    weights = row_weights(sample_weight, len(truth))
    return float(getattr(metrics, name)(truth, predicted, sample_weight=weights, **options))


def r2_score(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None) -> float:
    """Return R2, the coefficient of determination: 1 is perfect, 0 as good as always saying the
    mean of `y_true`, and there is no lower bound.

    Of a constant `y_true` it is 1 where all predictions are right, else 0; of a single row NaN.

    >>> r2_score([1.0, 2.0, 3.0], [1.0, 2.0, 2.0])
    0.5
    """
    return _by_scikit_learn("r2_score", y_true, y_pred, sample_weight)


def root_mean_squared_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None
) -> float:
    """Return the root of the mean squared error, in the units of `y_true`, 0 or more.

    >>> root_mean_squared_error([0.0, 0.0], [1.0, 7.0])
    5.0
    """
    return _by_scikit_learn("root_mean_squared_error", y_true, y_pred, sample_weight)


def mean_absolute_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None
) -> float:
    """Return the mean absolute error, in the units of `y_true`, 0 or more.

    >>> mean_absolute_error([0.0, 0.0], [1.0, -7.0])
    4.0
    """
    return _by_scikit_learn("mean_absolute_error", y_true, y_pred, sample_weight)


def median_absolute_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: MaybeArray = None
) -> float:
    """Return the median of the absolute errors, in the units of `y_true`, 0 or more: large errors
    of fewer than half of the rows do not change it.

    >>> median_absolute_error([0.0, 0.0, 0.0], [1.0, -2.0, 90.0])
    2.0
    """
    return _by_scikit_learn("median_absolute_error", y_true, y_pred, sample_weight)


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
    return _by_scikit_learn("mean_pinball_loss", y_true, y_pred, sample_weight, alpha=share)


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
    truth, predicted = number_pair(y_true, y_pred)
    return average(poisson_deviances(truth, predicted), row_weights(sample_weight, len(truth)))


def poisson_deviances(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The Poisson deviance of each row, shape (n,)."""
    from scipy.special import xlogy

    for what, values in (("y_true", y), ("y_pred", predicted)):
        bad = np.flatnonzero(values < 0)
        if len(bad):
            raise ValueError(
                f"mean_poisson_deviance: {what} of row {int(bad[0])} is {values[bad[0]]:g}; counts "
                "and rates are not negative"
            )
    with np.errstate(divide="ignore", invalid="ignore"):
        log = xlogy(y, np.where(y > 0, y / predicted, 1.0))
    return 2.0 * (log - y + predicted)


# -- array forms of the rows of one fold ----------------------------------------------------------


def _r2(y: np.ndarray, predicted: np.ndarray) -> float:
    if len(y) < 2:
        return math.nan
    left, whole = ((y - predicted) ** 2).sum(), ((y - y.mean()) ** 2).sum()
    return float(1.0 - left / whole) if whole > 0 else float(left == 0)


def _rmse(y: np.ndarray, predicted: np.ndarray) -> float:
    return math.sqrt(((y - predicted) ** 2).mean())


def _mae(y: np.ndarray, predicted: np.ndarray) -> float:
    return float(np.abs(y - predicted).mean())


def _median(y: np.ndarray, predicted: np.ndarray) -> float:
    return float(np.median(np.abs(y - predicted)))


def _pinball(y: np.ndarray, predicted: np.ndarray, *, quantile: float = 0.5) -> float:
    share, gap = between_0_and_1("quantile", quantile), y - predicted
    return float(np.maximum(share * gap, (share - 1.0) * gap).mean())


def _poisson(y: np.ndarray, predicted: np.ndarray) -> float:
    return float(poisson_deviances(y, predicted).mean())


def _error(function: Callable[..., float], doc: str, source: str, **more: Any) -> Metric:
    """The entry of an error, which is 0 or more, and the smaller the better."""
    return metric_of(function, doc, source, needs="numbers", better=False, maximum=math.inf, **more)


METRICS = (
    metric_of(
        r2_score,
        "share of the variance that the predictions explain; 0: as good as the mean",
        "Wright 1921",
        needs="numbers",
        minimum=-math.inf,
        aliases=("r2",),
        from_rows=_r2,
    ),
    _error(
        root_mean_squared_error,
        "root of the mean squared error, in the target's units",
        "Gauss 1809",
        aliases=("rmse",),
        from_rows=_rmse,
    ),
    _error(
        mean_absolute_error,
        "mean of the absolute errors, in the target's units",
        "Laplace 1774",
        aliases=("mae",),
        from_rows=_mae,
    ),
    _error(
        median_absolute_error,
        "median of the absolute errors, in the target's units",
        "Gauss 1816",
        aliases=("medae",),
        from_rows=_median,
    ),
    _error(
        mean_pinball_loss,
        "mean loss of a predicted quantile, in the target's units",
        "Koenker & Bassett 1978",
        aliases=("pinball_loss", "pinball"),
        from_rows=_pinball,
    ),
    _error(
        mean_poisson_deviance,
        "mean deviance (twice the half deviance) of predicted counts or rates",
        "McCullagh & Nelder 1989",
        aliases=("poisson_deviance",),
        from_rows=_poisson,
    ),
)
