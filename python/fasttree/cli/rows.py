"""Rows of a file for a saved model: columns are matched by name, and the target is split off.

`ftree predict` and ``ftree show --html --data`` call `rows_for`.
"""

from __future__ import annotations

from typing import Any

from ..table.dates import part_names
from ..table.file_cells import FileCells
from . import options as o
from .shell import split_list

__all__ = ["rows_for"]


def rows_for(tree: Any, data: str, columns: o.Columns | None = None) -> Any:
    """New rows as a Table, with the model's target split off if the file has it.

    Args:
        tree: a fitted tree or forest.
        data: the file.
        columns: options on its columns, of which those are needed that the model reads; None: all
            columns of the model are. Cells that mean a missing value in the model's own training
            file do so in this one.
    """
    from ..datasets import load
    from ..estimators.new_rows import check_readable

    whole, columns = columns is None, columns or o.Columns()
    drop, schema = split_list(columns.drop), tree._schema
    missing = schema.file_cells.beside(FileCells.of(columns.reading.get("missing")))
    reading = {**columns.reading, "missing": missing, "as_given": False}
    target, names = schema.target, schema.given_names
    places = range(len(names)) if whole or not schema.has_names else schema.read
    used = {
        schema.names[j]
        for j in places or range(len(names))
        if schema.unused[j] is None or schema.names[j] in schema.dates
    }
    table = load(data, target=False, drop=drop, **reading)
    check_readable(schema, table)
    # A file with the names that the model reads is matched by name: other columns go.
    extra = [name for name in table.feature_names if name not in {*used, target}]
    is_named = table.has_feature_names and {*table.feature_names} >= used - {*schema.date_parts}
    if is_named and 0 < len(extra) < table.n_features:
        parts = part_names(table.dates)
        drop = [*drop, *(name for name in extra if name not in parts)]
        table = table.drop(*extra)
    # The target is a column of its name, or without names one column more than the features.
    if target in table.feature_names and target not in names:
        return load(data, target, drop, task=tree._task, **reading)
    if table.n_features == len(names) + 1 and not table.has_feature_names:
        return load(data, drop=drop, task=tree._task, **reading)
    return table
