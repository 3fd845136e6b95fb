"""Columns, levels and classes of a data set that arrives in batches or partitions.

What
    `facts_of_rows` collects the facts of one part, and `merge_facts` merges the facts of two parts.
    The result does not depend on the order of the parts or on processes.
Decisions
    Levels and classes that occur are sorted; declared ones keep their order if all parts declare
    the same.
Complexity
    O(cells) per part.
When not to use it
    For one Table, which has its levels already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _engine
from ...table import Column, Table
from ...table.columns import Kind, make_levels, sort_levels
from ...table.target import NumericTarget, class_array
from .reading import Rows

core = _engine.core


@dataclass(frozen=True)
class TargetNumbers:
    """Facts about the numbers of a target.

    They say how fine the common grid of all numbers has to be, and whether it loses digits
    (`_warn_of_lost_digits`).

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
    def from_target(cls, target: NumericTarget) -> TargetNumbers:
        """The facts about the numbers of one part.

        Args:
            target: the numbers.

        Raises:
            ValueError: a number that is missing or infinite.
        """
        numbers = target.numbers
        logs = np.log(np.abs(numbers[numbers != 0]))
        are_whole = bool(np.all(numbers == np.floor(numbers)))
        extremes = core.number_range(target.name, numbers)
        return cls(extremes, float(logs.sum()), len(logs), are_whole)

    def merged_with(self, other: TargetNumbers) -> TargetNumbers:
        """The facts about the numbers of both parts.

        Args:
            other: the facts about the numbers of another part.
        """
        return TargetNumbers(
            (min(self.range[0], other.range[0]), max(self.range[1], other.range[1])),
            self.log_sum + other.log_sum,
            self.n_logs + other.n_logs,
            self.are_whole and other.are_whole,
        )


@dataclass(frozen=True)
class PartFacts:
    """The facts of one or several parts.

    They hold everything that a fit needs before it reads cells as codes. They are small, so workers
    send them to the client and parts are merged there.

    Attributes:
        names, levels: name and levels of each column; levels are None for numbers.
        has_names: whether the names were given by the user.
        classes, values: class labels, as Python values and as an array.
        occurring: the class labels that some row has.
        numbers: facts about the target of a regression; None for classes.
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
        """The kind of each column, ``"numeric"`` or ``"nominal"``: a column is nominal if it has
        levels, even an empty tuple of them."""
        return ["numeric" if levels is None else "nominal" for levels in self.levels]

    @property
    def target_range(self) -> tuple[float, float] | None:
        """The smallest and the largest number of the target of a regression; None for classes. Both
        are finite, as a missing or infinite number of the target is an error."""
        return None if self.numbers is None else self.numbers.range

    def table_of_one_row(self) -> Table:
        """A Table with these columns and classes and one row, for checks that read no cells.

        The estimators check their parameters against the names, levels and classes of a Table. Its
        only row has zeros, missing levels and the first class, so results that depend on cells have
        no meaning.
        """
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
        """These facts without the classes that no row of weight > 0 has, in the same order.

        It is called once the facts of all parts are merged: a class may be declared in each part
        (by a categorical type) and occur in none.
        """
        if len(self.occurring) == len(self.classes):
            return self
        occurs = np.array([label in self.occurring for label in self.classes], dtype=bool)
        classes = tuple(label for label in self.classes if label in self.occurring)
        return replace(self, classes=classes, values=self.values[occurs])


def facts_of_rows(rows: Rows) -> PartFacts:
    """The facts of one part.

    Levels are taken from the Table of this part, sorted or declared. Only the target is looked at
    row by row; levels and kinds are known from the Table.

    Args:
        rows: the rows of the part.

    Raises:
        ValueError: a number of the target that is missing or infinite.
    """
    table, target = rows.table, rows.target
    classes: tuple[Any, ...] = ()
    values, occurring, numbers = np.array([]), frozenset[Any](), None
    if isinstance(target, NumericTarget):
        try:
            numbers = TargetNumbers.from_target(target)
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


def merge_facts(a: PartFacts, b: PartFacts) -> PartFacts:
    """The facts of two parts together.

    They do not depend on the order of the two, except for names of parts in messages.

    Args:
        a, b: the facts of each part, or of several.

    Raises:
        ValueError: columns that differ in name or kind, labels that cannot be sorted.
    """
    if a.names != b.names:
        raise ValueError(
            f"{b.where} has the columns {', '.join(b.names)}; {a.where} has {', '.join(a.names)}: "
            "all parts need the same columns in the same order"
        )
    for name, kind_a, kind_b in zip(a.names, a.kinds, b.kinds, strict=True):
        if kind_a != kind_b:
            raise ValueError(
                f"column {name!r} is {kind_a} in {a.where} but {kind_b} in {b.where}: give all "
                "parts one type, or name the column in categorical_features"
            )
    levels = tuple(
        None if levels_a is None or levels_b is None else _merged_levels(name, levels_a, levels_b)
        for name, levels_a, levels_b in zip(a.names, a.levels, b.levels, strict=True)
    )
    classes = _merged_levels("the target", a.classes, b.classes)
    values = a.values
    if classes != a.classes:
        dtype = np.result_type(a.values, b.values) if a.values.dtype.kind in "biufU" else None
        values = class_array(classes, dtype)
    numbers = None
    if a.numbers is not None and b.numbers is not None:
        numbers = a.numbers.merged_with(b.numbers)
    return replace(
        a,
        numbers=numbers,
        levels=levels,
        classes=classes,
        values=values,
        occurring=a.occurring | b.occurring,
        rows=a.rows + b.rows,
        copies=a.copies + b.copies,
        weighted=a.weighted or b.weighted,
    )


def _merged_levels(name: str, a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """The levels of two parts together; sorted if they differ.

    Args:
        name: the column, for errors.
        a, b: the levels in each part.

    Raises:
        TypeError: levels that cannot be sorted, such as texts among numbers.
    """
    return a if a == b else make_levels(name, sort_levels(name, {*a, *b}))
