"""Reading C4.5's pair of files: ``stem.names`` (classes and attributes) and ``stem.data`` (rows).

What
    Quinlan's format (C4.5, 1993, appendix): ``|`` starts a comment, a full stop ends an entry (it
    may be left out at the end of a line), ``continuous``, ``discrete N``, ``ignore``, ``label`` (an
    identifier, ignored) or the values themselves. C5.0's first entry may instead name the attribute
    that is the class. A backslash takes the next character as it is; runs of blanks count as one.
    ``?`` is missing.
Complexity
    O(cells), in chunks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from ..table.columns import Column
from .errors import DataFileError
from .limits import Limits
from .text import CHUNK, Labels, Numbers, Words, open_text

Path = str | os.PathLike[str]

_MISSING = frozenset("?")


def clean(text: str) -> str:
    r"""Undo backslashes and squeeze blanks.

    Examples:
        >>> clean("  head  and neck "), clean(r"a\,b")
        ('head and neck', 'a,b')
    """
    return re.sub(r"\\(.)", r"\1", " ".join(text.split()))


def cut(line: str) -> str:
    """The line without comment and the full stop at its end."""
    line = re.split(r"(?<!\\)\|", line, maxsplit=1)[0].strip()
    return line[:-1].rstrip() if line.endswith(".") and not line.endswith("\\.") else line


def split(text: str, sep: str = ",") -> list[str]:
    """Split at unescaped separators and clean the pieces."""
    return [clean(piece) for piece in re.split(rf"(?<!\\){sep}", text)]


def _entries(path: Path) -> list[tuple[int, str]]:
    """Entries of a names file: lines, joined while they end in a comma or colon."""
    entries: list[tuple[int, str]] = []
    with open_text(path) as stream:
        pending, start = "", 0
        for number, raw in enumerate(stream, 1):
            bare = re.split(r"(?<!\\)\|", raw, maxsplit=1)[0].strip()
            if not bare:
                continue
            if not pending:
                start = number
            pending = f"{pending} {bare}".strip()
            if bare.endswith((",", ":")):
                continue
            for piece in re.split(r"(?<!\\)\.(?=\s+\S)", pending):
                if cut(piece):
                    entries.append((start, cut(piece)))
            pending = ""
        if pending:
            raise DataFileError("the entry is not complete", path, start, None, pending)
    return entries


def read_names(path: Path) -> tuple[str, list[str], list[tuple[str, str, list[str], int]]]:
    """Class attribute, classes, and (name, type, values, line) of each attribute.

    The class attribute is ``class`` with its labels when the first entry lists classes; else the
    named one.
    """
    entries = _entries(path)
    if not entries:
        raise DataFileError("the file is empty; it starts with the classes", path)
    attributes: list[tuple[str, str, list[str], int]] = []
    for line, entry in entries[1:]:
        name, *rest = re.split(r"(?<!\\):", entry, maxsplit=1)
        name = clean(name)
        if rest and rest[0].startswith("="):
            raise DataFileError(
                "is an attribute defined by a formula; compute it beforehand",
                path,
                line,
                name,
                entry,
            )
        if not rest:
            raise DataFileError(
                "has no colon; write 'name: continuous.' or 'name: a, b.'", path, line, None, entry
            )
        values = split(rest[0])
        word = values[0].lower() if len(values) == 1 else ""
        if word in ("continuous", "ignore", "label"):
            kind: str = "numeric" if word == "continuous" else "ignore"
            attributes.append((name, kind, [], line))
        elif word.startswith("discrete"):
            attributes.append((name, "words", [], line))
        elif word in ("date", "time", "timestamp"):
            attributes.append((name, "date", [], line))
        else:
            attributes.append(
                (name, "nominal", [v.removeprefix("[ordered] ") for v in values], line)
            )
    if not attributes:
        raise DataFileError("there are no attributes after the classes", path)
    first = split(entries[0][1])
    if len(first) == 1 and any(a[0] == first[0] for a in attributes):
        return first[0], [], attributes
    return "class", first, attributes


def read_c45(
    path: Path, names_path: Path, drop: Collection[str] = (), *, limits: Limits | None = None
) -> tuple[str, list[Column]]:
    """Read data rows against a names file.

    Args:
        path: the ``.data`` (or ``.test``) file.
        names_path: the ``.names`` file.
        drop: names of attributes to leave out.
        limits: bounds on cells, columns, labels and unpacked bytes.

    Returns:
        The name of the class column, and the columns (the class at its place in the file).

    Raises:
        DataFileError: naming file, line, attribute and value.
    """
    target, classes, attributes = read_names(names_path)
    if classes:
        attributes = [*attributes, (target, "nominal", classes, 1)]
    unknown = set(drop).difference(a[0] for a in attributes)
    if unknown:
        raise DataFileError("is not an attribute (drop=)", names_path, None, None, min(unknown))
    kept: list[tuple[int, Numbers | Labels | Words]] = []
    for j, (name, kind, values, line) in enumerate(attributes):
        if kind == "ignore" or name in drop:
            continue
        if kind == "numeric":
            kept.append((j, Numbers(name, path, _MISSING)))
        elif kind == "words":
            kept.append((j, Words(name, path, _MISSING)))
        elif kind == "date":
            raise DataFileError(
                f"is a date; leave it out with drop=[{name!r}]", names_path, line, name
            )
        else:
            codes = {"?": -1} | {value: i for i, value in enumerate(values)}
            if len(codes) <= len(values):
                raise DataFileError("declares a value twice", names_path, line, name)
            kept.append((j, Labels(name, path, values, codes)))
    rows: list[list[str]] = []
    lines: list[int] = []
    seen = False

    def flush() -> None:
        cells = list(zip(*rows, strict=True))
        for j, collector in kept:
            collector.feed(cells[j], lines)
        rows.clear()
        lines.clear()

    limits = limits or Limits()
    with open_text(path, limits) as stream:
        for number, raw in enumerate(stream, 1):
            text = cut(raw)
            if not text:
                continue
            row = split(text)
            if len(row) != len(attributes):
                hint = f"the row has {len(row)} values but {os.fspath(names_path)} declares {len(attributes)} "
                raise DataFileError(hint + "(class included); write ? for missing", path, number)
            if max(map(len, row)) > limits.field:
                hint = f"the row has a value of more than {limits.field} bytes (limits=)"
                raise DataFileError(hint, path, number)
            rows.append(row)
            lines.append(number)
            seen = True
            if len(rows) == CHUNK:
                flush()
    if not seen:
        raise DataFileError("there are no rows", path)
    if rows:
        flush()
    return target, [collector.column() for _, collector in kept]
