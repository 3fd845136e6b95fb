"""New rows, brought into the schema a model was fitted on.

What
    Columns are matched by name where both sides have names (reordered if need be), by position otherwise; labels become
    codes of the declared levels; a label that was not declared is treated as missing, with one warning that names
    column and labels, or refused. A float array for an all-numeric model passes without a copy.
Complexity
    One pass over the cells.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _engine
from ._encode import Column, infinity_message
from .table import Table

__all__ = ["Schema", "rows_for"]


@dataclass
class Schema:
    """Names, kinds and levels of the features of a model."""

    names: list[str]
    nominal: list[bool]
    levels: list[tuple[Any, ...]]
    has_names: bool
    classes: list[Any] = field(default_factory=list)

    @classmethod
    def of_model(cls, model: _engine.Model, has_names: bool) -> Schema:
        """Read the schema that a core model carries."""
        raw = json.loads(model.schema_json())
        return cls(
            names=[f["name"] for f in raw["features"]],
            nominal=[f["kind"] == "nominal" for f in raw["features"]],
            levels=[tuple(f.get("levels", ())) for f in raw["features"]],
            has_names=has_names,
            classes=raw["classes"],
        )


def rows_for(schema: Schema, X: Any, handle_unknown: str = "missing") -> tuple[list[np.ndarray], int]:
    """Blocks of columns as the core takes them, and the number of rows.

    Raises:
        ValueError: missing, duplicate or unexpected columns, infinity, or (``handle_unknown="error"``) a label that was
            not declared.
        TypeError: labels where the model expects numbers.
    """
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype in (np.float64, np.float32) and not any(schema.nominal):
        check_count(schema, X.shape[1])
        if len(X) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required by FastTreeClassifier."
            )
        refuse_infinity(schema, X)
        return [X], len(X)
    table = X if isinstance(X, Table) else Table(X, categorical_features=_roles(schema, X))
    columns = matched(schema, table)
    converted = [
        _coded(column, schema.levels[j], handle_unknown) if schema.nominal[j] else _number(column)
        for j, column in enumerate(columns)
    ]
    return _engine.blocks_of(converted), len(table)


def check_count(schema: Schema, n_features: int) -> None:
    """Refuse a wrong number of features in scikit-learn's words."""
    if n_features != len(schema.names):
        raise ValueError(
            f"X has {n_features} features, but FastTreeClassifier is expecting {len(schema.names)} features as input."
        )


def refuse_infinity(schema: Schema, X: np.ndarray) -> None:
    """Refuse infinite cells by column and row."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = X.sum(dtype=np.float64)
    if np.isfinite(total) or not np.isinf(X).any():
        return
    row, column = np.argwhere(np.isinf(X))[0]
    raise ValueError(infinity_message(schema.names[column], int(row), X[row, column]))


def _roles(schema: Schema, X: Any) -> Any:
    """Which columns are nominal, by name for frames, by position for arrays."""
    if not any(schema.nominal):
        return "from_dtype" if hasattr(X, "columns") else None
    if all(schema.nominal):
        return "all"
    names = getattr(X, "columns", None)
    if names is not None and schema.has_names:
        chosen = {n for n, nominal in zip(schema.names, schema.nominal, strict=True) if nominal}
        return [str(n) for n in names if str(n) in chosen]
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] != len(schema.names):
        return "from_dtype"
    return [j for j, nominal in enumerate(schema.nominal) if nominal]


def matched(schema: Schema, table: Table) -> list[Column]:
    """Columns of a Table in the order of the schema."""
    if not (schema.has_names and table.has_feature_names):
        check_count(schema, table.n_features)
        return list(table.columns)
    given = table.feature_names
    if given == schema.names:
        return list(table.columns)
    missing = [n for n in schema.names if n not in given]
    extra = [n for n in given if n not in schema.names]
    if missing or extra:
        lines = ["The feature names should match those that were passed during fit."]
        if extra:
            lines.append("Feature names unseen at fit time:\n" + "\n".join(f"- {n}" for n in extra[:5]))
        if missing:
            lines.append("Feature names seen at fit time, yet now missing:\n" + "\n".join(f"- {n}" for n in missing[:5]))
        raise ValueError("\n".join(lines))
    place = {n: j for j, n in enumerate(given)}
    return [table.column(place[n]) for n in schema.names]


def _number(column: Column) -> Column:
    if column.kind == "numeric":
        return column
    if column.n_missing == len(column):
        return Column(column.name, "numeric", np.full(len(column), np.nan))
    row = int(np.flatnonzero(np.asarray(column.values) >= 0)[0])
    value = column.labels()[row]
    raise TypeError(
        f"column {column.name!r} was numeric when the model was fitted, but row {row} holds {value!r}; "
        "give numbers (or NaN for missing)"
    )


def _coded(column: Column, levels: tuple[Any, ...], handle_unknown: str) -> Column:
    if column.kind == "numeric":
        values = column.values
        known = np.unique(values[~np.isnan(values)])
        own: tuple[Any, ...] = tuple(int(v) if float(v).is_integer() else float(v) for v in known)
        codes = np.where(np.isnan(values), -1, np.searchsorted(known, values)).astype(np.int32)
    else:
        own, codes = column.levels or (), np.asarray(column.values, dtype=np.int32)
    own = tuple(_engine.plain(v) for v in own)
    if own == levels:
        return Column(column.name, "nominal", codes, levels)
    place = {level: j for j, level in enumerate(levels)}
    table = np.array([place.get(v, -1) for v in own] + [-1], dtype=np.int32)
    occurring = np.unique(codes[codes >= 0])
    unseen = [own[c] for c in occurring if table[c] < 0]
    if unseen:
        text = ", ".join(repr(v) for v in unseen[:8]) + (", ..." if len(unseen) > 8 else "")
        words = f"column {column.name!r} holds {len(unseen)} level(s) that were not declared when the model was fitted: {text}"
        if handle_unknown == "error":
            raise ValueError(words + "; drop or recode these rows, or choose handle_unknown='missing'")
        warnings.warn(words + "; they are treated as missing", UserWarning, stacklevel=4)
    return Column(column.name, "nominal", table[codes], levels)
