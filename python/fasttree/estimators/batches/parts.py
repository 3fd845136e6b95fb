"""Columns, levels and classes of rows that come in parts (batches or partitions).

What
    `Reader` splits a part into features, target and weights. `describe` collects the facts of one
    part and `joined` merges those of two; the result does not depend on the order of the parts or
    on processes. `Coding` turns the rows of any part into codes of the merged levels. Parts without
    rows have no result (`result_of_part`, `join_results`).
Decisions
    Levels and classes that occur are sorted; declared ones keep their order if all parts declare
    the same. Weights are numbers of copies of a row: whole numbers. Rows of weight 0 are dropped.
Complexity
    O(cells) per part.
When not to use it
    For one Table, which has its levels already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ... import _engine
from ..._checks import weights_array
from ..._checks.aliases import CategoricalFeatures, Task
from ...table import Column, Table
from ...table.class_targets import encode_target
from ...table.columns import Kind, make_levels, sort_levels
from ...table.named_columns import pop_column
from ...table.numeric_targets import encode_numbers
from ...table.target import NumericTarget, Target, class_array

core = _engine.core
R = TypeVar("R")


@dataclass(frozen=True)
class Rows:
    """The rows of one part.

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
        """The target as a column of this name."""
        if isinstance(self.target, NumericTarget):
            return Column(name, "numeric", self.target.numbers)
        return Column(name, "nominal", self.target.codes, self.target.classes)


ReadPart = Callable[[Any, str], Rows | None]
"""Function of a part and its name for messages that returns its rows; None without rows."""


def result_of_part(
    reader: ReadPart, function: Callable[[Rows], R], part: Any, where: str
) -> R | None:
    """The result of `function` for the rows of a part.

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

    Args:
        join: merges two results.
        results: of each part; None of a part without rows.

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

        Raises:
            ValueError, TypeError: as `Table` raises them, with the name of the part in front.
        """
        try:
            return self._read(part, where)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{where}: {error}") from None

    def _read(self, part: Any, where: str) -> Rows | None:
        X, y, weights = part if self.target is None else (part, None, None)
        if self.target is not None:
            X, y = pop_column(X, self.target)
        if self.weights is not None:
            X, weights = pop_column(X, self.weights)
        if len(X) == 0:
            return None
        copies = None
        if weights is not None:
            copies = whole_copies(weights_array(np.asarray(weights)))
            kept = np.flatnonzero(copies)
            if len(kept) == 0:
                return None
            if len(kept) < len(copies):
                X, y, copies = _take(X, kept), _take(y, kept), copies[kept]
        target: Target | NumericTarget
        if self.task == "regression":
            target = encode_numbers(y, len(X), self.target)
        else:
            # Another part may have the categories that no row of this one has.
            target = encode_target(y, len(X), self.target, keep_unused=True)
        table = Table(X, categorical_features=self.categorical_features)
        return Rows(table, target, copies, where)


