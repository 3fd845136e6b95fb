"""Bayesian classifiers written as bytes: a JSON document with a version and a checksum, as for trees.

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

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _engine
from ..estimators.parameters import stored_discretizer

if TYPE_CHECKING:
    from .base import BayesClassifier

__all__ = ["FORMAT", "VERSION", "canonical", "checksum", "to_bytes"]

FORMAT, VERSION = "fasttree Bayes model", 1
NOT_STORED = ("n_jobs",)


def _plain(value: Any) -> Any:
    """What of a parameter is not JSON yet."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be stored in a model file")


def canonical(model: dict[str, Any]) -> str:
    """The model as JSON whose text depends on its content alone."""
    return json.dumps(model, sort_keys=True, allow_nan=False, ensure_ascii=False, default=_plain)


def checksum(text: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


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
    text = canonical(json.loads(canonical(model)))
    head = (
        f'{{"format": "{FORMAT}", "version": {VERSION}, "checksum": "{checksum(text)}", "model": '
    )
    return (head + text + "}\n").encode("utf-8", "surrogatepass")
