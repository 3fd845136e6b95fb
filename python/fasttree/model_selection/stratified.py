"""Repeated stratified k-fold cross-validation, fast and seeded: "5x10", "10x10", "5x2".

Each repetition shuffles the rows, sorts them by class (stable) and deals them to the folds in turn.
Within a repetition the sizes of two folds, and the counts of any class in two folds, then differ by
at most one row. A class with fewer rows than folds is absent from some folds. O(n log n) per
repetition, in NumPy. For agreement with Weka use `WekaStratifiedKFold`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import generator_of
from .._checks.aliases import MaybeArray, Seed
from .splitter import Fold, Splitter, check_folds, folds_of_assignment, label_codes


@dataclass(eq=False, repr=False)
class StratifiedRepeatedKFold(Splitter):
    """Repeated stratified k-fold cross-validation.

    scikit-learn's `RepeatedStratifiedKFold` has 5 splits, 10 repeats and no seed by default, and
    gives other folds for the same seed. It warns of a class with fewer rows than folds, and refuses
    labels all of whose classes are that small; here such a class is absent from some folds. Labels
    may come with a Table as X.

    Args:
        n_splits: folds per repetition, at least 2.
        n_repeats: repetitions, at least 1, each with another shuffle.
        random_state: seed; the same seed gives the same folds. None draws new folds every time.

    Raises:
        ValueError: another number of folds or repetitions.

    Examples:
        >>> cv = StratifiedRepeatedKFold(n_splits=5, n_repeats=2, random_state=0)
        >>> [len(test) for _, test in cv.split([[0]] * 12, ["a"] * 6 + ["b"] * 6)]
        [3, 3, 2, 2, 2, 3, 3, 2, 2, 2]
    """

    n_splits: int = 10
    n_repeats: int = 5
    random_state: Seed = 0

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row indices in row order; `y` any labels (n,), or X a Table.

        Raises:
            ValueError: fewer rows than folds.
        """
        codes = label_codes(X, y, type(self).__name__)
        n_rows = len(codes)
        check_folds(self.n_splits, n_rows, type(self).__name__)
        draws = generator_of(self.random_state)
        fold_in_turn = np.arange(n_rows) % self.n_splits
        for _ in range(self.n_repeats):
            shuffled = draws.permutation(n_rows)
            by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
            assignment = np.empty(n_rows, dtype=np.int64)
            assignment[by_class] = fold_in_turn
            yield from folds_of_assignment(assignment, self.n_splits)


def FiveByTwo(random_state: Seed = 0) -> StratifiedRepeatedKFold:
    """Return stratified 5 x 2 cross-validation (Dietterich 1998), the folds of the 5x2cv t and F
    tests.

    >>> FiveByTwo().get_n_splits()
    10
    """
    return StratifiedRepeatedKFold(n_splits=2, n_repeats=5, random_state=random_state)
