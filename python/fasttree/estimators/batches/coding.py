"""Encodes the rows of a part by the levels and cut points of all parts.

What
    A `Coding` turns the rows of any part into what the core reads: blocks of features, the target,
    and the schema of the model.
Complexity
    O(cells) per part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _engine
from ...table import Column
from ...table.target import NumericTarget
from .part_facts import PartFacts
from .reading import Rows


@dataclass(frozen=True)
class Coding:
    """Turns parts into codes.

    It is made in steps, as the passes find imputed values and cut points, and is sent to the
    workers of a cluster. Equal parts give equal codes in every process.

    Attributes:
        facts: columns, levels and classes of all parts.
        target: name of the target.
        fills: value that replaces missing cells, one per column: a number, a code, or None where
            nothing is imputed.
        cuts: cut points, one array per column (None for nominal ones); empty until they are known.
    """

    facts: PartFacts
    target: str
    fills: tuple[float | int | None, ...]
    cuts: tuple[np.ndarray | None, ...] = ()

    @property
    def n_levels(self) -> list[int]:
        """Number of levels of each column, 0 for a numeric one. These are the levels of all parts
        together, so that a code means the same level in each part."""
        return [0 if levels is None else len(levels) for levels in self.facts.levels]

    def target_of(self, rows: Rows) -> Any:
        """The target as the core takes it: class codes, uint16, or numbers and their range.

        Args:
            rows: the rows of a part.
        """
        if isinstance(rows.target, NumericTarget):
            return rows.target.numbers, self.facts.target_range
        code_of = {label: code for code, label in enumerate(self.facts.classes)}
        # No row has a label without a code.
        merged = np.array([code_of.get(label, 0) for label in rows.target.classes], np.uint16)
        return merged[rows.target.codes]

    def copies(self, rows: Rows) -> np.ndarray | None:
        """Number of copies of each row, shape (n_rows,); None if no part has weights.

        Args:
            rows: the rows of a part.
        """
        if not self.facts.weighted:
            return None
        return np.ones(len(rows), dtype=np.uint32) if rows.copies is None else rows.copies

    def blocks(self, rows: Rows, impute: bool = True) -> list[np.ndarray]:
        """The features as blocks for the core, with codes of the merged levels.

        A block of floats in which nothing is imputed is passed on without a copy; otherwise each
        column is a block.

        Args:
            rows: the rows of a part.
            impute: whether missing cells are replaced by `fills`.
        """
        table, block = rows.table, rows.table.block
        fills = self.fills if impute else (None,) * len(self.fills)
        # A block of numbers without imputation is passed on as it is.
        if block is not None and block.dtype.kind == "f" and not any(f is not None for f in fills):
            return _engine.blocks_of([Column("", "numeric", block)])
        columns = [
            Column(column.name, column.kind, _merged_values(column, levels, fill), levels)
            for column, levels, fill in zip(table.columns, self.facts.levels, fills, strict=True)
        ]
        return _engine.blocks_of(columns)

    def schema(self) -> dict[str, Any]:
        """Names, kinds, levels, classes, cut points and imputed values, as the core reads them.

        A numeric column has cut points only once they are known (`cuts` is not empty), and a column
        has an imputed value only if it had missing cells to fill. The fitted model stores this
        schema.
        """
        features = []
        for j, (name, levels) in enumerate(zip(self.facts.names, self.facts.levels, strict=True)):
            feature: dict[str, Any] = {"name": name, "kind": "numeric"}
            if levels is not None:
                feature.update(kind="nominal", levels=[_engine.plain(v) for v in levels])
            elif self.cuts:
                cuts = self.cuts[j]
                feature["cuts"] = [] if cuts is None else cuts.tolist()
            if self.fills[j] is not None:
                feature["fill"] = self.fills[j]
            features.append(feature)
        return _engine.schema_of(features, self.facts.classes, self.target)


def _merged_values(
    column: Column, levels: tuple[Any, ...] | None, fill: float | int | None
) -> np.ndarray:
    """The values of a column of a part, with codes of the levels of all parts.

    Args:
        column: the column, with the levels of the part.
        levels: the levels of all parts; None for numbers.
        fill: number or code that replaces missing cells; None: they stay missing.
    """
    values = column.values
    if levels is not None:
        code_of = {level: code for code, level in enumerate(levels)}
        merged_codes = [code_of[level] for level in column.levels or ()]
        merged_codes.append(-1)  # the code -1 of a missing cell selects this last entry
        values = np.array(merged_codes, dtype=np.int32)[values]
    if fill is None:
        return values
    is_missing = np.isnan(values) if levels is None else values < 0
    dtype = np.float64 if levels is None else np.int32
    return np.where(is_missing, np.array(fill, dtype=dtype), values.astype(dtype))
