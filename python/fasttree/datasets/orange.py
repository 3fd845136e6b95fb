"""Reading Orange's tab-separated files with three header lines: names, types, flags.

What
    Types: ``c``/``continuous``, ``d``/``discrete`` (or the values themselves, separated by blanks),
    ``s``/``string``, ``t``/``time``; flags: ``class``, ``meta``/``m``, ``ignore``/``i``. A
    backslash
    before a blank of a value takes it as it is. Strings, metas, ignored columns and further class
    columns are left out, the last ones aloud. Empty, ``?``, ``.``, ``~`` and ``NA`` are missing.
    Format: Orange 2 and 3 documentation, "tab-delimited files".
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from .._checks.speech import option
from .._engine import DelimitedReader
from ..data_checks.warned import warn_caller
from ..rendering.words import some_of
from ..table.columns import Column
from .blocks import blocks, head
from .errors import DataFileError
from .limits import Limits
from .reading import (
    ColumnRequest,
    encoding_of,
    found_column,
    read_column,
    read_records,
    start_columns,
)

Path = str | os.PathLike[str]

_HEADER_LINES = 3
_MISSING = frozenset(["", "?", ".", "~", "NA"])
_TYPES = {
    "c": "numeric",
    "continuous": "numeric",
    "d": "words",
    "discrete": "words",
    "s": "skip",
    "string": "skip",
    "t": "words",
    "time": "words",
}
"""Kind by type; any other type is a list of labels. "words" are labels found in the cells."""
_SKIP = {"meta", "m", "ignore", "i"}
"""Flags of columns that are not read."""


_VALUE = re.compile(r"(?:\\.|[^\\\s])+")
"""A declared value."""


def _header(path: Path, limits: Limits | None = None) -> list[list[str]]:
    """The cells of the first three lines (fewer in a shorter file)."""
    lines = head(path, limits).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line.split("\t") for line in lines[:_HEADER_LINES]]


def is_orange(path: Path) -> bool:
    """Whether the second and third lines look like Orange's types and flags."""
    header = _header(path)
    if len(header) < 3 or len({len(line) for line in header}) != 1:
        return False
    flags = {cell.strip() for cell in header[2]}
    return bool(flags & {"class", ""}) and flags <= {"", "class", *_SKIP}


def read_orange(
    path: Path, drop: Collection[str] = (), *, limits: Limits | None = None
) -> tuple[str | None, list[Column]]:
    """Read an Orange file.

    Args:
        path: the file; ``.gz``, ``.bz2``, ``.xz`` are unpacked.
        drop: names of columns to leave out.
        limits: bounds on cells, columns, labels and unpacked bytes.

    Returns:
        The name of the class column (None without one), and the columns.

    Raises:
        DataFileError: naming file, line, column and value.
    """
    limits = limits or Limits()
    names, types, flags = _header(path, limits)
    names = [n.strip() for n in names]
    unknown = set(drop).difference(names)
    if unknown:
        raise DataFileError(f"is not a column ({option('drop')})", path, 1, None, min(unknown))
    classes = [n for n, flag in zip(names, flags, strict=True) if flag.strip() == "class"]
    target, others = next(iter(classes), None), [n for n in classes[1:] if n not in drop]
    if others:
        said = f"{target!r} is the target, the further class columns {some_of(others)} are left out"
        warn_caller(f"{os.fspath(path)}: {said}", UserWarning)
    # From types and flags to what the core shall read.
    requests: list[ColumnRequest] = []
    for j, (name, type_, flag) in enumerate(zip(names, types, flags, strict=True)):
        kind = _TYPES.get(type_.strip(), "nominal")
        if kind == "skip" or flag.strip() in _SKIP or name in drop or name in others:
            continue
        declared = kind == "nominal" and type_.strip()
        values = (re.sub(r"\\(.)", r"\1", value) for value in _VALUE.findall(type_))
        labels = [value.encode() for value in values] if declared else None
        if labels is not None and len(set(labels)) < len(labels):
            raise DataFileError("declares a value twice", path, 2, name)
        requests.append(ColumnRequest(j, labels, is_numeric=kind == "numeric"))
    reader = DelimitedReader(ord("\t"), False, _HEADER_LINES, limits.core)
    told = f"there are {len(names)} columns"
    records = read_records(
        reader,
        path,
        blocks(path, limits),
        lambda: start_columns(reader, (names, requests), _MISSING, path, told),
    )
    encoding = encoding_of(path, records.latin1_line)
    # Labels that the header does not declare are those that occur.
    undeclared = {r.position for r in requests if r.labels is None and not r.is_numeric}
    return target, [
        found_column(names[column.position], column, encoding, _MISSING)
        if column.position in undeclared
        else read_column(names[column.position], column, encoding)
        for column in records.columns
    ]
