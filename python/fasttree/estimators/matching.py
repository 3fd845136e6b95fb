"""Matching of the columns of new rows with the columns of a model.

What
    `matched` finds the columns of a Table by name if the rows and the model have names, else by
    position. The checks refuse another number of columns, names that are missing or unknown, and
    columns that a Table has left out though the model reads them.
Complexity
    O(columns).
"""

from __future__ import annotations

from collections.abc import Sequence

from .._checks.words import worded
from ..table import Table
from ..table.columns import Column, placeholder_column, shorten
from ..table.dates import part_names
from .schema import Schema


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


def check_names(schema: Schema, given: list[str], places: Sequence[int] | None = None) -> None:
    """Raise scikit-learn's ValueError for names that are missing or unknown.

    The target may be among the names, and "Unnamed: 0", which pandas calls the index of a file that
    `DataFrame.to_csv` has written.

    Args:
        schema: the columns of the model.
        given: names of the columns of the rows, in any order.
        places: numbers of the columns that must be there if the model uses them; None: all.
    """
    expected = {*schema.names, schema.target}
    present = set(given)
    read = range(len(schema.names)) if places is None else places
    date_of = {part: name for part, (name, _) in schema.date_parts.items()}
    needed = [schema.names[j] for j in read if not schema.unused[j]]
    absent = [date_of.get(name, name) for name in needed if name not in present]
    missing = [name for name in dict.fromkeys(absent) if name not in present]
    extra = [name for name in given if name not in expected and name != "Unnamed: 0"]
    # Parquet may hold dates where the model reads nothing.
    parts = {*part_names(schema.names)} if extra else set()
    extra = [name for name in extra if name not in parts]
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
