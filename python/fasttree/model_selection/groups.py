"""Groups of rows that folds keep together: patients, sites, sessions.

What
    `groups` of `cross_validate` and `compare` is an array or the name of a column. `taken_groups`
    resolves it, `GroupedKFold` makes the folds of "RxK" that keep groups together, and
    `warn_of_torn_groups` warns where a splitter does not.
Complexity
    One pass over the rows per fold, beside scikit-learn's splitters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._checks import shown
from .._checks.aliases import MaybeArray, Seed, Task
from ..rendering.words import counted
from ..table import Table
from ..table.columns import is_missing
from ..table.doubtful import warn_caller
from ..table.inputs import without_column
from ..table.sources import unknown_name
from .splitter import Fold, Splitter, row_count

__all__ = ["GroupedKFold", "group_codes", "taken_groups", "warn_of_torn_groups"]


def taken_groups(X: Any, groups: Any) -> tuple[Any, Any]:
    """X without the column that `groups` names, and the values of this column.

    Anything but a name is returned as it is.

    >>> taken_groups({"a": [1, 2], "site": ["x", "y"]}, "site")
    ({'a': [1, 2]}, ['x', 'y'])
    """
    if not isinstance(groups, str):
        return X, groups
    if not isinstance(X, Table):
        return without_column(X, groups, "groups")
    if groups == X.target:
        raise ValueError(f"groups={groups!r} is the target of the Table; groups= is another column")
    if groups not in X.feature_names:
        raise ValueError(
            f"groups={groups!r}: {unknown_name(groups, X.feature_names, 'column of the Table')}"
        )
    return X.drop(groups), X.column(groups).labels()


def group_codes(groups: Any, n_rows: int) -> np.ndarray:
    """The group of each row as int64 codes in the order of the values, shape (n_rows,).

    Raises:
        ValueError: another number of rows, a row without a group, a single group.

    >>> group_codes(["b", "a", "b"], 3)
    array([1, 0, 1])
    """
    try:
        values = np.asarray(groups)
    except ValueError:  # lists of different lengths
        raise ValueError(f"groups={shown(groups)} must hold one group per row") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"groups must hold one group per row, got shape {values.shape}")
    if len(values) != n_rows:
        raise ValueError(
            f"groups has {counted(len(values), 'value')}, there are {counted(n_rows, 'row')}; give "
            "one group per row"
        )
    seen: dict[Any, int] = {}
    codes = np.empty(n_rows, dtype=np.int64)
    for row, value in enumerate(values.tolist()):
        if is_missing(value):
            raise ValueError(
                f"groups: row {row} (counted from 0) has no group; give it one, or leave the row "
                "out"
            )
        codes[row] = seen.setdefault(value, len(seen))
    if len(seen) < 2:
        raise ValueError("groups: all rows are of one group, which cannot be divided into folds")
    try:  # scikit-learn numbers groups in sorted order
        order = sorted(seen)
    except TypeError:
        return codes
    places = {value: place for place, value in enumerate(order)}
    return np.array([places[value] for value in seen], dtype=np.int64)[codes]


class GroupedKFold(Splitter):
    """K folds that keep groups together, once or repeatedly.

    For classes each repetition is scikit-learn's `StratifiedGroupKFold`, for a number its
    `GroupKFold`. A single repetition is not shuffled; of several, repetition r is shuffled with
    the seed ``random_state + r``.

    Parameters
    ----------
    n_splits : int, default 10
        Folds per repetition; at most the number of groups.
    n_repeats : int, default 1
        Repetitions.
    random_state : int, generator or None, default 0
        Seed of several repetitions.
    task : "classification" | "regression", default "classification"
        Whether folds are stratified by class.

    Examples
    --------
    >>> folds = GroupedKFold(2).split(None, ["a", "b"] * 4, groups=[0, 0, 1, 1, 2, 2, 3, 3])
    >>> [test.tolist() for _, test in folds]
    [[0, 1, 4, 5], [2, 3, 6, 7]]
    """

    def __init__(
        self,
        n_splits: int = 10,
        n_repeats: int = 1,
        random_state: Seed = 0,
        task: Task = "classification",
    ) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.task = task

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row indices, repetition by repetition.

        Raises ValueError for no groups, or fewer groups than folds.
        """
        from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

        if groups is None:
            raise ValueError("GroupedKFold keeps groups together: pass groups=, one per row")
        codes = group_codes(groups, row_count(X, y))
        n_groups = int(codes.max()) + 1
        if self.n_splits > n_groups:
            raise ValueError(
                f"groups: {self.n_splits} folds need at least {counted(self.n_splits, 'group')}, "
                "there are "
                f'{n_groups}; use fewer folds, cv="1x{n_groups}"'
            )
        kind = StratifiedGroupKFold if self.task == "classification" else GroupKFold
        rows = np.empty((len(codes), 1), dtype=np.int8)
        for seed in self._seeds():
            shuffling = {} if seed is None else {"shuffle": True, "random_state": seed}
            for train, test in kind(n_splits=self.n_splits, **shuffling).split(rows, y, codes):
                if len(test) == 0:
                    raise ValueError(
                        f"groups: a fold of {self.n_splits} has no rows, as the groups are few or "
                        "uneven; use fewer folds"
                    )
                yield train, test

    def _seeds(self) -> list[int | None]:
        """The seed of each repetition; None: not shuffled."""
        if self.n_repeats == 1:
            return [None]
        state = self.random_state
        if isinstance(state, (int, np.integer)):
            return [(int(state) + r) % 2**32 for r in range(self.n_repeats)]
        if isinstance(state, np.random.Generator):
            return [int(seed) for seed in state.integers(0, 2**32, self.n_repeats)]
        drawn = state if isinstance(state, np.random.RandomState) else np.random.RandomState()
        return [int(seed) for seed in drawn.randint(0, 2**31, self.n_repeats)]


def warn_of_torn_groups(pairs: list[Fold], codes: np.ndarray, description: str) -> None:
    """Warn where a fold trains and tests on rows of one group."""
    n_groups = int(codes.max()) + 1
    for fold in pairs:
        trained, tested = (np.bincount(codes[rows], minlength=n_groups) > 0 for rows in fold)
        torn = np.count_nonzero(trained & tested)
        if torn:
            warn_caller(
                f"cv={description}: a fold trains and tests on rows of the same {torn} "
                'groups; GroupKFold, StratifiedGroupKFold or a text like "1x10" keep groups '
                "together",
                UserWarning,
            )
            return
