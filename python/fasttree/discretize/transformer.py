"""`ColumnTransformer`: the base class of the discretisers and the imputer.

It checks rows and names, keeps the kind of the input (array, frame or Table), and calls the methods
that a subclass defines: `_learn`, `_concerns`, `_apply` and `_array`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from .._checks import Parameters, one_of, row_weights
from .._checks.aliases import MaybeArray
from ..table import Table
from ..table.columns import Column
from ..table.rebuild import is_frame, renamed, replace_columns

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
