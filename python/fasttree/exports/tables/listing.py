"""Results that display as a table in a notebook and in print: `Records`, a list of dicts, and
`Listed`, a sequence of objects of a data class.

The candidates of a node and the criteria are such lists, the splits and the cuts of a tree such
sequences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, TypeVar, overload

from ..._checks.plain_text import one_line
from .html import html_table
from .records import records_to_frame
from .table import number_columns
from .text import columns_text

T = TypeVar("T")

LONGEST = 60
"""Characters of a cell in print."""


def _shown(value: Any) -> str:
    """A value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{k}={v!r}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def _printed(value: Any) -> str:
    """A value as the text of a cell in print, cut between words.

    >>> _printed("word " * 20)[-13:], len(_printed("x" * 99)), _printed(None)
    ('word word ...', 60, '')
    """
    text = "" if hasattr(value, "is_html") else one_line(_shown(value))
    if len(text) <= LONGEST:
        return text
    whole = text[: LONGEST - 3].rpartition(" ")[0]
    return f"{whole or text[: LONGEST - 4]} ..."


class Records(list[dict[str, Any]]):
    """A list of dicts, with the columns that are displayed.

    Args:
        rows: the dicts.
        columns: heading -> key of the rows, or a function of a row (which may give HTML for
            notebooks, which print leaves out); by default all keys.
        title, notes: lines above and below the table.
        wrap: headings of the columns whose text may wrap in a notebook.
        most: largest number of rows displayed.
        displayed: the rows that are displayed; None: all.

    Examples:
        >>> print(Records([{"a": 1, "b": 0.5}, {"a": 20, "b": None}]))
         a    b
        -------
         1  0.5
        20
    """

    def __init__(
        self,
        rows: Iterable[dict[str, Any]] = (),
        columns: Mapping[str, str | Callable[[dict[str, Any]], Any]] | None = None,
        *,
        title: str = "",
        notes: Sequence[str] = (),
        wrap: Sequence[str] = (),
        most: int = 40,
        displayed: Sequence[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(rows)
        if columns is None:
            columns = {k: k for row in self for k in row}
        self._columns, self._displayed = dict(columns), displayed
        self.title, self.notes, self._wrap, self._most = title, tuple(notes), tuple(wrap), most

    def _body(self, cell_of: Callable[[Any], Any]) -> list[list[Any]]:
        """The cells of the rows that are displayed, each by a function of its value."""
        rows = self if self._displayed is None else self._displayed
        return [
            [cell_of(of(row) if callable(of) else row.get(of)) for of in self._columns.values()]
            for row in rows[: self._most]
        ]

    def _notes(self) -> tuple[str, ...]:
        more = len(self if self._displayed is None else self._displayed) - self._most
        return (*((f"... and {more} more rows",) if more > 0 else ()), *self.notes)

    def _repr_html_(self) -> str:
        wrap = [j for j, name in enumerate(self._columns) if name in self._wrap]
        body = self._body(lambda value: value if hasattr(value, "is_html") else _shown(value))
        return html_table(
            list(self._columns), body, title=self.title, notes=self._notes(), wrap=wrap
        )

    def __str__(self) -> str:
        cells = self._body(_printed)
        names = list(map(one_line, self._columns))
        keep = [j for j in range(len(names)) if not cells or any(r[j] for r in cells)]
        body = [[row[j] for j in keep] for row in cells]
        text = columns_text([names[j] for j in keep], body, number_columns(body, len(keep)))
        head = [one_line(self.title), ""] if self.title else []
        return "\n".join([*head, *text, *map(one_line, self._notes())])

    __repr__ = __str__

    def __reduce__(self) -> Any:
        return (list, (list(self),))

    def to_frame(self) -> Any:
        """The rows as a pandas frame, one row per dictionary and all keys as columns, not only the
        displayed ones; without pandas a plain list."""
        return records_to_frame(list(self))


class Listed(Sequence[T]):
    """A sequence of objects of a data class that displays as a table, one row per object.

    Attributes:
        of: the data class.
        hidden: its fields that are no columns.
        shown: functions of a row that give the cells of a column, by its name.
        headings: of columns that are not headed by the name of the field.
    """

    of: ClassVar[Any]
    hidden: ClassVar[tuple[str, ...]] = ()
    shown: ClassVar[Mapping[str, Callable[[dict[str, Any]], Any]]] = {}
    headings: Mapping[str, str] = {}

    def __init__(self, items: Iterable[T]) -> None:
        self._items = list(items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def _columns(self) -> list[str]:
        return [one.name for one in fields(self.of) if one.name not in self.hidden]

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row per object and one column per field that is not hidden.
        Raises ImportError where pandas is not installed."""
        import pandas as pd

        return pd.DataFrame([vars(one) for one in self], columns=self._columns())

    def _title(self) -> str:
        """The line above the table."""
        return ""

    def _rows(self) -> list[dict[str, Any]]:
        """The rows of the table; NaN is None."""

        def plain(value: Any) -> Any:
            return None if isinstance(value, float) and math.isnan(value) else value

        return [{name: plain(value) for name, value in vars(one).items()} for one in self]

    def _table(self) -> Records:
        rows = self._rows()
        used = [name for name in self._columns() if any(row[name] is not None for row in rows)]
        columns = {self.headings.get(n, n): self.shown.get(n, n) for n in used}
        return Records(rows, columns, title=self._title())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()

    def __str__(self) -> str:
        return str(self._table())

    def __repr__(self) -> str:
        return str(self)
