"""Reading C4.5's pair of files: ``stem.names`` (classes and attributes) and ``stem.data`` (rows).

What
    Quinlan's format (C4.5, 1993, appendix): ``|`` starts a comment. A full stop ends an entry (it
    may be left out at the end of a line). An attribute is ``continuous``, ``discrete N``,
    ``ignore``, ``label`` (an identifier, ignored) or the values themselves. C5.0's first entry may
    instead name the attribute that is the class. A backslash takes the next character as it is;
    runs of blanks count as one. ``?`` is missing.
Complexity
    O(bytes). A block of rows loses its comments, full stops and backslashes and becomes cells
    between unit separators, which the core reads as it reads CSV.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator

from .._engine import DelimitedReader
from ..table.columns import Column, make_levels
from .blocks import blocks
from .errors import DataFileError
from .limits import Limits
from .reading import faults_of, found_column, tell_latin1

Path = str | os.PathLike[str]

_SEPARATOR = b"\x1f"
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


def _text(path: Path, limits: Limits | None) -> tuple[str, str]:
    """A names file and its encoding: UTF-8 where it decodes, else Latin-1, which is announced."""
    content = b"".join(blocks(path, limits))
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise DataFileError("holds a NUL byte: this is no text file", path, line)
    try:
        return content.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError as error:
        encoding = tell_latin1(path, content[: error.start].count(b"\n") + 1)
        return content.decode(encoding), encoding


def _entries(path: Path, text: str) -> list[tuple[int, str]]:
    """Entries of a names file: lines, joined while they end in a comma or colon."""
    entries: list[tuple[int, str]] = []
    pending, start = "", 0
    for number, raw in enumerate(text.splitlines(), 1):
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


def read_names(
    path: Path, limits: Limits | None = None
) -> tuple[str, list[str], list[tuple[str, str, list[str], int]], str]:
    """Class attribute, classes, (name, type, values, line) of each attribute, and the encoding.

    The class attribute is ``class`` with its labels when the first entry lists classes; else the
    named one.
    """
    text, encoding = _text(path, limits)
    entries = _entries(path, text)
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
        return first[0], [], attributes, encoding
    return "class", first, attributes, encoding


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
    limits = limits or Limits()
    target, classes, attributes, encoding = read_names(names_path, limits)
    if classes:
        attributes = [*attributes, (target, "nominal", classes, 1)]
    unknown = set(drop).difference(a[0] for a in attributes)
    if unknown:
        raise DataFileError("is not an attribute (drop=)", names_path, None, None, min(unknown))
    kinds: list[tuple[int, list[bytes] | None, bool, bool]] = []
    for j, (name, kind, values, line) in enumerate(attributes):
        if kind == "ignore" or name in drop:
            continue
        if kind == "date":
            raise DataFileError(
                f"is a date; leave it out with drop=[{name!r}]", names_path, line, name
            )
        if len(set(values)) < len(values):
            raise DataFileError("declares a value twice", names_path, line, name)
        labels = [value.encode(encoding) for value in values] if kind == "nominal" else None
        kinds.append((j, labels, kind == "numeric", False))
    names = [name for name, *_ in attributes]
    reader = DelimitedReader(_SEPARATOR[0], False, 0, limits.core)
    started = False
    with faults_of(path):
        for block in _rows(path, limits):
            reader.feed(block)
            if not started and reader.is_ready():
                _start(reader, names, kinds, path, names_path)
                started = True
        reader.end()
        if not started:
            _start(reader, names, kinds, path, names_path)
        found, _, latin1 = reader.finish()
    encoding = tell_latin1(path, latin1)
    columns = []
    for one in found:
        name, kind, values, _ = attributes[one[0]]
        if kind == "words":
            columns.append(found_column(name, one, encoding, _MISSING))
        elif kind == "numeric":
            columns.append(Column(name, "numeric", one[1]))
        else:
            columns.append(Column(name, "nominal", one[1], make_levels(name, values)))
    return target, columns


def _start(
    reader: DelimitedReader,
    names: list[str],
    kinds: list[tuple[int, list[bytes] | None, bool, bool]],
    path: Path,
    names_path: Path,
) -> None:
    sample = reader.sample(1)
    if not sample:
        raise DataFileError("there are no rows", path)
    line, cells = sample[0]
    if len(cells) != len(names):
        raise DataFileError(
            f"the row has {len(cells)} values but {os.fspath(names_path)} declares {len(names)} "
            "(class included); write ? for missing",
            path,
            line,
        )
    reader.start(False, [name.encode() for name in names], kinds, [b"?"])


def _rows(path: Path, limits: Limits) -> Iterator[bytes]:
    """The rows of a data file, whole lines at a time, ready for the core's reader."""
    rest: list[bytes] = []
    for block in blocks(path, limits):
        end = block.rfind(b"\n") + 1
        if end:
            yield _cells(b"".join([*rest, block[:end]]))
            rest.clear()
        rest.append(block[end:])
    yield _cells(b"".join(rest))


def _cells(lines: bytes) -> bytes:
    r"""Lines without comments, full stops at their ends and backslashes; cells are divided by the
    unit separator.

    >>> _cells(b"1, a  b,x.|3\n2,c\\,d,y\n")
    b'1\x1f a b\x1fx\n2\x1fc,d\x1fy\n'
    """
    if b"|" in lines:
        lines = re.sub(rb"(?<!\\)\|[^\r\n]*", b"", lines)
    lines = re.sub(rb"\.(?=[ \t]*(?:[\r\n]|\Z))(?<!\\\.)", b"", lines)
    if b"  " in lines or b"\t" in lines:
        lines = re.sub(rb"[ \t]+", b" ", lines)
    if b"\\" not in lines:
        return lines.replace(b",", _SEPARATOR)
    return re.sub(rb"\\(.)|,", lambda found: found[1] or _SEPARATOR, lines)
