"""Base of `NaiveBayes`, `TAN` and `AODE`: reading of rows, bins, prediction, storing.

What
    `BayesClassifier.fit` turns rows into a Table and weights, finds cut points for numeric columns
    on the training rows, and calls the core. Prediction reads rows by the schema of the fit and
    sums logarithms in the core.
When not to use it
    Directly: a subclass states the learner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine
from .._checks import number_in, one_of
from .._checks.aliases import CategoricalFeatures, MaybeArray
from ..bayesian_networks.classifier import NetworkClassifier
from ..bayesian_networks.documents import parsed
from ..bayesian_networks.reading import cut_points
from ..estimators.new_rows import encode_rows
from ..estimators.pickling import restore_state, state_for_pickle
from ..estimators.schema import Schema
from ..estimators.training_rows import weighted_rows
from ..table import Table
from ..table.data_checks import inspect
from ..table.target import no_target

C = TypeVar("C", bound="BayesClassifier")


FORMAT = "fasttree Bayes model"
"""The kind of a model file."""


@dataclass(init=False, kw_only=True, eq=False, repr=False)
class BayesClassifier(NetworkClassifier):
    """Base of the three classifiers; a subclass states the learner and its options.

    Attributes:
        classes_: class labels, shape (n_classes,): declared ones of a Table, occurring ones of an
            array.
        class_count_: weight of each class in the training rows, shape (n_classes,).
        class_prior_: (n_i + 0.5) / (n + k/2), shape (n_classes,): the prior of the information
            rewards, not the one that the model predicts with.
        cuts_: ascending cut points of each binned column, by name.
        n_features_in_, feature_names_in_: as in scikit-learn.
    """

    alpha: float = 1.0
    smoothing: str = "laplace"
    discretize: Any = "mdlp"
    n_bins: int = 10
    categorical_features: CategoricalFeatures = "from_dtype"
    handle_unknown: str = "missing"
    n_jobs: int | None = None
    _format = FORMAT
    _derived = ()
    __getstate__, __setstate__ = state_for_pickle, restore_state

    # -- fitting ----------------------------------------------------------------------------------

    def fit(self: C, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> C:
        """Fit to rows and labels.

        Args:
            X: rows, shape (n_rows, n_features), or a `Table` with its target (then y is None).
            y: labels, shape (n_rows,).
            sample_weight: weights >= 0, shape (n_rows,); an integer weight is that many copies of
                the row, a row of weight 0 is dropped before anything else. Default: the Table's own
                weights, or 1.

        Returns:
            The estimator.

        Raises:
            ValueError: a parameter or data outside their domain; the message names parameter,
                column and row.
            TypeError: cells that are neither numbers nor labels.
        """
        # A Table of the rows, and their weights.
        X, y, sample_weight = self._labelled(X, y, sample_weight)
        table = Table.from_any(X, y, categorical_features=self.categorical_features)
        if table.target is None:
            raise no_target()
        if table.unused:
            table = table.drop(*table.unused)
        one_of("handle_unknown", self.handle_unknown, ("missing", "error"))
        inspect(table, "as_given").warn()
        table, weights = weighted_rows(table, sample_weight)
        # Cut points, and the configuration of the core.
        bins = {"needs": f"{type(self).__name__} needs bins there"}
        names = self._binned(table)
        cuts = cut_points(table, names, weights, self.discretize, self.n_bins, **bins)
        config = {
            "learner": self._learner(table),
            "smoothing": {
                "method": one_of("smoothing", self.smoothing, ("laplace", "m_estimate")),
                "alpha": number_in(1e-300, 1e300)("alpha", self.alpha),
            },
            "cuts": [cuts[name].tolist() if name in cuts else None for name in table.feature_names],
            "priors": self._priors(table, weights),
            "weka": self._by_weka(table),
        }
        data, weights = _engine.dataset_of(table, self.n_jobs), _engine.as_weights(weights)
        self._model = _engine.core.bayes_fit(data, config, weights, self.n_jobs)
        # New rows are read by the names, kinds and levels of the fit.
        columns = table.columns
        schema = Schema(
            names=table.feature_names,
            nominal=[c.kind == "nominal" for c in columns],
            levels=[tuple(_engine.plain(v) for v in c.levels or ()) for c in columns],
            has_names=table.has_feature_names,
            owner=type(self).__name__,
        )
        self._adopt(schema, table.class_values, cuts)
        return self

    def _learner(self, table: Table) -> dict[str, Any]:
        """The learner and its own options, as the core reads them."""
        raise NotImplementedError

    def _priors(self, table: Table, weights: np.ndarray | None) -> list[float] | None:
        """Class probabilities; None: shares in the training rows."""
        return None

    def _by_weka(self, table: Table) -> list[int]:
        """Indices of the numeric columns that are modelled by Weka's rule."""
        return []

    def _binned(self, table: Table) -> list[str]:
        """Names of the columns that are binned: all numeric ones."""
        return [c.name for c in table.columns if c.kind == "numeric"]

    def _load_state(self, data: bytes) -> None:
        """Restore the core's model, when the estimator is unpickled."""
        self._model = _engine.bayes_model_from_bytes(data)

    def _adopt(self, schema: Schema, classes: np.ndarray, cuts: dict[str, np.ndarray]) -> None:
        """Set the fitted attributes, from the core's model and from the facts that the model does
        not hold."""
        self._schema = schema
        self.cuts_ = cuts
        state = parsed(self._model.to_bytes())
        self._set_classes(schema, classes, np.array(state["class_counts"]))
        self._read(next(iter(state["kind"].values())))

    def _read(self, state: dict[str, Any]) -> None:
        """Set the fitted attributes of the learner, from the core's model."""

    # -- keeping ----------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        """The model as JSON; `reading` reads it."""
        schema = self._schema
        features = [
            {"name": name, "nominal": nominal, "levels": list(levels)}
            for name, nominal, levels in zip(
                schema.names, schema.nominal, schema.levels, strict=True
            )
        ]
        return {
            "learner": type(self).__name__,
            "parameters": self._parameters(),
            "features": features,
            "has_names": schema.has_names,
            "classes": [_engine.plain(label) for label in self.classes_],
            "core": parsed(self._model.to_bytes()),
        }

    # -- predicting -------------------------------------------------------------------------------

    def _scores(self, X: Any, joint: bool) -> np.ndarray:
        """ln P(c, x) where `joint`, else P(c | x); shape (n_rows, n_classes)."""
        check_is_fitted(self)
        blocks, n = encode_rows(self._schema, X, self.handle_unknown)
        return np.asarray(self._model.predict(blocks, n, joint, self.n_jobs))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities in the order of `classes_`, shape (n_rows, n_classes)."""
        return self._scores(X, False)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Natural logarithms of the probabilities, shape (n_rows, n_classes); -inf for a class of
        prior 0."""
        from scipy.special import logsumexp

        joint = self.predict_joint_log_proba(X)
        return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """``log P(c, x)`` (a density where numbers are normal), shape (n_rows, n_classes)."""
        return self._scores(X, True)
