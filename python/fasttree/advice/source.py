"""The origin of the rows given to `advise`, as the Python that reads them again.

`Advice.code` begins with this line, so that it runs as it is printed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._checks.aliases import Task
from ..table import Table
from ..table.dates import DateOrder

NO_YEAR = "rows are judged by earlier ones, and no later row repeats a year"
"""Why the years of dates are left out where folds are by time."""


class Source(NamedTuple):
    """What `advise` was given: a file or data set by name, a Table, or a frame."""

    path: str | None
    """The file or data set; None for rows in memory."""
    table: str
    """Python of a Table; "" for anything else."""
    reading: dict[str, Any]
    """Keywords of `fasttree.datasets.load`."""
    nominal: bool
    """Whether the caller named numeric columns that are read as nominal."""

    @classmethod
    def of(cls, X: Any, reading: dict[str, Any], nominal: Any) -> Source:
        """The source of X; `nominal` is the argument ``categorical_features``."""
        path = os.fspath(X) if isinstance(X, (str, os.PathLike)) else None
        table = X.origin or "table" if isinstance(X, Table) else ""
        named = not (isinstance(nominal, str) and nominal == "from_dtype")
        return cls(path, table, reading, named)

    def code(
        self,
        target: str | None,
        drop: list[str],
        *,
        has_gaps: bool,
        task: Task = "classification",
        dates: Mapping[str, DateOrder] | None = None,
        years: Mapping[str, str] | None = None,
    ) -> str:
        """The line of Python that makes `table`.

        Args:
            target: name of the target.
            drop: columns to leave out.
            has_gaps: whether rows without a target are left out.
            task: ``"regression"``: the target is a number.
            dates: columns of dates, and their order.
            years: the years of dates that are not used, and why.

        Examples:
            >>> print(Source("a.csv", "", {"decimal": ","}, False).code("y", [], has_gaps=True))
            table = fasttree.datasets.load('a.csv', target='y', decimal=',').drop_missing_target()
            >>> print(Source(None, "", {}, False).code("y", ["id"], has_gaps=False))
            table = fasttree.Table(frame, target='y').drop('id')
        """
        end = f".with_unused({years!r})" if years else ""
        end += ".drop_missing_target()" if has_gaps else ""
        made = f".with_dates({dates!r})" if dates else ""
        number: dict[str, Any] = {"task": task} if task == "regression" else {}
        if self.path is not None:
            dropped = {"drop": drop} if drop else {}
            keywords = {"target": target, **dropped, **number, **self.reading}
            arguments = "".join(f", {name}={value!r}" for name, value in keywords.items())
            return f"table = fasttree.datasets.load({self.path!r}{arguments}){made}{end}"
        dropped_from = f".drop({', '.join(map(repr, drop))})" if drop else ""
        if self.table:
            of_number = ".as_regression()" if number else ""
            return f"table = {self.table}{of_number}{dropped_from}{made}{end}"
        number |= {"dates": dates} if dates else {}
        options = "".join(f", {name}={value!r}" for name, value in number.items())
        return f"table = fasttree.Table(frame, target={target!r}{options}){dropped_from}{end}"
