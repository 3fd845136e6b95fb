"""Replacing columns of a data frame of any library by `Column` objects.

What
    Transformers return frames of the library that they were given: pandas, Polars, Arrow or any
    other that narwhals reads. Numeric columns become float64, nominal ones the library's
    categorical type with all declared levels (pandas Categorical, Polars Enum, Arrow dictionary),
    from which `Table` reads them again.
Complexity
    O(rows) for each replaced column; the others are shared, not copied.
When not to use it
    For NumPy arrays and Tables, which have no types of their own to keep.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .columns import Column


def is_frame(X: Any) -> bool:
    """Whether X is an eager data frame of a library that narwhals reads. Arrays, lists and mappings
    are ruled out without importing narwhals; lazy frames are none.

    Examples:
        >>> import pandas as pd
        >>> is_frame(pd.DataFrame({"a": [1]})), is_frame([[1]])
        (True, False)
    """
    if isinstance(X, (np.ndarray, list, tuple, Mapping)):
        return False
    import narwhals as nw

    return isinstance(nw.from_native(X, pass_through=True), nw.DataFrame)


def renamed(X: Any, names: Sequence[str] | None) -> Any:
    """A frame like X under other names of its columns; None, or its own names: X itself.

    Examples:
        >>> import pandas as pd
        >>> renamed(pd.DataFrame({"a": [1], "b": [2]}), ["x0", "x1"]).columns.tolist()
        ['x0', 'x1']
    """
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    if names is None or list(frame.columns) == list(names):
        return X
    return frame.rename(dict(zip(frame.columns, names, strict=True))).to_native()


def replace_columns(X: Any, columns: Mapping[int, Column]) -> Any:
    """A frame like X whose columns at the given positions are new; names, order and index stay.

    Examples:
        >>> import pandas as pd
        >>> import numpy as np
        >>> new = Column("a", "nominal", np.array([1, -1], dtype=np.int32), ("low", "high"))
        >>> replace_columns(pd.DataFrame({"a": [3.0, None], "b": [1, 2]}), {0: new})["a"].tolist()
        ['high', nan]
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        frame = X.copy(deep=False)
        for j, column in columns.items():
            frame.isetitem(j, pandas_values(column, pandas))
        return frame
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    series = [_series(columns[j], frame, nw) for j in columns]
    return frame.with_columns(*series).to_native() if series else X


def fill_labels(X: Any, columns: Mapping[int, tuple[Column, Any]]) -> Any:
    """A frame like X whose missing labels at the given positions are filled, in the type they have.

    Args:
        X: the frame.
        columns: position -> (the filled column, the label that fills). The column itself is used,
            as an ordered categorical, where the frame's own type cannot hold the label.

    Examples:
        >>> import pandas as pd
        >>> import numpy as np
        >>> full = Column("a", "nominal", np.array([0, 0], dtype=np.int32), ("x",))
        >>> fill_labels(pd.DataFrame({"a": ["x", None]}), {0: (full, "x")})["a"].tolist()
        ['x', 'x']
    """
    pandas = sys.modules.get("pandas")
    for j, (column, label) in columns.items():
        if pandas is not None and isinstance(X, pandas.DataFrame):
            series, X = X.iloc[:, j], X.copy(deep=False)
            categories = getattr(series.dtype, "categories", None)
            keeps_dtype = (categories is None and series.notna().any()) or (
                categories is not None and label in categories
            )
            kept = series.where(series.notna(), label) if keeps_dtype else None
            X.isetitem(j, pandas_values(column, pandas) if kept is None else kept)
            continue
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        if frame[column.name].dtype in (nw.String, nw.Boolean):
            X = frame.with_columns(frame[column.name].fill_null(label)).to_native()
        else:
            X = replace_columns(X, {j: column})
    return X


def pandas_values(column: Column, pandas: Any) -> Any:
    """The cells of a column as pandas holds them: an array of numbers, or a Categorical with all
    declared levels, ordered if the column is. Missing cells are NaN. `pandas` is the imported
    module."""
    if column.kind == "numeric":
        return column.values
    categories = pandas.Index(list(column.levels or ()), dtype=None if column.levels else object)
    return pandas.Categorical.from_codes(
        column.values.astype(np.int32), categories=categories, ordered=column.ordered
    )


def _series(column: Column, frame: Any, nw: Any) -> Any:
    backend = nw.get_native_namespace(frame)
    if backend.__name__ == "pyarrow":
        return nw.from_native(_arrow(column, backend), series_only=True).alias(column.name)
    if column.kind == "numeric":
        cells = [None if v != v else v for v in column.values.tolist()]  # noqa: PLR0124  (NaN)
        return nw.new_series(column.name, cells, nw.Float64, backend=backend)
    levels = list(column.levels or ())
    if all(isinstance(level, str) for level in levels):
        return nw.new_series(
            column.name, column.labels().tolist(), nw.Enum(levels), backend=backend
        )
    return nw.new_series(column.name, column.labels().tolist(), backend=backend)


def _arrow(column: Column, pyarrow: Any) -> Any:
    if column.kind == "numeric":
        values = column.values.astype(np.float64, copy=False)
        return pyarrow.chunked_array([pyarrow.array(values, mask=np.isnan(values))])
    codes = column.values.astype(np.int32)
    indices = pyarrow.array(codes, mask=codes < 0)
    levels = pyarrow.array(list(column.levels or ()))
    return pyarrow.chunked_array(
        [pyarrow.DictionaryArray.from_arrays(indices, levels, ordered=True)]
    )
