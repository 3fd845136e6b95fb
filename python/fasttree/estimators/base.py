"""`Classifier`: what every estimator with a fitted model of the core shares.

What
    Rows and weights on their way in, labels and probabilities on their way out, accuracy, and the
    model file.
Complexity
    One pass over labels and weights; prediction is the model's.
When not to use it
    Alone: it is the base of `FastTreeClassifier` and `FastForestClassifier`.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .. import _engine
from .._checks import at_least_zero, shown, weights_array
from .._checks.aliases import MaybeArray
from .._checks.masks import refuse_masked
from ..datasets.inputs import given, loaded
from ..pruning import divides_rows
from ..rendering.saving import save_bytes
from ..table import Table
from ..table.doubtful import warn_of_data
from .costs import class_sums, copies_in, prior_factors
from .keywords import Settings
from .new_rows import Schema, rows_for, without_empty_rows
from .parameters import chosen, restored_parameters
from .stored import Stored

__all__ = ["Classifier", "read_back"]

NO_LABELS = (
    "requires y to be passed, but the target y is None: give labels, the name of a column of a "
    "frame X, or a Table with a target"
)


class Classifier(Settings, Stored):
    """Intake, prediction and storage of an estimator whose `_model` is one of the core's."""

    _model: Any
    _schema: Schema
    _derived = ("_schema", "_tree", "_trace")
    classes_: np.ndarray
    class_prior_: np.ndarray
    priors: Any = None

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Names of the parameters, found once (scikit-learn reads the signature at every call)."""
        names: list[str] = super()._get_param_names()  # type: ignore[misc]
        return names

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: missing values and labels are taken."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = True
        tags.classifier_tags.multi_class = True
        return tags

    # -- on the way in ----------------------------------------------------------------------------

    def _training_rows(
        self, X: Any, y: Any, sample_weight: MaybeArray
    ) -> tuple[Table, np.ndarray | None]:
        """The labelled Table and the weights (n_rows,) of a fit, class weights multiplied in; None
        when all are 1."""
        X, y = given(X, y)
        if not isinstance(X, Table) and y is None:
            raise ValueError(NO_LABELS)
        if not isinstance(X, Table) and sample_weight is not None:
            X, y, sample_weight = without_empty_rows(X, y, sample_weight)
        table = Table.from_any(
            X,
            y,
            categorical_features=self.categorical_features,
        )
        if table.target is None:
            raise ValueError("requires y to be passed: the Table has no target")
        chosen("handle_unknown", self.handle_unknown)
        warn_of_thin_levels(table)
        warn_of_data(table)
        return self._weighted(table, sample_weight)

    def _weighted(self, table: Table, sample_weight: MaybeArray) -> tuple[Table, np.ndarray | None]:
        """The rows and weights that a fit goes by.

        A whole weight is that many copies of a row. Where class weights are fractions, or rows are
        divided (held out for pruning, folds for a price), the copies are written out.
        """
        given, factor = self._given_and_factor(table, sample_weight)
        weights = factor if given is None else given if factor is None else given * factor
        copies = copies_in(given)
        if copies is None or weights is None:
            return table, weights
        fractions = factor is not None and bool(np.any((factor % 1 != 0) & (copies > 0)))
        if not fractions and not divides_rows(getattr(self, "pruning", None)):
            return table, weights
        rows = np.repeat(np.arange(len(table)), copies)
        return table.take(rows), None if factor is None else factor[rows]

    def _weights(self, table: Table, sample_weight: MaybeArray) -> np.ndarray | None:
        """The weight of each row, class weights multiplied in; None when all are 1."""
        given, factor = self._given_and_factor(table, sample_weight)
        return factor if given is None else given if factor is None else given * factor

    def _given_and_factor(
        self, table: Table, sample_weight: MaybeArray
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """The weights of the rows as given, and what their classes multiply them by."""
        if sample_weight is None:
            sample_weight = table.sample_weight
        if sample_weight is not None:
            sample_weight = weights_array(sample_weight)
            if sample_weight.ndim == 0:
                sample_weight = np.full(len(table), float(sample_weight))
            if sample_weight.ndim != 1:
                raise ValueError("Sample weights must be 1D array or scalar")
            if len(sample_weight) != len(table):
                raise ValueError(
                    f"sample_weight.shape == {sample_weight.shape}, expected {(len(table),)}!"
                )
        given, factor = sample_weight, None
        if self.priors is not None:
            factor = prior_factors(self.priors, table.classes, table.y_codes, given)
        if self.class_weight is not None:
            own = self._class_factors(table, given)
            factor = own if factor is None else own * factor
        return given, factor

    def _class_factors(self, table: Table, sample_weight: np.ndarray | None) -> np.ndarray:
        """Class weight of each row; ``"balanced"`` is n/(k n_c) in weights, so that a weight of w
        is w copies."""
        if isinstance(self.class_weight, Mapping):
            for label, weight in self.class_weight.items():
                at_least_zero(f"class_weight[{shown(label)}]", weight)
            from sklearn.utils.class_weight import compute_sample_weight

            return np.asarray(compute_sample_weight(self.class_weight, table.y))
        if not (isinstance(self.class_weight, str) and self.class_weight == "balanced"):
            raise ValueError(
                f"class_weight={shown(self.class_weight)} must be None, 'balanced' or a dict"
            )
        sums = class_sums(table.y_codes, sample_weight, len(table.classes))
        occurring = sums > 0
        factors = np.ones(len(sums))
        factors[occurring] = math.fsum(sums.tolist()) / (occurring.sum() * sums[occurring])
        return factors[table.y_codes]

    def _adopt_schema(self, model: Any, classes: np.ndarray, has_names: bool) -> None:
        """Take over a model of the core with its columns and classes."""
        self._model = model
        self._schema = Schema.of_model(model, has_names, type(self).__name__)
        self.classes_ = classes
        self.n_classes_ = len(classes)
        self.n_features_in_ = len(self._schema.names)
        self.__dict__.pop("feature_names_in_", None)
        if has_names:
            self.feature_names_in_ = np.array(self._schema.names, dtype=object)

    def _take_back(self, data: bytes) -> None:
        forest = b'"fasttree forest"' in data[:64]
        read = _engine.forest_from_bytes if forest else _engine.model_from_bytes
        self._model = read(data)
        has_names = "feature_names_in_" in self.__dict__
        self._schema = Schema.of_model(self._model, has_names, type(self).__name__)

    # -- on the way out ---------------------------------------------------------------------------

    def _blocks(self, X: Any) -> tuple[list[np.ndarray], int]:
        if "_model" not in self.__dict__:  # scikit-learn's check costs more than a walk
            from sklearn.utils.validation import check_is_fitted

            check_is_fitted(self)
        return rows_for(self._schema, loaded(X), self.handle_unknown, self.missing)

    def _labels(self, codes: np.ndarray) -> np.ndarray:
        if codes.size and codes.min() < 0:
            out = np.empty(len(codes), dtype=object)
            known = codes >= 0
            out[known] = self.classes_[codes[known]]
            return out
        return np.asarray(self.classes_[codes])

    def predict(self, X: Any) -> np.ndarray:
        """Class labels, shape (n_rows,); an object array with None where a leaf predicts
        nothing."""
        blocks, n = self._blocks(X)
        return self._labels(self._model.predict(blocks, n, self.n_jobs))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities in the order of `classes_`, shape (n_rows, n_classes); zeros where a
        leaf predicts nothing."""
        blocks, n = self._blocks(X)
        return np.asarray(self._model.predict_proba(blocks, n, self.n_jobs))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Natural logarithms of `predict_proba`; -inf for 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> float:
        """Accuracy; a row that is not classified counts as an error."""
        X, y = given(X, y)
        right = self._right(self.predict(X), X, y)
        weights = None if sample_weight is None else weights_array(sample_weight)
        return float(np.average(right, weights=weights))

    def _right(self, predicted: np.ndarray, X: Any, y: Any) -> np.ndarray:
        """1.0 where a prediction is the label, else 0.0."""
        if isinstance(X, Table) and y is None:
            y = X.y
        if y is None:
            raise ValueError(NO_LABELS)
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
        return np.asarray(predicted == y, dtype=np.float64)

    def evaluate(self, X: Any, y: MaybeArray = None) -> Any:
        """Accuracy, kappa, information reward, the measures of every class and the confusion
        matrix on labelled rows, as Weka prints them: a `fasttree.metrics.Evaluation`.

        Args:
            X, y: rows and labels, a Table, or the name of a data set.
        """
        from ..metrics import Evaluation

        X, y = given(X, y)
        predicted = self.predict(X)
        self._right(predicted, X, y)  # lengths and shapes
        labels = X.y if isinstance(X, Table) and y is None else np.asarray(y).ravel()
        assert labels is not None  # else `_right` has raised
        prior = self.class_prior_ / self.class_prior_.sum()
        return Evaluation(
            labels.tolist(),
            predicted.tolist(),
            self.predict_proba(X),
            np.asarray(self.classes_).tolist(),
            prior,
        )

    # -- keeping the model ------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The model file's content: a versioned JSON document with a checksum."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return self._model.to_bytes()

    def save(self, path: str | Path) -> None:
        """Write the model to a file, at once or not at all; `fasttree.load_model` reads it."""
        save_bytes(path, self.to_bytes())


