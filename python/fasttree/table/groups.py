"""Groups of rows that belong together (patients, sites, sessions), as codes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from .._checks import is_missing, refuse_unhashable, shown
from .._checks.words import counted, given


def group_codes(groups: Any, n_rows: int) -> np.ndarray:
    """The group of each row as a code: 0 for the least label, 1 for the next one, and so on.

    Args:
        groups: one label per row, shape (n_rows,) or (n_rows, 1).
        n_rows: number of rows.

    Returns:
        int64, shape (n_rows,).

    Raises:
        ValueError: another shape, a row without a label, or one label for all rows.
        TypeError: a label that cannot be hashed, such as a list.

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
    labels = values.tolist()
    for row, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(
                f"groups: row {row} (counted from 0) has no group; give it one, or leave the row "
                "out"
            )
    refuse_unhashable("groups", labels)
    different = dict.fromkeys(labels)
    if len(different) < 2:
        raise ValueError("groups: all rows are of one group, which cannot be divided")
    # scikit-learn numbers sorted labels; labels of several types are numbered as they come.
    with suppress(TypeError):
        different = dict.fromkeys(sorted(different))
    code_of = {label: code for code, label in enumerate(different)}
    return np.array([code_of[label] for label in labels], dtype=np.int64)
