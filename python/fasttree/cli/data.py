"""`ftree datasets`: a list of the bundled data sets, and ``describe`` for the content of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .._checks.words import counted
from . import options as o
from .bundles import Without, expanded
from .output import emit, table
from .shell import split_list, typed
from .unknown_names import Commands

if TYPE_CHECKING:
    from ..reports import ReportTable

app = typer.Typer(
    cls=Commands,
    help="List the bundled data sets, or describe one or a data file.",
    epilog="ftree datasets\n\nftree datasets describe data.arff",
)


@app.callback(invoke_without_command=True)
@expanded
def root(context: typer.Context, json: o.Json = None) -> None:
    """List the bundled data sets, or describe one or a data file."""
    if context.invoked_subcommand is None:
        list_(json)


@app.command("list", epilog="ftree datasets list --json sets.json")
@expanded
def list_(json: o.Json = None) -> None:
    """List the bundled data sets."""
    from ..datasets import list_datasets
    from ..reports import render

    sets = list_datasets()
    shown = table("", list(sets[0]), [list(one.values()) for one in sets])
    emit(lambda: render(shown), {"command": "datasets list", "rows": sets}, json)


MOST_CLASSES, MOST_COLUMNS = 20, 40
"""Classes and columns that are listed; JSON has all."""


def _readable(data: str, columns: o.Columns) -> tuple[Any, list[tuple[str, str]]]:
    """Read a file without the columns that cannot be read.

    Args:
        data: the file or bundled set.
        columns: options on columns.

    Returns:
        The Table, and name and reason of each column that was left out.

    Raises:
        DataFileError: a file that cannot be read even so.
    """
    from ..datasets.errors import DataFileError

    drop = split_list(columns.drop)
    refused: list[tuple[str, str]] = []
    while True:
        try:
            dropped = [*drop, *(name for name, _ in refused)]
            return replace(columns, drop=dropped).table(data), refused
        except DataFileError as error:
            name = error.column
            if name is None or name in drop or any(name == one for one, _ in refused):
                raise
            refused.append((name, error.problem.split("; an identifier")[0]))


def _first(rows: list[list[Any]]) -> list[list[Any]]:
    """The first rows of a table, and a last one that counts the others (``--json`` has all)."""
    more = len(rows) - MOST_COLUMNS
    if more <= 0:
        return rows
    blank = [""] * (len(rows[0]) - 1)
    return [*rows[:MOST_COLUMNS], [f"... {counted(more, 'more column')} (--json)", *blank]]


def _as_treated(
    description: dict[str, Any], unread: Mapping[str, str], reasons: Mapping[str, str]
) -> dict[str, Any]:
    """The description of a column with its role in a fit.

    Args:
        description: the description as the Table gives it.
        unread: why columns cannot be read, by name.
        reasons: why columns are not used as they are, by name.
    """
    from ..table.dates import parse_date_reason

    name = description["name"]
    if name not in reasons or description["role"] == "target":
        return description
    kind = {"kind": "text"} if name in unread else {}
    role = "dates" if parse_date_reason(reasons[name]) else "left out"
    return {**description, **kind, "role": role}


def _quantiles(values: np.ndarray) -> dict[str, float]:
    """The extremes, the quarters and the mean of numbers, by name."""
    least, lower, median, upper, greatest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return {
        "least": least,
        "lower quartile": lower,
        "median": median,
        "mean": float(values.mean()),
        "upper quartile": upper,
        "greatest": greatest,
    }


def _class_table(counts: Mapping[str, int]) -> ReportTable:
    """The number and share of the rows of each class; those after `MOST_CLASSES` are one line.

    Args:
        counts: number of rows by class.
    """
    n_rows = sum(counts.values())
    shown = [*counts.items()][:MOST_CLASSES]
    if len(counts) > MOST_CLASSES:
        n_others = n_rows - sum(n for _, n in shown)
        shown.append((f"... {len(counts) - MOST_CLASSES} more", n_others))
    body = [[label, n, f"{100 * n / n_rows:.1f}"] for label, n in shown]
    return table("Classes", ["class", "rows", "%"], body)


@app.command(epilog="ftree datasets describe iris\n\nftree datasets describe data.csv -t label")
@expanded
def describe(
    data: o.DataFile,
    *,
    columns: Annotated[o.Columns, Without("use", "keep", "exposure")],
    json: o.Json = None,
) -> None:
    """Columns, levels, missing cells, and classes or numbers of a data set."""
    from ..reports import render
    from ..table.data_checks import inspect
    from ..table.data_checks.codes import code_columns
    from ..table.data_checks.facts import TableFacts

    # Columns and classes.
    rows, refused = _readable(data, columns)
    findings = inspect(rows)
    reasons = {**rows.unused, **findings.reasons} if findings.treats_columns else {}
    described = [_as_treated(column, rows.unused, reasons) for column in rows.describe()]
    if findings.treats_columns:
        findings.warn(is_described=True)
    counts: dict[str, int] = {}
    numbers: dict[str, float] = {}
    if rows.target is not None and rows.task == "regression":
        numbers = _quantiles(rows.numbers)
    elif rows.target is not None:
        n_of_class = np.bincount(rows.y_codes, minlength=len(rows.classes)).tolist()
        counts = dict(zip(map(str, rows.classes), n_of_class, strict=True))
    document = {
        "command": "datasets describe",
        "name": rows.name,
        "rows": len(rows),
        "features": rows.n_features,
        "target": rows.target,
        "task": rows.task if rows.target is not None else None,
        "classes": counts,
        **({"numbers": numbers} if numbers else {}),
        "columns": described,
    }
    body = [list(column.values()) for column in described]
    tables = [table(repr(rows), list(described[0]), _first(body))]
    if counts:
        tables.append(_class_table(counts))
    if numbers:
        body = [[name, f"{value:.6g}"] for name, value in numbers.items()]
        tables.append(table(f"Target {rows.target!r}, a number", ["", "value"], body))
    # Columns that need an option: numbers that may be codes, and what cannot be read.
    codes = [name for name in code_columns(TableFacts(rows), by_name=False) if name not in reasons]
    if codes:
        title = "Whole numbers of few values, read as numbers"
        body = [[name, typed("--nominal", [name])] for name in codes]
        tables.append(table(title, ["column", "if they are codes"], _first(body)))
    if reasons:
        unusable = rows.unused.keys()
        body = [
            [name, why, "" if name in unusable else typed("--keep", [name])]
            for name, why in reasons.items()
        ]
        header = ["column", "why", "to use it as it is (fit)"]
        tables.append(table("Treated by fit", header, _first(body)))
        document["treated"] = [{"column": n, "reason": why} for n, why in reasons.items()]
    if refused:
        body = [[name, why, typed("--drop", [name])] for name, why in refused]
        header = ["column", "why", "what to type"]
        tables.append(table("Refused by fit", header, _first(body)))
        document["refused"] = [{"column": name, "reason": why} for name, why in refused]
    emit(lambda: render(tables), document, json)
