"""Rows of a file for a saved model: columns are matched by name, and the target is split off.

`ftree predict` and ``ftree show --html --data`` call `rows_for`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..table.dates import part_names
from ..table.file_cells import FileCells
from . import options as o
from .shell import split_list

if TYPE_CHECKING:
    from ..table import Table

__all__ = ["rows_for"]


def _needed_columns(
    data: str, schema: Any, used: list[str], drop: list[str], reading: dict[str, Any]
) -> tuple[Table, list[str]]:
    """A file without the columns that the model does not need, even unreadable ones, and the names
    of those that were left out.

    Args:
        data: the file.
        schema: the columns of the model, and its target.
        used: the columns that the model reads.
        drop: columns that the user leaves out.
        reading: keywords of `fasttree.datasets.load`.
    """
    from ..datasets import load
    from ..datasets.errors import DataFileError
    from ..estimators.new_rows import check_readable

    # Read, and leave out what cannot be read, column by column.
    dropped: list[str] = []
    wanted = {*used, schema.target}
    while True:
        try:
            table = load(data, target=False, drop=[*drop, *dropped], **reading)
            break
        except DataFileError as error:
            name = error.column
            if name is None or name in wanted or name in dropped:
                raise
            dropped.append(name)
    check_readable(schema, table)
    # A file with the names that the model reads is matched by name: other columns go.
    found = set(table.feature_names) if table.has_feature_names else set()
    if found and found.issuperset({*used}.difference(schema.date_parts)):
        extra = [name for name in table.feature_names if name not in wanted]
        if extra and len(extra) < table.n_features:
            parts = part_names(table.dates)
            return table.drop(*extra), [*dropped, *(name for name in extra if name not in parts)]
    return table, dropped


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

    whole, columns = columns is None, columns or o.Columns()
    given, schema = split_list(columns.drop), tree._schema
    typed = FileCells.of(columns.reading.get("missing"))
    reading = {**columns.reading, "missing": schema.file_cells.beside(typed)}
    reading["as_given"] = tree._as_given
    target, names = schema.target, schema.given_names
    places = range(len(names)) if whole or not schema.has_names else schema.read
    places = places or range(len(names))
    used = [
        name
        for name, why in ((schema.names[j], schema.unused[j]) for j in places)
        if why is None or name in schema.dates
    ]
    table, dropped = _needed_columns(data, schema, used, given, reading)
    drop = [*given, *dropped]
    # The target is a column of its name, or without names one column more than the features.
    if target in table.feature_names and target not in names:
        return load(data, target, drop, task=tree._task, **reading)
    if table.n_features == len(names) + 1 and not table.has_feature_names:
        return load(data, drop=drop, task=tree._task, **reading)
    return table
