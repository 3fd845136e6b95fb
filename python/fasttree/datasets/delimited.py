"""Reading delimited text: any one-character separator, with or without a header, quoted cells.

What
    Columns are numeric when every present cell is a number, else nominal with sorted labels; a
    column without a single value is nominal with no levels. Decimal commas are read
    (`decimal_comma`), and so are numbers that all have the same currency or percent sign. Cells are
    missing if they are empty, ``?``, ``NA``, ``NaN`` or ``nan`` (with blanks around), or named by
    `missing`; if the empty text is among the latter, only they are missing. Blanks after a
    separator and empty lines do not count. A first line ``sep=;``, which Excel writes and reads,
    names the separator.
Decisions
    What the first lines are, and which columns are the index, is decided in `first_lines`. Without
    a header the last column is called ``class`` and the others ``x0, x1, ...``. When all labels
    of the last column end in a record number (``negative.|3733``,
    C4.5's comment), the number is cut off. An apostrophe that a CSV writer put before a text that a
    spreadsheet would run (``'=1+1``) is taken off.
Complexity
    O(bytes), read by the core (``src/read``), a block at a time. Memory: the columns (8 or 4 bytes
    per cell), the distinct labels, one block and the first 8,192 rows (at most 16 MiB). A column
    whose first text comes after those rows takes a second pass over the file.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from .._checks import shown
from .._checks.data_warnings import is_quiet, warn_caller
from .._checks.plain_text import unguard_cell
from .._checks.words import argument, counted, given, in_text, option, reading, some_of, worded
from .._engine import DelimitedReader
from ..table.columns import Column
from ..table.decimal_marks import (
    as_numbers,
    decimal_mark_of,
    has_decimal_point,
    may_have_thousands,
    number_sign,
)
from ..table.file_cells import NO_OTHERS, FileCells
from ..table.number_texts import codes_of_words
from ..table.sources import nearest
from .assemble import Contents
from .blocks import Limits, blocks, decode, decode_as, head, split_suffix
from .errors import DataFileError, Path, check_columns
from .first_lines import Layout, index_of, layout, sniff_lines
from .reading import (
    ColumnRequest,
    CoreColumn,
    encoding_of,
    found_column,
    read_column,
    read_records,
    with_own_words,
)

MISSING = frozenset(["", "?", "NA", "NaN", "nan"])
"""Texts that mean a missing cell."""

_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_RECORD_NUMBER = re.compile(r"(.*)\.\|\s*\d+")
_HEADER_ROWS = 200
"""Rows that decide whether the first line is a header."""
_HEADER_CELLS = 2_000_000
"""Most cells of these rows, so that they are fewer in a file of very many columns."""


def read_delimited(
    path: Path,
    drop: Collection[str] = (),
    *,
    sep: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    decimal: str | None = None,
    missing: Any = (),
    limits: Limits | None = None,
) -> Contents:
    """Read a delimited file into columns.

    Args:
        path: the file; ``.gz``, ``.bz2``, ``.xz`` are unpacked.
        drop: names of columns to leave out.
        sep: separator, one ASCII character; default: the first of comma, tab, semicolon, bar that
            the first line holds, else blanks (any number of them).
        header: whether the first line of the table has names; default: detected.
        names: the columns' names (with ``header=True`` they replace the file's).
        decimal: ``","`` where ``1,5`` and ``1.234,5`` are numbers, ``"."`` where ``1,234`` and
            ``1,234.5`` are; default: what all values of a column read as, text where ``1,234``
            may be both.
        missing: further cells that mean a missing value: texts such as ``n/a``, and numbers such
            as 999, which match a cell of a numeric column by value. A mapping names columns:
            ``{"age": [999]}`` (None: all columns). One that matches no cell gives a warning.
            With the empty text among them they are all: ``{"country": [""]}`` reads ``NA`` there.
        limits: bounds on cells, columns, labels and unpacked bytes.

    Raises:
        DataFileError: rows of unequal length, unclosed quotes, duplicate names, numbers too large,
            no rows, beyond a limit.
        ValueError: a separator that cannot be one.
    """
    limits = limits or Limits()
    sep, skipped = _separator(path, sep, limits)
    if not isinstance(sep, str) or len(sep) != 1 or not sep.isascii() or sep in '"\r\n\0':
        raise ValueError(
            f"sep={shown(sep)} cannot separate cells; use one ASCII character that is no quote and "
            "no line end"
        )
    if decimal not in (None, ".", ","):
        raise ValueError(f"{given('decimal', shown(decimal))} is not known; use '.', ',' or None")
    cells = FileCells.of(missing)
    first = _Pass(
        path,
        sep,
        drop=frozenset(drop),
        limits=limits,
        header=header,
        given_names=names,
        missing=cells.with_usual(MISSING),
        cells=cells,
        skipped=skipped,
    )
    first, columns = _read_columns(first)
    n_notes = _notes_at_end([*columns.values()]) if header is None else 0
    if n_notes:
        rows = np.arange(len(next(iter(columns.values()))) - n_notes)
        columns = {j: column.as_seen(rows).take(rows) for j, column in columns.items()}
        first.layout.notes.append(f"{counted(n_notes, 'note')} at the end, left out")
    if first.repeated:
        lines = f"{counted(len(first.repeated), 'line')} ({some_of([*map(str, first.repeated)])})"
        first.layout.notes.append(f"the names of the columns stand again in {lines}, left out")
    matched = first.matched
    for j, column in columns.items():
        if column.levels:  # texts for all columns are missing already
            columns[j], found = cells.without(column)
            matched |= found
    # A column that the decimal mark does not read may have the other one.
    mark = decimal or _decimal_mark([*columns.values()], cells)
    marks, decimal = [decimal] if decimal else [mark, None], "," if mark == "," else decimal
    # Thousands between points: the texts of such columns are read again.
    numeric = {j for j, column in columns.items() if column.kind == "numeric"}
    grouped = {j for j in numeric if decimal == "," and may_have_thousands(columns[j])}
    if grouped:
        thousands = {j: as_numbers(c, sep, ",") for j, c in replace(first).read(grouped).items()}
        columns |= {j: column for j, column in thousands.items() if column.kind == "numeric"}
    numbers_read, signs = [], []
    for _, text in sorted(columns.items()):
        column = as_numbers(text, sep, *marks)
        if column.kind == "numeric":
            signs += [(column.name, sign)] if (sign := number_sign(text)) else []
            has_marks = any(one in str(level) for level in text.levels or () for one in ".,")
            decimal = mark if has_marks else decimal
            column, found = cells.without(column)
            matched |= found
        numbers_read.append(column)
    # Between commas, points are decimal; a model knows what they were in its own rows.
    if decimal is None and sep != "," and not cells.remembered:
        _ask_of_thousands(path, (one for one in numbers_read if one.kind == "numeric"))
    unmatched = sorted(cells.texts - {NO_OTHERS, *cells.remembered} - matched)
    if unmatched:
        said = " or ".join(map(repr, unmatched))
        warn_caller(f"{os.fspath(path)}: no cell is {said} (missing)", UserWarning)
    number_format = FileCells(decimal=decimal, signs=tuple(signs))
    named = names is not None or first.layout.header is not None
    columns_read, name = _with_names(numbers_read, first), split_suffix(path)[0]
    return Contents(columns_read, name, has_feature_names=named, number_format=number_format)


def _read_columns(first: _Pass) -> tuple[_Pass, dict[int, Column]]:
    """The columns of a file by their positions, and the pass that read them.

    The pass is another one where quotes inside cells are escaped. Columns that turned out to hold
    text after the sample are read again, as labels.
    """
    try:
        columns = first.read(None)
    except DataFileError:
        if not any(b'\\"' in block for block in blocks(first.path, first.limits)):
            raise
        first = replace(first, has_escapes=True, first_lines=None)
        columns = first.read(None)
        first.layout.notes.append('quotes inside cells are written as \\"')
    if first.failed:
        second = replace(first)
        columns |= second.read(set(first.failed))
        first.matched |= second.matched
    encoding_of(first.path, first.latin1_line)
    return first, with_own_words(
        first.path,
        columns,
        first.cells,
        (first.missing, first.matched),
        lambda j, words: replace(first, missing=words).read({j})[j],
    )


def _decimal_mark(columns: Sequence[Column], cells: FileCells) -> str | None:
    """The decimal mark of the columns: a comma where a column says so, else the mark of the model's
    own file, else a point where a column has one; None if no column tells."""
    marks = {decimal_mark_of(column) for column in columns}
    mark = "," if "," in marks else cells.decimal
    if mark is None and (
        "." in marks or any(has_decimal_point(one) for one in columns if one.kind == "numeric")
    ):
        return "."
    return mark


def _notes_at_end(columns: Sequence[Column]) -> int:
    """How many of the last rows are notes, such as a source. A note is a row with a single cell,
    whose text occurs nowhere else in its column; empty rows may follow it."""
    notes, n_rows = 0, len(columns[0])
    for n in range(1, n_rows if len(columns) > 1 else 1):
        filled = [one for one in columns if one.take([n_rows - n]).n_missing == 0]
        if len(filled) == 1 and _is_note(filled[0], n_rows - n, len(columns)):
            notes = n
        elif filled:
            break
    return notes


def _is_note(column: Column, row: int, n_columns: int) -> bool:
    """Whether the only cell of a row is a text, no number, that occurs once in its column. In a
    file of two columns the other cells of the column must be numbers."""
    codes, levels = column.values, column.levels
    if levels is None or np.count_nonzero(codes == codes[row]) > 1:
        return False
    odd = codes_of_words(levels if n_columns == 2 else [levels[codes[row]]])
    return bool(odd) and (n_columns > 2 or odd == [codes[row]])


def _with_names(columns: list[Column], read: _Pass) -> list[Column]:
    """The columns without an index and without columns that have neither name nor value. A warning
    tells which columns were left out."""
    notes, kept = read.layout.notes, columns
    if read.renamed:
        notes.append(f"columns of one name are numbered: {some_of([*map(repr, read.renamed)])}")
    unnamed = [name in read.unnamed for name in (c.name for c in columns)]
    leading = [*unnamed, False].index(False)
    if 0 < leading < len(columns) and index_of(columns[:leading]):
        kept = columns[leading:]
        notes.append("the unnamed first column is the index of the rows, left out")
    empty = [c for c in kept if c.name in read.unnamed and c.n_missing == len(c)]
    if empty and len(empty) < len(kept):
        kept = [c for c in kept if c not in empty]
        notes.append(f"{counted(len(empty), 'column')} without a name and a value left out")
    if notes and not is_quiet():
        warn_caller(f"{os.fspath(read.path)}: {'; '.join(notes)}", UserWarning)
    return kept


def _ask_of_thousands(path: Path, columns: Iterable[Column]) -> None:
    """Warn of numbers that may be thousands: ``1.234`` beside ``764``."""
    doubtful = [c.name for c in columns if may_have_thousands(c, surely=True)]
    if doubtful:
        warn_caller(
            f"{os.fspath(path)}: {some_of([repr(name) for name in doubtful])}: whole numbers stand "
            "beside numbers of three digits behind the point; if the point separates thousands, "
            f"read the file with {reading('decimal', ',')}"
        )


def _separator(path: Path, sep: str | None, limits: Limits) -> tuple[str, int]:
    """The separator, and the length of a first line that names it (0 without one). The caller's
    separator comes first, then the one that a first line ``sep=;`` names, then the one that divides
    the text."""
    lines = head(path, limits).splitlines()
    sep_line = _SEPARATOR_LINE.fullmatch(lines[0].lstrip("\ufeff")) if lines else None
    if sep is None and sep_line is not None:
        sep = sep_line[1]
    if sep is None:
        sep = sniff_lines(lines)
    return sep, 0 if sep_line is None else len(sep_line[0])


def read_texts(
    path: Path, names: Sequence[str], header: bool | None = None
) -> dict[str, list[str]]:
    """Columns of a delimited file, as the texts that the file holds.

    Args:
        path: the file.
        names: the columns.
        header: as in `load`.

    Raises:
        DataFileError: no such column, or a row without it.
    """
    rows, own = _rows_as_texts(path, header, names)
    check_columns(names, own, path)
    places = [own.index(name) for name in names]
    found: dict[str, list[str]] = {name: [] for name in names}
    for line, row in rows:
        for name, place in zip(names, places, strict=True):
            if place >= len(row):
                raise DataFileError("has no value in this line", path, line, name)
            found[name].append(unguard_cell(row[place]))
    return found


def lines_of_rows(path: Path, n_rows: int) -> list[int]:
    """The lines, counted from 1, on which the rows of a delimited file begin. The list is empty if
    the file is divided into another number of rows, not counting notes at its end."""
    for header in (None, True, False):
        rows, _ = _rows_as_texts(path, header)
        if len(rows) >= n_rows and all(sum(map(bool, row)) < 2 for _, row in rows[n_rows:]):
            return [line for line, _ in rows]
    return []


def _rows_as_texts(
    path: Path, header: bool | None, known: Collection[str] = ()
) -> tuple[list[tuple[int, list[str]]], list[str]]:
    """The rows of a delimited file, each as (line, cells), and the names of the columns. `known`
    are names that some columns should have."""
    limits = Limits()
    sep, skipped = _separator(path, None, limits)
    content = b"".join(blocks(path, limits)).removeprefix(codecs.BOM_UTF8)[skipped:]
    text = decode(content)
    if re.search(rf'\\"(?!\s*(?:{re.escape(sep)}|[\r\n]|$))', text):  # quotes inside cells
        text = text.replace('\\"', '""')
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep, skipinitialspace=True)
    # Lines of blanks do not count, as in `read_delimited`; a row of empty cells is a row.
    rows, line = [], 1
    for row in reader:
        if len(row) > 1 or any(map(str.strip, row)):
            rows.append((line, [cell.strip() for cell in row]))
        line = reader.line_num + 1
    rows = rows or [(1, [""])]
    first = layout([row for _, row in rows[: 1 + _HEADER_ROWS]], header, MISSING, known)
    top = rows[first.header or 0][1]
    names = _names(first, top, None, path, rows[0][0])
    return [one for one in rows[first.above :] if not first.repeats or one[1] != top], names


@dataclass
class _Pass:
    """One pass over the file, which reads the requested columns."""

    path: Path
    sep: str
    drop: frozenset[str]
    limits: Limits
    header: bool | None
    given_names: Sequence[str] | None
    missing: frozenset[str]
    """All texts that mean a missing cell, including the caller's."""
    cells: FileCells
    """The caller's description of missing cells."""
    skipped: int
    """Length of a first line that names the separator, else 0."""
    has_escapes: bool = False
    """Whether a backslash stands before quotes inside cells, as R and Spark write it."""
    first_lines: Layout | None = None
    """The layout that an earlier pass has decided on."""
    layout: Layout = field(init=False)
    names: list[str] = field(init=False, default_factory=list)
    raw_names: list[bytes] = field(init=False, default_factory=list)
    """The cells of the header; empty where the names come from elsewhere."""
    unnamed: set[str] = field(init=False, default_factory=set)
    """The columns that have no name in the header, by their new names."""
    renamed: list[str] = field(init=False, default_factory=list)
    """The columns whose name in the header is also the name of another column, by their new
    names."""
    failed: list[int] = field(init=False, default_factory=list)
    latin1_line: int | None = field(init=False, default=None)
    repeated: list[int] = field(init=False, default_factory=list)
    """The lines that repeat the names of the columns."""
    matched: set[str] = field(init=False, default_factory=set)
    """The texts for missing cells that some cell was equal to."""

    def _blocks(self) -> Iterator[bytes]:
        """The bytes of the file; the line that names the separator becomes an empty one."""
        pieces = blocks(self.path, self.limits)
        if self.skipped:
            yield next(pieces).removeprefix(codecs.BOM_UTF8)[self.skipped :]
        yield from [b"".join(pieces).replace(b'\\"', b'""')] if self.has_escapes else pieces

    def read(self, as_labels: set[int] | None) -> dict[int, Column]:
        """The columns by position: all of them, or only those in `as_labels`, as labels."""
        reader = DelimitedReader(ord(self.sep), True, 0, self.limits.core)
        records = read_records(
            reader, self.path, self._blocks(), partial(self._start, reader, as_labels)
        )
        found, self.failed, self.latin1_line, matched, self.repeated = records
        self.matched = {text.decode() for text in matched}
        if not found and not self.failed:
            raise DataFileError(f"no columns are left ({option('drop')})", self.path)
        if found and len(found[0].values) == 0:
            raise DataFileError(
                "there are no rows: the one line that there is looks like a header; "
                f"{reading('header', False)} reads it as data",
                self.path,
            )
        # The names again, in the encoding that the whole file turned out to have.
        encoding = "utf-8" if self.latin1_line is None else "latin-1"
        names = self.names
        if self.raw_names:
            texts = [decode_as(name, encoding) for name in self.raw_names]
            names = _names(self.layout, texts, None, self.path, 1)
        last = max((j for j, name in enumerate(names) if name not in self.drop), default=-1)
        return {
            column.position: self._column(
                names[column.position], column, encoding, is_last=column.position == last
            )
            for column in found
        }

    def _column(self, name: str, read: CoreColumn, encoding: str, *, is_last: bool) -> Column:
        """A column of the Table; one without a single value is nominal with no levels."""
        if read.labels is not None:
            rewrite = partial(_record_labels, self.missing) if is_last else _plain_labels
            return found_column(name, read, encoding, self.missing, rewrite)
        column = read_column(name, read, encoding)
        if np.isnan(column.values[:1]).any() and column.n_missing == len(column):
            return Column(name, "nominal", np.full(len(column), -1, dtype=np.int32), ())
        return column

    def _start(self, reader: DelimitedReader, as_labels: set[int] | None) -> None:
        """Find the names from the first records, and request the columns."""
        path = self.path
        width = len(reader.sample(1)[0][1]) if reader.sample(1) else 0
        sample = reader.sample(max(2, min(1 + _HEADER_ROWS, _HEADER_CELLS // max(width, 1))))
        if not sample:
            raise DataFileError("there are no rows", path)
        if self.first_lines is None:
            rows = [[decode(cell) for cell in cells] for _, cells in sample]
            self.first_lines = layout(rows, self.header, self.missing, self.cells.names)
        self.layout = self.first_lines
        first_line, cells = sample[self.layout.header or 0]
        header = [decode(cell) for cell in cells]
        self.names = _names(self.layout, header, self.given_names, path, first_line)
        if self.layout.header is not None and self.given_names is None:
            self.raw_names = cells
            own = [*zip(self.names, self.layout.names(header), strict=True)]
            self.unnamed = {name for name, given in own if not given}
            self.renamed = [name for name, given in own if given not in ("", name)]
        check_columns(sorted(self.drop), self.names, path, "drop")
        for name, texts in self.cells.by_column.items():
            if name not in self.names and not {*self.cells.remembered}.issuperset(texts):
                known_as = worded("missing", "--missing")
                every = in_text(argument("missing", list(texts)))
                hint = f"is not a column ({known_as}); {nearest(name, self.names)}"
                hint += f"; {every} is for all columns"
                raise DataFileError(hint, path, None, None, name)
        # Every column is taken for numbers until it holds text.
        numeric = as_labels is None
        requests = [
            ColumnRequest(j, is_numeric=numeric, may_hold_text=numeric)
            for j, name in enumerate(self.names)
            if name not in self.drop
            and (as_labels is None or j in as_labels)
            and not (j == 0 and self.layout.has_row_names)
        ]
        names = [name.encode("utf-8", "replace") for name in self.names]
        missing = [text.encode() for text in sorted(self.missing)]
        repeated = self.layout.header if self.layout.repeats else None
        reader.start(self.layout.above, repeated, names, requests, missing)


def _plain_labels(texts: list[str]) -> list[str]:
    """Labels without the apostrophes that guard them from spreadsheets."""
    return [unguard_cell(text) for text in texts]


def _record_labels(missing: frozenset[str], texts: list[str]) -> list[str]:
    """Labels of the last column, without ``.|number`` where all that are not missing end so."""
    matches = [_RECORD_NUMBER.fullmatch(text) for text in texts if text not in missing]
    if matches and all(matches):
        return [text if text in missing else text[: text.rindex(".|")] for text in texts]
    return _plain_labels(texts)


def _names(
    found: Layout, header: list[str], names: Sequence[str] | None, path: Path, line: int
) -> list[str]:
    """Names of the columns: the caller's, else the header's (``Unnamed: 0`` where it has none and
    ``a.1`` for a second ``a``, as pandas calls them), else ``x0, x1, ..., class``."""
    if names is not None:
        if len(names) != found.width:
            raise DataFileError(
                f"names= has {len(names)} names but the line has {found.width} cells", path, line
            )
        resolved = [str(n) for n in names]
    elif found.header is not None:
        resolved = _numbered(found.names(header))
    else:
        resolved = [*(f"x{j}" for j in range(found.width - 1)), "class"]
    if len(set(resolved)) < len(resolved):
        double = next(name for name, n in Counter(resolved).items() if n > 1)
        raise DataFileError("names two columns; rename one", path, line, None, double)
    return resolved


def _numbered(names: Sequence[str]) -> list[str]:
    """The names as pandas makes them different: a repeated name gets the number of the repetition,
    and an empty one becomes ``Unnamed: 0``.

    >>> _numbered(["a", "b", "a", "a", "a.1"]), _numbered(["", "Unnamed: 0"])
    (['a', 'b', 'a.2', 'a.3', 'a.1'], ['Unnamed: 0.1', 'Unnamed: 0'])
    """
    made: dict[str, None] = {}
    for place, name in enumerate(names):
        new = own = name or f"Unnamed: {place}"
        number = 0
        while new in made or (new in names and (number or not name)):
            number += 1
            new = f"{own}.{number}"
        made[new] = None
    return [*made]
