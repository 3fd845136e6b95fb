"""Reading Weka's ARFF: dense and sparse rows, declared labels, quotes, comments, instance weights.

What
    A streaming reader of the Attribute-Relation File Format as Weka 3 reads it (its manual, chapter
    "ARFF"): ``%`` comments, keywords in any case, names and values in single or double quotes with
    backslash escapes, ``{ a, 'b c' }`` with blanks and over several lines, ``integer [0,10]`` (the
    range is ignored), ``{3 x, 7 y}`` sparse rows (what is left out is 0 or the first label), ``,
    {2.5}`` weights at the end of a row.
Decisions
    A bare ``?`` is missing; a quoted ``'?'`` is a label. A label with a blank need not be quoted
    where commas separate; rows without any comma are split at blanks and tabs. ``date`` and
    ``relational`` attributes are refused unless dropped. ``string`` attributes are nominal with the
    sorted strings that occur.
Complexity
    O(cells); rows without quotes, comments or braces are split by the interpreter's own C loops.
When not to use it
    Numbers by the hundred million: use Parquet.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import numpy as np

from ..table.columns import MAX_LEVELS, Column
from .errors import DataFileError
from .text import CHUNK, Labels, Numbers, Words, open_text, split_suffix

Path = str | os.PathLike[str]

QUOTED_MARK = "\x00?"
"""How the reader writes a quoted question mark, a label, beside the bare one, which is missing."""

EMPTY_MARK = "\x00"
"""How the reader writes nothing between two commas, an error, beside '', a label."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "%": "%"}
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_SPECIAL = re.compile(r"['\"%{}\\]")
_KEYWORD = re.compile(r"\s*@(\w+)\s*(.*)", re.DOTALL)
_MISSING = frozenset("?")


@dataclass(slots=True)
class Attribute:
    """One declared attribute: its name, type (numeric, nominal, string, date, relational), labels
    and line."""

    name: str
    type: str
    labels: list[str] = field(default_factory=list)
    line: int = 0


@dataclass(slots=True)
class Contents:
    """What a file holds: relation, columns in file order (dropped ones left out), weights (None if
    none)."""

    relation: str
    columns: list[Column]
    weights: np.ndarray | None = None


def unescape(text: str) -> str:
    r"""Undo the backslashes inside a quoted token.

    Examples:
        >>> unescape(r"it\'s 5\% \\ \u0041")
        "it's 5% \\ A"
    """
    if "\\" not in text:
        return text
    return re.sub(
        r"\\(u[0-9a-fA-F]{4}|.)",
        lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 5 else _ESCAPES.get(m[1], m[1]),
        text,
        flags=re.DOTALL,
    )


def strip_comment(line: str) -> str:
    """The line up to an unquoted %."""
    if "%" not in line:
        return line
    position = 0
    while position < len(line):
        if line[position] == "%":
            return line[:position]
        match = _QUOTED.match(line, position) if line[position] in "'\"" else None
        position = match.end() if match else position + 1
    return line


def tokens(text: str, path: Path, line: int) -> list[str]:
    """Split at commas (at blanks if there is no comma outside quotes).

    A quoted question mark becomes QUOTED_MARK, nothing between two commas EMPTY_MARK.

    Examples:
        >>> tokens("1, 'a, b', ? , '?'", "f", 1)
        ['1', 'a, b', '?', '\\x00?']
    """
    found: list[tuple[str, bool]] = []
    position, end, commas = 0, len(text), False
    ready = False  # a value has been read and a separator must follow
    while position < end:
        char = text[position]
        if char == ",":
            if not ready:
                found.append((EMPTY_MARK, True))
            commas, ready, position = True, False, position + 1
            continue
        if char.isspace():
            position += 1
            continue
        if ready and commas:
            raise DataFileError(
                "text beside a quoted value; put a comma between", path, line, None, text.strip()
            )
        ready = True
        if char in "'\"":
            match = _QUOTED.match(text, position)
            if match is None:
                hint = f"a quote ({char}) is opened and not closed; close it"
                raise DataFileError(hint, path, line, None, text.strip())
            found.append((mark(unescape(match[1] if match[1] is not None else match[2])), True))
            position = match.end()
        else:
            stop = position + 1
            while (
                stop < end
                and text[stop] != ","
                and not (text[stop] in "'\"" and text[stop - 1].isspace())
            ):
                stop += 1
            found.append((text[position:stop].strip(), False))
            position = stop
    if commas:
        return [value for value, _ in found] + ([] if ready else [EMPTY_MARK])
    return [piece for value, quoted in found for piece in ([value] if quoted else value.split())]


