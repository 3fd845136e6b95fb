"""What callers give becomes a Table whose unused columns are marked, and a list of what was left
out.

Dates, identifiers and columns of one value say nothing about new rows; they are left out with the
reason.  Rows without a class are left out, too.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import listing
from ..datasets import load
from ..datasets.errors import DataFileError
from ..datasets.inputs import given
from ..table import Table
from ..table.sources import check_known
from ..table.traps import suspicions

__all__ = ["screened"]

DROPPED = "left out by the caller"
"""The reason of a column that `drop` names."""


def screened(
    X: Any,
    y: Any,
    drop: tuple[str, ...] = (),
    nominal: Any = "from_dtype",
    reading: dict[str, Any] | None = None,
) -> tuple[Table, list[tuple[str, str]], int]:
    """The Table, the (column, reason) pairs left out, and the number of rows without a class.

    The Table has every column that was given; those left out and those in `drop` are unused.

    Args:
        X, y: as in `fasttree.advise`.
        drop: columns that the caller leaves out.
        nominal: names of columns to be read as nominal though they hold numbers, or "all".
        reading: keywords of `fasttree.datasets.load`, for a file.

    Raises:
        ValueError: no target, no class or one, or a target that is no class.
    """
    left_out: list[tuple[str, str]] = []
    if isinstance(X, (str, os.PathLike)):
        table = _loaded(X, y, list(drop), left_out, reading or {})
    else:
        for word, value in (reading or {}).items():
            raise ValueError(f"{word}={value!r} is for a file; X is none: leave {word} out")
        X, y = given(X, y)
        if not isinstance(X, Table):
            left_out += [(name, why) for name, why in _no_features(X) if name not in drop]
            unused = {**dict(left_out), **dict.fromkeys(_own(X, drop), DROPPED)}
            table = Table.from_any(X, y, unused=unused)
        else:
            table = Table.from_any(X, y)
        check_known(drop, table.feature_names, "drop")
    table = table.with_unused({**dict(left_out), **dict.fromkeys(drop, DROPPED)})
    if nominal != "from_dtype":
        names = (
            table.feature_names if nominal == "all" else listing("categorical_features", nominal)
        )
        own = [c.name for c in table.columns if c.kind == "nominal"]
        table = Table.from_any(table, categorical_features=[*own, *names])
    if table.target is None:
        raise ValueError(
            "requires y to be passed: advise(X, y), advise(frame, 'column') or a Table with a "
            "target"
        )
    unlabelled = len(table.missing_target)
    table = table.drop_missing_target()
    _check_target(table)
    found = suspicions(table)
    left_out += found
    table = table.with_unused(dict(found))
    if len(table.unused) == table.n_features:
        raise ValueError(
            "no column is left to learn from: "
            + "; ".join(f"{name}: {why}" for name, why in list(table.unused.items())[:5])
        )
    return table, left_out, unlabelled


def _loaded(
    path: Any,
    target: Any,
    drop: list[str],
    left_out: list[tuple[str, str]],
    reading: dict[str, Any],
) -> Table:
    """A file, without the columns that have too many levels to be read."""
    while True:
        try:
            return load(path, target=target, drop=drop, **reading)
        except DataFileError as error:
            name = error.column
            if name is None or "distinct labels" not in str(error) or name in drop:
                raise
            drop.append(name)
            left_out.append((name, "an identifier: more than 65,536 levels"))


def _own(X: Any, names: tuple[str, ...]) -> list[str]:
    """Those of the names that are columns of a frame or a mapping."""
    columns = X if isinstance(X, Mapping) else getattr(X, "column_names", None)
    known = {str(name) for name in (getattr(X, "columns", ()) if columns is None else columns)}
    return [name for name in names if name in known]


def _no_features(X: Any) -> list[tuple[str, str]]:
    """Columns of dates, and of texts that are all different, of a frame."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or len(frame) == 0:
        return []
    found = []
    for name in frame.columns:
        if not isinstance(name, str):
            continue
        series = frame[name]
        if series.dtype.is_temporal() or _holds_dates(series, nw):
            found.append((name, "dates or times"))
        elif series.dtype == nw.String and series.n_unique() > max(1000, len(series) // 2):
            found.append((name, f"an identifier: {series.n_unique():,} different texts"))
    return found


def _holds_dates(series: Any, nw: Any) -> bool:
    if series.dtype != nw.Object:
        return False
    known = [v for v in series.head(100).to_list() if v is not None]
    return bool(known) and all(isinstance(v, (datetime.date, datetime.time)) for v in known)


def _check_target(table: Table) -> None:
    counts = np.bincount(table.y_codes, minlength=len(table.classes))
    occurring = int((counts > 0).sum())
    if occurring < 2:
        raise ValueError(f"the target {table.target!r} has one class: there is nothing to predict")
    if occurring > max(20, len(table) // 5):
        raise ValueError(
            f"the target {table.target!r} has {occurring:,} classes in {len(table):,} rows: that "
            f"is "
            "an identifier or a number to be estimated, not a class; name the class column, or cut "
            "the numbers into a few groups first"
        )