MANY_LEVELS = 10
"""Columns of fewer levels are never thin."""


def warn_of_thin_levels(table: Table) -> None:
    """Warn once of nominal columns with fewer than five rows a level."""
    if table.block is not None and table.block.dtype != np.uint8:
        return
    thin = [
        f"{c.name!r} ({len(c.levels):,} levels)"
        for c in table.columns
        if c.levels is not None and len(c.levels) > MANY_LEVELS and len(table) < 5 * len(c.levels)
    ]
    if thin:
        more = f" and {len(thin) - 5} more" if len(thin) > 5 else ""
        warnings.warn(
            f"nominal columns with fewer than five rows a level: {', '.join(thin[:5])}{more}; a "
            "split on them learns rows by heart: leave them out, or prune (pruning='error_based')",
            UserWarning,
            stacklevel=4,
        )


def read_back(kind: type, model: Any) -> tuple[Any, np.ndarray, bool]:
    """An estimator with the parameters of a loaded core model, its class labels, and whether
    columns have names."""
    try:
        params = restored_parameters(model.parameters)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"not a valid fasttree model: its parameters cannot be read ({error})"
        ) from error
    known = kind._get_param_names()  # type: ignore[attr-defined]
    estimator = kind(**{k: v for k, v in params.items() if k in known})
    schema = json.loads(model.schema_json())
    labels = schema["classes"]
    classes = (
        np.array(labels) if len({type(v) for v in labels}) == 1 else np.array(labels, dtype=object)
    )
    names = [f["name"] for f in schema["features"]]
    return estimator, classes, names != [f"x{j}" for j in range(len(names))]
