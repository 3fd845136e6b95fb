r"""Reading Orange's files: three header lines (names, types, flags), or flags before the names.

What
    Types, in any case: ``c``/``continuous``/``n``/``numeric``, ``d``/``discrete``/``categorical``
    (or the values themselves, separated by blanks, ``\`` before a blank that belongs to a value),
    ``s``/``string``/``text``, ``t``/``time``. Flags: ``class``/``c``, ``meta``/``m``,
    ``ignore``/``i``, ``weight``/``w``, before attributes ``key=value``. In one header line they
    stand before the names: ``cD#play``, ``mS#id``, ``C#age``. Strings, metas and ignored columns
    are left out; baskets and further class columns with a warning. Empty, ``?``, ``.``, ``~``,
    ``NA`` and ``NaN`` are missing, and what `cells` says. Format: Orange 2 and 3 documentation,
    "Loading your data".
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from .._checks.data_warnings import warn_caller
from .._checks.words import some_of
from .._engine import DelimitedReader
from ..table.columns import Column, to_float
from ..table.file_cells import FileCells
from ..table.number_texts import are_plain_numbers
from .blocks import Limits, blocks, head, split_suffix
from .delimited import MISSING
from .errors import DataFileError, Path, check_columns
from .first_lines import sniff
from .reading import (
    ColumnRequest,
    Records,
    encoding_of,
    found_column,
    read_column,
    read_records,
    start_columns,
    with_own_words,
)

_MISSING = MISSING | {".", "~"}
_TYPES = {
    "numeric": "c continuous n numeric",
    "words": "d discrete categorical t time",
    "skip": "s string text",
    "basket": "basket",
}
"""Types by kind. A column without a type is numeric or nominal by its cells, and any other type is
a list of labels."""
_KINDS = {word: kind for kind, words in _TYPES.items() for word in words.split()}
_FLAGS = {"c": "class", "m": "meta", "i": "ignore", "w": "weight"}
_FLAG = re.compile(
    rf"({'|'.join([*_FLAGS, *_FLAGS.values()])})?((^|\s+)[^\s=]+=(\"[^\"]*\"|[^\s\"]*))*"
)
"""A cell of the third line: a flag and attributes."""
_PREFIX = re.compile(r"(?=\w{1,2}#)([cmiw]?)([CDSTN]?)([cmiw]?)#(.+)")
_VALUE = re.compile(r"(?:\\.|[^\\\s])+")
"""A declared value."""
_TYPES_LINE = 2
"""The line of types in a header of three lines, from 1."""


class _Header(NamedTuple):
    """The description of the columns in the first lines."""

    sep: str
    n_lines: int
    names: list[str]
    types: list[str]
    flags: list[str]


def _header(path: Path, limits: Limits | None = None) -> _Header | None:
    """The header of a file; None where it is not Orange's."""
    lines = head(path, limits).splitlines()[:3] or [""]
    sep = "\t" if "\t" in lines[0] else sniff(lines[0])
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sep)]
    except csv.Error:  # a cell of more than 131,072 characters
        return None
    names = rows[0] if rows else []
    marked = [_PREFIX.fullmatch(name) for name in names]
    flags = [_FLAGS.get(found[1] or found[3], "") if found else "" for found in marked]
    if any(flags) or (names and all(marked)):
        types = [found[2].lower() if found else "" for found in marked]
        plain = [found[4] if found else name for name, found in zip(names, marked, strict=True)]
        return _Header(sep, 1, plain, types, flags)
    if len(rows) < 3 or len(rows[1]) != len(names) or len(rows[2]) > len(names):
        return None
    types = [type_ if len(type_.split()) > 1 else type_.lower() for type_ in rows[1]]
    known = any(type_ in _KINDS or len(type_.split()) > 1 for type_ in types)
    cells = [_FLAG.fullmatch(cell.lower()) for cell in rows[2]]
    flags = [_FLAGS.get(cell[1], cell[1] or "") if cell else "no flag" for cell in cells]
    # Rows of letters are neither types nor flags: in other text than .tab a flag is a word.
    is_sure = split_suffix(path)[1] == ".tab" or not {*_FLAGS.values()}.isdisjoint(
        word for cell in rows[2] for word in cell.lower().split()
    )
    if "no flag" in flags or not (known and is_sure):
        return None
    return _Header(sep, 3, names, types, flags + [""] * (len(names) - len(flags)))


def is_orange(path: Path) -> bool:
    """Whether the first lines have types and flags of Orange."""
    return _header(path) is not None


