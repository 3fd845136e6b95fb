"""Reading CSV and its kin: any one-character separator, with or without a header, quoted cells.

What
    Columns are numeric when every present cell is a number, else nominal with sorted labels; a
    column without a single value is nominal with no levels. Decimal commas are read
    (`decimal_comma`). Missing cells: empty, ``?``, ``NA``, ``NaN``, ``nan`` (with blanks
    around), and what `missing` names. Blanks after a separator and empty lines do not count. A
    first line ``sep=;``, which Excel writes and reads, names the separator.
Decisions
    A header is assumed when no cell of the first line is a number or missing, and one more thing
    holds. Either some column below holds numbers, or the cells differ and most of them never occur
    as values of their column. Without a header the last column is called ``class`` and the others
    ``x0, x1, ...``. When all labels of the last column end in a record number (``negative.|3733``,
    C4.5's comment), the number is cut off. An apostrophe that a CSV writer put before a text that a
    spreadsheet would run (``'=1+1``) is taken off.
Complexity
    O(bytes), read by the core (``src/read``), a block at a time. Memory is the columns (8 or 4
    bytes per cell), the distinct labels, one block and the first 8,192 rows (at most 16 MiB). A
    column that holds text only behind those rows costs a second pass.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import listing, string
from .._engine import DelimitedReader
from ..rendering.plain_text import unguard_cell
from ..table.columns import Column
from .blocks import blocks, decode, decode_as, head
from .decimal_comma import reads_as_number, with_numbers
from .errors import DataFileError
from .limits import Limits
from .reading import faults_of, found_column, read_column, tell_latin1

Path = str | os.PathLike[str]

MISSING = frozenset(["", "?", "NA", "NaN", "nan"])
"""Texts that mean a missing cell."""

_SEP_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_RECORD = re.compile(r"(.*)\.\|\s*\d+")


@dataclass(slots=True)
class Sheet:
    """The columns of a delimited file, and whether their names come from it."""

    columns: list[Column]
    has_header: bool


def sniff(line: str) -> str:
    """The separator of a line: the first of comma, tab, semicolon and bar that it holds, else
    blanks. Beside tabs or semicolons, commas that all stand between digits are decimal.

    Examples:
        >>> sniff("a;b;c"), sniff("a, b; c"), sniff("1\\t2"), sniff(" 1.5   2"), sniff("1")
        (';', ',', '\\t', ' ', ',')
        >>> sniff("1,5;2,25;yes")
        ';'
    """
    fallback = " " if " " in line.strip() else ","
    if {"\t", ";"} & set(line):
        line = re.sub(r"(?<=\d),(?=\d)", "", line) if not re.search(r"\D,|,\D", line) else line
    return next((sep for sep in (",", "\t", ";", "|") if sep in line), fallback)


def read_delimited(
    path: Path,
    drop: Collection[str] = (),
    *,
    sep: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    decimal: str | None = None,
    missing: Collection[str] = (),
    limits: Limits | None = None,
) -> Sheet:
    """Read a delimited file into columns.

    Args:
        path: the file; ``.gz``, ``.bz2``, ``.xz`` are unpacked.
        drop: names of columns to leave out.
        sep: separator, one ASCII character; default: the first of comma, tab, semicolon, bar that
            the first line holds, else blanks (any number of them).
        header: whether the first line holds names; default: found out.
        names: the columns' names (with ``header=True`` they replace the file's).
        decimal: ``","`` where ``1,5`` and ``1.234,5`` are numbers, ``"."`` where ``1,234`` and
            ``1,234.5`` are; default: what all values of a column read as, text where ``1,234``
            may be both.
        missing: further texts that mean a missing cell, such as ``n/a``.
        limits: bounds on cells, columns, labels and unpacked bytes.

    Raises:
        DataFileError: rows of unequal length, unclosed quotes, duplicate names, numbers too large,
            no rows, beyond a limit.
        ValueError: a separator that cannot be one.
    """
    limits = limits or Limits()
    lines = head(path, limits).splitlines()
    told = _SEP_LINE.fullmatch(lines[0].lstrip("\ufeff")) if lines else None
    if sep is None and told is not None:
        sep = told[1]
    if sep is None:
        sep = sniff(next((line for line in lines if line.strip()), ""))
    if not isinstance(sep, str) or len(sep) != 1 or not sep.isascii() or sep in '"\r\n\0':
        raise ValueError(
            f"sep={sep!r} cannot separate cells; use one ASCII character that is no quote and no "
            "line end"
        )
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal={decimal!r} is not known; use '.', ',' or None")
    skipped = 0 if told is None else len(told[0])
    words = MISSING | {string("missing", one).strip() for one in listing("missing", missing)}
    more: dict[str, Any] = {"header": header, "names": names, "missing": words, "skipped": skipped}
    first = _Pass(path, sep, set(drop), limits, **more)
    columns = first.read(None)
    if first.failed:
        again = _Pass(path, sep, set(drop), limits, **more | {"header": first.has_header})
        columns |= again.read(set(first.failed))
    tell_latin1(path, first.latin1)
    found = [with_numbers(columns[j], sep, decimal) for j in sorted(columns)]
    return Sheet(found, first.has_header)


class _Pass:
    """One reading of the file: the columns that are asked for."""

    def __init__(
        self,
        path: Path,
        sep: str,
        drop: set[str],
        limits: Limits,
        *,
        header: bool | None,
        names: Sequence[str] | None,
        missing: frozenset[str],
        skipped: int,
    ) -> None:
        self.path, self.drop, self.limits = path, drop, limits
        self.header, self.given = header, names
        self.missing, self.skipped = missing, skipped
        self.reader = DelimitedReader(ord(sep), True, 0, limits.core)
        self.names: list[str] = []
        self.raw_names: list[bytes] = []
        self.has_header = False
        self.failed: list[int] = []
        self.latin1: int | None = None

    def _blocks(self) -> Iterator[bytes]:
        """The file; the line that names the separator is empty."""
        found = blocks(self.path, self.limits)
        if self.skipped:
            yield next(found).removeprefix(codecs.BOM_UTF8)[self.skipped :]
        yield from found

    def read(self, words: set[int] | None) -> dict[int, Column]:
        """The columns by position: all of them, or those in `words` as labels."""
        started = False
        with faults_of(self.path):
            for block in self._blocks():
                self.reader.feed(block)
                if not started and self.reader.is_ready():
                    self._start(words)
                    started = True
            self.reader.end()
            if not started:
                self._start(words)
            found, self.failed, self.latin1 = self.reader.finish()
        if not found and not self.failed:
            raise DataFileError("no columns are left (drop=)", self.path)
        if found and len(found[0][1]) == 0:
            raise DataFileError(
                "there are no rows: the one line that there is looks like a header; "
                "header=False reads it as data",
                self.path,
            )
        encoding = "utf-8" if self.latin1 is None else "latin-1"
        names = self.names
        if self.raw_names:
            texts = [decode_as(name, encoding) for name in self.raw_names]
            names = _names(texts, True, None, self.path, 1)
        last = max((j for j, name in enumerate(names) if name not in self.drop), default=-1)
        columns = {}
        for one in found:
            place = one[0]
            if one[2] is not None:
                rewrite = _record_labels if place == last else _plain_labels
                columns[place] = found_column(names[place], one, encoding, self.missing, rewrite)
                continue
            column = read_column(names[place], one, encoding)
            if np.isnan(column.values[:1]).any() and column.n_missing == len(column):
                nothing = np.full(len(column), -1, dtype=np.int32)
                column = Column(column.name, "nominal", nothing, ())
            columns[place] = column
        return columns

    def _start(self, words: set[int] | None) -> None:
        """Look at the first records: names, and which columns are read."""
        reader, path = self.reader, self.path
        width = len(reader.sample(1)[0][1]) if reader.sample(1) else 0
        sample = reader.sample(max(2, min(201, 2_000_000 // max(width, 1))))
        if not sample:
            raise DataFileError("there are no rows", path)
        rows = [[decode(cell) for cell in cells] for _, cells in sample]
        self.has_header = _has_header(rows, self.missing) if self.header is None else self.header
        self.names = _names(rows[0], self.has_header, self.given, path, sample[0][0])
        if self.has_header and self.given is None:
            self.raw_names = sample[0][1]
        unknown = self.drop.difference(self.names)
        if unknown:
            hint = (
                f"is not a column (drop=); the columns are {', '.join(map(repr, self.names[:12]))}"
            )
            raise DataFileError(hint, path, None, None, min(unknown))
        places = [j for j, name in enumerate(self.names) if name not in self.drop]
        kinds: list[tuple[int, list[bytes] | None, bool, bool]] = [
            (j, None, words is None, words is None) for j in places if words is None or j in words
        ]
        names = [name.encode("utf-8", "replace") for name in self.names]
        reader.start(
            self.has_header, names, kinds, [text.encode() for text in sorted(self.missing)]
        )


def _plain_labels(texts: list[str]) -> list[str]:
    """Labels without the apostrophes that guard them from spreadsheets."""
    return [unguard_cell(text) for text in texts]


def _record_labels(texts: list[str]) -> list[str]:
    """Labels of the last column, without ``.|number`` where all of them end so."""
    matches = [_RECORD.fullmatch(text) for text in texts if text not in MISSING]
    if matches and all(matches):
        return [text if text in MISSING else text[: text.rindex(".|")] for text in texts]
    return _plain_labels(texts)


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return reads_as_number(cell)
    return "_" not in cell


def _has_header(rows: list[list[str]], missing: frozenset[str]) -> bool:
    names = [cell.strip() for cell in rows[0]]
    if any(n in missing or _number(n) for n in names):
        return False
    if len(rows) < 2:  # one line of different words names columns of nothing
        return len(names) > 1 and len(set(names)) == len(names)
    columns = list(zip(*rows[1:201], strict=True))
    for column in columns:
        present = [cell for cell in column if cell.strip() not in missing]
        if present and all(map(_number, present)):
            return True
    if len(set(names)) < len(names):
        return False
    again = sum(
        name in {cell.strip() for cell in column}
        for name, column in zip(names, columns, strict=True)
    )
    return 2 * again < len(names)


def _names(
    row: list[str], has_header: bool, names: Sequence[str] | None, path: Path, line: int
) -> list[str]:
    if names is not None:
        if len(names) != len(row):
            raise DataFileError(
                f"names= has {len(names)} names but the line has {len(row)} cells", path, line
            )
        resolved = [str(n) for n in names]
    elif has_header:
        resolved = [cell.strip() or f"x{j}" for j, cell in enumerate(row)]
    else:
        resolved = [*(f"x{j}" for j in range(len(row) - 1)), "class"]
    if len(set(resolved)) < len(resolved):
        double = next(n for i, n in enumerate(resolved) if n in resolved[:i])
        raise DataFileError(
            "names two columns; rename one, or give names=[...]", path, line, None, double
        )
    return resolved
