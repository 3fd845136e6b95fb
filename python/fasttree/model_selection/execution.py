"""Running cross-validations: in this process or on a backend, with a journal if there is one.

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
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._checks.data_warnings import warn_caller
from .fits import FoldOutputs, ValidationTask, is_ours, lacks_seed, named_error
from .folds import Folds
from .identity import text_of, version_of
from .interrupts import InterruptedWarning
from .journal import Journal, JournalTask
from .units import (
    Outcome,
    Unit,
    gather_outputs,
    is_left,
    local_units,
    n_finished_folds,
    plan_units,
    run_unit,
)

if TYPE_CHECKING:
    from ..estimators.backends import Backend


class Execution(NamedTuple):
    """Where units run and where they are kept: the backend that computes them (None: this process),
    and the open journal (None: nothing is kept)."""

    backend: Backend | None
    journal: Journal | None

    @property
    def is_local(self) -> bool:
        """Whether this process computes all units itself and nothing is kept on disk: there is
        neither a cluster nor a journal."""
        return self.backend is None and self.journal is None


_default: contextvars.ContextVar[Execution | None] = contextvars.ContextVar(
    "execution", default=None
)


@contextmanager
def execution_of(client: Any, journal: Any) -> Iterator[Execution]:
    """The execution by the arguments of a call, as a context.

    Args:
        client: a ``dask.distributed.Client`` or None.
        journal: path of a journal or None.
    """
    from ..estimators.backends import backend_of

    outer = _default.get()
    if client is None and journal is None and outer is not None and not outer.is_local:
        yield outer
        return
    backend = backend_of(client)
    with contextlib.ExitStack() as stack:
        yield Execution(backend, None if journal is None else stack.enter_context(Journal(journal)))


@contextmanager
def executing_on(client: Any, journal: Any) -> Iterator[None]:
    """A context in which all comparisons use this client and journal, unless they name others.
    Experiments use it, so that their steps need no such arguments."""
    with execution_of(client, journal) as execution:
        token = _default.set(execution)
        try:
            yield
        finally:
            _default.reset(token)


class FinishedTask(NamedTuple):
    """The output of a task that has finished some folds, for all methods alike. It may be less than
    the whole after an interruption."""

    kept: list[int]
    """Positions of the methods that apply."""
    skipped: dict[str, Exception]
    """Errors of the others, by name."""
    outputs: FoldOutputs
    """Output of the methods that apply, on `folds`."""
    folds: Folds
    """The folds that are finished."""


def settings_of(task: ValidationTask) -> dict[str, str]:
    """All that the output of a task depends on, as texts that a journal can compare.

    Raises:
        ValueError: an estimator that draws random numbers without a seed.
    """
    folds = hashlib.sha256()
    for pair in task.folds.pairs:
        for rows in pair:
            folds.update(np.int64(len(rows)).tobytes() + np.ascontiguousarray(rows).data)
    settings = {name: text_of(value) for name, value in task.settings.items()}
    settings["folds"] = folds.hexdigest()[:16]
    for method in task.methods:
        estimator = method.estimator
        if lacks_seed(estimator):
            raise ValueError(
                f"journal= needs a seed of every estimator that draws random numbers: give "
                f"{method.name} a random_state"
            )
        settings[method.name] = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
        if hasattr(estimator, "get_params"):
            for name, value in sorted(estimator.get_params(deep=False).items()):
                if name not in ("n_jobs", "progress", "verbose"):
                    settings[f"{method.name}: {name}"] = text_of(value)
        if not is_ours(estimator):
            package, version = version_of(estimator)
            settings[f"version of {package}"] = version
    settings["scorers of fitted estimators in scoring"] = text_of(task.estimator_scorers)
    settings["data"] = task.data.sha256()
    return settings


def _enter_tasks(
    tasks: list[ValidationTask], names: list[Any], journal: Journal
) -> list[JournalTask]:
    """The journal's entry of each task, which may lack methods."""
    calls = []
    for task, name in zip(tasks, names, strict=True):
        about = {} if name is None else {"data set": repr(name)}
        calls.append((task, name, about | settings_of(task)))
    # All tasks are compared with their entries before anything is written: a task that does not
    # match its entry raises an error, and the journal then stays as it was.
    entries = [journal.meet(*call) for call in calls]
    return [journal.enter(entry, *call) for entry, call in zip(entries, calls, strict=True)]


