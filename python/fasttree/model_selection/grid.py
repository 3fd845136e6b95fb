"""Execution of tasks as units of work: on a backend, with a journal if there is one.

What
    The units of all tasks are one stream. A backend (`estimators.backends`) computes them in any
    order, or this process without a plan, by one call into the core. The journal, if there is one,
    returns those that an earlier run has finished and stores each new one. The outcomes are then
    put together task by task.
Complexity
    Beside the units themselves: one message or one line per unit.
"""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..table.data_checks.warned import warn_caller
from .folds import Folds
from .identity import hash_of_rows, text_of, version_of
from .interrupts import InterruptedWarning
from .journal import Journal
from .run import Runs, is_ours
from .units import (
    Outcome,
    Task,
    Unit,
    covers,
    finished_folds,
    first_units,
    gathered,
    local_units,
    named_error,
    plan_units,
    rest_units,
    run_unit,
    units_from,
)

if TYPE_CHECKING:
    from ..estimators.backends import Backend


class Execution(NamedTuple):
    """The backend that computes units (None: this process), and the open journal that keeps
    them."""

    backend: Backend | None
    journal: Journal | None

    @property
    def is_local(self) -> bool:
        """Whether this process computes, and nothing is kept."""
        return self.backend is None and self.journal is None


_given: contextvars.ContextVar[Execution | None] = contextvars.ContextVar("execution", default=None)


@contextmanager
def execution_of(client: Any, journal: Any) -> Iterator[Execution]:
    """The execution that a call asks for, as a context.

    Args:
        client: a ``dask.distributed.Client`` or None.
        journal: path of a journal or None.
    """
    from ..estimators.backends import backend_of

    outer = _given.get()
    if client is None and journal is None and outer is not None and not outer.is_local:
        yield outer
        return
    backend = backend_of(client)
    with contextlib.ExitStack() as stack:
        yield Execution(backend, None if journal is None else stack.enter_context(Journal(journal)))


@contextmanager
def executing_on(client: Any, journal: Any) -> Iterator[None]:
    """A context in which all comparisons use this client and journal, unless they name others."""
    with execution_of(client, journal) as execution:
        token = _given.set(execution)
        try:
            yield
        finally:
            _given.reset(token)


class Finished(NamedTuple):
    """The outcome of a task."""

    kept: list[int]
    """Positions of the methods that apply."""
    skipped: dict[str, Exception]
    """Errors of the others, by name."""
    runs: Runs
    """Output of the methods that apply, on `folds`."""
    folds: Folds
    """The folds that are finished."""


def settings_of(task: Task) -> dict[str, str]:
    """All that the output of a task depends on, as texts that a journal can compare."""
    folds = hashlib.sha256()
    for pair in task.folds.pairs:
        for rows in pair:
            folds.update(np.int64(len(rows)).tobytes() + np.ascontiguousarray(rows).data)
    found = {name: text_of(value) for name, value in task.settings.items()}
    found["folds"] = folds.hexdigest()[:16]
    for method in task.methods:
        estimator = method.estimator
        found[method.name] = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
        if hasattr(estimator, "get_params"):
            for name, value in sorted(estimator.get_params(deep=False).items()):
                if name not in ("n_jobs", "progress", "verbose"):
                    found[f"{method.name}: {name}"] = text_of(value)
        if not is_ours(estimator):
            package, version = version_of(estimator)
            found[f"version of {package}"] = version
    if task.outside:
        found["scorers"] = text_of(task.outside)
    data = task.data
    found["data"] = hash_of_rows(data.X, data.labels, data.table)
    return found


