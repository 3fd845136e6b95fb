"""Reading CSV and its kin: any one-character separator, with or without a header, quoted cells.

What
    Columns are numeric when every present cell is a number, else nominal with sorted labels; a
    column without a single value is nominal with no levels. Missing cells: empty, ``?``, ``NA``,
    ``NaN``, ``nan`` (with blanks around). Blanks after a separator and empty lines do not count.
Decisions
    A header is assumed when no cell of the first line is a number or missing, and either some
    column below holds numbers, or the cells differ and most of them never occur as values of their
    column. Without a header the last column is called ``class`` and the others ``x0, x1, ...``.
    When all labels of the last column end in a record number (``negative.|3733``, C4.5's comment),
    the number is cut off.
Complexity
    O(cells), in chunks; a column that turns out not to be numeric after its first chunk costs a
    second pass.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..table.columns import Column
from .errors import DataFileError
from .text import CHUNK, Numbers, Words, open_text

Path = str | os.PathLike[str]

MISSING = frozenset(["", "?", "NA", "NaN", "nan"])
"""Texts that mean a missing cell."""

_RECORD = re.compile(r"(.*)\.\|\s*\d+")


@dataclass(slots=True)
class Sheet:
    """The columns of a delimited file, and whether their names come from it."""

    columns: list[Column]
    has_header: bool


def sniff(line: str) -> str:
    """The separator of a line: the first of comma, tab, semicolon and bar that it holds, else
    blanks.

    Examples:
        >>> sniff("a;b;c"), sniff("a, b; c"), sniff("1\\t2"), sniff(" 1.5   2"), sniff("1")
        (';', ',', '\\t', ' ', ',')
    """
    fallback = " " if " " in line.strip() else ","
    return next((sep for sep in (",", "\t", ";", "|") if sep in line), fallback)


def read_delimited(
    path: Path,
    drop: Collection[str] = (),
    *,
    sep: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
) -> Sheet:
    """Read a delimited file into columns.

    Args:
        path: the file; ``.gz``, ``.bz2``, ``.xz`` are unpacked.
        drop: names of columns to leave out.
        sep: separator; default: the first of comma, tab, semicolon, bar that the first line holds,
        else blanks
            (any number of them).
        header: whether the first line holds names; default: found out.
        names: the columns' names (with ``header=True`` they replace the file's).

    Raises:
        DataFileError: rows of unequal length, unclosed quotes, duplicate names, numbers too large,
        no rows.
    """
    if sep is None:
        with open_text(path) as stream:
            first = next((line for line in stream if line.strip()), "")
        sep = sniff(first)
    words: set[int] = set()
    columns: dict[int, Column] = {}
    while True:
        sheet_names, has_header, found, failed = _one_pass(
            path, sep, set(drop), header=header, names=names, words=words, done=set(columns)
        )
        columns |= found
        if not failed:
            return Sheet([columns[j] for j in sorted(columns)], has_header)
        words |= failed
        header, names = has_header, sheet_names


def _one_pass(
    path: Path,
    sep: str,
    drop: set[str],
    *,
    header: bool | None,
    names: Sequence[str] | None,
    words: set[int],
    done: set[int],
) -> tuple[list[str], bool, dict[int, Column], set[int]]:
    """Read the columns not yet done; returns names, header or not, columns, and those that need
    another pass."""
    kept: dict[int, Numbers | Words] = {}
    failed: set[int] = set()
    resolved: list[str] = []
    has_header = False
    with open_text(path) as stream:
        source = (" ".join(line.split()) for line in stream) if sep == " " else stream
        reader = csv.reader(source, delimiter=sep, skipinitialspace=True, strict=True)
        for first_chunk, rows, lines in _chunks(reader, path):
            if first_chunk:
                has_header = _has_header(rows) if header is None else header
                resolved = _names(rows[0], has_header, names, path, lines[0])
                unknown = drop.difference(resolved)
                if unknown:
                    hint = f"is not a column (drop=); the columns are {', '.join(map(repr, resolved[:12]))}"
                    raise DataFileError(hint, path, None, None, min(unknown))
                if has_header:
                    rows, lines = rows[1:], lines[1:]
                for j, name in enumerate(resolved):
                    if j not in done and name not in drop:
                        kept[j] = (
                            Words(name, path, MISSING)
                            if j in words
                            else Numbers(name, path, MISSING)
                        )
                if not rows:
                    break
            cells = list(zip(*rows, strict=True))
            for j in list(kept):
                collector = kept[j]
                if isinstance(collector, Numbers):
                    if collector.offer(cells[j], lines):
                        continue
                    if not first_chunk:
                        del kept[j]
                        failed.add(j)
                        continue
                    collector = kept[j] = Words(collector.name, path, MISSING)
                collector.feed(cells[j], lines)
    if not resolved or (not any(collector.parts for collector in kept.values()) and not failed):
        raise DataFileError("there are no rows", path)
    columns: dict[int, Column] = {}
    last = max((j for j, name in enumerate(resolved) if name not in drop), default=-1)
    for j, collector in kept.items():
        if isinstance(collector, Words):
            column = collector.column(_record_numbers(collector) if j == last else None)
        else:
            column = collector.column()
        if column.kind == "numeric" and column.n_missing == len(column):
            column = Column(column.name, "nominal", np.full(len(column), -1, dtype=np.int32), ())
        columns[j] = column
    return resolved, has_header, columns, failed


def _record_numbers(words: Words) -> dict[str, str] | None:
    """How to rewrite labels that all end in ``.|number``; None when they do not."""
    texts = {raw.strip() for raw in words.place} - MISSING
    if not texts:
        return None
    matches = {text: _RECORD.fullmatch(text) for text in texts}
    return {text: m[1] for text, m in matches.items() if m} if all(matches.values()) else None


def _chunks(reader: Any, path: Path) -> Iterator[tuple[bool, list[list[str]], list[int]]]:
    """Rows in chunks with their line numbers; the first chunk is marked."""
    rows: list[list[str]] = []
    lines: list[int] = []
    width, first = -1, True
    try:
        for row in reader:
            if not row or (len(row) == 1 and width != 1 and not row[0].strip()):
                continue
            line: int = reader.line_num
            if width < 0:
                width = len(row)
            if len(row) != width:
                hint = f"the line has {len(row)} cells but the first has {width}; "
                hint += (
                    "quote cells that hold the separator"
                    if len(row) > width
                    else "write ? for missing cells"
                )
                raise DataFileError(hint, path, line)
            rows.append(row)
            lines.append(line)
            if len(rows) == CHUNK:
                yield first, rows, lines
                rows, lines, first = [], [], False
    except csv.Error as error:
        line = reader.line_num
        raise DataFileError(
            f"a quoted cell is broken ({error}); close or double its quotes", path, line
        ) from None
    if rows:
        yield first, rows, lines


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _has_header(rows: list[list[str]]) -> bool:
    names = [cell.strip() for cell in rows[0]]
    if any(n in MISSING or _number(n) for n in names) or len(rows) < 2:
        return False
    columns = list(zip(*rows[1:201], strict=True))
    for column in columns:
        present = [cell for cell in column if cell.strip() not in MISSING]
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
