"""Doubts that a recommendation must state beside its value: rows in the order of time, and columns
that hold the answer.

What
    Folds at random let a tree learn from later rows. Where the rows stand in the order of a date or
    of a number that counts time by its name, or the tree splits on the year of one, the recommended
    tree is also trained on earlier rows and tested on later ones, without the year
    (`on_later_rows`). Some features may be known only after the target is: a feature in the order
    of the target, a feature that alone
    separates all classes (`leaks`), and a feature whose known values tell the tree little more than
    that they are known (`explained_by_missing`). A split on a column of few rows per level says
    little about new levels (`few_rows_per_level`).
Complexity
    O(n log n) per date and numeric feature, and five fits of one tree.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._checks.words import argument, in_text, some_of
from ..datasets.files import frame_of_file
from ..model_selection import cross_validate
from ..model_selection.folds import make_folds
from ..model_selection.time_order import folds_by_time, places_in_time
from ..table import Table
from ..table.data_checks import inspect
from ..table.data_checks.facts import TableFacts
from ..table.named_columns import pop_if_named
from .tasks import RequestedMetric, judge_of

DISTINCT = 10
"""Number of different dates from which on an ordering of the rows by date is not taken for
chance."""
PERIODS = 3
"""The same number for columns of numbers that count time by their name."""
DECADES = 20
"""Span in years, between the first and the last tenth of the dates, from which on dates in no order
describe the rows (births, buildings) and are not the time of observation."""
YEARS = (1500, 2200)
"""The least and the largest number that is a year."""
_WORD = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[^\W\d_][^\W\d_A-Z]*")
"""A word of a name, also of one such as YearSold."""
_NAMES = (
    "year years yr date dates jahr datum annee année ano año anno rok fecha aar år vuosi yil yıl",
    "time times month months mon day days week weeks quarter quarters qtr period periods trend "
    "timestamp monat tag woche quartal zeit mois jour semaine trimestre temps mes día dia semana "
    "tiempo mese giorno settimana periodo tempo kwartaal maand dag week måned uge tid",
    "decimal ordinal julian epoch unix index number nr no num of the in sale sold survey obs",
)
_OF_YEARS, _OF_PERIODS, _BESIDE = ({*names.split()} for names in _NAMES)
"""Words in the name of a column that counts time, and words that may stand beside these."""
LEAST_ROWS = 20
"""Rows with a value from which on a feature may be the target."""
BY_GAPS = 0.9
"""Share of a tree's sum of squares between leaves from which on the missing values of a column
alone explain nearly all of it."""
ALIKE = 0.9995
"""Rank correlation with the target from which on a number is the target in another unit."""


class LaterRows(NamedTuple):
    """The metric of the recommended tree on later rows than the rows of its fit. `on_later_rows`
    refits the tree on five growing parts of the rows in the order of time."""

    said: str
    """A sentence."""
    value: float
    """The metric."""
    is_better: bool
    """Whether the tree is better than the best constant of the earlier rows; True if the metric has
    no value in any fold."""


def _counts_time(name: str) -> str:
    """The unit of time that a column of numbers counts, by its name: "years" or "periods" of time;
    "" if neither.

    Examples:
        >>> [_counts_time(name) for name in ("YrSold", "ordinal_date", "trend", "year_built")]
        ['years', 'years', 'periods', '']
    """
    words = {word.lower() for word in _WORD.findall(name)} - _BESIDE
    if not words or words - _OF_YEARS - _OF_PERIODS:
        return ""
    return "years" if words & _OF_YEARS else "periods"


def places_of_dates(
    X: Any, raw: Table, dates: Collection[str], unlabelled: np.ndarray, rows: np.ndarray | None
) -> dict[str, np.ndarray]:
    """Places in time of rows by each column of dates that has an order, then by each column of
    numbers that counts time by its name, the finest first.

    Args:
        X: the rows as they were given, or their file.
        raw: the rows with a target, as they were read.
        dates: names of the columns.
        unlabelled: numbers of the rows of X without a target.
        rows: numbers of the rows of `raw` that are looked at; None: all.
    """
    found: dict[str, Any] = {}
    frame = X
    if isinstance(X, (str, os.PathLike)):
        frame = frame_of_file(X) if dates else None
    for name in dates:
        if frame is not None and not isinstance(frame, Table):
            cells = np.array([*pop_if_named(frame, name, "time")[1]], dtype=object)
            found[name] = np.delete(cells, unlabelled)
        elif name in raw.dates:  # of which year and month are known
            year, month = (raw.column(f"{name} ({part})").values for part in ("year", "month"))
            found[name] = year * 12 + month
        else:
            found[name] = raw.column(name).labels()
    columns = () if TableFacts(raw).is_genotypes else raw.columns
    numbers = [one for one in columns if one.kind == "numeric" and _counts_time(one.name)]
    numbers.sort(key=lambda one: -len(np.unique(one.values)))
    found |= {one.name: one.values for one in numbers if one.name not in raw.unused}
    places = {}
    for name, cells in found.items():
        with contextlib.suppress(ValueError):  # a missing date, or dates of several forms
            places[name] = places_in_time(cells if rows is None else cells[rows], name)
    return places


def are_in_order(when: np.ndarray, *, least: int = DISTINCT) -> bool:
    """Whether rows stand in the order of time.

    Args:
        when: their places in time.
        least: different places, at least.

    Examples:
        >>> are_in_order(np.arange(20) // 2), are_in_order(np.arange(20) % 19)
        (True, False)
    """
    steps = np.diff(when)
    return len(np.unique(when)) >= least and bool((steps >= 0).all() or (steps <= 0).all())


def passing_years(table: Table, dates: Iterable[str]) -> dict[str, str]:
    """The column of the year of each date that no later row repeats, by the name of the date.

    Dates that lie decades apart (of births, of buildings) are facts about their rows, and later
    rows have such years as well, unless the rows are in their order or the name says that the
    column counts time.

    Args:
        table: rows with year, month and weekday of dates.
        dates: names of columns of dates.

    Examples:
        >>> days = {"born": ["1951-03-01", "1987-05-09", "1970-11-23"],
        ...         "visit": ["2024-01-31", "2023-02-03", "2024-06-12"]}
        >>> passing_years(Table(days, dates=["born", "visit"]), days)
        {'visit': 'visit (year)'}
    """
    found = {}
    for name in dates:
        year = f"{name} (year)"
        if year in table.feature_names:
            values = table.column(year).values
            low, high = np.nanquantile(values, (0.1, 0.9))
            is_near = high - low < DECADES
            if is_near or _counts_time(name) or are_in_order(values, least=PERIODS):
                found[name] = year
    return found


def on_later_rows(
    sample: Table,
    places: Mapping[str, np.ndarray],
    model: Any,
    asked: RequestedMetric | None,
    options: dict[str, Any],
) -> LaterRows | None:
    """The metric of the model on later rows, fitted on earlier ones; None where the rows are in no
    order of time and the model does not split on a year.

    Args:
        sample: the rows that candidates were compared on.
        places: their places in time by each column of dates, as `places_of_dates` gives them.
        model: the fitted tree.
        asked: the metric that the caller asks for.
        options: keywords of `cross_validate`.
    """
    splits = {model._schema.names[place] for place in model.tree_.feature if place >= 0}
    # Values that no later row repeats: the years of dates, and numbers of years.
    years = passing_years(sample, places)
    for name, when in places.items():
        if name in sample.feature_names:
            values = sample.column(name).values
            is_year = _counts_time(name) == "years" and len(np.unique(when)) >= PERIODS
            if is_year and YEARS[0] <= values.min() <= values.max() <= YEARS[1]:
                years[name] = name
    for name, when in places.items():
        own = name in sample.feature_names
        if are_in_order(when, least=PERIODS if own else DISTINCT):
            why = f"the rows are in the order of {name!r}"
        elif years.get(name) in splits:
            year = repr(name) if own else f"the year of {name!r}"
            why = f"the tree splits on {year}, which no later row repeats"
        else:
            continue
        unused = {*years.values(), *((name,) if own else ())}
        if unused >= set(sample.feature_names):
            continue
        named = [repr(one) for one in sorted(unused) if one in places]
        without = " and ".join([*(["the year"] if len(named) < len(unused) else []), *named])
        without = f" without {without}" if without else ""
        rows = sample.drop(*unused).take(np.argsort(when, kind="stable"))
        folds = make_folds(folds_by_time(5, name), np.zeros(len(rows)), 0, "regression")
        judge = judge_of(rows, asked, folds.test_rows)
        trees = {one.name: judge.estimator(**one.params) for one, _ in judge.constants()}
        how = {**options, "cv": folds, "scoring": judge.scoring}
        found = cross_validate(rows, estimators={**trees, "tree": model}, **how)
        reached = {one: float(np.nanmean(found[one][judge.metric])) for one in found}
        value = reached.pop("tree")
        best = max(reached, key=lambda one: reached[one] / judge.scale)
        said = (
            f"{why}: judged by earlier rows{without} it is about {judge.in_words(value)} "
            f"({best} of the earlier rows: {judge.in_words(reached[best])}); to choose by time: "
            f"{in_text(argument('time', name))}."
        )
        # Without a value (of one class in each fold) nothing is said to be worse.
        return LaterRows(said, value, not value / judge.scale <= reached[best] / judge.scale)
    return None


def leaks(table: Table) -> Iterator[str]:
    """A question on each column that is equivalent to the target: in the same order, or separating
    all classes.

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
            f"it out: {in_text(argument('drop', [name]))}."
        )


