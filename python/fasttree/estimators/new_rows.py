"""New rows in the schema that a model was fitted on: the input of `predict` and of evaluation.

What
    `rows_for` gives the blocks of columns that the core predicts from, `labelled` a Table with
    labels. Columns are matched by name if both sides have names (in any order), else by position.
    By name only the columns that some test reads are needed, and the target may be among them.
    Labels become codes of the declared levels; an undeclared label is treated as missing with one
    warning, or refused. A float array for an all-numeric model is not copied.
Complexity
    One pass over the cells.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import _engine
from .._checks import check_weights, is_missing
from .._checks.aliases import MaybeArray, Task
from .._checks.speech import argument, row_word, worded
from ..datasets.inputs import given, given_to
from ..table import Table
from ..table.columns import MAX_LEVELS, Column, infinity_message, shorten, unused_column
from ..table.data_checks.unreadable import LOOKED_AT
from ..table.data_checks.warned import warn_caller
from ..table.date_parts import PARTS
from ..table.dates import DateFormat, for_other_rows, formats_among, part_names, words_of_dates
from ..table.decimal_comma import with_numbers
from ..table.file_cells import FileCells
from ..table.inputs import only_columns, without_column
from ..table.sources import cells_of, is_single, listed, names_of
from ..table.texts import dressed_as, no_numbers, without_words
from .training_rows import own_weights


@dataclass
class Schema:
    """The columns of a model.

    Attributes:
        names: names of the features.
        nominal: whether each feature is nominal.
        levels: declared levels of each feature, empty for numbers.
        has_names: whether the names were given by the user.
        classes: class labels.
        owner: name of the estimator, for messages.
        unused: why each feature is not used; None: it is.
        target: name of the target; empty where it is not known.
        file_cells: what missing cells of a file hold, as the file of the training rows said.
        tested: the features that the model reads, ascending; None: all.
        dates: the columns of dates of which year, month and weekday are the last columns.
        given_names: names of the columns that a caller gives: all but those that are made of dates,
            which come last.
        is_numeric: whether all columns are numbers that are used, so that arrays are read as they
            are.
    """

    names: list[str]
    nominal: list[bool]
    levels: list[tuple[Any, ...]]
    has_names: bool
    classes: list[Any] = field(default_factory=list)
    owner: str = "FastTreeClassifier"
    unused: list[str | None] = field(default_factory=list)
    target: str = ""
    file_cells: FileCells = field(default_factory=FileCells)
    tested: list[int] | None = None
    dates: dict[str, DateFormat] = field(init=False)
    given_names: list[str] = field(init=False)
    is_numeric: bool = field(init=False)

    def __post_init__(self) -> None:
        self.unused = self.unused or [None] * len(self.names)
        whys = zip(self.names, self.unused, strict=True)
        self.dates = formats_among(self.names, {name: why for name, why in whys if why})
        self.given_names = self.names[: len(self.names) - len(part_names(self.dates))]
        self.is_numeric = not any(self.nominal) and not any(self.unused)

    def by_given_column(self, values: np.ndarray) -> np.ndarray:
        """Values of the columns of the model, shape (..., n_columns), as values of the given ones:
        the value of a date is the sum over its parts."""
        by_column = values[..., : len(self.given_names)].copy()
        for name in self.dates:
            parts = [self.names.index(part) for part in part_names([name])]
            by_column[..., self.names.index(name)] = values[..., parts].sum(axis=-1)
        return by_column

    @classmethod
    def of_model(cls, model: Any, has_names: bool, owner: str = "FastTreeClassifier") -> Schema:
        """The schema of a model of the core; `owner` is named in messages."""
        schema = cls.of_json(model.schema_json(cuts=False), has_names, owner)
        dates = tuple(for_other_rows(schema.dates).items())
        names = (*schema.given_names, schema.target) if has_names else ()
        schema.file_cells = replace(file_cells_of(model), dates=dates, names=names)
        schema.tested = model.tested()
        return schema

    @property
    def date_parts(self) -> dict[str, tuple[str, str]]:
        """The columns that are made of dates: name -> the column of dates, and the part of it."""
        parts_of = {name: zip(part_names([name]), PARTS, strict=True) for name in self.dates}
        return {name: (of, part) for of, parts in parts_of.items() for name, part in parts}

    def warn_of_dates(self) -> None:
        """Warn of tested dates that SQL reads in another way than the model does."""
        tested = {self.names[j] for j in self.read}
        for name in self.dates:
            words = words_of_dates(self.unused[self.names.index(name)] or "")
            if words != "dates" and name in tested:
                warn_caller(
                    f"column {name!r}: the model reads {words}, but the SQL code expects a "
                    "date type or text such as 2024-01-31; store the column in that form, in the "
                    "time zone of the model"
                )

    @property
    def read(self) -> list[int]:
        """The columns that are read: those that are tested, and of a date its cells and all
        parts."""
        if self.tested is None:
            return list(range(len(self.names)))
        read = {self.names[j] for j in self.tested}
        for name in self.dates:
            parts = part_names([name])
            if not read.isdisjoint(parts):
                read.update((name, *parts))
        return [j for j, name in enumerate(self.names) if name in read]

    def part(self, places: list[int]) -> Schema:
        """The schema of some columns."""
        fields = ("names", "nominal", "levels", "unused")
        lists: dict[str, Any] = {f: [getattr(self, f)[j] for j in places] for f in fields}
        return replace(self, **lists, tested=None)

    @classmethod
    def of_json(cls, text: str, has_names: bool, owner: str) -> Schema:
        """The schema in the JSON text of a model of the core; `owner` is named in messages."""
        document = json.loads(text)
        features = document["features"]
        return cls(
            names=[f["name"] for f in features],
            nominal=[f["kind"] == "nominal" for f in features],
            levels=[tuple(f.get("levels", ())) for f in features],
            has_names=has_names,
            unused=[f.get("unused") for f in features],
            classes=document["classes"],
            owner=owner,
            target=document["target"],
        )


def file_cells_of(model: Any) -> FileCells:
    """What missing cells of a file hold, as a model of the core keeps it.

    Raises:
        ValueError: a damaged file.
    """
    text = model.parameters or ""
    try:  # most models come of rows that were not in a file
        stored = json.loads(text).get("file_cells") if '"file_cells"' in text else None
        return FileCells.of_json(stored)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"not a valid fasttree model: its missing cells cannot be read ({error})"
        ) from error


def rows_for(
    schema: Schema, X: Any, handle_unknown: str = "missing", missing: str = "branch"
) -> tuple[list[np.ndarray], int]:
    """Rows as blocks of columns for the core.

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
        refuse_infinity(schema, X)
        if missing == "error":
            refuse_missing(schema, [Column("", "numeric", X[:, j]) for j in range(X.shape[1])])
        return blocks, len(X)
    X = X if isinstance(X, Table) else _with_names(schema, X)
    part, places, X = _read_columns(schema, X)
    if isinstance(X, Table):
        table = X.with_dates(_dates_of(part, X))
    else:
        options = _options(part, X)
        table = Table(_long_text_coded(part, X, handle_unknown), **options)
    columns = _converted(schema, table, handle_unknown, places)
    if missing == "error":
        refuse_missing(schema.part(places), columns)
    return _among(_engine.blocks_of(columns), places, (len(table), len(schema.names))), len(table)


