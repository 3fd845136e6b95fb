"""Cross-validations of several data sets, for `compare`.

In this process the sets are worked on one after the other, each by one call into the core. On a
cluster, or with a journal, the units of all sets are one stream (`grid`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from .._checks.data_warnings import warnings_about
from .grid import Execution, run_tasks
from .interrupts import finish
from .result import CrossValidation
from .validation import Run


def validate_all(
    run_makers: Mapping[str, Callable[[], Run]],
    execution: Execution,
    *,
    report: Callable[[int, int], Any] | None,
    on_interrupt: str,
    on_error: str,
) -> tuple[dict[str, CrossValidation], list[str]]:
    """The results by name, and the names of the sets that an interrupt left unfinished.

    Args:
        run_makers: for each name of a data set a function that prepares its cross-validation.
        execution: backend and journal.
        report: called with (sets done, sets), or None.
        on_interrupt, on_error: as in `compare`. After an interrupt, sets that run as one stream
            are finished if all of their folds are.
    """
    if execution.is_local:
        n_done = count(1)

        def validated(name: str) -> CrossValidation:
            with warnings_about(name):
                result = run_makers[name]().carried_out(execution)
            if report is not None:
                report(next(n_done), len(run_makers))
            return result

        return finish(run_makers, validated, what="data sets", on_interrupt=on_interrupt)
    runs: dict[str, Run] = {}
    for name, make_run in run_makers.items():
        with warnings_about(name):
            runs[name] = make_run()
    outcomes = run_tasks(
        [run.task for run in runs.values()],
        execution,
        names=list(runs),
        tasks_report=None if report is None else lambda n_done: report(n_done, len(runs)),
        on_interrupt=on_interrupt,
        on_error=on_error,
        whole_tasks=True,
    )
    results = {}
    for (name, run), outcome in zip(runs.items(), outcomes, strict=True):
        if outcome is not None:
            with warnings_about(name):
                results[name] = run.finished(outcome)
    return results, [name for name in runs if name not in results]
