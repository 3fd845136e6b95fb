"""`Estimator`: what every estimator with a fitted model of the core shares.

What
    Rows and weights on their way in, the columns of the model, and the model file. What is
    predicted, and how it is judged, is in `classifying` and `regressing`.
Complexity
    One pass over labels and weights.
When not to use it
    Alone: it is the base of `Classifier` and `Regressor`.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine, criteria
from .._checks.aliases import MaybeArray, Self, Task
from .._checks.data_warnings import warn_caller
from .._checks.naming import functions_named
from .._checks.saving import save_bytes
from .._checks.words import option
from ..datasets.inputs import read_new_rows, resolve_names
from ..table import Table
from ..table.data_checks import inspect
from ..table.data_checks.findings import kept_columns
from ..table.data_checks.frames import screened_table
from ..table.exposure import with_exposure
from ..table.groups import group_codes
from ..table.named_columns import pop_if_named
from ..table.sources import listed
from ..table.target import no_target
from . import explored, interoperable
from .declaration import check
from .new_rows import own_columns, rows_for, with_labels
from .schema import Schema
from .stored import state_of, take_state
from .training_rows import FittedOn, TrainingRows, warn_of_few_rows, without_empty_rows

if TYPE_CHECKING:

    class BaseEstimator:
        """scikit-learn's class, which has no types: without these lines, type checkers would take
        any keyword for a parameter of an estimator."""

        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __repr__(self, N_CHAR_MAX: int = 700) -> str: ...
        def __sklearn_tags__(self) -> Any: ...
        def _repr_html_(self) -> str: ...
        def __getattr__(self, name: str) -> Any: ...

    class ClassifierMixin(BaseEstimator):
        """scikit-learn's class; see `BaseEstimator`."""

    class RegressorMixin(BaseEstimator):
        """scikit-learn's class; see `BaseEstimator`."""

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

__all__ = ["ClassifierMixin", "Estimator", "RegressorMixin"]


