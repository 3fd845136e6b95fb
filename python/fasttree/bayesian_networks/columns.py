"""Rows of a user as codes of a network's columns.

What
    `ColumnReader` matches columns by name or position as the other models do, turns numbers into
    bins and labels into codes. It fills missing cells by the most frequent level of the training
    rows, or divides rows by parts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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

LARGEST_PARTS = 2**20
"""Rows that the parts of a block of rows to predict may become, or 64 for each of them."""


@dataclass
class ColumnReader:
    """How the columns beside the class are read.

    Attributes:
        schema: names, kinds and levels.
        cuts: cut points of the binned columns, by name.
        fill: code that replaces a missing cell, by name.
        shares: shares of the values that a missing cell may have, by name.
        labels: labels of the codes of each column.
    """

    schema: Schema
    cuts: dict[str, np.ndarray]
    fill: dict[str, int]
    labels: list[tuple[Any, ...]]
    shares: dict[str, np.ndarray]

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
        shares: Mapping[str, Any] | None = None,
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
            number = as_float(code)
            if number is None or not 0 <= number < size:
                raise ValueError(f"fill of {name!r}: {shown(code)} is not the number of a level")
        parts = {}
        for name, own in (shares or {}).items():
            parts[name] = number_array(f"shares of {name!r}", own)
            size = len(levels[list(names).index(name)]) if name in names else 0
            fits = parts[name].shape == (size,) and (parts[name] >= 0).all()
            if not fits or abs(parts[name].sum() - 1) > 1e-6:
                raise ValueError(f"shares of {name!r} are not one probability for each level")
        return cls(schema, points, {n: int(c) for n, c in fill.items()}, list(levels), parts)

    def codes(self, X: Any, handle_unknown: str = "missing") -> np.ndarray:
        """Codes of all cells, shape (n_rows, columns); a missing one is filled.

        Raises:
            ValueError: a missing cell of a column without a level to fill it, named with its row.
        """
        found, gone = self._read(X, handle_unknown)
        for j, name in enumerate(self.schema.names):
            if gone[:, j].any():
                if name not in self.fill:
                    raise ValueError(
                        f"column {name!r}, row {int(gone[:, j].argmax())} is missing or unknown, "
                        "and the network has no level to fill it with"
                    )
                found[gone[:, j], j] = self.fill[name]
        return found

    def parts(
        self, X: Any, used: Collection[int], handle_unknown: str = "missing"
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Codes of all cells, the row that they stand for, and their share of that row.

        A missing cell of a column that is `used` takes every value with its share; rows without one
        come once. Without shares a missing cell is filled.

        Raises:
            ValueError: a missing cell that cannot be filled, or a row of too many parts.
        """
        if not self.shares:
            codes = self.codes(X, handle_unknown)
            return codes, np.arange(len(codes)), np.ones(len(codes))
        codes, gone = self._read(X, handle_unknown)
        codes[gone] = 0
        rows, share = np.arange(len(codes)), np.ones(len(codes))
        for j in sorted(used):
            own = self.shares[self.schema.names[j]]
            values = np.flatnonzero(own)
            times = np.where(gone[rows, j], len(values), 1)
            if times.sum() > max(LARGEST_PARTS, 64 * len(gone)):
                raise ValueError(
                    f"row {int(rows[times.argmax()])}: too many missing cells for prediction by "
                    "parts; impute them, or use missing='mode'"
                )
            place = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
            codes, rows, share = (np.repeat(a, times, axis=0) for a in (codes, rows, share))
            here = gone[rows, j]
            codes[here, j] = values[place[here]]
            share[here] *= own[values[place[here]]]
        return codes, rows, share

    def _read(self, X: Any, handle_unknown: str) -> tuple[np.ndarray, np.ndarray]:
        """Codes and whether a cell is missing or unknown, shapes (n_rows, columns)."""
        blocks, n = rows_for(self.schema, X, handle_unknown)
        columns = [block[:, c] for block in blocks for c in range(block.shape[1])]
        found = np.zeros((n, len(columns)), dtype=np.intp)
        gone = np.zeros((n, len(columns)), dtype=bool)
        for j, (name, cells) in enumerate(zip(self.schema.names, columns, strict=True)):
            if self.schema.nominal[j]:
                gone[:, j] = (cells < 0) | (cells >= len(self.labels[j]))
                found[:, j] = cells.astype(np.intp)
            else:
                gone[:, j] = np.isnan(cells)
                found[:, j] = np.searchsorted(self.cuts[name], cells, side="left")
        return found, gone

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
