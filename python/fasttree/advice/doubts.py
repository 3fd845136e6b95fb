"""What a recommendation must say beside its figure: rows in the order of time, and columns that
hold the answer.

What
    Folds at random let a tree learn from later rows. Where the rows stand in the order of a date,
    or the tree splits on the year of one, the recommended tree is judged by earlier rows as well,
    without the year (`on_later_rows`). A feature in the order of the target, or one that alone
    separates all classes, may be known only after the target is (`leaks`).
Complexity
    O(n log n) per date and numeric feature, and five fits of one tree.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._checks.speech import argument
from ..model_selection import cross_validate
from ..model_selection.folds import make_folds
from ..model_selection.ordered import folds_by_time, places_in_time
from ..table import Table
from ..table.data_checks import inspect
from ..table.data_checks.facts import TableFacts
from ..table.groups import taken_groups
from .tasks import Asked, judge_of

__all__ = ["leaks", "on_later_rows", "places_of_dates"]

DISTINCT = 10
"""Different dates from which on the order of rows is no chance."""
LEAST_ROWS = 20
"""Rows with a value from which on a feature may be the target."""
ALIKE = 0.9995
"""Rank correlation with the target from which on a number is the target in another unit."""


def places_of_dates(
    X: Any, raw: Table, dates: Iterable[str], unlabelled: np.ndarray, rows: np.ndarray | None
) -> dict[str, np.ndarray]:
    """Places in time of rows by each column of dates that has an order.

    Args:
        X: the rows as they were given, or their file.
        raw: the rows with a target, as they were read.
        dates: names of the columns.
        unlabelled: numbers of the rows of X without a target.
        rows: numbers of the rows of `raw` that are looked at; None: all.
    """
    found = {}
    for name in dates:
        if not isinstance(X, (str, os.PathLike, Table)):
            cells = np.delete(np.array([*taken_groups(X, name)[1]], dtype=object), unlabelled)
        elif name in raw.dates:  # of which year and month are known
            year, month = (raw.column(f"{name} ({part})").values for part in ("year", "month"))
            cells = year * 12 + month
        else:
            cells = raw.column(name).labels()
        with contextlib.suppress(ValueError):  # a missing date, or dates of several forms
            found[name] = places_in_time(cells if rows is None else cells[rows], name)
    return found


def on_later_rows(
    sample: Table,
    places: Mapping[str, np.ndarray],
    model: Any,
    asked: Asked | None,
    options: dict[str, Any],
) -> tuple[str, float] | None:
    """A sentence on rows in the order of time, and the metric of the model by earlier rows; None
    where the rows are in no such order and the model does not split on a year.

    Args:
        sample: the rows that candidates were compared on.
        places: their places in time by each column of dates, as `places_of_dates` gives them.
        model: the fitted tree.
        asked: the metric that the caller asks for.
        options: keywords of `cross_validate`.
    """
    splits = {model._schema.names[place] for place in model.tree_.feature if place >= 0}
    for name, when in places.items():
        steps = np.diff(when)
        if len(np.unique(when)) >= DISTINCT and ((steps >= 0).all() or (steps <= 0).all()):
            why = f"The rows are in the order of {name!r}"
        elif f"{name} (year)" in splits:
            why = f"The tree splits on the year of {name!r}, which no later row repeats"
        else:
            continue
        years = {f"{date} (year)" for date in places}.intersection(sample.feature_names)
        rows = sample.drop(*years).take(np.argsort(when, kind="stable"))
        cv = folds_by_time(5, name)
        tested = make_folds(cv, np.zeros(len(rows)), 0, "regression").test_rows
        judge = judge_of(rows, asked, tested)
        found = cross_validate(
            rows, estimators={"tree": model}, cv=cv, scoring=judge.scoring, **options
        )
        value = float(np.nanmean(found["tree"][judge.metric]))
        said = (
            f"{why}: judged by earlier rows without the year {judge.on_later_rows(value)}; to "
            f"choose by time: {argument('time', name)}."
        )
        return said, value
    return None


def leaks(table: Table) -> Iterator[str]:
    """A question on each column that says what the target says.

    Args:
        table: rows with their target.

    Examples:
        >>> rows = [[i, i % 7] for i in range(40)]
        >>> next(leaks(Table(rows, ["no"] * 30 + ["yes"] * 10)))
        "Column 'x0' alone separates all classes: is it known before 'class' is? If not, ..."
    """
    asked = {one.column: one.text for one in inspect(table).of("labels")}
    is_number = table.task == "regression"
    truth = table.numbers if is_number else np.asarray(table.y_codes)
    text = "is in the same order as the target" if is_number else "alone separates all classes"
    says = _is_in_order if is_number else _separates
    for column in () if TableFacts(table).is_genotypes else table.columns:
        values = np.asarray(column.values)
        is_nominal = column.kind == "nominal"
        if column.name in (*asked, *table.unused) or (is_number and is_nominal):
            continue
        known = np.flatnonzero(values >= 0 if is_nominal else ~np.isnan(values))
        if len(known) < max(LEAST_ROWS, len(values) / 2):
            continue
        # A few rows rule nearly all columns out.
        some = known[:: max(1, len(known) // 50)]
        if says(values[some], truth[some], math.inf) and says(
            values[known], truth[known], len(known) / 5 if is_nominal else 2 * len(table.classes)
        ):
            asked[column.name] = text
    for name, text in asked.items():
        yield (
            f"Column {name!r} {text}: is it known before {table.target!r} is? If not, leave "
            f"it out: {argument('drop', [name])}."
        )


def _separates(values: np.ndarray, classes: np.ndarray, most: float) -> bool:
    """Whether equal values have one class each, in at most so many ranges (or, of codes, values)
    that each hold one class; and there are several classes."""
    order = np.lexsort((classes, values))
    other = np.diff(classes[order]) != 0
    equal = np.diff(values[order]) == 0
    if not other.any() or (other & equal).any():
        return False
    return 1 + int((other if values.dtype.kind == "f" else ~equal).sum()) <= most


def _is_in_order(values: np.ndarray, numbers: np.ndarray, most: float) -> bool:
    """Whether numbers have the ranks of others, or these in reverse, but for rounding."""
    from scipy.stats import rankdata

    ranks = np.array([rankdata(one) for one in (values, numbers)])
    if (np.ptp(ranks, axis=1) == 0).any():
        return False
    return bool(abs(np.corrcoef(ranks)[0, 1]) >= (ALIKE if math.isfinite(most) else ALIKE - 0.05))
