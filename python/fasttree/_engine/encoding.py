"""Tables as the core reads them: encoded once each, the handle is kept in the Table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._checks import threads
from .._checks.mapped import check_mapped

if TYPE_CHECKING:
    from ..table import Column, Table


def plain(label: Any) -> bool | int | float | str:
    """A label as JSON knows it: bool, int, float or str (NumPy scalars unwrapped, anything else by
    ``str``)."""
    if isinstance(label, np.generic):
        label = label.item()
    return label if isinstance(label, bool | int | float | str) else str(label)


def schema_json(table: Table) -> str:
    """Names, kinds, declared levels and classes of a Table as the core reads them."""
    block = table.block
    if block is not None and block.dtype.kind == "f":
        features: list[dict[str, Any]] = [
            {"name": n, "kind": "numeric"} for n in table.feature_names
        ]
    else:
        features = [
            {"name": c.name, "kind": "numeric"}
            if c.kind == "numeric"
            else {"name": c.name, "kind": "nominal", "levels": [plain(v) for v in c.levels or ()]}
            for c in table.columns
        ]
    for feature in features if table.unused else ():
        if feature["name"] in table.unused:
            feature["unused"] = table.unused[feature["name"]]
    return schema_text(features, table.classes, table.target or "class")


def schema_text(features: list[dict[str, Any]], classes: Sequence[Any], target: str) -> str:
    """The same of features as dicts."""
    labels = [plain(c) for c in classes]
    return json.dumps({"features": features, "classes": labels, "target": target})


def blocks_of(columns: Sequence[Column]) -> list[np.ndarray]:
    """Columns as 2-D arrays in feature order, as the core takes them."""
    return [as_block(c.values, c.kind == "numeric") for c in columns]


def as_block(values: np.ndarray, numeric: bool) -> np.ndarray:
    check_mapped(values)
    if values.ndim == 1:
        values = values[:, None]
    if numeric:
        return values if values.dtype in (np.float64, np.float32) else values.astype(np.float64)
    return values if values.dtype in (np.int32, np.uint8) else values.astype(np.int32)


def dataset_of(table: Table, n_jobs: int | None = None) -> _core.Dataset:
    """The encoded rows of a Table (made on first use and kept there); refuses an `n_jobs` that
    means nothing."""
    threads(n_jobs)
    if table._encoded is None:
        codes = table.y_codes
        if len(table.classes) > 65_535:
            raise ValueError(f"{len(table.classes)} classes: at most 65,535 are supported")
        block = table.block
        blocks = (
            [as_block(block, block.dtype.kind == "f")]
            if block is not None
            else blocks_of(table.columns)
        )
        table._encoded = _core.Dataset(schema_json(table), codes.astype(np.uint16), blocks, n_jobs)
    dataset: _core.Dataset = table._encoded
    return dataset


def as_rows(rows: Any) -> np.ndarray | None:
    return None if rows is None else np.ascontiguousarray(rows, dtype=np.int64)


def as_weights(weights: Any) -> np.ndarray | None:
    return None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
