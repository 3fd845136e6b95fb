"""Reading X: arrays, lists of rows, mappings, and frames of pandas, Polars or Arrow.

What
    `read_source(X)` returns one 2-D block (a numeric array) or a list of columns. A column is a 1-D
    NumPy array or, if the frame declares levels (pandas Categorical, Polars Enum, Arrow
    dictionary), a nominal `Column`. Frames other than pandas are read through narwhals, which is
    imported with the first of them.
Decisions
    A pandas Categorical, an Enum and an ordered Arrow dictionary keep their declared order. A
    Polars Categorical keeps only the strings that occur, sorted (its category pool is global and
    first-seen). An unordered Arrow dictionary keeps all its strings, sorted. Otherwise the order of
    the rows would show.
Complexity
    O(cells); a frame of floats without nulls is taken over as one block.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._checks import is_missing, shown
from .._checks.mapped import check_mapped
from .._checks.naming import did_you_mean
from .._checks.words import argument, counted, option, worded
from .columns import (
    Column,
    codes_of,
    datetime_message,
    make_levels,
    placeholder_column,
    shorten,
)
from .exact_integers import any_inexact, float_of_integers, is_inexact

Cells = np.ndarray | Column


@dataclass(slots=True)
class Source:
    """X as a block or as columns.

    A block is kept as it is, so that a large array is not copied. `pop_target` and
    `select_or_rename` change the object in place.

    Attributes:
        n_rows, n_columns: shape of X.
        names: names of the columns; None if X has none.
        block: numbers, shape (n_rows, n_columns); None if `cells` holds the columns.
        cells: the columns, each of shape (n_rows,); None if `block` holds them.
    """

    n_rows: int
    n_columns: int
    names: list[str] | None = None
    block: np.ndarray | None = None
    cells: list[Cells] | None = None

    def column(self, j: int) -> Cells:
        """The cells of the column at position `j`, counted from 0: a view of the block, or the
        cells as the user gave them. The caller must not change them."""
        if self.block is not None:
            return self.block[:, j]
        assert self.cells is not None
        return self.cells[j]


def read_source(X: Any, unused: Collection[str] = ()) -> Source:
    """X as a block or as columns.

    Arrays keep their types, and `Table` makes columns of them; only columns whose type declares
    levels are coded here.

    Args:
        X: anything that `Table` takes.
        unused: names of columns whose cells are not read.

    Raises:
        TypeError: sparse input, lazy frames, columns of dates, nested lists of unequal depth.
        ValueError: not 2-D, complex, rows of unequal length, duplicate names.
    """
    if isinstance(X, np.ma.MaskedArray):
        if X.dtype.kind in "iu" and X.ndim == 2:
            X = np.ma.array(float_of_integers(np.ma.filled(X, 0), str), mask=X.mask)
        X = (
            np.ma.filled(X.astype(np.float64), np.nan)
            if X.dtype.kind in "iuf"
            else np.ma.filled(X.astype(object), None)
        )
    if isinstance(X, np.ndarray):
        return _from_array(check_mapped(X), unused)
    if _is_sparse(X):
        raise TypeError(
            "Sparse data was passed, but dense data is required: fasttree reads every cell. "
            "Use X.toarray() to convert it to a dense numpy array"
        )
    if isinstance(X, Mapping):
        return _from_mapping(X, unused)
    if isinstance(X, (list, tuple)):
        return _from_rows(list(X))
    if isinstance(X, (str, bytes)) or np.isscalar(X) or X is None:
        raise ValueError(
            f"Expected 2D array, got scalar array instead: array={shown(X)}. X is an array, a "
            f"frame or a list of rows (to read a file use fasttree.datasets.load)"
        )
    frame = _from_frame(X, unused)
    return frame if frame is not None else _from_array(np.asarray(X))


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "toarray") and (
        hasattr(X, "nnz") or type(X).__module__.startswith("scipy.sparse")
    )


def check_names(names: list[str]) -> list[str]:
    """Return the names of columns, or refuse duplicate ones.

    A duplicate name would make results by name ambiguous.

    Raises:
        ValueError: naming the first name that occurs twice, and its positions.
    """
    if len(set(names)) != len(names):
        double = next(name for name, n in Counter(names).items() if n > 1)
        places = [i for i, n in enumerate(names) if n == double]
        raise ValueError(
            f"duplicate column names: {double!r} names the columns {places}; rename all but one"
        )
    return names


def _not_2d(shape: tuple[int, ...], scalar: str = "") -> ValueError:
    if len(shape) == 0:
        return ValueError(
            f"Expected 2D array, got scalar array instead: {scalar}. X needs rows and columns"
        )
    if len(shape) == 1:
        return ValueError(
            f"Expected 2D array, got 1D array instead, of length {shape[0]}. Reshape your data "
            "either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    return ValueError(
        f"Found array with dim {len(shape)}, X expected <= 2. Reshape your data to (rows, features)"
    )


def _from_array(X: np.ndarray, unused: Collection[str] = ()) -> Source:
    if X.dtype.names and X.ndim == 1:
        return _from_mapping({name: X[name] for name in X.dtype.names}, unused)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: pass real and imaginary parts as two columns")
    if X.ndim != 2:
        raise _not_2d(X.shape, shown(X.item()) if X.ndim == 0 else "")
    if X.dtype.kind in "fiu":
        return Source(X.shape[0], X.shape[1], block=X)
    return Source(X.shape[0], X.shape[1], cells=[X[:, j] for j in range(X.shape[1])])


def _object_array(cells: list[Any]) -> np.ndarray:
    return np.fromiter(cells, dtype=object, count=len(cells))


def array_from_list(cells: Any) -> np.ndarray:
    """A 1-D array from a list: float, int, bool or str dtype when all cells are of one such type,
    else object.

    Examples:
        >>> array_from_list([1, 2.5]).dtype.kind, array_from_list(["a", None]).dtype.kind
        ('f', 'O')
    """
    cells = list(cells)
    types = set(map(type, cells))
    if types and types <= {int, float}:
        try:
            if float in types and any(map(is_inexact, cells)):
                return _object_array(cells)
            return np.array(cells, dtype=np.float64 if float in types else np.int64)
        except OverflowError:
            return _object_array(cells)
    if types == {bool}:
        return np.array(cells, dtype=bool)
    return _object_array(cells)


def is_single_value(cells: Any) -> bool:
    """Whether a value of a mapping is one cell, not a column. A text is one cell, though it has a
    length, and so is an array without dimensions.

    >>> is_single_value("text"), is_single_value(np.array(1.0)), is_single_value([1.0])
    (True, True, False)
    """
    if isinstance(cells, str):
        return True
    return not hasattr(cells, "__len__") or getattr(cells, "ndim", 1) == 0


def _from_mapping(X: Mapping[Any, Any], unused: Collection[str]) -> Source:
    names = check_names([str(n) for n in X])
    cells: list[Cells] = []
    for name, values in zip(names, X.values(), strict=True):
        _refuse_single(name, values)
        column = (
            placeholder_column(name, len(values)) if name in unused else one_column(name, values)
        )
        if cells and len(column) != len(cells[0]):
            raise ValueError(
                f"column {name!r} has {counted(len(column), 'row')} but column {names[0]!r} has "
                f"{len(cells[0])}; all columns need the same length"
            )
        cells.append(column)
    return Source(len(cells[0]) if cells else 0, len(cells), names, cells=cells)


def _refuse_single(name: str, cells: Any) -> None:
    """Refuse a mapping of one row's cells where columns are wanted."""
    if not is_single_value(cells):
        return
    value = cells.item() if hasattr(cells, "item") else cells
    raise ValueError(
        f"column {name!r} holds the single value {shown(value)}, and a mapping has columns: give "
        f"lists, {{{name!r}: [{shown(value)}], ...}}, or of one row pandas.DataFrame([row])"
    )


