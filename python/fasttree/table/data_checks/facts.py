"""What checks read, the rows of a Table column by column, and the `Finding` that they return.

What
    `TableFacts` gives the columns in use and the target, `ColumnFacts` the cells of a column and
    what several checks ask of them: which levels occur, which numbers are known. Each fact is found
    when a check first asks for it, and kept. A function of a column that is found `once` is kept in
    the same way.
Complexity
    O(n) per fact of a column, O(n log n) for the number of different numbers.
When not to use it
    To change anything: checks only read.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from ..columns import Column
from ..dates import part_names
from ..table import Table
from ..texts import date_share, dressed_as

Action = Literal["leave out", "use parts"]
"""What a fit does with a column: it is unused, or its year, month and weekday stand for it."""


@dataclass(frozen=True)
class Finding:
    """One thing that a check has found.

    Attributes:
        column: name of the column; of the target its name; "" of all rows.
        text: the reason why a column is left out, or what the sentence of the check lists.
        evidence: the numbers or texts behind it, as the check describes them.
        action: what a fit does about it, if it treats columns; None: it is only said.
        kind: name of the check in `CHECKS`.
    """

    column: str
    text: str
    evidence: Any = None
    action: Action | None = None
    kind: str = ""


LEAST_ROWS = 50
"""Rows from which columns are suspected."""

FIRST = 64
"""Rows of a block of numbers that rule most columns out."""

T = TypeVar("T")


@functools.cache
def once(function: Callable[[ColumnFacts], T]) -> Callable[[ColumnFacts], T]:
    """A decorator of functions of a column that several checks ask: the answer is kept."""

    @functools.wraps(function)
    def call(column: ColumnFacts) -> T:
        if function not in column.answers:
            column.answers[function] = function(column)
        return column.answers[function]

    return call


class ColumnFacts:
    """The cells of a column in the rows that are looked at.

    Attributes:
        column: these rows of it.
        numbers: the numbers by which rows are named; None: their places.
        names: the names of all columns, where they have some; None where they were made up.
        answers: what functions that are asked `once` have answered.

    Examples:
        >>> column = Column("a", "nominal", np.array([2, 0, -1]), ("x", "y", "z"))
        >>> facts = ColumnFacts(column)
        >>> facts.levels, facts.n_filled
        (('x', 'z'), 2)
    """

    def __init__(
        self, column: Column, numbers: np.ndarray | None = None, names: list[str] | None = None
    ) -> None:
        self.column = column
        self.numbers = numbers
        self.names = names
        self.answers: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.column.name

    @property
    def is_nominal(self) -> bool:
        """Whether the cells are levels."""
        return self.column.kind == "nominal"

    @cached_property
    def counts(self) -> np.ndarray:
        """Rows of each level that occurs."""
        codes = np.asarray(self.column.values)
        return np.bincount(codes[codes >= 0], minlength=len(self.column.levels or ()))

    @cached_property
    def occurring(self) -> np.ndarray:
        """Codes of the levels that occur, ascending."""
        return np.flatnonzero(self.counts)

    @cached_property
    def levels(self) -> tuple[Any, ...]:
        """The levels that occur, in order."""
        levels = self.column.levels or ()
        if len(self.occurring) == len(levels):
            return tuple(levels)
        return tuple(levels[code] for code in self.occurring.tolist())

    @cached_property
    def n_filled(self) -> int:
        """Rows with a value."""
        if self.is_nominal:
            return int(self.counts.sum())
        return len(self.column) - int(np.count_nonzero(np.isnan(self.column.values)))

    @property
    def is_missing_first(self) -> bool:
        """Whether the first cell is missing, as in a column without values."""
        values = self.column.values
        if values.dtype.kind == "u" or not len(values):
            return False
        return bool(values[0] < 0 if self.is_nominal else np.isnan(values[0]))

    @property
    def has_many_levels(self) -> bool:
        """Whether more than half of the rows have a level of their own."""
        return self.n_filled >= LEAST_ROWS and len(self.levels) > 0.5 * self.n_filled

    @cached_property
    def are_dates(self) -> bool:
        """Whether the levels are texts that read as dates."""
        return len(self.levels) > 2 and date_share(self.levels) >= 0.95

    @cached_property
    def dressed(self) -> tuple[str, str] | None:
        """What hides that the levels are numbers, and what makes numbers of them."""
        return dressed_as(self.levels)

    @property
    def known(self) -> np.ndarray:
        """The numbers that are not missing, float64; found anew at each call, to keep no copy."""
        values = np.asarray(self.column.values, dtype=np.float64)
        gaps = np.isnan(values)
        return values[~gaps] if gaps.any() else values

    @cached_property
    def range(self) -> tuple[float, float]:
        """The least and the greatest number; NaN without any."""
        values = self.column.values
        return float(np.fmin.reduce(values)), float(np.fmax.reduce(values))

    @cached_property
    def are_whole(self) -> bool:
        """Whether all known numbers are whole."""
        values = self.column.values
        first = values[:FIRST]
        if np.any(np.floor(first) < first):
            return False
        return not np.any(np.floor(values) < values)

    @cached_property
    def n_distinct(self) -> int:
        """How many different numbers are known."""
        return len(np.unique(self.known))


class TableFacts:
    """The rows of a Table that checks look at.

    Args:
        table: all rows.
        rows: numbers of the rows that are looked at; None: all, of which the Table keeps what is
            found.

    Attributes:
        found: what checks have found, by their names.
    """

    def __init__(self, table: Table, rows: np.ndarray | None = None) -> None:
        self.table = table
        self.rows = rows
        self.n_rows = len(table) if rows is None else len(rows)
        shared: tuple[dict[str, Any], dict[int, ColumnFacts]] = {}, {}
        if rows is None:
            shared = table._inspected = table._inspected or shared
        self.found, self._columns = shared

    @cached_property
    def target(self) -> Column | None:
        """The target in these rows."""
        target = self.table.target_column
        return target if target is None or self.rows is None else target.take(self.rows)

    @cached_property
    def block(self) -> np.ndarray | None:
        """These rows of the block of numbers that the features are, if they are one."""
        block = self.table.block
        return block if block is None or self.rows is None else block[self.rows]

    @property
    def target_name(self) -> str:
        """The name of the target, "y" where it has none."""
        return self.table.target or "y"

    @cached_property
    def is_genotypes(self) -> bool:
        """Whether the features are one block of codes, in which nothing is looked for."""
        block = self.table.block
        return block is not None and block.dtype.kind != "f"

    @cached_property
    def row_numbers(self) -> np.ndarray | None:
        """The numbers by which rows are named, shape (n_rows,); None: their places."""
        numbers, rows = self.table.row_numbers, self.rows
        return numbers if rows is None else rows if numbers is None else numbers[rows]

    def column(self, place: int) -> ColumnFacts:
        """A feature by its place."""
        if place not in self._columns:
            column = self.table.column(place)
            column = column if self.rows is None else column.take(self.rows)
            names = self.table.feature_names if self.table.has_feature_names else None
            self._columns[place] = ColumnFacts(column, self.row_numbers, names)
        return self._columns[place]

    @cached_property
    def places(self) -> list[int]:
        """Places of the features that something is looked for in: not of unused ones, nor of the
        numbers of dates."""
        table = self.table
        if not table.unused:
            return list(range(table.n_features))
        others = {*table.unused, *part_names(table.dates)}
        return [place for place, name in enumerate(table.feature_names) if name not in others]

    @cached_property
    def columns(self) -> list[ColumnFacts]:
        """The features in use; of a block of numbers those that may be whole numbers or constant
        ones: the first rows rule most others out."""
        block = self.table.block
        if self.is_genotypes:
            return []
        if block is None:
            return [self.column(place) for place in self.places]
        first = block[:FIRST] if self.rows is None else block[self.rows[:FIRST]]
        with np.errstate(invalid="ignore"):
            whole = (np.isnan(first) | (first == np.floor(first))).all(axis=0)
            same = (first == first[0]).all(axis=0)
        return [self.column(place) for place in np.flatnonzero(whole | same).tolist()]

    @cached_property
    def texts_and_gaps(self) -> list[ColumnFacts]:
        """The features in use that are nominal, or whose first cell is missing."""
        block = self.block
        if block is None:
            return [c for c in self.columns if c.is_nominal or c.is_missing_first]
        if block.dtype.kind != "f" or not np.isnan(first := block[0]).any():
            return []
        return [self.column(place) for place in np.flatnonzero(np.isnan(first)).tolist()]

    @cached_property
    def names_again(self) -> int:
        """Rows that hold the names of all columns once more; an index that was written without a
        name, ``Unnamed: 0``, has none there."""
        if self.block is not None:
            return 0
        names = self.table.feature_names
        places = [p for p in self.places if not names[p].startswith("Unnamed: ")]
        if not places or any(names[p] not in (self.column(p).column.levels or ()) for p in places):
            return 0
        same = [self.column(p).column.labels() == names[p] for p in places]
        return int(np.all(same, axis=0).sum())

    def hand_on(self, table: Table) -> None:
        """Give a Table that has some of these columns what is known of them."""
        if table.block is None and self.rows is None:
            facts_of = {id(facts.column): facts for facts in self._columns.values()}
            places = {id(column): place for place, column in enumerate(table.columns)}
            table._inspected = {}, {places[i]: facts_of[i] for i in places.keys() & facts_of.keys()}
