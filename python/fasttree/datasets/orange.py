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

from ..table.columns import Column
from .errors import DataFileError
from .text import Labels, Numbers, Words, open_text

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


def is_orange(path: Path) -> bool:
    """Whether the second and third lines look like Orange's types and flags."""
    with open_text(path) as stream:
        head = [stream.readline().rstrip("\r\n").split("\t") for _ in range(3)]
    flags = {cell.strip() for cell in head[2]}
    return (
        len({len(line) for line in head}) == 1
        and bool(flags & {"class", ""})
        and flags <= {"", "class", *_SKIP}
    )


def read_orange(path: Path, drop: Collection[str] = ()) -> tuple[str | None, list[Column]]:
    """Read an Orange file: name of the class column (None without one) and the columns.

    Raises:
        DataFileError: naming file, line, column and value.
    """
    with open_text(path) as stream:
        names, types, flags = (stream.readline().rstrip("\r\n").split("\t") for _ in range(3))
        names = [n.strip() for n in names]
        unknown = set(drop).difference(names)
        if unknown:
            raise DataFileError("is not a column (drop=)", path, 1, None, min(unknown))
        target = next(
            (n for n, flag in zip(names, flags, strict=True) if flag.strip() == "class"), None
        )
        kept: list[tuple[int, Numbers | Labels | Words]] = []
        for j, (name, text, flag) in enumerate(zip(names, types, flags, strict=True)):
            kind = _TYPES.get(text.strip(), "nominal")
            if kind == "skip" or flag.strip() in _SKIP or name in drop:
                continue
            if kind == "numeric":
                kept.append((j, Numbers(name, path, _MISSING)))
            elif kind == "words" or not text.strip():
                kept.append((j, Words(name, path, _MISSING)))
            else:
                values = text.split()
                codes = dict.fromkeys(_MISSING, -1) | {value: i for i, value in enumerate(values)}
                kept.append((j, Labels(name, path, values, codes)))
        rows: list[list[str]] = []
        lines: list[int] = []
        for number, raw in enumerate(stream, 4):
            if not raw.strip():
                continue
            row = [cell.strip() for cell in raw.rstrip("\r\n").split("\t")]
            if len(row) != len(names):
                raise DataFileError(
                    f"the row has {len(row)} cells but there are {len(names)} columns", path, number
                )
            rows.append(row)
            lines.append(number)
    if not rows:
        raise DataFileError("there are no rows", path)
    cells = list(zip(*rows, strict=True))
    for j, collector in kept:
        collector.feed(cells[j], lines)
    return target, [collector.column() for _, collector in kept]
