"""Contiguous folds and held-out rows after them: the protocol of the F-measure tree study.

With n rows, `n_folds` = 4 and a holdout, a fold has c = floor(n / 5) rows: rows 0 .. 4c - 1 form
four contiguous validation folds of c rows, each trained on the other three; rows 4c .. n - 1 are
the test set, which is in no fold. The folds depend on the row order and are not stratified: use
them only for data in random order. O(n).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._checks import choice, whole
from .._checks.aliases import MaybeArray
from .splitter import Fold, Splitter, row_count


@dataclass(eq=False, repr=False)
class ContiguousKFold(Splitter):
    """Contiguous folds of equal size, and held-out rows after them.

    Args:
        n_folds: number of validation folds, at least 2.
        holdout: keep the last rows out of every fold. A fold then has floor(n / (n_folds + 1))
            rows, and `holdout_rows` returns the rows after the folds. False: the folds cover all
            rows, and the last one takes the remainder.

    Attributes:
        n_splits: `n_folds`, under the name that splitters have for it.

    Raises:
        ValueError: another number of folds, or a `holdout` that is not True or False.

    Examples:
        >>> cv = ContiguousKFold()
        >>> [test.tolist() for _, test in cv.split([[0]] * 11)]
        [[0, 1], [2, 3], [4, 5], [6, 7]]
        >>> cv.holdout_rows(11).tolist()
        [8, 9, 10]
    """

    n_folds: int = 4
    holdout: bool = True

    def __post_init__(self) -> None:
        self.n_splits = self.n_folds = whole(2)("n_folds", self.n_folds)
        choice(True, False)("holdout", self.holdout)

    def _bounds(self, n_rows: int) -> np.ndarray:
        """The first row of each fold, and the row after the last fold, (n_folds + 1,)."""
        parts = self.n_folds + self.holdout
        if n_rows < parts:
            raise ValueError(
                f"ContiguousKFold: {parts} parts need at least {parts} rows, there are {n_rows}"
            )
        bounds = np.arange(self.n_folds + 1) * (n_rows // parts)
        if not self.holdout:
            bounds[-1] = n_rows
        return bounds

    def holdout_rows(self, n_rows: int) -> np.ndarray:
        """Return the row indices of the test set (empty without a holdout)."""
        return np.arange(self._bounds(n_rows)[-1], n_rows)

    def training_rows(self, n_rows: int) -> np.ndarray:
        """Return the row indices of all folds together."""
        return np.arange(self._bounds(n_rows)[-1])

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row indices in row order; y is not used."""
        bounds = self._bounds(row_count(X, y))
        rows = np.arange(bounds[-1])
        for start, stop in pairwise(bounds.tolist()):
            yield np.concatenate([rows[:start], rows[stop:]]), rows[start:stop]