def _read_columns(schema: Schema, X: Any) -> tuple[Schema, list[int], Any]:
    """What the model reads of X: where both have names the schema of those columns, else the whole
    schema; their places in the schema; X, by name without the others.

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
        return schema, places, Table.from_columns([unused_column(names[0], len(cells))])
    part = schema.part(places)
    read = set(part.names)
    kept = [name for name in names if name in read]
    if not is_table and len(kept) < len(names):
        X = only_columns(X, kept)
    return part, places, X


def _among(blocks: list[np.ndarray], places: list[int], shape: tuple[int, int]) -> list[np.ndarray]:
    """Blocks of one column each, at their places among all columns; what stands in the place of the
    others takes no memory."""
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


def values_of(schema: Schema, X: Any) -> np.ndarray:
    """The cells of rows as a 2-D array, shape (n_rows, n_given); of a model of dates as objects."""
    if isinstance(X, Table) or not schema.dates:
        names = schema.given_names
        if not isinstance(X, Table) and schema.has_names and set(names_of(X) or names) != {*names}:
            # Columns that the model does not read may be absent, and others be there.
            part, places, X = _read_columns(schema, X)
            cells_read = X.X if isinstance(X, Table) else Table(only_columns(X, part.names)).X
            all_cells = np.full(
                (len(cells_read), len(names)), np.nan if cells_read.dtype.kind == "f" else None
            )
            all_cells[:, places] = cells_read
            return all_cells
        table = X if isinstance(X, Table) else Table(X, unused=_options(schema, X)["unused"])
        return np.asarray(table.X)
    X = _with_names(schema, X)
    present = names_of(X) or []
    n_rows = len(cells_of(X, present[0]))
    cells = [
        listed(cells_of(X, name)) if name in present else [None] * n_rows
        for name in schema.given_names
    ]
    return np.array(cells, dtype=object).T


def refuse_missing(schema: Schema, columns: list[Column]) -> None:
    """Refuse missing cells by column and row (an undeclared label counts as missing)."""
    for name, column in zip(schema.names, columns, strict=True):
        gone = column.is_missing
        if gone.any():
            raise ValueError(
                f"Input X contains NaN: column {name!r}, row {int(gone.argmax())} is missing, and "
                "the model was made with "
                f"missing='error'; impute it, or fit with {argument('missing', 'mode')} or "
                f"{argument('missing', 'branch')}"
            )


def _converted(
    schema: Schema, table: Table, handle_unknown: str, places: Sequence[int] | None = None
) -> list[Column]:
    """Columns of a Table with the kinds of the schema, in its order; those at `places`, or all."""
    places = range(len(schema.names)) if places is None else places
    signs = dict(schema.file_cells.signs)
    for name, sign in table.file_cells.signs:
        if signs.get(name, sign) != sign:
            raise ValueError(
                f"column {name!r} has numbers with the sign {sign!r}, but with {signs[name]!r} "
                "when the model was fitted: convert them"
            )
    return [
        _coded(column, schema.levels[j], handle_unknown)
        if schema.nominal[j]
        else _number(column, schema.file_cells.decimal)
        for j, column in zip(places, matched(schema, table, places), strict=True)
    ]


def labelled(schema: Schema, X: Any, y: MaybeArray = None) -> Table:
    """Labelled rows as a Table with the declared levels and classes; numbers are not changed.

    A model without classes predicts a number, and the target of the Table is one.

    Raises:
        ValueError: no labels, or a label that is not a class of the model.
    """
    task: Task = "classification" if schema.classes else "regression"
    X, y = with_labels(schema, X, y, task)
    if isinstance(X, Table) and y is None:
        table = X.with_dates(_dates_of(schema, X))
    else:
        X = _with_names(schema, X)
        table = Table.from_any(X, y, task=task, **_options(schema, X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows_for has warned of undeclared labels
        converted = _converted(schema, table, "missing")
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


def own_columns(schema: Schema, table: Table, *named: Any) -> Table:
    """The Table of a file without the columns that the model does not have, if it has those that
    the model reads; names among `named` stay, too."""
    columns = table.feature_names
    expected = {*schema.names, schema.target, *(one for one in named if isinstance(one, str))}
    extra = [name for name in columns if name not in expected]
    dates = schema.date_parts
    read = {dates[n][0] if n in dates else n for n in map(schema.names.__getitem__, schema.read)}
    is_named = table.has_feature_names and schema.has_names and read.issubset(columns)
    return table.drop(*extra) if is_named and 0 < len(extra) < len(columns) else table


def with_labels(
    schema: Schema, X: Any, y: Any, task: Task, *named: Any, as_given: bool = False
) -> tuple[Any, Any]:
    """X and y of a fitted model with names resolved; files are read as its training rows were, and
    without y their target is the column of that name. `named`: as in `own_columns`."""
    is_file = isinstance(X, str | os.PathLike)
    options: dict[str, Any] = {"as_given": as_given, "missing": schema.file_cells}
    read = (
        given_to(schema.target, X, task, **options) if y is None else given(X, y, task, **options)
    )
    X, y = without_target(schema, *read)
    return own_columns(schema, X, *named) if is_file else X, y


def without_target(schema: Schema, X: Any, y: Any) -> tuple[Any, Any]:
    """X without a column of the name of the target, which is y where that is None."""
    names = None if isinstance(X, Table) else names_of(X)
    if names is None or schema.target in schema.names or names.count(schema.target) != 1:
        return X, y
    X, labels = without_column(X, schema.target)
    return X, labels if y is None else y


def _options(schema: Schema, X: Any) -> dict[str, Any]:
    """Options by which a Table of X gets the kinds of the schema's columns: of what has too few or
    too many, which is refused where columns are counted, none."""
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
    """Number of columns of rows without names of columns."""
    shape: Any = getattr(X, "shape", ())
    if len(shape) == 2:
        return int(shape[1])
    row = X[0] if isinstance(X, list | tuple) and X else ()
    return len(row) if hasattr(row, "__len__") else 0


def _dates_of(schema: Schema, X: Any) -> dict[str, Any]:
    """The columns of dates of the model of which X has not year, month and weekday, but dates."""
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
                f"dates={{{name!r}: {str(trained)!r}}}"
            )
    return {
        name: date_format
        for name, date_format in for_other_rows(schema.dates).items()
        if name in names and not set(part_names([name])).issubset(names)
    }


def _with_names(schema: Schema, X: Any) -> Any:
    """Rows of a model of dates as columns with its names, if they have none."""
    if not schema.dates or names_of(X) is not None or isinstance(X, Table):
        return X
    rows = X if isinstance(X, np.ndarray) else list(X)
    if not len(rows) or not isinstance(rows[0], list | tuple | np.ndarray):
        return X  # refused where columns are read
    check_count(schema, len(rows[0]))
    columns = rows.T if isinstance(rows, np.ndarray) else zip(*rows, strict=True)
    return {name: list(cells) for name, cells in zip(schema.given_names, columns, strict=True)}


def check_count(schema: Schema, n_features: int) -> None:
    """Refuse a wrong number of features, with scikit-learn's message."""
    expected = len(schema.given_names)
    if n_features != expected:
        raise ValueError(
            f"X has {n_features} features, but {schema.owner} is expecting {expected} features as "
            "input."
        )


