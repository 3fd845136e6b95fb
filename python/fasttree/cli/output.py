"""Output of the commands: text on stdout, strict JSON in a file, or JSON alone for ``--json -``.

The three standard streams may be closed, full, of any encoding, or a terminal. A stream that is
closed takes and gives nothing. Letters that the encoding of a stream lacks are written as escapes.
What stderr cannot take is dropped, since no message may end the work. A terminal gets the control
characters of names and cells as escapes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from .._checks.saving import save_text
from .._engine.versions import versions
from ..exports.tables.records import render_csv, render_json
from ..exports.tables.table import ReportTable, report_table


def table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[Any]], notes: Sequence[str] = ()
) -> ReportTable:
    """A table for printing, from plain values; in a terminal or with the variable COLUMNS, long
    text wraps within its column."""
    width = None
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        width = max(shutil.get_terminal_size().columns, 40)
    return report_table(title, header, rows, *notes, width=width)


def check_writable(files: dict[str, Path | None]) -> None:
    """Refuse files that cannot be written, before anything is fitted; `files` by their options."""
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
    """Draw axes on a figure of their own, and write it to a file."""
    from ..plots.canvas import save_picture as save

    save(file, draw)


def emit(
    text: str | Callable[[], str],
    document: Any,
    json_file: Path | None,
    csv_file: Path | None = None,
) -> None:
    """Print the text, and write the document as JSON if there is a file, and its ``rows`` as CSV if
    there is one; ``-`` as the file of JSON prints that instead of the text. JSON also has the
    versions."""
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


def prepare() -> None:
    """Open the streams that are closed, and let the others escape what they cannot encode."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream: Any = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - stays open
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def write(text: str, stream: TextIO | None = None) -> None:
    """Write text to a stream, stdout by default."""
    stream = stream or sys.stdout
    if stream.isatty():
        from .._checks.plain_text import for_terminal

        text = for_terminal(text)
    stream.write(text)


def say(text: str) -> None:
    """Write a line to stderr, if it can be written."""
    try:
        write(text + "\n", sys.stderr)
        sys.stderr.flush()
    except OSError:
        drop(sys.stderr)


def drop(stream: TextIO) -> None:
    """Discard what a stream still holds, and whatever is written to it from now on."""
    with contextlib.suppress(OSError):  # a stream of tests has no number
        number = stream.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
