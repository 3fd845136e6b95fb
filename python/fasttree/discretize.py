"""Discretisation and imputation: `EqualWidth`, `EqualFrequency`, `MDLP`, `ReplaceMissing`.

What
    Objects in scikit-learn's manner that turn numbers into intervals, or fill in missing cells. Bin
    b is ``(cuts[b-1], cuts[b]]``; values beyond the fitted range fall into the first or last bin;
    missing stays missing; empty bins stay declared. What comes out is what went in. A `Table` gives
    a Table whose numeric columns are nominal with all bins as levels. A frame gives a frame of the
    same library with ordered categories, a NumPy array gives the numbers of the bins as floats.
    Nominal columns are never touched.
Scope
    Cut points are learned from training rows. ``scope="fold"`` (default) says: inside each training
    fold. ``scope="all"`` says: `cross_validate` fits on all rows before the folds are made. Test
    rows then have a say in the cut points, which flatters the result; published experiments were
    often made so, and it is there to reproduce them. ``fit`` and ``transform`` themselves do the
    same under both.
Sources
    Equal width and equal frequency: Weka's unsupervised `Discretize`. MDLP: Fayyad & Irani, IJCAI
    1993, as Weka's supervised `Discretize`. Replacement: Weka's ReplaceMissingValues. The core does
    the counting.
Complexity
    O(n) a column for equal width, O(n) after one sort for equal frequency, and O(n k) a level of
    recursion for MDLP (k classes).
When not to use it
    Before a tree that searches thresholds itself: binning throws away what it would look for.
"""

from __future__ import annotations

import json
import numbers
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, TypeVar

import numpy as np

from . import _engine
from ._checks import Parameters, integer, number_array, one_value, shown, weights_array
from .datasets.inputs import table_of
from .table import Table
from .table.columns import Column
from .table.rebuild import fill_labels, is_frame, renamed, replace_columns

__all__ = [
    "MDLP",
    "EqualFrequency",
    "EqualWidth",
    "ReplaceMissing",
    "interval_labels",
    "make",
]

Scope = Literal["fold", "all"]
LARGEST_BINS = 65_535
"""Largest `n_bins`."""

C = TypeVar("C", bound="ColumnTransformer")


def interval_labels(cuts: Sequence[float] | np.ndarray) -> tuple[str, ...]:
    """Names of the bins between ascending cut points, shape (c,), as Weka writes them; c + 1
    strings.

    Cut points are shown with at most six decimals where that tells them apart, else in full. Bins
    between equal cut points (empty, from a range of a few ulps) are numbered.

    Examples:
        >>> interval_labels([5.55, 6.0])
        ('(-inf-5.55]', '(5.55-6]', '(6-inf)')
        >>> interval_labels([])
        ('All',)
    """
    points = number_array("cuts", cuts).ravel().tolist()
    if not points:
        return ("All",)
    texts = [_short(c) for c in points]
    if len(set(texts)) < len(set(points)):
        texts = [repr(c) for c in points]
    edges = ["-inf", *texts, "inf"]
    labels: list[str] = []
    seen: dict[str, int] = {}
    for low, high in pairwise(edges):
        label = f"({low}-{high}{')' if high == 'inf' else ']'}"
        seen[label] = seen.get(label, 0) + 1
        labels.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return tuple(labels)


