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

from .._checks import (
    as_float,
    as_list,
    checked,
    choice,
    generator_of,
    number_in,
    random_seed,
    shown,
    whole_in,
)
from .._checks.aliases import MaybeArray, Seed
from .splitter import Fold, Splitter, label_codes, row_count


class LearningCurveSplit(Splitter):
    """Random test sets with training sets of growing size.

    Args:
        train_sizes: shares of the training part (0 < share <= 1, floats) or numbers of rows
            (integers).
        test_size: share of the rows drawn for testing.
        n_repeats: repetitions.
        stratify: draw the test set class by class in proportion; needs y.
        nested: a larger training set contains the smaller ones of its repetition.
        random_state: seed.

    Examples:
        >>> cv = LearningCurveSplit(train_sizes=(0.5, 1.0), n_repeats=2)
        >>> [(len(train), len(test)) for train, test in cv.split([[0]] * 20, [0, 1] * 10)]
        [(9, 2), (18, 2), (9, 2), (18, 2)]
    """

    @checked(
        train_sizes=as_list,
        test_size=number_in(0.0, 1.0, above=True, below=True),
        n_repeats=whole_in(1),
        stratify=choice(True, False),
        nested=choice(True, False),
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
        self.n_splits = len(train_sizes)
        self.test_size = test_size
        self.n_repeats = n_repeats
        self.stratify = stratify
        self.nested = nested
        self.random_state = random_state

    def row_sizes(self, n_rows: int) -> list[int]:
        """Return the training sizes in rows for a set of `n_rows`, in the order given; at least 1
        each."""
        part = n_rows - self._n_test(n_rows)
        sizes = []
        for size in self.train_sizes:
            is_count, number = isinstance(size, (int, np.integer)), as_float(size)
            if number is None or not 0 < number <= (np.inf if is_count else 1):
                raise ValueError(
                    f"train_sizes: {shown(size)} must be above 0 and at most 1 (a share), or an "
                    "integer (rows)"
                )
            if is_count and size > part:
                raise ValueError(
                    f"train_sizes: {shown(size)} rows asked for, the training part has {part}"
                )
            sizes.append(int(size) if is_count else max(1, round(number * part)))
        return sizes

    def _n_test(self, n_rows: int) -> int:
        """Rows of a test set."""
        n_test = max(1, round(self.test_size * n_rows))
        if n_test >= n_rows:
            raise ValueError(
                f"test_size={self.test_size!r} leaves none of {n_rows} rows for training"
            )
        return n_test

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row numbers, ascending: for each repetition all sizes, with one test
        set. If `nested`, each training set is part of the next larger one."""
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
