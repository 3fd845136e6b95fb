"""`Estimator`, the base class of all trees and forests.

What
    It reads the training rows of a fit (`_training_rows`) and the new rows of a prediction
    (`_encode`), holds the model of the core (`_set_model`), and writes model files. Predictions and
    scores are in its subclasses `Classifier` (`classifying`) and `Regressor` (`regressing`), what
    single trees do in `TreeEstimator` (`tree_estimator`).
Complexity
    Of an array one pass over cells, labels and weights; of a frame also the checks of
    `table/data_checks`, the larger part of the calls.
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
from ..table.sources import to_list
from ..table.target import no_target
from . import explored, shapley, sklearn_trees
from .declaration import check
from .labelled_rows import resolve_names_for, without_unknown_columns
from .new_rows import encode_rows
from .pickling import restore_state, state_for_pickle
from .schema import Schema
from .training_rows import (
    FittedOn,
    KeptRows,
    TrainingRows,
    warn_of_few_rows,
    without_empty_rows,
)

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
    """Base class of estimators that hold a model of the core: it reads rows and writes model files.

    Attributes:
        _model: the model of the core; not set before `fit`.
        _schema: the columns of the model.
        _task: whether the target has classes or is a number.
        _derived: attributes that follow from the model, which pickles leave out.
    """

    _task: Task = "classification"
    _derived = ("_schema", "_tree", "_trace")
    __getstate__, __setstate__ = state_for_pickle, restore_state

    # Methods that are functions of a fitted estimator, each in the module of its subject.
    explore = explored.explore
    to_sklearn = sklearn_trees.to_sklearn
    shap_values, shap_explanation = shapley.shap_values, shapley.shap_explanation
    expected_value = property(shapley.expected_value)

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

    # -- the rows of a fit ------------------------------------------------------------------------

    def _training_rows(
        self, X: Any, y: Any, sample_weight: MaybeArray, exposure: MaybeArray = None
    ) -> TrainingRows:
        """The labelled and weighted rows of a fit, from whatever `fit` was given.

        Args:
            X, y, sample_weight, exposure: as in `fit`; with an exposure the target becomes rates.

        Returns:
            The rows of weight > 0. Their cells may be the caller's own arrays.

        Raises:
            ValueError: no target, weights or cells outside their domain, or an exposure without
                ``criterion="poisson"``.
        """
        check("handle_unknown", self.handle_unknown)
        X, y = resolve_names(X, y, self._task, as_given=self._as_given)
        X, exposure = pop_if_named(X, exposure, "exposure")
        table, sample_weight, kept = self._table_with_target(X, y, sample_weight)
        if exposure is not None:
            table = with_exposure(table, exposure, kept)
        if table.exposure is not None and criteria.name_of(self.criterion) != "poisson":
            raise ValueError(
                f"{option('exposure')} with criterion={criteria.name_of(self.criterion)!r}: only "
                "criterion='poisson' has rates"
            )
        rows = self._weigh(table, sample_weight, kept)
        warn_of_few_rows(self.criterion, rows.table, rows.weights)
        inspect(rows.table, "as_given").warn(of_trees=True)
        return rows

    def _table_with_target(
        self, X: Any, y: Any, sample_weight: MaybeArray
    ) -> tuple[Table, MaybeArray, KeptRows | None]:
        """The Table of a fit without the rows of weight 0, the weights of its rows, and which of
        the given rows it holds (None: all)."""
        kept = None
        if not isinstance(X, Table):
            if y is None:
                raise no_target()
            if sample_weight is not None:
                X, y, sample_weight, kept = without_empty_rows(X, y, sample_weight)
        table = self._make_table(X, y)
        if table.target is None:
            raise no_target()
        return table, sample_weight, kept

    def _make_table(self, X: Any, y: Any) -> Table:
        """X and y as the Table that a fit reads."""
        kinds = self.categorical_features
        return screened_table(X, y, self.columns, categorical_features=kinds, task=self._task)

    def _weigh(
        self, table: Table, sample_weight: MaybeArray, kept: KeptRows | None = None
    ) -> TrainingRows:
        """The rows of a Table with their weights, class weights and priors."""
        class_weight, priors = getattr(self, "class_weight", None), getattr(self, "priors", None)
        return TrainingRows.of(table, sample_weight, class_weight, priors, kept)

    @property
    def _as_given(self) -> bool:
        """Whether all columns of frames and files are used as they are."""
        return kept_columns(self.columns) is None

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

    def _set_model(self, model: Any, classes: np.ndarray, has_names: bool) -> None:
        """Hold a model of the core, and set the attributes that follow from it.

        Args:
            model: the model, of a fit, a file, a pruning or a forest.
            classes: class labels, shape (n_classes,); empty for a regressor.
            has_names: whether the user named the columns.
        """
        for cached in ("_tree", "_trace", "_float32_conflicts"):
            self.__dict__.pop(cached, None)
        self._model = model
        self._schema = Schema.of_model(model, has_names, type(self).__name__)
        given = self._schema.given_names
        self.n_features_in_ = len(given)
        self.__dict__.pop("feature_names_in_", None)
        if has_names:
            self.feature_names_in_ = np.array(given, dtype=object)

    def _load_model(self, model: Any, classes: np.ndarray, has_names: bool) -> None:
        """Hold a whole fitted model, whose parameters also have the results of the fit that are not
        in the tree; see `_set_model`."""
        self._set_model(model, classes, has_names)

    def _finish_fit(self, model: Any, rows: TrainingRows) -> Self:
        """Hold the model that a fit on `rows` has found; returns the estimator."""
        self._load_model(model, rows.table.class_values, rows.table.has_feature_names)
        sklearn_trees.remember_rounding(self, rows)
        return self

    def _class_labels(self) -> np.ndarray:
        """The class labels, shape (n_classes,); empty for a regressor."""
        return np.asarray(getattr(self, "classes_", ()))

    def _load_state(self, data: bytes) -> None:
        """Read the model of a pickle from the bytes of its model file; see `pickling`."""
        forest = b'"fasttree forest"' in data[:64]
        read = _engine.forest_from_bytes if forest else _engine.model_from_bytes
        self._model = read(data)
        has_names = "feature_names_in_" in self.__dict__
        self._schema = Schema.of_model(self._model, has_names, type(self).__name__)

    def _remember_rows(self, fitted_on: FittedOn) -> None:
        """Keep the training rows if predictions read them. Predictions of quantiles do; a
        classifier keeps nothing."""

    def _resolve_names(self, X: Any, y: Any, *named: Any) -> tuple[Any, Any]:
        """Rows and target in place of the names of data sets, files and columns.

        Args:
            X, y: what a method was given.
            named: further columns of a file that stay in X, beside those that the model reads.
        """
        if "_schema" not in self.__dict__:
            return resolve_names(X, y, self._task, as_given=self._as_given)
        return resolve_names_for(self._schema, X, y, self._task, *named, as_given=self._as_given)

    def _rows_and_groups(self, X: Any, y: Any, groups: Any) -> tuple[Any, Any, list[Any] | None]:
        """Rows, target, and the group of each row (None without groups).

        Args:
            X, y: what a method was given.
            groups: one per row, or the name of a column, which stays in X only if it is a feature
                of the model.
        """
        check_is_fitted(self)
        X, y = self._resolve_names(X, y, groups)
        if groups is None:
            return X, y, None
        rest, cells = pop_if_named(X, groups, "groups")
        is_feature = isinstance(groups, str) and groups in self._schema.names
        X = X if is_feature else rest
        labels = to_list(cells)
        group_codes(labels, len(X if y is None else y))  # refuses rows without a group
        return X, y, labels

    # -- new rows ---------------------------------------------------------------------------------

    def _refuse_unfitted(self) -> None:
        """Raise scikit-learn's NotFittedError without a model. Its `check_is_fitted` costs more
        than a prediction of one row, so it is called only where it raises."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)

    def _encode(self, X: Any) -> tuple[list[np.ndarray], int]:
        """New rows as blocks of columns for the core, and their number; see `encode_rows`."""
        self._refuse_unfitted()
        if type(X) is np.ndarray and "feature_names_in_" in self.__dict__ and not X.dtype.names:
            warn_caller(
                f"X does not have valid feature names, but {type(self).__name__} was fitted with "
                "feature names: the columns are taken in the order of the fit; give a frame with "
                f"the names {', '.join(map(repr, self._schema.names[:3]))}"
                f"{', ...' if len(self._schema.names) > 3 else ''}",
                UserWarning,
            )
        return encode_rows(self._schema, self._new_rows(X), self.handle_unknown, self.missing)

    def _new_rows(self, X: Any) -> Any:
        """X, or the rows of the file that it names."""
        if not isinstance(X, (str, os.PathLike)):
            return X
        options = {"as_given": self._as_given, "missing": self._schema.file_cells}
        rows = read_new_rows(X, self._schema.target, self._schema.given_names, **options)
        return without_unknown_columns(self._schema, rows)

    def plot_importances(self, ax: Any = None, **options: Any) -> Any:
        """Draw the importances of the features (`feature_importances_`) as bars.

        Args:
            ax: the axes to draw on; None makes a new figure.
            options: further arguments of `fasttree.plots.plot_importances`.

        Returns:
            The axes of matplotlib, which the extra ``plots`` installs.
        """
        from ..plots import plot_importances

        return plot_importances(self, ax=ax, **options)

    # -- model files ------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The content of the model file: a versioned JSON document with a checksum.

        `fasttree.from_bytes` reads it again. It holds the schema, the nodes and the parameters, but
        not the training rows. The function of a user's criterion is stored by its name alone.
        """
        check_is_fitted(self)
        return self._model.to_bytes()

    def save(self, path: str | Path) -> None:
        """Write the model to a file, which `fasttree.load` reads.

        The file is replaced in one step: after an error or a crash it holds its old content or the
        new one, never a part of it. The content is the result of `to_bytes`.
        """
        save_bytes(path, self.to_bytes())
