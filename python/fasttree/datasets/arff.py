"""Reading Weka's ARFF: dense and sparse rows, declared labels, quotes, comments, instance weights.

What
    A streaming reader of the Attribute-Relation File Format as Weka 3 reads it (its manual, chapter
    "ARFF"): ``%`` comments, keywords in any case. Names and values in single or double quotes with
    backslash escapes. Labels as ``{ a, 'b c' }`` with blanks and over several lines. ``integer
    [0,10]`` (the range is ignored). ``{3 x, 7 y}`` sparse rows (what is left out is 0 or the first
    label). ``, {2.5}`` weights at the end of a row. The bytes are read by the core (``src/read``).
Decisions
    A bare ``?`` is missing; a quoted ``'?'`` is a label. A label with a blank need not be quoted
    where commas separate; rows without any comma are split at blanks and tabs. A quote is closed on
    its line. ``date`` and ``relational`` attributes are refused unless dropped. ``string``
    attributes are nominal with the sorted strings that occur.
Complexity
    O(bytes); memory: the columns (8 or 4 bytes per cell), the distinct labels, one block.
When not to use it
    Numbers by the hundred million: use Parquet.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from .._engine import ArffReader
from ..table.columns import Column
from .blocks import blocks, decode, decode_as, split_suffix
from .errors import DataFileError
from .limits import Limits
from .reading import faults_of, found_column, read_column, tell_latin1

Path = str | os.PathLike[str]

_MISSING: frozenset[str] = frozenset()


@dataclass(slots=True)
class Contents:
    """What a file holds: relation, columns in file order (dropped ones left out), weights (None if
    none)."""

    relation: str
    columns: list[Column]
    weights: np.ndarray | None = None


def read_arff(path: Path, drop: Collection[str] = (), *, limits: Limits | None = None) -> Contents:
    """Read an ARFF file into columns.

    Args:
        path: the file; ``.gz``, ``.bz2``, ``.xz`` are unpacked.
        drop: names of attributes to leave out (they need not be readable).
        limits: bounds on cells, attributes, labels and unpacked bytes.

    Raises:
        DataFileError: anything malformed, with line, column and value.
    """
    limits = limits or Limits()
    reader = ArffReader(limits.core)
    wanted: list[int] | None = None
    with faults_of(path):
        for block in blocks(path, limits):
            reader.feed(block)
            if wanted is None and reader.header_is_complete():
                wanted = _start(reader, set(drop), path)
        reader.end()
        if wanted is None:
            _start(reader, set(drop), path)
        relation, attributes = reader.header()
        columns, weighted, weights, latin1 = reader.finish()
    encoding = tell_latin1(path, latin1)
    found = []
    for column in columns:
        name, kind, _ = attributes[column[0]]
        title = decode_as(name, encoding)
        found.append(
            found_column(title, column, encoding, _MISSING)
            if kind == "string"
            else read_column(title, column, encoding)
        )
    title = decode_as(relation, encoding) or split_suffix(path)[0]
    sample_weight = None
    if len(weighted):
        n_rows = len(columns[0][1]) if columns else int(weighted[-1]) + 1
        sample_weight = np.ones(n_rows)
        sample_weight[weighted] = weights
    return Contents(title, found, sample_weight)


def _start(reader: ArffReader, drop: set[str], path: Path) -> list[int]:
    """Choose the attributes that are read; positions of them."""
    attributes = [(decode(name), kind, line) for name, kind, line in reader.header()[1]]
    unknown = sorted(drop.difference(name for name, _, _ in attributes))
    if unknown:
        names = ", ".join(repr(name) for name, _, _ in attributes[:12])
        raise DataFileError(
            f"drop={unknown[0]!r} is no attribute of the file; it has {names} ...", path
        )
    wanted = []
    for place, (name, kind, line) in enumerate(attributes):
        if name in drop:
            continue
        if kind in ("date", "relational"):
            hint = f"is of type {kind}, which no tree here splits on; leave it out with "
            hint += f"drop=[{name!r}]" + (" or turn it into numbers" if kind == "date" else "")
            raise DataFileError(hint, path, line, name)
        wanted.append(place)
    reader.start(wanted)
    return wanted
