"""Resolution of (X, y): names of data sets and of target columns become rows and labels.

Every public function that takes (X, y) calls this. So ``"iris"`` (a bundled set), ``"data.csv"`` (a
file) and ``(frame, "column")`` are accepted wherever a `Table` or arrays are.
"""

from __future__ import annotations

import os
from typing import Any

from .._checks.aliases import MaybeArray
from ..table import Table
from ..table.inputs import without_column
from .files import load

__all__ = ["given", "loaded", "table_of"]


def loaded(X: Any) -> Any:
    """X itself, or the Table of a data set or file that it names; rows without a class are left
    out, with a warning."""
    if not isinstance(X, (str, os.PathLike)):
        return X
    return load(X).drop_missing_target()


def given(X: Any, y: Any) -> tuple[Any, Any]:
    """X and y with names resolved: a data set or file instead of X, a column of X instead of y.

    Raises:
        FileNotFoundError: a name that is neither a bundled data set nor a file.
        ValueError: y names no column of X, or X has no names.

    Examples:
        >>> given({"a": [1, 2], "b": ["x", "y"]}, "b")
        ({'a': [1, 2]}, ['x', 'y'])
    """
    if isinstance(X, (str, os.PathLike)):
        if isinstance(y, str):
            return load(X, target=y).drop_missing_target(), None
        if y is not None:
            raise ValueError(
                f"X={os.fspath(X)!r} names a data set, which brings its classes: y is the name of "
                "its target column, or None"
            )
        return loaded(X), None
    return without_column(X, y) if isinstance(y, str) else (X, y)


def table_of(X: Any, y: MaybeArray = None, **options: Any) -> Table:
    """A Table of what a caller gave: `Table.from_any` that takes names of data sets and files."""
    return Table.from_any(*given(X, y), **options)
