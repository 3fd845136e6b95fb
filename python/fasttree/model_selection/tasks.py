"""The task of a comparison, classes or a number, where the caller names none.

A number is predicted if the caller says so, if a criterion reads numbers or `target_bins` is given,
if an estimator is a regressor, or if a metric is one of regression. Criteria, estimators and
metrics of classes say the other; else the target decides (`estimators.tree.task_of_target`).
O(rows).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from .._checks import one_of, shown
from .._checks.aliases import TASKS, Task
from .._checks.speech import argument, given
from .._checks.words import some_of
from ..criteria import Criterion, is_on_number, make
from ..datasets import inputs
from ..table.data_checks.findings import all_as_given
from .arguments import named_items
from .scoring import Scoring, resolve_scoring, tasks_of

NOUNS: dict[Task, str] = {"classification": "classifier", "regression": "regressor"}


def with_task(
    X: Any,
    y: Any,
    task: Task | None,
    *,
    criterion: Any,
    estimators: Any,
    scoring: Any,
    params: Mapping[str, Any],
    on_error: str = "raise",
) -> tuple[Any, Any, Task, Scoring | None]:
    """X and y with names resolved, their task, and the metrics that are named; arguments as in
    `cross_validate`."""
    scorers = None if scoring is None else resolve_scoring(scoring)
    what = {"criterion": criterion, "estimators": estimators, "scoring": scorers, "params": params}
    X, y = inputs.given(X, y, task_to_read(task, **what), as_given=all_as_given(params))
    return X, y, task_for(X, y, task, on_error=on_error, **what), scorers


def task_for(
    X: Any,
    y: Any,
    task: Task | None,
    *,
    criterion: Any,
    estimators: Any,
    scoring: Scoring | None,
    params: Mapping[str, Any],
    on_error: str = "raise",
) -> Task:
    """The task of a call; arguments as in `cross_validate`, names of data and metrics resolved.

    Raises:
        ValueError: `task` is no task, or there are criteria for both and none may be skipped.

    Examples:
        >>> from sklearn.linear_model import Ridge
        >>> rest = {"criterion": None, "scoring": None, "params": {}}
        >>> task_for([[0], [1]], [3, 4], None, estimators=Ridge(), **rest)
        'regression'
        >>> task_for([[0], [1]], [3, 4], None, estimators=None, **rest)
        'classification'
    """
    from ..estimators.tree import task_of_target

    settings = {"criterion": criterion, "estimators": estimators, "scoring": scoring}
    found = _implied(task, params=params, **settings)
    if found is None:
        found = task_of_target(X, y)
    elif found != task and found == "classification":  # fractions are no classes even so
        found = task_of_target(X, None if y is None else np.asarray(y))
    if params.get("target_bins") is None and on_error != "skip":
        _refuse_criteria_of_both(criterion, lambda: task or task_of_target(X, y))
    return found


def task_to_read(task: Task | None, **what: Any) -> Task | None:
    """The task by which a file is read: classification if a call says nothing else, else None: the
    file decides. `what` are the other arguments of `task_for`."""
    return "classification" if _implied(task, **what) == "classification" else None


def _implied(
    task: Task | None,
    *,
    criterion: Any,
    estimators: Any,
    scoring: Scoring | None,
    params: Mapping[str, Any],
) -> Task | None:
    """The task that a call names, or that its arguments are for; None if the target decides."""
    from ..estimators.tree import task_named

    if task is not None:
        return one_of("task", task, TASKS)
    said = {_declared(one) for _, one in named_items(estimators, "estimators")}
    for one in (*(one for _, one in named_items(criterion, "criterion")), None):
        with suppress(ValueError, TypeError):  # no criterion: its method will say so
            said.add(task_named(None, one, params))
    if said <= {None}:  # a metric never changes what is fitted, but is refused beside it
        said |= tasks_of(scoring or {})
    return next((one for one in ("regression", "classification") if one in said), None)


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
