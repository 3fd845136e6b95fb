"""CSV and strict JSON of plain records, with numbers in full precision.

JSON has no NaN and no infinity: NaN becomes null, infinities the strings "Infinity" and
"-Infinity".
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

import numpy as np

from ..._checks import checked, maybe, shown, whole_in
from ..._checks.plain_text import guard_cell


def plain(value: Any) -> Any:
    """Return a value that strict JSON can hold; objects become their repr.

    >>> plain({"a": [float("nan"), float("-inf"), np.int64(3)]})
    {'a': [None, '-Infinity', 3]}
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [plain(one) for one in value]
    return " ".join(repr(value).split())


@checked(indent=maybe(whole_in(0, 100)))
def render_json(document: Any, *, indent: int | None = 2) -> str:
    """Return strict JSON.

    Args:
        document: dicts, lists and values; NaN and infinities become null.
        indent: spaces of a level of indentation; None: one line.
    """
    return json.dumps(plain(document), indent=indent, allow_nan=False, ensure_ascii=False) + "\n"


def render_csv(records: list[dict[str, Any]], *, raw: bool = False) -> str:
    """CSV with a header line, the columns of all records in order of appearance.

    NaN and None are empty.

    Args:
        records: dicts of plain values.
        raw: whether text cells that a spreadsheet would run as a formula stay as they are. Else
            they get an apostrophe.

    Raises:
        TypeError: anything but a list of dicts.
        ValueError: `raw` is not True or False.

    >>> print(render_csv([{"data": "=1+1", "mean": 0.5}]), end="")
    data,mean
    '=1+1,0.5
    """
    if not isinstance(records, Sequence) or not all(isinstance(one, Mapping) for one in records):
        raise TypeError("records must be a list of dicts")
    if not isinstance(raw, bool | np.bool_):
        raise ValueError(f"raw={shown(raw)}: give True or False")
    columns = list(dict.fromkeys(key for record in records for key in record))
    out = io.StringIO()
    rows = ([record.get(key) for key in columns] for record in records)
    write_csv(out, columns, rows, raw=raw)
    return out.getvalue()


def write_csv(
    stream: TextIO, header: Sequence[Any], rows: Iterable[Sequence[Any]], *, raw: bool = False
) -> None:
    """Write a header and rows of plain values to a text stream, with the cells of `render_csv`.

    Args:
        stream: the text stream.
        header: titles of the columns.
        rows: the values, row by row.
        raw: whether texts that a spreadsheet would run as a formula stay as they are.
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_field(name, raw) for name in header])
    for row in rows:
        writer.writerow([_field(value, raw) for value in row])


def _field(value: Any, raw: bool) -> Any:
    """A value as a cell of CSV.

    Args:
        value: a plain value; NaN and None become an empty cell.
        raw: whether a text that a spreadsheet would run as a formula stays as it is.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):  # a lone carriage return would break the line unquoted
        text = value if raw else guard_cell(value)
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return repr(float(value)) if isinstance(value, float) else value


def records_to_frame(records: list[dict[str, Any]]) -> Any:
    """Return a pandas frame, one row per dictionary; the list of dictionaries itself where pandas
    is not installed, so that results work without it."""
    try:
        import pandas
    except ImportError:
        return records
    return pandas.DataFrame.from_records(records)
