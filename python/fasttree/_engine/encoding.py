"""Conversion of Tables and arrays for the core.

`dataset_of` makes the handle of a Table in the core on first use and keeps it in the Table. The
handle borrows the arrays of the Table; the core encodes them when a call needs that, and keeps the
result for later calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._checks import HALF, HALF_REMEDY, shown, threads
from .._checks.mapped import check_mapped

if TYPE_CHECKING:
    from ..table import Column, Table


def plain(label: Any) -> bool | int | float | str:
    """A label as a type of JSON: bool, int, float or str (NumPy scalars unwrapped, anything else by
    ``str``)."""
    if isinstance(label, np.generic):
        label = label.item()
    return label if isinstance(label, bool | int | float | str) else str(label)


def schema_of_table(table: Table) -> dict[str, Any]:
    """Names, kinds, declared levels and classes of a Table as the core reads them.

    For a block of numbers no `Column` is made. Unused columns have the reason in their entry, so a
    model file holds why a column is not read. Without a target its name is "class".
    """
    block = table.block
    if block is not None and block.dtype.kind == "f":
        features: list[dict[str, Any]] = [
            {"name": n, "kind": "numeric"} for n in table.feature_names
        ]
    else:
        features = [
            {"name": c.name, "kind": "numeric"}
            if c.kind == "numeric"
            else {
                "name": c.name,
                "kind": "nominal",
                "levels": [plain(v) for v in c.levels or ()],
                **({"ordered": True} if c.ordered else {}),
            }
            for c in table.columns
        ]
    for feature in features if table.unused else ():
        if feature["name"] in table.unused:
            feature["unused"] = table.unused[feature["name"]]
    return schema_of(features, table.classes, table.target or "class")


def refuse_halves(table: Table) -> None:
    """Raise a ValueError for a name or text with half of a surrogate pair, which UTF-8 cannot
    write.

    It is called after the core has failed to read a schema, to name the column and the row: such
    texts are rare, and looking for them costs O(levels).
    """
    target = table.target_column
    for column in (*table.columns, *(() if target is None else (target,))):
        if HALF.search(column.name):
            raise ValueError(f"the name of column {column.name!r} {HALF_REMEDY}")
        for code, level in enumerate(column.levels or ()):
            if isinstance(level, str) and HALF.search(level):
                row = int((np.asarray(column.values) == code).argmax())
                raise ValueError(f"column {column.name!r}, row {row}: {shown(level)} {HALF_REMEDY}")


def schema_of(
    features: list[dict[str, Any]], classes: Sequence[Any], target: str
) -> dict[str, Any]:
    """The schema of features, classes and target as the core reads it. `features` are dicts with
    name and kind, and for nominal features their levels; classes become plain values of Python."""
    return {"features": features, "classes": [plain(c) for c in classes], "target": target}


def blocks_of(columns: Sequence[Column]) -> list[np.ndarray]:
    """Columns as 2-D arrays in feature order, shape (n_rows, 1) each, as the core takes them.
    Arrays that the core can read are not copied; see `as_block`."""
    return [as_block(c.values, c.kind == "numeric") for c in columns]


def readable(values: Any, dtype: Any = None) -> np.ndarray:
    """An array that the core can read without a copy: aligned, native byte order, whole strides.

    Arrays that are not so (a field of packed records, for example) are copied. With `dtype` None
    the array keeps its dtype.
    """
    array = np.asarray(values, dtype=dtype)
    if array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative:
        return array
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    steps = [step for step, n in zip(array.strides, array.shape, strict=True) if n > 1]
    whole = all(step % array.itemsize == 0 for step in steps)
    return array if array.flags.aligned and whole else array.copy()


def as_block(values: np.ndarray, numeric: bool) -> np.ndarray:
    """Cells of one column or of several, shape (rows, columns), as the core reads them.

    The block has the memory of the cells, but not their base array: the core compares all borrows
    of one base array with each other, which is quadratic in the columns of a frame.
    """
    check_mapped(values)
    accepted, wide = (
        ((np.float64, np.float32), np.float64) if numeric else ((np.int32, np.uint8), np.int32)
    )
    cells: Any = readable(values, None if values.dtype in accepted else wide)
    block = np.asarray(memoryview(cells))
    return block[:, None] if block.ndim == 1 else block


def dataset_of(table: Table, n_jobs: int | None = None) -> _core.Dataset:
    """The handle of a Table in the core, made on first use and kept in the Table.

    Raises:
        ValueError: an invalid `n_jobs`, or more than 65,535 classes.
    """
    threads(n_jobs)
    if table._handle is None:
        if table.task == "regression":
            target = np.ascontiguousarray(table.numbers, dtype=np.float64)
        else:
            codes = table.y_codes
            if len(table.classes) > 65_535:
                raise ValueError(f"{len(table.classes)} classes: at most 65,535 are supported")
            target = codes.astype(np.uint16)
        block = table.block
        blocks = (
            [as_block(block, block.dtype.kind == "f")]
            if block is not None
            else blocks_of(table.columns)
        )
        try:
            table._handle = _core.Dataset(schema_of_table(table), target, blocks)
        except UnicodeEncodeError:
            refuse_halves(table)
            raise
    return table._handle


def as_rows(rows: Any) -> np.ndarray | None:
    """Positions of rows as a contiguous array of int64, as the core takes them; None stays None,
    which means all rows. An array of this form is not copied."""
    return None if rows is None else np.ascontiguousarray(readable(rows, np.int64))


def as_weights(weights: Any) -> np.ndarray | None:
    """Weights of rows as a contiguous array of float64, as the core takes them; None stays None,
    which means a weight of 1 for each row. The core checks their values."""
    return None if weights is None else np.ascontiguousarray(readable(weights, np.float64))
