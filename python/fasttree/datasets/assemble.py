"""From columns that were read to a Table whose target is known.

`load` calls this for every format: text files, Parquet and Feather, OpenML. `find_target` has the
rule for the class column; `columns_of_frame` takes the columns of a pandas or Polars frame.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from .._checks.aliases import Task
from .._checks.data_warnings import is_quiet, quiet, warn_caller
from .._checks.words import argument, data_row, in_text, option, reading, worded
from ..table import Table
from ..table.class_targets import rows_of_fractions, without_unused_levels
from ..table.columns import Column
from ..table.data_checks.frames import unscreened_table
from ..table.data_checks.targets import task_of_numbers
from ..table.file_cells import FileCells
from ..table.numeric_targets import target_numbers
from ..table.sources import nearest
from .errors import DataFileError, Path, check_columns

TargetName = str | int | Literal[False] | None


@dataclass
class Contents:
    """The content of a file of any format."""

    columns: list[Column]
    name: str | None
    target: TargetName = None
    """The target column that the format names."""
    weights: np.ndarray | None = None
    has_feature_names: bool = True
    declares_classes: bool = True
    """Whether the format declares the classes; the categories of a data frame do not."""
    number_format: FileCells = field(default_factory=FileCells)
    """The decimal mark, where it is known, and signs at numbers."""
    numbers: Collection[str] = ()
    """The columns that the format declares as numbers."""
    unused: dict[str, str] = field(default_factory=dict)
    """The columns that no Table can hold, each with the reason."""


def assemble(found: Contents, target: TargetName, path: Path, task: Task | None) -> Table:
    """A Table of read columns with the target split off (see `load` for what `target` and `task`
    mean). Levels of the target without rows are classes if the format declares the classes."""
    target_name = None
    if target is not False:
        names = [column.name for column in found.columns]
        target_name = find_target(names, target, path, named=found.has_feature_names)
    if target_name in found.unused:
        said = f"is the target and holds {found.unused[target_name]};"
        said += f" name another with {option('target')}"
        raise DataFileError(said, path, column=target_name)
    features = [column for column in found.columns if column.name != target_name]
    label = next((column for column in found.columns if column.name == target_name), None)
    if not features:
        raise DataFileError("no features are left beside the target", path)
    if label is not None:
        label, task = _as_target(label, path, task, found)
    table = Table.from_columns(
        features,
        label,
        name=found.name,
        has_feature_names=found.has_feature_names,
        task=task or "classification",
    )
    table.sample_weight, table.file_cells = found.weights, found.number_format
    return table.with_unused(found.unused)


def _as_target(
    label: Column, path: Path, task: Task | None, found: Contents
) -> tuple[Column, Task]:
    """The column as a target, and its task: some row has a number, or a class, which is a label or
    a whole number."""
    another = worded("y='NAME'", "--target NAME")
    if label.n_missing == len(label):
        raise DataFileError(
            f"the column taken as the {'target' if task == 'regression' else 'class'} is empty; "
            f"name another: {another}",
            path,
            column=label.name,
        )
    if task is None and label.kind == "numeric":
        task = task_of_numbers(label.name, label.values, declared=label.name in found.numbers)
    if task == "classification" and label.kind == "numeric":
        broken = rows_of_fractions(label.values)
        if broken.size:
            raise DataFileError(
                "Unknown label type: continuous. The column taken as the class holds "
                f"{label.values[broken[0]]} in {data_row(int(broken[0]))}: that is a number "
                f"({argument('task', 'regression')}); for classes name another: "
                f"{another}, {worded('fasttree.datasets.load(path, target=False) has none, ')}"
                "or cut the numbers into groups (below 10, 10 to 20, ...)",
                path,
                column=label.name,
            )
    if task == "regression":
        try:
            return Column(label.name, "numeric", target_numbers(label.name, label)), task
        except ValueError as error:
            raise DataFileError(str(error), path, column=label.name) from error
    if label.kind == "nominal" and not found.declares_classes:
        label = without_unused_levels(label)
    return label, "classification"


def find_target(names: Sequence[str], target: TargetName, path: Path, *, named: bool = True) -> str:
    """The name of the class column: the given one, else "class" if there is exactly one, else the
    last."""
    if target is None:
        classes = [n for n in names if n.lower() == "class"]
        return classes[0] if len(classes) == 1 else names[-1]
    if isinstance(target, (int, np.integer)) and not isinstance(target, bool):
        if not -len(names) <= target < len(names):
            raise DataFileError(
                f"{argument('target', target)} is no column position; there are {len(names)} "
                "columns",
                path,
            )
        return names[int(target)]
    if target in names:
        return str(target)
    if isinstance(target, str) and re.fullmatch(r"-?\d+", target):  # a position as text
        return find_target(names, int(target), path)
    alike = [n for n in names if n.lower() == str(target).lower()]
    if len(alike) == 1:
        if not is_quiet():
            warn_caller(f"{path}: no column is named {target!r}; the target is {alike[0]!r}")
        return alike[0]
    hint = nearest(str(target), names)
    if not named:
        hint = (
            "the first line was read as values, so the columns have no names: if it has names, "
            f"{in_text(reading('header', True))}; else give the position (0 to {len(names) - 1}, "
            "-1 the last)"
        )
    raise DataFileError(
        f"is not a column ({option('target')}); {hint}", path, None, None, str(target)
    )


def columns_of_frame(
    frame: Any,
    drop: Collection[str],
    path: Path,
    *,
    as_given: bool = True,
    dates: Mapping[str, Any] = MappingProxyType({}),
) -> Table:
    """A Table of a pandas or Polars frame without the dropped columns. Columns that no Table can
    hold and a fit need not read (dates, durations) are unused, unless `as_given`. `dates` names
    columns of dates, with their formats if these are known.

    Raises:
        DataFileError: an unknown name in `drop`, or a frame that cannot be read; it names `path`.
    """
    check_columns(sorted(drop), list(frame.columns), path, "drop")
    try:
        kept = frame[[name for name in frame.columns if name not in drop]]
        with quiet():
            if not as_given:
                return unscreened_table(kept, dates=dates)
            return Table(kept, dates={name: dates[name] for name in kept.columns if name in dates})
    except MemoryError:
        raise
    except Exception as error:  # libraries raise many types for a damaged frame
        said = str(error)
        with contextlib.suppress(Exception), quiet():
            if as_given and unscreened_table(kept).dates:
                inspected = reading("as_given", False)
                how = worded(f"read the file with {inspected}", "leave out --columns as_given")
                said += f"; to use year, month and weekday of dates, {how}"
        raise DataFileError(said, path) from error
