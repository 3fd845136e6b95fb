"""``(frame, "column")``: the column of X that y names becomes the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .sources import cells_of, refuse_lazy, unknown_name


def without_column(X: Any, name: str, what: str = "y") -> tuple[Any, Any]:
    """X without the column that holds the target, and this column.

    Args:
        X: a frame, a mapping, a record array or a Table.
        name: the column.
        what: the parameter that names it, for errors.
    """
    if isinstance(X, Mapping):
        _check_column(name, [str(k) for k in X], what)
        key = next(k for k in X if str(k) == name)
        return {k: v for k, v in X.items() if k != key}, X[key]
    is_table = hasattr(type(X), "target_column")  # a frame's columns are attributes, too
    if is_table and X.target == name:
        return X, None
    if is_table:
        _check_column(name, X.feature_names, what)
        raise ValueError(
            f"X is a Table with the target {X.target!r}: to predict the column {name!r} make "
            f"Table(table.to_frame(), target={name!r})"
        )
    names = getattr(getattr(X, "dtype", None), "names", None)
    if names:
        return without_column({n: X[n] for n in names}, name, what)
    frame = _frame(X)
    if frame is None:
        raise ValueError(
            f"{what}={name!r}: a name is a column of X when X is a frame or a mapping; X is a "
            f"{type(X).__name__} without column names, so {what} must be an array"
        )
    columns = [str(c) for c in frame.columns]
    _check_column(name, columns, what)
    column = frame[name]
    native = column.to_native()
    # An array of Arrow has no name; narwhals' series keeps it, for the target is named after it.
    return frame.drop(name).to_native(), native if hasattr(native, "name") else column


def only_columns(X: Any, names: Sequence[str]) -> Any:
    """Some columns of a frame, a mapping or a record array."""
    frame = None if isinstance(X, Mapping) else _frame(X)
    if frame is not None:
        return frame.select(names).to_native()
    return {name: cells_of(X, name) for name in names}


def _frame(X: Any) -> Any:
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    refuse_lazy(frame, X)
    return frame if isinstance(frame, nw.DataFrame) else None


def _check_column(name: str, names: list[str], what: str) -> None:
    if name not in names:
        raise ValueError(
            f"{what}={name!r} is not a column of X. {unknown_name(name, names, 'column')}"
        )