def check_table(schema: Schema, table: Table) -> None:
    """Refuse a Table with another number of features than the model has."""
    check_count(schema, table.n_features - len(part_names(table.dates)))


def check_readable(schema: Schema, table: Table) -> None:
    """Refuse a column of a file that the model reads, and of which a Table has no cells."""
    for j in schema.read:
        name, kind = schema.names[j], "nominal" if schema.nominal[j] else "numeric"
        if table.has_feature_names and name in table.unused and not schema.unused[j]:
            raise TypeError(
                f"column {name!r} was {kind} when the model was fitted, but is now left out "
                f"({table.unused[name]}); give cells of that kind"
            )


def refuse_infinity(schema: Schema, X: np.ndarray) -> None:
    """Refuse infinite cells by column and row."""
    with np.errstate(over="ignore", invalid="ignore"):
        if X.flags.contiguous:  # a finite sum of squares, the fastest pass over numbers
            flat = X.ravel(order="K")
            total = np.dot(flat, flat)
        else:
            total = X.sum(dtype=np.float64)
    if np.isfinite(total) or not np.isinf(X).any():
        return
    row, column = np.argwhere(np.isinf(X))[0]
    raise ValueError(infinity_message(schema.names[column], int(row), X[row, column]))


def _is_text(cells: Any) -> bool:
    """Whether the first of some cells that has a value is a text, which `_number` reads."""
    if getattr(getattr(cells, "dtype", None), "kind", "O") not in "OUT":
        return False
    try:
        some = listed(cells[:LOOKED_AT])
    except TypeError:  # no column, which the Table refuses by name
        return False
    return isinstance(next((cell for cell in some if not is_missing(cell)), None), str)


