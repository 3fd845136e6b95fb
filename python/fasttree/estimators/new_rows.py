"""New rows in the columns that a model was fitted on, for predictions.

What
    `encode_rows` returns the blocks of columns that the core predicts from. Columns are matched by
    name, in any order, if the rows and the model have names, else by position (`matching`). Matched
    by name, only the columns that some test reads are needed, and the target may be among them.
    Cells become numbers or codes of the declared levels (`recoding`). A float array for an
    all-numeric model is not copied. `labelled_rows` reads rows with labels.
Complexity
    One pass over the cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _engine
from .._checks import is_missing
from .._checks.words import argument
from ..table import Table
from ..table.columns import Column, placeholder_column, refuse_infinity
from ..table.data_checks.frames import N_CELLS
from ..table.dates import DateFormat, formats_for_new_rows, part_names
from ..table.named_columns import select_columns
from ..table.sources import cells_of, names_of, to_list
from .matching import check_count, check_names, check_readable, matched
from .recoding import level_column, long_text_coded, number_column
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
    # Other rows become a Table of the columns that the model reads, then codes of its levels.
    named_rows = X if isinstance(X, Table) else with_names(schema, X)
    read_schema, places, rows = read_columns(schema, named_rows)
    if isinstance(rows, Table):
        table = rows.with_dates(dates_of(read_schema, rows))
    else:
        options = table_options(read_schema, rows)
        table = Table(long_text_coded(read_schema, rows, handle_unknown), **options)
    columns = recoded(schema, table, handle_unknown, places)
    if missing == "error":
        refuse_missing(schema.part(places), columns)
    return _between_empty_blocks(
        _engine.blocks_of(columns), places, (len(table), len(schema.names))
    ), len(table)


def read_columns(schema: Schema, X: Any) -> tuple[Schema, list[int], Any]:
    """The part of the rows X that the model reads.

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
    names = _given_names(X)
    places = schema.read
    if not names or not schema.has_names or len(set(names)) < len(names):
        return schema, places, X
    check_names(schema, names, places)
    if not places:  # rows are counted only
        cells = X.column(names[0]).values if is_table else cells_of(X, names[0])
        return schema, places, Table.from_columns([placeholder_column(names[0], len(cells))])
    read_schema = schema.part(places)
    expected = set(read_schema.names)
    read_names = [name for name in names if name in expected]
    if is_table or len(read_names) == len(names):
        return read_schema, places, X
    return read_schema, places, select_columns(X, read_names)


def _given_names(X: Any) -> list[str] | None:
    """The names of the columns of rows or of a Table; None where they were given without."""
    if isinstance(X, Table):
        return X.feature_names if X.has_feature_names else None
    return names_of(X)


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
    zeros = np.broadcast_to(0.0, shape)
    blocks_with_gaps: list[np.ndarray] = []
    next_column = 0
    for block, place in zip([*blocks, None], [*places, shape[1]], strict=True):
        if place > next_column:
            gap = Column("", "numeric", zeros[:, next_column:place])
            blocks_with_gaps += _engine.blocks_of([gap])
        if block is not None:
            blocks_with_gaps.append(block)
        next_column = place + 1
    return blocks_with_gaps


def refuse_missing(schema: Schema, columns: list[Column]) -> None:
    """Raise a ValueError for the first missing cell, which names its column and row.

    It carries out ``missing="error"`` before a prediction. Labels that were not declared in the fit
    count as missing, because they have no code.
    """
    for name, column in zip(schema.names, columns, strict=True):
        is_missing_cell = column.is_missing
        if is_missing_cell.any():
            raise ValueError(
                f"Input X contains NaN: column {name!r}, row {int(is_missing_cell.argmax())} is "
                "missing, and the model was made with "
                f"missing='error'; impute it, or fit with {argument('missing', 'mode')} or "
                f"{argument('missing', 'branch')}"
            )


def recoded(
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


def table_options(schema: Schema, X: Any) -> dict[str, Any]:
    """Keyword arguments by which `Table` gives the columns of X the kinds of the model.

    Rows with too few or too many columns get none; they are refused where columns are counted.
    """
    if isinstance(X, Table):
        return {}
    names = names_of(X)
    dates = dates_of(schema, X)
    by_name = names is not None and schema.has_names
    # Names are checked first: else a text in an unknown column would be reported as a wrong number.
    if names is not None and by_name and len(set(names)) == len(names):
        check_names(schema, names)
    column_names = [f"x{j}" for j in range(_width(X))] if names is None else names
    matched_names = column_names if by_name else schema.names
    # With another number of columns the kinds cannot be matched; `check_count` reports it later.
    is_whole = len(column_names) == len(matched_names)
    place_of = {name: j for j, name in enumerate(schema.names)}
    matches = [
        (column, place_of[name])
        for column, name in enumerate(matched_names)
        if is_whole and name in place_of
    ]
    nominal = {column for column, j in matches if schema.nominal[j]}
    unused = {column_names[column]: schema.unused[j] for column, j in matches if schema.unused[j]}
    takes_kinds_from_dtype = hasattr(X, "columns") or not is_whole
    # Where the nominal columns are listed, a Table takes all others for numbers. Text among them is
    # listed, too: it is read as numbers, or refused, by `recoded`.
    if by_name and (nominal or not takes_kinds_from_dtype):
        nominal |= {
            column for column, name in enumerate(column_names) if _is_text(cells_of(X, name))
        }
    return {
        "categorical_features": sorted(nominal)
        or ("from_dtype" if takes_kinds_from_dtype else None),
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


def dates_of(schema: Schema, X: Any) -> dict[str, Any]:
    """The formats of the date columns that X holds as dates, and not as year, month and weekday.

    Raises:
        ValueError: year, month and weekday of a date were taken in another time zone than the
            model's.
    """
    if not schema.dates:
        return {}
    names = X.feature_names if isinstance(X, Table) else names_of(X) or []
    dates_read = X.dates if isinstance(X, Table) else {}
    for name, trained in schema.dates.items():
        zone = DateFormat.parse(dates_read.get(name, "")).zone
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


def with_names(schema: Schema, X: Any) -> Any:
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


def _is_text(cells: Any) -> bool:
    """Whether the first cell with a value is a string."""
    if getattr(getattr(cells, "dtype", None), "kind", "O") not in "OUT":
        return False
    try:
        first_cells = to_list(cells[:N_CELLS])
    except TypeError:  # no column, which the Table refuses by name
        return False
    return isinstance(next((cell for cell in first_cells if not is_missing(cell)), None), str)
