"""What is needed to run it again: methods, folds, seeds, versions, and a fingerprint of the data.

The fingerprint is the start of a SHA-256 over classes and cells in the order of the rows; it tells
whether two people had the same rows.  O(cells).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ...model_selection.result import CrossValidation

LONGEST = 1500


def fingerprint(data: Any) -> str:
    """Return 16 hexadecimal digits of the rows and labels of `CrossValidation.data`; "" when they
    are not plain."""
    found = hashlib.sha256(np.ascontiguousarray(data.codes, dtype=np.int64).tobytes())
    if data.table is not None:
        for column in data.table.columns:
            found.update(column.name.encode("utf-8", "backslashreplace"))
            values = np.asarray(column.values)
            found.update(np.ascontiguousarray(values, dtype=np.float64).tobytes())
    else:
        array = np.asarray(data.X)
        if array.dtype.kind not in "biuf":
            return ""
        found.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
    return found.hexdigest()[:16]


def data_facts(result: CrossValidation) -> dict[str, Any]:
    """Return name, rows, features, classes and fingerprint of the data of a result."""
    data = result.data
    counts = None if data is None else np.bincount(data.codes, minlength=len(result.classes))
    features = None
    if data is not None:
        shape = data.table.shape if data.table is not None else np.shape(data.X)
        features = shape[1] if len(shape) == 2 else None
    return {
        "name": result.name or "",
        "rows": None if counts is None else int(counts.sum()),
        "features": features,
        "classes": len(result.classes),
        "largest": None if counts is None else float(counts.max() / counts.sum()),
        "fingerprint": "" if data is None else fingerprint(data),
    }


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[:LONGEST] + " ..."


def methods_of(result: CrossValidation) -> list[tuple[str, str]]:
    """Return (name, how to make it) of every method."""
    return [(name, _short(repr(one))) for name, one in result.settings["methods"].items()]


def run_again(result: CrossValidation, call: str) -> str:
    """Return Python that makes the same run, given the data and the imports of its classes."""
    settings = result.settings
    lines = [f"from fasttree.model_selection import {call}", "", "estimators = {"]
    lines += [f"    {name!r}: {made}," for name, made in methods_of(result)]
    lines += ["}"]
    data = "tables" if call == "compare" else "X, y"
    scoring = tuple(settings["scoring"])
    lines.append(
        f"result = {call}({data}, estimators=estimators, cv={settings['cv']!r}, "
        f"scoring={scoring!r}, "
        f"random_state={settings['random_state']!r})"
    )
    return "\n".join(lines)


def facts(result: CrossValidation) -> list[tuple[str, str]]:
    """Return protocol and versions as pairs of words."""
    settings = result.environment()
    out = [
        ("folds", f"{settings['cv']}, {len(result.folds.pairs)} in all"),
        ("metrics", ", ".join(map(str, settings["scoring"]))),
        ("random_state", repr(settings["random_state"])),
    ]
    if settings["params"]:
        out.append(
            ("parameters", _short(", ".join(f"{k}={v!r}" for k, v in settings["params"].items())))
        )
    return [*out, *((name, number) for name, number in settings["versions"].items())]
