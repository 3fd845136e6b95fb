"""The groups of rows that a caller names: an array, or a column of the rows.

O(rows).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import hashable, is_missing, shown
from .._checks.words import argument, counted, given
from .inputs import without_column
from .sources import unknown_name
from .table import Table


def taken_groups(X: Any, groups: Any, what: str = "groups") -> tuple[Any, Any]:
    """X without the column that `groups` names, and the values of this column; `what` is the
    parameter that names it, for errors.

    Anything but a name is returned as it is.

    >>> taken_groups({"a": [1, 2], "site": ["x", "y"]}, "site")
    ({'a': [1, 2]}, ['x', 'y'])
    """
    if not isinstance(groups, str):
        return X, groups
    if not isinstance(X, Table):
        return without_column(X, groups, what)
    if groups == X.target:
        raise ValueError(f"{argument(what, groups)} is the target; name another column")
    if groups not in X.feature_names:
        hint = unknown_name(groups, X.feature_names, "column of the Table")
        raise ValueError(f"{argument(what, groups)}: {hint}")
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
        raise ValueError(f"{given('groups', shown(groups))} must hold one group per row") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"groups must hold one group per row, got shape {values.shape}")
    if len(values) != n_rows:
        raise ValueError(
            f"groups has {counted(len(values), 'value')}, there are {counted(n_rows, 'row')}; give "
            "one group per row"
        )
    hashable("groups", (None if is_missing(value) else value for value in values.tolist()))
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
        raise ValueError("groups: all rows are of one group, which cannot be divided")
    try:  # scikit-learn numbers groups in sorted order
        order = sorted(seen)
    except TypeError:
        return codes
    places = {value: place for place, value in enumerate(order)}
    return np.array([places[value] for value in seen], dtype=np.int64)[codes]
