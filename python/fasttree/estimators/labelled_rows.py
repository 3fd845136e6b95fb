"""Labelled rows for a fitted model, for evaluation, pruning and explanation.

What
    `labelled` makes a Table with the levels and classes of the model. `resolve_names_for` puts rows
    and labels in the place of the names of data sets, files and columns.
Complexity
    One pass over the cells.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from .. import _engine
from .._checks.aliases import MaybeArray, Task
from ..datasets.inputs import resolve_for_model, resolve_names
from ..table import Table
from ..table.columns import Column
from ..table.named_columns import pop_column
from ..table.sources import names_of
from .new_rows import dates_of, recoded, table_options, with_names
from .recoding import as_declared
from .schema import Schema


def labelled(schema: Schema, X: Any, y: MaybeArray = None) -> Table:
    """Labelled rows as a Table with the declared levels and classes; numbers are not changed.

    A model without classes predicts a number, and the target of the Table is one.

    Raises:
        ValueError: no labels, or a label that is not a class of the model.
    """
    task: Task = "classification" if schema.classes else "regression"
    X, y = resolve_names_for(schema, X, y, task)
    if isinstance(X, Table) and y is None:
        table = X.with_dates(dates_of(schema, X))
    else:
        X = with_names(schema, X)
        table = Table.from_any(X, y, task=task, **table_options(schema, X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # encode_rows has warned of undeclared labels
        converted = recoded(schema, table, "missing")
    if task == "regression":
        target = Column(table.target or "y", "numeric", table.as_regression().numbers)
        return Table.from_columns(converted, target, task=task)
    # Codes of the classes of the table become codes of the classes of the model.
    code_of = {_engine.plain(c): code for code, c in enumerate(schema.classes)}
    labels = as_declared([_engine.plain(c) for c in table.classes], list(code_of))
    unknown = [labels[c] for c in np.unique(table.y_codes) if labels[c] not in code_of]
    if unknown:
        raise ValueError(
            f"y holds {unknown[0]!r}, which is not a class of the model; classes are "
            f"{list(code_of)}"
        )
    codes = np.array([code_of.get(c, -1) for c in labels], dtype=np.int32)[table.y_codes]
    return Table.from_columns(
        converted, Column(table.target or "class", "nominal", codes, tuple(schema.classes))
    )


def resolve_names_for(
    schema: Schema, X: Any, y: Any, task: Task, *further: Any, as_given: bool = False
) -> tuple[Any, Any]:
    """Rows and target in place of the names of data sets, files and columns, for a fitted model.

    Args:
        schema: the columns of the model.
        X: rows, or a name; files are read as the training rows were.
        y: the target, or its name; None: the column of a file that has the name of the target.
        task: the task of the model.
        further: as in `without_unknown_columns`.
        as_given: whether all columns of a file are used as they are.
    """
    is_file = isinstance(X, str | os.PathLike)
    options: dict[str, Any] = {"as_given": as_given, "missing": schema.file_cells}
    read = (
        resolve_for_model(schema.target, X, task, **options)
        if y is None
        else resolve_names(X, y, task, **options)
    )
    X, y = without_target(schema, *read)
    return without_unknown_columns(schema, X, *further) if is_file else X, y


def without_target(schema: Schema, X: Any, y: Any) -> tuple[Any, Any]:
    """X without a column of the name of the target, and y, which is that column if it is None.

    X is unchanged if it is a Table or has no names, if the target is also a feature of the model,
    or if not exactly one column has its name.
    """
    names = None if isinstance(X, Table) else names_of(X)
    if names is None or schema.target in schema.names or names.count(schema.target) != 1:
        return X, y
    X, labels = pop_column(X, schema.target)
    return X, labels if y is None else y


def without_unknown_columns(schema: Schema, table: Table, *further: Any) -> Table:
    """The Table of a file without the columns that the model does not have.

    It is returned unchanged if it lacks a column that the model reads, for the error about that.

    Args:
        schema: the columns of the model.
        table: the rows of the file.
        further: names of further columns that stay; other values are ignored.
    """
    columns = table.feature_names
    expected = {*schema.names, schema.target, *(name for name in further if isinstance(name, str))}
    extra = [name for name in columns if name not in expected]
    dates = schema.date_parts
    read = {dates[n][0] if n in dates else n for n in map(schema.names.__getitem__, schema.read)}
    is_named = table.has_feature_names and schema.has_names and read.issubset(columns)
    return table.drop(*extra) if is_named and 0 < len(extra) < len(columns) else table
