"""Rows of a file for a saved model: columns are matched by name, and the target is split off.

`ftree predict` and ``ftree show --html --data`` call `rows_for`.
"""

from __future__ import annotations

from typing import Any

from ..table.dates import part_names
from ..table.file_cells import FileCells
from . import options as o
from .shell import split_list


def rows_for(tree: Any, data: str, columns: o.Columns | None = None) -> Any:
    """New rows as a Table, with the model's target split off if the file has it.

    Args:
        tree: a fitted tree or forest.
        data: the file.
        columns: options on its columns. Cells that mean a missing value in the model's own training
            file do so in this one.
    """
    from ..datasets import load
    from ..estimators.new_rows import check_readable, own_columns

    columns = columns or o.Columns()
    drop, schema = split_list(columns.drop), tree._schema
    missing = schema.file_cells.beside(FileCells.of(columns.reading.get("missing")))
    reading = {**columns.reading, "missing": missing, "as_given": False}
    target, names = schema.target, schema.given_names
    read = load(data, target=False, drop=drop, **reading)
    check_readable(schema, read)
    table = own_columns(schema, read)
    kept = {*table.feature_names, *part_names(read.dates)}
    drop = [*drop, *(name for name in read.feature_names if name not in kept)]
    # The target is a column of its name, or without names one column more than the features.
    if target in table.feature_names and target not in names:
        return load(data, target, drop, task=tree._task, **reading)
    if table.n_features == len(names) + 1 and not table.has_feature_names:
        return load(data, drop=drop, task=tree._task, **reading)
    return table
