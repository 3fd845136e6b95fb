"""Rows of a file for a saved model: its columns are found by name, and its target is split off."""

from __future__ import annotations

from typing import Any

from . import options as o

__all__ = ["rows_for"]


class _Read:
    """A file with the columns of a model, and those that were left out."""

    def __init__(self, table: Any, dropped: list[str]) -> None:
        self.table, self.dropped = table, dropped


def _needed_columns(
    data: str, names: list[str], target: str, drop: list[str], reading: dict[str, Any]
) -> _Read:
    """Columns that the model never saw need not be named: they are left out, also those that
    cannot be read."""
    from ..datasets import load
    from ..datasets.errors import DataFileError

    dropped: list[str] = []
    wanted = {*names, target}
    while True:
        try:
            table = load(data, target=False, drop=[*drop, *dropped], **reading)
            break
        except DataFileError as error:
            name = error.column
            if name is None or name in wanted or name in dropped:
                raise
            dropped.append(name)
    if table.has_feature_names and set(names) & set(table.feature_names):
        extra = [name for name in table.feature_names if name not in wanted]
        if extra and len(extra) < table.n_features:
            return _Read(table.drop(*extra), [*dropped, *extra])
    return _Read(table, dropped)


def rows_for(tree: Any, data: str, columns: o.Columns | None = None) -> Any:
    """New rows as a Table, with the model's target split off where the file has it."""
    import json as json_

    from ..datasets import load

    columns = columns or o.Columns()
    given, reading = o.split_list(columns.drop), columns.reading
    schema = json_.loads(tree._model.schema_json())
    names = [feature["name"] for feature in schema["features"]]
    used = [feature["name"] for feature in schema["features"] if "unused" not in feature]
    everything = _needed_columns(data, used, schema["target"], given, reading)
    drop = [*given, *everything.dropped]
    everything = everything.table
    if schema["target"] in everything.feature_names and schema["target"] not in names:
        return load(data, target=schema["target"], drop=drop, **reading)
    if everything.n_features == len(names) + 1 and not everything.has_feature_names:
        return load(data, drop=drop, **reading)
    return everything
