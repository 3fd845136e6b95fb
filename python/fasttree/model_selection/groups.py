"""Groups of rows that folds keep together: patients, sites, sessions.

What
    `groups` of `cross_validate` and `compare` is an array or the name of a column (`table.groups`).
    `GroupedKFold` makes the folds of "RxK" that keep groups together, and `warn_of_torn_groups`
    warns where a splitter does not.
Complexity
    One pass over the rows per fold, beside scikit-learn's splitters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import one_of
from .._checks.aliases import MaybeArray, Seed, Task
from .._checks.words import counted, given
from ..table.data_checks.warned import warn_caller
from ..table.groups import group_codes
from .splitter import Fold, Splitter, row_count


@dataclass(eq=False, repr=False)
class GroupedKFold(Splitter):
    """K folds that keep groups together, once or repeatedly.

    For classes each repetition is scikit-learn's `StratifiedGroupKFold`, for a number its
    `GroupKFold`. A single repetition is not shuffled; of several, repetition r is shuffled with
    the seed ``random_state + r``.

    Args:
        n_splits: folds per repetition, at least 2 and at most the number of groups.
        n_repeats: repetitions, at least 1.
        random_state: seed of several repetitions.
        task: whether folds are stratified by class.

    Examples:
        >>> folds = GroupedKFold(2).split(None, ["a", "b"] * 4, groups=[0, 0, 1, 1, 2, 2, 3, 3])
        >>> [test.tolist() for _, test in folds]
        [[0, 1, 4, 5], [2, 3, 6, 7]]
    """

    n_splits: int = 10
    n_repeats: int = 1
    random_state: Seed = 0
    task: Task = "classification"

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row indices, repetition by repetition.

        Raises:
            ValueError: no groups, fewer groups than folds, or an unknown task.
        """
        from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

        if groups is None:
            raise ValueError("GroupedKFold keeps groups together: pass groups=, one per row")
        codes = group_codes(groups, row_count(X, y))
        n_groups = int(codes.max()) + 1
        if self.n_splits > n_groups:
            raise ValueError(
                f"groups: {self.n_splits} folds need at least {counted(self.n_splits, 'group')}, "
                f'there are {n_groups}; use fewer folds, cv="1x{n_groups}"'
            )
        one_of("task", self.task, ("classification", "regression"))
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
                f"{given('cv', description)}: a fold trains and tests on rows of the same {torn} "
                'groups; GroupKFold, StratifiedGroupKFold or a text like "1x10" '
                "keep groups together",
                UserWarning,
            )
            return
