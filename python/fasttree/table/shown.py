"""A Table as a line of text, as HTML for notebooks, as an array, and as a pandas frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..rendering.html import html_table
from .columns import has_gaps

if TYPE_CHECKING:
    from .table import Table


def in_words(table: Table) -> str:
    """Rows, features by kind, and the target."""
    n, p = table.shape
    if table._block is not None:
        kinds = {"numeric" if table._block_levels is None else "nominal": p}
    else:
        listed = [c.kind for c in table.columns]
        kinds = {kind: listed.count(kind) for kind in ("numeric", "nominal") if kind in listed}
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    text = "Table" + (f" {table.name!r}" if table.name else "")
    text += f": {n} row{'s' * (n != 1)}, {p} feature{'s' * (p != 1)} ({parts})"
    if table._target is None:
        return text + ", no target"
    k = len(table._target.classes)
    return text + f", target {table._target.name!r} with {k} class{'es' * (k != 1)}"


def in_html(table: Table) -> str:
    """The first rows under the columns' kinds, levels and missing cells."""
    target = table.target_column
    shown = [*table.columns[:20], *([] if target is None else [target])]
    about = table.take(slice(0, 5))
    cells = [c.labels().tolist() for c in about.columns[:20]]
    if about.target_column is not None:
        cells.append(about.target_column.labels().tolist())
    kinds = ["numeric" if c.levels is None else f"nominal, {len(c.levels)} levels" for c in shown]
    if table._target is not None:
        kinds[-1] = f"target, {len(table._target.classes)} classes"
    rows: list[list[Any]] = [["", *kinds], ["missing", *(c.n_missing for c in shown)]]
    for i in range(len(about)):
        values = [column[i] for column in cells]
        rows.append([i, *("" if v is None or str(v) == "nan" else v for v in values)])
    more = table.n_features - 20
    notes = [f"... and {more} more features"] if more > 0 else []
    header = ["", *(c.name for c in shown)]
    return html_table(header, rows, title=repr(table), notes=notes, rules=(2,))


def columns_of(table: Table) -> list[dict[str, Any]]:
    """Name, kind, number of levels, missing cells and role of every column."""
    rows = [(c, "unused" if c.name in table.unused else "feature") for c in table.columns]
    if table.target_column is not None:
        rows.append((table.target_column, "target"))
    return [
        {
            "name": c.name,
            "kind": c.kind,
            "levels": None if c.levels is None else len(c.levels),
            "missing": c.n_missing,
            "role": role,
        }
        for c, role in rows
    ]


def array_of(table: Table) -> np.ndarray:
    """The features as a 2-D array: float64 when all are numeric; uint8 when they came so; else
    objects."""
    block, levels = table._block, table._block_levels
    if block is not None:
        if levels is None:
            return block.astype(np.float64, copy=False)
        if not has_gaps(levels):
            return block
        codes = [np.array(c.levels, dtype=np.uint8)[c.values] for c in table.columns]
        return np.column_stack(codes)
    if all(c.kind == "numeric" for c in table.columns):
        return np.column_stack([c.values.astype(np.float64, copy=False) for c in table.columns])
    result = np.empty(table.shape, dtype=object)
    for j, column in enumerate(table.columns):
        result[:, j] = column.labels()
    return result


def frame_of(table: Table) -> Any:
    """A pandas DataFrame: nominal columns as Categoricals with their levels, the target last."""
    import pandas as pd

    data: dict[str, Any] = {}
    for column in (
        *table.columns,
        *(() if table.target_column is None else (table.target_column,)),
    ):
        if column.kind == "numeric":
            data[column.name] = column.values
        else:
            codes = column.values.astype(np.int32)
            categories = pd.Index(
                list(column.levels or ()), dtype=None if column.levels else object
            )
            data[column.name] = pd.Categorical.from_codes(codes, categories=categories)
    return pd.DataFrame(data)
