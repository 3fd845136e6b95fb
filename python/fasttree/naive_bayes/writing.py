"""Bayesian classifiers written as bytes: a JSON document with a version and a checksum, as for
trees.

What
    ``{"format": "fasttree Bayes model", "version": 1, "checksum": "...", "model": {...}}``. The
    model holds the class of the estimator, its parameters, names, kinds and levels of the features,
    the class labels, and the core's cut points and counts. The checksum is the start of a SHA-256
    of the model's JSON with sorted keys: enough to see damage, not a signature. Floats are printed
    in their shortest exact form, so that a loaded model predicts the same bits.
When not to use it
    For trees: `fasttree.load_model`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .. import _engine
from ..bayesian_networks.documents import sealed
from ..estimators.parameters import stored_discretizer

if TYPE_CHECKING:
    from .base import BayesClassifier

__all__ = ["FORMAT", "to_bytes"]

FORMAT = "fasttree Bayes model"
NOT_STORED = ("n_jobs",)


def to_bytes(estimator: BayesClassifier) -> bytes:
    """The file's content of a fitted classifier.

    Raises:
        TypeError: a parameter that has no JSON form.
    """
    params = {k: v for k, v in estimator.get_params(deep=False).items() if k not in NOT_STORED}
    params["discretize"] = stored_discretizer(params["discretize"])
    schema = estimator._schema
    features = [
        {"name": name, "nominal": nominal, "levels": list(levels)}
        for name, nominal, levels in zip(schema.names, schema.nominal, schema.levels, strict=True)
    ]
    model = {
        "learner": type(estimator).__name__,
        "parameters": params,
        "features": features,
        "has_names": schema.has_names,
        "classes": [_engine.plain(label) for label in estimator.classes_],
        "core": json.loads(estimator._model.to_bytes()),
    }
    return sealed(model, FORMAT)
