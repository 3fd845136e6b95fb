"""What callers give as (X, y): names of data sets and of target columns become rows and labels.

``"iris"`` (a bundled set), ``"data.csv"`` (a file) and ``(frame, "column")`` are taken wherever a
`Table` or (X, y) is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .sources import unknown_name

__all__ = ["given", "loaded"]


def loaded(X: Any) -> Any:
    """X itself, or the Table of a data set or file that it names; rows without a class are left
    out, with a warning."""
    if not isinstance(X, (str, os.PathLike)):
        return X
    from ..datasets import load

    return load(X).drop_missing_target()


def given(X: Any, y: Any) -> tuple[Any, Any]:
    """X and y with names resolved: a data set or file instead of X, a column of X instead of y.

    Raises:
        FileNotFoundError: a name that is neither a bundled data set nor a file.
        ValueError: y names no column of X, or X has no names.

    Examples:
        >>> given({"a": [1, 2], "b": ["x", "y"]}, "b")
        ({'a': [1, 2]}, ['x', 'y'])
    """
    if isinstance(X, (str, os.PathLike)):
        if isinstance(y, str):
            from ..datasets import load

            return load(X, target=y).drop_missing_target(), None
        if y is not None:
            raise ValueError(
                f"X={os.fspath(X)!r} names a data set, which brings its classes: y is the name of "
                "its target column, or None"
            )
        return loaded(X), None
    return _without_column(X, y) if isinstance(y, str) else (X, y)


def _without_column(X: Any, name: str) -> tuple[Any, Any]:
    """X without the column that holds the target, and this column."""
    if isinstance(X, Mapping):
        _check_column(name, [str(k) for k in X])
        key = next(k for k in X if str(k) == name)
        return {k: v for k, v in X.items() if k != key}, X[key]
    if getattr(X, "target", None) == name and hasattr(X, "target_column"):
        return X, None  # a Table whose target has this name
    if hasattr(X, "target_column"):
        _check_column(name, X.feature_names)
        raise ValueError(
            f"X is a Table with the target {X.target!r}: to predict the column {name!r} make "
            f"Table(table.to_frame(), target={name!r})"
        )
    names = getattr(getattr(X, "dtype", None), "names", None)
    if names:
        return _without_column({n: X[n] for n in names}, name)
    frame = _frame(X)
    if frame is None:
        raise ValueError(
            f"y={name!r}: a name is a column of X when X is a frame or a mapping; X is a "
            f"{type(X).__name__} without column names, so y must be an array of labels"
        )
    columns = [str(c) for c in frame.columns]
    _check_column(name, columns)
    return frame.drop(name).to_native(), frame[name].to_native()


def _frame(X: Any) -> Any:
    import narwhals as nw

    found = nw.from_native(X, pass_through=True)
    return found if isinstance(found, nw.DataFrame) else None


def _check_column(name: str, names: list[str]) -> None:
    if name not in names:
        raise ValueError(f"y={name!r} is not a column of X. {unknown_name(name, names, 'column')}")
