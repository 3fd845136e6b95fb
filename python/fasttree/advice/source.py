"""The origin of the rows given to `advise`, as the Python that reads them again.

`Advice.code` begins with this line, so that it runs as it is printed.
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from typing import Any, NamedTuple

from .._checks.aliases import Task
from ..table import Table
from ..table.dates import DateOrder, part_names

NO_YEAR = "rows are judged by earlier ones, and no later row repeats a year"
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
    """Columns of dates of a Table or file, of which it has year, month and weekday as read."""

    @classmethod
    def of(
        cls, X: Any, y: Any, reading: dict[str, Any], nominal: Any, dates: Container[str]
    ) -> Source:
        """The source of X and y; `nominal` is the argument ``categorical_features``."""
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
