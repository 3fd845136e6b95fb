"""Splitters: the rows of training and test parts, by scikit-learn's protocol without its import.

Base
    A splitter has ``split(X, y)``, which yields (train, test) row indices, ``get_n_splits()`` and
    ``get_params()``, and a repr that evaluates. By `n_repeats` and `n_splits` the comparison tools
    know which folds form a repetition. The folds of a seeded splitter depend on the labels and the
    seed only, so every method has the same ones. O(n log n) per repetition or less.
`StratifiedRepeatedKFold`, `FiveByTwo`: "5x10", "10x10", "5x2"
    Each repetition shuffles the rows, sorts them by class (stable) and deals them to the folds in
    turn. Within a repetition the sizes of two folds, and the counts of any class in two folds, then
    differ by at most one row. A class with fewer rows than folds is absent from some folds.
`WekaStratifiedKFold` for classes, `WekaKFold` for a number: Weka's folds, row for row
    One repetition: shuffle by Fisher-Yates from the last row down with
    java.util.Random(seed).nextInt(j + 1); for classes then move rows of one class together (Weka's
    `stratify`: each row of the class swaps into the next place, which reorders the others), and
    deal them out with stride n_splits. Cut into consecutive blocks, the first n mod n_splits one
    row longer. Repetition r uses seed r. Test rows are in Weka's order. Where agreement with Weka
    does not matter, `StratifiedRepeatedKFold` is faster.
`GroupedKFold`
    "RxK" folds that keep groups together: patients, sites, sessions. `groups` of `cross_validate`
    and `compare` is an array or the name of a column; `warn_of_split_groups` warns where a splitter
    does not keep them together.
`ContiguousKFold`: the protocol of the F-measure tree study
    With n rows, `n_folds` = 4 and a holdout, a fold has c = floor(n / 5) rows: rows 0 .. 4c - 1
    form four contiguous validation folds of c rows, each trained on the other three; rows 4c ..
    n - 1 are the test set, which is in no fold. The folds depend on the row order and are not
    stratified: use them only for data in random order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._checks import check_whole, choice, generator_of, one_of
from .._checks.aliases import MaybeArray, Seed, Task
from .._checks.data_warnings import warn_caller
from .._checks.parameters import Parameters
from .._checks.words import counted, given
from ..table.groups import group_codes
from .java_random import JavaRandom

Fold = tuple[np.ndarray, np.ndarray]
"""Training and test row indices."""


def row_count(X: Any, y: Any) -> int:
    """Return the number of rows of X (or of y, when X is None). Raises ValueError when both are
    None."""
    source = X if X is not None else y
    if source is None:
        raise ValueError("give X or y: the number of rows must be known")
    shape = getattr(source, "shape", None)
    return int(shape[0]) if shape else len(source)


def label_codes(X: Any, y: Any, name: str) -> np.ndarray:
    """Return labels as int64 codes (in any order), shape (n_rows,). If y is None, X must be a
    Table, whose class codes are returned."""
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
    """Raise ValueError when there are fewer rows than folds, as a fold would then test no row.
    `name` of the splitter begins the message."""
    if n_splits > n_rows:
        raise ValueError(
            f"{name}: {n_splits} folds need at least {counted(n_splits, 'row')}, there are "
            f"{n_rows}; use fewer folds"
        )


def folds_of_assignment(assignment: np.ndarray, n_splits: int) -> Iterator[Fold]:
    """Yield (train, test) row numbers, ascending, from the fold number of every row, shape
    (n_rows,). A fold without rows yields an empty test set."""
    for fold in range(n_splits):
        is_tested = assignment == fold
        yield np.flatnonzero(~is_tested), np.flatnonzero(is_tested)


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
        self.n_splits = check_whole("n_splits", self.n_splits, 2)
        self.n_repeats = check_whole("n_repeats", self.n_repeats, 1)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds over all repetitions. The arguments are not used; scikit-learn
        passes them."""
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
    tests. The two folds of a repetition have as many rows each, apart from one.

    >>> FiveByTwo().get_n_splits()
    10
    """
    return StratifiedRepeatedKFold(n_splits=2, n_repeats=5, random_state=random_state)


def shuffled_order(n_rows: int, seed: int) -> list[int]:
    """Return the row order after Weka's `randomize(seed)`, a Fisher-Yates shuffle from the end with
    Java's random numbers. It depends on the number of rows and the seed only."""
    order = list(range(n_rows))
    last = n_rows - 1
    for step, other in enumerate(JavaRandom(seed).next_ints(np.arange(n_rows, 1, -1)).tolist()):
        here = last - step
        order[here], order[other] = order[other], order[here]
    return order


