"""Machine forms of plain records: CSV and strict JSON, numbers in full precision.

JSON has no NaN and no infinity: NaN becomes null, infinities the strings "Infinity" and
"-Infinity".
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a value of which strict JSON can be made; objects become their repr.

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


def render_json(document: Any, *, indent: int | None = 2) -> str:
    """Return strict JSON."""
    return json.dumps(plain(document), indent=indent, allow_nan=False, ensure_ascii=False) + "\n"


def render_csv(records: list[dict[str, Any]]) -> str:
    """Return CSV with a header line, the columns of all records in order of appearance; NaN and
    None are empty."""
    columns = list(dict.fromkeys(key for record in records for key in record))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for record in records:
        writer.writerow([_field(record.get(key)) for key in columns])
    return out.getvalue()


def _field(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):  # a lone carriage return would break the line unquoted
        return value.replace("\r\n", "\n").replace("\r", "\n")
    return repr(float(value)) if isinstance(value, float) else value