def mark(value: str) -> str:
    """A quoted value as the reader writes it."""
    return QUOTED_MARK if value == "?" else value


def read_arff(path: Path, drop: Collection[str] = ()) -> Contents:
    """Read an ARFF file into columns.

    Args:
        path: the file; ``.gz``, ``.bz2``, ``.xz`` are unpacked.
        drop: names of attributes to leave out (they need not be readable).

    Raises:
        DataFileError: anything malformed, with line, column and value.
    """
    with open_text(path) as stream:
        lines = enumerate(stream, 1)
        relation, attributes = _header(lines, path)
        unknown = [name for name in drop if name not in {a.name for a in attributes}]
        if unknown:
            names = ", ".join(repr(a.name) for a in attributes[:12])
            raise DataFileError(
                f"drop={unknown[0]!r} is no attribute of the file; it has {names} ...", path
            )
        return _rows(lines, attributes, relation or split_suffix(path)[0], set(drop), path)


def _header(lines: Iterator[tuple[int, str]], path: Path) -> tuple[str, list[Attribute]]:
    relation = ""
    attributes: list[Attribute] = []
    number = 0
    for number, raw in lines:
        line = strip_comment(raw).strip()
        if not line:
            continue
        match = _KEYWORD.match(line)
        word = match[1].lower() if match else ""
        if match is None or word not in ("relation", "attribute", "data", "end"):
            hint = "was expected to be @relation, @attribute, @data or a % comment; is this an ARFF file?"
            raise DataFileError(hint, path, number, None, line)
        if word == "data":
            if not attributes:
                raise DataFileError(
                    "@data before any @attribute; declare the attributes first", path, number
                )
            return relation, attributes
        if word == "relation":
            relation = _first_token(match[2])[0]
            continue
        if word == "end":
            continue
        rest, start = match[2], number
        while _open_brace(rest):
            try:
                number, more = next(lines)
            except StopIteration:
                hint = "the list of labels is not closed by }; close it"
                raise DataFileError(hint, path, start, None, line) from None
            rest += " " + strip_comment(more).strip()
        attributes.append(_attribute(rest, path, start, attributes))
    raise DataFileError("there is no @data line; is the file complete?", path, number or None)


def _open_brace(text: str) -> bool:
    bare = _QUOTED.sub("", text)
    return "{" in bare and "}" not in bare


def _first_token(text: str) -> tuple[str, str]:
    """First name (quoted or bare, which ends at a blank or brace) and the rest."""
    text = text.lstrip()
    match = _QUOTED.match(text)
    if match:
        return unescape(match[1] if match[1] is not None else match[2]), text[match.end() :]
    match = re.match(r"[^\s{]*", text)
    assert match is not None
    return match[0], text[match.end() :]