def matched(schema: Schema, table: Table, places: Sequence[int]) -> list[Column]:
    """Columns of a Table at some places of the schema; unused ones are empty."""
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
        unused_column(schema.names[j], len(table)) if schema.unused[j] else table.column(indices[j])
        for j in places
    ]


def check_names(schema: Schema, given: list[str], places: Sequence[int] | None = None) -> None:
    """Refuse names that are not those of the schema and its target, in any order; columns that are
    unused, or not at the given places (None: all), may be absent. What pandas calls "Unnamed: 0",
    the index of a file that `DataFrame.to_csv` has written, may be there."""
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
    """Names as scikit-learn lists them, one per line; in the shell on the same line."""
    return worded("".join(f"\n- {n}" for n in names[:20]), f" {shorten(names, 20)}.")


def _number(column: Column, decimal: str | None) -> Column:
    """A column as numbers, texts by the decimal mark of the model; an empty one becomes NaN, labels
    are refused."""
    column = with_numbers(column, ",", decimal, None)
    if column.kind == "numeric":
        return column
    if column.n_missing == len(column):
        return Column(column.name, "numeric", np.full(len(column), np.nan))
    codes = np.asarray(column.values)
    not_a_number = np.isin(codes, no_numbers(column.levels or ()))
    row = int(np.flatnonzero(not_a_number if not_a_number.any() else codes >= 0)[0])
    hint = dressed_as(column.levels or ()) or without_words(column.levels or ())
    cells = worded(
        "(or NaN for missing)", "(--missing TEXT: a text of the file that means missing)"
    )
    raise TypeError(
        f"column {column.name!r} was numeric when the model was fitted, but {row_word(row)} holds "
        f"{column.labels()[row]!r}; {hint[1] if hint else f'give numbers {cells}'}"
    )


