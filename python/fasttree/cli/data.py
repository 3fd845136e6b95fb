"""`ftree datasets`: a list of the bundled data sets, and ``describe`` for the content of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import typer

from .._checks.words import counted
from . import options as o
from .bundles import Without, expanded
from .output import emit, table
from .shell import split_list, typed
from .unknown_names import Commands

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
    """The Table of a file without its unreadable columns, and (column, reason) of these."""
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
    one: dict[str, Any], unread: Mapping[str, str], reasons: Mapping[str, str]
) -> dict[str, Any]:
    """The description of a column with its role in a fit."""
    from ..table.dates import parse_date_reason

    name = one["name"]
    if name not in reasons or one["role"] == "target":
        return one
    kind = {"kind": "text"} if name in unread else {}
    return {**one, **kind, "role": "dates" if parse_date_reason(reasons[name]) else "left out"}


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
    described = [_as_treated(one, rows.unused, reasons) for one in rows.describe()]
    if findings.treats_columns:
        findings.warn(is_described=True)
    counts = {}
    numbers: dict[str, float] = {}
    if rows.target is not None and rows.task == "regression":
        known = rows.numbers
        low, quarter, median, above, high = np.quantile(known, [0, 0.25, 0.5, 0.75, 1]).tolist()
        numbers = {
            "least": low,
            "lower quartile": quarter,
            "median": median,
            "mean": float(known.mean()),
            "upper quartile": above,
            "greatest": high,
        }
    elif rows.target is not None:
        found = np.bincount(rows.y_codes, minlength=len(rows.classes))
        counts = {str(label): int(n) for label, n in zip(rows.classes, found, strict=True)}
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
    of_columns = [list(one.values()) for one in described]
    tables = [table(repr(rows), list(described[0]), _first(of_columns))]
    if counts:
        share = [[label, n, f"{100 * n / len(rows):.1f}"] for label, n in counts.items()]
        if len(share) > MOST_CLASSES:
            more = sum(list(counts.values())[MOST_CLASSES:])
            others = f"... {len(share) - MOST_CLASSES} more"
            share = [*share[:MOST_CLASSES], [others, more, f"{100 * more / len(rows):.1f}"]]
        tables.append(table("Classes", ["class", "rows", "%"], share))
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
