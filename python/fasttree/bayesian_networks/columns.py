"""Rows of a user as codes of a network's columns.

What
    `ColumnReader` matches columns by name or position as the other models do, turns numbers into
    bins and labels into codes, and fills missing cells by the most frequent level of the training
    rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _engine
from .._checks import as_float, number_array, shown
from ..discretize import interval_labels
from ..estimators.new_rows import Schema, rows_for
from ..table import Table
from ..table.columns import Column

__all__ = ["ColumnReader"]


@dataclass
class ColumnReader:
    """How the columns beside the class are read.

    Attributes:
        schema: names, kinds and levels.
        cuts: cut points of the binned columns, by name.
        fill: code that replaces a missing cell, by name.
        labels: labels of the codes of each column.
    """

    schema: Schema
    cuts: dict[str, np.ndarray]
    fill: dict[str, int]
    labels: list[tuple[Any, ...]]

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        levels: Sequence[tuple[Any, ...]],
        cuts: Mapping[str, Any],
        fill: Mapping[str, int],
        *,
        has_names: bool = True,
        owner: str = "BayesianNetwork",
    ) -> ColumnReader:
        """A reader of named columns; those with cut points are numbers."""
        points = {name: number_array(f"cuts of {name!r}", own) for name, own in cuts.items()}
        for name, own in points.items():
            if name not in names:
                raise ValueError(f"cuts of {name!r}, which is no column beside the class")
            if not np.isfinite(own).all() or (np.diff(own) <= 0).any():
                raise ValueError(f"cuts of {name!r} must be finite and ascend")
            if len(levels[list(names).index(name)]) != len(own) + 1:
                raise ValueError(f"{name!r} has {len(own)} cuts and needs one level more than that")
        nominal = [name not in points for name in names]
        schema = Schema(
            names=list(names),
            nominal=nominal,
            levels=[
                tuple(_engine.plain(v) for v in own) if here else ()
                for own, here in zip(levels, nominal, strict=True)
            ],
            has_names=has_names,
            owner=owner,
        )
        for name, code in fill.items():
            size = len(levels[list(names).index(name)]) if name in names else 0
            if not 0 <= (as_float(code) if as_float(code) is not None else -1) < size:
                raise ValueError(f"fill of {name!r}: {shown(code)} is not the number of a level")
        return cls(schema, points, {n: int(c) for n, c in fill.items()}, list(levels))

    def codes(self, X: Any, handle_unknown: str = "missing") -> np.ndarray:
        """Codes of all cells, shape (n_rows, columns); a missing one is filled.

        Raises:
            ValueError: a missing cell of a column without a level to fill it, named with its row.
        """
        blocks, n = rows_for(self.schema, X, handle_unknown)
        columns = [block[:, c] for block in blocks for c in range(block.shape[1])]
        found = np.zeros((n, len(columns)), dtype=np.intp)
        for j, (name, cells) in enumerate(zip(self.schema.names, columns, strict=True)):
            if self.schema.nominal[j]:
                gone = (cells < 0) | (cells >= len(self.labels[j]))
                own = cells.astype(np.intp)
            else:
                gone = np.isnan(cells)
                own = np.searchsorted(self.cuts[name], cells, side="left")
            if gone.any():
                if name not in self.fill:
                    raise ValueError(
                        f"column {name!r}, row {int(gone.argmax())} is missing or unknown, and the "
                        "network has no level to fill it with"
                    )
                own = np.where(gone, self.fill[name], own)
            found[:, j] = own
        return found

    def table(self, codes: np.ndarray, target: str, classes: Sequence[Any]) -> Table:
        """Codes with those of the class (last) as a Table of levels."""
        columns = [
            Column(name, "nominal", codes[:, j].astype(np.int32), tuple(self.labels[j]))
            for j, name in enumerate(self.schema.names)
        ]
        last = Column(target, "nominal", codes[:, -1].astype(np.int32), tuple(classes))
        return Table.from_columns(columns, last)


def bin_labels(cuts: np.ndarray) -> tuple[str, ...]:
    """Labels of the bins between cut points."""
    return interval_labels(cuts)
