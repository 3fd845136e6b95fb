"""Cross-validations of several data sets, for `compare`.

In this process the sets are worked on one after the other, each by one call into the core. On a
cluster, or with a journal, the units of all sets are one stream (`grid`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from ..table.data_checks.warned import about
from .grid import Execution, run_tasks
from .interrupts import finish
from .result import CrossValidation
from .validation import Run


def validate_all(
    prepare: Mapping[str, Callable[[], Run]],
    execution: Execution,
    *,
    report: Any,
    on_interrupt: str,
    on_error: str,
) -> tuple[dict[str, CrossValidation], list[str]]:
    """The results by name, and the names of the sets that an interrupt left unfinished.

    Args:
        prepare: for each name of a data set a function that prepares its cross-validation.
        execution: backend and journal.
        report: called with (sets done, sets), or None.
        on_interrupt, on_error: as in `compare`.
    """
    done = count(1)

    def prepared(name: str) -> Run:
        with about(name):
            return prepare[name]()

    def validated(name: str) -> CrossValidation:
        with about(name):
            found = prepare[name]().carried_out(execution)
        if report is not None:
            report(next(done), len(prepare))
        return found

    if execution.is_local:
        return finish(prepare, validated, what="data sets", on_interrupt=on_interrupt)
    runs = {name: prepared(name) for name in prepare}
    found = run_tasks(
        [run.task for run in runs.values()],
        execution,
        names=list(runs),
        tasks_report=None if report is None else lambda done: report(done, len(runs)),
        on_interrupt=on_interrupt,
        on_error=on_error,
    )
    results = {
        name: run.finished(one)
        for (name, run), one in zip(runs.items(), found, strict=True)
        if one is not None and len(one.folds.pairs) == len(run.task.folds.pairs)
    }
    if not results:
        raise KeyboardInterrupt
    return results, [name for name in runs if name not in results]