def read_orange(
    path: Path,
    drop: Collection[str] = (),
    *,
    cells: FileCells | None = None,
    limits: Limits | None = None,
) -> tuple[str | None, list[Column], np.ndarray | None]:
    """Read an Orange file.

    Args:
        path: the file; ``.gz``, ``.bz2``, ``.xz`` are unpacked.
        drop: names of columns to leave out.
        cells: what the caller says of missing cells.
        limits: bounds on cells, columns, labels and unpacked bytes.

    Returns:
        The name of the class column (None without one), the columns, and the weights of the rows
        (None without them).

    Raises:
        DataFileError: naming file, line, column and value.
    """
    limits = limits or Limits()
    header = _header(path, limits)
    if header is None:
        raise DataFileError("has no header with Orange's types and flags", path, 1)
    names = header.names
    check_columns(sorted(drop), names, path, "drop")
    read = _requests_of(header, path, drop)
    warnings_to_issue = []
    if header.n_lines == 1:
        warnings_to_issue.append("letters before # in the first line are read as Orange's flags")
    if read.left_out:
        warnings_to_issue.append(f"left out: {some_of(read.left_out)}")
    if warnings_to_issue:
        warn_caller(f"{os.fspath(path)}: {'; '.join(warnings_to_issue)}", UserWarning)
    cells = cells or FileCells()
    missing = cells.with_usual(_MISSING)
    reader = DelimitedReader(ord(header.sep), True, header.n_lines, limits.core)
    column_count_hint = f"there are {len(names)} columns"
    records = read_records(
        reader,
        path,
        blocks(path, limits),
        lambda: start_columns(reader, (names, read.requests), missing, path, column_count_hint),
    )
    columns = _columns_of(records, header, read.requests, path, missing)

    def reread_column(j: int, words: frozenset[str]) -> Column:
        other_names = {*names} - {columns[j].name}
        remembered = FileCells((*words,), remembered=("NA",))
        return read_orange(path, other_names, cells=remembered, limits=limits)[1][0]

    words = missing, {text.decode() for text in records.matched}
    numbered_columns = dict(enumerate(columns))
    found = with_own_words(path, numbered_columns, cells, words, reread_column).values()
    columns = [cells.without(column)[0] for column in found]
    weights = next((column.values for column in columns if column.name == read.weight), None)
    return read.target, [column for column in columns if column.name != read.weight], weights


class _Requests(NamedTuple):
    """The columns that the core shall read, the names of the columns of the class and of the
    weights (None without one), and the columns that are left out with a warning."""

    requests: list[ColumnRequest]
    target: str | None
    weight: str | None
    left_out: list[str]


def _requests_of(header: _Header, path: Path, drop: Collection[str]) -> _Requests:
    """From types and flags to what the core shall read.

    Raises:
        DataFileError: a type declares a value twice.
    """
    requests: list[ColumnRequest] = []
    target = None
    weight = None
    left_out = []
    for j, (name, type_, flag) in enumerate(
        zip(header.names, header.types, header.flags, strict=True)
    ):
        kind = "numeric" if flag == "weight" else _KINDS.get(type_, "nominal")
        if kind == "skip" or flag in ("meta", "ignore") or name in drop:
            continue
        if kind == "basket" or (flag == "class" and target is not None):
            left_out.append(f"{name!r} (a {'basket' if kind == 'basket' else 'further class'})")
            continue
        if flag == "class":
            target = name
        if flag == "weight":
            weight = name
        values = [re.sub(r"\\(.)", r"\1", value) for value in _VALUE.findall(type_)]
        labels = [value.encode() for value in values] if kind == "nominal" and values else None
        if labels is not None and len(set(labels)) < len(labels):
            raise DataFileError("declares a value twice", path, _TYPES_LINE, name)
        requests.append(ColumnRequest(j, labels, is_numeric=kind == "numeric"))
    return _Requests(requests, target, weight, left_out)


def _columns_of(
    records: Records,
    header: _Header,
    requests: Sequence[ColumnRequest],
    path: Path,
    missing: frozenset[str],
) -> list[Column]:
    """The columns that the core has read.

    Labels that the header does not declare are those that occur. A column without a type is numeric
    if they are numbers.
    """
    encoding = encoding_of(path, records.latin1_line)
    undeclared = {r.position for r in requests if r.labels is None and not r.is_numeric}
    columns = []
    for read in records.columns:
        name = header.names[read.position]
        if read.position not in undeclared:
            column = read_column(name, read, encoding)
        else:
            column = found_column(name, read, encoding, missing)
            if not header.types[read.position] and are_plain_numbers(column.levels or ()):
                column = Column(name, "numeric", to_float(name, column.labels()))
        columns.append(column)
    return columns