def _coded(column: Column, levels: tuple[Any, ...], handle_unknown: str) -> Column:
    """A column as codes of the declared levels, -1 for missing and undeclared ones."""
    # The column's own levels and codes; the levels of numbers are their distinct values.
    if column.kind == "numeric":
        values = column.values
        distinct = np.unique(values[~np.isnan(values)])
        labels: Sequence[Any] = distinct.tolist()
        codes = np.where(np.isnan(values), -1, np.searchsorted(distinct, values)).astype(np.int32)
    else:
        labels, codes = column.levels or (), np.asarray(column.values, dtype=np.int32)
    # Whole numbers are floats beside missing cells: 3.0 is the level 3, or "3".
    plain = [
        int(v) if isinstance(v, float) and v.is_integer() else _engine.plain(v) for v in labels
    ]
    labels = tuple(as_declared(plain, levels))
    if labels == levels:
        return Column(column.name, "nominal", codes, levels)
    # Map own codes to declared ones; the last entry is for -1, missing. Codes such as 01 and 10 are
    # text where some have a leading zero, and numbers in a file of rows without these.
    code_of = {level: j for j, level in enumerate(levels)}
    places = [code_of.get(v, code_of.get(str(v), -1)) for v in labels]
    declared = np.array([*places, -1], dtype=np.int32)
    rows = np.flatnonzero((declared[codes] < 0) & (codes >= 0))
    if len(rows):
        unseen = [labels[code] for code in np.unique(codes[rows])]
        what, first = f"{len(unseen)} level(s)", (int(rows[0]), labels[codes[rows[0]]])
        _report_unseen(column.name, what, unseen, levels, first, handle_unknown=handle_unknown)
    return Column(column.name, "nominal", declared[codes], levels)


def as_declared(labels: Any, declared: Sequence[Any]) -> Any:
    """Labels; where only true and false are declared, those that differ in case or type from these
    (``False``, ``"false"``, ``"FALSE"``) as they are declared.

    Examples:
        >>> as_declared(["true", "FALSE", "no"], (False, True)), as_declared(["A"], ("a", "b"))
        ([True, False, 'no'], ['A'])
    """
    truths = _truths(declared)
    return [truths.get(str(label).lower(), label) for label in labels] if truths else labels


