"""Reading C4.5's files line by line: text from bytes, and cells gathered column by column.

What
    `open_text` decodes UTF-8 (with or without a byte-order mark), UTF-16 with one, and Latin-1
    where that fails. `Numbers`, `Labels` and `Words` collect one column's cells chunk by chunk as
    floats, as codes of declared labels, or as codes of labels seen.
Complexity
    O(cells); a file is never held as a whole, only its columns (8 or 4 bytes a cell) and one chunk
    of text.
When not to use it
    For every other format: the core reads those (`reading`).
"""

from __future__ import annotations

import codecs
import difflib
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from ..table.columns import MAX_LEVELS, Column, make_levels, shorten
from ..table.sources import column_of_codes
from .blocks import open_bytes
from .errors import DataFileError
from .limits import Limits
from .reading import tell_latin1

CHUNK = 8192
"""Rows converted at a time."""


@contextmanager
def open_text(path: str | os.PathLike[str], limits: Limits | None = None) -> Iterator[IO[str]]:
    """The file as text; a broken or bloated compressed file, NUL bytes and lines beyond the limit
    on cells are DataFileErrors."""
    with open_bytes(path, limits) as stream:
        encoding = _encoding(stream, path)
    with open_bytes(path, limits) as stream:
        try:
            yield io.TextIOWrapper(stream, encoding=encoding, newline="")
        except UnicodeError as error:
            problem = f"starts like UTF-16 and is not ({error}); save it as UTF-8"
            raise DataFileError(problem, path) from None


def _encoding(stream: IO[bytes], path: str | os.PathLike[str]) -> str:
    """UTF-16 where a byte-order mark says so, UTF-8 (with or without one) where it decodes, else
    Latin-1, which is announced."""
    decoder: Any = codecs.getincrementaldecoder("utf-8")()
    first, lines, latin1 = True, 1, None
    while piece := stream.read(1 << 20):
        if first and piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        first = False
        if b"\x00" in piece:
            lines += piece[: piece.index(b"\x00")].count(b"\n")
            hint = "holds a NUL byte: this is no text file; convert it to CSV or ARFF"
            raise DataFileError(hint, path, lines)
        if latin1 is None:
            try:
                decoder.decode(piece)
            except UnicodeDecodeError as error:
                latin1 = lines + piece[: max(error.start - 3, 0)].count(b"\n")
        lines += piece.count(b"\n")
    if latin1 is None:
        try:
            decoder.decode(b"", True)
            return "utf-8-sig"
        except UnicodeDecodeError:
            latin1 = lines
    return tell_latin1(path, latin1)


class Numbers:
    """A numeric column: text cells to floats; `missing` are the texts that mean no value."""

    def __init__(self, name: str, path: str | os.PathLike[str], missing: frozenset[str]) -> None:
        self.name, self.path, self.missing = name, path, missing
        self.parts: list[np.ndarray] = []

    def feed(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Add a chunk; a cell that is no finite number is a DataFileError."""
        if not self.offer(cells, lines):
            i = next(i for i, cell in enumerate(cells) if self.parse([cell]) is None)
            hint = "is not a number; correct it, write ? for missing, or make the column nominal"
            raise DataFileError(hint, self.path, lines[i], self.name, cells[i].removeprefix("\x00"))

    def offer(self, cells: Sequence[str], lines: Sequence[int]) -> bool:
        """Add a chunk if all its present cells are numbers, else add nothing and return False."""
        values = self.parse(cells)
        if values is None:
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
        bad = np.flatnonzero(np.isinf(values)) if not np.isfinite(total) else np.empty(0, dtype=int)
        if bad.size:
            i = int(bad[0])
            hint = "is infinity or too large for float64; write ? for missing or a finite number"
            raise DataFileError(hint, self.path, lines[i], self.name, cells[i])
        self.parts.append(values)
        return True

    def parse(self, cells: Sequence[str]) -> np.ndarray | None:
        """The floats of a chunk, or None if some cell is neither a number nor missing."""
        if "_" in "".join(cells):
            return None
        try:
            return np.array(list(map(float, cells)))
        except ValueError:
            pass
        nan, missing = float("nan"), self.missing
        try:
            return np.array(
                [nan if c in missing or c.strip() in missing else float(c) for c in cells]
            )
        except ValueError:
            return None

    def column(self) -> Column:
        """The finished column."""
        return Column(
            self.name, "numeric", np.concatenate(self.parts) if self.parts else np.empty(0)
        )


class Labels:
    """A nominal column with declared labels; `look_up` maps a cell's text to its code, -1 for
    missing."""

    def __init__(
        self,
        name: str,
        path: str | os.PathLike[str],
        levels: Sequence[str],
        look_up: dict[str, int],
    ) -> None:
        self.name, self.path, self.look_up = name, path, look_up
        self.levels = make_levels(name, levels)
        self.parts: list[np.ndarray] = []

    def feed(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Add a chunk; an undeclared label is a DataFileError."""
        try:
            self.parts.append(
                np.fromiter(map(self.look_up.__getitem__, cells), dtype=np.int32, count=len(cells))
            )
        except KeyError:
            i = next(i for i, cell in enumerate(cells) if cell not in self.look_up)
            text = cells[i].removeprefix("\x00")
            close = difflib.get_close_matches(text, [str(v) for v in self.levels], 1)
            hint = f"is not among the declared labels {{{shorten(self.levels)}}}"
            hint += (
                f"; did you mean {close[0]!r}?"
                if close
                else "; declare it in the header or correct the cell"
            )
            raise DataFileError(hint, self.path, lines[i], self.name, text) from None

    def column(self) -> Column:
        """The finished column."""
        codes = np.concatenate(self.parts) if self.parts else np.empty(0, dtype=np.int32)
        return Column(self.name, "nominal", codes, self.levels)


class Words:
    """A nominal column without declared labels: levels are the (stripped) texts that occur,
    sorted."""

    def __init__(self, name: str, path: str | os.PathLike[str], missing: frozenset[str]) -> None:
        self.name, self.path, self.missing = name, path, missing
        self.place: dict[str, int] = {}
        self.parts: list[np.ndarray] = []

    def feed(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Add a chunk."""
        place = self.place
        for cell in set(cells).difference(place):
            place[cell] = len(place)
        self.parts.append(
            np.fromiter(map(place.__getitem__, cells), dtype=np.int64, count=len(cells))
        )
        if len(place) > 4 * MAX_LEVELS:
            self.column()  # raises: too many levels

    def column(self, clean: dict[str, str] | None = None) -> Column:
        """The finished column; `clean` may rewrite texts (two that become equal are one level)."""
        merged: dict[str, int] = {}
        table = np.empty(len(self.place), dtype=np.int64)
        for raw, code in self.place.items():
            text = raw.strip()
            if text in self.missing:
                table[code] = -1
                continue
            text = text.removeprefix("\x00")
            if clean is not None:
                text = clean[text]
            table[code] = merged.setdefault(text, len(merged))
        codes = np.concatenate(self.parts) if self.parts else np.empty(0, dtype=np.int64)
        if len(merged) > MAX_LEVELS:
            raise DataFileError(
                f"has more than {MAX_LEVELS:,} distinct labels; an identifier carries nothing that "
                "generalises: "
                f"leave it out with drop=[{self.name!r}]",
                self.path,
                column=self.name,
            )
        return column_of_codes(self.name, table[codes] if len(table) else codes, list(merged))
