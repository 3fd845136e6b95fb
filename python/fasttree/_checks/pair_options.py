"""Options of the criteria on pairs of rows: the weights of the four cases, and names of decays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import as_float, shown
from .words import given

DECAYS = ("exponential", "power", "threshold", "identical", "uniform")
"""Names of the functions that give the weight of a pair of rows by its distance."""


def four_weights(value: Any, name: str = "theta") -> tuple[float, float, float, float]:
    """The weights of the four cases, each in [0, 1].

    >>> four_weights((1, 1, 0.5, True))
    Traceback (most recent call last):
    ...
    ValueError: theta[3]=True is not a number: theta[3] must lie in [0, 1]
    """
    cells = list(value) if np.iterable(value) and not isinstance(value, str | bytes) else []
    if len(cells) != 4:
        raise ValueError(
            f"{given(name, shown(value))}: {name.rsplit(': ', maxsplit=1)[-1]} holds four weights "
            "in [0, 1], one per case"
        )
    weights = []
    for case, weight in enumerate(cells):
        number = as_float(weight)
        if number is None or not 0 <= number <= 1:
            what = "" if number is not None else " is not a number"
            own = f"{name.rsplit(': ', maxsplit=1)[-1]}[{case}]"
            raise ValueError(f"{name}[{case}]={shown(weight)}{what}: {own} must lie in [0, 1]")
        weights.append(number)
    a, b, c, d = weights
    return a, b, c, d


def several_fours(value: Any, name: str = "theta") -> list[tuple[float, float, float, float]]:
    """Four weights, or a list of such fours, as a list of fours; see `four_weights` for their
    checks. A user may sweep over several `theta` at once, and one alone becomes a list of length 1.

    >>> several_fours((1, 1, 0, 0)), len(several_fours(np.eye(4)))
    ([(1.0, 1.0, 0.0, 0.0)], 4)
    """
    cells = list(value) if np.iterable(value) and not isinstance(value, str | bytes) else []
    listed = cells and all(
        np.iterable(cell) and not isinstance(cell, str | bytes) for cell in cells
    )
    return [four_weights(four, name) for four in (cells if listed else [value])]
