"""`Folds`: the rows of each fold, made once from the argument `cv` and shared by all methods.

"RxK" means R repetitions of stratified K-fold, "weka" Weka's 10 x 10 folds, a number K one
repetition of K folds. For a number to predict the rows are shuffled and not stratified:
scikit-learn's `RepeatedKFold`, and Weka's folds for a numeric class. A splitter of scikit-learn's
protocol is called; a list of (train, test) pairs is checked and used as it is. Groups of rows are
passed to the splitter, and with them "RxK" keeps groups together. O(total fold sizes).
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._checks import as_list, check_whole, shown
from .._checks.aliases import CvFolds, Seed, Task
from .._checks.words import argument, given, option
from ..table.groups import group_codes
from .splitter import (
    Fold,
    GroupedKFold,
    StratifiedRepeatedKFold,
    WekaKFold,
    WekaStratifiedKFold,
    warn_of_split_groups,
)


@dataclass(frozen=True, eq=False)
class Folds:
    """Folds as index arrays.

    Attributes:
        pairs: (train, test) row indices of each fold; folds of a repetition are consecutive.
        n_repeats: repetitions, which divide the number of folds.
        description: the kind of the folds in words.
    """

    pairs: list[Fold]
    n_repeats: int = 1
    description: str = "given folds"

    @property
    def n_splits(self) -> int:
        """Number of folds per repetition, at least 1; all repetitions have as many."""
        return len(self.pairs) // self.n_repeats

    @cached_property
    def train_sizes(self) -> np.ndarray:
        """Number of training rows of each fold, int64, shape (folds,). With the test sizes it gives
        the correction of the resampled t test."""
        return np.array([len(train) for train, _ in self.pairs], dtype=np.int64)

    @cached_property
    def test_sizes(self) -> np.ndarray:
        """Number of test rows of each fold, int64, shape (folds,), by which per-row output is
        divided into folds."""
        return np.array([len(test) for _, test in self.pairs], dtype=np.int64)

    @cached_property
    def test_rows(self) -> np.ndarray:
        """Row numbers of the test rows of all folds, concatenated in the order of the folds.
        Predictions of a result have this order; with repetitions a row occurs several times."""
        return np.concatenate([test for _, test in self.pairs])

    @cached_property
    def offsets(self) -> np.ndarray:
        """Positions in `test_rows` at which the test rows of each fold begin, and their total
        number at the end, shape (folds + 1,)."""
        return np.concatenate([[0], np.cumsum(self.test_sizes)])

    @property
    def starts(self) -> np.ndarray:
        """Position in `test_rows` of the first test row of each fold, shape (folds,), as `np.split`
        and `np.add.reduceat` take them."""
        return self.offsets[:-1]

    def __getstate__(self) -> dict[str, Any]:
        """State for a file or a worker: indices in 32 bits, and no training rows where these are
        all rows but the test rows."""
        packed = [_packed(train, test) for train, test in self.pairs]
        return {"pairs": packed, "n_repeats": self.n_repeats, "description": self.description}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, pairs=[_unpacked(*pair) for pair in state["pairs"]])

    def partition_rows(self, n_rows: int) -> bool:
        """Whether the folds test each of the rows exactly once per repetition; the first repetition
        is looked at. False for a single split per repetition, which tests a part of the rows."""
        if self.n_splits < 2:
            return False
        first = self.test_rows[: self.offsets[self.n_splits]]
        return len(first) == n_rows and len(np.unique(first)) == n_rows

    def part(self, start: int, stop: int) -> Folds:
        """Folds `start` to `stop` - 1, as repetitions if they are whole ones, else as one
        repetition. All folds give the same object."""
        if stop - start == len(self.pairs):
            return self
        whole = self.n_repeats > 1 and start % self.n_splits == stop % self.n_splits == 0
        repeats = (stop - start) // self.n_splits if whole else 1
        return Folds(self.pairs[start:stop], repeats, self.description)

    @property
    def n_test_over_n_train(self) -> float:
        """Total number of test rows over total number of training rows, which the corrected
        resampled t test needs: exactly 1 / (k - 1) for k-fold cross-validation."""
        return float(self.test_sizes.sum() / self.train_sizes.sum())


def _other_rows(test: np.ndarray, n_rows: int) -> np.ndarray:
    """The rows that are not tested, ascending."""
    left = np.ones(n_rows, dtype=bool)
    left[test] = False
    return np.flatnonzero(left)


def _packed(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray | int, np.ndarray]:
    """A fold in 32 bits; the number of the training rows alone if these are all other rows, in
    ascending order."""
    n_rows = len(train) + len(test)
    is_rest = test.max() < n_rows and np.array_equal(_other_rows(test, n_rows), train)
    return len(train) if is_rest else train.astype(np.int32), test.astype(np.int32)


def _unpacked(train: np.ndarray | int, test: np.ndarray) -> Fold:
    """The fold that `_packed` has packed."""
    rows = (
        _other_rows(test, train + len(test)) if isinstance(train, int) else train.astype(np.int64)
    )
    return rows, test.astype(np.int64)


def resolve_cv(
    cv: CvFolds, random_state: Seed, task: Task = "classification", *, grouped: bool = False
) -> Any:
    """Return the splitter meant by a string or number, which keeps groups together if `grouped`;
    anything else unchanged.

    >>> resolve_cv("5x10", 3)
    StratifiedRepeatedKFold(n_splits=10, n_repeats=5, random_state=3)
    >>> resolve_cv("5x10", 3, "regression")
    RepeatedKFold(n_repeats=5, n_splits=10, random_state=3)
    """
    if isinstance(cv, str):
        if cv == "weka" and grouped:
            raise ValueError(
                f"{argument('cv', 'weka')} with {option('groups')}: Weka has no folds that keep "
                f"groups together; use {argument('cv', '1x10')}"
            )
        if cv == "weka":
            return WekaKFold() if task == "regression" else WekaStratifiedKFold()
        match = re.fullmatch(r"(\d+)\s*[x×]\s*(\d+)", cv)
        if not match or int(match[1]) < 1 or int(match[2]) < 2:
            raise ValueError(
                f"{given('cv', shown(cv))} is not known; use '5x10' (repetitions x folds), "
                "'10x10', '5x2', 'weka', a splitter or folds"
            )
        return _repeated(int(match[2]), int(match[1]), random_state, task, grouped)
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        return _repeated(check_whole("cv", cv, 2), 1, random_state, task, grouped)
    if not hasattr(cv, "split") or isinstance(cv, bytes | type):
        cv = as_list("cv", cv)
    return cv


def _repeated(n_splits: int, n_repeats: int, random_state: Seed, task: Task, grouped: bool) -> Any:
    """Repeated K-fold: of groups, stratified by class, or of a regression shuffled."""
    if grouped:
        return GroupedKFold(n_splits, n_repeats, random_state, task)
    if task == "classification":
        return StratifiedRepeatedKFold(n_splits, n_repeats, random_state)
    from sklearn.model_selection import RepeatedKFold

    if isinstance(random_state, np.random.Generator):
        random_state = np.random.RandomState(random_state.bit_generator)
    elif isinstance(random_state, (int, np.integer)):
        random_state = int(random_state) % 2**32  # the seeds that scikit-learn takes
    return RepeatedKFold(n_splits=n_splits, n_repeats=n_repeats, random_state=random_state)


def _checked(pair: Any, fold: int, n_rows: int) -> Fold:
    """The (train, test) row indices of a fold; masks become indices."""
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise ValueError(f"cv: fold {fold} is not a pair (train, test) of row indices") from None
    checked = []
    for part, rows in (("train", train), ("test", test)):
        indices = np.asarray(rows)
        if indices.dtype == bool and indices.shape == (n_rows,):
            indices = np.flatnonzero(indices)
        if indices.ndim != 1 or len(indices) == 0:
            raise ValueError(f"cv: fold {fold} has no {part} rows; give a 1-D array of row indices")
        if indices.dtype.kind not in "iu":
            raise ValueError(
                f"cv: fold {fold}: {part} holds {indices.dtype} values, row indices are integers"
            )
        indices = np.ascontiguousarray(indices, dtype=np.int64)
        if indices.min() < 0 or indices.max() >= n_rows:
            bad = int(indices[(indices < 0) | (indices >= n_rows)][0])
            raise ValueError(
                f"cv: fold {fold}: {part} row {bad} does not exist, there are {n_rows} rows "
                "(0-based)"
            )
        checked.append(indices)
    return checked[0], checked[1]


def _split(cv: Any, splitter: Any, target: np.ndarray, codes: np.ndarray | None) -> list[Any]:
    """The folds of a splitter; an error names `cv`, and asks for groups where it needs them."""
    rows = np.empty((len(target), 1), dtype=np.int8)
    try:
        with warnings.catch_warnings():  # `warn_of_split_groups` says more
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            return list(splitter.split(rows, target, *(() if codes is None else (codes,))))
    except Exception as error:  # of any splitter
        why = f": {error}"
        if codes is None and "groups" in str(error):
            why = (
                f" divides by groups of rows: pass {option('groups')}, an array with one group per "
                "row or the name of a column"
            )
        raise ValueError(f"{given('cv', shown(cv))}{why}") from error


def make_folds(
    cv: CvFolds,
    target: np.ndarray,
    random_state: Seed,
    task: Task = "classification",
    groups: Any = None,
) -> Folds:
    """Return the folds of a value of `cv`.

    Args:
        cv: as in `cross_validate`.
        target: class codes or numbers, shape (n_rows,).
        random_state: seed of the folds that a string or number means.
        task: whether the target has classes.
        groups: the group of each row, shape (n_rows,), which the splitter gets; or None.

    Raises:
        ValueError: more folds than rows, an empty fold, a row that does not exist, an unknown
            text, or no groups for a splitter that needs them.
    """
    if isinstance(cv, Folds):  # made before, for other methods
        return cv
    # The pairs of a splitter, or the given pairs.
    n_rows = len(target)
    codes = None if groups is None else group_codes(groups, n_rows)
    splitter = resolve_cv(cv, random_state, task, grouped=codes is not None)
    n_repeats = int(getattr(splitter, "n_repeats", 1) or 1)
    if hasattr(splitter, "split"):
        pairs = _split(cv, splitter, target, codes)
        description = cv if isinstance(cv, str) else getattr(cv, "description", repr(splitter))
        if isinstance(splitter, GroupedKFold):
            description = f"{splitter.n_repeats}x{splitter.n_splits} by groups"
    else:
        pairs, n_repeats = as_list("cv", splitter), 1
        description = f"{len(pairs)} given folds"
    if not pairs:
        raise ValueError("cv: there are no folds")
    # Our own splitters need no check; others may give fewer folds than their repetitions say.
    if not isinstance(splitter, (StratifiedRepeatedKFold, WekaKFold)):
        pairs = [_checked(pair, fold, n_rows) for fold, pair in enumerate(pairs)]
    if codes is not None:
        warn_of_split_groups(pairs, codes, description)
    if len(pairs) % n_repeats:
        n_repeats = 1
    return Folds(pairs, n_repeats, description)
