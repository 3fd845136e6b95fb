"""Reads the rows of parts of data (batches or partitions).

What
    A `Reader` splits a part into features, target and weights. `result_of_part` calls a function
    with the rows of a part, and `join_results` merges the results of all parts. Parts without rows
    have no result.
Decisions
    Weights are numbers of copies of a row: whole numbers. Rows of weight 0 are left out.
Complexity
    O(cells) per part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..._checks import weights_array
from ..._checks.aliases import CategoricalFeatures, Task
from ...table import Column, Table
from ...table.class_targets import encode_target
from ...table.named_columns import pop_column
from ...table.numeric_targets import encode_numbers
from ...table.target import NumericTarget, Target

R = TypeVar("R")


@dataclass(frozen=True)
class Rows:
    """The rows of one part.

    Rows of weight 0 have been left out. The levels are the levels of this part alone; `Coding`
    translates them into codes of all parts.

    Attributes:
        table: the features.
        target: the labels with their codes, or the numbers of a regression.
        copies: number of copies of each row, (n_rows,); None: one of each.
        where: name of the part, for messages.
    """

    table: Table
    target: Target | NumericTarget
    copies: np.ndarray | None
    where: str

    def __len__(self) -> int:
        return len(self.table)

    def target_column(self, name: str) -> Column:
        """The target of these rows as a `Column` of the given name: numeric for a regression, else
        nominal with the classes of this part as its levels."""
        if isinstance(self.target, NumericTarget):
            return Column(name, "numeric", self.target.numbers)
        return Column(name, "nominal", self.target.codes, self.target.classes)


ReadPart = Callable[[Any, str], Rows | None]
"""Function of a part and its name for messages that returns its rows; None without rows."""


def result_of_part(
    reader: ReadPart, function: Callable[[Rows], R], part: Any, where: str
) -> R | None:
    """The result of `function` for the rows of a part.

    A task of Dask or a loop over batches calls it, so that a part is read and dropped within one
    call.

    Args:
        reader: reads the part.
        function: takes the rows.
        part: batch or partition.
        where: its name, for messages.

    Returns:
        The result; None for a part without rows, which `function` does not see.
    """
    rows = reader(part, where)
    return None if rows is None else function(rows)


def join_results(join: Callable[[R, R], R], results: Iterable[R | None]) -> R | None:
    """Merge the results of parts, two at a time in their order.

    The order of the parts is kept, because names of parts in messages depend on it; the merged
    values do not.

    Args:
        join: merges two results.
        results: the result of each part; None for a part without rows.

    Returns:
        The merged result; None if no part has rows.
    """
    merged: R | None = None
    for result in results:
        if result is not None:
            merged = result if merged is None else join(merged, result)
    return merged


@dataclass(frozen=True)
class Reader:
    """Reads parts.

    It is small and can be sent to workers. A call reads one part as a `Table` reads it, so cells
    are refused with the same messages.

    Attributes:
        target: name of the column of labels or numbers; None if parts are tuples (X, y, weights).
        weights: name of the column of weights; None: no such column.
        categorical_features: the nominal columns, as in `Table`.
        task: whether the target has classes or is a number.
    """

    target: str | None = None
    weights: str | None = None
    categorical_features: CategoricalFeatures = "from_dtype"
    task: Task = "classification"

    def __call__(self, part: Any, where: str) -> Rows | None:
        """The rows of a part; None without rows.

        Args:
            part: a batch or partition.
            where: its name, for messages.

        Raises:
            ValueError: as `Table` raises it, with the name of the part in front.
            TypeError: as `Table` raises it, with the name of the part in front.
        """
        try:
            return self._read(part, where)
        except TypeError as error:
            raise TypeError(f"{where}: {error}") from None
        except ValueError as error:  # UnicodeDecodeError and others take no message alone
            raise ValueError(f"{where}: {error}") from None

    def _read(self, part: Any, where: str) -> Rows | None:
        """The rows of a part, as in a call; errors do not name the part."""
        if self.target is None:
            X, y, weights = part
        else:
            X, y = pop_column(part, self.target)
            weights = None
        if self.weights is not None:
            X, weights = pop_column(X, self.weights)
        if len(X) == 0:
            return None
        copies = None
        if weights is not None:
            copies = copies_of_rows(weights_array(np.asarray(weights)))
            # Rows of weight 0 are no rows.
            kept = np.flatnonzero(copies)
            if len(kept) == 0:
                return None
            if len(kept) < len(copies):
                X, y, copies = _take(X, kept), _take(y, kept), copies[kept]
        target = self._encoded_target(y, len(X))
        table = Table(X, categorical_features=self.categorical_features)
        return Rows(table, target, copies, where)

    def _encoded_target(self, y: Any, n_rows: int) -> Target | NumericTarget:
        """The target that the labels or numbers of some rows make."""
        if self.task == "regression":
            return encode_numbers(y, n_rows, self.target)
        # Another part may have the categories that no row of this one has.
        return encode_target(y, n_rows, self.target, keep_unused=True)


def _take(values: Any, rows: np.ndarray) -> Any:
    """Some rows of an array, a frame or a series.

    Args:
        values: the array, frame or series of pandas, Polars or Arrow.
        rows: positions of the rows.
    """
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "chunks") or hasattr(values, "column_names"):  # of Arrow
        return values.take(rows)
    return values[rows]


def copies_of_rows(weights: np.ndarray) -> np.ndarray:
    """Sample weights as numbers of copies of rows, uint32, shape (n_rows,).

    The largest one is 2^32 - 2: the core counts rows and copies in 32 bits, and reserves the
    largest value.

    Args:
        weights: the weights, shape (n_rows,).

    Raises:
        ValueError: a weight that is not a whole number >= 0, with its row.
    """
    wrong_rows = np.flatnonzero(~((weights >= 0) & (weights < 2**32 - 1) & (weights % 1 == 0)))
    if wrong_rows.size:
        row = int(wrong_rows[0])
        raise ValueError(
            f"sample_weight of row {row} is {weights[row]}: rows in batches or "
            "partitions take whole weights, which are copies of rows; multiply the weights and "
            "round them, or fit an array"
        )
    return weights.astype(np.uint32)
