"""Writing a Table as Weka's ARFF.

What
    `dump_arff` writes what `load` reads back unchanged: names, kinds, declared levels, missing
    cells, class, and weights. Numbers are written with the fewest digits that give the same
    float64.
Decisions
    ARFF knows strings only: int, bool or float levels come back as strings (``1`` as ``'1'``).
Complexity
    O(cells).
"""

from __future__ import annotations

import gzip
import math
import os
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from .._checks import checked, maybe, object_with, path_of, string
from .._checks.saving import save_bytes
from .._engine.encoding import refuse_halves
from ..table import Table
from ..table.columns import Column

_PLAIN = re.compile(r"[^\s'\"\\,%{}?\x00-\x20]+")
_ESCAPE = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "%": "\\%"}


def quote(text: Any) -> str:
    r"""A name or label as ARFF writes it: bare if harmless, else in single quotes with backslashes.

    Examples:
        >>> print(quote("plain"), quote("two words"), quote("?"), quote("it's"))
        plain 'two words' '?' 'it\'s'
    """
    text = str(text)
    if _PLAIN.fullmatch(text) and text.isascii():
        return text
    body = "".join(
        _ESCAPE.get(c, f"\\u{ord(c):04x}" if c < " " or "\x7f" <= c <= "\x9f" else c) for c in text
    )
    return f"'{body}'"


@checked(
    table=object_with("a Table", "columns", "target_column"), path=path_of, relation=maybe(string)
)
def dump_arff(table: Table, path: str | os.PathLike[str], *, relation: str | None = None) -> None:
    """Write a Table as an ARFF file (gzip-compressed if the name ends in ``.gz``).

    Args:
        table: the Table; its target, if any, becomes the last attribute.
        path: the file, replaced if it exists.
        relation: name of the relation; default: the Table's name.

    Raises:
        ValueError: two levels of a column have the same text (1 and '1'), or a column without
            levels has values.

    Examples:
        >>> import os, tempfile
        >>> from fasttree.datasets import load, make_xor
        >>> file = os.path.join(tempfile.mkdtemp(), "xor.arff")
        >>> dump_arff(make_xor(), file)
        >>> load(file)
        Table 'xor': 8 rows, 3 features (3 nominal), target 'class' with 2 classes
    """
    # The header, and the cells of each column as text.
    columns = [*table.columns, *([] if table.target_column is None else [table.target_column])]
    lines = [f"@relation {quote(relation or table.name or 'table')}", ""]
    cells: list[list[str]] = []
    for column in columns:
        kind, texts = _written(column)
        lines.append(f"@attribute {quote(column.name)} {kind}")
        cells.append(texts)
    # One line per row, with its weight at the end if there are weights.
    lines += ["", "@data"]
    rows: Iterable[str] = map(",".join, zip(*cells, strict=True))
    if table.sample_weight is not None:
        rows = (
            f"{row},{{{weight!r}}}"
            for row, weight in zip(rows, table.sample_weight.tolist(), strict=True)
        )
    refuse_halves(table)
    content = "\n".join([*lines, *rows, ""]).encode("utf-8")
    if os.fspath(path).lower().endswith(".gz"):
        content = gzip.compress(content)
    save_bytes(path, content)


def _written(column: Column) -> tuple[str, list[str]]:
    """The type of the attribute, and its cells as text."""
    if column.kind == "numeric":
        values = column.values.astype(np.float64).tolist()
        return "numeric", ["?" if math.isnan(value) else _number(value) for value in values]
    labels = [quote(level) for level in column.levels or ()]
    if len(set(labels)) < len(labels):
        double = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise ValueError(
            f"column {column.name!r}: two levels are both written {double}; rename one"
        )
    if not labels:
        return "string", ["?"] * len(column)
    text_of_code = np.array([*labels, "?"], dtype=object)  # a missing cell, -1, reads the last
    return "{" + ",".join(labels) + "}", text_of_code[column.values].tolist()


def _number(value: float) -> str:
    """The shortest text that reads back as the same float64; a whole number has no point."""
    is_whole = value == int(value) and abs(value) < 1e15 and str(value) != "-0.0"
    return str(int(value)) if is_whole else repr(value)
