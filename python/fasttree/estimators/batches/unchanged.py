"""`Repeated`: a source of batches for several passes, which must not change between them.

What
    `Repeated` reads a source pass by pass. It compares names and kinds of the columns in every
    batch, and the values of each column by a hash that depends on their order, and raises an error
    if the source has changed.
Decisions
    The hash of a column is a sum over its rows, so it does not depend on where batches end. It is
    compared at the rows at which batches of both passes end. Missing
    values are one value, -0.0 is 0.0, and numbers are compared as float64.
Complexity
    About 10 ns per cell and pass; 8 bytes per column and batch.
When not to use it
    For rows that are read once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ... import _engine
from ...table import Column
from .part_facts import PartFacts
from .reading import R, Reader, Rows, join_results, result_of_part
from .sources import Batches

REMEDY = (
    "a source must give the same rows each time, in the same order; write the rows to a Parquet "
    "file and fit that"
)
WORD = 2**64
ODD = np.uint64(0x9E3779B97F4A7C15)


class Repeated:
    """A source of batches with its reader. Each call of `parts` is a pass; calling the object reads
    a batch as `reader` does, and compares it with earlier passes.

    Attributes:
        reader: splits a batch into features, target and weights.
        expected: names and kinds of the columns of all batches, once they are known.
    """

    def __init__(self, batches: Batches, reader: Reader) -> None:
        self.reader = reader
        self.expected: PartFacts | None = None
        self._batches = batches
        self._pass = self._rows = 0
        self._total: int | None = None
        self._sums: dict[str, int] = {}
        self._known: dict[str, tuple[int, dict[int, int]]] = {}
        self._labels: dict[tuple[type, Any], int] = {}

    def parts(self, columns: Sequence[str] | None = None) -> Iterator[tuple[Any, str]]:
        """Rows and name of each batch of a new pass.

        Args:
            columns: names of the columns to read; None: all.

        Raises:
            ValueError: another number of rows than in the first pass.
        """
        self._pass, self._rows, self._sums = self._pass + 1, 0, {}
        last = "without a batch"
        for number, batch in self._batches(columns):
            last = f"with batch {number}"
            yield batch, f"batch {number}" + (f" of pass {self._pass}" if self._pass > 1 else "")
        if self._total is None:
            self._total = self._rows
        elif self._rows != self._total:
            raise ValueError(
                f"{self._batches.name} gave {self._total} rows in pass 1 but {self._rows} in pass "
                f"{self._pass}, which ended {last}: {REMEDY}"
            )

    def results(
        self, function: Callable[[Rows], R], columns: Sequence[str] | None = None
    ) -> Iterator[R]:
        """The results of a pass, of each batch that has rows.

        Args:
            function: returns the result of the rows of a batch.
            columns: names of the columns to read; None: all.
        """
        for batch, where in self.parts(columns):
            result = result_of_part(self, function, batch, where)
            if result is not None:
                yield result

    def merged_results(
        self,
        function: Callable[[Rows], R],
        join: Callable[[R, R], R],
        columns: Sequence[str] | None = None,
    ) -> R | None:
        """The results of a pass, merged two at a time; None without rows.

        Args:
            function: returns the result of the rows of a batch.
            join: merges two results.
            columns: names of the columns to read; None: all.
        """
        return join_results(join, self.results(function, columns))

    def __call__(self, part: Any, where: str) -> Rows | None:
        """The rows of a batch; None without any.

        Raises:
            ValueError: columns or values that are not the same as in an earlier pass.
        """
        rows = self.reader(part, where)
        if rows is None:
            return None
        if self.expected is not None:
            _check_columns(rows, self.expected, where)
        end = self._rows + len(rows)
        if self._total is not None and end > self._total:
            raise ValueError(
                f"{where} ends at row {end}, but pass 1 had {self._total} rows: {REMEDY}"
            )
        for name, cells in self._cells(rows):
            self._compare(name, cells, end, where)
        self._rows = end
        return rows

    def _cells(self, rows: Rows) -> Iterator[tuple[str, np.ndarray]]:
        """Name of each column with a number per cell, uint64; the target and the weights first."""
        target = rows.target_column(self.reader.target or "class")
        yield target.name, self._numbers(target)
        if self.reader.weights is not None and rows.copies is not None:
            yield self.reader.weights, rows.copies.astype(np.uint64)
        for column in rows.table.columns:
            yield column.name, self._numbers(column)

    def _numbers(self, column: Column) -> np.ndarray:
        """A number per cell, uint64, that depends on the value alone."""
        if column.kind == "numeric":
            values = column.values.astype(np.float64) + 0.0
            values[np.isnan(values)] = np.nan
            return values.view(np.uint64)
        labels = [self._label(level) for level in column.levels or ()]
        return np.array([*labels, 0], dtype=np.uint64)[column.values]

    def _label(self, level: Any) -> int:
        """A hash of a level, the same in all batches."""
        key = (type(level), level)
        if key not in self._labels:
            text = repr(_engine.plain(level)).encode()
            digest = hashlib.blake2b(text, digest_size=8).digest()
            self._labels[key] = int.from_bytes(digest, "little")
        return self._labels[key]

    def _compare(self, name: str, cells: np.ndarray, end: int, where: str) -> None:
        """Add cells to the hash of a column, and compare it with the first pass.

        Args:
            name: name of the column.
            cells: a number per cell, of the rows from the last batch to `end`.
            end: number of rows up to the end of this batch.
            where: name of the batch, for messages.

        Raises:
            ValueError: other values than in the first pass.
        """
        mixed = (cells ^ (cells >> np.uint64(29))) * ODD
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.arange(2 * self._rows + 1, 2 * end + 1, 2, dtype=np.uint64)
        total = (self._sums.get(name, 0) + int(mixed.sum(dtype=np.uint64))) % WORD
        self._sums[name] = total
        first, totals = self._known.setdefault(name, (self._pass, {}))
        if first == self._pass:
            totals[end] = total
        elif totals.get(end, total) != total:
            raise ValueError(
                f"{where}: column {name!r} holds other values than in pass {first}; {REMEDY}"
            )


def _check_columns(rows: Rows, expected: PartFacts, where: str) -> None:
    """Raise a ValueError for columns whose names, order or kinds differ from the first pass."""
    names, wanted = tuple(rows.table.feature_names), expected.names
    if names != wanted:
        gone = [n for n in wanted if n not in names]
        new = [n for n in names if n not in wanted]
        moved = [n for n, other in zip(names, wanted, strict=False) if n != other]
        name, what = (
            (gone[0], "is missing") if gone
            else (new[0], "is new") if new
            else (moved[0], "is at another place")
        )  # fmt: skip
        raise ValueError(
            f"{where}: column {name!r} {what}; the columns of pass 1 are {', '.join(wanted)}: "
            f"{REMEDY}"
        )
    for column, kind in zip(rows.table.columns, expected.kinds, strict=True):
        if column.kind != kind:
            raise ValueError(
                f"{where}: column {column.name!r} is {column.kind}, but was {kind} in pass 1: "
                f"{REMEDY}"
            )