def _take(values: Any, rows: np.ndarray) -> Any:
    """Some rows of an array, a frame or a series."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "chunks") or hasattr(values, "column_names"):  # of Arrow
        return values.take(rows)
    return values[rows]


def whole_copies(weights: np.ndarray) -> np.ndarray:
    """Sample weights as numbers of copies of rows, uint32, shape (n_rows,).

    Raises:
        ValueError: a weight that is not a whole number >= 0, with its row.
    """
    wrong = np.flatnonzero(~((weights >= 0) & (weights < 2**32 - 1) & (weights % 1 == 0)))
    if wrong.size:
        raise ValueError(
            f"sample_weight of row {int(wrong[0])} is {weights[wrong[0]]}: rows in batches or "
            "partitions take whole weights, which are copies of rows; multiply the weights and "
            "round them, or fit an array"
        )
    return weights.astype(np.uint32)


@dataclass(frozen=True)
class TargetNumbers:
    """Facts about the numbers of a target.

    Attributes:
        range: the smallest and the largest number.
        log_sum, n_logs: sum of the logarithms of the absolute values of the numbers other than 0,
            and how many these are.
        are_whole: whether all numbers are whole.
    """

    range: tuple[float, float]
    log_sum: float
    n_logs: int
    are_whole: bool

    @classmethod
    def of(cls, target: NumericTarget) -> TargetNumbers:
        """The facts of the numbers of one part.

        Raises:
            ValueError: a number that is missing or infinite.
        """
        numbers = target.numbers
        logs = np.log(np.abs(numbers[numbers != 0]))
        are_whole = bool(np.all(numbers == np.floor(numbers)))
        extremes = core.number_range(target.name, numbers)
        return cls(extremes, float(logs.sum()), len(logs), are_whole)

    def joined(self, other: TargetNumbers) -> TargetNumbers:
        """The facts of the numbers of both parts."""
        return TargetNumbers(
            (min(self.range[0], other.range[0]), max(self.range[1], other.range[1])),
            self.log_sum + other.log_sum,
            self.n_logs + other.n_logs,
            self.are_whole and other.are_whole,
        )


@dataclass(frozen=True)
class PartFacts:
    """The facts of one or several parts.

    Attributes:
        names, levels: of each column; levels are None for numbers.
        has_names: whether the names were given by the user.
        classes, values: class labels, as Python values and as an array.
        occurring: the class labels that some row has.
        numbers: of the target of a regression; None for classes.
        rows: number of rows.
        copies: number of rows, each counted as often as its weight says.
        weighted: whether any weight is not 1.
        where: name of the first part, for messages.
    """

    names: tuple[str, ...]
    has_names: bool
    levels: tuple[tuple[Any, ...] | None, ...]
    classes: tuple[Any, ...]
    values: np.ndarray
    occurring: frozenset[Any]
    numbers: TargetNumbers | None
    rows: int
    copies: int
    weighted: bool
    where: str

    @property
    def kinds(self) -> list[Kind]:
        """The kind of each column."""
        return ["numeric" if levels is None else "nominal" for levels in self.levels]

    @property
    def target_range(self) -> tuple[float, float] | None:
        """The smallest and the largest number of a regression; None for classes."""
        return None if self.numbers is None else self.numbers.range

    def table_of_one_row(self) -> Table:
        """A Table with these columns and classes and one row, for checks that read no cells."""
        columns = [
            Column(name, kind, np.zeros(1) if levels is None else np.array([-1]), levels)
            for name, kind, levels in zip(self.names, self.kinds, self.levels, strict=True)
        ]
        if self.target_range is not None:
            return Table.from_columns(
                columns, Column("y", "numeric", np.zeros(1)), task="regression"
            )
        return Table.from_columns(columns, Column("y", "nominal", np.array([0]), self.classes))

    def without_unused_classes(self) -> PartFacts:
        """These facts without the classes that no row has."""
        if len(self.occurring) == len(self.classes):
            return self
        occurs = np.array([label in self.occurring for label in self.classes], dtype=bool)
        classes = tuple(label for label in self.classes if label in self.occurring)
        return replace(self, classes=classes, values=self.values[occurs])


def describe(rows: Rows) -> PartFacts:
    """The facts of the rows of a part.

    Raises:
        ValueError: a number of the target that is missing or infinite.
    """
    table, target = rows.table, rows.target
    classes: tuple[Any, ...] = ()
    values, occurring, numbers = np.array([]), frozenset[Any](), None
    if isinstance(target, NumericTarget):
        try:
            numbers = TargetNumbers.of(target)
        except ValueError as error:
            raise ValueError(f"{rows.where}: {error}") from None
    else:
        classes, values = target.classes, target.values
        occurring = frozenset(classes[code] for code in np.unique(target.codes).tolist())
    return PartFacts(
        names=tuple(table.feature_names),
        has_names=table.has_feature_names,
        levels=tuple(column.levels for column in table.columns),
        classes=classes,
        values=values,
        occurring=occurring,
        numbers=numbers,
        rows=len(table),
        copies=len(table) if rows.copies is None else int(rows.copies.sum(dtype=np.uint64)),
        weighted=rows.copies is not None and bool(np.any(rows.copies != 1)),
        where=rows.where,
    )


def joined(a: PartFacts, b: PartFacts) -> PartFacts:
    """The merged facts of two parts.

    Raises:
        ValueError: columns that differ in name or kind, labels that cannot be sorted.
    """
    if a.names != b.names:
        raise ValueError(
            f"{b.where} has the columns {', '.join(b.names)}; {a.where} has {', '.join(a.names)}: "
            "all parts need the same columns in the same order"
        )
    for name, first, other in zip(a.names, a.kinds, b.kinds, strict=True):
        if first != other:
            raise ValueError(
                f"column {name!r} is {first} in {a.where} but {other} in {b.where}: give all parts "
                "one type, or name the column in categorical_features"
            )
    levels = tuple(
        None if first is None or other is None else _union(name, first, other)
        for name, first, other in zip(a.names, a.levels, b.levels, strict=True)
    )
    classes = _union("the target", a.classes, b.classes)
    values = a.values
    if classes != a.classes:
        kind = np.result_type(a.values, b.values) if a.values.dtype.kind in "biufU" else None
        values = class_array(classes, kind)
    return replace(
        a,
        numbers=None if a.numbers is None or b.numbers is None else a.numbers.joined(b.numbers),
        levels=levels,
        classes=classes,
        values=values,
        occurring=a.occurring | b.occurring,
        rows=a.rows + b.rows,
        copies=a.copies + b.copies,
        weighted=a.weighted or b.weighted,
    )


def _union(name: str, a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """The levels of two parts together; sorted if they differ."""
    return a if a == b else make_levels(name, sort_levels(name, {*a, *b}))


@dataclass(frozen=True)
class Coding:
    """Turns parts into codes.

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
        """Number of levels of each column, 0 for a numeric one."""
        return [0 if levels is None else len(levels) for levels in self.facts.levels]

    def target_of(self, rows: Rows) -> Any:
        """The target as the core takes it: class codes, uint16, or numbers and their range."""
        if isinstance(rows.target, NumericTarget):
            return rows.target.numbers, self.facts.target_range
        code_of = {label: code for code, label in enumerate(self.facts.classes)}
        # No row has a label without a code.
        merged = np.array([code_of.get(label, 0) for label in rows.target.classes], np.uint16)
        return merged[rows.target.codes]

    def copies(self, rows: Rows) -> np.ndarray | None:
        """Number of copies of each row, shape (n_rows,); None if no part has weights."""
        if not self.facts.weighted:
            return None
        return np.ones(len(rows), dtype=np.uint32) if rows.copies is None else rows.copies

    def blocks(self, rows: Rows, filled: bool = True) -> list[np.ndarray]:
        """The features as blocks for the core, with codes of the merged levels.

        Args:
            rows: the rows of a part.
            filled: whether missing cells are replaced by `fills`.
        """
        table, block = rows.table, rows.table.block
        fills = self.fills if filled else (None,) * len(self.fills)
        # A block of numbers without imputation is passed on as it is.
        if block is not None and block.dtype.kind == "f" and not any(f is not None for f in fills):
            return _engine.blocks_of([Column("", "numeric", block)])
        columns = []
        for column, levels, fill in zip(table.columns, self.facts.levels, fills, strict=True):
            values = column.values
            if levels is not None:  # the last entry is for -1, missing
                code_of = {level: code for code, level in enumerate(levels)}
                merged = [code_of[level] for level in column.levels or ()]
                values = np.array([*merged, -1], dtype=np.int32)[values]
            if fill is not None:
                missing = np.isnan(values) if levels is None else values < 0
                dtype = np.float64 if levels is None else np.int32
                values = np.where(missing, np.array(fill, dtype=dtype), values.astype(dtype))
            columns.append(Column(column.name, column.kind, values, levels))
        return _engine.blocks_of(columns)

    def schema(self) -> dict[str, Any]:
        """Names, kinds, levels, classes, cut points and imputed values, for the core."""
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
