"""The MONK's problems: three logical rules on six nominal features.

What
    Every row is computed on request. Features declare all their values, also those that do not
    occur in a sample.
Source
    Thrun et al. (1991), "The MONK's Problems", CMU-CS-91-197.
Complexity
    O(rows).
"""

from __future__ import annotations

from itertools import product

import numpy as np

from .._checks import check_whole, checked, generator_of, one_value, shown
from .._checks.aliases import Seed
from ..table import Table
from .label_tables import flip_labels, table_of_codes

_MONKS_VALUES = (3, 3, 2, 3, 4, 2)
"""Number of values of each feature."""


@checked(problem=one_value)
def make_monks(
    problem: int = 1,
    n_samples: int | None = None,
    *,
    flip: float = 0.0,
    replace: bool = False,
    random_state: Seed = None,
) -> Table:
    """One of the three MONK's problems (Thrun et al. 1991), on robots of six nominal features.

    Problem 1: a1 = a2 or a5 = 1. Problem 2: exactly two of the six features have their first value.
    Problem 3: (a5 = 3 and a4 = 1) or (a5 != 4 and a2 != 3).

    Args:
        problem: 1, 2 or 3.
        n_samples: rows drawn at random from the 432 (the original training sets had 124, 169 and
            122 rows); None: all 432, in lexicographic order.
        flip: probability that a label is inverted (the original training set of problem 3 has 5 %).
        replace: draw with replacement.
        random_state: seed or Generator.

    Examples:
        >>> [int((make_monks(p).y == 1).sum()) for p in (1, 2, 3)]
        [216, 142, 228]
    """
    if problem not in (1, 2, 3):
        raise ValueError(
            f"problem={shown(problem)} is not one of the three MONK's problems; use 1, 2 or 3"
        )
    rng = generator_of(random_state)
    rows = np.array(list(product(*(range(1, v + 1) for v in _MONKS_VALUES))))
    if n_samples is not None:
        n_samples = check_whole("n_samples", n_samples, 1)
        if not replace and n_samples > len(rows):
            raise ValueError(f"n_samples={n_samples} is more than the 432 robots; use replace=True")
        rows = rows[rng.choice(len(rows), size=n_samples, replace=replace)]
    a1, a2, _, a4, a5, _ = rows.T
    if problem == 1:
        classes = (a1 == a2) | (a5 == 1)
    elif problem == 2:
        classes = (rows == 1).sum(axis=1) == 2
    else:
        classes = ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3))
    codes = flip_labels(classes.astype(np.int64), flip, rng)
    levels = {f"a{j + 1}": range(1, v + 1) for j, v in enumerate(_MONKS_VALUES)}
    all_levels = {**levels, "class": range(2)}
    return table_of_codes(f"monks-{problem}", all_levels, [*(rows - 1).T, codes])
