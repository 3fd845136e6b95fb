r"""Reading Orange's files: three header lines (names, types, flags), or flags before the names.

What
    Types, in any case: ``c``/``continuous``/``n``/``numeric``, ``d``/``discrete``/``categorical``
    (or the values themselves, separated by blanks, ``\`` before a blank that belongs to a value),
    ``s``/``string``/``text``, ``t``/``time``. Flags: ``class``/``c``, ``meta``/``m``,
    ``ignore``/``i``, ``weight``/``w``, before attributes ``key=value``. In one header line they
    stand before the names: ``cD#play``, ``mS#id``, ``C#age``. Strings, metas and ignored columns
    are left out, and aloud baskets and all class columns but the first. Empty, ``?``, ``.``,
    ``~``, ``NA`` and ``NaN`` are missing, and what `cells` says. Format: Orange 2 and 3
    documentation, "Loading your data".
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Collection
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
    assert header is not None
    names = header.names
    check_columns(sorted(drop), names, path, "drop")
    # From types and flags to what the core shall read.
    requests: list[ColumnRequest] = []
    target, weight, left_out, said = None, None, [], []
    for j, (name, type_, flag) in enumerate(zip(names, header.types, header.flags, strict=True)):
        kind = "numeric" if flag == "weight" else _KINDS.get(type_, "nominal")
        if kind == "skip" or flag in ("meta", "ignore") or name in drop:
            continue
        if kind == "basket" or (flag == "class" and target is not None):
            left_out.append(f"{name!r} (a {'basket' if kind == 'basket' else 'further class'})")
            continue
        target, weight = name if flag == "class" else target, name if flag == "weight" else weight
        values = [re.sub(r"\\(.)", r"\1", value) for value in _VALUE.findall(type_)]
        labels = [value.encode() for value in values] if kind == "nominal" and values else None
        if labels is not None and len(set(labels)) < len(labels):
            raise DataFileError("declares a value twice", path, 2, name)
        requests.append(ColumnRequest(j, labels, is_numeric=kind == "numeric"))
    if header.n_lines == 1:
        said.append("letters before # in the first line are read as Orange's flags")
    if left_out:
        said.append(f"left out: {some_of(left_out)}")
    if said:
        warn_caller(f"{os.fspath(path)}: {'; '.join(said)}", UserWarning)
    cells = cells or FileCells()
    missing = cells.with_usual(_MISSING)
    reader = DelimitedReader(ord(header.sep), True, header.n_lines, limits.core)
    told = f"there are {len(names)} columns"
    records = read_records(
        reader,
        path,
        blocks(path, limits),
        lambda: start_columns(reader, (names, requests), missing, path, told),
    )
    encoding = encoding_of(path, records.latin1_line)
    # Labels that the header does not declare are those that occur; without a type, or numbers.
    undeclared = {r.position for r in requests if r.labels is None and not r.is_numeric}
    columns = []
    for read in records.columns:
        name = names[read.position]
        if read.position not in undeclared:
            column = read_column(name, read, encoding)
        else:
            column = found_column(name, read, encoding, missing)
            if not header.types[read.position] and are_plain_numbers(column.levels or ()):
                column = Column(name, "numeric", to_float(name, column.labels()))
        columns.append(column)

    def again(j: int, words: frozenset[str]) -> Column:
        others, told = {*names} - {columns[j].name}, FileCells((*words,), remembered=("NA",))
        return read_orange(path, others, cells=told, limits=limits)[1][0]

    words = missing, {text.decode() for text in records.matched}
    found = with_own_words(path, dict(enumerate(columns)), cells, words, again).values()
    columns = [cells.without(column)[0] for column in found]
    weights = next((column.values for column in columns if column.name == weight), None)
    return target, [column for column in columns if column.name != weight], weights
