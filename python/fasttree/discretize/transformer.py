"""`ColumnTransformer`, the base class of the discretisers and the imputer, and `ReplaceMissing`:
means and modes of the training rows in place of missing cells.

The base class checks rows and names, keeps the kind of the input (array, frame or Table), and calls
the methods that a subclass defines: `_learn`, `_concerns`, `_apply` and `_array`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from .._checks import one_of, row_weights
from .._checks.aliases import MaybeArray
from .._checks.parameters import Parameters
from ..table import Table
from ..table.columns import Column
from ..table.frame_columns import fill_labels, is_frame, renamed, replace_columns

Scope = Literal["fold", "all"]
C = TypeVar("C", bound="ColumnTransformer")


class ColumnTransformer(Parameters):
    """A transformer that learns from and replaces single columns.

    Attributes:
        scope: whether a cross-validation fits it on the training rows of each fold, or on all rows.
    """

    scope: Scope = "fold"
    _needs_classes = False
    _sklearn_auto_wrap_output_keys = frozenset({"transform"})

    def fit(self: C, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> C:
        """Learn from rows X, shape (n, p): array, list, frame or `Table`.

        Args:
            X: the training rows.
            y: n class labels, which only MDLP uses (a Table has its own).
            sample_weight: n weights >= 0; whole ones are copies of the row, rows of weight 0 do not
                count. Default: the weights of the Table, where it has some.

        Raises:
            ValueError: a parameter outside its range, y missing where it is needed, bad weights.
        """
        self._check()
        table = self._table(X, y)
        weights = table.sample_weight if sample_weight is None else sample_weight
        weights = row_weights(weights, len(table))
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
                replace(columns[j], name=c.name) if j in columns else c
                for j, c in enumerate(table.columns)
            )
        if is_frame(X):
            result = self._frame(renamed(X, None if self._named else self._names), columns)
        else:
            result = self._array(table, columns)
        if "sklearn" not in sys.modules:  # then no output container is set
            return result
        from sklearn.utils._set_output import _wrap_data_with_container

        return _wrap_data_with_container("transform", result, X, self)

    def set_output(self: C, *, transform: str | None = None) -> C:
        """Set the kind of output of `transform` for rows that are not a Table.

        Args:
            transform: ``"pandas"`` or ``"polars"`` for frames, ``"default"`` for the kind of X,
                None for no change. Without a call, scikit-learn's global setting applies.
        """
        if one_of("transform", transform, ("default", "pandas", "polars", None)) is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def fit_transform(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> Any:
        """``fit(X, y, sample_weight)``, then ``transform(X)``."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of the result, which are the names of the input, shape (p,).

        Args:
            input_features: names of the columns of an array; of a frame None, or its own names.

        Raises:
            ValueError: the names, or their number, differ from the columns in `fit`.
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
                replace(c, name=n, declared=False)
                for n, c in zip(self._names, table.columns, strict=True)
            ]
        unknown = [n for n in table.feature_names if n not in self._names]
        if unknown:
            lost = [n for n in self._names if n not in table.feature_names]
            raise ValueError(
                "The feature names should match those that were passed during fit: column "
                f"{unknown[0]!r} was not there, column {lost[0]!r} is missing"
            )
        return table.columns

    def _need_fit(self) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)

    def _check(self) -> None:
        one_of("scope", self.scope, ("fold", "all"))

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
            target_tags=TargetTags(required=self._needs_classes),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(allow_nan=True, categorical=True, string=True),
        )


class ReplaceMissing(ColumnTransformer):
    """Missing cells become the mean (numeric) or the mode (nominal) of the training rows; the class
    is untouched.

    As Weka's ReplaceMissingValues: the mean is a running sum in row order divided by the weight.
    The mode is the first of the most frequent levels; a column without any known value gets 0 or
    its first level.

    Args:
        scope: ``"fold"``: learned on the training rows of each fold; ``"all"``: on all rows.

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
        return Column(column.name, "nominal", codes, levels, ordered=column.ordered)

    def _frame(self, X: Any, columns: Mapping[int, Column]) -> Any:
        numeric = {j: c for j, c in columns.items() if c.kind == "numeric"}
        labels = {j: (c, self.modes_[c.name]) for j, c in columns.items() if c.kind == "nominal"}
        return fill_labels(replace_columns(X, numeric), labels)

    def _array(self, table: Table, columns: Mapping[int, Column]) -> np.ndarray:
        return table.with_columns(columns.get(j, c) for j, c in enumerate(table.columns)).X


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    counted = ~np.isnan(values)
    weights = np.ones(len(values)) if weights is None else weights
    counted &= weights > 0
    if not counted.any():
        return 0.0
    values, weights = values[counted], weights[counted]
    weight = float(np.cumsum(weights)[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        # cumsum adds one cell after the other; sum would pair them and differ in the last bit.
        mean = float(np.cumsum(weights * values)[-1] / weight)
    return mean if np.isfinite(mean) else float(np.cumsum(weights / weight * values)[-1])


def _mode(column: Column, weights: np.ndarray | None) -> Any:
    if not column.levels:
        return None
    codes = column.values.astype(np.int64)
    present = codes >= 0
    counts = np.bincount(
        codes[present], None if weights is None else weights[present], len(column.levels)
    )
    return column.levels[int(counts.argmax())]
