"""What a caller gives beside the rows, as an array or the name of a column: groups and exposures.

A row whose count `y` was seen over the exposure `e` (a time, area or size) has the rate `y / e` and
the weight `e`, so the mean of rows is their counts per their exposures together. A Table of rates
carries its exposures, and every fit on it, or on some of its rows, weighs by them. O(rows).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import hashable, is_missing, shown, weights_array
from .._checks.words import argument, counted, given, option, row_word
from .inputs import without_column
from .sources import unknown_name
from .table import Table
from .target import MOST, NumericTarget


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


def taken_exposure(X: Any, exposure: Any) -> tuple[Any, Any]:
    """X without the column that `exposure` names, and the values of this column.

    Anything but a name is returned as it is.

    >>> taken_exposure({"a": [1, 2], "months": [6.0, 12.0]}, "months")
    ({'a': [1, 2]}, [6.0, 12.0])
    """
    return taken_groups(X, exposure, "exposure")


def with_exposure(table: Table, exposure: Any, kept: tuple[np.ndarray, int] | None = None) -> Table:
    """The Table of the rates of a Table of counts.

    Args:
        table: rows with counts as target.
        exposure: positive numbers, shape (n_rows,), or the name of a column, which then is no
            feature.
        kept: numbers of the rows that the table has of those that exposures are given of, and how
            many these are; None where it has all.

    Raises:
        ValueError: another shape, an exposure that is not positive, or a target that is no number.

    >>> table = Table({"a": [1, 2], "months": [6.0, 12.0]}, [3, 12], task="regression")
    >>> rates = with_exposure(table, "months")
    >>> rates.feature_names, rates.numbers.tolist(), rates.exposure.tolist()
    (['a'], [0.5, 1.0], [6.0, 12.0])
    """
    table, exposure = taken_exposure(table, exposure)
    if table.task != "regression":
        raise ValueError(
            f"{option('exposure')} with classes: only counts have rates; name criterion='poisson', "
            f"or {argument('task', 'regression')}"
        )
    if table.exposure is not None:
        raise ValueError(f"{option('exposure')} twice: the Table has exposures already")
    rates = rates_of(table.numbers, exposure, kept)
    new = table.take(slice(None))
    new._target = NumericTarget(table.target or "y", rates[0])
    new.exposure, new.origin = rates[1], ""
    return new


def rates_of(
    counts: np.ndarray, exposure: Any, kept: tuple[np.ndarray, int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Counts per exposure, and the exposures, each of shape (n_rows,); see `with_exposure`."""
    given, n_given = (np.arange(len(counts)), len(counts)) if kept is None else kept
    exposures = weights_array(exposure, "exposure")
    if exposures.shape != (n_given,):
        raise ValueError(
            f"exposure has the shape {exposures.shape}, expected ({n_given},): one positive "
            "number per row"
        )
    exposures = exposures[given]
    wrong = np.flatnonzero(~((exposures > 0) & np.isfinite(exposures)))
    if len(wrong):
        raise ValueError(
            f"exposure of {row_word(given[wrong[0]])} is {exposures[wrong[0]]}: it must be a "
            "positive number; drop rows that were not exposed"
        )
    wrong = np.flatnonzero(counts < 0)
    if len(wrong):
        raise ValueError(
            f"the target of {row_word(given[wrong[0]])} is {counts[wrong[0]]:g}: with an exposure "
            "it is a count, which is not negative"
        )
    with np.errstate(over="ignore"):
        rates = counts / exposures
    wrong = np.flatnonzero(np.abs(rates) > MOST)
    if len(wrong):
        row = wrong[0]
        raise ValueError(
            f"exposure of {row_word(given[row])} is {exposures[row]}: the rate, "
            f"{counts[row]:g} / {exposures[row]:g}, leaves the range of numbers; give "
            "the exposure in larger units"
        )
    return rates, exposures
