"""`load`: a data file of any known format as a Table, with its target found.

What
    The suffix decides (the content, where there is none): ARFF, CSV / TSV / text, C4.5 names +
    data, Orange tab, Parquet, Feather; ``openml:NAME``, ``openml:NAME/VERSION`` and ``openml:ID``
    go through scikit-learn's fetch_openml; a plain name that is no file is looked up among the
    bundled data sets.
Decisions
    Without `target` the class is the column called "class" (in any case) if there is exactly one,
    else the last column (C4.5 and Orange files and OpenML say themselves which it is). Whole-number
    labels of CSV files become int classes. A row without a class label is kept: `Table.y` shows
    None there, fitting names the row, `Table.drop_missing_target()` leaves such rows out.
Complexity
    That of the reader, O(cells).
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Sequence
from typing import Any, Literal

import numpy as np

from ..table import Table
from ..table.columns import Column
from .arff import read_arff
from .c45 import read_c45
from .delimited import read_delimited
from .errors import DataFileError
from .orange import is_orange, read_orange
from .text import open_text, split_suffix

Path = str | os.PathLike[str]
TargetName = str | int | Literal[False] | None


def load(
    path: Path,
    target: TargetName = None,
    drop: Collection[str] = (),
    *,
    sep: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
) -> Table:
    """Read a data file into a Table.

    Args:
        path: the file (``.arff``, ``.csv``, ``.tsv``, ``.txt``, ``.dat``, ``.data`` with or without
        ``.names``, ``.names``,
            ``.tab``, ``.parquet``, ``.feather``; ``.gz``, ``.bz2``, ``.xz`` around the text
            formats), or ``"openml:NAME"`` / ``"openml:ID"``, or the name of a bundled data set
            (`list_datasets`).
        target: name of the class column (exact, else regardless of case), its position, or False
        for none.
            Default: see the module; for a file without a target-like last column give False.
        drop: names of columns to leave out (identifiers, dates).
        sep, header, names: for delimited text, see `read_delimited`; found out by default.

    Returns:
        A Table named after the file (ARFF: its relation). ARFF instance weights are in
        ``table.sample_weight``.

    Raises:
        FileNotFoundError: no such file, with the nearest names of its folder.
        DataFileError: malformed content, with file, line, column and value.

    Examples:
        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "golf.csv"
        >>> _ = file.write_text("outlook,wind,play\\nsunny,3,no\\nrainy,?,yes\\n")
        >>> load(file)
        Table 'golf': 2 rows, 2 features (1 numeric, 1 nominal), target 'play' with 2 classes
    """
    if isinstance(drop, str):
        drop = [drop]
    text = os.path.expanduser(os.fspath(path))
    if text.startswith("openml:"):
        from .openml import fetch

        frame, label, title = fetch(text.removeprefix("openml:"), target)
        columns = columns_of_frame(frame, drop, text)
        return assemble(columns, label, text, name=title)
    if not os.path.exists(text):
        return _bundled(text, target, drop)
    if os.path.isdir(text):
        raise DataFileError("is a folder; name a file in it", text)
    stem, kind, packed = split_suffix(text)
    weights = None
    named = True
    default: TargetName = None
    if kind == ".arff" or (kind not in _KNOWN and _looks_like_arff(text)):
        contents = read_arff(text, drop)
        columns, stem, weights = contents.columns, contents.relation, contents.weights
    elif kind == ".names" or (kind in (".data", ".test") and _names_file(text, kind, packed)):
        data, names_file = _c45_pair(text, kind, packed)
        default, columns = read_c45(data, names_file, drop)
    elif kind == ".tab" and is_orange(text):
        own, columns = read_orange(text, drop)
        default = own if own is not None else False
    elif kind in _BINARY:
        columns = columns_of_frame(_binary(text, kind), drop, text)
    elif kind in (
        ".xlsx",
        ".xls",
        ".ods",
        ".zip",
        ".json",
        ".pkl",
        ".pickle",
        ".npy",
        ".npz",
        ".mat",
    ):
        raise DataFileError(
            f"files of type {kind} are not read; save it as CSV, ARFF or Parquet", text
        )
    else:
        sheet = read_delimited(
            text,
            drop,
            sep="\t" if sep is None and kind in (".tab", ".tsv") else sep,
            header=header,
            names=names,
        )
        columns, named = sheet.columns, sheet.has_header or names is not None
    chosen = default if target is None else target
    return assemble(
        columns, chosen, text, name=stem, has_feature_names=named, weights=weights, dropped=drop
    )


_BINARY = {".parquet", ".pq", ".feather", ".arrow", ".ipc"}
_KNOWN = {".csv", ".tsv", ".txt", ".dat", ".data", ".test", ".names", ".tab", *_BINARY}


def assemble(
    columns: Sequence[Column],
    target: TargetName,
    path: Path,
    *,
    name: str | None,
    has_feature_names: bool = True,
    weights: np.ndarray | None = None,
    dropped: Collection[str] = (),
) -> Table:
    """A Table of read columns with the target split off (see `load` for what `target` means)."""
    found = None if target is False else find_target([c.name for c in columns], target, path)
    features = [c for c in columns if c is not found and c.name != found]
    label = next((c for c in columns if c.name == found), None)
    if not features:
        raise DataFileError("no features are left beside the target", path)
    if label is not None and label.kind == "numeric":
        broken = np.flatnonzero((label.values != np.floor(label.values)) & ~np.isnan(label.values))
        if broken.size:
            raise DataFileError(
                "Unknown label type: continuous. The column taken as the class holds "
                f"{label.values[broken[0]]} in data row {int(broken[0])}; name another with "
                "target=, or load without one by target=False",
                path,
                column=label.name,
            )
    if label is not None and label.n_missing == len(label):
        raise DataFileError(
            "the column taken as the class is empty; name another with target=",
            path,
            column=label.name,
        )
    table = Table.from_columns(features, label, name=name, has_feature_names=has_feature_names)
    table.sample_weight = weights
    return table


def find_target(names: Sequence[str], target: TargetName, path: Path) -> str:
    """The name of the class column: the given one, else "class" if there is exactly one, else the
    last."""
    if target is None:
        classes = [n for n in names if n.lower() == "class"]
        return classes[0] if len(classes) == 1 else names[-1]
    if isinstance(target, (int, np.integer)) and not isinstance(target, bool):
        if not -len(names) <= target < len(names):
            raise DataFileError(
                f"target={target} is no column position; there are {len(names)} columns", path
            )
        return names[int(target)]
    if target in names:
        return str(target)
    alike = [n for n in names if n.lower() == str(target).lower()]
    if len(alike) == 1:
        return alike[0]
    close = difflib.get_close_matches(str(target), list(names), 1)
    hint = (
        f"did you mean {close[0]!r}?"
        if close
        else f"the columns are {', '.join(map(repr, names[:12]))}"
    )
    raise DataFileError(f"is not a column (target=); {hint}", path, None, None, str(target))


def _without(columns: list[Column], drop: Collection[str], path: Path) -> list[Column]:
    unknown = set(drop).difference(c.name for c in columns)
    if unknown:
        raise DataFileError("is not a column (drop=)", path, None, None, min(unknown))
    return [c for c in columns if c.name not in drop]


def _bundled(text: str, target: TargetName, drop: Collection[str]) -> Table:
    from .shelf import SHELF

    key = text.replace("_", "-").lower()
    if key in SHELF:
        table = SHELF[key].load()
        if target is None and not drop:
            return table
        label = table.target_column
        assert label is not None
        columns = _without([*table.columns, label], drop, text)
        return assemble(columns, label.name if target is None else target, text, name=table.name)
    folder = os.path.dirname(text) or "."
    there = os.listdir(folder) if os.path.isdir(folder) else []
    close = difflib.get_close_matches(os.path.basename(text), [*there, *SHELF], 3, 0.5)
    hint = f"; near are {', '.join(close)}" if close else ""
    if not os.path.isdir(folder):
        hint = f"; there is no folder {folder}"
    raise FileNotFoundError(f"no data file {text!r}, and no bundled data set of that name{hint}")


def _looks_like_arff(path: str) -> bool:
    with open_text(path) as stream:
        for line in stream:
            if line.strip() and not line.lstrip().startswith("%"):
                return line.lstrip().lower().startswith("@relation")
    return False


def _names_file(path: str, kind: str, packed: str) -> str | None:
    stem = path[: len(path) - len(kind) - len(packed)]
    return next(
        (
            stem + end
            for end in (".names", ".names" + packed, ".NAMES")
            if os.path.exists(stem + end)
        ),
        None,
    )


def _c45_pair(path: str, kind: str, packed: str) -> tuple[str, str]:
    if kind != ".names":
        names_file = _names_file(path, kind, packed)
        assert names_file is not None
        return path, names_file
    stem = path[: len(path) - len(kind) - len(packed)]
    for end in (".data", ".data" + packed, ".data.gz"):
        if os.path.exists(stem + end):
            return stem + end, path
    raise DataFileError(
        f"the rows are missing: there is no {os.path.basename(stem)}.data beside it", path
    )


def _binary(path: str, kind: str) -> Any:
    """Parquet or Feather through pandas, else Polars, else PyArrow; whichever is installed."""
    parquet = kind in (".parquet", ".pq")
    frame: Any = None
    try:
        import pandas as pd

        frame = pd.read_parquet(path) if parquet else pd.read_feather(path)
    except ImportError:
        try:
            import polars as pl

            frame = pl.read_parquet(path) if parquet else pl.read_ipc(path)
        except ImportError:
            raise ImportError(
                f"reading {kind} files needs pandas with pyarrow, or Polars: pip install "
                "'fasttree[data]'"
            ) from None
    except (OSError, ValueError) as error:
        raise DataFileError(f"is no readable {kind} file ({error})", path) from error
    return frame


def columns_of_frame(frame: Any, drop: Collection[str], path: Path) -> list[Column]:
    """The columns of a pandas or Polars frame but the dropped ones, errors as those of the file."""
    unknown = set(drop).difference(frame.columns)
    if unknown:
        raise DataFileError("is not a column (drop=)", path, None, None, min(unknown))
    try:
        return list(Table(frame[[name for name in frame.columns if name not in drop]]).columns)
    except (TypeError, ValueError) as error:
        raise DataFileError(str(error), path) from error