class Estimator(BaseEstimator):
    """Intake, prediction and storage of an estimator whose `_model` is one of the core's."""

    _derived = ("_schema", "_tree", "_trace")
    __getstate__, __setstate__ = state_of, take_state
    _task: Task = "classification"

    # What a fitted model is asked: a function per question.
    explore = explored.explore
    to_sklearn, plot_importances = interoperable.to_sklearn, interoperable.plot_importances
    shap_values, shap_explanation = interoperable.shap_values, interoperable.shap_explanation
    expected_value = property(interoperable.expected_value)

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Names of the parameters, found once (scikit-learn reads the signature at every call)."""
        return super()._get_param_names()

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:  # as scikit-learn calls it
        return functions_named(super().__repr__(N_CHAR_MAX))

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: missing values and nominal columns are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = True
        return tags

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    # -- on the way in ----------------------------------------------------------------------------

    def _training_rows(
        self, X: Any, y: Any, sample_weight: MaybeArray, exposure: MaybeArray = None
    ) -> TrainingRows:
        """The Table of a fit with its target, of counts with an `exposure` their rates, and the
        weights of its rows and of its classes."""
        X, y = resolve_names(X, y, self._task, as_given=self._as_given)
        if exposure is not None and self._task == "classification":
            raise ValueError(f"{option('exposure')} with classes: only counts have rates")
        X, exposure = pop_if_named(X, exposure, "exposure")
        table, sample_weight, kept = self._labelled_table(X, y, sample_weight)
        if exposure is not None:  # numbers become rates
            table = with_exposure(table, exposure, kept)
        return self._weighed(table, sample_weight, kept)

    def _labelled_table(
        self, X: Any, y: Any, sample_weight: MaybeArray
    ) -> tuple[Table, MaybeArray, tuple[np.ndarray, int] | None]:
        """The Table of rows whose names are resolved, their weights, and which rows it has: rows
        of weight 0 are dropped before anything else."""
        kept = None
        if not isinstance(X, Table):
            if y is None:
                raise no_target()
            if sample_weight is not None:
                X, y, sample_weight, kept = without_empty_rows(X, y, sample_weight)
        table = self._table(X, y)
        if table.target is None:
            raise no_target()
        return table, sample_weight, kept

    def _weighed(
        self, table: Table, sample_weight: MaybeArray, kept: tuple[np.ndarray, int] | None
    ) -> TrainingRows:
        """The rows of a fit with their weights, after a look at what the fit will make of them."""
        check("handle_unknown", self.handle_unknown)
        if table.exposure is not None and criteria.name_of(self.criterion) != "poisson":
            raise ValueError(
                f"{option('exposure')} with criterion={criteria.name_of(self.criterion)!r}: only "
                "criterion='poisson' has rates"
            )
        rows = self._weighted(table, sample_weight, kept)
        warn_of_few_rows(self.criterion, rows.table, rows.weights)
        inspect(rows.table, "as_given").warn(of_trees=True)
        return rows

    @property
    def _as_given(self) -> bool:
        """Whether all columns of frames and files are used as they are."""
        return kept_columns(self.columns) is None

    def _table(self, X: Any, y: Any) -> Table:
        """The Table that a fit reads."""
        kinds = self.categorical_features
        return screened_table(X, y, self.columns, categorical_features=kinds, task=self._task)

    def _weighted(
        self,
        table: Table,
        sample_weight: MaybeArray,
        kept: tuple[np.ndarray, int] | None = None,
    ) -> TrainingRows:
        """Rows of a Table with their weights and the weights of their classes."""
        class_weight, priors = getattr(self, "class_weight", None), getattr(self, "priors", None)
        return TrainingRows.of(table, sample_weight, class_weight, priors, kept)

    @property
    def route_(self) -> str:
        """The form in which `fit` read the rows, and why, as a short text. It depends on the
        parameters and the rows alone. A model file does not hold it.

        Examples:
            >>> import fasttree
            >>> fasttree.fit([[0.5], [1.5]], [0, 1]).route_
            'sorted orders: no other route serves'
        """
        check_is_fitted(self)
        route: str | None = self._model.route
        if route is None:
            raise AttributeError(
                "route_ is known of a tree or forest that fit has grown, not of one that was "
                "searched, loaded, pruned or joined"
            )
        return route

    def _adopt(self, model: Any, classes: np.ndarray, has_names: bool) -> None:
        """Take over a model of the core with its columns; `classes` are none of a regressor."""
        for cached in ("_tree", "_trace", "_float32_conflicts"):
            self.__dict__.pop(cached, None)
        self._model = model
        self._schema = Schema.of_model(model, has_names, type(self).__name__)
        given = self._schema.given_names
        self.n_features_in_ = len(given)
        self.__dict__.pop("feature_names_in_", None)
        if has_names:
            self.feature_names_in_ = np.array(given, dtype=object)

    def _restore(self, model: Any, classes: np.ndarray, has_names: bool) -> None:
        """`_adopt` a model that holds all that a fit has found."""
        self._adopt(model, classes, has_names)

    def _take(self, model: Any, rows: TrainingRows) -> Self:
        """Become the estimator of a model that was found on some rows."""
        self._restore(model, rows.table.class_values, rows.table.has_feature_names)
        interoperable.remember_rounding(self, rows)
        return self

    def _labels_known(self) -> np.ndarray:
        """The class labels; none of a regressor."""
        return np.asarray(getattr(self, "classes_", ()))

    def _take_back(self, data: bytes) -> None:
        forest = b'"fasttree forest"' in data[:64]
        read = _engine.forest_from_bytes if forest else _engine.model_from_bytes
        self._model = read(data)
        has_names = "feature_names_in_" in self.__dict__
        self._schema = Schema.of_model(self._model, has_names, type(self).__name__)

    def _keep_rows(self, fitted_on: FittedOn) -> None:
        """Keep the training rows, if answers need them; a classifier's need none."""

    def _labelled_rows(self, X: Any, y: Any, *named: Any) -> tuple[Any, Any]:
        """X and y with names resolved; of a fitted estimator as in `with_labels`."""
        if "_schema" not in self.__dict__:
            return resolve_names(X, y, self._task, as_given=self._as_given)
        return with_labels(self._schema, X, y, self._task, *named, as_given=self._as_given)

    def _rows_and_groups(self, X: Any, y: Any, groups: Any) -> tuple[Any, Any, list[Any] | None]:
        """X and y with names resolved, and the groups of the rows; a column that names them stays
        in X where the model knows it."""
        check_is_fitted(self)
        X, y = self._labelled_rows(X, y, groups)
        if groups is None:
            return X, y, None
        rest, cells = pop_if_named(X, groups, "groups")
        is_feature = isinstance(groups, str) and groups in self._schema.names
        X = X if is_feature else rest
        labels = listed(cells)
        group_codes(labels, len(X if y is None else y))  # refuses rows without a group
        return X, y, labels

    # -- on the way out ---------------------------------------------------------------------------

    def _refuse_unfitted(self) -> None:
        """Refuse an estimator without a model. scikit-learn's `check_is_fitted` costs more than a
        walk down the tree, so it is called where it raises."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)

    def _blocks(self, X: Any) -> tuple[list[np.ndarray], int]:
        self._refuse_unfitted()
        if type(X) is np.ndarray and "feature_names_in_" in self.__dict__ and not X.dtype.names:
            warn_caller(
                f"X does not have valid feature names, but {type(self).__name__} was fitted with "
                "feature names: the columns are taken in the order of the fit; give a frame with "
                f"the names {', '.join(map(repr, self._schema.names[:3]))}"
                f"{', ...' if len(self._schema.names) > 3 else ''}",
                UserWarning,
            )
        return rows_for(self._schema, self._new_rows(X), self.handle_unknown, self.missing)

    def _new_rows(self, X: Any) -> Any:
        """X, or the rows of the file that it names."""
        if not isinstance(X, (str, os.PathLike)):
            return X
        options = {"as_given": self._as_given, "missing": self._schema.file_cells}
        rows = read_new_rows(X, self._schema.target, self._schema.given_names, **options)
        return own_columns(self._schema, rows)

    # -- keeping the model ------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The model file's content: a versioned JSON document with a checksum."""
        check_is_fitted(self)
        return self._model.to_bytes()

    def save(self, path: str | Path) -> None:
        """Write the model to a file, at once or not at all; `fasttree.load` reads it."""
        save_bytes(path, self.to_bytes())
