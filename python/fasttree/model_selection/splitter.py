"""Base of the splitters: scikit-learn's protocol without an import of scikit-learn.

A splitter has ``split(X, y)``, which yields (train, test) row indices, ``get_n_splits()`` and
``get_params()``, and a repr that evaluates. By `n_repeats` and `n_splits` the comparison tools know
which folds form a repetition. The folds of a seeded splitter depend on the labels and the seed
only, so every method has the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._checks import Parameters, whole
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
