"""Estimators that are fitted on Dask collections, and predict on them lazily.

What
    `DaskFastTreeClassifier`, `DaskFastTreeRegressor`, `DaskFastForestClassifier` and
    `DaskFastForestRegressor` are the estimators of one machine with a `fit` for Dask collections.
    `predict` and `predict_proba` accept a Dask collection and return one, which is computed later;
    rows in memory are predicted at once.
Complexity
    Fitting costs as much as `fasttree.distributed.fit`, prediction as much as the model in each
    partition.
When not to use it
    If the rows fit one machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import estimators
from .._checks.aliases import MaybeArray
from ..estimators.constructors import with_parameters
from ..estimators.declaration import FOREST, REGRESSION_FOREST, REGRESSION_TREE, TREE
from .fitting import fit_estimator


def _is_dask(X: Any) -> bool:
    return hasattr(X, "dask") and hasattr(X, "compute")


def _predict_block(block: np.ndarray, method: str, model: Any) -> np.ndarray:
    """Predict an array, by the name of a method of the model."""
    return np.asarray(getattr(model, method)(block))


def _predict_frame(frame: Any, method: str, model: Any, names: list[str] | None) -> Any:
    """Predict a data frame; `names` are the columns of probabilities, None for labels."""
    import pandas

    answers = getattr(model, method)(frame) if len(frame) else _no_rows(method, model)
    if names is None:
        return pandas.Series(answers, index=frame.index, name=method)
    return pandas.DataFrame(answers, index=frame.index, columns=names)


def _no_rows(method: str, model: Any) -> np.ndarray:
    """The predictions of no rows."""
    labels = _labels(model)
    return labels[:0] if method == "predict" else np.empty((0, len(labels)))


def _labels(model: Any) -> np.ndarray:
    """The class labels of a classifier; for a regressor, an empty array of numbers."""
    return np.asarray(getattr(model, "classes_", np.empty(0)))


class _OnDask:
    """Fitting and prediction on Dask collections; a mixin before an estimator."""

    def fit(
        self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None, *, client: Any = None
    ) -> Any:
        """Fit on the partitions of a Dask collection.

        Args:
            X: a Dask DataFrame, a Dask Array, or the path of a Parquet file or folder.
            y: labels or numbers: the name of a column, or a Dask collection with the partitions of
                X.
            sample_weight: None, the name of a column, or a Dask collection: copies of rows.
            client: a ``distributed.Client``; None takes the connected one.

        Returns:
            The estimator.
        """
        return fit_estimator(self, X, y, sample_weight, client)

    def predict(self, X: Any) -> Any:
        """Class labels or numbers: a Dask Series or Array where X is a Dask collection, else an
        array (n_rows,)."""
        return self._predicted(X, "predict")

    def _predicted(self, X: Any, method: str) -> Any:
        """Predictions by the method of the given name: for a Dask collection a Dask collection, for
        rows in memory an array."""
        if not _is_dask(X):
            return getattr(super(), method)(X)
        check_is_fitted(self)
        if hasattr(X, "map_partitions"):
            names = None if method == "predict" else [str(label) for label in _labels(self)]
            empty = _predict_frame(X._meta.iloc[:0], method, self, names)
            return X.map_partitions(_predict_frame, method, self, names, meta=empty)
        # A block of an array holds all columns of its rows.
        rows = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
        if method == "predict":
            dtype = _labels(self).dtype
            return rows.map_blocks(_predict_block, method, self, dtype=dtype, drop_axis=1)
        chunks = (rows.chunks[0], (len(_labels(self)),))
        return rows.map_blocks(_predict_block, method, self, dtype=np.float64, chunks=chunks)


class _ClassifiesOnDask(_OnDask):
    """`_OnDask` for classifiers."""

    def predict_proba(self, X: Any) -> Any:
        """Class probabilities in the order of `classes_`: a Dask DataFrame or Array where X is a
        Dask collection, else an array (n_rows, n_classes)."""
        return self._predicted(X, "predict_proba")


@with_parameters(TREE, threshold_search="histogram")
class DaskFastTreeClassifier(_ClassifiesOnDask, estimators.FastTreeClassifier):  # type: ignore[misc]
    """`fasttree.FastTreeClassifier` on Dask collections.

    Args:
        **params: the parameters of `fasttree.FastTreeClassifier`; ``threshold_search`` is
            ``"histogram"``.

    Examples:
        >>> import dask.array as da, distributed
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0, 0, 1, 1], chunks=2)
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     tree = DaskFastTreeClassifier(max_depth=2).fit(X, y)
        ...     tree.predict(X).compute().tolist()
        [0, 0, 1, 1]
    """


@with_parameters(FOREST, threshold_search="histogram")
class DaskFastForestClassifier(_ClassifiesOnDask, estimators.FastForestClassifier):
    """`fasttree.FastForestClassifier` on Dask collections.

    Args:
        **params: the parameters of `fasttree.FastForestClassifier`; ``threshold_search`` is
            ``"histogram"``.

    Examples:
        >>> import dask.array as da, distributed
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([0, 0, 1, 1], chunks=2)
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     forest = DaskFastForestClassifier(n_estimators=3, random_state=1).fit(X, y)
        ...     forest.predict_proba(X).compute().shape
        (4, 2)
    """


@with_parameters(REGRESSION_TREE, threshold_search="histogram")
class DaskFastTreeRegressor(_OnDask, estimators.FastTreeRegressor):  # type: ignore[misc]
    """`fasttree.FastTreeRegressor` on Dask collections.

    Args:
        **params: the parameters of `fasttree.FastTreeRegressor`; ``threshold_search`` is
            ``"histogram"``.

    Examples:
        >>> import dask.array as da, distributed
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([1.0, 2.0, 7.5, 8.5], chunks=2)
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     tree = DaskFastTreeRegressor(max_depth=1).fit(X, y)
        ...     tree.predict(X).compute().tolist()
        [1.5, 1.5, 8.0, 8.0]
    """


@with_parameters(REGRESSION_FOREST, threshold_search="histogram")
class DaskFastForestRegressor(_OnDask, estimators.FastForestRegressor):  # type: ignore[misc]
    """`fasttree.FastForestRegressor` on Dask collections.

    Args:
        **params: the parameters of `fasttree.FastForestRegressor`; ``threshold_search`` is
            ``"histogram"``.

    Examples:
        >>> import dask.array as da, distributed
        >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
        >>> y = da.from_array([1.0, 2.0, 7.5, 8.5], chunks=2)
        >>> with distributed.Client(processes=False, dashboard_address=None) as client:
        ...     forest = DaskFastForestRegressor(n_estimators=3, random_state=1).fit(X, y)
        ...     forest.predict(X).compute().shape
        (4,)
    """
