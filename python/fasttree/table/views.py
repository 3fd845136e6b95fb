"""Views of a Table: a line of text, its rows as text or HTML, an array, a pandas frame.

Functions of a Table take it without its type, as its module imports this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks.plain_text import one_line
from .._checks.words import counted
from ..exports.tables.html import html_table
from ..exports.tables.table import number_columns
from ..exports.tables.text import columns_text
from .columns import Column, has_gaps
from .frame_columns import pandas_values

MAX_FEATURES = 20
"""Largest number of features that text and HTML show."""


def summary(table: Any) -> str:
    """A line of text with the name, the numbers of rows and of features of each kind, and the
    target with its number of classes. It is the repr of a Table and reads no cells."""
    n_rows, n_features = table.shape
    if table.block is None:
        numeric = sum(column.kind == "numeric" for column in table.columns)
    else:
        numeric = n_features if table.block.dtype.kind == "f" else 0
    kinds = {"numeric": numeric, "nominal": n_features - numeric}
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    text = "Table" + (f" {table.name!r}" if table.name else "")
    text += f": {counted(n_rows, 'row')}, {counted(n_features, 'feature')} ({parts})"
    if table.target is None:
        return f"{text}, no target"
    if table.task == "regression":
        return f"{text}, target {table.target!r}, a number"
    return f"{text}, target {table.target!r} with {counted(len(table.classes), 'class')}"


def _shown(table: Any) -> tuple[list[Column], list[str]]:
    """The columns that are shown, the target last, and a note on the features that are not."""
    target = [] if table.target is None else [table.target_column]
    more = table.n_features - MAX_FEATURES
    notes = [f"... and {more} more features"] if more > 0 else []
    return [*table.columns[:MAX_FEATURES], *target], notes


def _kind(column: Column, noun: str, name: str) -> str:
    """The kind of a column by a name, with the number of its levels, which are called `noun`."""
    return name if column.levels is None else f"{name}, {counted(len(column.levels), noun)}"


def html(table: Any) -> str:
    """An HTML table of the first five rows, with the kind and the number of missing cells of each
    column above them. Notebooks show it; wide Tables are cut, and a note says so."""
    shown, notes = _shown(table)
    kinds = [_kind(column, "level", column.kind) for column in shown]
    if table.target is not None:
        kinds[-1] = _kind(shown[-1], "class", "target")
    cells = [column.take(slice(0, 5)).labels().tolist() for column in shown]
    rows: list[list[Any]] = [["", *kinds], ["missing", *(column.n_missing for column in shown)]]
    for i, values in enumerate(zip(*cells, strict=True)):
        rows.append([i, *("" if v is None or str(v) == "nan" else v for v in values)])
    header = ["", *(column.name for column in shown)]
    return html_table(header, rows, title=summary(table), notes=notes, rules=(2,), head_rows=2)


def rows_as_text(table: Any) -> str:
    """All rows as a table of text, one line per row, with missing cells empty. Wide Tables are cut,
    and a note below says so. The cost is O(cells)."""
    shown, notes = _shown(table)
    cells = [
        ["" if v is None or str(v) == "nan" else one_line(str(v)) for v in column.labels().tolist()]
        for column in shown
    ]
    body = [list(row) for row in zip(*cells, strict=True)]
    header = [one_line(column.name) for column in shown]
    return "\n".join([*columns_text(header, body, number_columns(body, len(shown))), *notes])


def column_records(table: Any) -> list[dict[str, Any]]:
    """One dict per column, the target last: name, kind, levels (their number, None for a numeric
    column), missing (number of cells) and role ("feature", "unused" or "target")."""
    roles = ["unused" if name in table.unused else "feature" for name in table.feature_names]
    return [
        {
            "name": column.name,
            "kind": column.kind,
            "levels": None if column.levels is None else len(column.levels),
            "missing": column.n_missing,
            "role": role,
        }
        for column, role in zip(table.all_columns, [*roles, "target"], strict=False)
    ]


def block_as_array(block: np.ndarray, levels: np.ndarray | None) -> np.ndarray:
    """A block of features as float64, or the uint8 values that its codes stand for.

    Args:
        block: numbers or codes, shape (n_rows, n_features).
        levels: which values occur in each column of codes, bool, shape (n_values, n_features); None
            if the block holds numbers.
    """
    if levels is None:
        return block.astype(np.float64, copy=False)
    if not has_gaps(levels):
        return block
    return np.column_stack(
        [
            np.flatnonzero(present).astype(np.uint8)[c]
            for present, c in zip(levels.T, block.T, strict=True)
        ]
    )


def columns_as_array(columns: Sequence[Column]) -> np.ndarray:
    """The features as a new 2-D array, shape (n_rows, n_columns).

    It is float64 with NaN for missing cells if all columns are numeric, else an object array of
    labels and numbers. There must be at least one column.
    """
    if all(c.kind == "numeric" for c in columns):
        return np.column_stack([c.values.astype(np.float64, copy=False) for c in columns])
    result = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        result[:, j] = column.labels()
    return result


def pandas_frame(table: Any) -> Any:
    """The features and the target as a pandas DataFrame; see `Table.to_frame`. pandas is imported
    here, so that Tables work without it."""
    import pandas

    cells = {column.name: pandas_values(column, pandas) for column in table.all_columns}
    return pandas.DataFrame(cells)
