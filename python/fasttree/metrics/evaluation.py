"""`Evaluation` and `RegressionEvaluation`: the measures of predictions on labelled rows, in the
layout of Weka, as text, as HTML in a notebook, and as plain values.

Predictions of classes have accuracy, kappa, information reward, the measures of every class, and
the confusion matrix. Among the measures of predicted numbers are:

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

from .._checks.plain_text import one_line
from .._checks.words import counted
from ..exports.tables.html import html_table
from ..exports.tables.text import columns_text
from . import number_errors as errors
from .agreement import cohen_kappa
from .confusion import confusion_counts
from .cost import costs_in_words, expected_cost_from_confusion
from .information import bayesian_information_reward
from .labels import encode_pair
from .over_groups import MeanOverGroups
from .per_class import COLUMNS, per_class
from .rare import RareClass
from .summary import Summary, rounded


class Evaluation(Summary):
    """Measures of predictions.

    Args:
        y_true, y_pred: labels, shape (n_rows,); None among predictions: unclassified.
        proba: class probabilities, shape (n_rows, n_classes), in the order of `classes`.
        classes: the class labels in order.
        prior: class shares that the information reward refers to, shape (n_classes,).
        groups: the group of each row (a patient, a site), shape (n_rows,); None: rows are
            independent.
        cost_matrix: costs, true class by predicted class, shape (n_classes, n_classes); None: the
            mean cost is not computed.

    Attributes:
        accuracy, kappa, n_rows, right: as printed.
        information_reward: bits a row (Hope & Korb 2004); minus infinity where a row's class had
            probability 0.
        ruled_out: rows whose class had probability 0.
        majority: share of the most frequent class among the rows, and `majority_class` its label.
        rare: the smallest class, where it has less than a tenth of the rows (`label`, `share`), and
            `rare_found` its recall and precision; None without one.
        mean_cost: mean cost of a prediction under the cost matrix; None without one.
        confusion: shape (n_classes, n_classes + 1), true by predicted, the last column
            unclassified.
        classes, per_class: the labels, and the measures of each.
        over_groups: accuracy with its standard error over groups, and the accuracy of each group
            (`fasttree.metrics.MeanOverGroups`); None without groups.

    Examples:
        >>> import fasttree
        >>> found = fasttree.fit("iris", max_depth=2).evaluate("iris")
        >>> found.right, round(found.kappa, 2), found.confusion[1].tolist()
        (144, 0.94, [0, 49, 1, 0])
    """

    def __init__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        proba: Any,
        classes: Sequence[Any],
        prior: Any,
        *,
        groups: Sequence[Any] | None = None,
        cost_matrix: Any = None,
    ) -> None:
        codes, predicted, labels = encode_pair(y_true, y_pred, classes)
        self.classes = tuple(labels)
        self.confusion = confusion_counts(codes, predicted, len(labels))
        self.n_rows = len(codes)
        self.right = int((codes == predicted).sum())
        self.accuracy = self.right / self.n_rows
        self.kappa = float(cohen_kappa.from_confusion(self.confusion[None])[0])
        self.unclassified = int((predicted < 0).sum())
        counts = np.bincount(codes, minlength=len(labels))
        self.majority_class = self.classes[int(counts.argmax())]
        self.majority = float(counts.max()) / self.n_rows
        self.rare = RareClass.of(counts, self.classes)
        self.rare_found = {} if self.rare is None else self.rare.found(codes, predicted)
        self.mean_cost: float | None = None
        self._costs = ""
        if cost_matrix is not None:
            cost = expected_cost_from_confusion(self.confusion, cost_matrix=cost_matrix)
            self.mean_cost = float(cost)
            self._costs = costs_in_words(cost_matrix, self.classes)
        usable = proba is not None and self.unclassified == 0
        self.information_reward, self.ruled_out = float("nan"), 0
        if usable:
            reward = bayesian_information_reward(y_true, proba, prior=prior, classes=classes)
            self.information_reward = float(reward)
            true = np.asarray(proba)[np.arange(self.n_rows), codes]
            self.ruled_out = int((true <= 0.0).sum())
        self.over_groups = None if groups is None else MeanOverGroups.of(codes == predicted, groups)
        self.per_class = per_class(y_true, y_pred, proba if usable else None, classes=classes)

    def summary(self) -> list[tuple[str, str]]:
        """Names and values of the measures of all rows as (name, text), as `to_text` prints them,
        in their order. Shares are in percent."""
        share = 100 * self.accuracy
        rows = [
            ("Rows", f"{self.n_rows:,}"),
            ("Correctly classified", f"{self.right:,} ({share:.2f} %)"),
            (
                "Incorrectly classified",
                f"{self.n_rows - self.right - self.unclassified:,} "
                f"({100 - share - 100 * self.unclassified / self.n_rows:.2f} %)",
            ),
        ]
        if self.over_groups is not None:
            error = 100 * self.over_groups.standard_error
            n_groups = counted(len(self.over_groups.groups), "group")
            rows.append(("Standard error", f"{error:.2f} % (over {n_groups})"))
        if self.unclassified:
            rows.append(("Unclassified", f"{self.unclassified:,}"))
        rows += [
            ("Most frequent class", f"{100 * self.majority:.2f} %"),
            *([] if self.mean_cost is None else [("Mean cost", self.cost_text)]),
            ("Kappa", rounded(self.kappa)),
            ("Information reward", self._reward()),
        ]
        return rows

    @property
    def cost_text(self) -> str:
        """The mean cost per row with four digits, and the cost matrix in words; "" without a
        matrix."""
        return "" if self.mean_cost is None else f"{self.mean_cost:.4g} ({self._costs})"

    @property
    def rare_text(self) -> str:
        """A sentence on recall and precision of the rare class; "" if no class is rare."""
        return "" if self.rare is None else self.rare.sentence(**self.rare_found)

    def _reward(self) -> str:
        """The information reward in words."""
        if not np.isneginf(self.information_reward):
            return f"{rounded(self.information_reward)} bits a row"
        rows = counted(self.ruled_out, "row")
        return f"minus infinity: the class of {rows} had probability 0 (see leaf_smoothing)"

    def _matrix(self) -> tuple[list[str], list[list[str]]]:
        labels = list(map(str, self.classes))
        header = ["true class", *labels, *(["unclassified"] if self.unclassified else [])]
        counts = self.confusion[:, : len(header) - 1].astype(int)
        rows = [[label, *map(str, row)] for label, row in zip(labels, counts.tolist(), strict=True)]
        return header, rows

    def to_dict(self) -> dict[str, Any]:
        """The measures as plain values, ready for JSON: shares in [0, 1], the classes, and the
        confusion matrix as lists. Measures of single classes are in `per_class`."""
        return {
            "rows": self.n_rows,
            "accuracy": self.accuracy,
            **self.beside_accuracy(),
            "kappa": self.kappa,
            "information_reward": self.information_reward,
            "unclassified": self.unclassified,
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
            **({} if self.over_groups is None else {"over_groups": asdict(self.over_groups)}),
        }

    def beside_accuracy(self) -> dict[str, Any]:
        """Values that put the accuracy into context, as plain values: the most frequent class, the
        rare one with its recall and precision, and the mean cost."""
        facts = {"majority_class": self.majority_class, "majority": self.majority}
        if self.rare is not None:
            facts |= {"rare_class": self.rare.label, "rare_share": self.rare.share}
            facts |= self.rare_found
        return facts if self.mean_cost is None else {**facts, "mean_cost": self.mean_cost}

    def to_text(self) -> str:
        """The measures as aligned text: the measures of all rows, a table by class, and the
        confusion matrix."""
        by_class = _aligned(["class", *COLUMNS, "rows"], self.per_class.cells())
        parts = (super().to_text(), by_class, "", "Confusion matrix", _aligned(*self._matrix()), "")
        return "\n".join(parts)

    def __repr__(self) -> str:
        return (
            f"Evaluation: {counted(self.n_rows, 'row')}, accuracy {self.accuracy:.4f}, kappa "
            f"{self.kappa:.4f}"
        )

    def _repr_html_(self) -> str:
        header, matrix = self._matrix()
        columns, rules = ["class", *COLUMNS, "rows"], (len(self.classes),)
        by_class = html_table(columns, self.per_class.cells(), rules=rules, styled=False)
        confusion = html_table(header, matrix, title="Confusion matrix", styled=False)
        return super()._repr_html_() + by_class + confusion


def _aligned(header: list[str], rows: list[list[str]]) -> str:
    header, *rows = [[one_line(text) for text in line] for line in [header, *rows]]
    return "\n".join(columns_text(header, rows, [False, *[True] * (len(header) - 1)]))


_CONSTANT = " (the observed numbers are all equal)"


class RegressionEvaluation(Summary):
    """Measures of predicted numbers.

    Args:
        y_true, y_pred: observed and predicted numbers, shape (n_rows,), finite.
        mean: the prediction m that the relative errors compare with; by default the mean of
            `y_true`. Weka takes the mean of the training rows.
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
        over_groups: mean absolute error with its standard error over groups, and the error of each
            group (`fasttree.metrics.MeanOverGroups`); None without groups.

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
        """Names and values of the measures of all rows as (name, text), as `to_text` prints them.
        Relative errors are in percent, the others in the target's units."""
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
        """The measures as plain values, ready for JSON; relative errors are shares, 1 where the
        model is no better than the mean."""
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
    """An error divided by the error of predicting the mean; NaN where the latter is 0."""
    return error / of_mean if of_mean > 0 else math.nan
