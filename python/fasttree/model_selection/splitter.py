"""The base of the splitters, and stratified folds, repeated: "5x10", "10x10", "5x2".

A splitter has ``split(X, y)``, which yields (train, test) row indices, ``get_n_splits()`` and
``get_params()``, and a repr that evaluates: scikit-learn's protocol without an import of
scikit-learn. By `n_repeats` and `n_splits` the comparison tools know which folds form a repetition.
The folds of a seeded splitter depend on the labels and the seed only, so every method has the same
ones.

Each repetition of `StratifiedRepeatedKFold` shuffles the rows, sorts them by class (stable) and
deals them to the folds in turn. Within a repetition the sizes of two folds, and the counts of any
class in two folds, then differ by at most one row. A class with fewer rows than folds is absent
from some folds. O(n log n) per repetition, in NumPy. For agreement with Weka use
`WekaStratifiedKFold`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import Parameters, generator_of, whole
from .._checks.aliases import MaybeArray, Seed
from .._checks.words import counted

Fold = tuple[np.ndarray, np.ndarray]
"""Training and test row indices."""

MOST_CELLS = 1 << 20
"""Rows times folds up to which the indices of all folds are computed at once."""


def row_count(X: Any, y: Any) -> int:
    """Return the number of rows of X (or of y, when X is None)."""
    source = X if X is not None else y
    if source is None:
        raise ValueError("give X or y: the number of rows must be known")
    shape = getattr(source, "shape", None)
    return int(shape[0]) if shape else len(source)


def label_codes(X: Any, y: Any, name: str) -> np.ndarray:
    """Return labels as int64 codes (in any order), shape (n_rows,); those of a Table, if y is
    None."""
    if y is None:
        y = getattr(X, "y_codes", None)
    if y is None:
        raise ValueError(f"{name} stratifies by class: y must be given")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must hold one label per row, got shape {labels.shape}")
    if X is not None and row_count(X, None) != len(labels):
        raise ValueError(f"X has {counted(row_count(X, None), 'row')} but y has {len(labels)}")
    # Small whole numbers are codes as they are; objects are numbered, as they may not be sortable.
    if labels.dtype.kind in "iu" and len(labels) and labels.min() >= 0 and labels.max() <= 1 << 16:
        return labels.astype(np.int64, copy=False)
    if labels.dtype == object:
        seen: dict[Any, int] = {}
        return np.array(
            [seen.setdefault(label, len(seen)) for label in labels.tolist()], dtype=np.int64
        )
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64, copy=False)


def check_folds(n_splits: int, n_rows: int, name: str) -> None:
    """Raise ValueError when there are fewer rows than folds."""
    if n_splits > n_rows:
        raise ValueError(
            f"{name}: {n_splits} folds need at least {counted(n_splits, 'row')}, there are "
            f"{n_rows}; use fewer folds"
        )


def folds_of_assignment(assignment: np.ndarray, n_splits: int) -> Iterator[Fold]:
    """Yield (train, test) in row order from the fold number of every row, shape (n,)."""
    if n_splits * len(assignment) > MOST_CELLS:
        for fold in range(n_splits):
            inside = assignment == fold
            yield np.flatnonzero(~inside), np.flatnonzero(inside)
        return
    inside = assignment == np.arange(n_splits)[:, None]
    ends = np.cumsum(np.count_nonzero(inside, axis=1)).tolist()
    test, train = np.nonzero(inside)[1], np.nonzero(~inside)[1]
    for fold, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        first, last = (len(assignment) * number for number in (fold, fold + 1))
        yield train[first - start : last - end], test[start:end]


class Splitter(Parameters):
    """Base of the splitters: parameters, repr and equality from the constructor's signature.

    Attributes:
        n_splits: folds per repetition.
        n_repeats: repetitions.
    """

    n_splits: int
    n_repeats: int = 1

    def __post_init__(self) -> None:
        """Refuse other than whole numbers, fewer than two folds and no repetition."""
        self.n_splits = whole(2)("n_splits", self.n_splits)
        self.n_repeats = whole(1)("n_repeats", self.n_repeats)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds over all repetitions."""
        return self.n_splits * self.n_repeats


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
