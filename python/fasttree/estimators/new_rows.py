"""New rows in the columns that a model was fitted on, for predictions and evaluations.

What
    `encode_rows` returns the blocks of columns that the core predicts from, `labelled` a Table of
    rows with labels. Columns are matched by name, in any order, if the rows and the model have
    names, else by position. Matched by name, only the columns that some test reads are needed, and
    the target may be among them. Cells become numbers or codes of the declared levels (`recoding`).
    A float array for an all-numeric model is not copied.
Complexity
    One pass over the cells.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _engine
from .._checks import is_missing
from .._checks.aliases import MaybeArray, Task
from .._checks.words import argument, worded
from ..datasets.inputs import resolve_for_model, resolve_names
from ..table import Table
from ..table.columns import Column, placeholder_column, refuse_infinity, shorten
from ..table.data_checks.frames import N_CELLS
from ..table.dates import DateFormat, formats_for_new_rows, part_names
from ..table.named_columns import pop_column, select_columns
from ..table.sources import cells_of, names_of, to_list
from .recoding import as_declared, level_column, long_text_coded, number_column
from .schema import Schema


def encode_rows(
    schema: Schema, X: Any, handle_unknown: str = "missing", missing: str = "branch"
) -> tuple[list[np.ndarray], int]:
    """New rows as blocks of columns for the core.

    All predictions go through it. Columns that no test reads may be missing if they are found by
    name, and are not checked.

    Args:
        schema: the columns of the model.
        X: rows in any form that a Table can be made of, or a Table.
        handle_unknown: "missing" or "error", for undeclared labels.
        missing: "error" refuses missing values; other values allow them.

    Returns:
        The blocks, arrays (n_rows, n_columns of the block), and the number of rows.

    Raises:
        ValueError: missing, duplicate or unexpected columns, infinity, (``handle_unknown="error"``)
            an undeclared label, (``missing="error"``) a missing value.
        TypeError: labels where the model expects numbers.
    """
    # An array of numbers for a numeric model goes to the core as it is.
    is_array = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.char in "df"
    if is_array and schema.is_numeric:
        check_count(schema, X.shape[1])
        if len(X) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required "
                f"by {schema.owner}."
            )
        blocks = _engine.blocks_of([Column("", "numeric", X)])
        refuse_infinity(X, schema.names.__getitem__)
        if missing == "error":
            refuse_missing(schema, [Column("", "numeric", X[:, j]) for j in range(X.shape[1])])
        return blocks, len(X)
    X = X if isinstance(X, Table) else _with_names(schema, X)
    # Other rows become a Table of the columns that the model reads, then codes of its levels.
    part, places, X = _read_columns(schema, X)
    if isinstance(X, Table):
        table = X.with_dates(_dates_of(part, X))
    else:
        options = _table_options(part, X)
        table = Table(long_text_coded(part, X, handle_unknown), **options)
    columns = _recoded(schema, table, handle_unknown, places)
    if missing == "error":
        refuse_missing(schema.part(places), columns)
    return _between_empty_blocks(
        _engine.blocks_of(columns), places, (len(table), len(schema.names))
    ), len(table)


def _read_columns(schema: Schema, X: Any) -> tuple[Schema, list[int], Any]:
    """The part of X that the model reads.

    Returns:
        The schema of the columns that are read, their numbers in the schema of the model, and X
        without other columns. Where X or the model has no names, the schema is the whole one, and X
        is unchanged.

    Raises:
        ValueError: a column is missing or unknown.
    """
    is_table = isinstance(X, Table)
    if is_table:
        check_readable(schema, X)
    names = names_of(X) if not is_table else X.feature_names if X.has_feature_names else None
    places = schema.read
    if not names or not schema.has_names or len(set(names)) < len(names):
        return schema, places, X
    check_names(schema, names, places)
    if not places:  # rows are counted only
        cells = X.column(names[0]).values if is_table else cells_of(X, names[0])
        return schema, places, Table.from_columns([placeholder_column(names[0], len(cells))])
    part = schema.part(places)
    read = set(part.names)
    kept = [name for name in names if name in read]
    if not is_table and len(kept) < len(names):
        X = select_columns(X, kept)
    return part, places, X


def _between_empty_blocks(
    blocks: list[np.ndarray], places: list[int], shape: tuple[int, int]
) -> list[np.ndarray]:
    """Blocks for all columns of a model, if only some of the columns are given.

    Args:
        blocks: one block per given column, shape (n_rows, 1).
        places: numbers of the given columns, ascending.
        shape: (n_rows, number of columns of the model).

    Returns:
        The blocks, with zeros that take no memory in the place of the other columns.
    """
    if len(places) == shape[1]:
        return blocks
    nothing, filled, end = np.broadcast_to(0.0, shape), [], 0
    for block, place in zip([*blocks, None], [*places, shape[1]], strict=True):
        if place > end:
            filled += _engine.blocks_of([Column("", "numeric", nothing[:, end:place])])
        if block is not None:
            filled.append(block)
        end = place + 1
    return filled


def given_cells(schema: Schema, X: Any) -> np.ndarray:
    """The cells of new rows as they were given, shape (n_rows, n_given), for a display beside
    predictions.

    Args:
        schema: the columns of the model.
        X: rows as in `encode_rows`. Columns that they lack are filled with NaN or None.
    """
    if isinstance(X, Table) or not schema.dates:
        names = schema.given_names
        if not isinstance(X, Table) and schema.has_names and set(names_of(X) or names) != {*names}:
            # Columns that the model does not read may be absent, and others be there.
            part, places, X = _read_columns(schema, X)
            cells_read = X.X if isinstance(X, Table) else Table(select_columns(X, part.names)).X
            all_cells = np.full(
                (len(cells_read), len(names)), np.nan if cells_read.dtype.kind == "f" else None
            )
            all_cells[:, places] = cells_read
            return all_cells
        table = X if isinstance(X, Table) else Table(X, unused=_table_options(schema, X)["unused"])
        return np.asarray(table.X)
    X = _with_names(schema, X)
    present = names_of(X) or []
    n_rows = len(cells_of(X, present[0]))
    cells = [
        to_list(cells_of(X, name)) if name in present else [None] * n_rows
        for name in schema.given_names
    ]
    return np.array(cells, dtype=object).T


def refuse_missing(schema: Schema, columns: list[Column]) -> None:
    """Raise a ValueError for the first missing cell, which names its column and row.

    It carries out ``missing="error"`` before a prediction. Labels that were not declared in the fit
    count as missing, because they have no code.
    """
    for name, column in zip(schema.names, columns, strict=True):
        gone = column.is_missing
        if gone.any():
            raise ValueError(
                f"Input X contains NaN: column {name!r}, row {int(gone.argmax())} is missing, and "
                "the model was made with "
                f"missing='error'; impute it, or fit with {argument('missing', 'mode')} or "
                f"{argument('missing', 'branch')}"
            )


def _recoded(
    schema: Schema, table: Table, handle_unknown: str, places: Sequence[int] | None = None
) -> list[Column]:
    """Columns of a Table as the numbers and codes of a model.

    Args:
        schema: the columns of the model.
        table: the rows.
        handle_unknown: as in `encode_rows`.
        places: numbers of the columns of the model, whose order the result has; None: all.
    """
    places = range(len(schema.names)) if places is None else places
    signs = dict(schema.file_cells.signs)
    for name, sign in table.file_cells.signs:
        if signs.get(name, sign) != sign:
            raise ValueError(
                f"column {name!r} has numbers with the sign {sign!r}, but with {signs[name]!r} "
                "when the model was fitted: convert them"
            )
    return [
        level_column(column, schema.levels[j], handle_unknown, ordered=schema.ordered[j])
        if schema.nominal[j]
        else number_column(column, schema.file_cells.decimal)
        for j, column in zip(places, matched(schema, table, places), strict=True)
    ]


def labelled(schema: Schema, X: Any, y: MaybeArray = None) -> Table:
    """Labelled rows as a Table with the declared levels and classes; numbers are not changed.

    A model without classes predicts a number, and the target of the Table is one.

    Raises:
        ValueError: no labels, or a label that is not a class of the model.
    """
    task: Task = "classification" if schema.classes else "regression"
    X, y = resolve_names_for(schema, X, y, task)
    if isinstance(X, Table) and y is None:
        table = X.with_dates(_dates_of(schema, X))
    else:
        X = _with_names(schema, X)
        table = Table.from_any(X, y, task=task, **_table_options(schema, X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # encode_rows has warned of undeclared labels
        converted = _recoded(schema, table, "missing")
    if task == "regression":
        target = Column(table.target or "y", "numeric", table.as_regression().numbers)
        return Table.from_columns(converted, target, task=task)
    # Codes of the classes of the table become codes of the classes of the model.
    code_of = {_engine.plain(c): code for code, c in enumerate(schema.classes)}
    labels = as_declared([_engine.plain(c) for c in table.classes], list(code_of))
    unknown = [labels[c] for c in np.unique(table.y_codes) if labels[c] not in code_of]
    if unknown:
        raise ValueError(
            f"y holds {unknown[0]!r}, which is not a class of the model; classes are "
            f"{list(code_of)}"
        )
    codes = np.array([code_of.get(c, -1) for c in labels], dtype=np.int32)[table.y_codes]
    return Table.from_columns(
        converted, Column(table.target or "class", "nominal", codes, tuple(schema.classes))
    )


def without_unknown_columns(schema: Schema, table: Table, *named: Any) -> Table:
    """The Table of a file without the columns that the model does not have.

    It is returned unchanged if it lacks a column that the model reads, for the error about that.

    Args:
        schema: the columns of the model.
        table: the rows of the file.
        named: names of further columns that stay; other values are ignored.
    """
    columns = table.feature_names
    expected = {*schema.names, schema.target, *(one for one in named if isinstance(one, str))}
    extra = [name for name in columns if name not in expected]
    dates = schema.date_parts
    read = {dates[n][0] if n in dates else n for n in map(schema.names.__getitem__, schema.read)}
    is_named = table.has_feature_names and schema.has_names and read.issubset(columns)
    return table.drop(*extra) if is_named and 0 < len(extra) < len(columns) else table


def resolve_names_for(
    schema: Schema, X: Any, y: Any, task: Task, *named: Any, as_given: bool = False
) -> tuple[Any, Any]:
    """Rows and target in place of the names of data sets, files and columns, for a fitted model.

    Args:
        schema: the columns of the model.
        X: rows, or a name; files are read as the training rows were.
        y: the target, or its name; None: the column of a file that has the name of the target.
        task: the task of the model.
        named: as in `without_unknown_columns`.
        as_given: whether all columns of a file are used as they are.
    """
    is_file = isinstance(X, str | os.PathLike)
    options: dict[str, Any] = {"as_given": as_given, "missing": schema.file_cells}
    read = (
        resolve_for_model(schema.target, X, task, **options)
        if y is None
        else resolve_names(X, y, task, **options)
    )
    X, y = without_target(schema, *read)
    return without_unknown_columns(schema, X, *named) if is_file else X, y


def without_target(schema: Schema, X: Any, y: Any) -> tuple[Any, Any]:
    """X without a column of the name of the target, and y, which is that column if it is None.

    X is unchanged if it is a Table or has no names, if the target is also a feature of the model,
    or if not exactly one column has its name.
    """
    names = None if isinstance(X, Table) else names_of(X)
    if names is None or schema.target in schema.names or names.count(schema.target) != 1:
        return X, y
    X, labels = pop_column(X, schema.target)
    return X, labels if y is None else y


def _table_options(schema: Schema, X: Any) -> dict[str, Any]:
    """Keyword arguments by which `Table` gives the columns of X the kinds of the model.

    Rows with too few or too many columns get none; they are refused where columns are counted.
    """
    if isinstance(X, Table):
        return {}
    names, dates = names_of(X), _dates_of(schema, X)
    by_name = names is not None and schema.has_names
    # Names are checked first: else a text in an unknown column would be reported as a wrong number.
    if names is not None and by_name and len(set(names)) == len(names):
        check_names(schema, names)
    keys = [f"x{j}" for j in range(_width(X))] if names is None else names
    matched_names = keys if by_name else schema.names
    place_of = {name: j for j, name in enumerate(schema.names)}
    matches = [
        (column, place_of[name]) for column, name in enumerate(matched_names) if name in place_of
    ]
    is_whole = len(keys) == len(matched_names)
    nominal = {column for column, j in matches if is_whole and schema.nominal[j]}
    unused = {keys[column]: why for column, j in matches if is_whole and (why := schema.unused[j])}
    by_dtype = hasattr(X, "columns") or not is_whole
    if by_name and (nominal or not by_dtype):
        nominal |= {column for column, name in enumerate(keys) if _is_text(cells_of(X, name))}
    return {
        "categorical_features": sorted(nominal) or ("from_dtype" if by_dtype else None),
        "unused": {name: why for name, why in unused.items() if name not in dates},
        "dates": dates,
    }


def _width(X: Any) -> int:
    """Number of columns of an array or a list of rows; 0 where it is not known."""
    shape: Any = getattr(X, "shape", ())
    if len(shape) == 2:
        return int(shape[1])
    row = X[0] if isinstance(X, list | tuple) and X else ()
    return len(row) if hasattr(row, "__len__") else 0


def _dates_of(schema: Schema, X: Any) -> dict[str, Any]:
    """The formats of the date columns that X holds as dates, and not as year, month and weekday.

    Raises:
        ValueError: year, month and weekday of a date were taken in another time zone than the
            model's.
    """
    if not schema.dates:
        return {}
    names = X.feature_names if isinstance(X, Table) else names_of(X) or []
    read = X.dates if isinstance(X, Table) else {}
    for name, trained in schema.dates.items():
        zone = DateFormat.parse(read.get(name, "")).zone
        if trained.zone and zone and zone != trained.zone:
            raise ValueError(
                f"the Table has year, month and weekday of {name!r} in the time zone {zone}, the "
                f"model those in {trained.zone}: give a frame, or make the Table with "
                + argument("dates", {name: str(trained)})
            )
    return {
        name: date_format
        for name, date_format in formats_for_new_rows(schema.dates).items()
        if name in names and not set(part_names([name])).issubset(names)
    }


def _with_names(schema: Schema, X: Any) -> Any:
    """Rows as a dict of columns with the names of the model, if the model has dates, which are
    found by name, and the rows have no names; else unchanged."""
    if not schema.dates or names_of(X) is not None or isinstance(X, Table):
        return X
    rows = X if isinstance(X, np.ndarray) else list(X)
    if not len(rows) or not isinstance(rows[0], list | tuple | np.ndarray):
        return X  # refused where columns are read
    check_count(schema, len(rows[0]))
    columns = rows.T if isinstance(rows, np.ndarray) else zip(*rows, strict=True)
    return {name: list(cells) for name, cells in zip(schema.given_names, columns, strict=True)}


def check_count(schema: Schema, n_features: int) -> None:
    """Raise a ValueError if rows have another number of features than the model.

    The message has scikit-learn's words, which its estimator checks look for. A column of dates
    counts as one feature, not as its three parts.
    """
    expected = len(schema.given_names)
    if n_features != expected:
        raise ValueError(
            f"X has {n_features} features, but {schema.owner} is expecting {expected} features as "
            "input."
        )


def check_table(schema: Schema, table: Table) -> None:
    """Raise a ValueError for a Table with another number of features than the model. Year, month
    and weekday that the Table made of its dates are not counted; see `check_count`."""
    check_count(schema, table.n_features - len(part_names(table.dates)))


def check_readable(schema: Schema, table: Table) -> None:
    """Raise a TypeError for a column that the model reads and that a Table has left out.

    A Table leaves out columns of identifiers, free text or dates; their cells are constants, from
    which a model would predict without a sign of the fault. Columns that no test reads may be
    missing.
    """
    for j in schema.read:
        name, kind = schema.names[j], "nominal" if schema.nominal[j] else "numeric"
        if table.has_feature_names and name in table.unused and not schema.unused[j]:
            raise TypeError(
                f"column {name!r} was {kind} when the model was fitted, but is now left out "
                f"({table.unused[name]}); give cells of that kind"
            )


def _is_text(cells: Any) -> bool:
    """Whether the first cell with a value is a string."""
    if getattr(getattr(cells, "dtype", None), "kind", "O") not in "OUT":
        return False
    try:
        some = to_list(cells[:N_CELLS])
    except TypeError:  # no column, which the Table refuses by name
        return False
    return isinstance(next((cell for cell in some if not is_missing(cell)), None), str)


def matched(schema: Schema, table: Table, places: Sequence[int]) -> list[Column]:
    """The columns of a Table that match the columns `places` of the model, in the order of
    `places`.

    They are matched by name if both have names, else by position. A column that the model does not
    use is replaced by a constant one.

    Raises:
        ValueError: a column of the model that the Table lacks, or another number of columns.
    """
    given = table.feature_names
    if not (schema.has_names and table.has_feature_names):
        check_table(schema, table)
        indices: Sequence[int] = range(len(given))
    elif given == schema.names:
        indices = range(len(given))
    else:
        check_names(schema, given, places)
        index_of = {name: j for j, name in enumerate(given)}
        indices = [index_of.get(name, -1) for name in schema.names]
    return [
        placeholder_column(schema.names[j], len(table))
        if schema.unused[j]
        else table.column(indices[j])
        for j in places
    ]


def check_names(schema: Schema, given: list[str], places: Sequence[int] | None = None) -> None:
    """Raise scikit-learn's ValueError for names that are missing or unknown.

    The target may be among the names, and "Unnamed: 0", which pandas calls the index of a file that
    `DataFrame.to_csv` has written.

    Args:
        schema: the columns of the model.
        given: names of the columns of the rows, in any order.
        places: numbers of the columns that must be there if the model uses them; None: all.
    """
    expected, present = {*schema.names, schema.target}, set(given)
    read = range(len(schema.names)) if places is None else places
    date_of = {part: name for part, (name, _) in schema.date_parts.items()}
    needed = [schema.names[j] for j in read if not schema.unused[j]]
    absent = [date_of.get(name, name) for name in needed if name not in present]
    missing = [name for name in dict.fromkeys(absent) if name not in present]
    extra = [n for n in given if n not in expected and n != "Unnamed: 0"]
    # Parquet may hold dates where the model reads nothing.
    parts = {*part_names(schema.names)} if extra else set()
    extra = [n for n in extra if n not in parts]
    if missing or extra:
        lines = ["The feature names should match those that were passed during fit."]
        if extra:
            lines.append(f"Feature names unseen at fit time:{_lines_of(extra)}")
        if missing:
            lines.append(f"Feature names seen at fit time, yet now missing:{_lines_of(missing)}")
        raise ValueError("\n".join(lines))


def _lines_of(names: list[str]) -> str:
    """Names as scikit-learn lists them, one per line; for the command line on the same line."""
    return worded("".join(f"\n- {n}" for n in names[:20]), f" {shorten(names, 20)}.")
