"""`RareClass`: the smallest class where the accuracy says little about it.

    recall = TP / (TP + FN)     precision = TP / (TP + FP)     0/0 = 0

O(rows).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.words import counted, some_of
from .f_measures import ratio

RARE = 0.10
"""Share of the rows below which the smallest class is rare."""

LEAST_RARE = 5
"""Rows of a class from which on its recall and precision say something."""


def few_rows(counts: np.ndarray, classes: Sequence[Any]) -> str:
    """A sentence on the classes with fewer than five rows, from the rows of each class, shape
    (n_classes,); "" without any.

    Examples:
        >>> few_rows(np.array([95, 3]), ["no", "yes"])
        "Classes with fewer than five rows: 'yes' (3 rows); a tree cannot learn them: join ..."
    """
    small = [
        f"{label!r} ({counted(count, 'row')})"
        for label, count in zip(classes, counts.tolist(), strict=True)
        if 0 < count < LEAST_RARE
    ]
    what = "Classes with fewer than five rows"
    remedy = "a tree cannot learn them: join them with others, or leave their rows out."
    return f"{what}: {some_of(small)}; {remedy}" if small else ""


class RareClass(NamedTuple):
    """The smallest class, of less than a tenth of the rows and less than half of an equal share.
    The accuracy says little about such a class; recall and precision are shown beside it."""

    code: int
    label: Any
    share: float
    n_classes: int

    @classmethod
    def of(cls, counts: np.ndarray, classes: Sequence[Any]) -> RareClass | None:
        """The rare class of numbers of rows by class, shape (n_classes,); None without one: its
        share is below a tenth, and below half of an equal share.

        Examples:
            >>> RareClass.of(np.array([95, 5]), ["no", "yes"])
            RareClass(code=1, label='yes', share=0.05, n_classes=2)
        """
        smallest = int(np.where(counts > 0, counts, counts.max() + 1).argmin())
        share = float(counts[smallest] / counts.sum())
        is_rare = share < min(RARE, 0.5 / len(counts))
        return cls(smallest, classes[smallest], share, len(counts)) if is_rare else None

    def found(self, truth: np.ndarray, predicted: Any) -> dict[str, float]:
        """Recall and precision of the class, in [0, 1], from codes of all classes, shape (n_rows,).
        0 where no row has, or none is predicted to have, the class."""
        own, said = truth == self.code, np.asarray(predicted) == self.code
        hits = np.float64(np.count_nonzero(own & said))
        return {
            "recall": float(ratio(hits, np.float64(np.count_nonzero(own)))),
            "precision": float(ratio(hits, np.float64(np.count_nonzero(said)))),
        }

    def head(self) -> str:
        """How many rows are of the class.

        Examples:
            >>> RareClass(1, "yes", 0.05, 2).head()
            "Only 5.0 % of the rows are 'yes'"
        """
        return f"Only {100 * self.share:.1f} % of the rows are {self.label!r}"

    def sentence(self, recall: float, precision: float) -> str:
        """A sentence on recall and precision of the class.

        Examples:
            >>> RareClass(1, "yes", 0.05, 2).sentence(0.4, 0.5)
            "Only 5.0 % of the rows are 'yes': 40.0 % of these are found (recall), and ..."
        """
        return (
            f"{self.head()}: {100 * recall:.1f} % of these are found (recall), and "
            f"{100 * precision:.1f} % of those called so are (precision)."
        )

    def proposals(self) -> list[tuple[str, str]]:
        """Metrics to compare trees by, in Python and in a shell.

        Examples:
            >>> RareClass(1, "yes", 0.05, 2).proposals()[0]
            ("'f_beta'", 'f_beta')
        """
        if self.n_classes > 2:
            return [("'balanced_accuracy'", "balanced_accuracy")]
        # Missing a row of the class costs ten times a false alarm.
        matrix = [[0, 1], [10, 0]] if self.code == 1 else [[0, 10], [1, 0]]
        scorer = "fasttree.metrics.Scorer"
        costs = (
            f"{scorer}('expected_cost', cost_matrix={matrix})",
            f"'expected_cost(cost_matrix={matrix})'",
        )
        if self.code == 1:
            return [("'f_beta'", "f_beta"), costs]
        shell = f"'f_beta(positive={self.label})'"
        return [(f"{scorer}('f_beta', positive={self.label!r})", shell), costs]