def _attribute(text: str, path: Path, line: int, before: list[Attribute]) -> Attribute:
    name, rest = _first_token(text)
    rest = rest.strip()
    if not name or not rest:
        hint = "needs a name and a type: @attribute age numeric, or @attribute wind {weak, strong}"
        raise DataFileError(hint, path, line, None, f"@attribute {text}".strip())
    if any(a.name == name for a in before):
        first = next(a.line for a in before if a.name == name)
        raise DataFileError(
            f"the attribute is declared twice (first in line {first}); rename one", path, line, name
        )
    if rest.startswith("{"):
        stop = rest.rfind("}")
        labels = (
            [t.removeprefix("\x00") for t in tokens(rest[1:stop], path, line)] if stop > 0 else []
        )
        if "" in labels and EMPTY_MARK in tokens(rest[1:stop], path, line):
            hint = "has nothing between two commas; write the label, or '' for an empty one"
            raise DataFileError(hint, path, line, name, rest)
        if not labels:
            raise DataFileError(
                "the list of labels is empty; declare at least one", path, line, name
            )
        if len(set(labels)) < len(labels):
            double = next(v for i, v in enumerate(labels) if v in labels[:i])
            raise DataFileError(
                "is declared twice; a label is declared once", path, line, name, double
            )
        if len(labels) > MAX_LEVELS:
            hint = f"declares {len(labels):,} labels, more than {MAX_LEVELS:,}; leave it out with drop=[{name!r}]"
            raise DataFileError(hint, path, line, name)
        return Attribute(name, "nominal", labels, line)
    match = re.match(r"\w+", rest)
    word = match[0].lower() if match else rest
    kinds = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "string": "string"}
    kinds |= {"date": "date", "relational": "relational"}
    if word not in kinds:
        hint = "is not a type; use numeric, real, integer, string or {label, label, ...}"
        raise DataFileError(hint, path, line, name, rest)
    return Attribute(name, kinds[word], [], line)


def _collector(attribute: Attribute, path: Path) -> Numbers | Labels | Words:
    if attribute.type == "numeric":
        return Numbers(attribute.name, path, _MISSING)
    if attribute.type == "string":
        return Words(attribute.name, path, _MISSING)
    if attribute.type == "nominal":
        codes = {mark(label): i for i, label in enumerate(attribute.labels)}
        return Labels(attribute.name, path, attribute.labels, codes | {"?": -1})
    hint = f"is of type {attribute.type}, which no tree here splits on; leave it out with drop=[{attribute.name!r}]"
    hint += " or turn it into numbers" if attribute.type == "date" else ""
    raise DataFileError(hint, path, attribute.line, attribute.name)


def _rows(
    lines: Iterator[tuple[int, str]],
    attributes: list[Attribute],
    relation: str,
    drop: set[str],
    path: Path,
) -> Contents:
    width = len(attributes)
    names = [a.name for a in attributes]
    kept = [(j, _collector(a, path)) for j, a in enumerate(attributes) if a.name not in drop]
    defaults = [_default(a) for a in attributes]
    weights: dict[int, float] = {}
    known: dict[str, str] = {}
    rows: list[list[str]] = []
    numbers: list[int] = []
    n_rows = 0

    def flush() -> None:
        cells = list(zip(*rows, strict=True))
        for j, collector in kept:
            collector.feed(cells[j], numbers)
        rows.clear()
        numbers.clear()

    for number, raw in lines:
        line = raw.strip()
        if not line:
            continue
        quick = _quick_row(line, width, known, path, number) if "'" in line or '"' in line else None
        if quick is not None:
            row = quick
        elif _SPECIAL.search(line) or "," not in line:
            line = strip_comment(line).strip()
            if not line:
                continue
            row, weight = _row(line, defaults, names, path=path, number=number)
            if weight is not None:
                weights[n_rows] = weight
        elif " " in line or "\t" in line:
            row = [cell.strip() or EMPTY_MARK for cell in line.split(",")]
        else:
            row = line.split(",")
            if "" in row:
                row = [cell or EMPTY_MARK for cell in row]
        if len(row) != width:
            hint = f"the row has {len(row)} values but there are {width} attributes; "
            hint += (
                "quote values that hold commas"
                if len(row) > width
                else f"the value of {names[len(row)]!r} is missing"
            )
            raise DataFileError(hint, path, number, None, None)
        blank = (
            next((j for j, cell in enumerate(row) if cell == EMPTY_MARK), None)
            if EMPTY_MARK in row
            else None
        )
        if blank is not None and names[blank] not in drop:
            raise DataFileError(
                "the value is empty; write ? for missing", path, number, names[blank], ""
            )
        rows.append(row)
        numbers.append(number)
        n_rows += 1
        if len(rows) == CHUNK:
            flush()
    if rows:
        flush()
    if n_rows == 0:
        raise DataFileError("there are no rows after @data", path)
    sample_weight = None
    if weights:
        sample_weight = np.ones(n_rows)
        sample_weight[list(weights)] = list(weights.values())
    return Contents(relation, [collector.column() for _, collector in kept], sample_weight)


