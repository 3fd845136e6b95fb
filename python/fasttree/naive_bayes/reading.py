"""Bayesian classifiers read back from bytes: a JSON document with a version and a checksum, as for
trees.

What
    ``{"format": "fasttree Bayes model", "version": 1, "checksum": "...", "model": {...}}``. The
    model holds the class of the estimator, its parameters, names, kinds and levels of the features,
    the class labels, and the core's cut points and counts. The checksum is the start of a SHA-256
    of the model's JSON with sorted keys: enough to see damage, not a signature. Floats are printed
    in their shortest exact form, so that a loaded model predicts the same bits.
Loading
    Nothing is executed and nothing believed: checksum first, then every part is compared with what
    the core's model says of itself, whose counts the core checks.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _engine
from ..bayesian_networks.documents import opened
from ..estimators.new_rows import Schema
from ..estimators.parameters import restored_discretizer
from .aode import AODE
from .base import FORMAT, BayesClassifier
from .naive import NaiveBayes
from .tan import TAN

__all__ = ["classifier_from_bytes"]

LEARNERS: dict[str, type[BayesClassifier]] = {one.__name__: one for one in (NaiveBayes, TAN, AODE)}
_COUNTS = frozenset({"class_counts", "counts", "pairs", "singles"})
"""Keys of the core's model under which numbers of rows (weights) stand."""


def _labels(values: Any) -> np.ndarray:
    """Class labels as an array, of one type where they are."""
    if not isinstance(values, list) or not all(
        isinstance(v, (str, int, float, bool)) for v in values
    ):
        raise ValueError("classes are not labels")
    return (
        np.array(values) if len({type(v) for v in values}) == 1 else np.array(values, dtype=object)
    )


def _checked_schema(model: dict[str, Any], core: dict[str, Any], owner: str) -> Schema:
    """Names, kinds and levels, which must be those the core's model reads."""
    features, readings = model["features"], core["readings"]
    if len(features) != len(readings):
        raise ValueError(f"{len(features)} features, but the counts are of {len(readings)}")
    for place, (feature, reading) in enumerate(zip(features, readings, strict=True)):
        if not isinstance(feature["name"], str) or not isinstance(feature["levels"], list):
            raise ValueError(f"feature {place} has no name or no levels")
        levels = feature["levels"]
        wrong = [v for v in levels if not isinstance(v, (str, int, float, bool))]
        if wrong:
            raise ValueError(f"feature {place} has the level {wrong[0]!r:.40}, which is no label")
        if len({(type(v), v) for v in levels}) < len(levels):
            raise ValueError(f"feature {place} has a level twice")
        if (reading["kind"] == "nominal") != feature["nominal"]:
            raise ValueError(f"feature {place} is nominal in one place and numeric in another")
        if feature["nominal"] and reading["levels"] != len(feature["levels"]):
            raise ValueError(f"feature {place} has two numbers of levels")
    return Schema(
        names=[feature["name"] for feature in features],
        nominal=[bool(feature["nominal"]) for feature in features],
        levels=[tuple(feature["levels"]) for feature in features],
        has_names=bool(model["has_names"]),
        owner=owner,
    )


def _check_counts(core: dict[str, Any]) -> None:
    """Refuse counts that no training set has: negative, not finite, or above 2^32 rows."""
    stack: list[tuple[str, Any, bool]] = [("model", core, False)]
    while stack:
        name, value, counted = stack.pop()
        if isinstance(value, dict):
            stack += [(k, v, counted or k in _COUNTS) for k, v in value.items()]
        elif isinstance(value, list):
            stack += [(name, v, counted) for v in value]
        elif counted and isinstance(value, (int, float)) and not 0 <= value <= 2**32:
            said = str(value) if isinstance(value, float) or abs(value) < 10**20 else "a number"
            raise ValueError(f"{name} holds {said}, which counts no rows (0 to 2^32)")


def classifier_from_bytes(data: bytes) -> BayesClassifier:
    """A fitted classifier from the content of a file; it is checked before anything is believed.

    Raises:
        ValueError: truncated, damaged, of another version, or no Bayesian classifier of fasttree.
    """
    model = opened(data, FORMAT)
    try:
        learner = LEARNERS[model["learner"]]
        params = dict(model["parameters"])
        params["discretize"] = restored_discretizer(params.get("discretize"))
        estimator = learner(**params)
        core = model["core"]
        _check_counts(core)
        classes = _labels(model["classes"])
        if len(classes) != len(core["class_counts"]):
            raise ValueError("the number of classes differs from that of the counts")
        schema = _checked_schema(model, core, learner.__name__)
        cuts = {
            name: np.array(reading["cuts"], dtype=np.float64)
            for name, reading in zip(schema.names, core["readings"], strict=True)
            if reading["kind"] == "binned"
        }
        estimator._model = _engine.bayes_model_from_bytes(json.dumps(core).encode("utf-8"))
        estimator._adopt(schema, classes, cuts)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ValueError(
            "not a valid fasttree Bayes model: "
            f"{type(error).__name__.replace('Error', '').lower()}: {error}"
        ) from error
    return estimator
