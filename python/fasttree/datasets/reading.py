"""What the readers of text formats share: feeding the core, decoding labels, naming faults.

The core (``src/read``) returns numbers and codes as arrays and labels as bytes. Here the labels
become text, by the encoding that the whole file turned out to have, and the arrays `Column`s. A
fault of the core becomes a DataFileError with the name of the file. `delimited`, `c45`, `orange`
and `arff` call this.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from .._checks.data_warnings import held_warnings, is_quiet, warn_caller
from .._checks.naming import did_you_mean
from .._checks.words import argument, counted, reading
from .._engine import DelimitedReader, FileFault
from ..table.columns import Column, make_levels, shorten
from ..table.file_cells import NO_OTHERS, FileCells
from ..table.sources import column_from_codes
from .blocks import decode, decode_as
from .errors import DataFileError, Path


class ColumnRequest(NamedTuple):
    """How the core shall read one column of a delimited file."""

    position: int
    labels: list[bytes] | None = None
    """The declared labels; None if the labels are the texts that occur."""
    is_numeric: bool = False
    may_hold_text: bool = False
    """Whether a numeric column that holds text is read as labels instead of being an error."""


class CoreColumn(NamedTuple):
    """A column as the core returns it."""

    position: int
    values: np.ndarray
    """Numbers, NaN where missing; or codes into `labels`, -1 where missing."""
    labels: list[bytes] | None
    """None for a numeric column."""


class Records(NamedTuple):
    """The content of a delimited file, as the core has read it."""

    columns: list[CoreColumn]
    failed: list[int]
    """Positions of numeric columns that turned out to hold text after other rows had been read as
    numbers; they must be read again as labels."""
    latin1_line: int | None
    """The first line that is not UTF-8; None in a file of UTF-8."""
    matched: list[bytes]
    """The texts for missing values that some cell was equal to."""
    repeated: list[int]
    """The lines that repeat the names of the columns."""


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """A context in which faults of the core's readers become DataFileErrors with the name of the
    file."""
    try:
        yield
    except FileFault as fault:
        problem, line, column, value, declared, leave_out = fault.args
        name = None if column is None else decode(column)
        if leave_out:
            problem += f": {argument('drop', [name])}"
        text = None if value is None else decode(value)
        if declared is not None:
            levels = [decode(one) for one in declared]
            remedy = "declare it in the header or correct the cell"
            hint = did_you_mean(str(text), levels[:2000], remedy)
            problem += f" {{{shorten(levels)}}}; {hint}"
        raise DataFileError(problem, path, line, name, text) from None


def read_records(
    reader: DelimitedReader, path: Path, blocks: Iterable[bytes], start: Callable[[], None]
) -> Records:
    """Read a file to its end.

    Args:
        reader: the core's reader.
        path: the file, for messages.
        blocks: its bytes.
        start: called once, when the reader holds the first records; it requests the columns.
    """
    started = False
    with faults_of(path):
        for block in blocks:
            reader.feed(block)
            if not started and reader.is_ready():
                start()
                started = True
        reader.end()
        if not started:  # a short file ends before the reader asks for its columns
            start()
        columns, failed, latin1_line, matched, repeated = reader.finish()
    found = [CoreColumn(*column) for column in columns]
    return Records(found, failed, latin1_line, matched, repeated)


def start_columns(
    reader: DelimitedReader,
    columns: tuple[Sequence[str], list[ColumnRequest]],
    missing: Iterable[str],
    path: Path,
    declared: str,
) -> None:
    """Request the columns of a file whose names are given in another file. A file whose first row
    has another number of cells is refused; `declared` says in the message where the number comes
    from."""
    names, requests = columns
    sample = reader.sample(1)
    if not sample:
        raise DataFileError("there are no rows", path)
    line, cells = sample[0]
    if len(cells) != len(names):
        raise DataFileError(f"the row has {len(cells)} cells but {declared}", path, line)
    texts = [text.encode() for text in missing]
    reader.start(False, None, [name.encode() for name in names], requests, texts)


def encoding_of(path: Path, line: int | None) -> str:
    """The encoding of a file: UTF-8, or Latin-1 with a warning if `line` is the first line that is
    not UTF-8."""
    if line is None:
        return "utf-8"
    warn_caller(
        f"{os.fspath(path)}, line {line}: this is not UTF-8, so the file is read as Latin-1 "
        "(Windows-1252); save it as UTF-8 to be sure of its letters",
        UserWarning,
    )
    return "latin-1"


_LIKE_NA = re.compile("[A-Z]{2}")
"""Levels among which ``NA`` may be one, as codes of countries are."""
_LEAST_LIKE_NA = 3
"""Least number of such levels in a column."""


def with_own_words(
    path: Path,
    columns: dict[int, Column],
    cells: FileCells,
    words: tuple[frozenset[str], set[str]],
    again: Callable[[int, frozenset[str]], Column],
) -> dict[int, Column]:
    """The columns, read again if the caller gives all words for their missing cells. A warning asks
    whether ``NA`` is a level where the levels look like codes of countries.

    Args:
        path: the file.
        columns: columns by a number.
        cells: the caller's description of missing cells.
        words: the words for missing cells by which the columns were read, and the words among them
            that occur.
        again: reads the column of a number by other words.
    """
    own = {name: texts for name, texts in cells.by_column.items() if NO_OTHERS in texts}
    with held_warnings():  # said when the file was first read
        read = {k: again(k, frozenset(own[c.name])) for k, c in columns.items() if c.name in own}
    found = columns | read
    if cells.remembered or is_quiet() or "NA" not in words[1] - cells.texts:
        return found
    asked: dict[str, int] = {}
    for key, column in found.items():
        levels = [str(level) for level in column.levels or ()] if column.n_missing else []
        if len(levels) >= _LEAST_LIKE_NA and all(map(_LIKE_NA.fullmatch, levels)):
            with held_warnings():
                n = column.n_missing - again(key, words[0] - {"NA"}).n_missing
            asked |= {column.name: n} if n else {}
    if asked:
        said = " and ".join(f"{counted(n, 'cell')} of column {name!r}" for name, n in asked.items())
        warn_caller(
            f"{os.fspath(path)}: {said} say NA, read as missing; if NA is a level there and only "
            f"empty cells are missing, read the file with "
            f"{reading('missing', {name: [''] for name in asked})}"
        )
    return found


def read_column(name: str, column: CoreColumn, encoding: str) -> Column:
    """A column of numbers or of declared labels."""
    if column.labels is None:
        return Column(name, "numeric", column.values)
    levels = make_levels(name, [decode_as(text, encoding) for text in column.labels])
    return Column(name, "nominal", column.values, levels, declared=True)


def found_column(
    name: str,
    column: CoreColumn,
    encoding: str,
    missing: frozenset[str],
    rewrite: Callable[[list[str]], list[str]] = list,
) -> Column:
    """A column of the labels that occur, sorted by the core.

    Args:
        name: of the column.
        column: codes and labels.
        encoding: of the labels.
        missing: texts that mean a missing cell once blanks around them are gone.
        rewrite: changes all labels of the column together. Labels that become equal are one level;
            those that become one of `missing` are missing.
    """
    texts = [decode_as(text, encoding) for text in column.labels or ()]
    clean = rewrite([text.strip() for text in texts])
    if clean == texts and missing.isdisjoint(clean):
        return Column(name, "nominal", column.values, make_levels(name, texts))
    code_of: dict[str, int] = {}
    recoded = [-1 if text in missing else code_of.setdefault(text, len(code_of)) for text in clean]
    recoded.append(-1)  # a missing cell has the code -1, which reads the last entry
    return column_from_codes(name, np.array(recoded, dtype=np.int64)[column.values], list(code_of))
