"""The mean of a measure over rows, with its standard error where rows of one group belong together.

What
    Rows of one patient are alike, so errors of one group come together, and the number of groups
    says how sure a mean is, not the number of rows.
Source and equation
    The ratio estimator of a sample of clusters (Cochran, Sampling Techniques, 3rd edition, 1977,
    section 11.7): with r_g the sum and n_g the number of rows of group g, m = sum r_g / sum n_g,
    and its standard error is sqrt(G / (G - 1) sum (r_g - m n_g)^2) / sum n_g for G groups.
Complexity
    O(rows).
When not to use it
    With few groups (below about ten), where the standard error itself is rough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._checks import as_list


@dataclass(frozen=True)
class MeanOverGroups:
    """The mean of one number per row, with its standard error over groups and the mean of each
    group.

    Attributes:
        mean: over all rows.
        standard_error: of the mean, over groups; NaN of a single group.
        groups: label -> (number of rows, mean) of each group, in the order of the labels.

    Examples:
        >>> found = MeanOverGroups.of([1, 1, 0, 0], ["a", "a", "b", "b"])
        >>> found.mean, round(found.standard_error, 3), found.groups
        (0.5, 0.5, {'a': (2, 1.0), 'b': (2, 0.0)})
    """

    mean: float
    standard_error: float
    groups: dict[Any, tuple[int, float]]

    @classmethod
    def of(cls, values: ArrayLike, groups: Sequence[Any]) -> MeanOverGroups:
        """The mean of values, shape (n_rows,), whose rows have these groups, shape (n_rows,).

        Raises:
            ValueError: another number of groups than of values, or none.
        """
        numbers = np.asarray(values, dtype=np.float64)
        groups = as_list("groups", groups)
        if len(groups) != len(numbers) or not len(numbers):
            raise ValueError(f"groups has {len(groups)} values for {len(numbers)} rows")
        place: dict[Any, int] = {}
        codes = np.array([place.setdefault(label, len(place)) for label in groups])
        rows = np.bincount(codes)
        sums = np.bincount(codes, weights=numbers)
        mean = float(numbers.mean())
        n_groups = len(rows)
        spread = float(np.sum((sums - mean * rows) ** 2))
        error = (
            float(np.sqrt(n_groups / (n_groups - 1) * spread)) / len(numbers)
            if n_groups > 1
            else float("nan")
        )
        by_label = {label: (int(rows[c]), float(sums[c] / rows[c])) for label, c in place.items()}
        try:
            order = sorted(by_label)
        except TypeError:  # labels of several types keep their order of appearance
            order = list(by_label)
        return cls(mean, error, {label: by_label[label] for label in order})
