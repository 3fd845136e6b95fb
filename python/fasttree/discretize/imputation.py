"""`ReplaceMissing`: means and modes of the training rows in place of missing cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..table import Table
from ..table.columns import Column
from ..table.rebuild import fill_labels, replace_columns
from .transformer import ColumnTransformer, Scope


class ReplaceMissing(ColumnTransformer):
    """Missing cells become the mean (numeric) or the mode (nominal) of the training rows; the class
    is untouched.

    As Weka's ReplaceMissingValues: the mean is a running sum in row order divided by the weight.
    The mode is the first of the most frequent levels; a column without any known value gets 0 or
    its first level.

    Args:
        scope: ``"fold"``: learned on the training rows of each fold; ``"all"``: on all rows.

    Attributes:
        means_: mean of each numeric column, by name.
        modes_: mode of each nominal column, by name (None if it has no level at all).

    Examples:
        >>> imputer = ReplaceMissing().fit([[1.0, "a"], [None, "b"], [4.0, "b"], [2.5, None]])
        >>> imputer.means_, imputer.modes_
        ({'x0': 2.5}, {'x1': 'b'})
        >>> imputer.transform([[None, None]]).tolist()
        [[2.5, 'b']]
    """

    def __init__(self, scope: Scope = "fold") -> None:
        self.scope = scope

    def _learn(self, table: Table, weights: np.ndarray | None) -> None:
        self.means_: dict[str, float] = {}
        self.modes_: dict[str, Any] = {}
        for column in table.columns:
            if column.kind == "numeric":
                self.means_[column.name] = _mean(
                    column.values.astype(np.float64, copy=False), weights
                )
            else:
                self.modes_[column.name] = _mode(column, weights)

    def _concerns(self, column: Column) -> bool:
        if (
            column.kind == "numeric"
            and column.name in self.modes_
            and column.n_missing < len(column)
        ):
            raise ValueError(f"column {column.name!r} was nominal in fit but is numeric now")
        if column.kind == "nominal" and column.name in self.means_:
            raise ValueError(f"column {column.name!r} was numeric in fit but is nominal now")
        return column.n_missing > 0

    def _apply(self, column: Column) -> Column:
        if column.name in self.means_:
            values = column.values.astype(np.float64)
            values[np.isnan(values)] = self.means_[column.name]
            return Column(column.name, "numeric", values)
        mode, levels = self.modes_[column.name], column.levels or ()
        if mode is None:
            return column
        if column.kind == "numeric":
            return Column(column.name, "nominal", np.zeros(len(column), dtype=np.int32), (mode,))
        if mode not in levels:
            levels = (*levels, mode)
        codes = column.values.astype(np.int32)
        codes[codes < 0] = levels.index(mode)
        return Column(column.name, "nominal", codes, levels, ordered=column.ordered)

    def _frame(self, X: Any, columns: Mapping[int, Column]) -> Any:
        numeric = {j: c for j, c in columns.items() if c.kind == "numeric"}
        labels = {j: (c, self.modes_[c.name]) for j, c in columns.items() if c.kind == "nominal"}
        return fill_labels(replace_columns(X, numeric), labels)

    def _array(self, table: Table, columns: Mapping[int, Column]) -> np.ndarray:
        return table.with_columns(columns.get(j, c) for j, c in enumerate(table.columns)).X


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    counted = ~np.isnan(values)
    weights = np.ones(len(values)) if weights is None else weights
    counted &= weights > 0
    if not counted.any():
        return 0.0
    values, weights = values[counted], weights[counted]
    weight = float(np.cumsum(weights)[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        # cumsum adds one cell after the other; sum would pair them and differ in the last bit.
        mean = float(np.cumsum(weights * values)[-1] / weight)
    return mean if np.isfinite(mean) else float(np.cumsum(weights / weight * values)[-1])


def _mode(column: Column, weights: np.ndarray | None) -> Any:
    if not column.levels:
        return None
    codes = column.values.astype(np.int64)
    present = codes >= 0
    counts = np.bincount(
        codes[present], None if weights is None else weights[present], len(column.levels)
    )
    return column.levels[int(counts.argmax())]
