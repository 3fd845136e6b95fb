"""Views of a Table: a line of text, HTML for notebooks, an array, a pandas frame."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
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


def in_words(
    shape: tuple[int, int],
    kinds: Mapping[str, int],
    name: str | None,
    target: tuple[str, int | None] | None,
) -> str:
    """A line with the numbers of rows, of features of each kind, and of classes of the target.

    Args:
        shape: numbers of rows and features.
        kinds: number of features by kind.
        name: name of the Table.
        target: name of the target and its number of classes, None of a number; None without one.
    """
    n, p = shape
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    text = "Table" + (f" {name!r}" if name else "")
    text += f": {counted(n, 'row')}, {counted(p, 'feature')} ({parts})"
    if target is None:
        return text + ", no target"
    of, k = target
    if k is None:
        return text + f", target {of!r}, a number"
    return text + f", target {of!r} with {counted(k, 'class')}"


def in_html(columns: Sequence[Column], target: Column | None, title: str) -> str:
    """The first rows under the columns' kinds, levels and missing cells."""
    shown = [*columns[:MAX_FEATURES], *([] if target is None else [target])]
    cells = [c.take(slice(0, 5)).labels().tolist() for c in shown]
    kinds = [
        "numeric" if c.levels is None else f"nominal, {counted(len(c.levels), 'level')}"
        for c in shown
    ]
    if target is not None:
        kinds[-1] = (
            "target" if target.levels is None else f"target, {counted(len(target.levels), 'class')}"
        )
    rows: list[list[Any]] = [["", *kinds], ["missing", *(c.n_missing for c in shown)]]
    for i, values in enumerate(zip(*cells, strict=True)):
        rows.append([i, *("" if v is None or str(v) == "nan" else v for v in values)])
    more = len(columns) - MAX_FEATURES
    notes = [f"... and {more} more features"] if more > 0 else []
    header = ["", *(c.name for c in shown)]
    return html_table(header, rows, title=title, notes=notes, rules=(2,), head_rows=2)


def in_rows(columns: Sequence[Column], target: Column | None) -> str:
    """The rows as a table of text."""
    shown = [*columns[:MAX_FEATURES], *([] if target is None else [target])]
    cells = [
        ["" if v is None or str(v) == "nan" else one_line(str(v)) for v in c.labels().tolist()]
        for c in shown
    ]
    body = [list(row) for row in zip(*cells, strict=True)]
    lines = columns_text([one_line(c.name) for c in shown], body, number_columns(body, len(shown)))
    more = len(columns) - MAX_FEATURES
    return "\n".join([*lines, *([f"... and {more} more features"] if more > 0 else [])])


def described_columns(
    columns: Sequence[Column], target: Column | None, unused: Container[str]
) -> list[dict[str, Any]]:
    """Name, kind, number of levels, missing cells and role of every column."""
    rows = [(c, "unused" if c.name in unused else "feature") for c in columns]
    if target is not None:
        rows.append((target, "target"))
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
    """The features as a 2-D array: float64 when all are numeric, else objects."""
    if all(c.kind == "numeric" for c in columns):
        return np.column_stack([c.values.astype(np.float64, copy=False) for c in columns])
    result = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        result[:, j] = column.labels()
    return result


def frame_of(columns: Sequence[Column], target: Column | None) -> Any:
    """The columns and the target as a pandas DataFrame."""
    import pandas

    every = (*columns, *(() if target is None else (target,)))
    return pandas.DataFrame({column.name: pandas_values(column, pandas) for column in every})