def explained_by_missing(table: Table, model: Any) -> Iterator[str]:
    """A question on each column of which the model reads little more than whether it has a value.

    The measure is the sum of squares between groups, of numbers or of indicators of the classes.

    Args:
        table: rows with their target.
        model: a tree that was fitted on them, with a split.

    Examples:
        >>> rows = [[None, i % 7] for i in range(30)] + [[i, i % 7] for i in range(10)]
        >>> table = Table(rows, ["no"] * 30 + ["yes"] * 10)
        >>> from fasttree import FastTreeClassifier
        >>> next(explained_by_missing(table, FastTreeClassifier(missing="branch").fit(table)))
        "Whether 'x0' has a value tells nearly all that the tree tells about 'class': is it ..."
    """
    is_number = table.task == "regression"
    truth = table.numbers[:, None] if is_number else np.eye(len(table.classes))[table.y_codes]
    truth = truth - truth.mean(axis=0)

    def between(groups: np.ndarray) -> float:
        own = np.unique(groups, return_inverse=True)[1].reshape(-1)
        sums = [np.bincount(own, weights=one) for one in truth.T]
        return float((np.square(sums) / np.bincount(own)).sum())

    told = between(model.apply(table))
    for place in dict.fromkeys(place for place in model.tree_.feature.tolist() if place >= 0):
        name = model._schema.names[place]
        column = table.column(name)
        gaps = column.values < 0 if column.kind == "nominal" else np.isnan(column.values)
        if gaps.any() and between(gaps) >= BY_GAPS * told:
            yield (
                f"Whether {name!r} has a value tells nearly all that the tree tells about "
                f"{table.target!r}: is it filled in before {table.target!r} is known? If not, "
                f"leave it out: {in_text(argument('drop', [name]))}."
            )


