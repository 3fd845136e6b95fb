"""The target: checks for a single value and for numbers used as classes; the task of a target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._checks.aliases import Task
from ..._checks.data_warnings import is_quiet, warn_caller
from ..._checks.words import argument, counted, some_of, worded
from ..number_texts import dates_or_numbers
from .facts import ColumnFacts, Finding, TableFacts
from .hidden_numbers import obstacle_to_numbers
from .unfailing import unfailing

MAX_CLASSES = 20
"""Largest number of different whole numbers of a target that are taken for classes."""

MIN_ROWS_OF_CODE = 5
"""Smallest number of rows per number if more than `MAX_CLASSES` numbers are codes of classes."""

MIN_ROWS_ASKED = 20
"""Smallest number of rows in which the classes of a target are checked for being numbers."""


def find_constant(facts: TableFacts) -> Iterator[Finding]:
    """Yield a finding if the target has the same value in all rows; the evidence is that value.

    A fit to such a target is one leaf, which is allowed and only warned about. A target with
    missing numbers beside one value is no constant.
    """
    target = facts.target
    if target is None or not facts.n_rows:
        return
    values, many = np.asarray(target.values), counted(facts.n_rows, "row")
    if (values != values[0]).any():  # as a missing number is
        return
    if target.levels is None:
        text = (
            f"the target is {values[0]:g} in all {many}, so the tree is one leaf, and R2 has no "
            "meaning (1 where predictions are right, else 0): add rows with other numbers, or name "
            "another target"
        )
        yield Finding(facts.target_name, text, values[0])
    elif values[0] >= 0:
        label = target.levels[int(values[0])]
        text = (
            f"all {many} are of the class {label!r}, so every prediction is that class: add rows "
            "of another class, or name another target"
        )
        yield Finding(facts.target_name, text, label)


def find_numbers(facts: TableFacts) -> Iterator[Finding]:
    """A target whose classes are numbers with few rows each, or hide that they are numbers or
    dates; the evidence is the number of classes.

    That is: more than 20 classes, or more than half as many classes as rows (scikit-learn's
    condition), of at least 20 rows.

    Examples:
        >>> from fasttree import Table
        >>> X = [[i] for i in range(30)]
        >>> [one.evidence for one in find_numbers(TableFacts(Table(X, range(30))))]
        [30]
        >>> list(find_numbers(TableFacts(Table(X, [str(i) for i in range(30)]))))
        []
    """
    target = facts.target
    if target is None or target.levels is None or facts.n_rows < MIN_ROWS_ASKED:
        return

    def is_usual(n_classes: int) -> bool:
        return 2 * n_classes <= facts.n_rows and n_classes <= MAX_CLASSES

    if is_usual(len(target.levels)):  # the rows have no more classes than are declared
        return
    codes = np.asarray(target.values)
    n_classes = int(np.count_nonzero(np.bincount(codes[codes >= 0])))
    if is_usual(n_classes):
        return
    if facts.table.labels_are_numbers:
        question = (
            f"{counted(n_classes, 'value')} in {counted(facts.n_rows, 'row')} of the target: is "
            "this a regression problem?"
        )
    elif hidden := dates_or_numbers(target.levels):
        question = f"the target {facts.target_name!r} holds {hidden}; then"
    elif strange := obstacle_to_numbers(ColumnFacts(target, facts.row_numbers)):
        question = f"the target {facts.target_name!r} is text: {': '.join(strange)}; then"
    else:
        return
    text = (
        f"{question} {worded('FastTreeRegressor or ')}{argument('task', 'regression')} grows a "
        "tree for a number"
    )
    yield Finding(facts.target_name, text, n_classes)


def task_of_numbers(name: str, values: np.ndarray, *, declared: bool = False) -> Task:
    """The task of a target of numbers in a file or frame, where nothing names one; a message names
    the choice if it is not obvious.

    Numbers with fractions, and declared ones, are a regression. So are whole numbers of more than
    20 different values, unless they are codes: 0 or 1 to the largest without a gap, five rows each.

    Args:
        name: name of the target.
        values: its numbers, NaN where one is missing.
        declared: whether the file or the type of the column says that it is a number.

    Examples:
        >>> task_of_numbers("y", np.arange(20.0)), task_of_numbers("y", np.arange(125.0) // 5)
        ('classification', 'classification')
    """
    present = values[~np.isnan(values)]
    if not np.array_equal(present, np.floor(present)):
        return "regression"
    distinct, counts = np.unique(present, return_counts=True)
    n = len(distinct)
    reason = None
    if declared:
        if n == 2:
            reason = f"is declared a number and has two values, {distinct[0]:g} and {distinct[1]:g}"
    else:
        no_gap = n > 0 and distinct[0] in (0, 1) and distinct[-1] - distinct[0] == n - 1
        if n <= MAX_CLASSES or (no_gap and counts.min() >= MIN_ROWS_OF_CODE):
            return "classification"
        reason = f"has {n:,} different whole numbers, so it is a number"
    if reason is not None and not is_quiet():
        warn_caller(
            f"the target {name!r} {reason}; as classes: {argument('task', 'classification')}"
        )
    return "regression"


@unfailing()
def warn_of_small_classes(classes: Any, codes: np.ndarray, n_folds: int) -> None:
    """Warn of classes that occur in fewer rows than there are folds.

    Some test parts then have no row of the class, so measures of the class are undefined there.
    Codes below 0 (missing labels) and classes without rows are not counted. Nothing is said under
    `quiet`.
    """
    if is_quiet():
        return
    counts = np.bincount(codes[codes >= 0], minlength=len(classes))
    small = [
        f"{label!r} ({counted(count, 'row')})"
        for label, count in zip(classes, counts.tolist(), strict=True)
        if 0 < count < n_folds
    ]
    if small:
        warn_caller(
            f"classes with fewer rows than the {counted(n_folds, 'fold')}: {some_of(small)}; some "
            "test parts are without them: use fewer folds, or join rare classes with others"
        )
