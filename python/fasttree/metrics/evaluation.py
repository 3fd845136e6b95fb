"""`Evaluation`: the measures of a classifier on labelled rows, in the layout of Weka.

Accuracy, kappa, information reward, the measures of every class, and the confusion matrix, as text,
as HTML in a notebook, and as plain values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._checks.plain_text import one_line
from .._checks.words import counted
from ..exports.tables.html import html_table
from ..exports.tables.text import columns_text
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
        over_groups: accuracy with its standard error over groups, and that of each group
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
        """Names and values of the measures of all rows, as printed."""
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
        """The mean cost, and what the matrix says; empty without one."""
        return "" if self.mean_cost is None else f"{self.mean_cost:.4g} ({self._costs})"

    @property
    def rare_text(self) -> str:
        """What is found of the rare class; empty without one."""
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
        """The measures as plain values."""
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
        """What the accuracy is to be read with, as plain values: the most frequent class, the rare
        one with its recall and precision, and the mean cost."""
        facts = {"majority_class": self.majority_class, "majority": self.majority}
        if self.rare is not None:
            facts |= {"rare_class": self.rare.label, "rare_share": self.rare.share}
            facts |= self.rare_found
        return facts if self.mean_cost is None else {**facts, "mean_cost": self.mean_cost}

    def to_text(self) -> str:
        """The block as aligned text."""
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
