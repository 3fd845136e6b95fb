"""What the data checks read: the rows of a Table, column by column, and the `Finding` they return.

What
    `TableFacts` holds the columns in use and the target; `ColumnFacts` holds the cells of a column,
    and answers what several checks ask: which levels occur, how many cells have a value, what the
    range of the numbers is. Each answer is computed when it is first asked for, and kept.
    `cached_per_column` keeps the result of a function of a column in the same way.
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
from ..date_texts import share_of_dates
from ..dates import part_names
from ..number_texts import formatted_numbers
from ..table import Table

Action = Literal["leave out", "use parts"]
"""What a fit does with a column: it does not use it, or it uses year, month and weekday of it."""


@dataclass(frozen=True)
class Finding:
    """One thing that a check has found.

    Attributes:
        column: name of the column or of the target; "" if the finding is about the rows.
        text: the reason why the column is left out, or the words of the warning of the check about
            it.
        evidence: the numbers or texts behind it, as the docstring of the check describes them.
        action: what a fit does with the column of a frame or file; None: the finding is only a
            warning.
        kind: name of the check in `CHECKS`.
    """

    column: str
    text: str
    evidence: Any = None
    action: Action | None = None
    kind: str = ""


MIN_ROWS = 50
"""Smallest number of rows in which a check looks for what chance could produce in fewer."""

N_FIRST = 64
"""Number of first rows that are looked at to rule most columns of a block of numbers out."""

T = TypeVar("T")


@functools.cache
def cached_per_column(function: Callable[[ColumnFacts], T]) -> Callable[[ColumnFacts], T]:
    """A decorator that keeps the result of a function of a column with the column.

    Several checks ask the same question, and the levels of a column may be many texts. The
    decorator itself is cached, so decorating a function twice gives the same function.
    """

    @functools.wraps(function)
    def call(column: ColumnFacts) -> T:
        if function not in column.results:
            column.results[function] = function(column)
        return column.results[function]

    return call


class ColumnFacts:
    """The cells of a column in the rows that are looked at.

    Attributes:
        column: the column, restricted to these rows.
        row_numbers: the numbers by which messages name the rows, shape (n_rows,); None: their
            positions.
        all_names: the names of all columns of the Table; None if they were made up.
        results: results of functions decorated with `cached_per_column`.

    Examples:
        >>> column = Column("a", "nominal", np.array([2, 0, -1]), ("x", "y", "z"))
        >>> facts = ColumnFacts(column)
        >>> facts.levels, facts.n_filled
        (('x', 'z'), 2)
    """

    def __init__(
        self,
        column: Column,
        row_numbers: np.ndarray | None = None,
        all_names: list[str] | None = None,
    ) -> None:
        self.column = column
        self.row_numbers = row_numbers
        self.all_names = all_names
        self.results: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """Name of the column as text; ``x0``, ``x1``, ... if the columns have no names."""
        return self.column.name

    @property
    def is_nominal(self) -> bool:
        """Whether the cells are levels; otherwise they are numbers. Facts on levels have a meaning
        only for nominal columns, and facts on numbers only for numeric ones."""
        return self.column.kind == "nominal"

    @cached_property
    def counts(self) -> np.ndarray:
        """Number of rows of each declared level, int, shape (n_levels,). A level that no row has
        counts 0, and missing cells are not counted."""
        codes = np.asarray(self.column.values)
        return np.bincount(codes[codes >= 0], minlength=len(self.column.levels or ()))

    @cached_property
    def occurring_codes(self) -> np.ndarray:
        """Codes of the levels that occur in these rows, ascending. A code is the position of the
        level among the declared ones."""
        return np.flatnonzero(self.counts)

    @cached_property
    def levels(self) -> tuple[Any, ...]:
        """The levels that occur in these rows, in declared order. They may be fewer than the levels
        of the column, of a fold for example; a numeric column has none."""
        levels = self.column.levels or ()
        if len(self.occurring_codes) == len(levels):
            return tuple(levels)
        return tuple(levels[code] for code in self.occurring_codes.tolist())

    @cached_property
    def n_filled(self) -> int:
        """Number of rows whose cell is not missing; 0 if the whole column is missing. It is counted
        once, in O(rows)."""
        return len(self.column) - self.column.n_missing

    @property
    def starts_with_missing(self) -> bool:
        """Whether the cell of the first row is missing; False if there are no rows. Only the first
        cell is read, so the answer costs O(1)."""
        return bool(self.column.take(slice(0, 1)).is_missing.any())

    @property
    def has_many_levels(self) -> bool:
        """Whether there are more than half as many levels as rows with a value, as in identifiers
        and free text. It is False with fewer than `MIN_ROWS` such rows, where chance may do it."""
        return self.n_filled >= MIN_ROWS and len(self.levels) > 0.5 * self.n_filled

    @cached_property
    def are_dates(self) -> bool:
        """Whether the levels are texts that read as dates: more than two levels, and at least 95 %
        of them (of a sample, if there are many)."""
        return len(self.levels) > 2 and share_of_dates(self.levels) >= 0.95

    @cached_property
    def formatted_numbers(self) -> tuple[str, str] | None:
        """(the format, the remedy) if a format keeps the levels from being read as numbers, else
        None. See the function of the same name in `number_texts`."""
        return formatted_numbers(self.levels)

    @property
    def present_numbers(self) -> np.ndarray:
        """The numbers that are not missing, float64, in the order of the rows. They are not kept,
        as they are a copy of the column. The column must be numeric."""
        values = np.asarray(self.column.values, dtype=np.float64)
        is_missing = np.isnan(values)
        return values[~is_missing] if is_missing.any() else values

    @cached_property
    def range(self) -> tuple[float, float]:
        """(smallest number, largest number) of a numeric column. Missing cells are left out; both
        ends are NaN if all cells are missing."""
        values = self.column.values
        return float(np.fmin.reduce(values)), float(np.fmax.reduce(values))

    @cached_property
    def are_whole(self) -> bool:
        """Whether all numbers that are not missing are whole. The first rows are looked at before
        the others, because they settle most columns; a column without a value counts as whole."""
        values = self.column.values
        first = values[:N_FIRST]
        if np.any(np.floor(first) < first):
            return False
        return not np.any(np.floor(values) < values)

    @cached_property
    def n_distinct(self) -> int:
        """Number of different numbers, without missing cells; 0 if all are missing. The numbers are
        sorted, so it costs O(n log n)."""
        return len(np.unique(self.present_numbers))


class TableFacts:
    """The rows of a Table that checks look at.

    For a fold of a cross-validation these are the training rows of the fold, so that a check sees
    no test row.

    Args:
        table: the Table.
        rows: positions of the rows that are looked at; None: all rows. What is found in all rows
            is kept with the Table.

    Attributes:
        findings_by_check: the findings of each check that has run, by its name.
    """

    def __init__(self, table: Table, rows: np.ndarray | None = None) -> None:
        self.table = table
        self.rows = rows
        self.n_rows = len(table) if rows is None else len(rows)
        kept: tuple[dict[str, Any], dict[int, ColumnFacts]] = {}, {}
        if rows is None:
            kept = table._inspected = table._inspected or kept
        self.findings_by_check, self._columns = kept

    @cached_property
    def target(self) -> Column | None:
        """The target in these rows as a column, None without one: nominal for classes, numeric for
        a regression. Rows without a label are kept, as missing cells."""
        target = self.table.target_column
        return target if target is None or self.rows is None else target.take(self.rows)

    @cached_property
    def block(self) -> np.ndarray | None:
        """These rows of the 2-D block of features, shape (n_rows, n_features); None if the Table
        holds columns. For a fold it is a copy."""
        block = self.table.block
        return block if block is None or self.rows is None else block[self.rows]

    @property
    def target_name(self) -> str:
        """The name of the target, for messages. It is "y" where the target has none."""
        return self.table.target or "y"

    @cached_property
    def is_genotypes(self) -> bool:
        """Whether the features are a block of integer codes, as genotypes are stored. Such a block
        may have very many columns, and the checks on frames skip it."""
        block = self.table.block
        return block is not None and block.dtype.kind != "f"

    @cached_property
    def row_numbers(self) -> np.ndarray | None:
        """The numbers by which messages name the rows, int, shape (n_rows,); None if they are the
        positions 0, 1, 2, ... . They differ where rows of a file or of a fold were left out."""
        numbers, rows = self.table.row_numbers, self.rows
        return numbers if rows is None else rows if numbers is None else numbers[rows]

    def column(self, place: int) -> ColumnFacts:
        """The facts of a feature, by its position. They are kept, with all that checks compute on
        the column; for all rows of a Table they live as long as the Table."""
        if place not in self._columns:
            column = self.table.column(place)
            column = column if self.rows is None else column.take(self.rows)
            names = self.table.feature_names if self.table.has_feature_names else None
            self._columns[place] = ColumnFacts(column, self.row_numbers, names)
        return self._columns[place]

    @cached_property
    def places(self) -> list[int]:
        """Positions of the features in use, ascending. Unused columns are left out, and so are
        year, month and weekday of dates, which are whole numbers by construction."""
        table = self.table
        if not table.unused:
            return list(range(table.n_features))
        others = {*table.unused, *part_names(table.dates)}
        return [place for place, name in enumerate(table.feature_names) if name not in others]

    @cached_property
    def columns(self) -> list[ColumnFacts]:
        """The facts of the features in use. If the features are a block of numbers, only columns
        whose first rows are whole numbers or all the same are listed: no check finds anything in
        the others."""
        block = self.table.block
        if self.is_genotypes:
            return []
        if block is None:
            return [self.column(place) for place in self.places]
        first = block[:N_FIRST] if self.rows is None else block[self.rows[:N_FIRST]]
        with np.errstate(invalid="ignore"):
            whole = (np.isnan(first) | (first == np.floor(first))).all(axis=0)
            same = (first == first[0]).all(axis=0)
        return [self.column(place) for place in np.flatnonzero(whole | same).tolist()]

    @cached_property
    def columns_without_first_number(self) -> list[ColumnFacts]:
        """The features in use that are nominal, or whose cell in the first row is missing.

        The checks of words, stray rows and alike levels read only these. In a block of numbers no
        column is nominal, so its first row settles which columns these are.
        """
        block = self.block
        if block is None:
            return [c for c in self.columns if c.is_nominal or c.starts_with_missing]
        if block.dtype.kind != "f" or not np.isnan(first := block[0]).any():
            return []
        return [self.column(place) for place in np.flatnonzero(np.isnan(first)).tolist()]

    @cached_property
    def n_repeated_headers(self) -> int:
        """Number of rows that repeat the names of all columns, except ``Unnamed: 0``, which pandas
        calls an index that was written without a name."""
        if self.block is not None:
            return 0
        names = self.table.feature_names
        named = {
            names[place]: self.column(place).column
            for place in self.places
            if not names[place].startswith("Unnamed: ")
        }
        if not named or any(name not in (column.levels or ()) for name, column in named.items()):
            return 0
        same = [column.labels() == name for name, column in named.items()]
        return int(np.all(same, axis=0).sum())

    def share_with(self, table: Table) -> None:
        """Keep what is known of the columns with another Table that has some of them.

        A fit makes a Table without the columns that it leaves out, and the checks need not run
        again on the others. Columns are recognised by identity. Nothing is kept for a block or for
        a part of the rows.
        """
        if table.block is None and self.rows is None:
            facts_of = {id(facts.column): facts for facts in self._columns.values()}
            places = {id(column): place for place, column in enumerate(table.columns)}
            table._inspected = {}, {places[i]: facts_of[i] for i in places.keys() & facts_of.keys()}
