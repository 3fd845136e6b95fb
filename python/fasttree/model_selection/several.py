"""Cross-validations of several data sets, for `compare`.

In this process the sets are worked on one after the other, each by one call into the core. On a
cluster, or with a journal, the units of all sets are one stream (`grid`).
"""

from __future__ import annotations

from typing import Any

from ..table.data_checks.warned import about
from .grid import Execution, execution_of, run_tasks
from .interrupts import finish
from .result import CrossValidation
from .validation import check_seeded, make_run

__all__ = ["validate_all"]


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
    on_error: str,
) -> tuple[dict[str, CrossValidation], list[str]]:
    """The results by name, and the names of the sets that an interrupt left unfinished.

    Args:
        loaded: Tables or pairs by name.
        criteria: as in `compare`.
        options: further arguments of `make_run`.
        groups: groups of the rows by name, None where there are none.
        client, journal, on_interrupt, on_error: as in `compare`.
        report: called with (sets done, sets), or None.
    """
    policy = {"on_interrupt": on_interrupt, "on_error": on_error}
    with execution_of(client, journal) as execution, about():
        check_seeded(execution, options["random_state"])
        run_sets = _one_by_one if execution.is_local else _in_units
        return run_sets(loaded, criteria, options, execution, report, groups=groups, **policy)


def _one_by_one(
    loaded: dict[str, Any],
    criteria: Any,
    options: dict[str, Any],
    execution: Execution,
    report: Any,
    *,
    groups: dict[str, Any],
    on_interrupt: str,
    on_error: str,
) -> tuple[dict[str, CrossValidation], list[str]]:
    """Run one set after the other, each by one call into the core."""
    done = 0

    def validated(name: str) -> CrossValidation:
        nonlocal done
        with about(name):
            run = make_run(loaded[name], None, criteria, groups=groups[name], **options)
            found = run.carried_out(execution, on_error)
        found.name = name
        done += 1
        if report is not None:
            report(done, len(loaded))
        return found

    return finish(loaded, validated, what="data sets", on_interrupt=on_interrupt)


def _in_units(
    loaded: dict[str, Any],
    criteria: Any,
    options: dict[str, Any],
    execution: Execution,
    report: Any,
    *,
    groups: dict[str, Any],
    **policy: Any,
) -> tuple[dict[str, CrossValidation], list[str]]:
    """Run the units of all sets as one stream; the sets of which all folds are finished."""
    runs = {}
    for name, table in loaded.items():
        with about(name):
            runs[name] = make_run(table, None, criteria, groups=groups[name], **options)
    found = run_tasks(
        [run.task(policy["on_error"]) for run in runs.values()],
        execution,
        names=list(runs),
        tasks_report=None if report is None else lambda done: report(done, len(runs)),
        **policy,
    )
    results = {}
    for (name, run), one in zip(runs.items(), found, strict=True):
        if one is not None and len(one.folds.pairs) == len(run.folds.pairs):
            results[name] = run.finished(one)
            results[name].name = name
    if not results:
        raise KeyboardInterrupt
    return results, [name for name in runs if name not in results]
