"""Cross-validations of several data sets, for `compare`.

In this process the sets are worked on one after the other, each by one call into the core. On a
cluster, or with a journal, the units of all sets are one stream (`grid`).
"""

from __future__ import annotations

from itertools import count
from typing import Any

from ..table.data_checks.warned import about
from .grid import execution_of, run_tasks
from .interrupts import finish
from .result import CrossValidation
from .validation import Run, check_seeded, make_run


def validate_all(
    loaded: dict[str, Any],
    criteria: Any,
    options: dict[str, Any],
    *,
    groups: dict[str, Any],
    client: Any,
    journal: Any,
    report: Any,
    on_interrupt: str,
) -> tuple[dict[str, CrossValidation], list[str]]:
    """The results by name, and the names of the sets that an interrupt left unfinished.

    Args:
        loaded: Tables or pairs by name.
        criteria: as in `compare`.
        options: further arguments of `make_run`.
        groups: groups of the rows by name, None where there are none.
        client, journal, on_interrupt: as in `compare`.
        report: called with (sets done, sets), or None.
    """

    def prepared(name: str) -> Run:
        return make_run(loaded[name], None, criteria, groups=groups[name], **options)

    done = count(1)

    def validated(name: str) -> CrossValidation:
        with about(name):
            found = prepared(name).carried_out(execution)
        if report is not None:
            report(next(done), len(loaded))
        return found

    with execution_of(client, journal) as execution, about():
        check_seeded(execution, options["random_state"])
        if execution.is_local:
            results, left = finish(loaded, validated, what="data sets", on_interrupt=on_interrupt)
        else:
            runs = {}
            for name in loaded:
                with about(name):
                    runs[name] = prepared(name)
            found = run_tasks(
                [run.task for run in runs.values()],
                execution,
                names=list(runs),
                tasks_report=None if report is None else lambda done: report(done, len(runs)),
                on_interrupt=on_interrupt,
                on_error=options["on_error"],
            )
            results = {
                name: run.finished(one)
                for (name, run), one in zip(runs.items(), found, strict=True)
                if one is not None and len(one.folds.pairs) == len(run.task.folds.pairs)
            }
            left = [name for name in runs if name not in results]
            if not results:
                raise KeyboardInterrupt
    for name, one in results.items():
        one.name = name
    return results, left
