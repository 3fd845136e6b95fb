"""The task of a comparison, classes or a number, where the caller names none.

A number is predicted if the caller says so, if a criterion reads numbers or `target_bins` is given,
if an estimator is a regressor, or if a metric is one of regression. Criteria, estimators and
metrics of classes say the other; else the target decides (`estimators.tree.task_of_target`).
O(rows).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._checks import one_of, shown
from .._checks.aliases import TASKS, Task
from .._checks.words import argument, given, some_of
from ..criteria import Criterion, is_on_number, make
from ..datasets import inputs
from ..table.data_checks.findings import all_as_given
from .arguments import named_items
from .scoring import resolve_scoring, tasks_of

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
        """X and y with names resolved, and their task."""
        X, y = inputs.given(X, y, self.task_of_files, as_given=all_as_given(self.params))
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
        tasks = {_declared(one) for _, one in named_items(self.estimators, "estimators")}
        for one in (*(one for _, one in named_items(self.criterion, "criterion")), None):
            with suppress(ValueError, TypeError):  # no criterion: its method will say so
                tasks.add(task_named(None, one, self.params))
        if tasks <= {None}:  # a metric never changes what is fitted, but is refused beside it
            tasks |= tasks_of(self.scorers or {})
        return next((one for one in ("regression", "classification") if one in tasks), None)


def _refuse_criteria_of_both(criterion: Any, task_of: Callable[[], Task]) -> None:
    """Refuse criteria on classes beside criteria on numbers, and name those that are not for the
    task.

    Raises:
        ValueError: naming them.
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
    """Refuse a method that says it is for the other task.

    Raises:
        TypeError: naming it.
    """
    for name, one in methods:
        own = _declared(one)
        if own not in (None, task):
            raise TypeError(
                f"estimators: {name!r} is a {NOUNS[own]}, and {given('task', shown(task))} "
                f"needs {NOUNS[task]}s; leave it out, or give {argument('task', own)}"
            )


def _declared(estimator: Any) -> Task | None:
    """The task that an estimator says it is for; None if it does not say."""
    from sklearn.base import is_classifier, is_regressor

    try:
        if is_regressor(estimator):
            return "regression"
        return "classification" if is_classifier(estimator) else None
    except (AttributeError, TypeError):  # not derived from scikit-learn's base
        return None
