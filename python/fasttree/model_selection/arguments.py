"""The arguments of `cross_validate`, `compare` and `sweep`, data first, then criteria; and the
task, classes or a number, where the caller names none.

``f(X, y, criteria)``, ``f(table, criteria)``, ``f("iris", criteria)``: where the data have their
own classes, the second argument may be the criteria.

A number is predicted if the caller says so, if a criterion reads numbers or `target_bins` is given,
if an estimator is a regressor, or if a metric is one of regression. Criteria, estimators and
metrics of classes say the other; else the target decides (`estimators.tree.task_of_target`).
O(rows).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import numpy as np

from .._checks import one_of, shown
from .._checks.aliases import TASKS, Task
from .._checks.naming import display_name, shown_criterion, splits_by_significance
from .._checks.words import argument, given, some_of
from ..criteria import Criterion, PairFunction, _by_name, is_on_number, make
from ..datasets import inputs
from ..datasets.files import load
from ..datasets.inputs import drop_unlabelled
from ..table import Table
from ..table.data_checks.findings import all_as_given
from ..table.data_checks.frames import unscreened_table
from .scoring import resolve_scoring, tasks_of


def has_labels(X: Any) -> bool:
    """Whether data bring their own target: a Table, the name of a data set or file, or several of
    these or of pairs (X, y)."""
    if isinstance(X, (Table, str, os.PathLike)):
        return True
    several = X.values() if isinstance(X, Mapping) else X
    if not isinstance(X, (Mapping, list, tuple)):
        return False
    return len(X) > 0 and all(
        isinstance(data, (Table, str, os.PathLike))
        or (
            isinstance(data, tuple)
            and len(data) == 2
            and not isinstance(data[0], (int, float, str))
        )
        or len(getattr(data, "shape", ())) == 2  # refused by its place
        for data in several
    )


def _is_criterion(value: Any) -> bool:
    """Whether a value is a criterion: a name, an object, a class, a function, or a pair of a name
    and any of the former."""
    if isinstance(value, str):
        return value in _by_name()
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return True
    return isinstance(value, (Criterion, PairFunction, type)) or callable(value)


def _are_criteria(value: Any) -> bool:
    """Whether a value is a criterion, or a list or dict of them."""
    if isinstance(value, Mapping):
        return len(value) > 0 and all(map(_is_criterion, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return len(value) > 0 and any(map(_is_criterion, value))
    return _is_criterion(value)


def is_pair(X: Any) -> bool:
    """Whether data are a pair (rows, labels) and not two rows: a tuple of length 2 whose first item
    is a table of rows. A list is never a pair."""
    if not isinstance(X, tuple) or len(X) != 2:
        return False
    rows = X[0]
    if isinstance(rows, (list, tuple)):
        return len(rows) > 0 and isinstance(rows[0], (list, tuple, np.ndarray))
    return isinstance(rows, Mapping) or len(getattr(rows, "shape", ())) == 2


def data_and_criteria(X: Any, y: Any, criteria: Any) -> tuple[Any, Any, Any]:
    """X, y and criteria of a call in which `y` may be the criteria.

    Raises:
        TypeError: criteria twice.

    Examples:
        >>> data_and_criteria("iris", ["gini", "mdl"], None)
        ('iris', None, ['gini', 'mdl'])
        >>> data_and_criteria([[0.0], [1.0]], ["gini", "mdl"], None)[1]
        ['gini', 'mdl']
    """
    if is_pair(X):
        if y is not None and criteria is not None:
            raise TypeError("X is a pair (rows, labels), so that y is the criteria: give them once")
        return X[0], X[1], y if criteria is None else criteria
    if y is None or not has_labels(X) or not _are_criteria(y):
        return X, y, criteria
    if isinstance(X, Table) and isinstance(y, str) and y == X.target:
        return X, y, criteria
    if criteria is not None:
        raise TypeError(
            "criteria are given twice; the order is f(data, criteria) or f(X, y, criteria)"
        )
    return X, None, y


def _name_of(thing: Any) -> str:
    """Return a readable name of a criterion or estimator."""
    text = display_name(thing)
    if not hasattr(thing, "fit") or len(text) <= 60:
        return text
    return shown_criterion(thing) if splits_by_significance(thing) else type(thing).__name__


def named_items(things: Any, what: str) -> list[tuple[str, Any]]:
    """Return (name, thing) pairs from one thing, a list, a list of such pairs, or a dict; `what` is
    the argument, for errors."""
    if things is None:
        return []
    if isinstance(things, Mapping):
        return [(str(name), thing) for name, thing in things.items()]
    if isinstance(things, str) or not isinstance(things, Sequence):
        things = [things]
    pairs = []
    for thing in things:
        if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], str):
            pairs.append((thing[0], thing[1]))
        else:
            pairs.append((_name_of(thing), thing))
    if not pairs:
        raise ValueError(f"{what} is empty")
    return pairs


def load_tables(
    tables: Any,
    task_of: Callable[[Any, Any], Task] = lambda X, y: "classification",
    task: Task | None = None,
    *,
    as_given: bool = True,
) -> dict[str, Any]:
    """Tables by name; a name that is repeated gets a number.

    Args:
        tables: a Table, the name of a data set or file, or a pair (X, y); or a list or dict of
            these. Names come from the dict, the Table or the file.
        task_of: returns the task of a pair (X, y).
        task: the task by which files are read; None: the file decides.
        as_given: whether columns of frames and files are used as they are.

    Raises:
        ValueError: there are no data sets.
        TypeError: an entry is none of the above.
    """
    if isinstance(tables, Mapping):
        items = [(str(name), data) for name, data in tables.items()]
    else:
        if isinstance(tables, (Table, str, os.PathLike)):
            tables = [tables]
        items = [("", data) for data in tables]
    if not items:
        raise ValueError("tables is empty; give at least one data set")
    loaded: dict[str, Any] = {}
    for place, (name, data) in enumerate(items):
        if isinstance(data, (str, os.PathLike)):
            data = drop_unlabelled(load(data, task=task, as_given=as_given), f"{os.fspath(data)}: ")
        elif isinstance(data, tuple) and len(data) == 2:
            columns = "as_given" if as_given else "auto"
            data = unscreened_table(*data, columns, name=name or None, task=task_of(*data))
        if not isinstance(data, Table):
            raise TypeError(
                f"tables: entry {place} is a {type(data).__name__}; give a Table, a file name or a "
                "pair (X, y), such as (frame, 'name of the target')"
            )
        loaded[unused_name(name or data.name or f"set {place + 1}", loaded)] = data
    return loaded


def unused_name(name: str, taken: Container[str]) -> str:
    """Return the name, or with the lowest free number from 2 on if it is taken, so that two methods
    of one criterion have different names.

    >>> unused_name("gini", ["gini", "gini (2)"])
    'gini (3)'
    """
    numbered = (f"{name} ({number})" for number in count(2))
    return next(free for free in chain([name], numbered) if free not in taken)


NOUNS: dict[Task, str] = {"classification": "classifier", "regression": "regressor"}


@dataclass
class Request:
    """The methods and metrics that a call compares; fields as the arguments of `cross_validate`.

    Attributes:
        scorers: the metrics that the call names, by name; None: the metrics of the task.

    Examples:
        >>> from sklearn.linear_model import Ridge
        >>> Request(estimators=Ridge()).task_of([[0], [1]], [3, 4])
        'regression'
        >>> Request().task_of([[0], [1]], [3, 4])
        'classification'
    """

    criterion: Any = None
    estimators: Any = None
    scoring: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)
    task: Task | None = None
    on_error: str = "raise"

    def __post_init__(self) -> None:
        self.scorers = None if self.scoring is None else resolve_scoring(self.scoring)

    def read(self, X: Any, y: Any) -> tuple[Any, Any, Task]:
        """Return X and y with names resolved (files are read, a column name becomes the column),
        and their task. Raises ValueError or an error of the reader for data that cannot be read."""
        X, y = inputs.resolve_names(X, y, self.task_of_files, as_given=all_as_given(self.params))
        return X, y, self.task_of(X, y)

    def task_of(self, X: Any, y: Any) -> Task:
        """The task for rows and their target, with names resolved.

        Raises:
            ValueError: `task` is no task, or there are criteria for both and none may be skipped.
        """
        from ..estimators.tree import task_of_target

        implied = self._implied_task()
        if implied is None:
            implied = task_of_target(X, y)
        elif implied != self.task and implied == "classification":  # fractions are no classes
            implied = task_of_target(X, None if y is None else np.asarray(y))
        if self.params.get("target_bins") is None and self.on_error != "skip":
            _refuse_criteria_of_both(self.criterion, lambda: self.task or task_of_target(X, y))
        return implied

    @property
    def task_of_files(self) -> Task | None:
        """The task by which a file is read: classification if the call says nothing else, else
        None: the file decides."""
        return "classification" if self._implied_task() == "classification" else None

    def _implied_task(self) -> Task | None:
        """The task that the call names, or that its arguments are for; None if the target
        decides."""
        from ..estimators.tree import task_named

        if self.task is not None:
            return one_of("task", self.task, TASKS)
        tasks = {_declared_task(one) for _, one in named_items(self.estimators, "estimators")}
        for one in (*(one for _, one in named_items(self.criterion, "criterion")), None):
            with suppress(ValueError, TypeError):  # no criterion: its method will say so
                tasks.add(task_named(None, one, self.params))
        if tasks <= {None}:  # a metric never changes what is fitted, but is refused beside it
            tasks |= tasks_of(self.scorers or {})
        return next((one for one in ("regression", "classification") if one in tasks), None)


def _refuse_criteria_of_both(criterion: Any, task_of: Callable[[], Task]) -> None:
    """Refuse criteria on classes beside criteria on numbers.

    Raises:
        ValueError: there are both; the message names the criteria that are not for the task.
    """
    by_task: dict[Task, list[str]] = {"classification": [], "regression": []}
    for name, one in named_items(criterion, "criterion"):
        with suppress(ValueError, TypeError):  # no criterion: its method will say so
            made = make(one)
            if isinstance(made, Criterion):
                by_task["regression" if is_on_number(made) else "classification"].append(repr(name))
    if not all(by_task.values()):
        return
    task = task_of()
    others = by_task["regression" if task == "classification" else "classification"]
    own, what = ("number", "classes") if task == "regression" else ("classes", "numbers")
    verb = "are criteria" if len(others) > 1 else "is a criterion"
    raise ValueError(
        f"{some_of(others)} {verb} on {what}: leave {'them' if len(others) > 1 else 'it'} out "
        f"for {'a ' if own == 'number' else ''}{own}; fasttree.list_criteria(target={own!r}) lists "
        "those that apply"
    )


def refuse_other_task(methods: Iterable[tuple[str, Any]], task: Task) -> None:
    """Refuse methods for another task than this one.

    Raises:
        TypeError: an estimator declares the other task; the message names it.
    """
    for name, one in methods:
        own = _declared_task(one)
        if own not in (None, task):
            raise TypeError(
                f"estimators: {name!r} is a {NOUNS[own]}, and {given('task', shown(task))} "
                f"needs {NOUNS[task]}s; leave it out, or give {argument('task', own)}"
            )


def _declared_task(estimator: Any) -> Task | None:
    """The task that an estimator declares to scikit-learn; None if it declares none."""
    from sklearn.base import is_classifier, is_regressor

    try:
        if is_regressor(estimator):
            return "regression"
        return "classification" if is_classifier(estimator) else None
    except (AttributeError, TypeError):  # not derived from scikit-learn's base
        return None