def _plans(
    tasks: list[Task], names: list[Any], execution: Execution, on_interrupt: str
) -> tuple[list[int], list[list[Unit]]]:
    """The number of each task in the journal, and its units. The tasks get their methods in the
    order of the journal, to which methods may be added.

    With a journal these are the units in it, or for a new task the first ones; without a journal
    all units.
    """
    journal = execution.journal
    if journal is None:
        backend, numbers = execution.backend, list(range(len(tasks)))
        if backend is None:
            return numbers, [local_units(task, on_interrupt) for task in tasks]
        return numbers, plan_units(tasks, backend.workers)
    # All tasks are compared with the journal's before anything is written.
    met = []
    for task, name in zip(tasks, names, strict=True):
        about = settings_of(task)
        if name is not None:
            about = {"data set": repr(name), **about}
        methods, n_folds = [m.name for m in task.methods], len(task.folds.pairs)
        met.append((about, *journal.meet(about, name, methods, n_folds)))
    for at, (about, number, known) in enumerate(met):
        task, name = tasks[at], names[at]
        by_name = {method.name: method for method in task.methods}
        if known is None:
            journal.begin(about, first_units(task), name, list(by_name), len(task.folds.pairs))
            continue
        # The journal numbers the methods in the order in which they came to it.
        old = list(known.methods)
        added = [one for one in by_name if one not in old]
        task = tasks[at] = replace(task, methods=[by_name[one] for one in old + added])
        if added:
            journal.extend(number, about, units_from(task, len(old)), added)
    numbers = [number for _, number, _ in met]
    plans = [list(journal.tasks[number].units) for number in numbers]
    return numbers, plans


def run_tasks(
    tasks: list[Task],
    execution: Execution,
    *,
    names: list[Any],
    report: Callable[[int, int], Any] | None = None,
    tasks_report: Callable[[int], Any] | None = None,
    on_interrupt: str = "raise",
    on_error: str = "raise",
) -> list[Finished | None]:
    """Run all tasks; None for one of which nothing is finished.

    Args:
        tasks: cross-validations.
        execution: backend and journal.
        names: the data sets' names, for the journal.
        report: called with (fits done, fits).
        tasks_report: called with the number of tasks that are finished.
        on_interrupt: ``"return"``: after Ctrl-C return what is finished.
        on_error: ``"skip"``: a method that does not apply is left out.

    Raises:
        ValueError, TypeError, NotImplementedError: a method does not apply; it is named.
    """
    asked, tasks = tasks, list(tasks)
    numbers, plans = _plans(tasks, names, execution, on_interrupt)
    # Outcomes of an earlier run, from the journal.
    outcomes: list[dict[int, Outcome]] = [{} for _ in tasks]
    if execution.journal is not None:
        for at, task in enumerate(tasks):
            outcomes[at] = execution.journal.outcomes(numbers[at], task)
    count = _Count(tasks, plans, outcomes, report, tasks_report)
    if on_error == "raise":
        for task, known in zip(tasks, outcomes, strict=True):
            for outcome in known.values():
                _refuse(task, outcome)
    # Run what is planned; with a journal, plan the rest by the times of the first units, and
    # repeat.
    try:
        while True:
            run = partial(run_unit, on_error=on_error)
            run = partial(run, report=count.within) if execution.is_local else run
            stream = _stream(tasks, plans, outcomes, run, execution.backend)
            with contextlib.closing(stream):  # type: ignore[type-var]
                for at, number, outcome in stream:
                    if on_error == "raise":
                        _refuse(tasks[at], outcome)
                    if execution.journal is not None:
                        execution.journal.add(numbers[at], number, outcome)
                    outcomes[at][number] = outcome
                    count.finished(at, number)
            unplanned = [at for at, plan in enumerate(plans) if not covers(tasks[at], plan)]
            if execution.journal is not None:
                execution.journal.settled()
            if execution.journal is None or not unplanned:
                break
            for at in unplanned:
                rest = rest_units(tasks[at], plans[at], outcomes[at])
                execution.journal.plan(numbers[at], tasks[at], rest)
                count.planned(at, rest)
    except KeyboardInterrupt:
        if on_interrupt == "raise" or not any(
            finished_folds(*one) for one in zip(tasks, plans, outcomes, strict=True)
        ):
            raise
        what = "units of work"
        if execution.is_local:
            what = "repetitions" if tasks[0].folds.n_repeats > 1 else "folds"
        warn_caller(
            f"interrupted: {count.units} of {count.all_units} {what} are finished, and the result "
            "holds what is whole",
            InterruptedWarning,
        )
    found = [_finished(*one) for one in zip(tasks, plans, outcomes, strict=True)]
    return [
        one if one is None or task is before else _in_order(one, task, before)
        for one, task, before in zip(found, tasks, asked, strict=True)
    ]


