"""The first step of `advise`: a Table whose columns are treated as a fit treats the columns of a
frame, and the Python that reads its rows again.

Identifiers and columns of one value carry no information about new rows. They stay in the Table, so
that the tree accepts rows with them, but no tree splits on them; year, month and weekday stand for
dates. Arrays and Tables are screened as well. Rows without a class or number are left out.
`Advice.code` begins with the line of the `Source`, so that it runs as it is printed.
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._checks import shown
from .._checks.aliases import Task
from .._checks.words import argument, counted, option
from ..datasets import load
from ..datasets.inputs import as_nominal, resolve_names
from ..estimators.tree import task_of_target
from ..table import Table
from ..table.data_checks.findings import inspect, treated
from ..table.data_checks.frames import unscreened_table
from ..table.dates import DateOrder, part_names
from ..table.number_texts import dates_or_numbers
from ..table.sources import check_known, names_of
from ..table.target import no_target

DROPPED = "left out by the caller"
"""The reason of a column that `drop` names."""


class Screened(NamedTuple):
    """Rows to learn from, as `screened` returns them. Their columns are marked as used or unused;
    none is removed."""

    table: Table
    """All columns of the data. Unused are columns that screening leaves out, columns in `drop`, and
    dates."""
    left_out: list[tuple[str, str]]
    """(column, reason) of the columns that screening found."""
    unlabelled: np.ndarray
    """Numbers of the rows without a class or number, which were dropped."""
    raw: Table
    """The rows before columns were left out and dates became numbers."""


def screened(
    X: Any,
    y: Any,
    drop: tuple[str, ...] = (),
    *,
    nominal: Any = "from_dtype",
    reading: dict[str, Any] | None = None,
    task: Task | None = None,
) -> Screened:
    """Read X and y, and mark the columns that are not to be used.

    Args:
        X, y: as in `fasttree.advise`.
        drop: columns that the caller leaves out.
        nominal: names of numeric columns to be read as nominal, or "all".
        reading: keywords of `fasttree.datasets.load`, for a file.
        task: what the target is; None: detected as in `fasttree.fit`.

    Raises:
        ValueError: no target, no class or one, a target that is no class, or a constant number.
    """
    is_class = task == "classification"
    # A Table, without the columns that it cannot hold because of too many levels.
    if isinstance(X, (str, os.PathLike)):
        table = load(X, y, drop, task=task, as_given=False, **(reading or {}))
    else:
        for name, value in (reading or {}).items():
            raise ValueError(
                f"{option(name)}={shown(value)} is for a file; X is none: leave {name} out"
            )
        X, y = resolve_names(X, y)
        task = task or task_of_target(X, y)
        present = [] if isinstance(X, Table) else set(names_of(X) or []).intersection(drop)
        unused = {"unused": dict.fromkeys(present, DROPPED)} if present else {}
        table = unscreened_table(X, y, task=task, **unused)
        check_known(drop, table.feature_names, "drop")
    # The caller's words on columns: those to drop, and those to read as nominal.
    table = table.drop(*set(part_names(drop)).intersection(table.feature_names))
    table = as_nominal(table.with_unused(dict.fromkeys(drop, DROPPED)), nominal)
    if table.target is None:
        raise no_target()
    # The rows with a target, and the columns without information.
    unlabelled = table.missing_target
    table = table.drop_missing_target()
    findings = inspect(table)
    for constant in findings.of("constant_target"):
        is_number = table.task == "regression"
        what = f"is {constant.evidence:g} in all rows" if is_number else "has one class"
        raise ValueError(f"the target {table.target!r} {what}: there is nothing to predict")
    if task == "classification" or table.task == "classification":
        _check_classes(table, is_class=is_class)
    raw, table = table, treated(table, findings.reasons)
    if len(table.unused) == table.n_features:
        raise ValueError(
            "no column is left to learn from: "
            + "; ".join(f"{name}: {why}" for name, why in list(table.unused.items())[:5])
        )
    left_out = [
        (name, why)
        for name, why in table.unused.items()
        if why != DROPPED and name not in table.dates
    ]
    return Screened(table, left_out, unlabelled, raw)


def _check_classes(table: Table, *, is_class: bool) -> None:
    """Refuse a target with too many values for classes (one in five rows), and numbers as text,
    unless the caller says that it has classes."""
    counts = np.bincount(table.y_codes, minlength=len(table.classes))
    occurring = int((counts > 0).sum())
    too_many = occurring > max(20, len(table) // 5)
    if (
        occurring > 20
        and (hidden := dates_or_numbers(table.classes))
        and (too_many or not is_class)
    ):
        raise ValueError(f"the target {table.target!r} holds {hidden}")
    if too_many:
        raise ValueError(
            f"the target {table.target!r} has {counted(occurring, 'class')} in "
            f"{counted(len(table), 'row')}: that "
            "is an identifier or a number to be estimated, not a class; name the class column, "
            f"give {argument('task', 'regression')} for a number, or cut the numbers into a few "
            "groups first"
        )


NO_YEAR = "trees are judged on later rows, whose years they have not seen"
"""Why the years of dates are left out where folds are by time."""


class Source(NamedTuple):
    """What `advise` was given: a file or data set by name, a Table, or rows in memory."""

    path: str | None
    """The file or data set; None for rows in memory."""
    table: str
    """Python of a Table; "" for anything else."""
    rows: str
    """Names of anything else: "frame", which holds the target, or "X, y"."""
    reading: dict[str, Any]
    """Keywords of `fasttree.datasets.load`."""
    nominal: bool
    """Whether the caller named numeric columns that are read as nominal."""
    dates: Container[str] = ()
    """Columns of dates of a Table or file that it reads as year, month and weekday."""

    @classmethod
    def of(
        cls, X: Any, y: Any, reading: dict[str, Any], nominal: Any, dates: Container[str]
    ) -> Source:
        """Describe where X and y come from. `nominal` is the argument ``categorical_features``, and
        `dates` names the columns that a Table or file already reads as dates."""
        path = os.fspath(X) if isinstance(X, (str, os.PathLike)) else None
        table = X.origin or "table" if isinstance(X, Table) else ""
        rows = "frame" if isinstance(y, str) else "X, y"
        named = not (isinstance(nominal, str) and nominal == "from_dtype")
        return cls(path, table, rows, reading, named, dates)

    def code(
        self,
        target: str | None,
        unused: Mapping[str, str],
        *,
        has_gaps: bool,
        task: Task = "classification",
        dates: Mapping[str, DateOrder] | None = None,
    ) -> str:
        """The line of Python that makes `table`, in which columns that are left out keep a place,
        so that the tree takes new rows with and without them.

        Args:
            target: name of the target.
            unused: why columns are left out, among them years of dates, by name.
            has_gaps: whether rows without a target are left out.
            task: ``"regression"``: the target is a number.
            dates: columns of dates, and their order.

        Examples:
            >>> source = Source("a.csv", "", "frame", {"decimal": ","}, False)
            >>> print(source.code("y", {}, has_gaps=True))
            table = fasttree.datasets.load('a.csv', target='y', decimal=',').drop_missing_target()
            >>> source = Source(None, "", "frame", {}, False)
            >>> print(source.code("y", {"id": "an identifier"}, has_gaps=False))
            table = fasttree.Table(frame, target='y', unused={'id': 'an identifier'})
        """
        parts = set(part_names(dates or ()))
        columns = {name: why for name, why in unused.items() if name not in parts}
        options: dict[str, Any] = {"task": task} if task == "regression" else {}
        roles: dict[str, Any] = {"dates": dates, "unused": columns}
        roles = {name: value for name, value in roles.items() if value}
        made_here = {name: order for name, order in (dates or {}).items() if name not in self.dates}
        steps = [
            f".with_{name}({value!r})"
            for name, value in {**roles, "dates": made_here}.items()
            if value
        ]
        if self.path is not None:
            options = {"target": target, **options, **self.reading}
            if roles:  # columns that no Table can hold are unused as well
                options["as_given"] = False
            made = f"fasttree.datasets.load({self.path!r}{_keywords(options)})"
        elif self.table:
            made = self.table + (".as_regression()" if options else "")
        else:
            named = {"target": target} if self.rows == "frame" else {}
            made, steps = f"fasttree.Table({self.rows}{_keywords(named | options | roles)})", []
        years = {name: why for name, why in unused.items() if name in parts}
        steps += [f".with_unused({years!r})"] if years else []
        return f"table = {made}{''.join(steps)}{'.drop_missing_target()' if has_gaps else ''}"


def _keywords(values: Mapping[str, Any]) -> str:
    """Arguments of a call after the first one."""
    return "".join(f", {name}={value!r}" for name, value in values.items())
