"""Warnings about training sets that fit, but hardly as the user meant it.

Causes are a single class, numbers as classes with few rows each, columns without a value, no
value at all, dates and decimal commas as text, and a class with fewer rows than a cross-validation
has folds. Each call warns once, with the remedy: a call that fits many models (a cross-validation,
an advice) warns about all its rows, and its fits are `quiet`. O(rows) for the classes; a column is
read up to its first value.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks.aliases import Task
from .._checks.speech import argument, worded
from ..rendering.words import counted, some_of
from .dates import dates_of
from .suspects import code_columns, hints
from .traps import are_numbers, date_share, hidden_numbers, strange_cells
from .unfailing import unfailing

if TYPE_CHECKING:
    from .table import Table


__all__ = [
    "DataWarning",
    "about",
    "groups_are_known",
    "groups_known",
    "held_warnings",
    "is_quiet",
    "many_numbers",
    "quiet",
    "task_of_numbers",
    "traps_are_said",
    "warn_caller",
    "warn_of_columns",
    "warn_of_data",
    "warn_of_hints",
    "warn_of_small_classes",
]

_QUIET: ContextVar[bool] = ContextVar("fasttree_data_warnings_said", default=False)

_GROUPED: ContextVar[bool] = ContextVar("fasttree_groups_known", default=False)

_ABOUT: ContextVar[str] = ContextVar("fasttree_warnings_about", default="")

_SAID: ContextVar[set[str] | None] = ContextVar("fasttree_warnings_said", default=None)

_HELD: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar(
    "fasttree_warnings_held", default=None
)

_NUMBER = re.compile(r"(?<![\w'])\d[\d.,]*")
"""A number in a text that is no part of a name."""

_TRAPS_SAID: ContextVar[bool] = ContextVar("fasttree_traps_said", default=False)

MANY_CLASSES = 20
"""Most numbers that are taken as classes without a question."""


LEAST_OF_CODE = 5
"""Rows that each number of a target has, at least, where more numbers are codes of classes."""

MANY_CODES = 50
"""Number of texts above which numbers as text are hardly codes."""


class DataWarning(UserWarning):
    """A model can be fitted to the data, but hardly the one that the user meant."""


@contextmanager
def quiet() -> Iterator[None]:
    """A context without these warnings: the caller has warned already, or the data are known."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)


def is_quiet() -> bool:
    """Whether a caller has warned already."""
    return _QUIET.get()


@contextmanager
def about(what: str = "") -> Iterator[None]:
    """A context whose warnings begin with a name, of one data set of several for instance. Warnings
    that differ in numbers alone, such as those of each fold, come once in the outermost one."""
    before = _ABOUT.set(_ABOUT.get() + (what and f"{what}: "))
    said = _SAID.set(set() if (known := _SAID.get()) is None else known)
    try:
        yield
    finally:
        _SAID.reset(said)
        _ABOUT.reset(before)


@contextmanager
def held_warnings() -> Iterator[list[tuple[str, type[Warning]]]]:
    """A context that keeps its warnings for the thread that began the work, which says them."""
    warned: list[tuple[str, type[Warning]]] = []
    held, before = _HELD.set(warned), _ABOUT.set("")
    try:
        yield warned
    finally:
        _ABOUT.reset(before)
        _HELD.reset(held)


@contextmanager
def groups_known(known: bool = True) -> Iterator[None]:
    """A context in which the groups of rows are known, so that none are suspected."""
    before = _GROUPED.set(known or _GROUPED.get())
    try:
        yield
    finally:
        _GROUPED.reset(before)


def groups_are_known() -> None:
    """Suspect no groups in this command: the user has named them, or it has no folds."""
    _GROUPED.set(True)


def traps_are_said() -> None:
    """Leave warnings about dates and decimal commas to the command, which has its own."""
    _TRAPS_SAID.set(True)


def warn_caller(text: str, category: type[Warning] = DataWarning) -> None:
    """Warn at the line that called the package, also through wrappers of other packages; there the
    same text is shown once."""
    text, said, held = _ABOUT.get() + text, _SAID.get(), _HELD.get()
    if held is not None:
        held.append((text, category))
        return
    if said is not None:
        if (alike := _NUMBER.sub("#", text)) in said:
            return
        said.add(alike)
    frame, level, outside = sys._getframe(1), 2, 2
    while frame.f_back:
        is_ours = frame.f_globals.get("__name__", "").partition(".")[0] == "fasttree"
        frame, level = frame.f_back, level + 1
        outside = level if is_ours else outside
    warnings.warn(text, category, stacklevel=outside)


def _is_empty(values: np.ndarray) -> bool:
    """True if a column of numbers or codes has no value; its first cell usually decides."""
    if values.dtype.kind == "u" or not len(values):
        return False
    if values.dtype.kind == "f":
        return bool(np.isnan(values[0]) and np.isnan(values).all())
    return bool(values[0] < 0 and (values < 0).all())


def empty_columns(table: Table) -> list[str]:
    """Names of the features without a value in any row.

    Examples:
        >>> from fasttree import Table
        >>> empty_columns(Table([[1.0, float("nan")], [2.0, float("nan")]], [0, 1]))
        ['x1']
    """
    block = table.block
    if block is not None:
        if block.dtype.kind != "f" or not len(block):
            return []
        first = np.flatnonzero(np.isnan(block[0]))
        return [table.feature_names[j] for j in first if _is_empty(block[:, j])]
    return [c.name for c in table.columns if _is_empty(np.asarray(c.values))]