def _short(cut: float) -> str:
    if abs(cut) >= 1e15:
        return repr(cut)
    text = f"{cut:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class ColumnTransformer(Parameters):
    """What discretisers and the imputer share: fit, transform by kind of input, checks of names."""

    scope: Scope
    _sklearn_auto_wrap_output_keys = frozenset({"transform"})

    def fit(self: C, X: Any, y: Any = None, sample_weight: Any = None) -> C:
        """Learn from rows X, shape (n, p): array, list, frame or `Table`.

        Args:
            X: the training rows.
            y: n class labels, which MDLP alone reads (a Table brings its own).
            sample_weight: n weights >= 0; whole ones are copies of the row, rows of weight 0 do not
                count. Default: the weights of the Table, where it has some.

        Raises:
            ValueError: a parameter outside its range, y missing where it is needed, bad weights.
        """
        self._check()
        table = self._table(X, y)
        if sample_weight is None:
            sample_weight = table.sample_weight
        weights = None if sample_weight is None else _checked_weights(sample_weight, len(table))
        self.n_features_in_ = table.n_features
        self._names = table.feature_names
        self._named = table.has_feature_names
        self.__dict__.pop("feature_names_in_", None)
        if self._named:
            self.feature_names_in_ = np.asarray(self._names, dtype=object)
        self._learn(table, weights)
        return self

    def transform(self, X: Any) -> Any:
        """Apply what was learned; the result is of the kind of X (Table, frame, or array).

        Raises:
            sklearn.exceptions.NotFittedError: `fit` was not called.
            ValueError: other columns than in `fit`.
        """
        self._need_fit()
        table = X if isinstance(X, Table) else Table(X)
        columns = {
            j: self._apply(c) for j, c in enumerate(self._matched(table)) if self._concerns(c)
        }
        if isinstance(X, Table):
            return table.with_columns(
                Column(c.name, columns[j].kind, columns[j].values, columns[j].levels)
                if j in columns
                else c
                for j, c in enumerate(table.columns)
            )
        if is_frame(X):
            found = self._frame(renamed(X, None if self._named else self._names), columns)
        else:
            found = self._array(table, columns)
        if "sklearn" not in sys.modules:  # nobody has asked for another container
            return found
        from sklearn.utils._set_output import _wrap_data_with_container

        return _wrap_data_with_container("transform", found, X, self)

    def set_output(self: C, *, transform: str | None = None) -> C:
        """What `transform` gives for rows that are no Table: ``"pandas"`` or ``"polars"`` frames,
        ``"default"`` (of the kind of X), None (as it is); scikit-learn's own setting counts, too.
        """
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(
                f"transform={transform!r} is not known; use 'default', 'pandas', 'polars' or None"
            )
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """``fit(X, y, sample_weight)``, then ``transform(X)``."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that come out: those that went in, shape (p,).

        Args:
            input_features: names of the columns of an array; of a frame None, or its own names.

        Raises:
            ValueError: other names than those of the frame in `fit`, or another number of them.
        """
        self._need_fit()
        names = np.asarray(self._names, dtype=object)
        if input_features is None:
            return names
        given = np.asarray(input_features, dtype=object)
        if self._named and not np.array_equal(given, names):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(given) != len(names):
            raise ValueError(
                f"input_features should have length equal to number of features ({len(names)}), "
                f"got {len(given)}"
            )
        return given

    def _table(self, X: Any, y: Any) -> Table:
        return X if isinstance(X, Table) else Table(X)

    def _matched(self, table: Table) -> Sequence[Column]:
        """The columns of a table under the names of `fit`: by name where both have names, else by
        position."""
        name = type(self).__name__
        if table.n_features != self.n_features_in_:
            raise ValueError(
                f"X has {table.n_features} features, but {name} is expecting {self.n_features_in_} "
                "features as input"
            )
        if not (self._named and table.has_feature_names):
            return [
                Column(n, c.kind, c.values, c.levels)
                for n, c in zip(self._names, table.columns, strict=True)
            ]
        unknown = [n for n in table.feature_names if n not in self._names]
        if unknown:
            lost = [n for n in self._names if n not in table.feature_names]
            raise ValueError(
                "The feature names should match those that were passed during fit: column "
                f"{unknown[0]!r} was not "
                f"there, column {lost[0]!r} is missing"
            )
        return table.columns

    def _need_fit(self) -> None:
        if not hasattr(self, "n_features_in_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments first."
            )

    def _check(self) -> None:
        if one_value("scope", self.scope) not in ("fold", "all"):
            raise ValueError(
                f"scope={self.scope!r} is not known; use 'fold' (training rows of each fold) or "
                "'all'"
            )

    def _learn(self, table: Table, weights: np.ndarray | None) -> None:
        raise NotImplementedError

    def _concerns(self, column: Column) -> bool:
        raise NotImplementedError

    def _apply(self, column: Column) -> Column:
        raise NotImplementedError

    def _array(self, table: Table, columns: Mapping[int, Column]) -> np.ndarray:
        raise NotImplementedError

    def _frame(self, X: Any, columns: Mapping[int, Column]) -> Any:
        return replace_columns(X, columns)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=isinstance(self, MDLP)),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(allow_nan=True, categorical=True, string=True),
        )


class Discretizer(ColumnTransformer):
    """Base of the three discretisers.

    Attributes:
        cuts_: ascending cut points of each numeric column, by name: float64, shape (bins - 1,).
        n_features_in_: number of columns in `fit`.
    """

    method: str

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it.

        Examples:
            >>> EqualWidth(5).to_config(), MDLP().to_config()
            ({'method': 'equal_width', 'n_bins': 5}, {'method': 'mdlp'})
        """
        self._check()
        return {"method": self.method} | {
            k: int(v) for k, v in self.get_params().items() if k == "n_bins"
        }

    @property
    def labels_(self) -> dict[str, tuple[str, ...]]:
        """Names of the bins of each numeric column, by column name."""
        self._need_fit()
        return {name: interval_labels(cuts) for name, cuts in self.cuts_.items()}

    def _check(self) -> None:
        super()._check()
        n_bins = getattr(self, "n_bins", 1)
        whole = isinstance(n_bins, numbers.Integral) and not isinstance(n_bins, bool)
        if not (whole and 1 <= n_bins <= LARGEST_BINS):
            raise ValueError(
                f"n_bins={n_bins!r}: must be an integer between 1 and {LARGEST_BINS:,}"
            )

    def _learn(self, table: Table, weights: np.ndarray | None) -> None:
        method, classes, n_classes = json.dumps(self.to_config()), None, 0
        if self.method == "mdlp":
            classes, n_classes = table.y_codes.astype(np.uint16), len(table.classes)
        self.cuts_: dict[str, np.ndarray] = {}
        for column in table.columns:
            if column.kind == "numeric":
                values = np.ascontiguousarray(column.values, dtype=np.float64)
                self.cuts_[column.name] = _engine.bin_cuts(
                    method, values, classes, n_classes, weights
                )

    def _concerns(self, column: Column) -> bool:
        if column.name not in self.cuts_:
            return False
        if column.kind == "numeric":
            return True
        raise ValueError(f"column {column.name!r} was numeric in fit but is nominal now")

    def _apply(self, column: Column) -> Column:
        cuts = self.cuts_[column.name]
        codes = np.searchsorted(cuts, column.values, side="left").astype(np.int32)
        codes[np.isnan(column.values)] = -1
        return Column(column.name, "nominal", codes, interval_labels(cuts))

    def _array(self, table: Table, columns: Mapping[int, Column]) -> np.ndarray:
        whole = len(columns) == table.n_features
        result = np.empty(table.shape, dtype=np.float64 if whole else object)
        for j, column in enumerate(table.columns):
            if j in columns:
                codes = columns[j].values
                result[:, j] = np.where(codes < 0, np.nan, codes)
            else:
                result[:, j] = column.labels()
        return result


class EqualWidth(Discretizer):
    """Bins of equal width: cuts ``min + i * ((max - min) / n_bins)``, i = 1 ... n_bins - 1, in this
    float64 order.

    As Weka's unsupervised `Discretize`. A constant column, or one without a known value, is one
    bin.

    Args:
        n_bins: 1 to 65,535.
        scope: ``"fold"`` or ``"all"``, see the module.

    Examples:
        >>> EqualWidth(4).fit_transform([[0.0], [1.0], [2.5], [4.0], [None]]).ravel()
        array([ 0.,  0.,  2.,  3., nan])
        >>> EqualWidth(4).fit([[0.0], [4.0]]).cuts_["x0"]
        array([1., 2., 3.])
    """

    method = "equal_width"

    def __init__(self, n_bins: int = 10, scope: Scope = "fold") -> None:
        self.n_bins = n_bins
        self.scope = scope


class EqualFrequency(Discretizer):
    """Bins of about equal weight, closed at the boundary between values nearest to the average of
    what is left.

    As Weka's unsupervised `Discretize` with -F. With weight W left for b bins, the aim is W / b. Of
    the boundary that reaches it and the one before, the nearer becomes a cut (the later one if
    equally near), midway between two distinct values. Equal values stay together, so there can be
    fewer bins than asked for.

    Args:
        n_bins: largest number of bins, 1 to 65,535.
        scope: ``"fold"`` or ``"all"``, see the module.

    Examples:
        >>> EqualFrequency(3).fit([[v] for v in (1, 2, 3, 4, 50, 60)]).cuts_["x0"]
        array([ 2.5, 27. ])
    """

    method = "equal_frequency"

    def __init__(self, n_bins: int = 10, scope: Scope = "fold") -> None:
        self.n_bins = n_bins
        self.scope = scope


class MDLP(Discretizer):
    """Recursive cuts of least class-information entropy, stopped by minimum description length;
    needs y.

    Fayyad & Irani (IJCAI 1993), as Weka's supervised `Discretize`: with k, k1, k2 the classes that
    occur in S and its halves, a cut is accepted when ``gain > (log2(N - 1) + delta) / N`` and
    ``delta = log2(3^k - 2) - (k H(S) - k1 H(S1) - k2 H(S2))``. A column that says nothing about the
    class is one bin.

    Args:
        scope: ``"fold"`` or ``"all"``, see the module.

    Examples:
        >>> MDLP().fit([[v] for v in range(8)], list("aaaabbbb")).cuts_["x0"]
        array([3.5])
    """

    method = "mdlp"

    def __init__(self, scope: Scope = "fold") -> None:
        self.scope = scope

    def _table(self, X: Any, y: Any) -> Table:
        table = table_of(X, y)
        if table.target is None:
            raise ValueError("MDLP requires y to be passed, but the target y is None")
        return table


DISCRETIZERS: dict[str, type[Discretizer]] = {
    "equal_width": EqualWidth,
    "equal_frequency": EqualFrequency,
    "mdlp": MDLP,
}
"""Name -> class, as `discretize=` takes it."""


def make(value: Any, n_bins: Any = 10, *, auto: str | None = "equal_width") -> Discretizer | None:
    """The discretiser that a parameter `discretize` means; None for None.

    Args:
        value: None, ``"auto"``, ``"equal_width"``, ``"equal_frequency"``, ``"mdlp"``, or an object
            of this module that makes bins.
        n_bins: bins of the words that take a number of them.
        auto: the word that ``"auto"`` stands for; None: it stands for None.

    Raises:
        ValueError: anything else, or `n_bins` that is no whole number >= 1.

    Examples:
        >>> make("mdlp"), make("auto"), make("equal_frequency", 4)
        (MDLP(scope='fold'), EqualWidth(n_bins=10, scope='fold'), ...)
    """
    if isinstance(value, str) and value == "auto":
        value = auto
    if value is None or isinstance(value, Discretizer):
        return value
    kind = DISCRETIZERS.get(value) if isinstance(value, str) else None
    if kind is None:
        raise ValueError(
            f"discretize={shown(value)} is not known; use 'auto', None, "
            f"{', '.join(map(repr, DISCRETIZERS))} or one of the "
            "discretisers of fasttree.discretize: EqualWidth(...), EqualFrequency(...), MDLP()"
        )
    return MDLP() if kind is MDLP else kind(integer("n_bins", n_bins, 1))  # type: ignore[call-arg]


class ReplaceMissing(ColumnTransformer):
    """Missing cells become the mean (numeric) or the mode (nominal) of the training rows; the class
    is untouched.

    As Weka's ReplaceMissingValues: the mean is a running sum in row order divided by the weight.
    The mode is the first of the most frequent levels; a column without any known value gets 0 or
    its first level.

    Args:
        scope: ``"fold"`` or ``"all"``, see the module.

    Attributes:
        means_: mean of each numeric column, by name.
        modes_: mode of each nominal column, by name (None if it has no level at all).

    Examples:
        >>> imputer = ReplaceMissing().fit([[1.0, "a"], [None, "b"], [4.0, "b"], [2.5, None]])
        >>> imputer.means_, imputer.modes_
        ({'x0': 2.5}, {'x1': 'b'})
        >>> imputer.transform([[None, None]]).tolist()
        [[2.5, 'b']]
    """

    def __init__(self, scope: Scope = "fold") -> None:
        self.scope = scope

    def _learn(self, table: Table, weights: np.ndarray | None) -> None:
        self.means_: dict[str, float] = {}
        self.modes_: dict[str, Any] = {}
        for column in table.columns:
            if column.kind == "numeric":
                self.means_[column.name] = _mean(
                    column.values.astype(np.float64, copy=False), weights
                )
            else:
                self.modes_[column.name] = _mode(column, weights)

    def _concerns(self, column: Column) -> bool:
        if (
            column.kind == "numeric"
            and column.name in self.modes_
            and column.n_missing < len(column)
        ):
            raise ValueError(f"column {column.name!r} was nominal in fit but is numeric now")
        if column.kind == "nominal" and column.name in self.means_:
            raise ValueError(f"column {column.name!r} was numeric in fit but is nominal now")
        return column.n_missing > 0

    def _apply(self, column: Column) -> Column:
        if column.name in self.means_:
            values = column.values.astype(np.float64)
            values[np.isnan(values)] = self.means_[column.name]
            return Column(column.name, "numeric", values)
        mode, levels = self.modes_[column.name], column.levels or ()
        if mode is None:
            return column
        if column.kind == "numeric":
            return Column(column.name, "nominal", np.zeros(len(column), dtype=np.int32), (mode,))
        if mode not in levels:
            levels = (*levels, mode)
        codes = column.values.astype(np.int32)
        codes[codes < 0] = levels.index(mode)
        return Column(column.name, "nominal", codes, levels)

    def _frame(self, X: Any, columns: Mapping[int, Column]) -> Any:
        numeric = {j: c for j, c in columns.items() if c.kind == "numeric"}
        labels = {j: (c, self.modes_[c.name]) for j, c in columns.items() if c.kind == "nominal"}
        return fill_labels(replace_columns(X, numeric), labels)

    def _array(self, table: Table, columns: Mapping[int, Column]) -> np.ndarray:
        return table.with_columns(columns.get(j, c) for j, c in enumerate(table.columns)).X


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    known = ~np.isnan(values)
    weights = np.ones(len(values)) if weights is None else weights
    known &= weights > 0
    if not known.any():
        return 0.0
    values, weights = values[known], weights[known]
    weight = float(np.cumsum(weights)[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        # cumsum adds one cell after the other; sum would pair them and differ in the last bit.
        mean = float(np.cumsum(weights * values)[-1] / weight)
    return mean if np.isfinite(mean) else float(np.cumsum(weights / weight * values)[-1])


def _mode(column: Column, weights: np.ndarray | None) -> Any:
    if not column.levels:
        return None
    codes = column.values.astype(np.int64)
    known = codes >= 0
    counts = np.bincount(
        codes[known], None if weights is None else weights[known], len(column.levels)
    )
    return column.levels[int(counts.argmax())]


def _checked_weights(weights: Any, n_rows: int) -> np.ndarray:
    weights = np.ascontiguousarray(weights_array(weights))
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {weights.shape} but X has {n_rows} rows")
    if weights.size and not weights.any():
        raise ValueError(
            "sample_weight: all weights are zero, so that no row is left to learn from"
        )
    bad = np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))
    if bad.size:
        raise ValueError(
            f"sample_weight of row {bad[0]} is {weights[bad[0]]}: weights are finite numbers >= 0"
        )
    return weights