def _from_rows(rows: list[Any]) -> Source:
    # Rows that are arrays of numbers of one length are one block.
    if not rows:
        raise _not_2d((0,))
    if all(
        isinstance(row, np.ndarray) and row.ndim == 1 and row.dtype.kind in "fiu" for row in rows
    ) and (len({row.shape for row in rows}) == 1):
        return _from_array(np.array(rows))
    # All rows must be sequences of one length.
    for i, row in enumerate(rows):
        if isinstance(row, Mapping):
            raise TypeError(
                f"row {i} of X is a mapping; pass a mapping of columns, or pandas.DataFrame(X)"
            )
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
            raise _not_2d((len(rows),))
    width = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ValueError(
                f"row {i} of X has {counted(len(row), 'cell')} but row 0 has {width}; all rows "
                "need the same length "
                "(setting an array element with a sequence: inhomogeneous shape)"
            )
    # Columns of cells, which must be single values.
    cells: list[Cells] = [array_from_list(column) for column in zip(*rows, strict=True)]
    for j, column in enumerate(cells):
        assert isinstance(column, np.ndarray)
        first = column[0]
        if isinstance(first, (list, tuple)) or (isinstance(first, np.ndarray) and first.ndim):
            raise _not_2d((len(rows), width, len(first)))
        if column.dtype.kind == "c" or isinstance(first, complex):
            raise ValueError(
                f"Complex data not supported: column {j}; pass real and imaginary parts as two "
                "columns"
            )
    return Source(len(rows), width, cells=cells)