def _earlier_outcomes(
    tasks: list[ValidationTask], entered: list[JournalTask], journal: Journal | None, on_error: str
) -> list[list[Outcome]]:
    """The outcomes that the journal has of each task; without a journal there are none.

    Raises:
        ValueError, TypeError, NotImplementedError: the journal holds the error of a method that did
            not apply, and `on_error` is not ``"skip"``.
    """
    if journal is None:
        return [[] for _ in tasks]
    outcomes = [journal.outcomes(entry, task) for entry, task in zip(entered, tasks, strict=True)]
    for task, task_outcomes in zip(tasks, outcomes, strict=True):
        for outcome in task_outcomes if on_error == "raise" else ():
            _refuse(task, outcome)
    return outcomes


def run_tasks(
    tasks: list[ValidationTask],
    execution: Execution,
    *,
    names: list[Any],
    report: Callable[[int, int], Any] | None = None,
    tasks_report: Callable[[int], Any] | None = None,
    on_interrupt: str = "raise",
    on_error: str = "raise",
    whole_tasks: bool = False,
) -> list[FinishedTask | None]:
    """Run all tasks and return their outputs, in order. A task without any finished fold gives
    None.

    Args:
        tasks: cross-validations.
        execution: backend and journal.
        names: the data sets' names, for the journal.
        report: called with (fits done, fits).
        tasks_report: called with the number of tasks that are finished.
        on_interrupt: ``"return"``: after Ctrl-C return the finished folds.
        on_error: ``"skip"``: a method that does not apply is left out.
        whole_tasks: a task with an unfinished fold counts as not finished at all.

    Raises:
        ValueError, TypeError, NotImplementedError: a method does not apply; it is named.
    """
    backend, journal = execution

    def n_kept(task: ValidationTask, outcomes: list[Outcome]) -> int:
        n_folds = n_finished_folds(task, outcomes)
        return 0 if whole_tasks and n_folds < len(task.folds.pairs) else n_folds

    entered = [] if journal is None else _enter_tasks(tasks, names, journal)
    outcomes = _earlier_outcomes(tasks, entered, journal, on_error)
    count = _ProgressCount(tasks, outcomes, report, tasks_report)
    # Run the planned units; with a journal, plan the rest by the times of the first units, and
    # repeat.
    run = partial(run_unit, on_error=on_error)
    run = partial(run, report=count.report_with) if execution.is_local else run
    plans: list[list[Unit]] = []
    n_before = 0  # outcomes when the units of `plans` were planned
    try:
        while any(count.left):
            if execution.is_local:
                plans = [local_units(task, on_interrupt) for task in tasks]
            else:
                workers = 1 if backend is None else backend.workers
                plans = plan_units(tasks, outcomes, workers, by_first_folds=journal is not None)
            n_before = sum(map(len, outcomes))
            stream = _outcomes(tasks, plans, run, backend)
            with contextlib.closing(stream):  # type: ignore[type-var]
                for number, outcome in stream:
                    if on_error == "raise":
                        _refuse(tasks[number], outcome)
                    if journal is not None:
                        journal.add(entered[number], tasks[number], outcome)
                    outcomes[number].append(outcome)
                    count.finished(number)
            if journal is not None:
                journal.settled()
    except KeyboardInterrupt:
        if on_interrupt == "raise" or not any(map(n_kept, tasks, outcomes)):
            raise
        n_units = n_before + sum(map(len, plans))
        _warn_of_interrupt(execution, tasks[0].folds, sum(map(len, outcomes)), n_units)
    return [
        _finished(task, task_outcomes, n_kept(task, task_outcomes))
        for task, task_outcomes in zip(tasks, outcomes, strict=True)
    ]


