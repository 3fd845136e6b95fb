"""Estimators that are fitted on Dask collections, and predict on them lazily.

What
    `DaskFastTreeClassifier` and `DaskFastForestClassifier` are the estimators of one machine whose
    `fit` takes Dask collections. A Dask collection given to `predict` or `predict_proba` gives
    another one; rows in memory are predicted at once.
Complexity
    Fitting: `fasttree.distributed.fit`. Prediction: that of the model, in each partition.
When not to use it
    While the rows fit on one machine.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._checks.aliases import MaybeArray
from ..estimators import FastForestClassifier, FastTreeClassifier
from .fitting import fit_estimator

__all__ = ["DaskFastForestClassifier", "DaskFastTreeClassifier"]


def _on_histograms(kind: type) -> Any:
    """The constructor of an estimator, with histograms as default."""
    old: Any = kind.__init__  # type: ignore[misc]
    new = FunctionType(old.__code__, old.__globals__, "__init__", old.__defaults__, old.__closure__)
    new.__kwdefaults__ = {**old.__kwdefaults__, "threshold_search": "histogram"}
    new.__annotations__ = old.__annotations__
    return new


def _is_dask(X: Any) -> bool:
    return hasattr(X, "dask") and hasattr(X, "compute")


def _of_blocks(block: np.ndarray, ask: str, model: Any) -> np.ndarray:
    return np.asarray(getattr(model, ask)(block))


def _of_frames(frame: Any, ask: str, model: Any, names: list[str] | None) -> Any:
    import pandas

    found = getattr(model, ask)(frame) if len(frame) else _nothing(ask, model)
    if names is None:
        return pandas.Series(found, index=frame.index, name=ask)
    return pandas.DataFrame(found, index=frame.index, columns=names)


def _nothing(ask: str, model: Any) -> np.ndarray:
    k = len(model.classes_)
    return model.classes_[:0] if ask == "predict" else np.empty((0, k))


class _Lazy:
    """Fitting and prediction on Dask collections; a base beside an estimator."""

    classes_: np.ndarray

    def fit(
        self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None, *, client: Any = None
    ) -> Any:
        """Fit on the partitions of a Dask collection.

        Args:
            X: a Dask DataFrame, a Dask Array, or the path of a Parquet file or folder.
            y: labels: the name of a column, or a Dask collection with the partitions of X.
            sample_weight: None, the name of a column, or a Dask collection: copies of rows.
            client: a ``distributed.Client``; None takes the connected one.

        Returns:
            The estimator.
        """
        return fit_estimator(self, X, y, sample_weight, client)

    def predict(self, X: Any) -> Any:
        """Class labels: a Dask Series or Array where X is a Dask collection, else an array
        (n_rows,)."""
        if not _is_dask(X):
            return super().predict(X)  # type: ignore[misc]
        return self._lazily(X, "predict")

    def predict_proba(self, X: Any) -> Any:
        """Class probabilities in the order of `classes_`: a Dask DataFrame or Array where X is a
        Dask collection, else an array (n_rows, n_classes)."""
        if not _is_dask(X):
            return super().predict_proba(X)  # type: ignore[misc]
        return self._lazily(X, "predict_proba")

    def _lazily(self, X: Any, ask: str) -> Any:
        check_is_fitted(self)
        if hasattr(X, "map_partitions"):
            names = None if ask == "predict" else [str(c) for c in self.classes_]
            empty = _of_frames(X._meta.iloc[:0], ask, self, names)
            return X.map_partitions(_of_frames, ask, self, names, meta=empty)
        k = len(self.classes_)
        kind = self.classes_.dtype if ask == "predict" else np.dtype(np.float64)
        rows = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
        if ask == "predict":
            return rows.map_blocks(_of_blocks, ask, self, dtype=kind, drop_axis=1)
        return rows.map_blocks(_of_blocks, ask, self, dtype=kind, chunks=(rows.chunks[0], (k,)))


class DaskFastTreeClassifier(_Lazy, FastTreeClassifier):
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

    __init__ = _on_histograms(FastTreeClassifier)


class DaskFastForestClassifier(_Lazy, FastForestClassifier):
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

    __init__ = _on_histograms(FastForestClassifier)
