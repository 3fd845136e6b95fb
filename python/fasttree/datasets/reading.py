"""From the core's readers to columns: labels decoded, faults turned into DataFileErrors.

The core gives numbers and codes as arrays and labels as bytes; here they become text, by the
encoding that the whole file turned out to have, and `Column`s.
"""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from .._engine import FileFault
from ..table.columns import Column, make_levels, shorten
from ..table.sources import column_of_codes
from .blocks import decode, decode_as
from .errors import DataFileError

__all__ = ["faults_of", "found_column", "read_column", "tell_latin1"]

Path = str | os.PathLike[str]
CoreColumn = tuple[int, np.ndarray, list[bytes] | None]


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Faults of the core's readers leave the block as DataFileErrors with the name of the file."""
    try:
        yield
    except FileFault as fault:
        problem, line, column, value, declared = fault.args
        text = None if value is None else decode(value)
        if declared is not None:
            levels = [decode(one) for one in declared]
            close = difflib.get_close_matches(str(text), levels[:2000], 1)
            problem += f" {{{shorten(levels)}}}" + (
                f"; did you mean {close[0]!r}?"
                if close
                else "; declare it in the header or correct the cell"
            )
        raise DataFileError(
            problem, path, line, None if column is None else decode(column), text
        ) from None


def tell_latin1(path: Path, line: int | None) -> str:
    """The encoding of a file: the line that is not UTF-8 makes it Latin-1, which is announced."""
    if line is None:
        return "utf-8"
    warnings.warn(
        f"{os.fspath(path)}, line {line}: this is not UTF-8, so the file is read as Latin-1 "
        "(Windows-1252); save it as UTF-8 to be sure of its letters",
        UserWarning,
        stacklevel=5,
    )
    return "latin-1"


def read_column(name: str, column: CoreColumn, encoding: str) -> Column:
    """A column of numbers or of declared labels."""
    _, values, labels = column
    if labels is None:
        return Column(name, "numeric", values)
    levels = make_levels(name, [decode_as(text, encoding) for text in labels])
    return Column(name, "nominal", values, levels)


def found_column(
    name: str,
    column: CoreColumn,
    encoding: str,
    missing: frozenset[str],
    rewrite: Callable[[list[str]], list[str]] = list,
) -> Column:
    """A column of the labels that occur, sorted by the core; `rewrite` may change them all.

    Labels that become equal are one level; those that become one of `missing` are missing.
    """
    _, codes, labels = column
    texts = [decode_as(text, encoding) for text in labels or ()]
    clean = rewrite([text.strip() for text in texts])
    if clean == texts and missing.isdisjoint(clean):
        return Column(name, "nominal", codes, make_levels(name, texts))
    merged: dict[str, int] = {}
    table = [-1 if text in missing else merged.setdefault(text, len(merged)) for text in clean]
    table.append(-1)  # the code of a missing cell is -1, the last place
    return column_of_codes(name, np.array(table, dtype=np.int64)[codes], list(merged))