def _from_frame(X: Any, unused: Collection[str]) -> Source | None:
    """A data frame; None if X is not a frame."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        names = _pandas_names(X.columns)
        kinds = {dtype.kind if isinstance(dtype, np.dtype) else "?" for dtype in X.dtypes}
        if kinds and kinds <= set("fiu"):
            block = X.to_numpy()
            wide = ("int64", "uint64") if block.dtype.kind == "f" and kinds != {"f"} else ()
            if not any(any_inexact(X.select_dtypes(kind).to_numpy()) for kind in wide):
                return Source(X.shape[0], X.shape[1], names, block=block)
        columns = names or [f"x{j}" for j in range(X.shape[1])]
        named = dict(zip(columns, (values for _, values in X.items()), strict=True))
        return replace(_from_mapping(named, unused), n_rows=len(X), names=names)
    if pandas is not None and isinstance(X, pandas.Series):
        message = _not_2d((len(X),))
        raise ValueError(f"{message} One row of a frame is X.iloc[[i]], one column X[[name]].")
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True, allow_series=True)
    refuse_lazy(frame, X)
    if isinstance(frame, nw.Series):
        raise _not_2d((len(frame),))
    if not isinstance(frame, nw.DataFrame):
        return None
    names = check_names(list(frame.columns))
    dtypes = list(frame.schema.values())
    if dtypes and all(dtype == nw.Float64 for dtype in dtypes) and len(frame):
        return Source(*frame.shape, names, block=frame.to_numpy())
    return replace(_from_mapping({n: frame[n] for n in names}, unused), n_rows=len(frame))


def _pandas_names(columns: Any) -> list[str] | None:
    names = list(columns)
    strings = sum(isinstance(n, str) for n in names)
    if strings == 0:
        return None
    if strings < len(names):
        other = next(n for n in names if not isinstance(n, str))
        raise TypeError(
            "Feature names are only supported if all input features have string names, but the "
            "column name "
            f"{other!r} is of type {type(other).__name__}; use X.columns = X.columns.astype(str)"
        )
    return check_names(names)


def one_column(name: str, values: Any) -> Cells:
    """An array, list or series of any library as a 1-D array, or as a nominal Column if its type
    declares levels.

    Raises:
        TypeError: dates, times, durations, lists or structs, naming the column.
    """
    if isinstance(values, Column):
        return values
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(object), None)
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise ValueError(f"column {name!r} has {values.ndim} dimensions; a column is 1-D")
        return values
    if isinstance(values, (list, tuple, range)):
        return array_from_list(values)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(
        values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)
    ):
        is_series = isinstance(values, pandas.Series)
        return _pandas_column(name, values if is_series else pandas.Series(values), pandas)
    import narwhals as nw

    series = nw.from_native(values, pass_through=True, series_only=True)
    if not isinstance(series, nw.Series):
        return one_column(name, np.asarray(values))
    return _narwhals_column(name, series, nw)


def _pandas_column(name: str, series: Any, pandas: Any) -> Cells:
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        levels = make_levels(name, dtype.categories.tolist())
        codes = series.cat.codes.to_numpy().astype(np.int32)
        return Column(name, "nominal", codes, levels, True, bool(dtype.ordered))
    if isinstance(dtype, pandas.SparseDtype):
        raise TypeError(
            f"column {name!r} is sparse; dense data is required: use .sparse.to_dense()"
        )
    if isinstance(dtype, np.dtype):
        return series.to_numpy()
    if pandas.api.types.is_bool_dtype(dtype):
        return _boolean_column(name, series.to_list())
    if pandas.api.types.is_numeric_dtype(dtype):
        if pandas.api.types.is_integer_dtype(dtype):
            return _integers_with_gaps(series.isna().to_numpy(), series.to_numpy(dtype=object))
        wide = np.float32 if str(dtype).lower().startswith("float32") else np.float64
        return series.to_numpy(dtype=wide, na_value=np.nan)
    kind = getattr(dtype, "kind", "O")
    if kind in "mM" or isinstance(dtype, (pandas.PeriodDtype, pandas.DatetimeTZDtype)):
        raise TypeError(datetime_message(name, f"{dtype} values", are_dates=kind != "m"))
    if isinstance(dtype, pandas.StringDtype):
        codes, distinct = pandas.factorize(series)
        return column_from_codes(name, codes, list(distinct))
    if hasattr(dtype, "pyarrow_dtype"):
        import narwhals as nw

        return _narwhals_column(name, nw.from_native(series, series_only=True), nw)
    return series.to_numpy(dtype=object)


def _boolean_column(name: str, cells: list[Any]) -> Cells:
    """A column that a frame declares boolean, which is nominal even without a value."""
    if all(map(is_missing, cells)):
        return Column(name, "nominal", np.full(len(cells), -1, dtype=np.int32), ())
    return array_from_list(cells)


def _integers_with_gaps(missing: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Whole numbers, some of them missing, as floats if these are exact, otherwise as objects."""
    present = cells[~missing]
    if any(map(is_inexact, present)):
        kept = cells.astype(object)
        kept[missing] = None
        return kept
    numbers = np.full(len(cells), np.nan)
    numbers[~missing] = present.astype(np.float64)
    return numbers


