"""The first step of `advise`: a Table whose useless columns are marked as unused, with reasons.

Dates, identifiers and columns of one value tell nothing about new rows. They stay in the Table, so
that the tree accepts rows with them, but no tree splits on them. Rows without a class or number are
left out.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._checks import listing
from .._checks.aliases import Task
from ..datasets import load
from ..datasets.errors import DataFileError
from ..datasets.inputs import given
from ..estimators.tree import task_of_target
from ..table import Table
from ..table.sources import check_known
from ..table.traps import suspicions

__all__ = ["Screened", "screened"]

FEW_TEXTS = 1000
"""Different texts up to which a column is never taken for an identifier here."""
DROPPED = "left out by the caller"
"""The reason of a column that `drop` names."""


class Screened(NamedTuple):
    """Rows to learn from."""

    table: Table
    """Every column that was given; those left out and those of `drop` are unused."""
    left_out: list[tuple[str, str]]
    """(column, reason) of the columns that screening found."""
    unlabelled: int
    """Number of rows without a class or number, which were dropped."""


def screened(
    X: Any,
    y: Any,
    drop: tuple[str, ...] = (),
    *,
    nominal: Any = "from_dtype",
    reading: dict[str, Any] | None = None,
    task: Task | None = None,
) -> Screened:
    """Read X and y, and mark the columns that are not to be used.

    Args:
        X, y: as in `fasttree.advise`.
        drop: columns that the caller leaves out.
        nominal: names of numeric columns to be read as nominal, or "all".
        reading: keywords of `fasttree.datasets.load`, for a file.
        task: what the target is; None: found out as in `fasttree.fit`.

    Raises:
        ValueError: no target, no class or one, a target that is no class, or a constant number.
    """
    left_out: list[tuple[str, str]] = []
    # A Table, without what no Table can hold: dates, and columns of too many levels.
    if isinstance(X, (str, os.PathLike)):
        table, left_out = _loaded(X, y, list(drop), {**(reading or {}), "task": task})
    else:
        for name, value in (reading or {}).items():
            raise ValueError(f"{name}={value!r} is for a file; X is none: leave {name} out")
        X, y = given(X, y)
        task = task or task_of_target(X, y)
        if not isinstance(X, Table):
            left_out += [(name, why) for name, why in _useless_columns(X) if name not in drop]
            unused = {**dict(left_out), **dict.fromkeys(_present(X, drop), DROPPED)}
            table = Table.from_any(X, y, unused=unused, task=task)
        else:
            table = Table.from_any(X, y, task=task)
        check_known(drop, table.feature_names, "drop")
    # The caller's words on columns: those to drop, and those to read as nominal.
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
    # The rows with a target, and the columns that tell nothing.
    unlabelled = len(table.missing_target)
    table = table.drop_missing_target()
    if task == "regression" or (task is None and table.task == "regression"):
        _check_numbers(table)
    else:
        _check_target(table)
    useless = suspicions(table)
    left_out += useless
    table = table.with_unused(dict(useless))
    if len(table.unused) == table.n_features:
        raise ValueError(
            "no column is left to learn from: "
            + "; ".join(f"{name}: {why}" for name, why in list(table.unused.items())[:5])
        )
    return Screened(table, left_out, unlabelled)


def _loaded(
    path: Any, target: Any, drop: list[str], reading: dict[str, Any]
) -> tuple[Table, list[tuple[str, str]]]:
    """The Table of a file, and the (column, reason) of the columns with too many levels for one."""
    left_out: list[tuple[str, str]] = []
    while True:
        try:
            return load(path, target=target, drop=drop, **reading), left_out
        except DataFileError as error:
            name = error.column
            if name is None or "distinct labels" not in str(error) or name in drop:
                raise
            drop.append(name)
            left_out.append((name, "an identifier: more than 65,536 levels"))


def _present(X: Any, names: tuple[str, ...]) -> list[str]:
    """Those of the names that are columns of a frame or a mapping."""
    columns = X if isinstance(X, Mapping) else getattr(X, "column_names", None)
    known = {str(name) for name in (getattr(X, "columns", ()) if columns is None else columns)}
    return [name for name in names if name in known]


def _useless_columns(X: Any) -> list[tuple[str, str]]:
    """(column, reason) of the columns of a frame that hold dates, or texts that hardly repeat."""
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
        elif series.dtype == nw.String and series.n_unique() > max(FEW_TEXTS, len(series) // 2):
            found.append((name, f"an identifier: {series.n_unique():,} different texts"))
    return found


def _holds_dates(series: Any, nw: Any) -> bool:
    """Whether the first known values of a column of objects are dates or times."""
    if series.dtype != nw.Object:
        return False
    known = [v for v in series.head(100).to_list() if v is not None]
    return bool(known) and all(isinstance(v, (datetime.date, datetime.time)) for v in known)


def _check_numbers(table: Table) -> None:
    """Refuse a number that is the same in all rows."""
    numbers = table.numbers
    if numbers.min() == numbers.max():
        raise ValueError(
            f"the target {table.target!r} is {numbers[0]:g} in all rows: there is nothing to "
            "predict"
        )


def _check_target(table: Table) -> None:
    """Refuse a target of one class, and one with too many for classes: one in five rows."""
    counts = np.bincount(table.y_codes, minlength=len(table.classes))
    occurring = int((counts > 0).sum())
    if occurring < 2:
        raise ValueError(f"the target {table.target!r} has one class: there is nothing to predict")
    if occurring > max(20, len(table) // 5):
        raise ValueError(
            f"the target {table.target!r} has {occurring:,} classes in {len(table):,} rows: that "
            "is an identifier or a number to be estimated, not a class; name the class column, "
            "give task='regression' for a number, or cut the numbers into a few groups first"
        )