def _truths(declared: Sequence[Any]) -> dict[str, Any]:
    """The declared labels by their words, if these are true and false; else nothing."""
    words = {str(label).lower(): label for label in declared[:3]}
    return words if len(declared) < 3 and words.keys() <= {"false", "true"} else {}


def _report_unseen(
    name: str, what: str, unseen: list[Any], levels: Any, first: Any, *, handle_unknown: str
) -> None:
    """Warn of undeclared levels, or refuse them.

    Args:
        name: name of the column.
        what: number of levels or cells, as text.
        unseen: some of the levels.
        levels: the declared ones.
        first: the first row with such a level, and its cell.
        handle_unknown: "missing" warns, "error" refuses.
    """
    text = ", ".join(repr(v) for v in unseen[:8]) + (", ..." if len(unseen) > 8 else "")
    fault = f"column {name!r} holds {what} that were not declared when the model was fitted: {text}"
    fault += f" (declared: {shorten(levels, 4)})"
    if handle_unknown == "error":
        raise ValueError(
            f"{fault}; the first is {first[1]!r} in row {first[0]}; drop or recode these rows, or "
            "choose handle_unknown='missing'"
        )
    warn_caller(fault + "; they are treated as missing", UserWarning)


def _long_text_coded(schema: Schema, X: Any, handle_unknown: str) -> Any:
    """X with its text columns as codes of the model, if it has more rows than `MAX_LEVELS`.

    Such columns may have more levels than a Table allows. Other X are returned unchanged.
    """
    is_array = isinstance(X, np.ndarray) and X.ndim == 2
    if not any(schema.nominal) or not (isinstance(X, Mapping) or is_array or hasattr(X, "columns")):
        return X
    if not isinstance(X, Mapping) and len(X) <= MAX_LEVELS:
        return X
    names: list[Any] = schema.names
    if isinstance(X, Mapping):
        names, columns = list(X), list(X.values())
    elif is_array:
        columns = list(X.T) if X.dtype.kind in "OUT" else []
    else:
        names = list(getattr(X, "column_names", getattr(X, "columns", ())))
        columns = [X[name] for name in names] if len(set(names)) == len(names) else []
    is_complete = len(columns) == len(names) == len(schema.names)
    if not is_complete or any(map(is_single, columns)) or len(columns[0]) <= MAX_LEVELS:
        return X
    if not all(isinstance(name, str) for name in names):
        return X
    by_name = {name: j for j, name in enumerate(schema.names)}
    coded = {}
    for j, (name, cells) in enumerate(zip(names, columns, strict=True)):
        feature = by_name.get(name, j) if schema.has_names else j
        levels = schema.levels[feature]
        is_text = schema.nominal[feature] and all(isinstance(v, str) for v in levels)
        is_text = is_text and not _truths(levels)
        coded[name] = _known_codes(name, cells, levels, handle_unknown) if is_text else cells
    return coded


def _known_codes(name: str, cells: Any, levels: tuple[Any, ...], handle_unknown: str) -> Column:
    """Cells as codes of the declared levels, without a table of the values in the cells."""
    values = listed(cells)
    code_of = {level: code for code, level in enumerate(levels)}
    codes = np.fromiter((code_of.get(v, -1) for v in values), dtype=np.int32, count=len(values))
    unknown = np.flatnonzero(codes < 0).tolist()
    unseen = [row for row in unknown if type(values[row]) is str or not is_missing(values[row])]
    if unseen:
        some = list(dict.fromkeys(values[row] for row in unseen[:9]))
        what, first = f"{len(unseen):,} cell(s) of levels", (unseen[0], values[unseen[0]])
        _report_unseen(name, what, some, levels, first, handle_unknown=handle_unknown)
    return Column(name, "nominal", codes, levels)


def weighted_rows(table: Table, sample_weight: MaybeArray) -> tuple[Table, np.ndarray | None]:
    """The rows with a weight above 0, and their weights (None: all 1)."""
    weights = own_weights(table, sample_weight)
    if weights is None:
        return table, None
    check_weights(weights)
    if not weights.any():
        raise ValueError("all sample weights are zero: nothing is left to learn from")
    if weights.all():
        return table, weights
    rows = np.flatnonzero(weights)
    return table.take(rows), weights[rows]