def _narwhals_column(name: str, series: Any, nw: Any) -> Cells:
    dtype = series.dtype
    if dtype in (nw.Categorical, nw.Enum):
        return _categorical_column(name, series, nw)
    if dtype == nw.String:
        return _text_column(name, series, nw)
    if dtype == nw.Boolean:
        return _boolean_column(name, series.to_list())
    if dtype == nw.Float32 and not series.is_null().any():
        return np.asarray(series.to_numpy())
    if dtype.is_integer() and dtype not in (nw.Int8, nw.Int16, nw.Int32, nw.UInt8, nw.UInt16):
        missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
        if not missing.any():
            return np.asarray(series.to_numpy())
        return _integers_with_gaps(missing, _object_array(series.to_list()))
    if dtype.is_numeric():
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if dtype.is_temporal():
        are_dates = dtype in (nw.Date, nw.Datetime)
        raise TypeError(datetime_message(name, f"{dtype} values", are_dates=are_dates))
    cells = series.to_list()
    if all(is_missing(c) for c in cells):
        return np.full(len(cells), np.nan)
    if dtype in (nw.Object, nw.Unknown):
        return _object_array(cells)
    raise TypeError(
        f"column {name!r} is of type {dtype}, which is neither numeric nor nominal; "
        "split it into plain columns or drop it"
    )


