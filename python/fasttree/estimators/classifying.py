"""`Classifier`, the base class of trees and forests that predict classes.

What
    Labels, probabilities, accuracy and evaluation of an estimator with a fitted model.
    `FastTreeClassifier` and `FastForestClassifier` inherit it; `Regressor` is its counterpart for
    numbers.
Complexity
    O(depth) per row and tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import is_missing, refuse_masked, weights_array
from .._checks.aliases import MaybeArray
from .._checks.data_warnings import warnings_about
from ..table import Table
from ..table.columns import object_family
from ..table.target import no_target
from .base import ClassifierMixin, Estimator
from .recoding import as_declared


class Classifier(ClassifierMixin, Estimator):
    """Prediction of classes by an estimator whose `_model` is a model of the core.

    Trees and forests inherit it. Every method encodes new rows by the schema of the fit (columns by
    name where both have names, else by position), and raises scikit-learn's NotFittedError before a
    fit.
    """

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: several classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def _set_model(self, model: Any, classes: np.ndarray, has_names: bool) -> None:
        super()._set_model(model, classes, has_names)
        self.classes_ = classes
        self.n_classes_ = len(classes)
        counts = self._model.totals()
        self.class_prior_ = (counts + 0.5) / (counts.sum() + len(counts) / 2)

    def _predictions(self, model: Any, blocks: list[np.ndarray], n: int) -> np.ndarray:
        """The labels that a model of the core predicts for n encoded rows, shape (n,)."""
        codes = model.predict(blocks, n, self.n_jobs)
        if codes.size and codes.min() < 0:
            out = np.empty(len(codes), dtype=object)
            has_class = codes >= 0
            out[has_class] = self.classes_[codes[has_class]]
            return out
        return np.asarray(self.classes_[codes])

    def predict(self, X: Any) -> np.ndarray:
        """Class labels of new rows, shape (n_rows,), in the dtype of the labels of the fit.

        A leaf without training rows may predict nothing (``empty_branch="unclassified"``). If a row
        ends in such a leaf, the result is an object array with None for this row.

        Args:
            X: rows: an array, a frame, a mapping of columns, a `Table`, or the path of a file.

        Raises:
            ValueError: another number of columns, or a missing value with ``missing="error"``.
            TypeError: cells of another kind than in the fit.
        """
        blocks, n = self._encode(X)
        return self._predictions(self._model, blocks, n)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities in the order of `classes_`, shape (n_rows, n_classes).

        A tree gives the shares of the classes in the leaf of the row, by weight and after
        `leaf_smoothing`; a forest gives the mean over its trees. Each row sums to 1, except where a
        leaf predicts nothing (``empty_branch="unclassified"``): there a tree gives zeros.

        Args:
            X: rows, as in `predict`.
        """
        blocks, n = self._encode(X)
        return np.asarray(self._model.predict_proba(blocks, n, self.n_jobs))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Natural logarithms of `predict_proba`, shape (n_rows, n_classes).

        A probability of 0 gives -inf, without a warning. Without `leaf_smoothing` pure leaves have
        such probabilities, so a sum of logarithms over rows may be -inf.

        Args:
            X: rows, as in `predict`.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> float:
        """Accuracy: the weighted share of rows whose predicted label is the given one, in [0, 1].

        A row that is not classified, because its leaf predicts nothing, counts as an error.

        Args:
            X, y: rows and labels, a Table (then y is None), or the name of a data set.
            sample_weight: weights of the rows, shape (n_rows,); None weighs all alike.

        Raises:
            ValueError: no labels, or another number of labels than rows.
        """
        X, y = self._rows_and_target(X, y)
        return self._score_of(self.predict(X), y, sample_weight)

    def _rows_and_target(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows and labels in place of names; a Table without y brings its labels.

        Raises:
            ValueError: no labels.
        """
        X, y = self._resolve_names(X, y)
        if isinstance(X, Table) and y is None:
            y = X.y
        if y is None:
            raise no_target()
        return X, y

    def _score_of(
        self, predicted: np.ndarray, labels: Any, sample_weight: MaybeArray = None
    ) -> float:
        """Accuracy of predicted labels, shape (n_rows,)."""
        weights = None if sample_weight is None else weights_array(sample_weight)
        return float(np.average(self._correct(predicted, labels), weights=weights))

    def _correct(self, predicted: np.ndarray, y: Any) -> np.ndarray:
        """1.0 where a prediction is the label, else 0.0, shape (n_rows,).

        Raises:
            ValueError: labels of another shape, or cells that are not labels.
        """
        refuse_masked("y", y)
        y = np.asarray(y)
        if y.shape == (len(predicted), 1):
            y = y[:, 0]
        if y.shape != predicted.shape:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: [{len(predicted)}, "
                f"{len(y)}]"
                if y.ndim == 1
                else f"y should be a 1d array, got an array of shape {y.shape} instead."
            )
        if y.dtype == object:
            object_family("y", y.tolist(), role="target")  # refuses what is no label by its row
            y = np.array([None if is_missing(label) else label for label in y], dtype=object)
        declared = as_declared(y, self._schema.classes)
        y = y if declared is y else np.array(declared, dtype=object)
        return np.asarray(predicted == y, dtype=np.float64)

    def evaluate(self, X: Any, y: MaybeArray = None, *, groups: Any = None) -> Any:
        """Accuracy, kappa, information reward, the measures of every class and the confusion
        matrix on labelled rows, as Weka prints them: a `fasttree.metrics.Evaluation`.

        Args:
            X, y: rows and labels, a Table, or the name of a data set.
            groups: the group of each row (a patient, a site), shape (n_rows,), or the name of a
                column of X: the result then has the standard error over groups, and the accuracy of
                each.
        """
        from ..metrics import Evaluation

        X, y, members = self._rows_and_groups(X, y, groups)
        X, y = self._rows_and_target(X, y)
        with warnings_about():
            predicted, shares = self.predict(X), self.predict_proba(X)
        self._correct(predicted, y)  # refuses other lengths and shapes
        prior = self.class_prior_ / self.class_prior_.sum()
        return Evaluation(
            as_declared(np.asarray(y).ravel().tolist(), self._schema.classes),
            predicted.tolist(),
            shares,
            np.asarray(self.classes_).tolist(),
            prior,
            groups=members,
            cost_matrix=getattr(self, "cost_matrix", None),
        )
