"""`NetworkClassifier`: what the Bayesian classifiers share, whatever network they find.

What
    Intake of labelled rows, labels from probabilities, accuracy, and the model file. `CaMML` and
    the classifiers of `fasttree.naive_bayes` are subclasses.
Complexity
    As the subclass says.
When not to use it
    Alone: a subclass fits, predicts probabilities and states what its file holds.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._checks.aliases import MaybeArray
from .._checks.saving import save_bytes
from ..datasets.inputs import resolve_names
from ..estimators.parameters import stored_discretizer
from ..estimators.schema import Schema
from ..estimators.training_rows import without_empty_rows
from ..table import Table
from ..table.target import no_target
from .documents import NETWORK, sealed

NOT_STORED = ("n_jobs", "progress")
"""Parameters that a model file does not have."""


class NetworkClassifier(ClassifierMixin, BaseEstimator):
    """Base of classifiers by a Bayesian network."""

    _format = NETWORK

    def __sklearn_tags__(self) -> Any:
        """Tags of scikit-learn: missing values and categories are supported."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = getattr(self, "missing", None) != "error"
        tags.input_tags.categorical = True
        tags.classifier_tags.multi_class = True
        return tags

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """Rows, labels and weights to fit to, without the rows of weight 0; ValueError without
        labels."""
        X, y = resolve_names(X, y, "classification")
        if isinstance(X, Table):
            return X, y, sample_weight
        if y is None:
            raise no_target()
        return (
            (X, y, None) if sample_weight is None else without_empty_rows(X, y, sample_weight)[:3]
        )

    def _set_classes(self, schema: Schema, classes: np.ndarray, counts: np.ndarray) -> None:
        """Set the fitted attributes of features and classes."""
        self.classes_ = classes
        self.n_classes_ = len(classes)
        self.class_count_ = counts
        self.class_prior_ = (counts + 0.5) / (counts.sum() + len(classes) / 2)
        self.n_features_in_ = len(schema.names)
        self.__dict__.pop("feature_names_in_", None)
        if schema.has_names:
            self.feature_names_in_ = np.array(schema.names, dtype=object)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities in the order of `classes_`, shape (n_rows, n_classes)."""
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest `predict_proba` of each row, shape (n_rows,); of several, the
        first in `classes_`."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def score(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> float:
        """Accuracy on rows X and labels y (a `Table` brings its own)."""
        X, y = resolve_names(X, y, "classification")
        if isinstance(X, Table) and y is None:
            y = X.y
        return float(super().score(X, y, sample_weight))

    def _state(self) -> dict[str, Any]:
        """The model as JSON."""
        raise NotImplementedError

    def _parameters(self) -> dict[str, Any]:
        """The parameters that a model file has."""
        params = {k: v for k, v in self.get_params(deep=False).items() if k not in NOT_STORED}
        return params | {"discretize": stored_discretizer(params["discretize"])}

    def to_bytes(self) -> bytes:
        """The model file's content: a versioned JSON document with a checksum.

        Raises:
            TypeError: a parameter that has no JSON form.
        """
        check_is_fitted(self)
        return sealed(self._state(), self._format)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, at once or not at all; `fasttree.load` reads it."""
        save_bytes(path, self.to_bytes())
