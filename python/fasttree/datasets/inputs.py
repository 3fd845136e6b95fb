"""Resolution of (X, y): names of data sets and of target columns become rows and labels.

Every public function that takes (X, y) calls this. So ``"iris"`` (a bundled set), ``"data.csv"`` (a
file) and ``(frame, "column")`` are accepted wherever a `Table` or arrays are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from .._checks.aliases import MaybeArray, Task
from ..table import Table
from ..table.columns import MAX_LEVELS
from ..table.inputs import without_column
from ..table.screening import screened, table_to_screen
from .errors import DataFileError
from .files import load
from .plink import is_plink

__all__ = ["file_to_screen", "given", "loaded", "table_for", "table_of"]


def loaded(
    X: Any, target: str | None = None, task: Task | None = None, *, as_given: bool = True
) -> Any:
    """X itself, or the Table of a data set or file that it names; rows without a class or number
    are left out. `target` and `task` are those of `load`, `as_given` as in `given`."""
    if not isinstance(X, (str, os.PathLike)):
        return X
    if as_given:
        return load(X, target=target, task=task).drop_missing_target()
    return file_to_screen(X, target, task=task).drop_missing_target()


def file_to_screen(
    path: Any, target: Any = None, drop: Iterable[str] = (), **options: Any
) -> Table:
    """The Table of a file whose columns are still to be screened (`Table.as_given` is False).

    Columns of more levels than a Table can hold are unused. Bundled data sets and genotypes are
    taken as given.

    Args:
        path, target: as in `load`.
        drop: names of columns to leave out.
        options: further arguments of `load`.
    """
    unread: dict[str, str] = {}
    while True:
        try:
            table = load(path, target, drop=[*drop, *unread], **options)
            break
        except DataFileError as error:
            name = error.column
            if name is None or "distinct labels" not in str(error) or name in (*drop, *unread):
                raise
            unread[name] = f"an identifier: more than {MAX_LEVELS:,} levels"
    origin = table.origin
    table = table.with_unused(unread) if unread else table.take(slice(None))
    text = os.path.expanduser(os.fspath(path))
    table.as_given = is_plink(text) or not (os.path.exists(text) or text.startswith("openml:"))
    table.origin = origin
    return table


def given(X: Any, y: Any, task: Task | None = None, *, as_given: bool = True) -> tuple[Any, Any]:
    """X and y with names resolved: a data set or file instead of X, a column of X instead of y.

    Args:
        X: rows, or the name of a data set or file.
        y: labels or numbers, the name of their column, or None.
        task: of the Table of a data set or file, as in `load`.
        as_given: False: the Table of a file is one whose columns are still to be screened.

    Raises:
        FileNotFoundError: a name that is neither a bundled data set nor a file.
        ValueError: y names no column of X, or X has no names.

    Examples:
        >>> given({"a": [1, 2], "b": ["x", "y"]}, "b")
        ({'a': [1, 2]}, ['x', 'y'])
    """
    if isinstance(X, (str, os.PathLike)):
        if y is not None and not isinstance(y, str):
            raise ValueError(
                f"X={os.fspath(X)!r} names a data set, which brings its classes or numbers: y is "
                "the name of its target column, or None"
            )
        return loaded(X, y, task, as_given=as_given), None
    return without_column(X, y) if isinstance(y, str) else (X, y)


def table_of(X: Any, y: MaybeArray = None, **options: Any) -> Table:
    """A Table of what a caller gave: `Table.from_any` that takes names of data sets and files."""
    return Table.from_any(*given(X, y, options.get("task")), **options)


def table_for(X: Any, y: Any, columns: Any, **options: Any) -> Table:
    """The Table that a fit reads, of what a caller gave: columns of a frame or file are screened.

    Args:
        X, y: as in `given`.
        columns: as in `fasttree.table.screening.kept_columns`.
        options: those of `Table`.
    """
    as_given = isinstance(columns, str) and columns == "as_given"
    X, y = given(X, y, options.get("task"), as_given=as_given)
    return (
        Table.from_any(X, y, **options)
        if as_given
        else screened(table_to_screen(X, y, **options), columns)
    )
