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
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .._checks.words import option
from .._engine import DelimitedReader
from ..table.columns import Column, make_levels
from .blocks import Limits, blocks
from .errors import DataFileError, Path
from .reading import ColumnRequest, encoding_of, found_column, read_records, start_columns

_SEPARATOR = b"\x1f"
_MISSING = frozenset("?")
_COMMENT = re.compile(r"(?<!\\)\|")
"""The unescaped bar that starts a comment."""


class Attribute(NamedTuple):
    """An entry of a names file."""

    name: str
    kind: Literal["numeric", "nominal", "words", "ignore"]
    """The labels of a "nominal" attribute are declared; the labels of a "words" attribute are the
    texts in the rows."""
    labels: list[str]
    line: int


@dataclass(slots=True)
class Declaration:
    """The content of a names file."""

    target: str
    """Name of the class column."""
    attributes: list[Attribute]
    """The columns in the order of the rows, the class among them."""
    encoding: str


def unescape(text: str) -> str:
    r"""Undo backslashes and squeeze blanks.

    Examples:
        >>> unescape("  head  and neck "), unescape(r"a\,b")
        ('head and neck', 'a,b')
    """
    return re.sub(r"\\(.)", r"\1", " ".join(text.split()))


def without_comment(line: str) -> str:
    """The line without its comment and the full stop at its end."""
    line = _COMMENT.split(line, maxsplit=1)[0].strip()
    return line[:-1].rstrip() if line.endswith(".") and not line.endswith("\\.") else line


def split_unescaped(text: str, sep: str = ",") -> list[str]:
    """The cleaned pieces between unescaped separators."""
    return [unescape(piece) for piece in re.split(rf"(?<!\\){sep}", text)]


def _text(path: Path, limits: Limits | None) -> tuple[str, str]:
    """The text of a names file and its encoding: UTF-8 where it decodes, else Latin-1, with a
    warning."""
    content = b"".join(blocks(path, limits))
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise DataFileError("holds a NUL byte: this is no text file", path, line)
    try:
        return content.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError as error:
        encoding = encoding_of(path, content[: error.start].count(b"\n") + 1)
        return content.decode(encoding), encoding


def _entries(path: Path, text: str) -> list[tuple[int, str]]:
    """(line number, entry) of a names file; a line that ends in a comma or colon goes on in the
    next."""
    entries: list[tuple[int, str]] = []
    pending, start = "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        bare = _COMMENT.split(raw, maxsplit=1)[0].strip()
        if not bare:
            continue
        if not pending:
            start = number
        pending = f"{pending} {bare}".strip()
        if bare.endswith((",", ":")):
            continue
        # A full stop followed by more text ends an entry within the line.
        for piece in re.split(r"(?<!\\)\.(?=\s+\S)", pending):
            if without_comment(piece):
                entries.append((start, without_comment(piece)))
        pending = ""
    if pending:
        raise DataFileError("the entry is not complete", path, start, None, pending)
    return entries


def read_names(path: Path, limits: Limits | None = None) -> Declaration:
    """Read a names file.

    When the first entry lists classes, the class is a last column ``class`` with these labels; when
    it names an attribute, the class is that attribute.
    """
    text, encoding = _text(path, limits)
    entries = _entries(path, text)
    if not entries:
        raise DataFileError("the file is empty; it starts with the classes", path)
    (first_line, first_entry), *others = entries
    attributes = [_attribute(path, line, entry) for line, entry in others]
    if not attributes:
        raise DataFileError("there are no attributes after the classes", path)
    classes = split_unescaped(first_entry)
    if len(classes) == 1 and any(attribute.name == classes[0] for attribute in attributes):
        return Declaration(classes[0], attributes, encoding)
    attributes.append(Attribute("class", "nominal", classes, first_line))
    return Declaration("class", attributes, encoding)


def _attribute(path: Path, line: int, entry: str) -> Attribute:
    """The attribute that an entry ``name: type`` or ``name: label, label, ...`` declares."""
    name, *rest = re.split(r"(?<!\\):", entry, maxsplit=1)
    name = unescape(name)
    if rest and rest[0].startswith("="):
        raise DataFileError(
            "is an attribute defined by a formula; compute it beforehand", path, line, name, entry
        )
    if not rest:
        raise DataFileError(
            "has no colon; write 'name: continuous.' or 'name: a, b.'", path, line, None, entry
        )
    labels = split_unescaped(rest[0])
    keyword = labels[0].lower() if len(labels) == 1 else ""
    if keyword == "continuous":
        return Attribute(name, "numeric", [], line)
    if keyword in ("ignore", "label"):
        return Attribute(name, "ignore", [], line)
    if keyword.startswith("discrete") or keyword in ("date", "time", "timestamp"):
        return Attribute(name, "words", [], line)
    labels = [label.removeprefix("[ordered] ") for label in labels]
    return Attribute(name, "nominal", labels, line)


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
    declared = read_names(names_path, limits)
    attributes = declared.attributes
    names = [attribute.name for attribute in attributes]
    unknown = set(drop).difference(names)
    if unknown:
        raise DataFileError(
            f"is not an attribute ({option('drop')})", names_path, None, None, min(unknown)
        )
    # From declarations to what the core shall read.
    requests: list[ColumnRequest] = []
    for j, (name, kind, labels, line) in enumerate(attributes):
        if kind == "ignore" or name in drop:
            continue
        if len(set(labels)) < len(labels):
            raise DataFileError("declares a value twice", names_path, line, name)
        encoded = [label.encode(declared.encoding) for label in labels]
        requests.append(
            ColumnRequest(j, encoded if kind == "nominal" else None, is_numeric=kind == "numeric")
        )
    reader = DelimitedReader(_SEPARATOR[0], False, 0, limits.core)
    told = f"{os.fspath(names_path)} declares {len(names)} (class included); write ? for missing"
    records = read_records(
        reader,
        path,
        _rows(path, limits),
        lambda: start_columns(reader, (names, requests), "?", path, told),
    )
    encoding = encoding_of(path, records.latin1_line)
    # Declared labels are decoded already; the labels of "discrete N" attributes are the texts in
    # the rows.
    columns = []
    for column in records.columns:
        name, kind, labels, _ = attributes[column.position]
        if kind == "words":
            columns.append(found_column(name, column, encoding, _MISSING))
        elif kind == "numeric":
            columns.append(Column(name, "numeric", column.values))
        else:
            levels = make_levels(name, labels)
            columns.append(Column(name, "nominal", column.values, levels, declared=True))
    return declared.target, columns


def _rows(path: Path, limits: Limits) -> Iterator[bytes]:
    """The rows of a data file, whole lines at a time, as the core reads them."""
    rest: list[bytes] = []  # pieces of a line whose end is not read yet
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
    lines = re.sub(rb"\.(?=[ \t]*(?:[\r\n]|\Z))(?<!\\\.)", b"", lines)  # unescaped, at a line end
    if b"  " in lines or b"\t" in lines:
        lines = re.sub(rb"[ \t]+", b" ", lines)
    if b"\\" not in lines:
        return lines.replace(b",", _SEPARATOR)
    return re.sub(rb"\\(.)|,", lambda match: match[1] or _SEPARATOR, lines)
