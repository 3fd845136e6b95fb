"""The target: one value in all rows, numbers as classes, and its task where nothing names one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._checks.aliases import Task
from ..._checks.speech import argument, worded
from ..._checks.words import counted, some_of
from ..table import Table
from ..texts import hidden_numbers
from .facts import TableFacts
from .finding import Finding
from .unfailing import unfailing
from .warned import is_quiet, warn_caller

MANY_CLASSES = 20
"""Most numbers that are taken as classes without a question."""

LEAST_OF_CODE = 5
"""Rows that each number of a target has, at least, where more numbers are codes of classes."""


def find_constant(rows: TableFacts) -> Iterator[Finding]:
    """A target that is the same in all rows; the evidence is its value."""
    table, name = rows.table, rows.table.target or "y"
    if table.task == "regression":
        numbers = table.numbers
        if len(numbers) and numbers.min() == numbers.max():
            said = (
                f"the target is {numbers[0]:g} in all {counted(len(numbers), 'row')}, so the tree "
                "is one leaf, and R2 has no meaning (1 where predictions are right, else 0): add "
                "rows with other numbers, or name another target"
            )
            yield Finding(name, said, numbers[0])
        return
    codes = table.y_codes
    if len(codes) and codes.min() == codes.max():
        label = table.classes[int(codes[0])]
        said = (
            f"all {counted(len(codes), 'row')} are of the class {label!r}, so every prediction is "
            "that class: add rows of another class, or name another target"
        )
        yield Finding(name, said, label)


def find_numbers(rows: TableFacts) -> Iterator[Finding]:
    """A target whose classes are numbers with few rows each."""
    question = many_numbers(rows.table)
    if question is not None:
        said = (
            f"{question} {worded('FastTreeRegressor or ')}{argument('task', 'regression')} grows a "
            "tree for a number"
        )
        yield Finding(rows.table.target or "y", said, question)


def task_of_numbers(name: str, values: np.ndarray, *, declared: bool = False) -> Task:
    """The task of a target of numbers in a file or frame, where nothing names one; a line says
    what is not plain.

    Numbers with fractions, and declared ones, are a regression. So are whole numbers of more than
    20 different values, unless they are codes: 0 or 1 to the largest without a gap, five rows each.

    Args:
        name: of the target.
        values: its numbers, NaN where one is missing.
        declared: whether the file or the type of the column says that it is a number.

    Examples:
        >>> task_of_numbers("y", np.arange(20.0)), task_of_numbers("y", np.arange(125.0) // 5)
        ('classification', 'classification')
    """
    known = values[~np.isnan(values)]
    if not np.array_equal(known, np.floor(known)):
        return "regression"
    distinct, counts = np.unique(known, return_counts=True)
    n = len(distinct)
    said = None
    if declared:
        if n == 2:
            said = f"is declared a number and has two values, {distinct[0]:g} and {distinct[1]:g}"
    else:
        no_gap = n > 0 and distinct[0] in (0, 1) and distinct[-1] - distinct[0] == n - 1
        if n <= MANY_CLASSES or (no_gap and counts.min() >= LEAST_OF_CODE):
            return "classification"
        said = f"has {n:,} different whole numbers, so it is a number"
    if said is not None and not is_quiet():
        warn_caller(f"the target {name!r} {said}; as classes: {argument('task', 'classification')}")
    return "regression"


def many_numbers(table: Table) -> str | None:
    """A question, if the classes are numbers with few rows each, or what hides that they are
    numbers or dates; None otherwise.

    That is: more than 20 classes, or more than half as many classes as rows (scikit-learn's
    condition), of at least 20 rows.

    Examples:
        >>> from fasttree import Table
        >>> many_numbers(Table([[i] for i in range(30)], range(30)))
        '30 values in 30 rows of the target: is this a regression problem?'
        >>> many_numbers(Table([[i] for i in range(30)], [str(i) for i in range(30)]))
    """
    if table.task == "regression" or len(table) < 20:
        return None
    n_rows, n_classes = len(table), int(np.count_nonzero(np.bincount(table.y_codes)))
    if 2 * n_classes <= n_rows and n_classes <= MANY_CLASSES:
        return None
    if not table.labels_are_numbers:
        hidden = hidden_numbers(table.classes)
        return hidden and f"the target {table.target or 'y'!r} holds {hidden}; then"
    return (
        f"{counted(n_classes, 'value')} in {counted(n_rows, 'row')} of the target: is this a "
        "regression problem?"
    )


@unfailing()
def warn_of_small_classes(classes: Any, codes: np.ndarray, n_folds: int) -> None:
    """Warn of classes that occur in fewer rows than there are folds."""
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