def column_from_codes(
    name: str, codes: np.ndarray, values: list[Any], ordered: bool = False
) -> Column:
    """A nominal column of codes.

    Args:
        name: name of the column.
        codes: positions in `values`, shape (n_rows,); negative: missing.
        values: distinct values.
        ordered: whether `values` are in order; otherwise the levels are sorted.
    """
    levels = make_levels(name, values)
    column = Column(name, "nominal", np.maximum(np.asarray(codes, np.int64), -1), levels)
    order = range(len(values)) if ordered else sorted(range(len(values)), key=values.__getitem__)
    return column.with_levels(order)


def _text_column(name: str, series: Any, nw: Any) -> Column:
    """A String series of narwhals, factorised by its own library if that is faster."""
    library = nw.get_native_namespace(series).__name__
    if library == "polars":
        distinct = series.drop_nulls().unique().to_list()
        table = series.to_native().replace_strict(distinct, list(range(len(distinct))), default=-1)
        return column_from_codes(name, table.cast(int).to_numpy(), distinct)
    if library == "pyarrow":
        return _arrow_dictionary(name, series.to_native().dictionary_encode(), False)
    cells = series.to_list()
    codes, levels = codes_of(name, cells, None)
    return Column(name, "nominal", codes, levels)


def _arrow_dictionary(name: str, native: Any, ordered: bool) -> Column:
    """A (chunked) Arrow dictionary array; chunks may have different dictionaries."""
    chunks = native.chunks if hasattr(native, "chunks") else [native]
    # One numbering of the values of all dictionaries, in order of appearance.
    place: dict[Any, int] = {}
    pieces = [np.empty(0, dtype=np.int64)]
    for chunk in chunks:
        values = [
            place.setdefault(v, len(place)) if v is not None else -1
            for v in chunk.dictionary.to_pylist()
        ]
        indices = (
            chunk.indices.fill_null(len(values)).to_numpy(zero_copy_only=False).astype(np.int64)
        )
        pieces.append(np.array([*values, -1], dtype=np.int64)[indices])
    return column_from_codes(name, np.concatenate(pieces), list(place), ordered)


def _categorical_column(name: str, series: Any, nw: Any) -> Column:
    """A Categorical or Enum series of narwhals; the module docstring has the order of its
    levels."""
    if series.dtype == nw.Enum:
        codes, levels = codes_of(name, series.to_list(), list(series.dtype.categories))
        return Column(name, "nominal", codes, levels, True)
    if nw.get_native_namespace(series).__name__ == "pyarrow":
        native = series.to_native()
        return replace(_arrow_dictionary(name, native, bool(native.type.ordered)), declared=True)
    codes, levels = codes_of(name, series.to_list(), None)
    return Column(name, "nominal", codes, levels)


def select_or_rename(source: Source, names: list[str], target: str | None) -> None:
    """Select columns of X by name, in this order, if X has these names; otherwise give its columns
    these names. The column `target` is kept."""
    check_names(names)
    if source.names is not None and set(names) <= set(source.names):
        kept = [*names, *([target] if target is not None and target in source.names else [])]
        places = [source.names.index(n) for n in dict.fromkeys(kept)]
        if source.cells is not None:
            source.cells = [source.cells[j] for j in places]
        if source.block is not None:
            source.block = source.block[:, places]
        source.names = [source.names[j] for j in places]
        source.n_columns = len(places)
        return
    if source.names is not None:
        check_known(names, source.names, "feature_names")
    if len(names) != source.n_columns:
        raise ValueError(
            f"feature_names has {counted(len(names), 'name')} ({shorten(names)}) but X has "
            f"{source.n_columns} columns"
        )
    source.names = names


def pop_target(source: Source, target: str) -> Cells:
    """Remove the column of the target from a source, in place, and return its cells.

    `target` is a name; columns without names are called ``x0``, ``x1``, ... .

    Raises:
        ValueError: there is no column of this name.
    """
    names = source.names or [f"x{j}" for j in range(source.n_columns)]
    check_column(target, names, "target")
    j = names.index(target)
    cells = source.column(j)
    if source.cells is not None:
        del source.cells[j]
    if source.block is not None:
        source.block = np.delete(source.block, j, axis=1)
    source.n_columns -= 1
    if source.names is not None:
        source.names = [n for n in names if n != target]
    return cells