def _default(attribute: Attribute) -> str:
    """What a sparse row leaves out: 0, the first label, or (strings) a missing value."""
    if attribute.type == "nominal":
        return mark(attribute.labels[0])
    return "0" if attribute.type == "numeric" else "?"


def _quick_row(
    line: str, width: int, known: dict[str, str], path: Path, number: int
) -> list[str] | None:
    """A row with quotes but without comments, braces and quoted commas, its cells looked up in
    `known`."""
    pieces = line.split(",")
    if len(pieces) != width or "%" in line or "{" in line:
        return None
    for piece in pieces:
        if piece not in known:
            try:
                values = tokens(piece, path, number)
            except DataFileError:
                return None
            if len(values) != 1:
                return None
            if len(known) > 100_000:
                known.clear()
                return None
            known[piece] = values[0]
    return [known[piece] for piece in pieces]


def _row(
    line: str, defaults: list[str], names: list[str], *, path: Path, number: int
) -> tuple[list[str], float | None]:
    """The values and the weight (None if none is given) of a row with quotes, braces or blanks."""
    weight = None
    bare = _QUOTED.sub(lambda m: "_" * len(m[0]), line)
    match = re.search(r"(?:,|\s)\s*\{([^{}]*)\}\s*$", bare)
    if match and bare[: match.start()].strip():
        text = line[match.start(1) : match.end(1)].strip()
        try:
            weight = float(text)
        except ValueError:
            weight = -1.0
        if not 0 <= weight < float("inf"):
            raise DataFileError(
                "is not a weight; a weight is a number >= 0", path, number, None, text
            )
        line = line[: match.start()].rstrip().rstrip(",")
    if not line.startswith("{"):
        return tokens(line, path, number), weight
    if not line.endswith("}"):
        raise DataFileError("the sparse row is not closed by }; close it", path, number, None, line)
    row = list(defaults)
    filled: set[int] = set()
    for pair in _sparse_pairs(line[1:-1], path, number):
        index, value = pair
        if not 0 <= index < len(names):
            hint = f"is no attribute index; indices run from 0 to {len(names) - 1}"
            raise DataFileError(hint, path, number, None, str(index))
        if index in filled:
            raise DataFileError(
                "the sparse row gives this attribute twice", path, number, names[index]
            )
        filled.add(index)
        row[index] = value
    return row, weight


def _sparse_pairs(text: str, path: Path, number: int) -> Iterator[tuple[int, str]]:
    position = 0
    pattern = re.compile(r"\s*(\d+)\s+(?:" + _QUOTED.pattern + r"|([^,'\"]+))\s*(?:,|$)", re.DOTALL)
    while position < len(text) and text[position:].strip():
        match = pattern.match(text, position)
        if match is None:
            hint = "is not 'index value'; a sparse row looks like {1 x, 3 'y z'}"
            raise DataFileError(hint, path, number, None, text[position:].strip())
        quoted = match[2] if match[2] is not None else match[3]
        value = match[4].strip() if quoted is None else unescape(quoted)
        yield int(match[1]), value if quoted is None else mark(value)
        position = match.end()