def _warn_of_interrupt(execution: Execution, folds: Folds, n_done: int, n_units: int) -> None:
    """Warn that a result is not whole.

    Args:
        execution: where the units ran.
        folds: the folds of the first task, by which a unit in this process is a fold or a
            repetition.
        n_done: number of finished units.
        n_units: number of finished and planned units; the message leaves it out if it is not
            greater, because the units that are left were still to be planned.
    """
    what = "units of work"
    if execution.is_local:
        what = "repetitions" if folds.n_repeats > 1 else "folds"
    of_units = f" of {n_units}" if n_units > n_done else ""
    warn_caller(
        f"interrupted: {n_done}{of_units} {what} are finished, and the result holds what is whole",
        InterruptedWarning,
    )


def _outcomes(
    tasks: list[ValidationTask],
    plans: list[list[Unit]],
    run: Callable[..., Outcome],
    backend: Backend | None,
) -> Iterator[tuple[int, Outcome]]:
    """Yield (number of the task, outcome) of the units as they are finished."""
    from ..estimators.backends import InProcess

    units = [(str(number), unit) for number, plan in enumerate(plans) for unit in plan]
    # First folds first: a method that does not apply is found out before others go on.
    units.sort(key=lambda numbered_unit: numbered_unit[1].start > 0)
    shared = {str(number): task for number, task in enumerate(tasks)}
    stream = (backend or InProcess()).run(run, units, shared)
    with contextlib.closing(stream):  # type: ignore[type-var]
        for place, outcome in stream:
            yield int(units[place][0]), outcome


def _refuse(task: ValidationTask, outcome: Outcome) -> None:
    """Raise the error of a method that does not apply."""
    for place, error in sorted(outcome.errors.items()):
        raise named_error(task.methods[place].name, error) from error


def _finished(task: ValidationTask, outcomes: list[Outcome], n_folds: int) -> FinishedTask | None:
    """The output of a task on the folds that every method has finished; None if there are no such
    folds.

    Raises:
        ValueError, TypeError, NotImplementedError: no method applies; the first one is named.
    """
    if n_folds == 0:
        return None
    kept, outputs = gather_outputs(task, outcomes, n_folds)
    skipped = {
        task.methods[place].name: error
        for outcome in outcomes
        for place, error in sorted(outcome.errors.items())
    }
    if not kept:
        raise named_error(*next(iter(skipped.items())))
    return FinishedTask(kept, skipped, outputs, task.folds.part(0, n_folds))


class _ProgressCount:
    """Counts finished fits and tasks, and reports them.

    Attributes:
        left: number of fits that are left of each task.
    """

    def __init__(
        self,
        tasks: list[ValidationTask],
        outcomes: list[list[Outcome]],
        report: Callable[[int, int], Any] | None,
        tasks_report: Callable[[int], Any] | None,
    ) -> None:
        self.tasks, self.outcomes = tasks, outcomes
        self.report, self.tasks_report = report, tasks_report
        self.fits = sum(len(task.methods) * len(task.folds.pairs) for task in tasks)
        self.left = [
            int(is_left(task, task_outcomes).sum())
            for task, task_outcomes in zip(tasks, outcomes, strict=True)
        ]
        self.last_reported = 0
        if tasks_report is not None and 0 in self.left:
            tasks_report(self.left.count(0))

    def finished(self, number: int) -> None:
        """Note that a unit of a task is finished."""
        self.left[number] = int(is_left(self.tasks[number], self.outcomes[number]).sum())
        self.report_with(0)
        if self.tasks_report is not None and not self.left[number]:
            self.tasks_report(self.left.count(0))

    def report_with(self, done: int, total: int = 0) -> None:
        """Report how many fits are done, counting `done` fits of the unit that runs."""
        done += self.fits - sum(self.left)
        if self.report is not None and done > self.last_reported:
            self.last_reported = done
            self.report(done, self.fits)
