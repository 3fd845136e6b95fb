"""`Selector`: what selectors by a score of each feature share.

What
    Rows on their way in, the columns that stay on their way out: a Table gives a Table, a frame a
    frame of the same library, an array an array.
Complexity
    `transform` copies the columns that stay.
When not to use it
    Alone: `CriterionSelector` and `TuRF` say which features stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._checks.aliases import CategoricalFeatures, ColumnUse, MaybeArray
from .._checks.progress import Progress
from ..datasets.inputs import given, loaded
from ..table import Table
from ..table.data_checks.findings import kept_columns
from ..table.data_checks.unreadable import table_to_inspect
from ..table.rebuild import is_frame, renamed


@dataclass(init=False, kw_only=True, eq=False, repr=False)
class Selector(SelectorMixin, TransformerMixin, BaseEstimator):
    """Intake and output of a selector whose `support_` is fitted by `_choose`."""

    categorical_features: CategoricalFeatures = "from_dtype"
    columns: ColumnUse = "auto"
    n_jobs: int | None = None
    progress: Progress = None

    def fit(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> Any:
        """Score the features and choose those that stay.

        Args:
            X: rows, or a `Table` with its target (then y is None).
            y: labels, shape (n_rows,).
            sample_weight: weights >= 0, shape (n_rows,).

        Returns:
            The selector.

        Raises:
            ValueError: a parameter outside its domain, or no labels.
        """
        as_given = kept_columns(self.columns) is None
        X, y = given(X, y, "classification", as_given=as_given)
        if isinstance(X, Table):
            table = X
            self.n_features_in_ = table.n_features
            self.__dict__.pop("feature_names_in_", None)
            if table.has_feature_names:
                self.feature_names_in_ = np.array(table.feature_names, dtype=object)
        elif y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        else:
            validate_data(self, X, skip_check_array=True)
            roles = self.categorical_features
            table = table_to_inspect(X, y, self.columns, categorical_features=roles)
        self.support_: np.ndarray = self._choose(table, sample_weight)
        return self

    def _options(self, *more: str) -> dict[str, Any]:
        """The parameters that scoring takes."""
        shared = ("criterion", "columns", "n_jobs", "progress")
        return {name: getattr(self, name) for name in (*shared, *more)}

    def _choose(self, table: Table, sample_weight: MaybeArray) -> np.ndarray:
        """Mask of the features that stay, shape (n_features,)."""
        raise NotImplementedError

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def transform(self, X: Any) -> Any:
        """The columns that stay, of rows X.

        Returns:
            A Table, a frame (its columns keep names and kinds), or an array, as X is; what
            `set_output` asks for, if it was called.

        Raises:
            ValueError: other columns than in `fit`.
        """
        X = loaded(X)
        places = self.get_support(indices=True)
        if isinstance(X, Table):
            if X.n_features != self.n_features_in_:
                raise ValueError(
                    f"X has {X.n_features} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
            part = Table.from_columns(
                [X.column(int(j)) for j in places], X.target_column, name=X.name
            )
            part.sample_weight = X.sample_weight
            return part
        if not is_frame(X):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        part = frame.select([frame.columns[j] for j in places]).to_native()
        return renamed(part, self.get_feature_names_out())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags
