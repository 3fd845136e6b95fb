"""New rows, brought into the schema a model was fitted on.

What
    Columns are matched by name where both sides have names (reordered if need be), by position
    otherwise; labels become codes of the declared levels. A label that was not declared is treated
    as missing, with one warning that names column and labels, or refused. A float array for an
    all-numeric model passes without a copy.
Complexity
    One pass over the cells.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _engine
from .._checks import check_weights
from .._checks.aliases import MaybeArray
from .._checks.mapped import check_mapped
from ..datasets.inputs import given
from ..table import Table
from ..table.columns import MAX_LEVELS, Column, infinity_message, is_missing, unused_column
from ..table.traps import no_numbers
from .training_rows import own_weights

__all__ = ["Schema", "labelled", "prepared", "rows_for", "weighted_rows", "without_empty_rows"]


@dataclass
class Schema:
    """Names, kinds and levels of the features of a model, and what missing values and numbers were
    turned into."""

    names: list[str]
    nominal: list[bool]
    levels: list[tuple[Any, ...]]
    has_names: bool
    classes: list[Any] = field(default_factory=list)
    cuts: list[np.ndarray | None] = field(default_factory=list)
    fill: list[float | None] = field(default_factory=list)
    owner: str = "FastTreeClassifier"
    unused: list[str | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.unused = self.unused or [None] * len(self.names)

    @classmethod
    def of_model(cls, model: Any, has_names: bool, owner: str = "FastTreeClassifier") -> Schema:
        """Read the schema that a core model carries; `owner` is named in messages."""
        return cls.of_json(model.schema_json(), has_names, owner)

    @classmethod
    def of_json(cls, text: str, has_names: bool, owner: str) -> Schema:
        """The same from the schema's text."""
        raw = json.loads(text)
        return cls(
            names=[f["name"] for f in raw["features"]],
            nominal=[f["kind"] == "nominal" for f in raw["features"]],
            levels=[tuple(f.get("levels", ())) for f in raw["features"]],
            has_names=has_names,
            unused=[f.get("unused") for f in raw["features"]],
            classes=raw["classes"],
            cuts=[
                np.array(f["cuts"], dtype=np.float64) if "cuts" in f else None
                for f in raw["features"]
            ],
            fill=[f.get("fill") for f in raw["features"]],
            owner=owner,
        )


def rows_for(
    schema: Schema, X: Any, handle_unknown: str = "missing", missing: str = "branch"
) -> tuple[list[np.ndarray], int]:
    """Blocks of columns as the core takes them, and the number of rows.

    Raises:
        ValueError: missing, duplicate or unexpected columns, infinity, (``handle_unknown="error"``)
            a label that was not declared, (``missing="error"``) a missing value.
        TypeError: labels where the model expects numbers.
    """
    if (
        isinstance(X, np.ndarray)
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and not any(schema.nominal)
        and not any(schema.unused)
    ):
        check_count(schema, X.shape[1])
        if len(X) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required "
                f"by {schema.owner}."
            )
        refuse_infinity(schema, check_mapped(X))
        if missing == "error":
            refuse_missing(schema, [Column("", "numeric", X[:, j]) for j in range(X.shape[1])])
        return _engine.blocks_of([Column("", "numeric", X)]), len(X)
    if isinstance(X, Table):
        table = X
    else:
        options = _options(schema, X)
        table = Table(_long_text_coded(schema, X, handle_unknown), **options)
    columns = _converted(schema, table, handle_unknown)
    if missing == "error":
        refuse_missing(schema, columns)
    return _engine.blocks_of(columns), len(table)


def refuse_missing(schema: Schema, columns: list[Column]) -> None:
    """Refuse missing cells by column and row (an undeclared label counts as missing)."""
    for name, column in zip(schema.names, columns, strict=True):
        values = np.asarray(column.values)
        gone = np.isnan(values) if column.kind == "numeric" else values < 0
        if gone.any():
            raise ValueError(
                f"Input X contains NaN: column {name!r}, row {int(gone.argmax())} is missing, and "
                "the model was made with "
                "missing='error'; impute it, or fit with missing='mode' or 'branch'"
            )


def _converted(schema: Schema, table: Table, handle_unknown: str) -> list[Column]:
    """Columns of the schema's kinds, in its order."""
    return [
        _coded(column, schema.levels[j], handle_unknown) if schema.nominal[j] else _number(column)
        for j, column in enumerate(matched(schema, table))
    ]


def labelled(schema: Schema, X: Any, y: MaybeArray = None) -> Table:
    """Labelled rows with the declared levels and classes; numbers and missing values stay as they
    are.

    Raises:
        ValueError: no labels, or a label that is not a class of the model.
    """
    X, y = given(X, y)
    table = X if isinstance(X, Table) and y is None else Table.from_any(X, y, **_options(schema, X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows_for has spoken about undeclared labels
        converted = _converted(schema, table, "missing")
    place = {_engine.plain(c): code for code, c in enumerate(schema.classes)}
    own = [_engine.plain(c) for c in table.classes]
    unknown = [own[c] for c in np.unique(table.y_codes) if own[c] not in place]
    if unknown:
        raise ValueError(
            f"y holds {unknown[0]!r}, which is not a class of the model; classes are {list(place)}"
        )
    codes = np.array([place.get(c, -1) for c in own], dtype=np.int32)[table.y_codes]
    return Table.from_columns(
        converted, Column(table.target or "class", "nominal", codes, tuple(schema.classes))
    )


def prepared(
    schema: Schema, X: Any, y: MaybeArray = None, *, cut_above: float = math.inf, bins: bool = True
) -> Table:
    """Labelled rows as growth saw them: declared levels and classes, missing values filled, numbers
    binned.

    Bins are levels, or, where a column has more than `cut_above`, numbers: the upper edge of each,
    so that a threshold on a value is a cut. Without `bins` numbers stay.

    Raises:
        ValueError: no labels, or a label that is not a class of the model.
    """
    table = labelled(schema, X, y)
    columns = []
    for column, cuts, fill in zip(table.columns, schema.cuts, schema.fill, strict=True):
        values = np.asarray(column.values)
        if fill is not None:
            values = np.where(
                np.isnan(values) if column.kind == "numeric" else values < 0, fill, values
            )
        if cuts is None or not bins:
            dtype = np.float64 if column.kind == "numeric" else np.int32
            columns.append(
                Column(column.name, column.kind, values.astype(dtype, copy=False), column.levels)
            )
        elif len(cuts) + 1 > cut_above:
            beyond = np.nextafter(cuts[-1], math.inf) if len(cuts) else 0.0
            edges = np.append(cuts, beyond)[np.searchsorted(cuts, values)]
            columns.append(
                Column(
                    column.name,
                    "numeric",
                    np.where(np.isnan(values), math.nan, edges),
                    column.levels,
                )
            )
        else:
            codes = np.where(np.isnan(values), -1, np.searchsorted(cuts, values)).astype(np.int32)
            columns.append(Column(column.name, "nominal", codes, tuple(range(len(cuts) + 1))))
    target = Column(table.target or "class", "nominal", table.y_codes, tuple(schema.classes))
    return Table.from_columns(columns, target)


def _options(schema: Schema, X: Any) -> dict[str, Any]:
    if isinstance(X, Table):
        return {}
    return {"categorical_features": _roles(schema, X), "unused": _unused(schema, X)}


def _names_of(X: Any) -> list[str] | None:
    """Names of the columns of what is no Table yet; None where they have none."""
    if isinstance(X, Mapping):
        return [str(name) for name in X]
    names = getattr(X, "column_names", getattr(X, "columns", None))
    if names is None:
        names = getattr(getattr(X, "dtype", None), "names", None)
    return None if names is None else [str(name) for name in names]


def _unused(schema: Schema, X: Any) -> dict[str, str]:
    """The unused columns of the model that X has, by the name that they have there."""
    if not any(schema.unused):
        return {}
    names = _names_of(X)
    if names is None or not schema.has_names:
        if names is None:
            row = X[0] if hasattr(X, "__getitem__") and len(X) else ()
            names = [f"x{j}" for j in range(len(row) if hasattr(row, "__len__") else 0)]
        if len(names) != len(schema.names):
            return {}  # refused where columns are counted
        return {name: why for name, why in zip(names, schema.unused, strict=True) if why}
    whys = zip(schema.names, schema.unused, strict=True)
    return {name: why for name, why in whys if why and name in names}


def without_empty_rows(X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
    """X, y and weights without the rows of weight 0 (as they are, where weights are not valid or
    all are positive)."""
    if np.ma.is_masked(weights):  # refused by row where weights are read
        return X, y, weights
    try:
        given = np.asarray(weights)
    except ValueError:  # ragged: refused by name where weights are read
        return X, y, weights
    if (
        given.ndim != 1
        or given.dtype.kind not in "biuf"
        or not hasattr(X, "__len__")
        or len(X) != len(given)
    ):
        return X, y, weights
    if np.all(given > 0) or not np.all(given >= 0) or not np.any(given > 0) or len(y) != len(given):
        return X, y, weights
    from sklearn.utils import _safe_indexing

    rows = np.flatnonzero(given)
    labels = y[rows] if hasattr(y, "to_native") else _safe_indexing(y, rows)
    return _safe_indexing(X, rows), labels, given[rows]


def check_count(schema: Schema, n_features: int) -> None:
    """Refuse a wrong number of features in scikit-learn's words."""
    if n_features != len(schema.names):
        raise ValueError(
            f"X has {n_features} features, but {schema.owner} is expecting {len(schema.names)} "
            "features as input."
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


def _roles(schema: Schema, X: Any) -> Any:
    """Which columns are nominal, by name for frames, by position for arrays. Names are checked
    first, so that a cell of a column too many is no wrong number."""
    names = _names_of(X)
    if names is not None and schema.has_names and len(set(names)) == len(names):
        check_names(schema, names)
    if not any(schema.nominal):
        return "from_dtype" if hasattr(X, "columns") else None
    if all(schema.nominal):
        return "all"
    if names is not None and schema.has_names:
        chosen = {n for n, nominal in zip(schema.names, schema.nominal, strict=True) if nominal}
        return [name for name in names if name in chosen]
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] != len(schema.names):
        return "from_dtype"
    return [j for j, nominal in enumerate(schema.nominal) if nominal]


def matched(schema: Schema, table: Table) -> list[Column]:
    """Columns of a Table in the order of the schema."""
    given = table.feature_names
    if not (schema.has_names and table.has_feature_names):
        check_count(schema, table.n_features)
        place: Sequence[int] = range(len(given))
    elif given == schema.names:
        place = range(len(given))
    else:
        check_names(schema, given)
        places = {name: j for j, name in enumerate(given)}
        place = [places.get(name, -1) for name in schema.names]
    return [
        unused_column(name, len(table)) if why else table.column(j)
        for name, why, j in zip(schema.names, schema.unused, place, strict=True)
    ]


def check_names(schema: Schema, given: list[str]) -> None:
    """Refuse names of columns that are not those of the schema, in whatever order; an unused
    column may be absent."""
    known, own = set(schema.names), set(given)
    whys = zip(schema.names, schema.unused, strict=True)
    missing = [name for name, why in whys if not why and name not in own]
    extra = [n for n in given if n not in known]
    if missing or extra:
        lines = ["The feature names should match those that were passed during fit."]
        if extra:
            lines.append(
                "Feature names unseen at fit time:\n" + "\n".join(f"- {n}" for n in extra[:5])
            )
        if missing:
            lines.append(
                "Feature names seen at fit time, yet now missing:\n"
                + "\n".join(f"- {n}" for n in missing[:5])
            )
        raise ValueError("\n".join(lines))


def _number(column: Column) -> Column:
    if column.kind == "numeric":
        return column
    if column.n_missing == len(column):
        return Column(column.name, "numeric", np.full(len(column), np.nan))
    codes = np.asarray(column.values)
    strange = np.isin(codes, no_numbers(column.levels or ()))
    row = int(np.flatnonzero(strange if strange.any() else codes >= 0)[0])
    raise TypeError(
        f"column {column.name!r} was numeric when the model was fitted, but row {row} holds "
        f"{column.labels()[row]!r}; give numbers (or NaN for missing)"
    )


def _coded(column: Column, levels: tuple[Any, ...], handle_unknown: str) -> Column:
    if column.kind == "numeric":
        values = column.values
        known = np.unique(values[~np.isnan(values)])
        own: tuple[Any, ...] = tuple(int(v) if float(v).is_integer() else float(v) for v in known)
        codes = np.where(np.isnan(values), -1, np.searchsorted(known, values)).astype(np.int32)
    else:
        own, codes = column.levels or (), np.asarray(column.values, dtype=np.int32)
    own = tuple(_engine.plain(v) for v in own)
    if own == levels:
        return Column(column.name, "nominal", codes, levels)
    place = {level: j for j, level in enumerate(levels)}
    table = np.array([place.get(v, -1) for v in own] + [-1], dtype=np.int32)
    occurring = np.unique(codes[codes >= 0])
    unseen = [own[c] for c in occurring if table[c] < 0]
    if unseen:
        row = int(np.flatnonzero((table[codes] < 0) & (codes >= 0))[0])
        _say_unseen(
            column.name, f"{len(unseen)} level(s)", unseen, (row, own[codes[row]]), handle_unknown
        )
    return Column(column.name, "nominal", table[codes], levels)


def _say_unseen(
    name: str, what: str, unseen: list[Any], first: tuple[int, Any], handle_unknown: str
) -> None:
    """Refuse undeclared levels, or warn of them. `unseen`: some of them; `first`: row and cell."""
    text = ", ".join(repr(v) for v in unseen[:8]) + (", ..." if len(unseen) > 8 else "")
    words = f"column {name!r} holds {what} that were not declared when the model was fitted: {text}"
    if handle_unknown == "error":
        raise ValueError(
            f"{words}; the first is {first[1]!r} in row {first[0]}; drop or recode these rows, or "
            "choose handle_unknown='missing'"
        )
    warnings.warn(words + "; they are treated as missing", UserWarning, stacklevel=5)


def _long_text_coded(schema: Schema, X: Any, handle_unknown: str) -> Any:
    """X; where it has more rows than a column may have levels, its text as codes of the model.

    Levels of X itself could be too many for a Table."""
    named = _columns_by_name(schema, X)
    if named is None:
        return X
    by_name = {name: j for j, name in enumerate(schema.names)}
    coded = {}
    for j, (name, cells) in enumerate(named.items()):
        place = by_name.get(name, j) if schema.has_names else j
        levels = schema.levels[place]
        text = schema.nominal[place] and all(isinstance(v, str) for v in levels)
        coded[name] = _known_codes(name, cells, levels, handle_unknown) if text else cells
    return coded


def _columns_by_name(schema: Schema, X: Any) -> dict[str, Any] | None:
    """The columns of long rows with nominal columns; None of other rows."""
    if not any(schema.nominal):
        return None
    names: list[Any]
    if isinstance(X, Mapping):
        names, columns = list(X), list(X.values())
    elif isinstance(X, np.ndarray):
        if X.ndim != 2 or X.dtype.kind not in "OUT":
            return None
        names, columns = list(schema.names), [X[:, j] for j in range(X.shape[1])]
    elif hasattr(X, "columns") and hasattr(X, "shape"):
        names = list(getattr(X, "column_names", X.columns))
        if len(X) <= MAX_LEVELS or len(set(names)) < len(names):
            return None
        columns = [X[name] for name in names]
    else:
        return None
    if len(names) != len(columns) or len(names) != len(schema.names):
        return None
    if not all(isinstance(n, str) for n in names) or len(columns[0]) <= MAX_LEVELS:
        return None
    return dict(zip(names, columns, strict=True))


def _known_codes(name: str, cells: Any, levels: tuple[Any, ...], handle_unknown: str) -> Column:
    """Cells as codes of levels: no table of the cells' own values is made."""
    listing = next(
        (getattr(cells, n) for n in ("to_list", "to_pylist", "tolist") if hasattr(cells, n)), None
    )
    listed = list(cells) if listing is None else listing()
    place = {level: code for code, level in enumerate(levels)}
    codes = np.fromiter((place.get(v, -1) for v in listed), dtype=np.int32, count=len(listed))
    unknown = np.flatnonzero(codes < 0).tolist()
    unseen = [r for r in unknown if type(listed[r]) is str or not is_missing(listed[r])]
    if unseen:
        some = list(dict.fromkeys(listed[row] for row in unseen[:9]))
        first = (unseen[0], listed[unseen[0]])
        _say_unseen(name, f"{len(unseen):,} cell(s) of levels", some, first, handle_unknown)
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
