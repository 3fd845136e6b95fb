"""The data files of an experiment: finding the folder and opening the sets.

The folder is the argument ``data``, else the environment variable FASTTREE_DATA, else
``../shared/data/uci`` relative to the working directory or the source tree. Files are matched by
their stem, ignoring case, dots and dashes. `Paper.run` calls this.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

from ..datasets.blocks import split_suffix
from ..table import Table
from .reproduction import chosen, plain_key

READABLE = (".arff", ".csv", ".tsv", ".data", ".parquet", ".tab")
"""Suffixes of data files, the preferred first."""


def data_folder(given: str | PathLike[str] | None) -> Path | None:
    """The folder of the data files; None when none is given and none is found.

    Raises:
        FileNotFoundError: the folder that was named does not exist.
    """
    for what, place in (("--data", given), ("FASTTREE_DATA", os.environ.get("FASTTREE_DATA"))):
        if place:
            folder = Path(place).expanduser()
            if not folder.is_dir():
                raise FileNotFoundError(f"{what}: there is no folder {os.fspath(place)!r}")
            return folder
    for start in (Path.cwd(), Path(__file__).resolve().parents[3]):
        folder = start.parent / "shared" / "data" / "uci"
        if folder.is_dir():
            return folder
    return None


def data_files(folder: Path | None) -> dict[str, Path]:
    """Data files of a folder by `plain_key` of their stem; of several with one stem, the one whose
    suffix comes first in `READABLE`."""
    found: dict[str, Path] = {}
    for suffix in reversed(READABLE):
        for path in sorted(folder.iterdir()) if folder is not None else ():
            stem, kind, _ = split_suffix(path)
            if kind == suffix and path.is_file():
                found[plain_key(stem)] = path
    return found


def open_sets(
    known: Sequence[str],
    wanted: Sequence[str] | None,
    folder: Path | None,
    open_set: Callable[[str, dict[str, Path]], Table | None],
) -> tuple[dict[str, Table], list[str]]:
    """The wanted data sets by the paper's names, and the names of those that are not there.

    Args:
        known: the paper's names.
        wanted: only these; None for all.
        folder: from `data_folder`.
        open_set: opens one by name from the files of the folder; None when a file is not there.
    """
    files = data_files(folder)
    found = {name: open_set(name, files) for name in chosen(known, wanted)}
    tables = {name: table for name, table in found.items() if table is not None}
    return tables, [name for name in found if name not in tables]
