"""`load`: a data file of any known format as a Table, with its target found.

What
    The suffix decides (the content, where there is none, and of ARFF and LIBSVM): ARFF,
    CSV / TSV / text, C4.5 names +
    data, Orange tab, Parquet, Feather, PLINK; ``openml:NAME``, ``openml:NAME/VERSION`` and
    ``openml:ID`` go through scikit-learn's fetch_openml. A plain name that is no file is looked up
    among the bundled data sets.
Decisions
    Without `target` the class is the column called "class" (in any case) if there is exactly one,
    else the last column. C4.5 and Orange files and OpenML name their class. Whether a target of
    numbers has classes is what the format declares, else what
    `table.data_checks.targets.task_of_numbers` says. A row without a target is kept: `Table.y`
    shows None or NaN there, an error of `fit` names the row, and `Table.drop_missing_target()`
    leaves out all rows without a target.
Complexity
    O(cells), by the reader of the format.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from .._checks import (
    HALF,
    as_list,
    checked,
    choice,
    maybe,
    object_with,
    one_value,
    path_of,
    text_or_texts,
)
from .._checks.aliases import TASKS, Task
from .._checks.naming import did_you_mean
from .._checks.words import argument, worded
from ..table import Table
from ..table.columns import MAX_LEVELS, Column
from ..table.data_checks.frames import INEXACT
from ..table.dates import DateOrder
from ..table.file_cells import FileCells
from .arff import read_arff
from .assemble import Contents, TargetName, assemble, columns_of_frame, find_target
from .blocks import Limits, head, other_format, split_suffix
from .c45 import read_c45
from .delimited import read_delimited, read_texts
from .errors import DataFileError, Path, check_columns
from .libsvm import is_libsvm, read_libsvm
from .orange import is_orange, read_orange
from .plink import check_no_other_genotypes, is_plink, is_prefix, read_plink


def _source(name: str, value: Any) -> str | os.PathLike[str]:
    """Check of an argument that is a path or the name of a data set."""
    is_text = isinstance(value, str) and value and not HALF.search(value)
    return value if is_text else path_of(name, value)


@checked(
    path=_source,
    drop=text_or_texts,
    limits=maybe(object_with("fasttree.datasets.Limits", "core")),
    target=one_value,
    task=maybe(choice(*TASKS)),
)
def load(
    path: Path,
    target: TargetName = None,
    drop: Collection[str] = (),
    *,
    task: Task | None = None,
    sep: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    decimal: str | None = None,
    missing: Any = (),
    dates: Mapping[str, DateOrder] | Sequence[str] = (),
    limits: Limits | None = None,
    as_given: bool = True,
) -> Table:
    """Read a data file into a Table.

    Args:
        path: the file (``.arff``, ``.csv``, ``.tsv``, ``.txt``, ``.dat``, ``.data`` with or without
            ``.names``, ``.names``, ``.tab``, ``.parquet``, ``.feather``, PLINK's ``.bed`` and
            ``.raw`` (see `read_plink`); ``.gz``, ``.bz2``, ``.xz`` around the text formats), or
            ``"openml:NAME"`` / ``"openml:ID"``, or the name of a bundled data set
            (`list_datasets`).
        target: name of the target column (exact, else regardless of case), its position, or False
            for none. Default: the one that the format names (C4.5, Orange, OpenML, PLINK), else
            the only column called "class" in any case, else the last.
        drop: names of columns to leave out (identifiers, dates).
        task: ``"classification"``: the target has classes; ``"regression"``: it is a number. None:
            what the file declares (ARFF, C4.5, Orange, OpenML; floats of Parquet and Feather are
            numbers). Else numbers with fractions, or with more than 20 different values, are
            numbers, unless they are 0 or 1 to the largest without a gap, five rows each.
        sep, header, names, decimal: for delimited text, and refused elsewhere; see
            `read_delimited`. Found out by default.
        missing: for delimited text and Orange's files: further texts and numbers that mean a
            missing cell, such as ``["n/a", 999]``, or these by column, ``{"age": [999]}`` (None:
            all columns). Where the empty text is among them, they are all: ``{"country": [""]}``
            reads ``NA`` as a level, ``[""]`` in all columns. Models keep them, and read new rows
            from files so.
        dates: columns of dates, whose year, month and weekday become columns; a mapping gives the
            order of day and month as well, ``{"when": "dmy"}``, as in `Table`.
        limits: bounds on cells, columns, labels and unpacked bytes; see `fasttree.datasets.Limits`.
        as_given: False: fits leave out identifiers, free text and constants of the Table, and use
            year, month and weekday of dates, as of a file that is given to them by its name (see
            `columns` of `FastTreeClassifier`); columns of more levels than a Table can hold are
            unused instead of refused. Bundled sets and genotypes are as given in any case.

    Returns:
        A Table named after the file (ARFF: its relation), whose ``origin`` is this call. ARFF
        instance weights are in ``table.sample_weight``.

    Raises:
        FileNotFoundError: no such file, with the nearest names of its folder.
        DataFileError: malformed content, with file, line, column and value; for
            ``task="regression"`` a target that is no number, with its row.

    Examples:
        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "golf.csv"
        >>> _ = file.write_text("outlook,wind,play\\nsunny,3,no\\nrainy,?,yes\\n")
        >>> load(file)
        Table 'golf': 2 rows, 2 features (1 numeric, 1 nominal), target 'play' with 2 classes
        >>> load(file, "wind", task="regression")
        Table 'golf': 2 rows, 2 features (2 nominal), target 'wind', a number
    """
    text = os.path.expanduser(os.fspath(path))
    options: dict[str, Any] = {"sep": sep, "header": header, "names": names, "decimal": decimal}
    options["missing"] = missing = FileCells.of(missing)
    formats: Mapping[str, Any] = (
        dates if isinstance(dates, Mapping) else dict.fromkeys(as_list("dates", dates))
    )
    unread: dict[str, str] = {}
    first: DataFileError | None = None
    while True:
        try:
            dropped = [*drop, *unread]
            table = _read(
                text, target, dropped, options, formats, limits=limits, task=task, as_given=as_given
            )
            break
        except DataFileError as error:
            column = error.column
            reason = next((why for said, why in UNREADABLE.items() if said in error.problem), None)
            if as_given or column is None or column in dropped or reason is None:
                raise first or error from None
            unread[column], first = reason, first or error
    check_columns(formats, table.feature_names, text, "dates")
    made = table.dates
    table = table.with_dates({name: how for name, how in formats.items() if name not in made})
    if not as_given and (text.startswith("openml:") or os.path.exists(text)) and not is_plink(text):
        table = table.with_unused(unread)
        table.as_given = False
    # The call in Python, which a report of the Table repeats.
    is_plain = task == "classification" and table.target and not table.labels_are_numbers
    given = {"target": target, "drop": list(drop) or None, **options}
    given["task"] = None if is_plain else task
    given["as_given"] = None if table.as_given else False
    given["missing"], given["dates"] = missing.as_argument() or None, dates or None
    table.file_cells = replace(table.file_cells, **missing.given_fields)
    if not missing.remembered:  # to a model, they are known
        table.file_cells.warn_of_signs(f"{text}: ")
    arguments = "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)
    table.origin = f"fasttree.datasets.load({text!r}{arguments})"
    return table


UNREADABLE = {
    "distinct labels": f"an identifier: more than {MAX_LEVELS:,} levels",
    "float64 does not have": INEXACT,
    "of type relational": "sets of rows, not single values",
}
"""The reason why a fit leaves out a column that a reader refuses, by a part of the message of the
reader."""


def _read(
    text: str,
    target: TargetName,
    drop: Collection[str],
    options: dict[str, Any],
    dates: Mapping[str, Any],
    *,
    limits: Limits | None,
    task: Task | None,
    as_given: bool,
) -> Table:
    """The table of a path, an OpenML name or a bundled set. `options` are the options of delimited
    text. The columns of `dates` are divided into year, month and weekday here for frames only;
    `load` does it for the other formats."""
    if text.startswith("openml:"):
        from .openml import fetch

        frame, label, title = fetch(text.removeprefix("openml:"), target)
        read = columns_of_frame(frame, drop, text, as_given=as_given, dates=dates)
        _refuse(options, text)
        found = Contents([*read.columns], title, number_format=read.file_cells, unused=read.unused)
        found.numbers = [column.name for column in found.columns if column.kind == "numeric"]
        return assemble(found, label, text, task)
    if not os.path.exists(text):
        table = _bundled(text, target, drop, task)
        _refuse(options, text)
        return table
    if os.path.isdir(text):
        raise DataFileError("is a folder; name a file in it", text)
    check_no_other_genotypes(text)
    form = _format_of(text)
    if form == "plink":
        _refuse(options, text)
        return _genotypes(text, target, drop, task)
    found = _contents(text, form, drop, options, limits, dates=dates, as_given=as_given)
    return assemble(found, found.target if target is None else target, text, task)


def load_texts(
    path: Path, names: Sequence[str], header: bool | None = None
) -> dict[str, list[str]]:
    """Columns of a data file as texts, by name. Cells of delimited text are returned as they are
    written; for other formats levels and numbers become text.

    Args:
        path, header: as in `load`.
        names: the columns.

    Raises:
        DataFileError, FileNotFoundError: as of `load`; no such column.
    """
    text = os.path.expanduser(os.fspath(path))
    if os.path.isfile(text) and _format_of(text) == "delimited":
        return read_texts(text, names, header)
    table = load(text, target=False)
    check_columns(names, table.feature_names, text)
    return {name: [_written(v) for v in table.column(name).labels().tolist()] for name in names}


Format = Literal["plink", "arff", "c45", "orange", "frame", "libsvm", "unread", "delimited"]


def _format_of(text: str) -> Format:
    """The format of a file, by its suffix, or by its content where the suffix says nothing."""
    if is_plink(text):
        return "plink"
    _, kind, packed = split_suffix(text)
    if kind not in {*_BINARY, *_UNREAD} and other_format(text):
        return "unread"
    if kind == ".arff" or _looks_like_arff(text):
        return "arff"
    if kind == ".names" or (kind in (".data", ".test") and _names_file(text, kind, packed)):
        return "c45"
    if kind in _BINARY:
        return "frame"
    if kind in _UNREAD:
        return "unread"
    if is_orange(text):
        return "orange"
    return "libsvm" if is_libsvm(text) else "delimited"


def _written(value: Any) -> str:
    """A cell as text: whole numbers without a point, a missing cell as nothing."""
    if value is None or value != value:  # noqa: PLR0124 - NaN, of any type
        return ""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return str(int(value)) if is_whole else str(value)


def _contents(
    text: str,
    form: Format,
    drop: Collection[str],
    options: dict[str, Any],
    limits: Limits | None,
    *,
    dates: Mapping[str, Any],
    as_given: bool,
) -> Contents:
    """Read a file of a format; `options` and `dates` as in `_read`."""
    stem, kind, packed = split_suffix(text)
    if form == "arff":
        found = read_arff(text, drop, limits=limits)
    elif form == "c45":
        default, columns = read_c45(*_c45_pair(text, kind, packed), drop, limits=limits)
        found = Contents(columns, stem, default)
    elif form == "orange":
        own, columns, weights = read_orange(text, drop, cells=options["missing"], limits=limits)
        found = Contents(columns, stem, False if own is None else own, weights=weights)
        options["missing"] = FileCells()
    elif form == "frame":
        frame, numbers = _binary(text, kind)
        dates = {**dict(options["missing"].dates), **dates}
        read = columns_of_frame(frame, drop, text, as_given=as_given, dates=dates)
        # Parts of dates come last, and are no target.
        own = find_target([name for name in frame.columns if name not in drop], None, text)
        columns = [*read.columns]
        found = Contents(columns, stem, own, declares_classes=False, numbers=numbers)
        found.unused, found.number_format = read.unused, read.file_cells
    elif form == "unread":
        what = other_format(text, limits)
        said = f"files of type {kind} are" if what is None else f"the file is {what}, which is"
        ways = "save it as CSV, ARFF or Parquet, or read it with pandas and fit the frame in Python"
        raise DataFileError(f"{said} not read; {ways}", text)
    elif form == "libsvm":
        found = Contents(*read_libsvm(text, drop, limits or Limits()))
    else:
        if options["sep"] is None and kind in (".tab", ".tsv"):
            options = {**options, "sep": "\t"}
        return read_delimited(text, drop, **options, limits=limits)
    _refuse(options, text)
    if form in ("arff", "c45", "orange"):
        found.numbers = [column.name for column in found.columns if column.kind == "numeric"]
    if options["missing"]:  # what a model brings
        found.columns = [options["missing"].without(column)[0] for column in found.columns]
    return found


_BINARY = {".parquet", ".pq", ".feather", ".arrow", ".ipc"}
_UNREAD = {".xlsx", ".xls", ".ods", ".zip", ".json", ".pkl", ".pickle", ".npy", ".mat", ".basket"}
_UNREAD |= {".dta"}


def _refuse(options: dict[str, Any], path: str) -> None:
    """Refuse options of delimited text for another format."""
    for name, value in options.items():
        if name == "missing":  # what a model brings needs not act
            value = value.as_argument() if value.texts - {*value.remembered} else None
        if value is not None:
            raise ValueError(
                f"{argument(name, value)} cannot act: {path} is not delimited text (CSV and its "
                f"kin), and only that takes it; leave it out"
            )


def _genotypes(text: str, target: TargetName, drop: Collection[str], task: Task | None) -> Table:
    """A PLINK study as a Table; its phenotype is the target."""
    table = read_plink(text).to_table()
    label = table.target_column
    if target not in (None, False) and (label is None or target != label.name):
        raise DataFileError(
            "is no target of genotypes, whose phenotype is the class; another is read by "
            + worded("read_plink(path, phenotype=FILE)", "--pheno FILE of ftree rank"),
            text,
            value=target,
        )
    columns = _without(list(table.columns), drop, text)
    return Table.from_columns(
        columns,
        None if target is False else label,
        name=table.name,
        task=task or "classification",
    )


def _without(columns: list[Column], drop: Collection[str], path: Path) -> list[Column]:
    """The columns that are not dropped; an unknown name in `drop` is an error."""
    check_columns(sorted(drop), [column.name for column in columns], path, "drop")
    return [c for c in columns if c.name not in drop]


def _bundled(text: str, target: TargetName, drop: Collection[str], task: Task | None) -> Table:
    """A bundled data set by name; an unknown name is a missing file, with the names near to it."""
    from .shelf import BUNDLED

    key = text.replace("_", "-").lower()
    if key in BUNDLED:
        table = BUNDLED[key].load()
        if target is None and not drop and task != "regression":
            return table
        label = table.target_column
        assert label is not None
        columns = _without([*table.columns, label], drop, text)
        named = label.name if target is None else target
        return assemble(Contents(columns, table.name), named, text, task)
    folder = os.path.dirname(text) or "."
    files = os.listdir(folder) if os.path.isdir(folder) else []
    hint = did_you_mean(os.path.basename(text), [*files, *BUNDLED], most=3, least=0.5)
    hint = hint and f"; {hint}"
    if is_prefix(text):
        hint = f"; it is the prefix of a PLINK study: give {text}.bed"
    if not os.path.isdir(folder):
        hint = f"; there is no folder {folder}"
    raise FileNotFoundError(f"no data file {text!r}, and no bundled data set of that name{hint}")


def _looks_like_arff(path: str) -> bool:
    """Whether the first line that is no comment begins with ``@relation``."""
    for line in head(path).splitlines():
        if line.strip() and not line.lstrip().startswith("%"):
            return line.lstrip().lower().startswith("@relation")
    return False


def _names_file(path: str, kind: str, packed: str) -> str | None:
    """The C4.5 names file beside a data file, if there is one; `kind` and `packed` are the suffixes
    of `path`."""
    return _beside(path, kind + packed, (".names", ".names" + packed, ".NAMES"))


def _beside(path: str, suffix: str, ends: Sequence[str]) -> str | None:
    """The first existing file whose name has one of these ends in place of a suffix; None without
    one."""
    stem = path[: len(path) - len(suffix)]
    return next((stem + end for end in ends if os.path.exists(stem + end)), None)


def _c45_pair(path: str, kind: str, packed: str) -> tuple[str, str]:
    """The data file and the names file of a C4.5 pair; `path` names either of them."""
    if kind != ".names":
        names_file = _names_file(path, kind, packed)
        assert names_file is not None
        return path, names_file
    if (rows := _beside(path, kind + packed, (".data", ".data" + packed, ".data.gz"))) is None:
        stem = split_suffix(path)[0]
        raise DataFileError(f"the rows are missing: there is no {stem}.data beside it", path)
    return rows, path


def frame_of_file(path: str | os.PathLike[str]) -> Any:
    """The pandas or Polars frame of a Parquet or Feather file; None for other files."""
    text = os.fspath(path)
    _, kind, _ = split_suffix(text)
    return _binary(text, kind)[0] if kind in _BINARY else None


def _binary(path: str, kind: str) -> tuple[Any, list[str]]:
    """A frame from Parquet or Feather, by PyArrow and pandas or by Polars, whichever is installed,
    and the names of the columns that are floats in the file."""
    parquet = kind in (".parquet", ".pq")
    readers = (_by_pyarrow, _by_polars)
    for read in readers:
        try:
            return read(path, parquet)
        except ImportError:
            continue
        except (FileNotFoundError, PermissionError):
            raise
        except Exception as error:  # of many types; a forged size is a MemoryError
            message = " ".join(str(error).split())[:300]
            raise DataFileError(
                f"is no readable {kind} file ({type(error).__name__}: {message})", path
            ) from error
    raise ImportError(
        f"reading {kind} files needs pandas with pyarrow, or Polars: pip install 'fasttree[data]'"
    )


def _by_pyarrow(path: str, parquet: bool) -> tuple[Any, list[str]]:
    """A pandas frame and its floats; the file is validated in full before it is converted."""
    import pandas  # noqa: F401  (the conversion needs it)
    import pyarrow.feather
    import pyarrow.parquet

    read = pyarrow.parquet.read_table if parquet else pyarrow.feather.read_table
    table = read(path, memory_map=False)
    table.validate(full=True)
    floats = [one.name for one in table.schema if pyarrow.types.is_floating(one.type)]
    return table.to_pandas(), floats


def _by_polars(path: str, parquet: bool) -> tuple[Any, list[str]]:
    """A Polars frame and its floats."""
    import polars

    if parquet:
        frame = polars.read_parquet(path)
    else:
        with open(path, "rb") as file:  # bytes are never mapped; Polars 2 has no memory_map=False
            frame = polars.read_ipc(file.read())
    return frame, [name for name, dtype in frame.schema.items() if dtype.is_float()]