def unknown_name(name: str, names: Sequence[str], what: str) -> str:
    """The text of an error for a name that is not known, with the most similar known name or a list
    of all. `what` is the noun for the named object, such as "column"."""
    return f"no {what} is named {name!r}; {nearest(name, names)}"


def nearest(name: str, names: Sequence[str]) -> str:
    """The end of a message on an unknown name: the most similar known name, or all of them."""
    return did_you_mean(name, names, f"there are {shorten(names)}")


def check_shape(rows: int, columns: int) -> tuple[int, int]:
    """The shape of a Table, (rows, columns), if it has at least one row and one column.

    The messages of the errors are scikit-learn's, which its estimator checks look for.

    Raises:
        ValueError: no rows or no columns.
    """
    for n, what in ((columns, "feature"), (rows, "sample")):
        if n == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape=({rows}, {columns})) while a minimum of 1 is "
                "required."
            )
    return rows, columns


def refuse_lazy(frame: Any, X: Any) -> None:
    """Raise a TypeError that names the remedy if narwhals calls X lazy.

    A lazy frame would be computed again at each access to a column, so the user collects it once.
    `frame` is X as narwhals wraps it.
    """
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"{type(X).__name__} is lazy; call .collect() (or .compute(), .df()) first and pass "
            "the result"
        )


def cells_of(X: Any, name: str) -> Any:
    """A column of a frame, a mapping or a record array, in the type that it has there.

    Raises:
        TypeError: X has no column names, or the mapping holds a single value under this name.
        ValueError: X has no column of this name.
    """
    names = names_of(X)
    if names is None:
        raise TypeError(
            f"{name!r} is to be a column of X, which is a {type(X).__name__} without column names; "
            "give a frame or a mapping"
        )
    check_known([name], names, "X")
    if not isinstance(X, Mapping):
        return X[name]
    cells = next(cells for key, cells in X.items() if str(key) == name)
    _refuse_single(name, cells)
    return cells


def to_list(values: Any) -> list[Any]:
    """The cells of a column of any library (pandas, Polars, Arrow, NumPy) as a list of Python
    values. The elements of any other sequence are not changed."""
    # A Series of pandas or Polars, an Arrow column and an array each have one of these methods.
    names = ("to_list", "to_pylist", "tolist")
    method = next((getattr(values, name) for name in names if hasattr(values, name)), None)
    return list(values) if method is None else list(method())


def names_of(X: Any) -> list[str] | None:
    """Names of the columns of a frame, mapping or record array, as texts.

    The result is None for other rows, and for a frame none of whose names is a text: pandas numbers
    the columns of a frame that was made without names.
    """
    if isinstance(X, Mapping):
        return [str(name) for name in X]
    names = getattr(X, "column_names", getattr(X, "columns", None))
    if names is None:
        names = getattr(getattr(X, "dtype", None), "names", None)
    if names is None or not any(isinstance(name, str) for name in names):
        return None
    return [str(name) for name in names]


def check_column(name: str, names: Sequence[str], parameter: str) -> None:
    """Refuse the value of a parameter that names a column of X if X has no such column.

    Raises:
        ValueError: `name` is not among `names`; the message names the most similar one.
    """
    if name not in names:
        data = worded("X", "the data")
        raise ValueError(
            f"{argument(parameter, name)} is not a column of {data}; {nearest(name, names)}"
        )


def check_known(names: Iterable[str], known: Sequence[str], parameter: str) -> None:
    """Refuse names that are no names of columns. The ValueError names the parameter that has them
    and suggests the most similar column. `known` are the names of the columns."""
    for name in names:
        if name not in known:
            raise ValueError(f"{option(parameter)}: {unknown_name(name, known, 'column')}")