def _in_order(found: Finished, task: Task, asked: Task) -> Finished:
    """The outcome with the methods in the order in which the caller named them."""
    names = [method.name for method in asked.methods]
    places = [names.index(task.methods[place].name) for place in found.kept]
    order = np.argsort(places)
    return found._replace(kept=sorted(places), runs=found.runs.of_methods(order))


def _stream(
    tasks: list[Task],
    plans: list[list[Unit]],
    outcomes: list[dict[int, Outcome]],
    run: Callable[..., Outcome],
    backend: Backend | None,
) -> Iterator[tuple[int, int, Outcome]]:
    """(task, number of the unit, outcome) of the units that are left, as they are finished."""
    from ..estimators.backends import InProcess

    left = [
        (at, number)
        for at, plan in enumerate(plans)
        for number in range(len(plan))
        if number not in outcomes[at]
    ]
    if not left:
        return
    # First folds first: a method that does not apply is found out before others go on.
    left.sort(key=lambda one: plans[one[0]][one[1]].start > 0)
    stream = (backend or InProcess()).run(
        run,
        [(str(at), plans[at][number]) for at, number in left],
        {str(at): task for at, task in enumerate(tasks)},
    )
    with contextlib.closing(stream):  # type: ignore[type-var]
        for where, outcome in stream:
            yield (*left[where], outcome)


def _refuse(task: Task, outcome: Outcome) -> None:
    """Raise the error of a method that does not apply."""
    for at, error in sorted(outcome.errors.items()):
        raise named_error(task.methods[at].name, error) from error


def _finished(task: Task, plan: list[Unit], outcomes: dict[int, Outcome]) -> Finished | None:
    """The outcome of a task; None if no fold is finished by every method."""
    n_folds = finished_folds(task, plan, outcomes)
    if n_folds == 0:
        return None
    kept, runs = gathered(task, plan, outcomes, n_folds)
    skipped = {
        task.methods[place].name: error
        for one in outcomes.values()
        for place, error in sorted(one.errors.items())
    }
    if not kept:
        raise named_error(*next(iter(skipped.items())))
    return Finished(kept, skipped, runs, task.folds.part(0, n_folds))


class _Count:
    """Counts of finished units, fits and tasks, which are reported as they grow."""

    def __init__(
        self,
        tasks: list[Task],
        plans: list[list[Unit]],
        outcomes: list[dict[int, Outcome]],
        report: Callable[[int, int], Any] | None,
        tasks_report: Callable[[int], Any] | None,
    ) -> None:
        self.plans, self.report, self.tasks_report = plans, report, tasks_report
        self.said = 0
        # Units left of each task; what is not planned yet counts as one.
        self.left = [
            len(p) - len(o) + (not covers(t, p))
            for t, p, o in zip(tasks, plans, outcomes, strict=True)
        ]
        self.all_units = sum(map(len, plans))
        self.units = sum(map(len, outcomes))
        self.fits = sum(len(t.methods) * len(t.folds.pairs) for t in tasks)
        self.done = sum(
            self._size(plans[at][number]) for at, o in enumerate(outcomes) for number in o
        )
        if self.tasks_report is not None and 0 in self.left:
            self.tasks_report(self.left.count(0))

    @staticmethod
    def _size(unit: Unit) -> int:
        """Fits of a unit."""
        return len(unit.places) * (unit.stop - unit.start)

    def planned(self, at: int, units: list[Unit]) -> None:
        """Note that further units of a task are planned."""
        self.plans[at] += units
        self.left[at] += len(units) - 1
        self.all_units += len(units)

    def finished(self, at: int, number: int) -> None:
        """Note that a unit of a task is finished."""
        self.units += 1
        self.left[at] -= 1
        self.done += self._size(self.plans[at][number])
        self.within(0)
        if self.tasks_report is not None and not self.left[at]:
            self.tasks_report(self.left.count(0))

    def within(self, done: int, total: int = 0) -> None:
        """Report how many fits are done, counting `done` fits of the unit that runs."""
        if self.report is not None and self.done + done > self.said:
            self.said = self.done + done
            self.report(self.said, self.fits)
