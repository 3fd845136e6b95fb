"""`ColumnReader`: new rows as codes of a network's columns.

What
    Columns are matched by name or position as in the other models; numbers become bins and labels
    codes. A missing cell takes the most frequent level of the training rows, or its row is divided
    into fractional rows, one per level. `BayesianNetwork` and `CaMML` predict by these codes.
Complexity
    O(cells), or with fractional rows O(fractional rows x columns).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _engine
from .._checks import as_float, number_array, shown
from ..estimators.new_rows import encode_rows
from ..estimators.schema import Schema
from ..table import Table
from ..table.columns import Column

MOST_FRACTIONAL, MOST_PER_ROW = 2**20, 64
"""Largest number of fractional rows in a prediction: the first number in all, or the second per row
on average, whichever is more."""


@dataclass
class ColumnReader:
    """How the columns beside the class are read.

    Attributes:
        schema: names, kinds and levels.
        cuts: cut points of the binned columns, by name.
        fill: code that replaces a missing cell, by name of the column.
        labels: labels of the codes of each column.
        shares: probability of each code of a missing cell, by name; empty: missing cells are
            filled.
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
        shares: Mapping[str, Any] | None = None,
    ) -> ColumnReader:
        """A reader of named columns; those with cut points are numeric.

        Raises:
            ValueError: cut points, codes or shares that do not fit the columns.
        """
        points = {name: number_array(f"cuts of {name!r}", values) for name, values in cuts.items()}
        for name, values in points.items():
            if name not in names:
                raise ValueError(f"cuts of {name!r}, which is no column beside the class")
            if not np.isfinite(values).all() or (np.diff(values) <= 0).any():
                raise ValueError(f"cuts of {name!r} must be finite and ascend")
            if len(levels[list(names).index(name)]) != len(values) + 1:
                raise ValueError(
                    f"{name!r} has {len(values)} cuts and needs one level more than that"
                )
        nominal = [name not in points for name in names]
        schema = Schema(
            names=list(names),
            nominal=nominal,
            levels=[
                tuple(_engine.plain(v) for v in values) if here else ()
                for values, here in zip(levels, nominal, strict=True)
            ],
            has_names=True,
            owner="BayesianNetwork",
        )
        # The code, and the probabilities of all codes, of a missing cell.
        sizes = {name: len(values) for name, values in zip(names, levels, strict=True)}
        for name, code in fill.items():
            size = sizes.get(name, 0)
            number = as_float(code)
            if number is None or not 0 <= number < size:
                raise ValueError(f"fill of {name!r}: {shown(code)} is not the number of a level")
        checked = {}
        for name, values in (shares or {}).items():
            checked[name] = number_array(f"shares of {name!r}", values)
            fits = checked[name].shape == (sizes.get(name, 0),) and (checked[name] >= 0).all()
            if not fits or abs(checked[name].sum() - 1) > 1e-6:
                raise ValueError(f"shares of {name!r} are not one probability for each level")
        fill_codes = {name: int(code) for name, code in fill.items()}
        return cls(schema, points, fill_codes, list(levels), checked)

    def codes(self, X: Any, handle_unknown: str = "missing") -> np.ndarray:
        """Codes of all cells, shape (n_rows, columns); missing cells are filled.

        Raises:
            ValueError: a missing cell of a column without a level to fill it, named with its row.
        """
        codes, missing = self._read(X, handle_unknown)
        for j, name in enumerate(self.schema.names):
            if missing[:, j].any():
                if name not in self.fill:
                    raise ValueError(
                        f"column {name!r}, row {int(missing[:, j].argmax())} is missing or "
                        "unknown, and the network has no level to fill it with"
                    )
                codes[missing[:, j], j] = self.fill[name]
        return codes

    def fractional_rows(
        self, X: Any, used: Collection[int], handle_unknown: str = "missing"
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Codes of rows that are divided at their missing cells, the row that each fractional row
        comes from, and its share of that row.

        A row with a missing cell in a column of `used` becomes one row for every value of the
        column that has a positive share. Without shares missing cells are filled.

        Raises:
            ValueError: a missing cell that cannot be filled, or too many fractional rows.
        """
        if not self.shares:
            codes = self.codes(X, handle_unknown)
            return codes, np.arange(len(codes)), np.ones(len(codes))
        codes, missing = self._read(X, handle_unknown)
        codes[missing] = 0
        rows, share = np.arange(len(codes)), np.ones(len(codes))
        # Divide by one column after the other.
        for j in sorted(used):
            level_shares = self.shares[self.schema.names[j]]
            values = np.flatnonzero(level_shares)
            times = np.where(missing[rows, j], len(values), 1)
            if times.sum() > max(MOST_FRACTIONAL, MOST_PER_ROW * len(missing)):
                raise ValueError(
                    f"row {int(rows[times.argmax()])}: too many missing cells for prediction by "
                    "parts; impute them, or use missing='mode'"
                )
            # Number each copy within its row: copy v of a divided row has the v-th value.
            copy = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
            codes, rows, share = (np.repeat(a, times, axis=0) for a in (codes, rows, share))
            divided = missing[rows, j]
            codes[divided, j] = values[copy[divided]]
            share[divided] *= level_shares[values[copy[divided]]]
        return codes, rows, share

    def _read(self, X: Any, handle_unknown: str) -> tuple[np.ndarray, np.ndarray]:
        """Codes, and whether a cell is missing or unknown; shapes (n_rows, columns)."""
        blocks, n_rows = encode_rows(self.schema, X, handle_unknown)
        columns = [block[:, c] for block in blocks for c in range(block.shape[1])]
        codes = np.zeros((n_rows, len(columns)), dtype=np.intp)
        missing = np.zeros((n_rows, len(columns)), dtype=bool)
        for j, (name, cells) in enumerate(zip(self.schema.names, columns, strict=True)):
            if self.schema.nominal[j]:
                missing[:, j] = (cells < 0) | (cells >= len(self.labels[j]))
                codes[:, j] = cells.astype(np.intp)
            else:
                missing[:, j] = np.isnan(cells)
                codes[:, j] = np.searchsorted(self.cuts[name], cells, side="left")
        return codes, missing

    def table(self, codes: np.ndarray, target: str, classes: Sequence[Any]) -> Table:
        """Codes of columns and class (last), shape (n_rows, columns + 1), as a Table of levels."""
        columns = [
            Column(name, "nominal", codes[:, j].astype(np.int32), tuple(self.labels[j]))
            for j, name in enumerate(self.schema.names)
        ]
        last = Column(target, "nominal", codes[:, -1].astype(np.int32), tuple(classes))
        return Table.from_columns(columns, last)