def weka_order(codes: np.ndarray, n_splits: int, seed: int) -> np.ndarray:
    """Return the row order after Weka's `randomize(seed)` and `stratify(n_splits)`, int64, shape
    (n_rows,). Consecutive blocks of it are the test sets."""
    n_rows = len(codes)
    order = shuffled_order(n_rows, seed)
    # Group by class: from row `index` on, swap the rows of the class of the row before to the
    # front.
    labels = codes[np.array(order, dtype=np.int64)]
    index = 1
    while index < n_rows:
        same = np.flatnonzero(labels[index:] == labels[index - 1]) + index
        swapped = labels.tolist()
        for row in same.tolist():
            if row != index:
                order[index], order[row] = order[row], order[index]
                swapped[index], swapped[row] = swapped[row], swapped[index]
            index += 1
        labels = np.array(swapped, dtype=np.int64)
        index += 1
    # Deal the rows out to the folds in turn.
    grouped = np.array(order, dtype=np.int64)
    return np.concatenate([grouped[start::n_splits] for start in range(n_splits)])


@dataclass(eq=False, repr=False)
class WekaKFold(Splitter):
    """Repeated k-fold cross-validation with Weka's own folds for a numeric class, which are not
    stratified.

    Args:
        n_splits: folds per repetition, at least 2.
        n_repeats: repetitions, at least 1.
        seeds: one seed of java.util.Random per repetition; default: 1..n_repeats, as in Weka's
            Experimenter.

    Examples:
        >>> import numpy as np
        >>> cv = WekaKFold(n_splits=2, n_repeats=1)
        >>> [test.tolist() for _, test in cv.split(np.zeros((6, 1)))]
        [[4, 2, 0], [1, 5, 3]]
    """

    n_splits: int = 10
    n_repeats: int = 10
    seeds: Sequence[int] | None = None

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row indices, both in Weka's order.

        Raises:
            ValueError: fewer rows than folds, or another number of seeds than repetitions.
        """
        n_rows = row_count(X, y)
        check_folds(self.n_splits, n_rows, type(self).__name__)
        seeds = range(1, self.n_repeats + 1) if self.seeds is None else self.seeds
        if len(seeds) != self.n_repeats:
            raise ValueError(
                f"{len(seeds)} seeds for n_repeats={self.n_repeats}; give one seed per repetition"
            )
        size, longer = divmod(n_rows, self.n_splits)
        bounds = [fold * size + min(fold, longer) for fold in range(self.n_splits + 1)]
        for seed in seeds:
            order = self._order(X, y, seed)
            for start, stop in pairwise(bounds):
                yield np.concatenate([order[:start], order[stop:]]), order[start:stop]

    def _order(self, X: Any, y: MaybeArray, seed: int) -> np.ndarray:
        """The order of the rows. Consecutive blocks of it are the test rows of the folds."""
        return np.array(shuffled_order(row_count(X, y), seed), dtype=np.int64)


class WekaStratifiedKFold(WekaKFold):
    """Repeated stratified k-fold cross-validation with Weka's own folds for a nominal class.

    `split` needs y: any labels, shape (n_rows,), or X a Table.

    Args:
        n_splits, n_repeats, seeds: as in `WekaKFold`.

    Examples:
        >>> import numpy as np
        >>> cv = WekaStratifiedKFold(n_splits=2, n_repeats=1)
        >>> [test.tolist() for _, test in cv.split(np.zeros((6, 1)), [0, 0, 0, 1, 1, 1])]
        [[4, 3, 2], [5, 1, 0]]
    """

    def _order(self, X: Any, y: MaybeArray, seed: int) -> np.ndarray:
        return weka_order(label_codes(X, y, type(self).__name__), self.n_splits, seed)


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


def warn_of_split_groups(pairs: list[Fold], codes: np.ndarray, description: str) -> None:
    """Warn where a fold trains and tests on rows of one group, since its score is then too good for
    new groups. One fold is enough; the warning counts its groups."""
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
        self.n_splits = self.n_folds = check_whole("n_folds", self.n_folds, 2)
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
        """Return the row numbers of the held-out test set, the last part of the rows; empty without
        a holdout."""
        return np.arange(self._bounds(n_rows)[-1], n_rows)

    def training_rows(self, n_rows: int) -> np.ndarray:
        """Return the row numbers of all folds together: the rows before the holdout."""
        return np.arange(self._bounds(n_rows)[-1])

    def split(self, X: Any, y: MaybeArray = None, groups: Any = None) -> Iterator[Fold]:
        """Yield (train, test) row numbers of each fold, in row order. Rows of the holdout are in
        neither; y and groups are not used."""
        bounds = self._bounds(row_count(X, y))
        rows = np.arange(bounds[-1])
        for start, stop in pairwise(bounds.tolist()):
            yield np.concatenate([rows[:start], rows[stop:]]), rows[start:stop]
