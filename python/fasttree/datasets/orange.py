"""Reading Orange's tab-separated files with three header lines: names, types, flags.

What
    Types: ``c``/``continuous``, ``d``/``discrete`` (or the values themselves, separated by blanks),
    ``s``/``string``, ``t``/``time``; flags: ``class``, ``meta``/``m``, ``ignore``/``i``. Strings,
    metas and ignored columns are left out. Empty, ``?``, ``.``, ``~`` and ``NA`` are missing.
    Format: Orange 2 and 3 documentation, "tab-delimited files".
"""

from __future__ import annotations

import os
from collections.abc import Collection

from .._engine import DelimitedReader
from ..table.columns import Column
from .blocks import blocks, head
from .errors import DataFileError
from .limits import Limits
from .reading import faults_of, found_column, read_column, tell_latin1

Path = str | os.PathLike[str]

_MISSING = frozenset(["", "?", ".", "~", "NA"])
_TYPES = {
    "c": "numeric",
    "continuous": "numeric",
    "d": "words",
    "discrete": "words",
    "s": "skip",
    "string": "skip",
}
_TYPES |= {"t": "skip", "time": "skip"}
_SKIP = {"meta", "m", "ignore", "i"}


def _head(path: Path, limits: Limits | None = None) -> list[list[str]]:
    """The cells of the first three lines (fewer in a shorter file)."""
    lines = head(path, limits).replace("\r\n", "\n").replace("\r", "\n").split("\n")[:3]
    return [line.split("\t") for line in lines]


def is_orange(path: Path) -> bool:
    """Whether the second and third lines look like Orange's types and flags."""
    head = _head(path)
    if len(head) < 3 or len({len(line) for line in head}) != 1:
        return False
    flags = {cell.strip() for cell in head[2]}
    return bool(flags & {"class", ""}) and flags <= {"", "class", *_SKIP}


def read_orange(
    path: Path, drop: Collection[str] = (), *, limits: Limits | None = None
) -> tuple[str | None, list[Column]]:
    """Read an Orange file: name of the class column (None without one) and the columns.

    Raises:
        DataFileError: naming file, line, column and value.
    """
    limits = limits or Limits()
    names, types, flags = _head(path, limits)
    names = [n.strip() for n in names]
    unknown = set(drop).difference(names)
    if unknown:
        raise DataFileError("is not a column (drop=)", path, 1, None, min(unknown))
    target = next(
        (n for n, flag in zip(names, flags, strict=True) if flag.strip() == "class"), None
    )
    kinds: list[tuple[int, list[bytes] | None, bool, bool]] = []
    for j, (name, text, flag) in enumerate(zip(names, types, flags, strict=True)):
        kind = _TYPES.get(text.strip(), "nominal")
        if kind == "skip" or flag.strip() in _SKIP or name in drop:
            continue
        declared = kind == "nominal" and text.strip()
        values = [value.encode() for value in text.split()] if declared else None
        if values is not None and len(set(values)) < len(values):
            raise DataFileError("declares a value twice", path, 2, name)
        kinds.append((j, values, kind == "numeric", False))
    reader = DelimitedReader(ord("\t"), False, 3, limits.core)
    started = False
    with faults_of(path):
        for block in blocks(path, limits):
            reader.feed(block)
            if not started and reader.is_ready():
                _start(reader, names, kinds, path)
                started = True
        reader.end()
        if not started:
            _start(reader, names, kinds, path)
        found, _, latin1 = reader.finish()
    encoding = tell_latin1(path, latin1)
    texts = {j for j, values, numbers, _ in kinds if values is None and not numbers}
    return target, [
        found_column(names[one[0]], one, encoding, _MISSING)
        if one[0] in texts
        else read_column(names[one[0]], one, encoding)
        for one in found
    ]


def _start(
    reader: DelimitedReader,
    names: list[str],
    kinds: list[tuple[int, list[bytes] | None, bool, bool]],
    path: Path,
) -> None:
    sample = reader.sample(1)
    if not sample:
        raise DataFileError("there are no rows", path)
    line, cells = sample[0]
    if len(cells) != len(names):
        raise DataFileError(
            f"the row has {len(cells)} cells but there are {len(names)} columns", path, line
        )
    missing = [text.encode() for text in _MISSING]
    reader.start(False, [name.encode() for name in names], kinds, missing)