def few_rows_per_level(table: Table, model: Any) -> Iterator[str]:
    """A sentence if the model splits on columns of fewer than five rows per level, with the
    argument that leaves these columns out.

    Args:
        table: the rows of its fit.
        model: the tree.

    Examples:
        >>> table = Table([[f"town {i // 3}"] for i in range(60)], [i // 3 % 2 for i in range(60)])
        >>> from fasttree import FastTreeClassifier
        >>> next(few_rows_per_level(table, FastTreeClassifier(nominal_splits="subset").fit(table)))
        "The tree splits on 'x0' (20 levels), with fewer than five rows per level: rows with a ..."
    """
    tested = {model._schema.names[place] for place in set(model.tree_.feature) if place >= 0}
    thin = [one for one in inspect(table).of("thin_levels") if one.column in tested]
    if thin:
        yield (
            f"The tree splits on {some_of([one.text for one in thin])}, with fewer than five rows "
            "per level: rows with a new level are predicted as rows without a value; to compare "
            f"trees without: {in_text(argument('drop', [one.column for one in thin]))}."
        )


def _separates(values: np.ndarray, classes: np.ndarray, most: float) -> bool:
    """Whether a column separates several classes: equal values have one class each, and at most
    `most` ranges of numbers (or, if the values are codes of levels, `most` levels) hold one class
    each."""
    order = np.lexsort((classes, values))
    other = np.diff(classes[order]) != 0
    equal = np.diff(values[order]) == 0
    if not other.any() or (other & equal).any():
        return False
    return 1 + int((other if values.dtype.kind == "f" else ~equal).sum()) <= most


def _is_in_order(values: np.ndarray, numbers: np.ndarray, most: float) -> bool:
    """Whether two columns of numbers have the same ranks, or reversed ranks, except for
    rounding."""
    from scipy.stats import rankdata

    ranks = np.array([rankdata(one) for one in (values, numbers)])
    if (np.ptp(ranks, axis=1) == 0).any():
        return False
    return bool(abs(np.corrcoef(ranks)[0, 1]) >= (ALIKE if math.isfinite(most) else ALIKE - 0.05))
