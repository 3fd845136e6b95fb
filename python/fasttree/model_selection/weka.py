"""Weka's cross-validation folds, row for row: `WekaStratifiedKFold` for classes, `WekaKFold` for a
number.

One repetition: shuffle by Fisher-Yates from the last row down with java.util.Random(seed).nextInt(j
+ 1); for classes then move rows of one class together (Weka's `stratify`: each row of the class
swaps into the next place, which reorders the others), and deal them out with stride n_splits. Cut
into consecutive blocks, the first n mod n_splits one row longer. Repetition r uses seed r. O(n) per
repetition and class. Test rows are in Weka's order. Where agreement with Weka does not matter,
`StratifiedRepeatedKFold` is faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._checks.aliases import MaybeArray
from .java_random import JavaRandom
from .splitter import Fold, Splitter, check_folds, label_codes, row_count


def shuffled_order(n_rows: int, seed: int) -> list[int]:
    """Return the row order after Weka's `randomize(seed)`."""
    order = list(range(n_rows))
    last = n_rows - 1
    for step, other in enumerate(JavaRandom(seed).next_ints(np.arange(n_rows, 1, -1)).tolist()):
        here = last - step
        order[here], order[other] = order[other], order[here]
    return order


def weka_order(codes: np.ndarray, n_splits: int, seed: int) -> np.ndarray:
    """Return the row order after Weka's `randomize(seed)` and `stratify(n_splits)`, int64 (n,)."""
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
        """The order of the rows, of which consecutive blocks are the folds."""
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
