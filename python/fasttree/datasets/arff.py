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
    its line. ``relational`` attributes are refused unless dropped. ``string`` and ``date``
    attributes are nominal with the sorted texts that occur. Lines ``@inputs`` and ``@outputs`` of
    KEEL, whose ``<null>`` is missing, name the class; a comma at the end of a row does not count.
Complexity
    O(bytes); memory: the columns (8 or 4 bytes per cell), the distinct labels, one block.
When not to use it
    For hundreds of millions of numbers: use Parquet.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from .._checks.words import argument, reading
from .._engine import ArffReader
from .assemble import Contents
from .blocks import Limits, blocks, decode, decode_as, head, split_suffix
from .errors import DataFileError, Path
from .reading import CoreColumn, encoding_of, faults_of, found_column, read_column

_MISSING: frozenset[str] = frozenset()
"""No label of a string attribute is missing: the core has read a bare ``?`` as missing already."""


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
    # Feed the file; the attributes to read are chosen as soon as the header is complete.
    started = False
    with faults_of(path):
        for block in blocks(path, limits):
            reader.feed(block)
            if not started and reader.header_is_complete():
                _start(reader, set(drop), path)
                started = True
        reader.end()
        if not started:
            _start(reader, set(drop), path)
        relation, attributes = reader.header()
        read, weighted_rows, weights, latin1_line = reader.finish()
    encoding = encoding_of(path, latin1_line)
    # Declared labels keep their order; the labels of a string attribute are the texts in its cells.
    columns = []
    for column in map(CoreColumn._make, read):
        raw_name, kind, _ = attributes[column.position]
        name = decode_as(raw_name, encoding)
        columns.append(
            found_column(name, column, encoding, _MISSING)
            if kind in ("string", "date")
            else read_column(name, column, encoding)
        )
    relation_name = decode_as(relation, encoding) or split_suffix(path)[0]
    # A row that states no weight has weight 1.
    sample_weight = None
    if len(weighted_rows):
        n_rows = len(columns[0]) if columns else int(weighted_rows[-1]) + 1
        sample_weight = np.ones(n_rows)
        sample_weight[weighted_rows] = weights
    output = re.search(r"(?im)^\s*@outputs?\s+(.+?)\s*$", head(path, limits).partition("@data")[0])
    names = [column.name for column in columns]
    target = output[1].strip("'\"") if output and output[1].strip("'\"") in names else None
    return Contents(columns, relation_name, target, sample_weight)


def _start(reader: ArffReader, drop: set[str], path: Path) -> None:
    """Request all attributes but the dropped ones; refuse unknown and unreadable ones."""
    attributes = [(decode(name), kind, line) for name, kind, line in reader.header()[1]]
    unknown = sorted(drop.difference(name for name, _, _ in attributes))
    if unknown:
        names = ", ".join(repr(name) for name, _, _ in attributes[:12])
        raise DataFileError(
            f"{argument('drop', unknown[:1])} is no attribute of the file; it has {names} ...", path
        )
    wanted = []
    for place, (name, kind, line) in enumerate(attributes):
        if name in drop:
            continue
        if kind == "relational":
            hint = "is of type relational, which no tree here splits on; leave it out: "
            hint += reading("drop", [name])
            raise DataFileError(hint, path, line, name)
        wanted.append(place)
    reader.start(wanted)
