"""The three standard streams: closed, full, of any encoding, or a terminal.

A closed stream accepts all output and gives no input. Letters that the encoding of a stream lacks
are written as escapes. What stderr cannot take is dropped, since no message may end the work. A
terminal gets the control characters of names and cells as escapes.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, TextIO


def prepare() -> None:
    """Open the standard streams that are closed, and let the others escape characters that they
    cannot encode. So no text of a data file can end the command with an error."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream: Any = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - stays open
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def write(text: str, stream: TextIO | None = None) -> None:
    """Write text to a stream. On a terminal, control characters are made visible, so that names in
    data files cannot send escape sequences.

    Args:
        text: the text.
        stream: the stream; None: stdout.
    """
    stream = stream or sys.stdout
    if stream.isatty():
        from .._checks.plain_text import for_terminal

        text = for_terminal(text)
    stream.write(text)


def print_to_stderr(text: str) -> None:
    """Write a line to stderr, if it can be written; a closed stderr is no error."""
    try:
        write(text + "\n", sys.stderr)
        sys.stderr.flush()
    except OSError:
        drop(sys.stderr)


def drop(stream: TextIO) -> None:
    """Discard what a stream still holds, and whatever is written to it from now on. After a broken
    pipe this keeps Python from failing at its end."""
    with contextlib.suppress(OSError):  # a stream of tests has no number
        number = stream.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
