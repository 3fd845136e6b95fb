"""Splits for learning curves: a random test set, then training sets of growing size from the rest.

Each repetition draws the share `test_size` of the rows for testing (stratified by default) and,
from the others, training sets of every size without replacement. Sizes between 0 and 1 are shares
of the training rows, integers are numbers of rows. Folds are ordered by repetition, then by size.
O(n) per split. A small training set may lack a rare class, as a small sample would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._checks import as_float, checked, generator_of, listing, number_in, random_seed, shown, whole
from .._checks.aliases import MaybeArray, Seed
from .splitter import Fold, Splitter, label_codes, row_count


class LearningCurveSplit(Splitter):
    """Random test sets with training sets of growing size.

    Parameters
    ----------
    train_sizes : sequence of float or int
        Shares of the training part (0 < share <= 1, floats) or numbers of rows (integers).
    test_size : float, default 0.1
        Share of the rows drawn for testing.
    n_repeats : int, default 100
        Repetitions.
    stratify : bool, default True
        Draw the test set class by class in proportion; needs y.
    nested : bool, default True
        A larger training set contains the smaller ones of its repetition.
    random_state : int, default 0
        Seed.

    Examples
    --------
    >>> cv = LearningCurveSplit(train_sizes=(0.5, 1.0), n_repeats=2)
    >>> [(len(train), len(test)) for train, test in cv.split([[0]] * 20, [0, 1] * 10)]
    [(9, 2), (18, 2), (9, 2), (18, 2)]
    """

    @checked(
        train_sizes=listing,
        test_size=number_in(0.0, 1.0, above=True, below=True),
        n_repeats=whole(1),
        random_state=random_seed,
    )
    def __init__(
        self,
        train_sizes: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 1.0),
        *,
        test_size: float = 0.1,
        n_repeats: int = 100,
        stratify: bool = True,
        nested: bool = True,
        random_state: Seed = 0,
    ) -> None:
        if not len(train_sizes):
            raise ValueError("train_sizes is empty; give at least one share or number of rows")
        self.train_sizes = train_sizes
        self.test_size = test_size
        self.n_repeats = n_repeats
        self.stratify = stratify
        self.nested = nested
        self.random_state = random_state

    @property
    def n_splits(self) -> int:  # type: ignore[override]
        """The number of training sizes of a repetition."""
        return len(self.train_sizes)

    def row_sizes(self, n_rows: int) -> list[int]:
        """Return the training sizes in rows for a set of `n_rows`, in the order given; at least 1
        each."""
        part = n_rows - self._n_test(n_rows)
        sizes = []
        for size in self.train_sizes:
            if not 0 < (as_float(size) or 0.0) < 2**63:
                raise ValueError(
                    f"train_sizes: {shown(size)} must be above 0 and at most 1 (a share), or an "
                    "integer (rows)"
                )
            rows = int(size) if isinstance(size, (int, np.integer)) else round(float(size) * part)
            if isinstance(size, (int, np.integer)) and not 1 <= rows <= part:
                raise ValueError(
                    f"train_sizes: {size} rows asked for, the training part has {part}"
                )
            if not isinstance(size, (int, np.integer)) and not 0.0 < size <= 1.0:
                raise ValueError(
                    f"train_sizes: {size!r} must be above 0 and at most 1 (a share), or an integer "
                    "(rows)"
                )
            sizes.append(max(1, rows))
        return sizes

    def _n_test(self, n_rows: int) -> int:
        """Rows of a test set."""
        if not 0.0 < self.test_size < 1.0:
            raise ValueError(f"test_size={self.test_size!r} must be between 0 and 1")
        n_test = max(1, round(self.test_size * n_rows))
        if n_test >= n_rows:
            raise ValueError(
                f"test_size={self.test_size!r} leaves none of {n_rows} rows for training"
            )
        return n_test

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row indices in row order; repetition by repetition, sizes inside."""
        codes = label_codes(X, y, type(self).__name__) if self.stratify else None
        n_rows = row_count(X, y)
        n_test = self._n_test(n_rows)
        sizes = self.row_sizes(n_rows)
        draws = generator_of(self.random_state)
        for _ in range(self.n_repeats):
            order = draws.permutation(n_rows)
            if codes is not None:
                # Every (n / n_test)-th row of the rows sorted by class, from a random one on.
                by_class = order[np.argsort(codes[order], kind="stable")]
                chosen = (np.arange(n_test) * n_rows + draws.integers(n_rows)) // n_test % n_rows
                in_test = np.zeros(n_rows, dtype=bool)
                in_test[by_class[chosen]] = True
                rest = order[~in_test[order]]
                test = np.flatnonzero(in_test)
            else:
                test, rest = np.sort(order[:n_test]), order[n_test:]
            for size in sizes:
                pick = rest if self.nested else draws.permutation(rest)
                yield np.sort(pick[:size]), test
