"""Rows in the order of time: places of dates and numbers, and folds that test later rows.

What
    `places_in_time` ranks the values of a column; of folds in this order each trains on earlier
    rows and tests on the next ones (scikit-learn's `TimeSeriesSplit`).
Complexity
    O(n log n); a text is read once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks import is_missing, shown
from .._checks.words import data_row, given
from ..table.date_texts import infer_date_order, moment_of
from .folds import Folds

_YEAR = re.compile(r"\d{4}")


def places_in_time(
    cells: Sequence[Any] | np.ndarray, said: str, numbers: np.ndarray | None = None
) -> np.ndarray:
    """Places in time of values: numbers, or dates in any order of day, month and year that they
    show.

    Args:
        cells: the values, shape (n_rows,).
        said: the argument that names them, for errors.
        numbers: numbers of the rows in their file, for errors; None: their places.

    Returns:
        Numbers that ascend with time, equal for equal values, shape (n_rows,).

    Raises:
        ValueError: a missing value, or values without a certain order.

    Examples:
        >>> places_in_time(["31.12.2023", "1.2.2024", "31.12.2023"], "day").tolist()
        [0, 1, 0]
    """
    values = [*cells]
    gap = next((row for row, value in enumerate(values) if is_missing(value)), None)
    if gap is not None:
        row = gap if numbers is None else int(numbers[gap])
        raise ValueError(f"{said}: {data_row(row)} has no value; give it one, or leave the row out")
    texts = [str(value) for value in values]
    if all(isinstance(v, (int, float, np.number)) or _YEAR.fullmatch(str(v)) for v in values):
        places = [int(v) if isinstance(v, str) else v for v in values]
        return np.unique(places, return_inverse=True)[1]
    # Dates: days beside times, or times with a zone beside others, have no certain order.
    different = list(dict.fromkeys(texts))
    order = infer_date_order(different) or "ymd"
    times = {text: moment_of(text, order) for text in different}
    moments = {one for one in times.values() if one is not None}
    odd = next((text for text, one in times.items() if one is None or one.form == "odd"), None)
    if odd is not None or len({moment.form for moment in moments}) > 1:
        first = values[texts.index(odd or different[0])]
        raise ValueError(
            f"{said}: {shown(first)} has no certain order; write numbers, or dates of a form such "
            "as 2024-12-31 or 31.12.2024 (1/2/2024 and the like where some day is above 12)"
        )
    rank: dict[Any, int] = {moment: place for place, moment in enumerate(sorted(moments))}
    return np.array([rank[times[text]] for text in texts])


def folds_by_time(cv: Any, name: str) -> Any:
    """The splitter of a number of folds of rows in the order of time ("3x10": 10).

    Examples:
        >>> folds_by_time("5", "day").n_splits
        5
    """
    match = re.fullmatch(r"(?:\d+\s*[x×]\s*)?(\d+)", str(cv))
    if match is None:
        raise ValueError(
            f"{given('cv', shown(cv))} with {given('time', name)}: give a number of folds, "
            f"{given('cv', '5')}"
        )
    from sklearn.model_selection import TimeSeriesSplit

    ordered = TimeSeriesSplit(n_splits=int(match[1]))
    vars(ordered)["description"] = f"1x{match[1]} ordered by {name}"
    return ordered


def are_by_time(folds: Folds) -> bool:
    """Whether each fold trains only on rows before its test rows.

    Examples:
        >>> are_by_time(Folds([(np.array([0, 1]), np.array([2]))]))
        True
    """
    return all(train.max() < test.min() for train, test in folds.pairs)
