"""Output of the commands: text on stdout, strict JSON in a file, or JSON alone for ``--json -``."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .._checks.saving import save_text
from .._engine.versions import versions
from ..exports.tables.records import render_csv, render_json
from ..exports.tables.table import ReportTable, report_table
from .streams import write


def table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[Any]], notes: Sequence[str] = ()
) -> ReportTable:
    """A table for printing, from plain values.

    In a terminal or with the variable COLUMNS, long text wraps within its column.

    Args:
        title: line above the table.
        header: titles of the columns.
        rows: the values, row by row.
        notes: lines below the table.
    """
    width = None
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        width = max(shutil.get_terminal_size().columns, 40)
    return report_table(title, header, rows, *notes, width=width)


def check_writable(files: dict[str, Path | None]) -> None:
    """Raise ValueError for files that cannot be written, before hours of fitting are lost. `files`
    maps an option to its file; None and "-" (stdout) are skipped."""
    for option, file in files.items():
        if file is None or str(file) == "-":
            continue
        if file.is_dir():
            raise ValueError(f"{option} {file}: is a folder; name a file in it")
        parent = file.absolute().parent
        if not parent.is_dir():
            raise ValueError(f"{option} {file}: the folder {file.parent} does not exist")
        if not os.access(file if file.exists() else parent, os.W_OK):
            raise ValueError(f"{option} {file}: cannot be written (no permission)")


def save_picture(file: Path, draw: Callable[[], Any]) -> None:
    """Draw axes on a figure of their own, and write it to a file.

    Args:
        file: the picture, whose format follows from its name.
        draw: draws, and returns the axes.
    """
    from ..plots.canvas import save_picture as save

    save(file, draw)


def emit(
    text: str | Callable[[], str],
    document: Any,
    json_file: Path | None,
    csv_file: Path | None = None,
) -> None:
    """Print the result of a command, and write the files that were asked for.

    Args:
        text: the text to print, or a function that makes it.
        document: the result as plain values.
        json_file: file of the document as JSON, with the versions of the packages; ``-`` prints the
            JSON and not the text; None: it is not written.
        csv_file: file of the document's ``rows`` as CSV; None: it is not written.
    """
    if csv_file is not None:
        save_text(csv_file, render_csv(document["rows"]))
    if json_file is not None:
        written = render_json({"versions": versions(), **document})
        if str(json_file) == "-":
            write(written)
            return
        save_text(json_file, written)
    printed = text() if callable(text) else text
    write(printed if printed.endswith("\n") else printed + "\n")
