"""Names in place of data: data sets and files as X, and columns of X as y.

Every public function that takes (X, y) calls `resolve_names`. So ``"iris"`` (a bundled data set),
``"data.csv"`` (a file) and ``(frame, "column")`` are accepted wherever a `Table` or arrays are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .._checks import as_list, shown
from .._checks.aliases import MaybeArray, Task
from .._checks.data_warnings import is_quiet, warn_caller
from .._checks.words import data_row
from ..table import Table
from ..table.named_columns import pop_column
from .errors import DataFileError
from .files import load
from .genotypes import Genotypes


def load_if_named(
    X: Any,
    target: str | None = None,
    task: Task | None = None,
    *,
    as_given: bool = True,
    missing: Any = (),
) -> Any:
    """The Table of the data set or file that X names, or X itself if it is no name.

    Rows without a class or number are dropped, with a warning.

    Args:
        X: rows, or the name of a data set or file.
        target, task, missing: as in `load`.
        as_given: as in `resolve_names`.
    """
    if not isinstance(X, (str, os.PathLike)):
        return X
    read = load(X, target=target, task=task, as_given=as_given, missing=missing)
    return drop_unlabelled(read)


def drop_unlabelled(read: Table, before: str = "") -> Table:
    """The rows of a Table that have a class or number; a warning that begins with `before` says how
    many have none."""
    if read.target is None:
        return read
    if len(gone := read.missing_target) and not is_quiet():
        what = "number" if read.task == "regression" else "class"
        said = left_out(len(gone), f"{len(read):,} rows", what)
        warn_caller(f"{before}{said}, first {data_row(int(gone[0]))}")
    return read.drop_missing_target()


def left_out(count: int, of: str, without: str) -> str:
    """A phrase on rows that are left out.

    Args:
        count: number of these rows.
        of: the number of all rows, with the noun.
        without: what the rows lack.

    Examples:
        >>> left_out(1, "3 rows", "class"), left_out(2, "3 rows", "class")
        ('1 of 3 rows has no class and is left out', '2 of 3 rows have no class and are left out')
    """
    have, are = ("has", "is") if count == 1 else ("have", "are")
    return f"{count} of {of} {have} no {without} and {are} left out"


def as_nominal(table: Table, wanted: Any) -> Table:
    """The Table in which further columns are nominal: a list of names, "all", or "from_dtype" for
    none."""
    if wanted == "from_dtype":
        return table
    own = [column.name for column in table.columns if column.kind == "nominal"]
    names = table.feature_names if wanted == "all" else as_list("categorical_features", wanted)
    return Table.from_any(table, categorical_features=[*own, *names])


def resolve_for_model(
    target: str, X: Any, task: Task | None = None, **options: Any
) -> tuple[Any, Any]:
    """`resolve_names` of rows for a model, without y: the target of a file is the column that has
    the name of the model's target, if there is one."""
    if isinstance(X, (str, os.PathLike)):
        try:
            read = load_if_named(X, target, task, **options)
            if read.target.lower() == target.lower():  # no position
                return read, None
        except DataFileError as error:
            if error.value != target or error.line is not None:
                raise
    return resolve_names(X, None, task, **options)


def read_new_rows(
    file: str | os.PathLike[str], target: str, names: Sequence[str], **options: Any
) -> Table:
    """The new rows of a file or data set for a fitted model, without the column of the target.

    Args:
        file: the name of the data set or file.
        target: name of the target of the model.
        names: names of the columns of the model.
        options: `as_given` and `missing`, as in `load_if_named`.
    """
    read = load(file, target=False, **options)
    last = read.feature_names[-1]
    if target in read.feature_names and target not in names:
        return read.drop(target)
    nameless = not read.has_feature_names and read.n_features == len(names) + 1
    return read.drop(last) if nameless else read


def resolve_names(
    X: Any, y: Any, task: Task | None = None, *, as_given: bool = True, missing: Any = ()
) -> tuple[Any, Any]:
    """X and y with names resolved: a data set or file instead of X, a column of X instead of y.

    Args:
        X: rows, or the name of a data set or file.
        y: labels or numbers, the name of their column, or None.
        task: of the Table of a data set or file, as in `load`.
        as_given: whether the columns of a file are used as they are, or are still to be checked.
        missing: what missing cells of a file hold, as in `load`.

    Raises:
        FileNotFoundError: a name that is neither a bundled data set nor a file.
        ValueError: y names no column of X, or X has no names.
        TypeError: X is Genotypes.

    Examples:
        >>> resolve_names({"a": [1, 2], "b": ["x", "y"]}, "b")
        ({'a': [1, 2]}, ['x', 'y'])
    """
    if isinstance(X, (str, os.PathLike)):
        if y is not None and not isinstance(y, str):
            raise ValueError(
                f"X={os.fspath(X)!r} names a data set, which brings its classes or numbers: y is "
                "the name of its target column, or None"
            )
        return load_if_named(X, y, task, as_given=as_given, missing=missing), None
    if isinstance(X, Genotypes):
        raise TypeError(f"X={shown(X)} has no columns of its own: give X.to_table()")
    return pop_column(X, y) if isinstance(y, str) else (X, y)


def table_of(X: Any, y: MaybeArray = None, **options: Any) -> Table:
    """`Table.from_any` that also takes names of data sets and files."""
    return Table.from_any(*resolve_names(X, y, options.get("task")), **options)
