"""Contiguous folds with a held-out rest: the protocol of the F-measure tree study.

With n rows, `n_folds` = 4 and a holdout, a fold has c = floor(n / 5) rows: rows 0 .. 4c - 1 form
four contiguous validation folds of c rows, each trained on the other three; rows 4c .. n - 1 are
the test set, which is in no fold. The folds depend on the row order and are not stratified: use
them only for data in random order. O(n).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._checks.aliases import MaybeArray
from .splitter import Fold, Splitter, row_count


class ContiguousKFold(Splitter):
    """Contiguous folds of equal size, with a held-out rest.

    Parameters
    ----------
    n_folds : int, default 4
        Number of validation folds.
    holdout : bool, default True
        Keep the last rows out of every fold. A fold then has floor(n / (n_folds + 1)) rows, and
        `holdout_rows` returns the rows after the folds. False: the folds cover all rows, and the
        last one takes the remainder.

    Examples
    --------
    >>> cv = ContiguousKFold()
    >>> [test.tolist() for _, test in cv.split([[0]] * 11)]
    [[0, 1], [2, 3], [4, 5], [6, 7]]
    >>> cv.holdout_rows(11).tolist()
    [8, 9, 10]
    """

    def __init__(self, n_folds: int = 4, holdout: bool = True) -> None:
        self.n_folds = n_folds
        self.holdout = holdout

    @property
    def n_splits(self) -> int:  # type: ignore[override]
        """The number of folds, under the name the other splitters use."""
        return self.n_folds

    def _fold_size(self, n_rows: int) -> int:
        """Rows of a fold."""
        parts = self.n_folds + bool(self.holdout)
        if self.n_folds < 2:
            raise ValueError(f"ContiguousKFold: n_folds={self.n_folds} must be at least 2")
        if n_rows < parts:
            raise ValueError(
                f"ContiguousKFold: {parts} parts need at least {parts} rows, there are {n_rows}"
            )
        return n_rows // parts

    def holdout_rows(self, n_rows: int) -> np.ndarray:
        """Return the row indices of the test set (empty without a holdout)."""
        return (
            np.arange(self._fold_size(n_rows) * self.n_folds, n_rows)
            if self.holdout
            else np.arange(0)
        )

    def training_rows(self, n_rows: int) -> np.ndarray:
        """Return the row indices of all folds together."""
        return (
            np.arange(self._fold_size(n_rows) * self.n_folds) if self.holdout else np.arange(n_rows)
        )

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row indices in row order; y is not used."""
        n_rows = row_count(X, y)
        size = self._fold_size(n_rows)
        rows = self.training_rows(n_rows)
        for fold in range(self.n_folds):
            start = fold * size
            stop = len(rows) if fold == self.n_folds - 1 else start + size
            yield np.concatenate([rows[:start], rows[stop:]]), rows[start:stop]