@unfailing()
def warn_of_columns(reasons: Mapping[str, str], *, none_left: bool = False) -> None:
    """Say in one line which columns a fit leaves out, and of which it uses year, month and weekday.

    Args:
        reasons: what was found of each column, by name.
        none_left: no column would be left, so that all are used.
    """
    if _QUIET.get() or not reasons:
        return
    dates = dates_of(reasons)
    left_out = [f"{name!r} ({why})" for name, why in reasons.items() if name not in dates]
    if none_left:
        warn_caller(
            f"no column would be left without {some_of(left_out)}: all are used as they are"
        )
        return
    said = [f"columns left out: {some_of(left_out)}"] if left_out else []
    if dates:
        names = some_of([repr(name) for name in dates])
        said.append(f"year, month and weekday stand for the dates {names}")
    first = [name for name in reasons if name not in dates][:1]
    one_of_them = f", {argument('columns', {first[0]: 'as_given'})} one of them" if first else ""
    every = argument("columns", "as_given")
    warn_caller(f"{'; '.join(said)}; {every} uses all columns as they are{one_of_them}")


@unfailing()
def warn_of_hints(table: Table, passed_over: Collection[str]) -> None:
    """Say which numbers may stand for missing cells, and which columns may hold groups of rows.

    Args:
        table: the rows.
        passed_over: columns that are not looked at for groups.
    """
    if not _QUIET.get():
        for sentence in hints(table, passed_over, grouped=_GROUPED.get()):
            warn_caller(sentence)
        codes = [] if _TRAPS_SAID.get() else code_columns(table)
        if codes:
            warn_caller(
                f"codes of categories, by the name, are read as numbers: {some_of(codes)}; as "
                f"levels: {argument('categorical_features', codes)}"
            )


@unfailing()
def warn_of_data(table: Table) -> None:
    """Warn of a doubtful target, of columns without a value, or of no value in any column."""
    if _QUIET.get():
        return
    _warn_of_target(table)
    empty = empty_columns(table)
    if empty and len(empty) == table.n_features:
        warn_caller(
            "no cell of the features has a value, so the model can only count classes: check how "
            "missing cells are written in the source, and read it again"
        )
    elif empty:
        names = some_of([repr(name) for name in empty])
        warn_caller(
            f"columns without a value in any row: {names}; no split can use them: leave them out "
            "of X, or fill them"
        )
    _warn_of_numbers_as_text(table)
    if not _TRAPS_SAID.get():
        _warn_of_text(table)


def _warn_of_target(table: Table) -> None:
    """Warn of a target that is the same in all rows, and of numbers as classes."""
    if table.task == "regression":
        numbers = table.numbers
        if len(numbers) and numbers.min() == numbers.max():
            warn_caller(
                f"the target is {numbers[0]:g} in all {counted(len(numbers), 'row')}, so the tree "
                "is one leaf, and R2 has no meaning (1 where predictions are right, else 0): add "
                "rows with other numbers, or name another target"
            )
        return
    codes = table.y_codes
    if len(codes) and codes.min() == codes.max():
        label = table.classes[int(codes[0])]
        warn_caller(
            f"all {counted(len(codes), 'row')} are of the class {label!r}, so every prediction is "
            "that class: add rows of another class, or name another target"
        )
    many = many_numbers(table)
    if many is not None:
        warn_caller(
            f"{many} {worded('FastTreeRegressor or ')}{argument('task', 'regression')} grows a "
            "tree for a number"
        )


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
    if said is not None and not _QUIET.get():
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


def _warn_of_text(table: Table) -> None:
    """Warn of text that is a date or numbers, but for a decimal comma, a sign or a few cells."""
    if table.block is not None:
        return
    used = [c for c in table.columns if c.name not in table.unused]  # a line names the others
    texts = [(c, c.levels) for c in used if c.levels and isinstance(c.levels[0], str)]
    several = {c.name: levels for c, levels in texts if len(levels) > 2}
    dates = [name for name, levels in several.items() if date_share(levels) >= 0.95]
    if dates:
        warn_caller(
            f"dates as text: {some_of([repr(name) for name in dates])}; each date is a level, "
            "which says nothing about other dates: leave the column out, or make numbers of it "
            "(Table.with_dates makes year, month and weekday)"
        )
    for column, _ in texts:
        found = strange_cells(column, table.row_numbers)
        if found is not None and column.name not in dates:
            warn_caller(
                f"column {column.name!r}: {found[0]}, so its numbers are levels: {found[1]}, or "
                "leave the column out"
            )


def _warn_of_numbers_as_text(table: Table) -> None:
    """Warn of columns of text that are numbers, more than codes would be."""
    if table.block is not None:
        return
    numbers = [
        f"{column.name!r} ({column.levels[0]!r}, ...)"
        for column in table.columns
        if column.levels and len(column.levels) > MANY_CODES and are_numbers(column.levels)
    ]
    if numbers:
        warn_caller(
            f"numbers as text: {some_of(numbers)}; each is a level, which says nothing about other "
            "numbers" + worded(": convert with pandas.to_numeric")
        )


@unfailing()
def warn_of_small_classes(classes: Any, codes: np.ndarray, n_folds: int) -> None:
    """Warn of classes that occur in fewer rows than there are folds."""
    if _QUIET.get():
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
