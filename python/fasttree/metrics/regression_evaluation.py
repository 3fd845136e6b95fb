"""`RegressionEvaluation`: the measures of predicted numbers, in the layout of Weka for a numeric
class.

    correlation             r of observed and predicted numbers (Pearson)
    relative absolute       sum |y - p| / sum |y - m|
    root relative squared   sqrt(sum (y - p)^2 / sum (y - m)^2)

The two relative errors compare with always predicting m, the mean. O(rows log(rows)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._checks.words import counted
from . import number_errors as errors
from .over_groups import MeanOverGroups
from .summary import Summary, rounded

_CONSTANT = " (the observed numbers are all equal)"


class RegressionEvaluation(Summary):
    """Measures of predicted numbers.

    Args:
        y_true, y_pred: observed and predicted numbers, shape (n_rows,), finite.
        mean: the prediction m that the relative errors compare with; by default the mean of
            `y_true`. Weka takes that of the training rows.
        groups: the group of each row (a patient, a site), shape (n_rows,); None: rows are
            independent.

    Attributes:
        observed, predicted: the numbers, float64, shape (n_rows,).
        n_rows: number of rows.
        correlation: Pearson's r, -1 to 1; NaN where either side is constant.
        r2: coefficient of determination on these rows, at most 1; where all observed numbers are
            equal 1 if all predictions are right, else 0.
        mean_absolute_error, root_mean_squared_error, median_absolute_error: in the target's units.
        relative_absolute_error, root_relative_squared_error: shares of the errors of always
            predicting `mean`, 1 where the model is no better; NaN where those errors are 0.
        mean: as given, or of `y_true`.
        over_groups: mean absolute error with its standard error over groups, and that of each group
            (`fasttree.metrics.MeanOverGroups`); None without groups.

    Raises:
        ValueError: no rows, other lengths, or a number that is missing or infinite, with its row.

    Examples:
        >>> print(RegressionEvaluation([1.0, 2.0, 3.0, 6.0], [1.0, 2.0, 4.0, 5.0]))
        Correlation coefficient       0.9297
        R2                            0.8571
        Mean absolute error           0.5000
        Median absolute error         0.5000
        Root mean squared error       0.7071
        Relative absolute error       33.3333 %
        Root relative squared error   37.7964 %
        Rows                          4
        <BLANKLINE>
    """

    width = 30

    def __init__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        mean: float | None = None,
        groups: Sequence[Any] | None = None,
    ) -> None:
        self.observed, self.predicted = errors.number_pair(y_true, y_pred)
        observed, predicted = self.observed, self.predicted
        self.n_rows = len(observed)
        self.mean = float(
            (observed if mean is None else errors.finite_numbers("mean", [mean])).mean()
        )
        flat = self.n_rows < 2 or np.ptp(observed) == 0 or np.ptp(predicted) == 0
        self.correlation = math.nan if flat else float(np.corrcoef(observed, predicted)[0, 1])
        self.r2 = math.nan if self.n_rows < 2 else errors.r2_score(observed, predicted)
        self.mean_absolute_error = errors.mean_absolute_error(observed, predicted)
        self.median_absolute_error = errors.median_absolute_error(observed, predicted)
        self.root_mean_squared_error = errors.root_mean_squared_error(observed, predicted)
        self.over_groups = (
            None if groups is None else MeanOverGroups.of(np.abs(observed - predicted), groups)
        )
        # The errors of the mean itself.
        always = np.full(self.n_rows, self.mean)
        self.relative_absolute_error = _share(
            self.mean_absolute_error, errors.mean_absolute_error(observed, always)
        )
        self.root_relative_squared_error = _share(
            self.root_mean_squared_error, errors.root_mean_squared_error(observed, always)
        )

    def summary(self) -> list[tuple[str, str]]:
        """Names and values of the measures of all rows, as printed."""
        rows = [
            ("Correlation coefficient", rounded(self.correlation, 4)),
            ("R2", rounded(self.r2, 4) + ("" if np.ptp(self.observed) else _CONSTANT)),
            ("Mean absolute error", rounded(self.mean_absolute_error, 4)),
            ("Median absolute error", rounded(self.median_absolute_error, 4)),
            ("Root mean squared error", rounded(self.root_mean_squared_error, 4)),
            ("Relative absolute error", _percent(self.relative_absolute_error)),
            ("Root relative squared error", _percent(self.root_relative_squared_error)),
            ("Rows", f"{self.n_rows:,}"),
        ]
        if self.over_groups is not None:
            error = rounded(self.over_groups.standard_error, 4)
            n_groups = counted(len(self.over_groups.groups), "group")
            rows.insert(3, ("  its standard error", f"{error} (over {n_groups})"))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The measures as plain values."""
        return {
            "rows": self.n_rows,
            "correlation": self.correlation,
            "r2": self.r2,
            "mean_absolute_error": self.mean_absolute_error,
            "median_absolute_error": self.median_absolute_error,
            "root_mean_squared_error": self.root_mean_squared_error,
            "relative_absolute_error": self.relative_absolute_error,
            "root_relative_squared_error": self.root_relative_squared_error,
            "mean": self.mean,
            **({} if self.over_groups is None else {"over_groups": asdict(self.over_groups)}),
        }

    def __repr__(self) -> str:
        return (
            f"RegressionEvaluation: {counted(self.n_rows, 'row')}, R2 {self.r2:.4f}, "
            f"mean absolute error {self.mean_absolute_error:.4g}"
        )


def _percent(share: float) -> str:
    """A share as a percentage, "-" for NaN."""
    return rounded(100 * share, 4) + ("" if math.isnan(share) else " %")


def _share(error: float, of_mean: float) -> float:
    """An error as a share of that of the mean; NaN where that is 0."""
    return error / of_mean if of_mean > 0 else math.nan
