"""Refusal of masked NumPy arrays as labels or weights, where no value may be missing."""

from __future__ import annotations

from typing import Any

import numpy as np


def refuse_masked(name: str, values: Any) -> None:
    """Refuse an array with masked cells, by the first row that holds one.

    >>> refuse_masked("y_pred", np.ma.array([0, 1], mask=[False, True]))
    Traceback (most recent call last):
    ...
    ValueError: y_pred: row 1 is masked; drop such rows or fill them (array.filled(value))
    """
    if np.ma.is_masked(values):
        place = np.argwhere(np.ma.getmaskarray(values))[0].tolist() or [0]
        raise ValueError(
            f"{name}: row {place[0]} is masked; drop such rows or fill them (array.filled(value))"
        )
