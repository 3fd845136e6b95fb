"""Arguments that may name a column of X: labels, weights, groups, exposures.

`fit(frame, "price")` and `cross_validate(frame, y, groups="patient")` name a column instead of
giving an array. `pop_column` takes the column out of X, `pop_if_named` does so only if the argument
is a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._checks.words import argument
from .sources import cells_of, check_column, refuse_lazy


def pop_if_named(X: Any, values: Any, parameter: str) -> tuple[Any, Any]:
    """X without the column that an argument names, and the cells of that column.

    Args:
        X: a Table, a frame, a mapping of columns or a record array.
        values: the name of a column; any other value is returned as it is, together with X.
        parameter: name of the argument, for errors.

    Raises:
        ValueError: the name is no column of X, or it is the target of the Table.

    >>> pop_if_named({"a": [1, 2], "site": ["x", "y"]}, "site", "groups")
    ({'a': [1, 2]}, ['x', 'y'])
    """
    if not isinstance(values, str):
        return X, values
    if not _is_table(X):
        return pop_column(X, values, parameter)
    if values == X.target:
        raise ValueError(f"{argument(parameter, values)} is the target; name another column")
    check_column(values, X.feature_names, parameter)
    return X.drop(values), X.column(values).labels()


def pop_column(X: Any, name: str, parameter: str = "y") -> tuple[Any, Any]:
    """X without a column, and the cells of that column.

    Names are compared as texts. The type of X stays, except that a record array becomes a mapping.

    Args:
        X: a frame, a mapping of columns or a record array; or a Table whose target is `name`; the
            target stays in it.
        name: name of the column.
        parameter: name of the argument that names it, for errors.

    Raises:
        ValueError: X has no column of this name, or no names at all.
    """
    if isinstance(X, Mapping):
        check_column(name, [str(key) for key in X], parameter)
        own_key = next(key for key in X if str(key) == name)
        return {key: cells for key, cells in X.items() if key != own_key}, X[own_key]
    if _is_table(X):
        if X.target == name:
            return X, None
        check_column(name, X.feature_names, parameter)
        raise ValueError(
            f"X is a Table with the target {X.target!r}: to predict the column {name!r} make "
            f"Table(table.to_frame(), target={name!r})"
        )
    if names := getattr(getattr(X, "dtype", None), "names", None):
        return pop_column({field: X[field] for field in names}, name, parameter)
    frame = _narwhals_frame(X)
    if frame is None:
        raise ValueError(
            f"{parameter}={name!r}: a name is a column of X when X is a frame or a mapping; X is a "
            f"{type(X).__name__} without column names, so {parameter} must be an array"
        )
    check_column(name, [str(column) for column in frame.columns], parameter)
    column = frame[name]
    native = column.to_native()
    # An array of Arrow has no name; narwhals' series keeps it, for the target is named after it.
    return frame.drop(name).to_native(), native if hasattr(native, "name") else column


def select_columns(X: Any, names: Sequence[str]) -> Any:
    """Some columns of X in the order of `names`: a frame of the same library, or a mapping from
    names to cells if X is a mapping or a record array. Other columns are not read.

    Raises:
        ValueError: a name that is no column of a mapping or a record array.
    """
    frame = None if isinstance(X, Mapping) else _narwhals_frame(X)
    if frame is not None:
        return frame.select(names).to_native()
    return {name: cells_of(X, name) for name in names}


def _is_table(X: Any) -> bool:
    """Whether X is a `Table`, whose module imports this one; a frame's own columns are attributes
    of the frame, not of its type."""
    return hasattr(type(X), "target_column")


def _narwhals_frame(X: Any) -> Any:
    """X as a data frame of narwhals; None if X is no data frame."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    refuse_lazy(frame, X)
    return frame if isinstance(frame, nw.DataFrame) else None
