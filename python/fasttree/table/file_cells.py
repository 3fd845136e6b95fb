"""`FileCells`: how a file writes cells without a value, and decimals.

What
    `datasets.load` takes texts and numbers for cells without a value from its parameter `missing`,
    and the decimal mark from `decimal` or from the file. The Table keeps them, and models keep them
    in their files, so that new rows of a file are read as the training rows were.
Complexity
    O(rows) for a column of numbers, O(levels) for one of text.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._checks import as_list, shown, string
from .._checks.data_warnings import is_quiet, warn_caller
from .._checks.words import some_of
from .columns import Column
from .dates import DateFormat

NO_OTHERS = ""
"""The text that, among the texts for missing cells, says that these are all: the usual texts, such
as ``NA``, are then values. Users give it in the parameter `missing`, and model files hold it."""


@dataclass(frozen=True)
class FileCells:
    """What a cell without a value holds, and the decimal mark.

    Attributes:
        everywhere: texts for cells of all columns, numbers written in full; `NO_OTHERS` may be
            among them.
        by_column: texts for cells of one column, by its name; `NO_OTHERS` likewise.
        remembered: texts that need not occur: the texts that a model brings, and ``NA``. If there
            are any, the rows are read for a model, and no message is issued about their cells.
        decimal: ``","`` or ``"."``, where the caller or the file says so.
        dates: how a model reads columns of dates: their names and formats.
        signs: columns of numbers with a currency or percent sign: their names and signs.
        names: names of the columns of a model and of its target, which tell a line of names.

    Examples:
        >>> found = FileCells.of([999, "n/a"])
        >>> found.everywhere, bool(found), bool(FileCells())
        (('999', 'n/a'), True, False)
        >>> FileCells.of({None: ["n/a"], "age": [999]}).by_column
        {'age': ('999',)}
    """

    everywhere: tuple[str, ...] = ()
    by_column: dict[str, tuple[str, ...]] = field(default_factory=dict)
    remembered: tuple[str, ...] = ()
    decimal: str | None = None
    dates: tuple[tuple[str, DateFormat], ...] = ()
    signs: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Any, name: str = "missing") -> FileCells:
        """The value of the parameter `missing`: a text or number, several, or a mapping from names
        of columns to these (None: all columns).

        Raises:
            TypeError: something else, named.
        """
        if isinstance(given, cls):
            return given
        if given is None:
            return cls()
        if not isinstance(given, Mapping):
            return cls(_texts(name, given))
        texts = {column: _texts(f"{name}[{shown(column)}]", v) for column, v in given.items()}
        everywhere = texts.pop(None, ())
        return cls(everywhere, {string("a column of missing", k): v for k, v in texts.items()})

    @classmethod
    def of_json(cls, stored: Any) -> FileCells:
        """The inverse of `as_json`; the texts that it returns need not occur in a file.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: what `as_json` did not write.
        """
        if stored is None:
            return cls(remembered=("NA",))
        cells = cls.of({**stored["by_column"], None: stored["everywhere"]})
        decimal = stored["decimal"]
        if decimal not in (None, ".", ","):
            raise ValueError(f"decimal={shown(decimal)}")
        remembered = tuple(sorted({*cells.texts, "NA"}))
        signs = tuple((string("name", k), string(k, v)) for k, v in stored.get("signs", {}).items())
        return replace(cells, remembered=remembered, decimal=decimal, signs=signs)

    def as_json(self) -> dict[str, Any]:
        """The texts, the decimal mark and the signs as plain data, for a model file; see `of_json`.
        Texts by column are sorted by name, so that equal models have equal files. `dates`, `names`
        and `remembered` are not stored."""
        by_column = {name: list(texts) for name, texts in sorted(self.by_column.items())}
        document = {
            "everywhere": list(self.everywhere),
            "by_column": by_column,
            "decimal": self.decimal,
        }
        return {**document, "signs": dict(self.signs)} if self.signs else document

    def as_argument(self) -> Any:
        """The value of the parameter `missing` that gives these texts: a list, or a mapping by
        column with the key None for all columns. Printed code uses it, so it is made of plain lists
        and texts."""
        everywhere = list(self.everywhere)
        by_column = {name: list(texts) for name, texts in self.by_column.items()}
        if not by_column:
            return everywhere
        return {None: everywhere, **by_column} if everywhere else by_column

    @property
    def given_fields(self) -> dict[str, Any]:
        """The fields that a caller or model gives, by name, without the fields that a file itself
        shows (decimal mark, signs). They replace the fields of the same names in the cells of a
        file that was read."""
        return {name: getattr(self, name) for name in ("everywhere", "by_column", "remembered")}

    def __bool__(self) -> bool:
        """Whether cells of a file are read in another way than usual. Dates, names and remembered
        texts do not count: they help to read a file for a model, and a model file does not store
        them."""
        return bool(self.everywhere or self.by_column or self.decimal or self.signs)

    def merged_with(self, given: FileCells) -> FileCells:
        """These cells of a model together with the cells that a caller gives.

        Texts of both are joined, everywhere and by column. A text that the caller gives must occur
        in the file, so it is no longer among the remembered ones, which need not.
        """
        by_column = {
            name: _joined_without_repeats(
                self.by_column.get(name, ()), given.by_column.get(name, ())
            )
            for name in {**self.by_column, **given.by_column}
        }
        everywhere = _joined_without_repeats(self.everywhere, given.everywhere)
        remembered = tuple(text for text in self.remembered if text not in given.texts)
        return replace(self, everywhere=everywhere, by_column=by_column, remembered=remembered)

    def with_usual(self, usual: frozenset[str]) -> frozenset[str]:
        """The texts for cells of all columns, among them the usual ones unless these are all.

        Examples:
            >>> sorted(FileCells.of("x").with_usual(frozenset(["NA"])))
            ['NA', 'x']
            >>> sorted(FileCells.of(["", "x"]).with_usual(frozenset(["NA"])))
            ['', 'x']
        """
        return frozenset(self.everywhere) | (frozenset() if NO_OTHERS in self.everywhere else usual)

    @property
    def texts(self) -> set[str]:
        """The texts for missing cells of all columns together, as a set; `NO_OTHERS` may be among
        them."""
        return {*self.everywhere, *(text for texts in self.by_column.values() for text in texts)}

    def of_column(self, name: str) -> tuple[str, ...]:
        """The texts that mean a missing cell in the column of this name: first the texts for all
        columns, then the texts for this one. A column that is not named has only the former."""
        return (*self.everywhere, *self.by_column.get(name, ()))

    def sentinels_of(self, name: str) -> tuple[float, ...]:
        """The numbers that mean a missing cell in a column of numbers.

        They are the texts for this column that read as finite numbers, for columns that are numbers
        already.

        Examples:
            >>> FileCells.of({None: ["n/a", -9], "age": [999]}).sentinels_of("age")
            (-9.0, 999.0)
        """
        readings = [_number(text) for text in self.of_column(name)]
        return tuple(number for number in readings if number is not None and math.isfinite(number))

    def warn_of_signs(self, prefix: str = "") -> None:
        """Warn of the columns that are read as numbers though their cells have a currency or
        percent sign.

        The warning begins with `prefix`, such as the name of a file, and names each column with its
        sign. There is none without such columns or under `quiet`.
        """
        if self.signs and not is_quiet():
            columns = some_of([f"{name!r} ({sign})" for name, sign in self.signs])
            warn_caller(
                f"{prefix}numbers with a currency or percent sign are read as numbers: {columns}"
            )

    def without(self, column: Column) -> tuple[Column, set[str]]:
        """The column with these cells missing, and the texts that occur in it.

        A column of text that would be numbers then stays text: its reader decides.
        """
        texts = self.of_column(column.name)
        if column.levels is not None:
            kept = [code for code, level in enumerate(column.levels) if str(level) not in texts]
            if len(kept) == len(column.levels):
                return column, set()
            return column.with_levels(kept), {*map(str, column.levels)} & {*texts}
        text_of = {number: text for text in texts if (number := _number(text)) is not None}
        values = np.asarray(column.values, dtype=np.float64)
        is_missing = np.isin(values, np.array(list(text_of)))
        if not is_missing.any():
            return column, set()
        found = {text_of[number] for number in np.unique(values[is_missing]).tolist()}
        return Column(column.name, "numeric", np.where(is_missing, np.nan, values)), found


def _texts(name: str, given: Any) -> tuple[str, ...]:
    """Texts, and numbers written in full, of one value or of several."""
    cells = [given] if isinstance(given, str | numbers.Real) else as_list(name, given)
    for cell in cells:
        if isinstance(cell, bool) or not isinstance(cell, str | numbers.Real):
            raise TypeError(f"{name}={shown(given)} must be texts or numbers")
    plain = (cell if isinstance(cell, str) else f"{cell:.17g}" for cell in cells)
    return tuple(dict.fromkeys(text.strip() for text in plain))


def _joined_without_repeats(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of both in order, each once."""
    return tuple(dict.fromkeys((*first, *second)))


def _number(text: str) -> float | None:
    """The number that a text is, else None; a number with a comma matches as text alone."""
    try:
        return None if "," in text else float(text)
    except ValueError:
        return None
