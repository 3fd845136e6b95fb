"""Calibration: do events predicted with probability p happen with frequency p?

The reliability curve puts rows into bins of predicted probability and compares, bin by bin, the
mean prediction with the observed frequency (Murphy & Winkler 1977).  The expected calibration error
is the bin-weighted mean gap, for the predicted class's probability when there are several classes
(Guo et al. 2017).  O(n).  The value depends on the bins; for a proper score use the Brier score,
log loss or an information reward.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._checks import check_whole, checked, one_value, row_weights, shown
from .._checks.aliases import ClassLabels, Label, MaybeArray
from .labels import encode_proba, positive_code
from .metric import metric_of

Strategy = Literal["uniform", "quantile"]


class CalibrationCurve(NamedTuple):
    """Bins that hold rows: mean predicted probability, observed frequency (both 0 to 1) and weight
    of rows."""

    predicted: np.ndarray
    observed: np.ndarray
    weight: np.ndarray


def curve_of(
    hits: np.ndarray, confidence: np.ndarray, n_bins: int, strategy: str, weights: np.ndarray | None
) -> CalibrationCurve:
    """Return the reliability curve of checked arrays: bool hits (n,), confidence (n,) in [0, 1],
    weights or None."""
    n_bins = check_whole("n_bins", n_bins, 1, 10**6)
    if strategy == "uniform":
        edges = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
    elif strategy == "quantile":
        edges = np.unique(np.quantile(confidence, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]))
    else:
        raise ValueError(f'strategy={shown(strategy)}; use "uniform" or "quantile"')
    bins = np.searchsorted(edges, confidence, side="left")
    unit = np.ones(len(confidence)) if weights is None else weights
    total = np.bincount(bins, unit, minlength=n_bins)
    kept = total > 0
    predicted = np.bincount(bins, unit * confidence, minlength=n_bins)[kept] / total[kept]
    observed = np.bincount(bins, unit * hits, minlength=n_bins)[kept] / total[kept]
    return CalibrationCurve(predicted, observed, total[kept])


@checked(positive=one_value, strategy=one_value)
def calibration_curve(
    y_true: ArrayLike,
    proba: Any,
    *,
    positive: Label | None = None,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> CalibrationCurve:
    """Return the reliability curve of one class (the last one unless `positive`); empty bins are
    left out.

    `proba` (n, k), or (n,) for two classes: then it is the probability of `positive`.  Bins are
    (lo, hi], of equal width or of equal frequency ("quantile").

    >>> calibration_curve([0, 1, 1, 1], [0.2, 0.2, 0.9, 0.9]).observed
    array([0.5, 1. ])
    >>> calibration_curve(["no", "yes"], [0.8, 0.1], positive="no").predicted
    array([0.1, 0.8])
    """
    codes, checked, labels = encode_proba(y_true, proba, classes)
    code = positive_code(labels, positive)
    column = -1 if np.ndim(proba) == 1 else code  # one column is the last one, whatever it means
    return curve_of(
        codes == code,
        checked[:, column],
        n_bins,
        strategy,
        row_weights(sample_weight, len(codes)),
    )


def calibration_error_from_rows(
    codes: np.ndarray,
    proba: np.ndarray,
    *,
    n_bins: int = 10,
    strategy: str = "uniform",
    weights: np.ndarray | None = None,
) -> float:
    """Expected calibration error, 0 to 1, of codes (n,) and probabilities (n, k), both checked
    before; arguments as in `expected_calibration_error`."""
    predicted = proba.argmax(axis=1)
    confidence = proba[np.arange(len(codes)), predicted]
    curve = curve_of(predicted == codes, confidence, n_bins, strategy, weights)
    return float(
        (np.abs(curve.predicted - curve.observed) * curve.weight).sum() / curve.weight.sum()
    )


@checked(strategy=one_value)
def expected_calibration_error(
    y_true: ArrayLike,
    proba: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    classes: ClassLabels | None = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the mean gap (0 to 1) between the predicted class's probability and how often it is
    right.

    >>> round(expected_calibration_error([0, 1, 1, 1], [0.2, 0.2, 0.9, 0.9]), 6)
    0.2
    """
    codes, checked, _ = encode_proba(y_true, proba, classes)
    weights = row_weights(sample_weight, len(codes))
    return calibration_error_from_rows(
        codes, checked, n_bins=n_bins, strategy=strategy, weights=weights
    )


METRICS = (
    metric_of(
        expected_calibration_error,
        "mean gap between confidence and accuracy over ten bins of confidence",
        "Guo et al. 2017",
        needs="proba",
        better=False,
        aliases=("calibration_error",),
        from_rows=calibration_error_from_rows,
    ),
)
