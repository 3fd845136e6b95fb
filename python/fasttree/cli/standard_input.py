"""Data on standard input: ``-`` as DATA of a command is CSV from standard input.

It is written to a temporary file named ``stdin.csv``, which is removed when the command ends.
"""

from __future__ import annotations

import functools
import shutil
import sys
import tempfile
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import options as o


def reading_standard_input(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which takes ``-`` as DATA; one without DATA is returned as it is."""
    hint = typing.get_type_hints(command, include_extras=True).get("data")
    if hint not in (o.DataFile, o.MaybeDataFile):
        return command

    @functools.wraps(command)
    def run(**options: Any) -> None:
        if options.get("data") != "-":
            command(**options)
            return
        with tempfile.TemporaryDirectory(prefix="ftree-") as folder:
            file = Path(folder) / "stdin.csv"
            with file.open("wb") as stream:
                shutil.copyfileobj(sys.stdin.buffer, stream)
            if not file.stat().st_size:
                raise ValueError("DATA is -, and standard input is empty: pipe CSV into it")
            command(**{**options, "data": str(file)})

    return run
